//===- DumpStep.h - Which iterations are dumped ----------------*- C++ -*-===//

#ifndef NPU_DUMP_DUMPSTEP_H
#define NPU_DUMP_DUMPSTEP_H

#include "npu/Support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace npu::dump {

/// Who wrote a dump_step: the two front-ends differ in one rule.
enum class StepSyntax : uint8_t {
  Option,  ///< the start of a range must be smaller than its end
  AclJson, ///< the start may equal the end
};

/// The value of dump_step: steps and ranges of steps, counted from 0, ends
/// included, separated by '|' ("0|3-5|10"). Ranges are kept as such.
class DumpSteps {
public:
  static constexpr size_t MaxItems = 100;

  /// All steps.
  DumpSteps() = default;

  /// Reads \p text; empty means all steps. At most MaxItems items, digits only,
  /// each number at most 2^31-1, ranges as \p syntax says. Items may overlap.
  /// A failure names the item and the character where it starts.
  static Expected<DumpSteps> parse(std::string_view text, StepSyntax syntax);

  bool all() const { return ranges.empty(); }
  bool contains(uint64_t step) const;
  /// Whether one of the steps from \p first up to \p end, exclusive, is in.
  bool containsAny(uint64_t first, uint64_t end) const;
  /// Steps at which contains may change, in any order.
  std::vector<uint64_t> boundaries() const;
  /// A text that parse reads in either syntax; empty for all steps.
  std::string str() const;

private:
  struct Range {
    uint64_t first;
    uint64_t last;
  };
  std::vector<Range> ranges;
};

/// The number of an iteration as the device counts it, which names its folder
/// and is what dump_step selects: step * (iterationsPerLoop + 1) + loopCond.
/// \p step is the run counter of the model; \p iterationsPerLoop is the value
/// of the device's variable, one less than the iterations of a loop;
/// \p loopCond is the iteration within the loop. All from 0.
constexpr uint64_t getDataIndex(uint64_t step, uint64_t iterationsPerLoop = 0,
                                uint64_t loopCond = 0) {
  return step * (iterationsPerLoop + 1) + loopCond;
}

} // namespace npu::dump

#endif // NPU_DUMP_DUMPSTEP_H
