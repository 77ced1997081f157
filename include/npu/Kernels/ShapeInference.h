//===- ShapeInference.h - Shapes of outputs --------------------*- C++ -*-===//

#ifndef NPU_KERNELS_SHAPEINFERENCE_H
#define NPU_KERNELS_SHAPEINFERENCE_H

#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// The logical shapes of all outputs of \p spec, by the rule that the catalogue
/// has for its type. Inputs have all dimensions; of the outputs only number,
/// rank and origin format count. Fails where there is no rule, where inputs
/// contradict it, and where it needs the values of an input that is no constant.
Expected<std::vector<Shape>> inferShapes(const NodeSpec &spec);

} // namespace npu::kernels

#endif // NPU_KERNELS_SHAPEINFERENCE_H
