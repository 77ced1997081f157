//===- OverflowRecorder.h - OpDebug records of overflows -------*- C++ -*-===//

#ifndef NPU_EXECUTION_OVERFLOWRECORDER_H
#define NPU_EXECUTION_OVERFLOWRECORDER_H

#include "npu/Dialect/Instr/IR/Instr.h"
#include "npu/Dump/DumpStep.h"
#include "npu/Dump/OpDebug.h"
#include "npu/Execution/DumpJobs.h"
#include "npu/Execution/DumpSize.h"

#include "llvm/ADT/DenseMap.h"

namespace npu {

struct OverflowRecorderOptions {
  /// Status bits that make a record, and that it shows.
  StatusBits mask = status::Documented;
  /// Whether events in padding lanes count, as they do on the device.
  bool countPadding = true;
};

/// Writes what the device writes when an operator overflows: for every node
/// that an instr.overflow_check of the graph has as its subject and that raises
/// a status bit, its dump (inputs and outputs) and an OpDebug record, in the
/// layout of the SoC.
class OverflowRecorder : public ExecutionObserver {
public:
  /// Reads the instr.overflow_check operations of \p graph. Fails on a step
  /// list that is none. \p writer outlives the recorder.
  static Expected<std::unique_ptr<OverflowRecorder>>
  create(ge::GraphOp graph, const Plan &plan, uint32_t modelId, Soc soc,
         OverflowRecorderOptions options, dump::DumpWriter &writer);

  Status nodeFinished(const NodeRun &run) override;

  /// The files of all iterations of \p session, if every node overflows that
  /// is looked at, on a disk with blocks of \p blockSize bytes. \p largest gets
  /// those of the iteration with the most.
  DumpSize measure(const Session &session, uint64_t blockSize,
                   DumpSize &largest) const;

  /// Nodes that were recorded, over all iterations.
  uint64_t recordsQueued() const { return numRecords; }

private:
  OverflowRecorder(Soc soc, OverflowRecorderOptions options,
                   dump::DumpWriter &writer)
      : soc(soc), options(options), writer(writer) {}

  std::optional<dump::OpDebugRecord>
  makeRecord(const NodeRun &run, bool wantsCore, bool wantsAtomic) const;

  struct Check {
    instr::OverflowUnits units;
    dump::DumpSteps steps;
  };

  Soc soc;
  OverflowRecorderOptions options;
  dump::DumpWriter &writer;
  DumpedModel model;
  llvm::DenseMap<mlir::Operation *, std::vector<Check>> checks;
  uint64_t numRecords = 0;
};

} // namespace npu

#endif // NPU_EXECUTION_OVERFLOWRECORDER_H
