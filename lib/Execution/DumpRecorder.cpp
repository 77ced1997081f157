//===- DumpRecorder.cpp - Dump files of what instr.dump asks for ----------===//

#include "npu/Execution/DumpRecorder.h"

#include "npu/Dialect/Instr/IR/Instr.h"

using namespace mlir;
using namespace npu;
using ge::NodeOp;

/// The anchor of the \p index-th connected input: a device leaves unconnected
/// optional inputs out of its dumps, and later ones move up.
static unsigned getConnectedAnchor(const PlannedNode &node, int64_t index) {
  for (unsigned anchor = 0; anchor != node.inputSlots.size(); ++anchor)
    if (node.inputSlots[anchor] != PlannedNode::NoSlot && index-- == 0)
      return anchor;
  return node.inputSlots.size();
}

Expected<std::unique_ptr<DumpRecorder>>
DumpRecorder::create(ge::GraphOp graph, const Plan &plan, uint32_t modelId,
                     dump::DumpWriter &writer) {
  auto recorder = std::unique_ptr<DumpRecorder>(new DumpRecorder(writer));
  recorder->model = {graph.getGraphName().str(), modelId};
  llvm::DenseMap<Operation *, const PlannedNode *> nodes;
  for (const PlannedNode &node : plan.nodes)
    nodes[node.op] = &node;

  for (auto op : graph.getBody().getOps<instr::DumpOp>()) {
    Operation *subject =
        op.getToken() ? op.getToken().getDefiningOp() : nullptr;
    const PlannedNode *node = nodes.lookup(subject);
    if (!node)
      return Status::error("instr.dump of '" + op.getSubject().str() +
                           "' has no node of the graph as its subject");
    if (op.getData() != instr::DumpData::Tensor)
      return Status::error("instr.dump of " + node->describe() + ": data " +
                           stringifyDumpData(op.getData()).str() +
                           " is not supported; expected tensor");
    Request request;
    for (int64_t index : op.getInputIndices()) {
      unsigned anchor = getConnectedAnchor(*node, index);
      if (anchor == node->inputSlots.size())
        return Status::error("instr.dump wants input " + std::to_string(index) +
                             " of " + node->describe() +
                             ", which has fewer connected inputs");
      request.anchors.push_back(anchor);
    }
    for (int64_t index : op.getOutputIndices()) {
      if (index >= static_cast<int64_t>(node->outputs.size()))
        return Status::error("instr.dump wants output " +
                             std::to_string(index) + " of " + node->describe() +
                             ", which has fewer outputs");
      request.outputs.push_back(static_cast<unsigned>(index));
    }
    if (op.getStep()) {
      Expected<dump::DumpSteps> steps =
          dump::DumpSteps::parse(op.getStep()->str(), dump::StepSyntax::Option);
      if (!steps)
        return steps.takeStatus().withContext("instr.dump of " +
                                              node->describe());
      request.steps = std::move(*steps);
    }
    recorder->requests[subject].push_back(std::move(request));
  }

  // A Data node that is dumped goes with the readers that are dumped, or with
  // its first reader where none is.
  for (auto &[subject, requests] : recorder->requests) {
    const PlannedNode *node = nodes.lookup(subject);
    if (node->kind != PlannedNode::Kind::Source || node->taskId != 0)
      continue;
    std::vector<const PlannedNode *> dumped;
    for (unsigned reader : node->readers)
      if (recorder->requests.contains(plan.nodes[reader].op.getOperation()))
        dumped.push_back(&plan.nodes[reader]);
    if (dumped.empty() && !node->readers.empty())
      dumped.push_back(&plan.nodes[node->readers.front()]);
    recorder->readers[subject] = std::move(dumped);
  }
  return recorder;
}

Status DumpRecorder::enqueue(const NodeRun &run, ArrayRef<unsigned> anchors,
                             ArrayRef<unsigned> outputs, uint32_t taskId,
                             uint32_t streamId) {
  dump::DumpJob job = makeDumpJob(run, anchors, outputs, model);
  job.taskId = taskId;
  job.streamId = streamId;
  if (job.owners.empty())
    return {};
  ++numFiles;
  return writer.enqueue(std::move(job));
}

Status DumpRecorder::nodeFinished(const NodeRun &run) {
  auto it = requests.find(run.node.op);
  if (it == requests.end())
    return {};
  // What several requests want of the node goes into one file, in the order of
  // the anchors and outputs.
  std::vector<unsigned> anchors, outputs;
  for (const Request &request : it->second) {
    if (!request.steps.contains(run.iteration))
      continue;
    llvm::append_range(anchors, request.anchors);
    llvm::append_range(outputs, request.outputs);
  }
  auto unique = [](std::vector<unsigned> &values) {
    llvm::sort(values);
    values.erase(llvm::unique(values), values.end());
  };
  unique(anchors);
  unique(outputs);

  auto reader = readers.find(run.node.op);
  if (reader == readers.end() || reader->second.empty())
    return enqueue(run, anchors, outputs, run.node.taskId, run.node.streamId);
  for (const PlannedNode *node : reader->second)
    if (Status status =
            enqueue(run, anchors, outputs, node->taskId, node->streamId);
        !status)
      return status;
  return {};
}

Status DumpRecorder::nodeFailed(const NodeRun &run, const Status &why) {
  writer.abort("stopped at " + why.message());
  std::vector<unsigned> anchors;
  for (unsigned anchor = 0; anchor != run.inputs.size(); ++anchor)
    if (run.inputs[anchor])
      anchors.push_back(anchor);
  return enqueue(run, anchors, {}, run.node.taskId, run.node.streamId);
}
