//===- Registry.cpp - All kernels of this library -------------------------===//

#include "npu/Kernels/Registry.h"

#include "Builtins.h"

using namespace npu;
using namespace npu::kernels;

Registry Registry::withBuiltins() {
  Registry registry;
  addActivation(registry);
  addAipp(registry);
  addApplyAdam(registry);
  addArrangement(registry);
  addBatchNorm(registry);
  addBitMask(registry);
  addBroadcast(registry);
  addCollectives(registry);
  addComparison(registry);
  addConversion(registry);
  addCrossEntropy(registry);
  addCube(registry);
  addDataMovement(registry);
  addElementwise(registry);
  addGather(registry);
  addGroupNorm(registry);
  addIndexedCopy(registry);
  addInstanceNorm(registry);
  addLayerNorm(registry);
  addLayerNormGradient(registry);
  addLineOrder(registry);
  addLocalResponseNorm(registry);
  addNegativeLogLikelihood(registry);
  addNonMaxSuppression(registry);
  addOneHot(registry);
  addOptimizer(registry);
  addPooling(registry);
  addPoolingGradient(registry);
  addQuantization(registry);
  addRandom(registry);
  addRange(registry);
  addReduction(registry);
  addResize(registry);
  addResizeBilinear(registry);
  addRmsNorm(registry);
  addScatter(registry);
  addSegmentSum(registry);
  addShapeOf(registry);
  addSimpleMath(registry);
  addSlice(registry);
  addSmoothL1Loss(registry);
  addSoftmax(registry);
  addSoftmaxGradient(registry);
  addSpaceDepth(registry);
  addSparseCrossEntropy(registry);
  addSquareSum(registry);
  addUnique(registry);
  addWeightQuantization(registry);
  addWhere(registry);
  return registry;
}

const KernelEntry *Registry::lookup(std::string_view type) const {
  auto it = entries.find(type);
  return it == entries.end() ? nullptr : &it->second;
}
