//===- Report.cpp - What a run did ----------------------------------------===//

#include "npu/Execution/Report.h"

#include "npu/Dialect/GE/IR/GE.h"

using namespace mlir;
using namespace npu;

RunReport::RunReport(ge::GraphOp graph) {
  for (auto node : graph.getBody().getOps<ge::NodeOp>()) {
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

Status RunReport::nodeFailed(const NodeRun &run, const Status &why) {
  ge::NodeOp op = run.node.op;
  failedNode = op.getNodeName().str();
  return {};
}

static StringRef getKindName(PlannedNode::Kind kind) {
  switch (kind) {
  case PlannedNode::Kind::Source:
    return "source";
  case PlannedNode::Kind::Compute:
    return "computed";
  case PlannedNode::Kind::Nothing:
    return "nothing to compute";
  case PlannedNode::Kind::Output:
    return "output";
  }
  return "";
}

llvm::json::Value RunReport::toJson(const Session &session,
                                    StringRef outcome) const {
  using llvm::json::Array;
  using llvm::json::Object;
  Object report = head;
  report["outcome"] = outcome.empty() ? "complete" : outcome;

  Array inferredRows;
  for (const auto &[node, facts] : inferred)
    inferredRows.push_back(Object{{"node", node}, {"facts", Array(facts)}});
  report["inferred"] = std::move(inferredRows);
  report["assumed"] = Array(assumptions);
  report["random"] = Array(session.randomSources());

  Array nodes;
  for (const PlannedNode &node : session.plan().nodes) {
    ge::NodeOp op = node.op;
    auto it = rows.find(op.getOperation());
    Row row = it == rows.end() ? Row() : it->second;
    Object object{{"name", op.getNodeName()},
                  {"type", op.getOpType()},
                  {"task_id", node.taskId},
                  {"stream_id", node.streamId},
                  {"kind", op.getNodeName() == failedNode
                               ? StringRef("failed")
                               : getKindName(node.kind)},
                  {"runs", row.runs}};
    if (node.kind == PlannedNode::Kind::Compute) {
      object["seconds"] = row.seconds;
      object["status"] = row.valid;
      object["status_padding"] = row.padding;
    }
    nodes.push_back(std::move(object));
  }
  report["nodes"] = std::move(nodes);
  return report;
}
