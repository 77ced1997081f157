//===- Rearrangement.h - Kernels that move elements only --------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_REARRANGEMENT_H
#define NPU_LIB_KERNELS_REARRANGEMENT_H

#include "LaidOutCopy.h"
#include "PlainTensor.h"
#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// Makes the kernel of an operator that copies boxes of its inputs into its
/// outputs. Boxes are in terms of the plain tensors.
class Rearrangement {
public:
  /// Takes the node's outputs and its first \p numInputs inputs, which must be
  /// there. Fails unless all have one type, with elements of whole bytes.
  static Expected<Rearrangement> create(const NodeSpec &spec, size_t numInputs);

  const Shape &inputShape(size_t input) const { return inputs[input].shape(); }
  const Shape &outputShape(size_t output = 0) const {
    return outputs[output].shape();
  }

  void copy(size_t input, size_t output, std::vector<StridedCopy::Axis> axes,
            int64_t sourceBase = 0, int64_t targetBase = 0) {
    copies.push_back(
        {input, output, {std::move(axes), sourceBase, targetBase}});
  }
  /// The copies leave gaps in the outputs, which become zero.
  void clearOutputs() { clears = true; }

  std::unique_ptr<Kernel> takeKernel() &&;

private:
  class MoveKernel;
  struct Move {
    size_t input, output;
    CopyBox box;
  };

  /// The copies between the tensors as they lie, if there are such.
  std::optional<std::vector<Move>> layOutCopies() const;

  std::vector<PlainInput> inputs;
  std::vector<PlainOutput> outputs;
  std::vector<TensorDesc> inputDescs, outputDescs;
  std::vector<Move> copies;
  unsigned elementSize = 0;
  bool clears = false;
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_REARRANGEMENT_H
