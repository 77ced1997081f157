//===- SessionControl.cpp - What of a graph runs --------------------------===//

#include "npu/Execution/Session.h"

#include "ScalarValue.h"

#include <cstring>

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

Expected<SmallVector<Buffer>>
Session::runBranch(const PlannedBranch &branch, llvm::ArrayRef<Buffer> values,
                   uint64_t iteration,
                   llvm::ArrayRef<ExecutionObserver *> observers) {
  for (auto [input, slot] : branch.arguments)
    slots[slot] = values[input];
  // What is returned stays until then, whoever reads it last.
  for (unsigned slot : branch.results)
    ++heldSlots[slot];
  Status status = runNodes(branch.begin, branch.end, iteration, observers);
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

/// Whether the first element of \p buffer, of type \p desc, is not zero.
static bool isTrue(const TensorDesc &desc, const Buffer &buffer) {
  if (desc.numElements() == 0)
    return false;
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

/// The branch of a Case: that of the number, or the last one.
static Expected<size_t> chooseCase(const PlannedNode &node,
                                   const Buffer &buffer) {
  if (node.inputs[0]->dtype != DataType::Int32 ||
      node.inputs[0]->numElements() == 0)
    return Status::error(ErrorKind::Incomplete,
                         node.describe() + ": expected an int32 that says "
                                           "which branch");
  int32_t index;
  std::memcpy(&index, buffer.get(), sizeof(index));
  const size_t last = node.branches.size() - 1;
  return index < 0 ? last : std::min(static_cast<size_t>(index), last);
}

Status Session::runControl(PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                           uint64_t iteration,
                           llvm::ArrayRef<ExecutionObserver *> observers,
                           SmallVectorImpl<Buffer> &outputs) {
  auto run = [&](const PlannedBranch &branch, llvm::ArrayRef<Buffer> values) {
    return runBranch(branch, values, iteration, observers);
  };
  const StringRef type = node.op.getOpType();
  if (type.contains("While")) {
    const PlannedBranch &condition = node.branches[0];
    outputs.assign(inputs.begin(), inputs.end());
    while (true) {
      Expected<SmallVector<Buffer>> goesOn = run(condition, outputs);
      if (!goesOn)
        return goesOn.takeStatus();
      if (!isTrue(condition.resultDescs[0], (*goesOn)[0]))
        break;
      Expected<SmallVector<Buffer>> next = run(node.branches[1], outputs);
      if (!next)
        return next.takeStatus();
      outputs.assign(next->begin(), next->end());
    }
  } else {
    size_t branch = 0;
    if (type.contains("Case")) {
      Expected<size_t> chosen = chooseCase(node, inputs[0]);
      if (!chosen)
        return chosen.takeStatus();
      branch = *chosen;
    } else {
      branch = isTrue(*node.inputs[0], inputs[0]) ? 0 : 1;
    }
    Expected<SmallVector<Buffer>> results = run(node.branches[branch], inputs);
    if (!results)
      return results.takeStatus();
    outputs.assign(results->begin(), results->end());
  }
  for (auto [slot, output] : llvm::zip_equal(node.outputSlots, outputs))
    slots[slot] = output;
  return {};
}
