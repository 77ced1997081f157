//===- SecondMoments.cpp - Tensors without negative numbers ---------------===//

#include "SecondMoments.h"

#include "npu/Dialect/GE/IR/GE.h"

using namespace mlir;
using namespace npu;
using ge::NodeOp;

namespace {
struct OperandRow {
  llvm::StringLiteral type;
  unsigned input;
};
} // namespace

static constexpr OperandRow rows[] = {
    {"AdamApplyOne", 1},
    {"AdamApplyOneAssign", 1},
    {"AdamApplyOneWithDecay", 1},
    {"AdamApplyOneWithDecayAssign", 1},
    {"ApplyAdagradD", 1},
    {"ApplyAdam", 2},
    {"ApplyAdamD", 2},
    {"ApplyAdamW", 2},
    {"ApplyAdamWithAmsgradD", 2},
    {"ApplyAdamWithAmsgradD", 3},
    {"ApplyRMSPropD", 1},
    {"BNInfer", 4},
    {"BNTrainingUpdate", 6},
    {"BatchNorm", 4},
    {"LambApplyOptimizerAssign", 1},
};

bool npu::isSecondMoment(Value value) {
  return llvm::any_of(value.getUses(), [](OpOperand &use) {
    auto node = dyn_cast<NodeOp>(use.getOwner());
    if (!node)
      return false;
    const StringRef type = node.getOpType();
    if (type == "Cast" || type == "TransData")
      return isSecondMoment(node->getResult(0));
    // Control operands come last, and absent inputs have anchors of their own.
    return llvm::any_of(rows, [&](const OperandRow &row) {
      return row.type == type && node.getAnchor(row.input) == use.get();
    });
  });
}
