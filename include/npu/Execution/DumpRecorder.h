//===- DumpRecorder.h - Dump files of what instr.dump asks for -*- C++ -*-===//

#ifndef NPU_EXECUTION_DUMPRECORDER_H
#define NPU_EXECUTION_DUMPRECORDER_H

#include "npu/Dump/DumpStep.h"
#include "npu/DumpTools/StatisticsCsv.h"
#include "npu/Execution/DumpJobs.h"
#include "npu/Execution/DumpSize.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace npu::instr {
class DumpOp;
enum class DumpData : uint32_t;
} // namespace npu::instr

namespace npu {

/// Writes a dump file for every node that an instr.dump of the graph has as its
/// subject. Several instr.dump of a node make one file. A Data node is no task:
/// its file bears the task of the node that reads it, as on the device.
///
/// A member of a fused node has a file of its own, which no device writes. It
/// bears the task of the fused node and is named "{type}.{node}_{member}", so
/// that it is told from the node's; inside, it has the name of the member. A
/// fused node whose outputs are given runs no members and so dumps none.
class DumpRecorder : public ExecutionObserver {
public:
  /// Reads the instr.dump operations of \p graph, which names the model, and of
  /// the graphs that its nodes run. Fails on a step list that is
  /// none. What wants statistics gets them in the form \p statistics, computed
  /// with the threads of \p pool if there is one. \p plan, \p writer and \p
  /// pool outlive the recorder.
  static Expected<std::unique_ptr<DumpRecorder>>
  create(ge::GraphOp graph, const Plan &plan, uint32_t modelId,
         dump::DumpWriter &writer,
         const dump::StatisticsFormat &statistics = {},
         ThreadPool *pool = nullptr);

  Status nodeFinished(const NodeRun &run) override;
  /// Writes the inputs of the node, the reproducer of its failure, and notes in
  /// the manifest where the run stopped.
  Status nodeFailed(const NodeRun &run, const Status &why) override;

  uint64_t filesQueued() const { return numFiles; }

  /// The dumps of all iterations of \p session, if they run to their ends and
  /// each branch once, on a disk with blocks of \p blockSize bytes. \p largest
  /// gets those of the iteration with the most.
  DumpSize measure(const Session &session, uint64_t blockSize,
                   DumpSize &largest) const;

private:
  struct Request {
    std::vector<unsigned> anchors, outputs;
    dump::DumpSteps steps;
    instr::DumpData data{}; ///< tensor or statistics
  };
  /// Several instr.dump of one operation.
  using Requests = std::vector<Request>;
  struct Member {
    std::string nameInFile;
    Requests requests;
  };
  explicit DumpRecorder(dump::DumpWriter &writer) : writer(writer) {}

  static Expected<Request> readRequest(instr::DumpOp op,
                                       const PlannedNode &node);
  /// What \p requests want of \p data in \p iteration, in the order of the
  /// anchors and outputs.
  static Request merge(const Requests &requests, uint64_t iteration,
                       instr::DumpData data);
  dump::DumpJob makeJob(const NodeRun &run, const Request &wanted) const;
  dump::DumpJob makeMemberJob(const NodeRun &run, mlir::Operation *subject,
                              const Member &member, instr::DumpData data) const;
  /// Calls \p use for each file that the run of a node makes.
  Status forEachJob(const NodeRun &run,
                    llvm::function_ref<Status(dump::DumpJob)> use) const;
  Status forEachJob(const NodeRun &run, instr::DumpData data,
                    llvm::function_ref<Status(dump::DumpJob)> use) const;
  /// Hands \p job over unless there is nothing in it.
  Status enqueue(dump::DumpJob job);

  dump::DumpWriter &writer;
  dump::StatisticsFormat statistics;
  ThreadPool *pool = nullptr;
  DumpedModel model;
  llvm::DenseMap<mlir::Operation *, Requests> requests;
  /// By fused node, then by member.
  llvm::DenseMap<mlir::Operation *, llvm::MapVector<mlir::Operation *, Member>>
      members;
  /// The task whose numbers the file of a Data node bears.
  llvm::DenseMap<mlir::Operation *, std::vector<const PlannedNode *>> readers;
  uint64_t numFiles = 0;
};

} // namespace npu

#endif // NPU_EXECUTION_DUMPRECORDER_H
