//===- InPlaceUpdates.cpp - Operators that change their inputs ------------===//

#include "InPlaceUpdates.h"

using namespace npu;

namespace {
constexpr unsigned MaxUpdates = 4;
constexpr unsigned Hidden = InPlaceUpdate::Hidden;

struct UpdateRow {
  llvm::StringLiteral type;
  unsigned count;
  InPlaceUpdate updates[MaxUpdates]; ///< {input, output}
};
} // namespace

// An output with the name of an input is that input (the operators' public
// signatures). Operators without suffix D show their variable alone and change
// its slots all the same.
static constexpr UpdateRow rows[] = {
    {"AdamApplyOneAssign", 3, {{1, 0}, {2, 1}, {3, 2}}},
    {"AdamApplyOneWithDecayAssign", 3, {{1, 0}, {2, 1}, {3, 2}}},
    {"ApplyAdagradD", 2, {{0, 0}, {1, 1}}},
    {"ApplyAdam", 3, {{0, 0}, {1, Hidden}, {2, Hidden}}},
    {"ApplyAdamD", 3, {{0, 0}, {1, 1}, {2, 2}}},
    {"ApplyAdamW", 3, {{0, 0}, {1, 1}, {2, 2}}},
    {"ApplyAdamWithAmsgradD", 4, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}},
    {"ApplyGradientDescent", 1, {{0, 0}}},
    {"ApplyMomentum", 2, {{0, 0}, {1, Hidden}}},
    {"ApplyMomentumD", 2, {{0, 0}, {1, 1}}},
    {"ApplyRMSPropD", 3, {{0, 0}, {1, 1}, {2, 2}}},
    {"Assign", 1, {{0, 0}}},
    {"AssignAdd", 1, {{0, 0}}},
    {"AssignSub", 1, {{0, 0}}},
    {"BNTrainingUpdate", 2, {{5, 1}, {6, 2}}},
    {"FusedMulApplyMomentum", 2, {{0, 0}, {1, 1}}},
    {"FusedMulApplyMomentumExtern", 3, {{0, 0}, {1, 2}, {6, 1}}},
    {"LambApplyOptimizerAssign", 2, {{1, 1}, {2, 2}}},
    {"LambApplyWeightAssign", 1, {{4, 0}}},
    {"SGD", 3, {{0, 0}, {3, Hidden}, {5, Hidden}}},
};

llvm::ArrayRef<InPlaceUpdate> npu::getInPlaceUpdates(llvm::StringRef type) {
  const UpdateRow *row = llvm::find_if(
      rows, [&](const UpdateRow &row) { return row.type == type; });
  if (row == std::end(rows))
    return {};
  return llvm::ArrayRef(row->updates).take_front(row->count);
}
