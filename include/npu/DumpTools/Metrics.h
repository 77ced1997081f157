//===- Metrics.h - How far two arrays are apart ------------------*- C++
//-*-===//

#ifndef NPU_DUMPTOOLS_METRICS_H
#define NPU_DUMPTOOLS_METRICS_H

#include "npu/DumpTools/Elements.h"

namespace npu::dump {

/// What counts as equal: |mine - golden| <= absolute + relative * |golden|. NaN
/// equals NaN, and an infinity that of the same sign.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// The values of an array that are not finite.
struct NonFinite {
  uint64_t nans = 0;
  uint64_t positiveInfs = 0;
  uint64_t negativeInfs = 0;
  std::optional<uint64_t> firstNan; ///< index in the array, where known
  std::optional<uint64_t> firstInf;

  bool any() const { return nans + positiveInfs + negativeInfs != 0; }
};

/// The largest finite value of a float type with infinities; infinity for
/// others.
double getLargestFinite(DataType type);

/// A position where the arrays differ.
struct Difference {
  uint64_t index = 0;
  double mine = 0;
  double golden = 0;
};

struct Moments {
  double mean = 0;
  double deviation = 0; ///< of the whole population
};

/// The metrics of two arrays of the same length. Complex numbers count as their
/// two parts. All is computed in double.
struct Metrics {
  uint64_t count = 0;
  uint64_t numMismatches = 0;
  std::optional<Difference> first; ///< the first mismatch
  /// Representable values between the two numbers of a pair, at most; of arrays
  /// of the same type of floats.
  std::optional<uint64_t> maxUlp;
  NonFinite mine, golden;
  /// Pairs of an infinity and the largest finite value: one side saturates.
  uint64_t numSaturations = 0;
  /// Pairs without a relative error: the golden value is 0 and mine is not.
  uint64_t numZeroReferences = 0;

  // The rest is over the pairs of two finite numbers. A metric that has no
  // value is absent.
  uint64_t numFinite = 0;
  std::optional<double> cosine;
  std::optional<double> maxAbsolute;
  std::optional<double> meanAbsolute;
  std::optional<double> rootMeanSquare;
  std::optional<double> relativeEuclidean;
  std::optional<double> kullbackLeibler;
  /// Relative errors are 0 where |golden| <= 2.2e-16.
  std::optional<double> accumulatedRelative;
  std::optional<double> maxRelative;
  std::optional<double> meanRelative;
  Moments mineMoments, goldenMoments;

  bool equal() const { return numMismatches == 0; }
  double mismatchRatio() const {
    return count == 0 ? 0
                      : static_cast<double>(numMismatches) /
                            static_cast<double>(count);
  }
};

/// An array in memory: count elements of what \c decoder reads.
struct MetricsInput {
  const ElementDecoder &decoder;
  const std::byte *data;
};

/// Compares \p count elements of \p mine and \p golden, in two passes over
/// pieces that fit in the cache. Both are complex or neither is.
///
/// With \p keepNonFinite, infinities and NaNs are in all sums, as in Ascend's
/// tool: a NaN makes most metrics NaN.
Metrics computeMetrics(const MetricsInput &mine, const MetricsInput &golden,
                       uint64_t count, const Tolerance &tolerance,
                       bool keepNonFinite = false);

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_METRICS_H
