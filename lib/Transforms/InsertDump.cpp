//===- InsertDump.cpp - Ask for dumps of operations -----------------------===//

#include "Subject.h"

#include "npu/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace npu;
using instr::DumpOp;
using instr::IndexedValue;
using instr::InstrumentableOpInterface;
using instr::OverflowCheckOp;

namespace npu {
#define GEN_PASS_DEF_INSERTDUMP
#include "npu/Transforms/Passes.h.inc"
} // namespace npu

namespace {
/// An operation and what of it is dumped.
struct DumpSubject : Subject {
  explicit DumpSubject(Operation *op)
      : Subject(op), dumpedOperands(operands.size()),
        dumpedResults(results.size()) {}

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
      : selector(selector), mode(mode), uses(selector) {}

  /// Selects what the patterns say of \p op.
  void visit(Operation *op);
  /// Selects the inputs of graphs that go into what was selected.
  void addGraphInputs();
  /// Reports what is not as the patterns may have meant it.
  void diagnose(Location loc) const;

  /// The operations of which something is dumped.
  auto getSubjects() const { return llvm::make_second_range(subjects); }

private:
  bool selectWhole(DumpSubject &subject) const;
  void apply(unsigned pattern, DumpSubject &subject);

  const Selector &selector;
  DumpMode mode;
  PatternUses uses;
  llvm::MapVector<Operation *, DumpSubject> subjects;
  unsigned numUnnamed = 0;
};

struct InsertDump : npu::impl::InsertDumpBase<InsertDump> {
  using InsertDumpBase::InsertDumpBase;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  bool insert(const DumpSubject &subject);

  /// Shared by the copies of the pass that run at the same time.
  std::shared_ptr<const Selector> selector;
};
} // namespace

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Selects the sides of \p subject that the mode asks for; false if there is
/// nothing on them.
bool Selection::selectWhole(DumpSubject &subject) const {
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

void Selection::apply(unsigned pattern, DumpSubject &subject) {
  ArrayRef<Selector::Operand> operands =
      selector.getPatterns()[pattern].operands;
  if (operands.empty() && selectWhole(subject))
    uses.setFound(pattern);
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
    uses.setFound(pattern, position);
  }
}

void Selection::visit(Operation *op) {
  DumpSubject subject(op);
  if (selector.getPatterns().empty()) {
    if (subject.isDumpedByDefault)
      selectWhole(subject);
  } else {
    for (unsigned pattern : uses.match(subject))
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
  for (const DumpSubject &subject : getSubjects())
    if (subject.takesGraphInputs)
      for (const IndexedValue &operand : subject.operands)
        if (auto input =
                operand.value.getDefiningOp<InstrumentableOpInterface>();
            input && input.isDumpedWithConsumers())
          inputs.push_back(input);
  for (Operation *op : inputs) {
    DumpSubject &input = subjects.try_emplace(op, op).first->second;
    input.dumpedResults.set();
    input.isTaken = true;
  }
}

void Selection::diagnose(Location loc) const {
  uses.diagnose(loc, mode == DumpMode::Input    ? "inputs to dump"
                     : mode == DumpMode::Output ? "outputs to dump"
                                                : "inputs or outputs to dump");
  warnUnnamed(loc, "dumped", numUnnamed);
  SmallVector<StringRef> beyondDevice;
  for (const DumpSubject &subject : getSubjects())
    if (!subject.isDumpedByDefault && !subject.isTaken)
      beyondDevice.push_back(subject.name);
  remarkBeyondDevice(loc, "dumps", beyondDevice);
}

//===----------------------------------------------------------------------===//
// InsertDump
//===----------------------------------------------------------------------===//

LogicalResult InsertDump::initialize(MLIRContext *context) {
  auto parsed = parseLayer(*this, layer, context);
  if (failed(parsed))
    return failure();
  selector = std::move(*parsed);
  return success();
}

/// The dumps of an operation that are there already. Without a token they are
/// recognised by their place.
static SmallVector<DumpOp> getDumps(const DumpSubject &subject) {
  if (subject.token)
    return getInstrumentation<DumpOp>(subject.token);
  SmallVector<DumpOp> dumps;
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
bool InsertDump::insert(const DumpSubject &subject) {
  OpBuilder builder(&getContext());
  StringAttr stepAttr =
      step.empty() ? StringAttr() : builder.getStringAttr(step);
  llvm::SmallBitVector dumpedOperands = subject.dumpedOperands;
  llvm::SmallBitVector dumpedResults = subject.dumpedResults;
  SmallVector<DumpOp> dumps = getDumps(subject);
  for (DumpOp dump : dumps) {
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
  // Behind the overflow checks, so that passes may run in any order.
  Operation *last = getLast(subject.op, dumps);
  if (subject.token)
    last = getLast(last, getInstrumentation<OverflowCheckOp>(subject.token));
  builder.setInsertionPointAfter(last);
  DumpOp::create(builder, subject.op->getLoc(),
                 builder.getStringAttr(subject.name), subject.token, inputs,
                 outputs, builder.getDenseI64ArrayAttr(inputIndices),
                 builder.getDenseI64ArrayAttr(outputIndices), stepAttr, data);
  return true;
}

void InsertDump::runOnOperation() {
  Operation *root = getOperation();
  Selection selection(*selector, mode);
  walkSubjects(root, members, [&](Operation *op) { selection.visit(op); });
  selection.addGraphInputs();
  selection.diagnose(root->getLoc());

  unsigned numDumps = 0;
  for (const DumpSubject &subject : selection.getSubjects())
    numDumps += insert(subject);
  if (numDumps == 0)
    markAllAnalysesPreserved();
  if (report)
    emitRemark(root->getLoc()) << "inserted " << numDumps << " dump(s) for "
                               << llvm::range_size(selection.getSubjects())
                               << " selected operation(s)";
}
