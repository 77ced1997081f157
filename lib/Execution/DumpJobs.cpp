//===- DumpJobs.cpp - Dump files of nodes ---------------------------------===//

#include "npu/Execution/DumpJobs.h"

#include <limits>

using namespace mlir;
using namespace npu;
using ge::NodeOp;

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

dump::DumpJob npu::makeDumpJob(const NodeRun &run, ArrayRef<unsigned> anchors,
                               ArrayRef<unsigned> outputs,
                               const DumpedModel &model) {
  NodeOp node = run.node.op;
  dump::DumpJob job;
  job.opType = node.getOpType().str();
  job.taskId = run.node.taskId;
  job.streamId = run.node.streamId;
  job.modelName = model.name;
  job.modelId = model.id;
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
  return job;
}

dump::DumpJob npu::makeDumpJob(const NodeRun &run, const DumpedModel &model) {
  SmallVector<unsigned, 4> anchors, outputs;
  for (unsigned anchor = 0; anchor != run.inputs.size(); ++anchor)
    if (run.inputs[anchor])
      anchors.push_back(anchor);
  for (unsigned output = 0; output != run.outputs.size(); ++output)
    outputs.push_back(output);
  return makeDumpJob(run, anchors, outputs, model);
}
