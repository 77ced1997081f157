//===- InsertDump.cpp - Ask for dumps of operations -----------------------===//

#include "npu/Dialect/Instr/IR/InstrumentableOpInterface.h"
#include "npu/Transforms/Passes.h"
#include "npu/Transforms/Selector.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace npu;
using instr::DumpOp;
using instr::IndexedValue;
using instr::InstrumentableOpInterface;

namespace npu {
#define GEN_PASS_DEF_INSERTDUMP
#include "npu/Transforms/Passes.h.inc"
} // namespace npu

namespace {
/// An operation as the pass sees it, through its interface or the defaults,
/// and what of it is dumped.
struct Subject {
  explicit Subject(Operation *op);

  Operation *op;
  std::string name;
  SmallVector<std::string, 1> aliases;
  std::string type;
  bool isDumpedByDefault = true;
  SmallVector<IndexedValue, 2> operands;
  SmallVector<IndexedValue, 2> results;
  Value token;

  /// Whether each of `operands` and `results` is dumped.
  llvm::SmallBitVector dumpedOperands;
  llvm::SmallBitVector dumpedResults;
  /// Whether graph inputs that the operation takes are dumped with it.
  bool takesGraphInputs = false;
  /// Whether the operation is a graph input that is dumped with another one.
  bool isTaken = false;
};

/// What the operations inside of another one are to dump.
class Selection {
public:
  Selection(const Selector &selector, DumpMode mode)
      : selector(selector), mode(mode), uses(selector.getPatterns().size()) {
    for (auto [use, pattern] : llvm::zip_equal(uses, selector.getPatterns()))
      use.found.resize(std::max<size_t>(pattern.operands.size(), 1));
  }

  /// Selects what the patterns say of \p op.
  void visit(Operation *op);
  /// Selects the inputs of graphs that go into what was selected.
  void addGraphInputs();
  /// Reports what is not as the patterns may have meant it.
  void diagnose(Location loc) const;

  /// The operations of which something is dumped.
  auto getSubjects() const { return llvm::make_second_range(subjects); }

private:
  /// What came of a pattern: whether it selected an operation, and whether that
  /// had each of the operands asked for (or, without, anything to dump).
  struct Use {
    bool matched = false;
    llvm::SmallBitVector found;
  };

  bool selectWhole(Subject &subject) const;
  void apply(unsigned pattern, Subject &subject);
  void diagnosePatterns(Location loc) const;

  const Selector &selector;
  DumpMode mode;
  SmallVector<Use> uses;
  llvm::MapVector<Operation *, Subject> subjects;
  unsigned numUnnamed = 0;
};

struct InsertDump : npu::impl::InsertDumpBase<InsertDump> {
  using InsertDumpBase::InsertDumpBase;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  bool insert(const Subject &subject);

  /// Shared by the copies of the pass that run at the same time.
  std::shared_ptr<const Selector> selector;
};
} // namespace

//===----------------------------------------------------------------------===//
// Subject
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
  dumpedOperands.resize(operands.size());
  dumpedResults.resize(results.size());
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Selects the sides of \p subject that the mode asks for; false if there is
/// nothing on them.
bool Selection::selectWhole(Subject &subject) const {
  bool selectsAny = false;
  if (mode != DumpMode::Output) {
    subject.dumpedOperands.set();
    selectsAny |= !subject.operands.empty();
  }
  if (mode != DumpMode::Input) {
    subject.dumpedResults.set();
    subject.takesGraphInputs = true;
    selectsAny |= !subject.results.empty();
  }
  return selectsAny;
}

void Selection::apply(unsigned pattern, Subject &subject) {
  Use &use = uses[pattern];
  use.matched = true;
  ArrayRef<Selector::Operand> operands =
      selector.getPatterns()[pattern].operands;
  if (operands.empty() && selectWhole(subject))
    use.found.set(0);
  for (auto [position, operand] : llvm::enumerate(operands)) {
    ArrayRef<IndexedValue> values =
        operand.isInput ? subject.operands : subject.results;
    const auto *it = llvm::find_if(values, [&](const IndexedValue &value) {
      return value.index == operand.index;
    });
    if (it == values.end())
      continue;
    (operand.isInput ? subject.dumpedOperands : subject.dumpedResults)
        .set(it - values.begin());
    use.found.set(position);
  }
}

void Selection::visit(Operation *op) {
  Subject subject(op);
  if (selector.getPatterns().empty()) {
    if (subject.isDumpedByDefault)
      selectWhole(subject);
  } else {
    for (unsigned pattern :
         selector.match(subject.name, subject.aliases, subject.type))
      apply(pattern, subject);
  }
  if (subject.dumpedOperands.none() && subject.dumpedResults.none())
    return;
  if (subject.name.empty())
    ++numUnnamed;
  else
    subjects.insert({op, std::move(subject)});
}

void Selection::addGraphInputs() {
  SmallVector<Operation *> inputs;
  for (const Subject &subject : getSubjects())
    if (subject.takesGraphInputs)
      for (const IndexedValue &operand : subject.operands)
        if (auto input =
                operand.value.getDefiningOp<InstrumentableOpInterface>();
            input && input.isDumpedWithConsumers())
          inputs.push_back(input);
  for (Operation *op : inputs) {
    Subject &input = subjects.try_emplace(op, op).first->second;
    input.dumpedResults.set();
    input.isTaken = true;
  }
}

void Selection::diagnosePatterns(Location loc) const {
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
        diag << (mode == DumpMode::Input    ? "inputs"
                 : mode == DumpMode::Output ? "outputs"
                                            : "inputs or outputs")
             << " to dump";
      else
        diag << (pattern.operands[missing].isInput ? "input " : "output ")
             << pattern.operands[missing].index;
    }
  }
}

void Selection::diagnose(Location loc) const {
  diagnosePatterns(loc);
  if (numUnnamed != 0)
    emitWarning(loc) << "not dumped: " << numUnnamed
                     << " operation(s) without a name, which is that of a "
                        "location, loc(\"name\")";
  SmallVector<StringRef> beyondDevice;
  for (const Subject &subject : getSubjects())
    if (!subject.isDumpedByDefault && !subject.isTaken)
      beyondDevice.push_back(subject.name);
  if (beyondDevice.empty())
    return;
  constexpr size_t maxNames = 8;
  InFlightDiagnostic diag = emitRemark(loc) << "dumps what an NPU would not: ";
  llvm::interleaveComma(ArrayRef(beyondDevice).take_front(maxNames), diag,
                        [&](StringRef name) { diag << "'" << name << "'"; });
  if (beyondDevice.size() > maxNames)
    diag << " and " << beyondDevice.size() - maxNames << " more";
}

//===----------------------------------------------------------------------===//
// InsertDump
//===----------------------------------------------------------------------===//

LogicalResult InsertDump::initialize(MLIRContext *context) {
  llvm::Expected<Selector> parsed = Selector::parse(layer);
  if (!parsed)
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": " << llvm::toString(parsed.takeError());
  selector = std::make_shared<const Selector>(std::move(*parsed));
  return success();
}

/// The dumps of an operation that are there already. Without a token they are
/// recognised by their place.
static SmallVector<DumpOp> getDumps(const Subject &subject) {
  SmallVector<DumpOp> dumps;
  if (subject.token) {
    for (Operation *user : subject.token.getUsers())
      if (auto dump = dyn_cast<DumpOp>(user);
          dump && dump.getToken() == subject.token)
        dumps.push_back(dump);
    return dumps;
  }
  for (auto dump = dyn_cast_or_null<DumpOp>(subject.op->getNextNode());
       dump && !dump.getToken() && dump.getSubject() == subject.name;
       dump = dyn_cast_or_null<DumpOp>(dump->getNextNode()))
    dumps.push_back(dump);
  return dumps;
}

/// Adds those of \p values to \p indices and \p operands that are \p dumped.
static void gather(ArrayRef<IndexedValue> values,
                   const llvm::SmallBitVector &dumped,
                   SmallVectorImpl<int64_t> &indices,
                   SmallVectorImpl<Value> &operands) {
  for (unsigned position : dumped.set_bits()) {
    indices.push_back(values[position].index);
    operands.push_back(values[position].value);
  }
}

/// Takes what has one of \p indices out of \p dumped.
static void remove(ArrayRef<IndexedValue> values, ArrayRef<int64_t> indices,
                   llvm::SmallBitVector &dumped) {
  for (auto [position, value] : llvm::enumerate(values))
    if (llvm::is_contained(indices, value.index))
      dumped.reset(position);
}

/// Inserts what is selected of \p subject and not dumped yet; returns whether
/// that is anything.
bool InsertDump::insert(const Subject &subject) {
  OpBuilder builder(&getContext());
  StringAttr stepAttr =
      step.empty() ? StringAttr() : builder.getStringAttr(step);
  llvm::SmallBitVector dumpedOperands = subject.dumpedOperands;
  llvm::SmallBitVector dumpedResults = subject.dumpedResults;
  Operation *last = subject.op;
  for (DumpOp dump : getDumps(subject)) {
    if (dump->getBlock() == last->getBlock() && last->isBeforeInBlock(dump))
      last = dump;
    // A dump of every iteration has those of some.
    if (dump.getData() != data ||
        (dump.getStepAttr() && dump.getStepAttr() != stepAttr))
      continue;
    remove(subject.operands, dump.getInputIndices(), dumpedOperands);
    remove(subject.results, dump.getOutputIndices(), dumpedResults);
  }
  if (dumpedOperands.none() && dumpedResults.none())
    return false;

  SmallVector<int64_t> inputIndices, outputIndices;
  SmallVector<Value> inputs, outputs;
  gather(subject.operands, dumpedOperands, inputIndices, inputs);
  gather(subject.results, dumpedResults, outputIndices, outputs);
  builder.setInsertionPointAfter(last);
  DumpOp::create(builder, subject.op->getLoc(),
                 builder.getStringAttr(subject.name), subject.token, inputs,
                 outputs, builder.getDenseI64ArrayAttr(inputIndices),
                 builder.getDenseI64ArrayAttr(outputIndices), stepAttr, data);
  return true;
}

/// Whether an operation may stand behind \p op.
static bool canBeFollowed(Operation *op) {
  return op != &op->getBlock()->back() ||
         !op->mightHaveTrait<OpTrait::IsTerminator>();
}

void InsertDump::runOnOperation() {
  Operation *root = getOperation();
  Selection selection(*selector, mode);
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == root)
      return WalkResult::advance();
    if (!isa_and_nonnull<instr::InstrDialect>(op->getDialect()) &&
        canBeFollowed(op))
      selection.visit(op);
    return members || !isa<InstrumentableOpInterface>(op)
               ? WalkResult::advance()
               : WalkResult::skip();
  });
  selection.addGraphInputs();
  selection.diagnose(root->getLoc());

  unsigned numDumps = 0;
  for (const Subject &subject : selection.getSubjects())
    numDumps += insert(subject);
  if (numDumps == 0)
    markAllAnalysesPreserved();
  if (report)
    emitRemark(root->getLoc()) << "inserted " << numDumps << " dump(s) for "
                               << llvm::range_size(selection.getSubjects())
                               << " selected operation(s)";
}
