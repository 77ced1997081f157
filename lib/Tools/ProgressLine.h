//===- ProgressLine.h - How far a run is -----------------------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_PROGRESSLINE_H
#define NPU_LIB_TOOLS_PROGRESSLINE_H

#include "npu/Execution/Session.h"

#include <chrono>
#include <mutex>

namespace npu {

/// One line on the standard error that says how far a run is, drawn anew a few
/// times a second. For a terminal only: isWanted().
class ProgressLine : public ExecutionObserver {
public:
  static bool isWanted();

  ~ProgressLine() override { clear(); }

  /// A graph with \p nodes nodes, for \p iterations.
  void begin(size_t nodes, const IterationRange &iterations);
  Status nodeFinished(const NodeRun &run) override;
  /// Bytes of dump files that are written and that wait; from any thread.
  void dumpProgressed(uint64_t written, uint64_t queued);
  /// Removes the line; what is printed next starts a line.
  void clear();

private:
  void draw();

  std::mutex mutex;
  size_t numNodes = 0;
  IterationRange iterations;
  uint64_t iteration = 0;
  size_t node = 0;
  uint64_t bytesWritten = 0, bytesQueued = 0;
  std::chrono::steady_clock::time_point lastDrawn;
  bool isDrawn = false;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_PROGRESSLINE_H
