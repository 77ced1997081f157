//===- SuspiciousValues.h - Results with values of a list ------*- C++ -*-===//

#ifndef NPU_EXECUTION_SUSPICIOUSVALUES_H
#define NPU_EXECUTION_SUSPICIOUSVALUES_H

#include "npu/Execution/Session.h"

namespace npu {

/// Counts results that have one of a list of values, such as 38400 and 51200,
/// which documents mention as signs of overflow although they are ordinary
/// numbers of fp16.
class SuspiciousValues : public ExecutionObserver {
public:
  struct Finding {
    const PlannedNode *node = nullptr;
    uint64_t iteration = 0;
    uint64_t count = 0;
  };

  explicit SuspiciousValues(std::vector<double> values)
      : values(std::move(values)) {}

  Status nodeFinished(const NodeRun &run) override;

  /// In the order of execution.
  const std::vector<Finding> &findings() const { return found; }

private:
  std::vector<double> values;
  std::vector<Finding> found;
};

/// Reads numbers with commas between them.
Expected<std::vector<double>> parseValueList(llvm::StringRef text);

} // namespace npu

#endif // NPU_EXECUTION_SUSPICIOUSVALUES_H
