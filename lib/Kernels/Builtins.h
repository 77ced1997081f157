//===- Builtins.h - What registers the kernels of this library --*- C++ -*-===//
//
// One function per source file that holds kernels. Called explicitly rather
// than from static constructors, which a static library would lose.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_BUILTINS_H
#define NPU_LIB_KERNELS_BUILTINS_H

namespace npu::kernels {

class Registry;

void addActivation(Registry &registry);
void addAipp(Registry &registry);
void addApplyAdam(Registry &registry);
void addArrangement(Registry &registry);
void addBatchNorm(Registry &registry);
void addBitMask(Registry &registry);
void addBroadcast(Registry &registry);
void addCollectives(Registry &registry);
void addComparison(Registry &registry);
void addConversion(Registry &registry);
void addCrossEntropy(Registry &registry);
void addCube(Registry &registry);
void addDataMovement(Registry &registry);
void addElementwise(Registry &registry);
void addGather(Registry &registry);
void addGroupNorm(Registry &registry);
void addIndexedCopy(Registry &registry);
void addInstanceNorm(Registry &registry);
void addLayerNorm(Registry &registry);
void addLayerNormGradient(Registry &registry);
void addLineOrder(Registry &registry);
void addLocalResponseNorm(Registry &registry);
void addNegativeLogLikelihood(Registry &registry);
void addNonMaxSuppression(Registry &registry);
void addOneHot(Registry &registry);
void addOptimizer(Registry &registry);
void addPooling(Registry &registry);
void addPoolingGradient(Registry &registry);
void addQuantization(Registry &registry);
void addRandom(Registry &registry);
void addRange(Registry &registry);
void addReduction(Registry &registry);
void addResize(Registry &registry);
void addResizeBilinear(Registry &registry);
void addRmsNorm(Registry &registry);
void addScatter(Registry &registry);
void addSegmentSum(Registry &registry);
void addShapeOf(Registry &registry);
void addSimpleMath(Registry &registry);
void addSlice(Registry &registry);
void addSmoothL1Loss(Registry &registry);
void addSoftmax(Registry &registry);
void addSoftmaxGradient(Registry &registry);
void addSpaceDepth(Registry &registry);
void addSparseCrossEntropy(Registry &registry);
void addSquareSum(Registry &registry);
void addUnique(Registry &registry);
void addWeightQuantization(Registry &registry);
void addWhere(Registry &registry);

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_BUILTINS_H
