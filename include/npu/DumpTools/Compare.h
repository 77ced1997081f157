//===- Compare.h - Two dumps against each other ----------------*- C++ -*-===//
//
// The rules by which tensors are paired and the columns of the result are in
// docs/DumpTools.md.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_DUMPTOOLS_COMPARE_H
#define NPU_DUMPTOOLS_COMPARE_H

#include "npu/DumpTools/DumpInput.h"
#include "npu/DumpTools/Metrics.h"

#include <bitset>
#include <map>

namespace npu::dump {

/// The output of the original graph that an output stands for.
struct OriginalOutput {
  std::string name;
  uint32_t index = 0;
};

/// What a graph says about the operators it was made of.
struct OriginalGraph {
  /// Outputs by the name of the operator that has them; an empty name where the
  /// graph does not say.
  std::map<std::string, std::vector<OriginalOutput>> outputs;
  /// Operators that were fused into an operator; their last gives its outputs.
  std::map<std::string, std::vector<std::string>> fusedNames;
};

/// The metrics of Ascend's tool in its order, by which \c -alg numbers them.
inline constexpr std::string_view MetricNames[] = {
    "CosineSimilarity",          "MaxAbsoluteError",
    "AccumulatedRelativeError",  "RelativeEuclideanDistance",
    "KullbackLeiblerDivergence", "StandardDeviation",
    "MeanAbsoluteError",         "RootMeanSquareError",
    "MaxRelativeError",          "MeanRelativeError"};
using MetricSet = std::bitset<std::size(MetricNames)>;

/// One operator to look at, and which of its tensors; all where none is named.
struct CompareSelection {
  std::string opName; ///< its own or an original one; empty for all operators
  std::optional<size_t> input, output;
  /// Pairs with the largest errors that are written out for each tensor.
  size_t numWorst = 0;
};

struct CompareOptions {
  std::string mine;   ///< a dump file or a folder with dumps
  std::string golden; ///< the same, or .npy files
  std::string folder; ///< where the result goes; made where it is missing
  const OriginalGraph *graph = nullptr;
  Tolerance tolerance;
  bool overflowColumn = false;
  MetricSet metrics = MetricSet().set(); ///< that have columns
  CompareSelection selection;
  /// Continue the compare.csv of a run that was interrupted.
  bool resume = false;
  /// The columns, the name and the infinities and NaNs of Ascend's tool.
  bool compat = false;
  std::string time; ///< in the name of the file of \c compat
  unsigned numThreads = 0;
};

enum class Verdict : uint8_t {
  Pass,
  Fail,
  Skip,    ///< nothing to compare: no elements, or no numbers
  Missing, ///< no golden tensor
  Error,   ///< a file that cannot be read
};
std::string_view getName(Verdict verdict); ///< "PASS"...

struct CompareSummary {
  std::string path; ///< of the CSV file
  std::map<Verdict, uint64_t> numTensors;
  uint64_t numResumed = 0;      ///< tensors from the run before
  uint64_t numGoldenUnused = 0; ///< not counted where rows were resumed
                                ///< or an operator was chosen
};

/// Told about files in their order, by any thread but one at a time.
struct CompareObserver {
  std::function<void(size_t numDone, size_t numFiles)> fileDone;
  std::function<void(const std::string &text)> warning;
};

/// Compares all tensors of the dump files of \c mine with their golden ones and
/// writes a row for each, as soon as those before it are done. Fails where
/// there are no files, or the result cannot be written.
Expected<CompareSummary> compareDumps(const CompareOptions &options,
                                      const CompareObserver &observer);

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_COMPARE_H
