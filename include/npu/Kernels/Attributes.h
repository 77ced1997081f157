//===- Attributes.h - Attributes of a node, without MLIR -------*- C++ -*-===//

#ifndef NPU_KERNELS_ATTRIBUTES_H
#define NPU_KERNELS_ATTRIBUTES_H

#include "npu/Support/Status.h"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace npu::kernels {

using AttributeValue =
    std::variant<int64_t, float, bool, std::string, std::vector<int64_t>,
                 std::vector<float>, std::vector<bool>,
                 std::vector<std::string>>;

/// The attributes a kernel may read. Reading binds or fails with a message
/// that names the attribute, the kind found and the kind expected; an int
/// stands for a bool (0, 1) and a float where the graph has it so (texts that
/// came from JSON or ONNX do).
class Attributes {
public:
  void set(std::string name, AttributeValue value) {
    values[std::move(name)] = std::move(value);
  }
  bool has(const std::string &name) const { return values.count(name) != 0; }

  /// The attribute, or a failure when it is absent or of another kind.
  /// T is one of the alternatives of AttributeValue.
  template <typename T>
  Expected<T> require(const std::string &name) const;

  /// The attribute, or \p fallback when it is absent: for what is no attribute
  /// of the operator but one that the compiler adds, and where the default
  /// depends on the node. Else see NodeSpec::attribute.
  template <typename T>
  Expected<T> get(const std::string &name, T fallback) const {
    if (!has(name))
      return fallback;
    return require<T>(name);
  }

private:
  std::map<std::string, AttributeValue> values;
};

} // namespace npu::kernels

#endif // NPU_KERNELS_ATTRIBUTES_H
