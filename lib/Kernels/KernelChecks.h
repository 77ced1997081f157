//===- KernelChecks.h - What factories check about a node -------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_KERNELCHECKS_H
#define NPU_LIB_KERNELS_KERNELCHECKS_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// "SoftmaxV2 'prob': " and \p why.
inline Status nodeError(const NodeSpec &spec, const std::string &why) {
  return Status::error(spec.type + " '" + spec.name + "': " + why);
}

/// The failure \p status with the node in front.
inline Status inNode(const NodeSpec &spec, Status status) {
  return std::move(status).withContext(spec.type + " '" + spec.name + "'");
}

/// Fails unless the node has at least \p inputs inputs, all of the first
/// \p inputs present, and \p outputs outputs.
inline Status checkArity(const NodeSpec &spec, size_t inputs, size_t outputs) {
  if (spec.inputs.size() < inputs || spec.outputs.size() != outputs)
    return nodeError(
        spec, "has " + std::to_string(spec.inputs.size()) + " inputs and " +
                  std::to_string(spec.outputs.size()) + " outputs, expected " +
                  std::to_string(inputs) + " and " + std::to_string(outputs));
  for (size_t i = 0; i < inputs; ++i)
    if (!spec.inputs[i])
      return nodeError(spec, "input " + std::to_string(i) + " is absent");
  return {};
}

/// Fails unless \p axis, negative from the end, is one of \p rank; returns it
/// from the front.
inline Expected<unsigned> normalizeAxis(int64_t axis, size_t rank) {
  const int64_t signedRank = static_cast<int64_t>(rank);
  if (axis < -signedRank || axis >= signedRank)
    return Status::error("axis " + std::to_string(axis) +
                         " is not one of a tensor of " + std::to_string(rank) +
                         " dimensions");
  return static_cast<unsigned>(axis < 0 ? axis + signedRank : axis);
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_KERNELCHECKS_H
