//===- Subject.cpp - Operations as instrumentation sees them --------------===//

#include "Subject.h"

#include "npu/Dialect/Instr/IR/Instr.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace npu;
using instr::InstrumentableOpInterface;

//===----------------------------------------------------------------------===//
// Subjects
//===----------------------------------------------------------------------===//

Subject::Subject(Operation *op) : op(op) {
  if (auto instrumentable = dyn_cast<InstrumentableOpInterface>(op)) {
    name = instrumentable.getInstrumentationName();
    aliases = instrumentable.getInstrumentationAliases();
    type = instrumentable.getInstrumentationType();
    isDumpedByDefault = instrumentable.isDumpedByDefault();
    operands = instrumentable.getDumpableOperands();
    results = instrumentable.getDumpableResults();
    token = instrumentable.getExecutionToken();
  } else {
    name = instr::detail::getDefaultName(op);
    type = op->getName().getStringRef().str();
    operands = instr::detail::getDefaultOperands(op);
    results = instr::detail::getDefaultResults(op);
    if (op->getNumResults() != 0)
      token = op->getResult(0);
  }
}

/// Whether an operation may stand behind \p op.
static bool canBeFollowed(Operation *op) {
  return op != &op->getBlock()->back() ||
         !op->mightHaveTrait<OpTrait::IsTerminator>();
}

void npu::walkSubjects(Operation *root, bool members,
                       llvm::function_ref<void(Operation *)> visit) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root)
      return WalkResult::advance();
    if (!isa_and_nonnull<instr::InstrDialect>(op->getDialect()) &&
        canBeFollowed(op))
      visit(op);
    return members || !isa<InstrumentableOpInterface>(op)
               ? WalkResult::advance()
               : WalkResult::skip();
  });
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

FailureOr<std::shared_ptr<const Selector>>
npu::parseLayer(const Pass &pass, StringRef layer, MLIRContext *context) {
  llvm::Expected<Selector> parsed = Selector::parse(layer);
  if (!parsed)
    return emitError(UnknownLoc::get(context))
           << pass.getArgument() << ": " << llvm::toString(parsed.takeError());
  return std::make_shared<const Selector>(std::move(*parsed));
}

PatternUses::PatternUses(const Selector &selector)
    : selector(selector), uses(selector.getPatterns().size()) {
  for (auto [use, pattern] : llvm::zip_equal(uses, selector.getPatterns()))
    use.found.resize(std::max<size_t>(pattern.operands.size(), 1));
}

SmallVector<unsigned> PatternUses::match(const Subject &subject) {
  SmallVector<unsigned> patterns =
      selector.match(subject.name, subject.aliases, subject.type);
  for (unsigned pattern : patterns)
    uses[pattern].matched = true;
  return patterns;
}

void PatternUses::diagnose(Location loc, StringRef whole) const {
  for (auto [use, pattern] : llvm::zip_equal(uses, selector.getPatterns())) {
    if (!use.matched) {
      emitWarning(loc) << "'" << pattern.text << "' selects no operation";
      continue;
    }
    for (unsigned missing : llvm::seq<unsigned>(0, use.found.size())) {
      if (use.found.test(missing))
        continue;
      InFlightDiagnostic diag = emitWarning(loc)
                                << "'" << pattern.text
                                << "' selects no operation with ";
      if (pattern.operands.empty())
        diag << whole;
      else
        diag << (pattern.operands[missing].isInput ? "input " : "output ")
             << pattern.operands[missing].index;
    }
  }
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

void npu::remarkBeyondDevice(Location loc, StringRef does,
                             ArrayRef<StringRef> names) {
  if (names.empty())
    return;
  constexpr size_t maxNames = 8;
  InFlightDiagnostic diag = emitRemark(loc)
                            << does << " what an NPU would not: ";
  llvm::interleaveComma(names.take_front(maxNames), diag,
                        [&](StringRef name) { diag << "'" << name << "'"; });
  if (names.size() > maxNames)
    diag << " and " << names.size() - maxNames << " more";
}

void npu::warnUnnamed(Location loc, StringRef done, unsigned count) {
  if (count != 0)
    emitWarning(loc) << "not " << done << ": " << count
                     << " operation(s) without a name, which is that of a "
                        "location, loc(\"name\")";
}
