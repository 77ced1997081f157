//===- InsertOverflowCheck.cpp - Ask for records of overflows -------------===//

#include "Subject.h"

#include "npu/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace npu;
using instr::OverflowCheckOp;
using instr::OverflowUnits;

namespace npu {
#define GEN_PASS_DEF_INSERTOVERFLOWCHECK
#include "npu/Transforms/Passes.h.inc"
} // namespace npu

namespace {
struct InsertOverflowCheck
    : npu::impl::InsertOverflowCheckBase<InsertOverflowCheck> {
  using InsertOverflowCheckBase::InsertOverflowCheckBase;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  SmallVector<Subject> select();
  bool insert(const Subject &subject);

  /// Shared by the copies of the pass that run at the same time.
  std::shared_ptr<const Selector> selector;
};
} // namespace

LogicalResult InsertOverflowCheck::initialize(MLIRContext *context) {
  auto parsed = parseLayer(*this, layer, context);
  if (failed(parsed))
    return failure();
  for (const Selector::Pattern &pattern : (*parsed)->getPatterns())
    if (!pattern.operands.empty())
      return emitError(UnknownLoc::get(context))
             << getArgument() << ": invalid selection '" << pattern.text
             << "': expected a whole operation, an overflow is not one of an "
                "operand";
  selector = std::move(*parsed);
  return success();
}

/// Whether an NPU, which checks what it dumps, has anything to compute here.
static bool isCheckedByDefault(const Subject &subject) {
  return subject.isDumpedByDefault && !subject.operands.empty() &&
         !subject.results.empty();
}

/// The operations to check. One without a token cannot be: nothing would tell
/// which operation the check is of.
SmallVector<Subject> InsertOverflowCheck::select() {
  SmallVector<Subject> subjects;
  PatternUses uses(*selector);
  unsigned numUnnamed = 0;
  walkSubjects(getOperation(), /*members=*/false, [&](Operation *op) {
    Subject subject(op);
    SmallVector<unsigned> patterns = uses.match(subject);
    const bool isSelected = selector->getPatterns().empty()
                                ? isCheckedByDefault(subject)
                                : !patterns.empty();
    if (!isSelected || !subject.token)
      return;
    for (unsigned pattern : patterns)
      uses.setFound(pattern);
    if (subject.name.empty())
      ++numUnnamed;
    else
      subjects.push_back(std::move(subject));
  });

  Location loc = getOperation()->getLoc();
  uses.diagnose(loc, "a result, which stands for its execution");
  warnUnnamed(loc, "checked", numUnnamed);
  SmallVector<StringRef> beyondDevice;
  for (const Subject &subject : subjects)
    if (!subject.isDumpedByDefault)
      beyondDevice.push_back(subject.name);
  remarkBeyondDevice(loc, "checks", beyondDevice);
  return subjects;
}

/// Inserts a check of the units that are not checked yet; returns whether there
/// are any.
bool InsertOverflowCheck::insert(const Subject &subject) {
  OpBuilder builder(&getContext());
  StringAttr stepAttr =
      step.empty() ? StringAttr() : builder.getStringAttr(step);
  SmallVector<OverflowCheckOp> checks =
      getInstrumentation<OverflowCheckOp>(subject.token);
  // The values of OverflowUnits are sets of bits.
  auto missing = static_cast<uint32_t>(mode.getValue());
  for (OverflowCheckOp check : checks)
    // A check in every iteration is one in some.
    if (!check.getStepAttr() || check.getStepAttr() == stepAttr)
      missing &= ~static_cast<uint32_t>(check.getUnits());
  std::optional<OverflowUnits> units = instr::symbolizeOverflowUnits(missing);
  if (!units)
    return false;
  builder.setInsertionPointAfter(getLast(subject.op, checks));
  OverflowCheckOp::create(builder, subject.op->getLoc(), subject.name,
                          subject.token, *units, stepAttr);
  return true;
}

void InsertOverflowCheck::runOnOperation() {
  SmallVector<Subject> subjects = select();
  unsigned numChecks = 0;
  for (const Subject &subject : subjects)
    numChecks += insert(subject);
  if (numChecks == 0)
    markAllAnalysesPreserved();
  if (report)
    emitRemark(getOperation()->getLoc())
        << "inserted " << numChecks << " overflow check(s) for "
        << subjects.size() << " selected operation(s)";
}
