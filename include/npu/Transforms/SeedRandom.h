//===- SeedRandom.h - Seeds for random operators ---------------*- C++ -*-===//

#ifndef NPU_TRANSFORMS_SEEDRANDOM_H
#define NPU_TRANSFORMS_SEEDRANDOM_H

#include "npu/Dialect/GE/IR/GE.h"

#include <string>
#include <vector>

namespace npu {

/// Gives the random operators of \p graph whose seeds are both 0, which lets
/// the device take one of its own, the seed \p seed and a second one by their
/// names, so that they draw different numbers. Returns the names of these
/// nodes.
std::vector<std::string> seedRandomNodes(ge::GraphOp graph, uint64_t seed);

} // namespace npu

#endif // NPU_TRANSFORMS_SEEDRANDOM_H
