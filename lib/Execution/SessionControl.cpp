//===- SessionControl.cpp - What of a graph runs --------------------------===//

#include "npu/Execution/Session.h"

#include "ScalarValue.h"

#include <cstring>
#include <utility>

using namespace mlir;
using namespace npu;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

template <typename T>
static bool compare(int64_t condition, T a, T b) {
  switch (condition) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a > b;
  case 3:
    return a >= b;
  case 4:
    return a < b;
  default:
    return a <= b;
  }
}

/// Starts the streams of \p node. A StreamSwitch whose condition holds ends its
/// own stream.
void Session::runStreams(const PlannedNode &node,
                         llvm::ArrayRef<Buffer> inputs) {
  if (node.op.getOpType() == "StreamSwitch") {
    const int64_t condition =
        cast<IntegerAttr>(node.op.getNodeAttr("switch_condition")).getInt();
    const bool holds = visitScalars(
        node.inputs[0]->dtype,
        [&](auto a, auto b) { return compare(condition, a, b); },
        inputs[0].get(), inputs[1].get());
    if (!holds)
      return;
    streams.end(static_cast<int64_t>(node.op.getStreamId()));
  }
  const auto place = static_cast<unsigned>(&node - graphPlan->nodes.data());
  for (int64_t stream : node.startedStreams)
    streams.start(stream, place, graphPlan->streams);
}

//===----------------------------------------------------------------------===//
// Switches and merges
//===----------------------------------------------------------------------===//

bool Session::isDead(const PlannedNode &node) const {
  if (deadValues.empty() || node.kind == PlannedNode::Kind::Output)
    return false;
  auto isDeadValue = [&](Value value) { return deadValues.contains(value); };
  ge::NodeOp op = node.op;
  if (node.kind != PlannedNode::Kind::Merge)
    return llvm::any_of(op->getOperands(), isDeadValue);
  return llvm::all_of(op.getInputs(), isDeadValue) ||
         llvm::any_of(op.getControls(), isDeadValue);
}

void Session::setDead(Value value, bool isDead) {
  if (isDead)
    deadValues.insert(value);
  else
    deadValues.erase(value);
}

void Session::runSwitch(const PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                        SmallVectorImpl<Buffer> &outputs) {
  const bool choice = visitScalars(
      node.inputs[1]->dtype, [](auto value) { return value != 0; },
      inputs[1].get());
  ge::NodeOp op = node.op;
  for (unsigned output : {0u, 1u}) {
    const bool isTaken = output == (choice ? 1u : 0u);
    setDead(op.getOutputs()[output], !isTaken);
    outputs.push_back(isTaken ? inputs[0] : Buffer());
    if (isTaken)
      slots[node.outputSlots[output]] = inputs[0];
  }
}

Status Session::runMerge(PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                         SmallVectorImpl<Buffer> &outputs) {
  const auto *arrived = llvm::find_if(
      inputs, [](const Buffer &input) { return input != nullptr; });
  if (arrived == inputs.end())
    return Status::error(ErrorKind::Incomplete,
                         node.describe() +
                             ": no input was computed; expected one");
  outputs.push_back(*arrived);
  if (node.outputs.size() == 2) {
    Buffer number = pool.acquire(sizeof(int32_t));
    if (!number)
      return Status::error(ErrorKind::Incomplete,
                           node.describe() + ": no memory");
    const auto index = static_cast<int32_t>(arrived - inputs.begin());
    std::memcpy(number.get(), &index, sizeof(index));
    outputs.push_back(std::move(number));
  }
  for (auto [slot, buffer] : llvm::zip_equal(node.outputSlots, outputs))
    slots[slot] = buffer;
  return {};
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

Expected<SmallVector<Buffer>> Session::runBranch(const ControlRun &run,
                                                 const PlannedBranch &branch) {
  for (const PlannedBranch::Argument &argument : branch.arguments)
    slots[argument.slot] = argument.isShared
                               ? slots[run.node.inputSlots[argument.input]]
                               : run.values[argument.input];
  // What is returned stays until then, whoever reads it last.
  for (unsigned slot : branch.results)
    ++heldSlots[slot];
  Status status =
      runNodes(branch.begin, branch.end, run.iteration, run.observers);
  SmallVector<Buffer> results;
  for (unsigned slot : branch.results) {
    results.push_back(slots[slot]);
    --heldSlots[slot];
  }
  for (unsigned slot : branch.results)
    slots[slot] = nullptr;
  if (!status)
    return status;
  return results;
}

/// Whether \p buffer, of type \p desc, is true: a scalar if it is not zero, a
/// string if it is not empty, any other tensor if it has elements.
static bool isTrue(const TensorDesc &desc, const Buffer &buffer) {
  if (!desc.shape.empty())
    return desc.numElements() != 0;
  if (desc.dtype == DataType::String) {
    int64_t placeAndLength[2];
    std::memcpy(placeAndLength, buffer.get(), sizeof(placeAndLength));
    return placeAndLength[1] != 0;
  }
  const uint64_t size = getByteSize(desc.dtype, 1);
  const bool isFloat =
      desc.dtype == DataType::Float16 || desc.dtype == DataType::BFloat16 ||
      desc.dtype == DataType::Float || desc.dtype == DataType::Double;
  std::byte bits{};
  for (uint64_t i = 0; i != size; ++i) // little endian: the sign comes last
    bits |= isFloat && i + 1 == size ? buffer.get()[i] & std::byte(0x7f)
                                     : buffer.get()[i];
  return bits != std::byte();
}

static int32_t readInt32(const Buffer &buffer) {
  int32_t value;
  std::memcpy(&value, buffer.get(), sizeof(value));
  return value;
}

/// The branch of a Case: that of the number, or the last one.
static Expected<size_t> chooseCase(const PlannedNode &node,
                                   const Buffer &buffer) {
  if (node.inputs[0]->dtype != DataType::Int32 ||
      node.inputs[0]->numElements() == 0)
    return Status::error(ErrorKind::Incomplete,
                         node.describe() + ": expected an int32 that says "
                                           "which branch");
  const int32_t index = readInt32(buffer);
  const size_t last = node.branches.size() - 1;
  return index < 0 ? last : std::min(static_cast<size_t>(index), last);
}

Status Session::runChoice(ControlRun &run) {
  Expected<size_t> choice = isTrue(*run.node.inputs[0], run.values[0]) ? 0 : 1;
  if (run.node.role == catalog::Role::Case)
    choice = chooseCase(run.node, run.values[0]);
  if (!choice)
    return choice.takeStatus();
  run.branch = &run.node.branches[*choice];
  Expected<SmallVector<Buffer>> results = runBranch(run, *run.branch);
  if (!results)
    return results.takeStatus();
  run.values.assign(results->begin(), results->end());
  return {};
}

Status Session::runBody(ControlRun &run) {
  run.branch = &run.node.branches.back();
  Expected<SmallVector<Buffer>> results = runBranch(run, *run.branch);
  if (!results)
    return results.takeStatus();
  llvm::copy(*results, run.values.begin() + run.node.firstCarried());
  return {};
}

Status Session::runWhile(ControlRun &run) {
  const PlannedBranch &condition = run.node.branches[0];
  for (trip = 0;; ++trip) {
    Expected<SmallVector<Buffer>> goesOn = runBranch(run, condition);
    if (!goesOn)
      return goesOn.takeStatus();
    if (!isTrue(condition.resultDescs[0], (*goesOn)[0]))
      return {};
    if (Status status = runBody(run); !status)
      return status;
  }
}

/// As many trips as there are numbers from start to limit, whatever the sign of
/// delta.
Status Session::runFor(ControlRun &run) {
  const int64_t start = readInt32(run.values[0]),
                limit = readInt32(run.values[1]),
                delta = readInt32(run.values[2]);
  if (delta == 0 && start != limit)
    return Status::error(ErrorKind::Incomplete,
                         run.node.describe() + ": delta is 0, so that it never "
                                               "ends; expected another number");
  for (trip = 0;
       static_cast<int64_t>(trip) * std::abs(delta) < std::abs(limit - start);
       ++trip) {
    Buffer buffer = pool.acquire(sizeof(int32_t));
    if (!buffer)
      return Status::error(ErrorKind::Incomplete,
                           run.node.describe() + ": no memory");
    const auto index =
        static_cast<int32_t>(start + static_cast<int64_t>(trip) * delta);
    std::memcpy(buffer.get(), &index, sizeof(index));
    run.values[0] = std::move(buffer);
    if (Status status = runBody(run); !status)
      return status;
  }
  run.values.erase(run.values.begin(),
                   run.values.begin() + run.node.firstCarried());
  return {};
}

Status Session::runControl(ControlRun &run) {
  const uint64_t outerTrip = std::exchange(trip, 0);
  Status status = run.node.role == catalog::Role::While ? runWhile(run)
                  : run.node.role == catalog::Role::For ? runFor(run)
                                                        : runChoice(run);
  trip = outerTrip;
  return status;
}
