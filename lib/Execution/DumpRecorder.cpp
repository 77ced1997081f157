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
  recorder->modelName = graph.getGraphName().str();
  recorder->modelId = modelId;
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

/// An attribute of the descriptor of an output.
template <typename T>
static T getDescAttr(NodeOp node, unsigned output, StringRef name) {
  ge::DescAttr desc = node.getOutputDesc(output);
  auto attrs =
      desc ? desc.getFields().getAs<DictionaryAttr>("attr") : DictionaryAttr();
  return attrs ? attrs.getAs<T>(name) : T();
}

/// The tensor of the front end that an output stands for, where the graph
/// tells.
static std::optional<dump::OriginalOp> getOriginalOp(NodeOp node,
                                                     unsigned output) {
  auto name = getDescAttr<StringAttr>(node, output, "_datadump_origin_name");
  if (!name)
    return std::nullopt;
  dump::OriginalOp original;
  original.name = name.str();
  original.outputIndex = std::numeric_limits<uint32_t>::max();
  if (auto index = getDescAttr<IntegerAttr>(node, output,
                                            "_datadump_origin_output_index"))
    original.outputIndex = static_cast<uint32_t>(index.getInt());
  if (auto dtype =
          getDescAttr<StringAttr>(node, output, "_datadump_origin_data_type"))
    if (std::optional<DataType> type = parseDataType(dtype.getValue()))
      original.dtypeRuntimeNumber = getRuntimeNumber(*type);
  if (auto name =
          getDescAttr<StringAttr>(node, output, "_datadump_origin_format"))
    if (std::optional<FormatAndGroups> format = parseFormat(name.getValue()))
      original.format = static_cast<uint32_t>(format->format);
  return original;
}

static dump::DumpTensor makeDumpTensor(const TensorDesc &desc,
                                       const Buffer &buffer) {
  dump::DumpTensor tensor;
  tensor.dtype = desc.dtype;
  tensor.format = desc.format;
  tensor.subFormat = static_cast<int32_t>(desc.groups);
  tensor.shape = desc.shape;
  tensor.originalShape = desc.originShape;
  tensor.data = ByteView(buffer.get(), desc.byteSize());
  return tensor;
}

Status DumpRecorder::enqueue(const NodeRun &run, ArrayRef<unsigned> anchors,
                             ArrayRef<unsigned> outputs, uint32_t taskId,
                             uint32_t streamId) {
  NodeOp node = run.node.op;
  dump::DumpJob job;
  job.opType = node.getOpType().str();
  job.taskId = taskId;
  job.streamId = streamId;
  job.modelName = modelName;
  job.modelId = modelId;
  job.dataIndex = run.iteration;
  job.record.opName = node.getNodeName().str();
  for (unsigned anchor : anchors) {
    job.record.inputs.push_back(
        makeDumpTensor(*run.node.inputs[anchor], run.inputs[anchor]));
    job.owners.push_back(run.inputs[anchor]);
  }
  for (unsigned output : outputs) {
    job.record.outputs.push_back(
        makeDumpTensor(run.node.outputs[output], run.outputs[output]));
    job.record.outputs.back().originalOp = getOriginalOp(node, output);
    job.owners.push_back(run.outputs[output]);
  }
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
