//===- ElementwiseShape.h - Broadcasting over physical layouts -*- C++ -*-===//
//
// An element-wise operator walks its output in memory order, padding lanes
// included, and reads every operand where the broadcasting rules say. The
// rules (NumPy's: align at the last axis, an extent of 1 repeats) hold for the
// logical tensors; operands may be in the output's format or plain.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_ELEMENTWISESHAPE_H
#define NPU_LIB_KERNELS_ELEMENTWISESHAPE_H

#include "npu/Kernels/LaneMap.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace npu::kernels {

class ElementwiseShape {
public:
  /// How an operand is read.
  enum class Access : uint8_t {
    Flat,    ///< element by element, as the output is written
    Scalar,  ///< its first element, everywhere
    Gathered ///< by gather
  };

  /// Fails when the output is not what the operands broadcast to, or when an
  /// operand is in another private format. \p vectorAxis is the axis of the
  /// output's layout along which a one-dimensional operand lies (BiasAdd: C);
  /// without it, the last one.
  static Expected<ElementwiseShape>
  create(const TensorDesc &output, std::span<const TensorDesc *const> operands,
         std::optional<unsigned> vectorAxis = std::nullopt);

  int64_t numElements() const { return layout.numElements(); }
  const LaneMap &lanes() const { return laneMap; }
  Access access(size_t operand) const { return operands[operand].access; }

  /// Writes what \p operand (a Gathered one) shows to the output elements
  /// [begin, begin + count): zero in lanes that pad an axis along which the
  /// operand has data of its own but no padding.
  void gather(size_t operand, const std::byte *data, int64_t begin,
              int64_t count, unsigned elementSize, std::byte *to) const;

private:
  struct Operand {
    Access access = Access::Flat;
    std::vector<int64_t> steps; ///< one a digit of the output
    std::vector<bool> bounded;  ///< one an axis: zero beyond its extent
  };

  static Expected<Operand> bind(const Layout &output, const TensorDesc &outDesc,
                                const TensorDesc &desc,
                                std::optional<unsigned> vectorAxis,
                                std::vector<bool> &covered);

  Layout layout;
  LaneMap laneMap;
  std::vector<Operand> operands;
};

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_ELEMENTWISESHAPE_H
