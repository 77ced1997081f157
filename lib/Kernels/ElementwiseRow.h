//===- ElementwiseRow.h - Tables of element-wise operators ------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_ELEMENTWISEROW_H
#define NPU_LIB_KERNELS_ELEMENTWISEROW_H

#include "ElementwiseOps.h"
#include "npu/Kernels/Kernel.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>
#include <string_view>

namespace npu::kernels {

/// Where an operator on fp16 tensors rounds.
enum class Rounding : uint8_t {
  EveryInstruction,
  AtEnd,
  ByImplMode, ///< at the end only in high_precision
  Sigmoid,    ///< by SoC and mode, see pathForHalf
  Tanh,       ///< at the end; exp in fp16 where the SoC has no other
  HalfOn310,  ///< at the end; on Ascend310 every instruction
  Gelu,       ///< the same, and in high_performance every instruction
};

/// The operator a node asks for, and its attributes as scalar operands.
struct ElementwiseBinding {
  ElementwiseOp op = ElementwiseOp::Add;
  std::vector<float> params;
};

struct ElementwiseRow {
  std::string_view type;
  ElementwiseOp op;
  unsigned arity; ///< 0 for any number of inputs
  Rounding rounding;
  StatusBits bits;
  std::string_view numericPath;
  unsigned results = 1;
  /// Reads the attributes; null when there are none.
  Expected<ElementwiseBinding> (*bind)(const NodeSpec &spec, ElementwiseOp op,
                                       const NumericConfig &config) = nullptr;
  /// Whether the second operand lies along the channels if it has one
  /// dimension.
  bool channelOperand = false;
};

// What registry rows of element-wise operators list. Casts happen where types
// are mixed and in bf16, also around exact operators.
constexpr StatusBits ExactBits =
    status::VectorNanInfInput | status::CastOverflow | status::CastUnderflow;
constexpr StatusBits FloatArithmeticBits = ExactBits | status::FloatOverflow;
constexpr StatusBits ArithmeticBits =
    FloatArithmeticBits | status::IntegerOverflow;
// Only fp16 instructions report underflow, and a sum of fp16 values has none.
constexpr StatusBits FloatProductBits =
    FloatArithmeticBits | status::FloatUnderflow;
constexpr StatusBits ProductBits = ArithmeticBits | status::FloatUnderflow;

/// The kernel of \p row.
Expected<std::unique_ptr<Kernel>>
createElementwise(const ElementwiseRow &row, const NodeSpec &spec,
                  const NumericConfig &config);

/// Registers the operators of \p Rows, an array of ElementwiseRow.
template <const auto &Rows>
void addElementwiseRows(Registry &registry) {
  for (const ElementwiseRow &row : Rows)
    registry.add(std::string(row.type),
                 {[](const NodeSpec &spec, const NumericConfig &config) {
                    return createElementwise(
                        *std::find_if(std::begin(Rows), std::end(Rows),
                                      [&](const ElementwiseRow &r) {
                                        return r.type == spec.type;
                                      }),
                        spec, config);
                  },
                  row.numericPath, row.bits});
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_ELEMENTWISEROW_H
