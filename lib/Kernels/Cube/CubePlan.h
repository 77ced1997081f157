//===- CubePlan.h - A node as contractions ---------------------*- C++ -*-===//
//
// What the factories of the cube operators make of a node: which contractions
// compute it and where their operands lie. CubeKernel runs any plan.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_CUBE_CUBEPLAN_H
#define NPU_LIB_KERNELS_CUBE_CUBEPLAN_H

#include "Contraction.h"
#include "DenseImage.h"

#include "npu/Kernels/Kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace npu::kernels::cube {

/// Bounds what a plan takes from a descriptor that no memory stands behind yet:
/// values of an axis that get a table, and parts.
constexpr int64_t MaxTableSize = int64_t(1) << 26;
constexpr int64_t MaxParts = int64_t(1) << 22;

/// A matrix of an input by tables of CubePlan::offsets, from element base on.
struct PlannedMatrix {
  int64_t base = 0;
  size_t depthTable = 0, columnTable = 0;
};

/// One contraction, without addresses.
struct PlannedPart {
  LeftOperand left;       ///< runs and data are set from the two below
  size_t runTable = 0;    ///< of CubePlan::runs
  int64_t leftBase = 0;   ///< in elements, of the input or the repacked one
  size_t right = 0;       ///< of CubePlan::right
  int64_t biasOffset = 0; ///< of the first column
  Destination out;
  int64_t outBase = 0; ///< in elements
  /// Table of Destination::columnOffsets.
  std::optional<size_t> outColumns;
  int64_t columns = 0;
};

/// Elements [begin, begin + count) of the output that no contraction writes.
struct PaddingRange {
  int64_t begin = 0, count = 0;
};

struct CubePlan {
  ContractionTypes types; ///< left is the type of the input
  size_t leftInput = 0, rightInput = 1;
  std::optional<size_t> biasInput;
  DataType rightType = DataType::Float16;
  DataType biasType = DataType::Float16;
  int64_t biasCount = 0;

  std::vector<std::vector<int64_t>> offsets;
  std::vector<std::vector<Run>> runs;

  /// Matrices of the right operand, packed one after the other.
  std::vector<PlannedMatrix> right;
  /// The right operand does not change while the kernel lives.
  bool rightConstant = false;
  /// The right operand lies in panels as it is; pitches as in RightOperand.
  bool rightInPlace = false;
  int64_t panelPitch = 0, depthPitch = 0;

  /// Matrices to which the left operand is repacked first, if any: panels of
  /// 16 neighbouring values of k.
  std::vector<PlannedMatrix> repackedLeft;

  /// Or the copy of it that is made first.
  std::optional<DenseImage> dense;

  std::vector<PlannedPart> parts;
  std::vector<PaddingRange> padding;

  /// A device adds parts of the fp32 sums in memory, by atomics, which report
  /// their overflow.
  bool byAtomics = false;

  /// Adds a table to offsets and returns its index.
  size_t addOffsets(std::vector<int64_t> table) {
    offsets.push_back(std::move(table));
    return offsets.size() - 1;
  }
};

/// Checks the types of a node with inputs (left, right, bias at \p biasInput)
/// and sets those of \p plan. Products of fp16 give fp16 or fp32, of bf16 bf16
/// or fp32, of fp32 fp32, of 8-bit integers int32.
Status bindTypes(const NodeSpec &spec, const NumericConfig &config,
                 std::optional<size_t> biasInput, int64_t biasCount,
                 CubePlan &plan);

/// The kernel that runs \p plan.
std::unique_ptr<Kernel> makeCubeKernel(CubePlan plan);

} // namespace npu::kernels::cube

#endif // NPU_LIB_KERNELS_CUBE_CUBEPLAN_H
