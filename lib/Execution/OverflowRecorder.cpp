//===- OverflowRecorder.cpp - OpDebug records of overflows ----------------===//

#include "npu/Execution/OverflowRecorder.h"

#include "AtomicStatus.h"

using namespace mlir;
using namespace npu;

Expected<std::unique_ptr<OverflowRecorder>>
OverflowRecorder::create(ge::GraphOp graph, const Plan &plan, uint32_t modelId,
                         Soc soc, OverflowRecorderOptions options,
                         dump::DumpWriter &writer) {
  auto recorder = std::unique_ptr<OverflowRecorder>(
      new OverflowRecorder(soc, options, writer));
  recorder->model = {graph.getGraphName().str(), modelId};
  llvm::DenseMap<Operation *, const PlannedNode *> nodes;
  for (const PlannedNode &node : plan.nodes)
    nodes[node.op] = &node;
  SmallVector<instr::OverflowCheckOp> checkOps;
  for (ge::GraphOp part : plan.graphs)
    llvm::append_range(checkOps,
                       part.getBody().getOps<instr::OverflowCheckOp>());
  for (instr::OverflowCheckOp op : checkOps) {
    const PlannedNode *node = nodes.lookup(op.getToken().getDefiningOp());
    if (!node)
      return Status::error("instr.overflow_check of '" + op.getSubject().str() +
                           "' has no node of the graph as its subject");
    Check check{op.getUnits(), {}};
    if (op.getStep()) {
      Expected<dump::DumpSteps> steps =
          dump::DumpSteps::parse(op.getStep()->str(), dump::StepSyntax::Option);
      if (!steps)
        return steps.takeStatus().withContext("instr.overflow_check of " +
                                              node->describe());
      check.steps = std::move(*steps);
    }
    recorder->checks[node->op].push_back(std::move(check));
  }
  return recorder;
}

/// The unit of a device that ran a node: of those with split cores, the cube
/// cores for what they alone can do.
static dump::OpDebugUnit getUnit(const PlannedNode &node, Soc soc) {
  if (soc != Soc::Ascend910B)
    return dump::OpDebugUnit::AiCore;
  const llvm::StringRef type = node.op.getOpType();
  const bool isCube = type.contains("Conv") || type.contains("MatMul") ||
                      type == "FullyConnection";
  return isCube ? dump::OpDebugUnit::AIC : dump::OpDebugUnit::AIV;
}

/// The record of an overflow of the given units, none if they did not overflow.
/// Where both did, only the first shows: a core computes before it adds to
/// memory.
std::optional<dump::OpDebugRecord>
OverflowRecorder::makeRecord(const NodeRun &run, bool wantsCore,
                             bool wantsAtomic) const {
  StatusBits bits = run.status.valid;
  if (options.countPadding)
    bits |= run.status.padding;
  bits &= options.mask;
  dump::OpDebugRecord record;
  if (wantsCore && bits) {
    record.unit = getUnit(run.node, soc);
    record.status[0] = bits;
    return record;
  }
  if (!wantsAtomic || run.status.atomic == AtomicOverflow::None)
    return std::nullopt;
  if (soc == Soc::Ascend910B) {
    // Its records have no unit for atomic additions.
    record.unit = dump::OpDebugUnit::AIV;
    record.status[0] = status::FloatOverflow;
    return record;
  }
  // Which of the two agents serves an address is not public.
  record.unit = dump::OpDebugUnit::DhaAtomicAdd;
  record.status[0] = encodeDhaStatus(run.status.atomic);
  return record;
}

Status OverflowRecorder::nodeFinished(const NodeRun &run) {
  auto it = checks.find(run.node.op);
  if (it == checks.end())
    return {};
  bool wantsCore = false, wantsAtomic = false;
  for (const Check &check : it->second) {
    if (!check.steps.contains(run.iteration))
      continue;
    wantsCore |= check.units != instr::OverflowUnits::AtomicOverflow;
    wantsAtomic |= check.units != instr::OverflowUnits::AicoreOverflow;
  }
  std::optional<dump::OpDebugRecord> record =
      makeRecord(run, wantsCore, wantsAtomic);
  if (!record)
    return {};
  dump::DumpJob job = makeDumpJob(run, model);
  dump::DumpJob debugJob = dump::makeOpDebugJob(*record, job);
  ++numRecords;
  if (Status status = writer.enqueue(std::move(job)); !status)
    return status;
  return writer.enqueue(std::move(debugJob));
}

DumpSize OverflowRecorder::measure(const Session &session, uint64_t blockSize,
                                   DumpSize &largest) const {
  llvm::SmallVector<uint64_t> starts;
  for (const auto &[node, wanted] : checks)
    for (const Check &check : wanted)
      llvm::append_range(starts, check.steps.boundaries());
  return measureIterations(
      session, std::move(starts),
      [&](const NodeRun &run, DumpSize &size) {
        auto it = checks.find(run.node.op);
        if (it == checks.end() ||
            llvm::none_of(it->second, [&](const Check &check) {
              return check.steps.contains(run.iteration);
            }))
          return;
        size.isBound = true;
        SmallVector<unsigned, 4> anchors, outputs;
        for (auto [anchor, desc] : llvm::enumerate(run.node.inputs))
          if (desc)
            anchors.push_back(anchor);
        for (unsigned output = 0; output != run.outputs.size(); ++output)
          outputs.push_back(output);
        dump::DumpJob job = makeDumpJob(run, anchors, outputs, model);
        dump::DumpJob debugJob = dump::makeOpDebugJob({}, job);
        size += measureJob(std::move(job), blockSize);
        size += measureJob(std::move(debugJob), blockSize);
      },
      largest);
}
