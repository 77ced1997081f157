//===- MetricsKernels.h - The loops of the metrics ---------------*- C++
//-*-===//

#ifndef NPU_LIB_DUMPTOOLS_METRICSKERNELS_H
#define NPU_LIB_DUMPTOOLS_METRICSKERNELS_H

#include <cstddef>
#include <limits>

namespace npu::dump {

/// Sums are kept in this many lanes, whatever the width of the vectors, so that
/// they have the same bits everywhere.
constexpr size_t NumMetricLanes = 8;

/// A sum or an extreme in lanes.
struct Lanes {
  explicit Lanes(double start = 0) {
    for (double &lane : values)
      lane = start;
  }
  double sum() const {
    double result = 0;
    for (double lane : values)
      result += lane;
    return result;
  }
  double min() const {
    double result = values[0];
    for (double lane : values)
      result = lane < result ? lane : result;
    return result;
  }
  double max() const {
    double result = values[0];
    for (double lane : values)
      result = lane > result ? lane : result;
    return result;
  }

  alignas(64) double values[NumMetricLanes];
};

/// What the first pass collects of pairs (x, y), d = x - y.
struct FirstPass {
  static constexpr double inf = std::numeric_limits<double>::infinity();

  Lanes x, y, xx, yy, xy;
  Lanes absolute, squares; ///< |d|, d * d
  Lanes relative;          ///< |x / y - 1|, 0 where y is about 0
  Lanes mismatches;        ///< numbers of pairs
  Lanes zeroReferences;
  Lanes maxAbsolute, maxRelative;
  Lanes minX{inf}, minY{inf}, maxX{-inf}, maxY{-inf};
};

/// How the second pass scales x and y to 0..1, and their means.
struct Scaling {
  double minX = 0, factorX = 1, meanX = 0;
  double minY = 0, factorY = 1, meanY = 0;
};

/// What the second pass collects, p and q being x and y scaled.
struct SecondPass {
  Lanes p, q;
  Lanes divergence;             ///< p * ln(p / q)
  Lanes deviationX, deviationY; ///< squares of x - mean and y - mean
};

/// Converts \p count floats. Exact.
void floatsToDoubles(const float *from, double *to, size_t count);

/// Whether none of \p count values is infinite or NaN.
bool areFinite(const double *values, size_t count);

/// Adds \p count pairs, a multiple of NumMetricLanes. With \p equal, x and y
/// are the same array.
void addFirstPass(const double *x, const double *y, size_t count, bool equal,
                  double relativeTolerance, double absoluteTolerance,
                  FirstPass &pass);
void addSecondPass(const double *x, const double *y, size_t count, bool equal,
                   const Scaling &scaling, SecondPass &pass);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_METRICSKERNELS_H
