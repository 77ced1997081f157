//===- DumpRecorder.cpp - Dump files of what instr.dump asks for ----------===//

#include "npu/Execution/DumpRecorder.h"

#include "KernelBinding.h"

#include "npu/Dialect/Instr/IR/Instr.h"

using namespace mlir;
using namespace npu;
using ge::NodeOp;

/// The anchor of the \p index-th connected input: a device leaves unconnected
/// optional inputs out of its dumps, and later ones move up.
static unsigned getConnectedAnchor(const PlannedNode &node, int64_t index) {
  for (unsigned anchor = 0; anchor != node.inputs.size(); ++anchor)
    if (node.op.getAnchor(anchor) && index-- == 0)
      return anchor;
  return node.inputs.size();
}

Expected<DumpRecorder::Request>
DumpRecorder::readRequest(instr::DumpOp op, const PlannedNode &node) {
  Request request;
  request.data = op.getData();
  for (int64_t index : op.getInputIndices()) {
    unsigned anchor = getConnectedAnchor(node, index);
    if (anchor == node.inputs.size())
      return Status::error("instr.dump wants input " + std::to_string(index) +
                           " of " + node.describe() +
                           ", which has fewer connected inputs");
    request.anchors.push_back(anchor);
  }
  for (int64_t index : op.getOutputIndices()) {
    if (index >= static_cast<int64_t>(node.outputs.size()))
      return Status::error("instr.dump wants output " + std::to_string(index) +
                           " of " + node.describe() +
                           ", which has fewer outputs");
    request.outputs.push_back(static_cast<unsigned>(index));
  }
  if (op.getStep()) {
    Expected<dump::DumpSteps> steps =
        dump::DumpSteps::parse(op.getStep()->str(), dump::StepSyntax::Option);
    if (!steps)
      return steps.takeStatus().withContext("instr.dump of " + node.describe());
    request.steps = std::move(*steps);
  }
  return request;
}

/// The file of a member is named after the nodes that it is in.
static std::string getNameOfMember(NodeOp op) {
  std::string name = op.getNodeName().str();
  while ((op = op->getParentOfType<NodeOp>()))
    name = op.getNodeName().str() + "_" + name;
  return name;
}

/// The node of the graph that \p op is, or that it is a member of.
static NodeOp getOutermostNode(NodeOp op) {
  while (auto outer = op ? op->getParentOfType<NodeOp>() : NodeOp())
    op = outer;
  return op;
}

Expected<std::unique_ptr<DumpRecorder>>
DumpRecorder::create(ge::GraphOp graph, const Plan &plan, uint32_t modelId,
                     dump::DumpWriter &writer,
                     const dump::StatisticsFormat &statistics,
                     ThreadPool *pool) {
  if (Status status = check(statistics); !status)
    return status;
  auto recorder = std::unique_ptr<DumpRecorder>(new DumpRecorder(writer));
  recorder->statistics = statistics;
  recorder->pool = pool;
  recorder->model = {graph.getGraphName().str(), modelId};
  llvm::DenseMap<Operation *, const PlannedNode *> nodes;
  for (const PlannedNode &node : plan.nodes)
    nodes[node.op] = &node;

  SmallVector<instr::DumpOp> dumps;
  for (ge::GraphOp part : plan.graphs)
    part.walk([&](instr::DumpOp op) { dumps.push_back(op); });
  for (instr::DumpOp op : dumps) {
    NodeOp subject = getSubjectNode(op);
    const PlannedNode *node = nodes.lookup(getOutermostNode(subject));
    if (!node)
      return Status::error("instr.dump of '" + op.getSubject().str() +
                           "' has no node of the graph as its subject");
    if (subject == node->op) {
      Expected<Request> request = readRequest(op, *node);
      if (!request)
        return request.takeStatus();
      recorder->requests[subject].push_back(std::move(*request));
      continue;
    }
    const PlannedNode *memberNode = node->findMember(subject);
    if (!memberNode)
      continue; // its outputs are given, or it has no kernel
    Expected<Request> request = readRequest(op, *memberNode);
    if (!request)
      return request.takeStatus();
    Member &member = recorder->members[node->op][subject];
    member.nameInFile = getNameOfMember(subject);
    member.requests.push_back(std::move(*request));
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

Status DumpRecorder::enqueue(dump::DumpJob job) {
  if (job.owners.empty())
    return {};
  // A job without bytes makes no file.
  bool hasBytes = false;
  job.record.forEachPart([&](ByteView data) { hasBytes |= !data.empty(); });
  if (!hasBytes)
    return {};
  ++numFiles;
  if (job.csv) // here, where the tensors are in the caches and no loop runs
    job.csv = [format = statistics, computed = dump::computeStatistics(
                                        job.record, statistics, pool)](
                  const dump::DumpRecord &record) {
      return dump::writeStatistics(record, computed, format);
    };
  return writer.enqueue(std::move(job));
}

DumpRecorder::Request DumpRecorder::merge(const Requests &requests,
                                          uint64_t iteration,
                                          instr::DumpData data) {
  Request merged;
  merged.data = data;
  for (const Request &request : requests) {
    if (request.data != data || !request.steps.contains(iteration))
      continue;
    llvm::append_range(merged.anchors, request.anchors);
    llvm::append_range(merged.outputs, request.outputs);
  }
  for (std::vector<unsigned> *values : {&merged.anchors, &merged.outputs}) {
    llvm::sort(*values);
    values->erase(llvm::unique(*values), values->end());
  }
  return merged;
}

/// The tensor that \p value, one of a member, has in the run of the fused node;
/// null if nobody asked to keep it.
static Buffer getMemberBuffer(const NodeRun &run, Value value) {
  Value outer = getOuterValue(value);
  for (unsigned anchor = 0; anchor != run.inputs.size(); ++anchor)
    if (run.node.op.getAnchor(anchor) == outer)
      return run.inputs[anchor];
  if (outer.getDefiningOp() == run.node.op)
    return run.outputs[cast<OpResult>(outer).getResultNumber()];
  return run.node.memberValues.lookup(outer);
}

dump::DumpJob DumpRecorder::makeJob(const NodeRun &run,
                                    const Request &wanted) const {
  dump::DumpJob job = makeDumpJob(run, wanted.anchors, wanted.outputs, model);
  if (wanted.data == instr::DumpData::Stats)
    job.csv = [](const dump::DumpRecord &) { // enqueue computes them
      return std::string();
    };
  return job;
}

dump::DumpJob DumpRecorder::makeMemberJob(const NodeRun &run,
                                          Operation *subject,
                                          const Member &member,
                                          instr::DumpData data) const {
  const Request wanted = merge(member.requests, run.iteration, data);
  // Shapes are those of the iteration's plan.
  const PlannedNode &node = *run.node.findMember(subject);
  NodeOp op = node.op;
  std::vector<Buffer> inputs(node.inputs.size());
  for (unsigned anchor : wanted.anchors)
    inputs[anchor] = getMemberBuffer(run, op.getAnchor(anchor));
  std::vector<Buffer> outputs(node.outputs.size());
  for (unsigned output : wanted.outputs)
    outputs[output] = getMemberBuffer(run, op.getOutputs()[output]);
  const NodeRun memberRun{node, run.iteration, inputs, outputs, {}, 0};
  dump::DumpJob job = makeJob(memberRun, wanted);
  job.nameInFile = member.nameInFile;
  return job;
}

Status
DumpRecorder::forEachJob(const NodeRun &run,
                         llvm::function_ref<Status(dump::DumpJob)> use) const {
  for (instr::DumpData data : {instr::DumpData::Tensor, instr::DumpData::Stats})
    if (Status status = forEachJob(run, data, use); !status)
      return status;
  return {};
}

Status
DumpRecorder::forEachJob(const NodeRun &run, instr::DumpData data,
                         llvm::function_ref<Status(dump::DumpJob)> use) const {
  if (auto it = members.find(run.node.op); it != members.end())
    for (const auto &[subject, member] : it->second)
      if (Status status = use(makeMemberJob(run, subject, member, data));
          !status)
        return status;

  auto it = requests.find(run.node.op);
  if (it == requests.end())
    return {};
  const Request wanted = merge(it->second, run.iteration, data);
  if (wanted.anchors.empty() && wanted.outputs.empty())
    return {};
  dump::DumpJob job = makeJob(run, wanted);
  auto reader = readers.find(run.node.op);
  if (reader == readers.end() || reader->second.empty())
    return use(std::move(job));
  for (const PlannedNode *node : reader->second) {
    job.taskId = node->taskId;
    job.streamId = node->streamId;
    if (Status status = use(job); !status)
      return status;
  }
  return {};
}

Status DumpRecorder::nodeFinished(const NodeRun &run) {
  return forEachJob(run,
                    [&](dump::DumpJob job) { return enqueue(std::move(job)); });
}

Status DumpRecorder::nodeFailed(const NodeRun &run, const Status &why) {
  writer.abort("stopped at " + why.message());
  // The outputs are not there.
  return enqueue(
      makeDumpJob({run.node, run.iteration, run.inputs, {}, {}, 0}, model));
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

DumpSize DumpRecorder::measure(const Session &session, uint64_t blockSize,
                               DumpSize &largest) const {
  llvm::SmallVector<uint64_t> starts;
  auto addBoundaries = [&](const Requests &requests) {
    for (const Request &request : requests)
      llvm::append_range(starts, request.steps.boundaries());
  };
  for (const auto &[node, wanted] : requests)
    addBoundaries(wanted);
  for (const auto &[node, wanted] : members)
    for (const auto &[op, member] : wanted)
      addBoundaries(member.requests);
  return measureIterations(
      session, std::move(starts),
      [&](const NodeRun &run, DumpSize &size) {
        Status status = forEachJob(run, [&](dump::DumpJob job) {
          size += measureJob(std::move(job), blockSize);
          return Status();
        });
        assert(status.ok() && "measuring does not fail");
        (void)status;
      },
      largest);
}
