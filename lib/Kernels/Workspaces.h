//===- Workspaces.h - Memory that chunks of a loop reuse --------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_WORKSPACES_H
#define NPU_LIB_KERNELS_WORKSPACES_H

#include <memory>
#include <mutex>
#include <vector>

namespace npu::kernels {

/// Objects of a loop, as many as threads run it at once, which keep their
/// memory from chunk to chunk.
template <class T>
class Workspaces {
public:
  /// An object for as long as the handle lives: new, or as another chunk has
  /// left it.
  class Handle {
  public:
    explicit Handle(Workspaces &all) : all(all), object(all.take()) {}
    ~Handle() { all.give(std::move(object)); }
    Handle(const Handle &) = delete;
    T &operator*() const { return *object; }
    T *operator->() const { return object.get(); }

  private:
    Workspaces &all;
    std::unique_ptr<T> object;
  };

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<T>> idle;

  std::unique_ptr<T> take() {
    std::lock_guard lock(mutex);
    if (idle.empty())
      return std::make_unique<T>();
    std::unique_ptr<T> object = std::move(idle.back());
    idle.pop_back();
    return object;
  }
  void give(std::unique_ptr<T> object) {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(object));
  }
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_WORKSPACES_H
