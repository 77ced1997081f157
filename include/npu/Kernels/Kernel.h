//===- Kernel.h - An operator evaluator on raw tensors ---------*- C++ -*-===//
//
// A kernel computes one node. It sees buffers and descriptors, never the IR.
// Creating it binds attributes and checks shapes, once a plan; running it only
// computes, once an iteration.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_KERNELS_KERNEL_H
#define NPU_KERNELS_KERNEL_H

#include "npu/Kernels/Attributes.h"
#include "npu/Numerics/NumericConfig.h"
#include "npu/Numerics/StatusBits.h"
#include "npu/Support/Status.h"
#include "npu/Support/TensorDesc.h"
#include "npu/Support/ThreadPool.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace npu::kernels {

/// A tensor to read. Raw little-endian bytes in the layout of its descriptor,
/// aligned to 64 bytes. data is null for an optional input that is absent.
struct ConstTensor {
  const TensorDesc *desc = nullptr;
  const std::byte *data = nullptr;

  explicit operator bool() const { return data != nullptr; }
  template <typename T>
  const T *as() const {
    return reinterpret_cast<const T *>(data);
  }
};

/// A tensor to write.
struct MutableTensor {
  const TensorDesc *desc = nullptr;
  std::byte *data = nullptr;

  template <typename T>
  T *as() const {
    return reinterpret_cast<T *>(data);
  }
};

/// What a kernel is made from.
struct NodeSpec {
  std::string type; ///< operator type, e.g. "Conv2D"
  std::string name; ///< for messages
  Attributes attrs;
  /// One entry a data input in anchor order; nullopt for an absent optional
  /// input. Descriptors are the consumer's own (they may reshape the
  /// producer's buffer).
  std::vector<std::optional<TensorDesc>> inputs;
  /// Those of the node, then the inputs that it changes in place without an
  /// output that shows it (ApplyMomentum: accum), as they are afterwards.
  std::vector<TensorDesc> outputs;
  /// Bytes of inputs that never change while the kernel lives (Const), null
  /// for the others: for shape-like inputs and for packing weights once.
  std::vector<const std::byte *> constants;

  /// The attribute, or the default that the catalogue has for operators of this
  /// type; a failure when there is none, or it is of another kind.
  /// T is one of the alternatives of AttributeValue.
  template <typename T>
  Expected<T> attribute(const std::string &name) const;
};

/// What a run may use.
struct RunContext {
  ThreadPool &pool;
  /// Unless empty, a kernel with Kernel::tellsFinished() calls it for elements
  /// [begin, end) of output 0 as soon as they are there, on the thread that has
  /// computed them and still has them in its cache.
  std::function<void(int64_t begin, int64_t end)> finished = {};
};

/// What a kernel also is when each element of its only output is a function of
/// the elements at the same place of its inputs.
class Pointwise {
public:
  virtual ~Pointwise() = default;
  /// Begins a run, before any computeRange of it.
  virtual void prepare() = 0;
  /// Computes elements [begin, begin + count) of the output, from the inputs'
  /// elements from \p begin on: that is where the addresses point. The output
  /// overlaps no input. Several threads may call it at once.
  virtual NodeStatus computeRange(int64_t begin, int64_t count,
                                  std::span<const void *const> inputs,
                                  void *output) = 0;
};

/// One node, ready to run.
class Kernel {
public:
  virtual ~Kernel() = default;
  /// Computes all outputs, every byte of them, padding lanes included, and
  /// returns the status bits that its instructions raised. Inputs and outputs
  /// are those of the NodeSpec. The same bits for any number of threads.
  virtual Expected<NodeStatus> run(RunContext &context,
                                   std::span<const ConstTensor> inputs,
                                   std::span<const MutableTensor> outputs) = 0;

  /// Whether run() tells RunContext::finished of every element of output 0, of
  /// each once.
  virtual bool tellsFinished() const { return false; }
  /// Null unless elements can be computed one by one.
  virtual Pointwise *pointwise() { return nullptr; }
};

using KernelFactory = Expected<std::unique_ptr<Kernel>> (*)(
    const NodeSpec &spec, const NumericConfig &config);

} // namespace npu::kernels

#endif // NPU_KERNELS_KERNEL_H
