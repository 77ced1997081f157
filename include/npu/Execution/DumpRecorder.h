//===- DumpRecorder.h - Dump files of what instr.dump asks for -*- C++ -*-===//

#ifndef NPU_EXECUTION_DUMPRECORDER_H
#define NPU_EXECUTION_DUMPRECORDER_H

#include "npu/Dump/DumpStep.h"
#include "npu/Execution/DumpJobs.h"

#include "llvm/ADT/DenseMap.h"

namespace npu {

/// Writes a dump file for every node that an instr.dump of the graph has as its
/// subject. Several instr.dump of a node make one file. A Data node is no task:
/// its file bears the task of the node that reads it, as on the device.
class DumpRecorder : public ExecutionObserver {
public:
  /// Reads the instr.dump operations of \p graph. Fails on a step list that is
  /// none. \p writer outlives the recorder.
  static Expected<std::unique_ptr<DumpRecorder>>
  create(ge::GraphOp graph, const Plan &plan, uint32_t modelId,
         dump::DumpWriter &writer);

  Status nodeFinished(const NodeRun &run) override;
  /// Writes the inputs of the node, the reproducer of its failure, and notes in
  /// the manifest where the run stopped.
  Status nodeFailed(const NodeRun &run, const Status &why) override;

  uint64_t filesQueued() const { return numFiles; }

private:
  struct Request {
    std::vector<unsigned> anchors, outputs;
    dump::DumpSteps steps;
  };
  DumpRecorder(dump::DumpWriter &writer) : writer(writer) {}

  Status enqueue(const NodeRun &run, llvm::ArrayRef<unsigned> anchors,
                 llvm::ArrayRef<unsigned> outputs, uint32_t taskId,
                 uint32_t streamId);

  dump::DumpWriter &writer;
  DumpedModel model;
  llvm::DenseMap<mlir::Operation *, std::vector<Request>> requests;
  /// The task whose numbers the file of a Data node bears.
  llvm::DenseMap<mlir::Operation *, std::vector<const PlannedNode *>> readers;
  uint64_t numFiles = 0;
};

} // namespace npu

#endif // NPU_EXECUTION_DUMPRECORDER_H
