//===- Report.cpp - What a run did ----------------------------------------===//

#include "npu/Execution/Report.h"

#include "npu/Dialect/GE/IR/GE.h"

using namespace mlir;
using namespace npu;

RunReport::RunReport(const Plan &plan) {
  for (const PlannedNode &planned : plan.nodes) {
    ge::NodeOp node = planned.op;
    auto facts = node->getAttrOfType<ArrayAttr>(ge::InferredAttrName);
    if (!facts)
      continue;
    std::vector<std::string> texts;
    for (auto fact : facts.getAsRange<StringAttr>())
      texts.push_back(fact.str());
    inferred.emplace_back(node.getNodeName().str(), std::move(texts));
  }
}

size_t RunReport::numInferredFacts() const {
  size_t count = 0;
  for (const auto &[node, facts] : inferred)
    count += facts.size();
  return count;
}

Status RunReport::nodeFinished(const NodeRun &run) {
  Row &row = rows[run.node.op.getOperation()];
  row.valid |= run.status.valid;
  row.padding |= run.status.padding;
  row.seconds += run.seconds;
  ++row.runs;
  executed += run.node.kind == PlannedNode::Kind::Compute;
  return {};
}

void RunReport::nodeSkipped(const PlannedNode &node) {
  ++rows[node.op.getOperation()].skips;
}

Status RunReport::nodeFailed(const NodeRun &run, const Status &why) {
  ge::NodeOp op = run.node.op;
  failedNode = op.getNodeName().str();
  return {};
}

static StringRef getKindName(const PlannedNode &node) {
  switch (node.kind) {
  case PlannedNode::Kind::Source:
    return node.isFed ? "given" : "source";
  case PlannedNode::Kind::Argument:
    return "argument";
  case PlannedNode::Kind::Control:
    return "control";
  case PlannedNode::Kind::Compute:
    return "computed";
  case PlannedNode::Kind::Nothing:
    return "nothing to compute";
  case PlannedNode::Kind::Streams:
    return "starts streams";
  case PlannedNode::Kind::Switch:
    return "switch";
  case PlannedNode::Kind::Merge:
    return "merge";
  case PlannedNode::Kind::FloatStatus:
    return "float status";
  case PlannedNode::Kind::Output:
    return "output";
  }
  return "";
}

/// What the dumps of \p plan assume about the device's tasks.
static void addTaskAssumptions(const Plan &plan, llvm::json::Array &texts) {
  texts.push_back(
      "task ids: nodes with a task are numbered from 1 in the order "
      "of their ids; those of a device are not in the graph");
  const auto unknown = llvm::count_if(plan.nodes, [](const PlannedNode &node) {
    return node.taskId != 0 && static_cast<int64_t>(node.op.getStreamId()) < 0;
  });
  if (unknown)
    texts.push_back("stream 0 for " + std::to_string(unknown) +
                    " nodes whose stream the graph gives as -1");
}

/// The tasks whose numbers the dump of a node without a task of its own bears.
static llvm::json::Array listReaders(const Plan &plan,
                                     const PlannedNode &node) {
  llvm::json::Array tasks;
  for (unsigned reader : node.readers)
    tasks.push_back(
        llvm::json::Object{{"task_id", plan.nodes[reader].taskId},
                           {"stream_id", plan.nodes[reader].streamId}});
  return tasks;
}

llvm::json::Value RunReport::toJson(const Session &session,
                                    StringRef outcome) const {
  using llvm::json::Array;
  using llvm::json::Object;
  Object report = head;
  report["outcome"] = outcome.empty() ? std::string("complete") : outcome.str();

  report["iteration_seconds"] = Array(iterationSeconds);

  Array inferredRows;
  for (const auto &[node, facts] : inferred)
    inferredRows.push_back(Object{{"node", node}, {"facts", Array(facts)}});
  report["inferred"] = std::move(inferredRows);
  Array assumed(assumptions);
  addTaskAssumptions(session.plan(), assumed);
  report["assumed"] = std::move(assumed);
  report["random"] = Array(session.randomSources());

  Array nodes;
  for (const PlannedNode &node : session.plan().nodes) {
    ge::NodeOp op = node.op;
    auto it = rows.find(op.getOperation());
    Row row = it == rows.end() ? Row() : it->second;
    StringRef kind = getKindName(node);
    if (op.getNodeName() == failedNode)
      kind = "failed";
    else if (row.runs == 0 && row.skips != 0)
      kind = "not active";
    Object object{{"name", op.getNodeName()},
                  {"type", op.getOpType()},
                  {"task_id", node.taskId},
                  {"stream_id", node.streamId},
                  {"kind", kind},
                  {"runs", row.runs}};
    if (node.kind == PlannedNode::Kind::Compute) {
      object["seconds"] = row.seconds;
      object["status"] = row.valid;
      object["status_padding"] = row.padding;
    }
    if (node.kind == PlannedNode::Kind::Source && node.taskId == 0)
      object["read_by"] = listReaders(session.plan(), node);
    nodes.push_back(std::move(object));
  }
  report["nodes"] = std::move(nodes);
  return report;
}
