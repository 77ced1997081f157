//===- Metrics.cpp - How far two arrays are apart -------------------------===//

#include "npu/DumpTools/Metrics.h"

#include "MetricsKernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

using namespace npu;
using namespace npu::dump;

/// Elements that are decoded at a time: both sides fit in the first cache. A
/// multiple of 8, so that elements of less than a byte start at one.
static constexpr uint64_t blockSize = 1024;

//===----------------------------------------------------------------------===//
// Units in the last place
//===----------------------------------------------------------------------===//

/// The position of a finite float among all of its type, by its bits.
template <typename Signed, typename Bits>
static Signed getOrdinal(Bits bits) {
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  const auto magnitude = static_cast<Signed>(bits & ~sign);
  return bits & sign ? -magnitude : magnitude;
}

/// The largest distance of pairs of finite floats whose infinity is \p
/// infinity.
template <typename Bits, typename Signed>
static uint64_t getMaxUlp(const std::byte *mine, const std::byte *golden,
                          uint64_t count, Bits infinity) {
  using Distance = std::make_unsigned_t<Signed>;
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  Distance largest = 0;
  for (uint64_t i = 0; i < count; ++i) { // without branches, for vectors
    Bits x, y;
    std::memcpy(&x, mine + i * sizeof(Bits), sizeof(Bits));
    std::memcpy(&y, golden + i * sizeof(Bits), sizeof(Bits));
    const bool finite =
        ((x & Bits(~sign)) < infinity) & ((y & Bits(~sign)) < infinity);
    // Distances of doubles of two signs need all 64 bits.
    const auto a = getOrdinal<Signed, Bits>(x);
    const auto b = getOrdinal<Signed, Bits>(y);
    const Distance distance =
        a > b ? static_cast<Distance>(a) - static_cast<Distance>(b)
              : static_cast<Distance>(b) - static_cast<Distance>(a);
    largest = std::max(largest, finite ? distance : Distance(0));
  }
  return largest;
}

static std::optional<uint64_t> getMaxUlp(const MetricsInput &mine,
                                         const MetricsInput &golden,
                                         uint64_t count) {
  if (mine.decoder.storedType() != golden.decoder.storedType())
    return std::nullopt;
  switch (mine.decoder.storedType()) {
  case DataType::Float16:
    return getMaxUlp<uint16_t, int32_t>(mine.data, golden.data, count, 0x7c00);
  case DataType::BFloat16:
    return getMaxUlp<uint16_t, int32_t>(mine.data, golden.data, count, 0x7f80);
  case DataType::Float:
    return getMaxUlp<uint32_t, int64_t>(mine.data, golden.data, count,
                                        0x7f800000);
  case DataType::Double:
    return getMaxUlp<uint64_t, int64_t>(mine.data, golden.data, count,
                                        0x7ff0000000000000);
  default:
    return std::nullopt;
  }
}

double npu::dump::getLargestFinite(DataType type) {
  switch (type) {
  case DataType::Float16:
    return 65504;
  case DataType::BFloat16:
    return 0x1.fep127;
  case DataType::Float:
    return std::numeric_limits<float>::max();
  case DataType::Double:
    return std::numeric_limits<double>::max();
  default:
    return std::numeric_limits<double>::infinity();
  }
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {

class Comparison {
public:
  Comparison(const MetricsInput &mine, const MetricsInput &golden,
             uint64_t count, const Tolerance &tolerance, bool keepNonFinite)
      : mine(mine), golden(golden), numElements(count), tolerance(tolerance),
        keepNonFinite(keepNonFinite), components(mine.decoder.numComponents()) {
  }

  Metrics run();

private:
  /// Decodes block by block and calls \p visit(x, y, n, index of the first).
  template <typename Visitor>
  void forEachBlock(Visitor visit);
  bool isSameBytes() const;
  void visitFirst(double *x, double *y, size_t count, uint64_t index);
  void findFirst(const double *x, const double *y, size_t count,
                 uint64_t index);
  void addRest(const double *x, const double *y, size_t count);
  void visitSecond(double *x, double *y, size_t count);
  /// Leaves only pairs of finite numbers and returns how many they are.
  static size_t compact(double *x, double *y, size_t count);
  /// Of finite numbers.
  bool differ(double x, double y) const {
    return !(std::fabs(x - y) <=
             tolerance.absolute + tolerance.relative * std::fabs(y));
  }
  void examine(double x, double y, uint64_t index);
  void addMismatch(double x, double y, uint64_t index);
  void finishFirst();
  void finishSecond();

  const MetricsInput &mine, &golden;
  const uint64_t numElements;
  const Tolerance &tolerance;
  const bool keepNonFinite;
  const unsigned components;
  bool equal = false;
  Metrics metrics;
  FirstPass first;
  SecondPass second;
  Scaling scaling;
  double xs[2 * blockSize], ys[2 * blockSize];
};

} // namespace

template <typename Visitor>
void Comparison::forEachBlock(Visitor visit) {
  for (uint64_t i = 0; i < numElements; i += blockSize) {
    const uint64_t n = std::min(blockSize, numElements - i);
    auto offset = [&](const MetricsInput &input) {
      return input.data + getByteSize(input.decoder.storedType(), i);
    };
    mine.decoder.decodeToDouble(offset(mine), n, xs);
    if (equal)
      std::memcpy(ys, xs, n * components * sizeof(double));
    else
      golden.decoder.decodeToDouble(offset(golden), n, ys);
    visit(xs, ys, n * components, i * components);
  }
}

bool Comparison::isSameBytes() const {
  return mine.decoder.storedType() == golden.decoder.storedType() &&
         std::memcmp(mine.data, golden.data,
                     getByteSize(mine.decoder.storedType(), numElements)) == 0;
}

void Comparison::addMismatch(double x, double y, uint64_t index) {
  ++metrics.numMismatches;
  if (!metrics.first)
    metrics.first = {index, x, y};
}

/// Notes a pair of which at least one is not finite.
void Comparison::examine(double x, double y, uint64_t index) {
  auto note = [&](double value, NonFinite &side) {
    if (std::isnan(value)) {
      ++side.nans;
      if (!side.firstNan)
        side.firstNan = index;
    } else if (std::isinf(value)) {
      ++(value > 0 ? side.positiveInfs : side.negativeInfs);
      if (!side.firstInf)
        side.firstInf = index;
    }
  };
  note(x, metrics.mine);
  note(y, metrics.golden);
  auto isSaturated = [](double value, double infinite, DataType type) {
    return std::isinf(infinite) &&
           value == std::copysign(getLargestFinite(type), infinite);
  };
  if (std::isfinite(x) ? isSaturated(x, y, mine.decoder.storedType())
                       : isSaturated(y, x, golden.decoder.storedType()))
    ++metrics.numSaturations;
  if (!(x == y || (std::isnan(x) && std::isnan(y))))
    addMismatch(x, y, index);
}

size_t Comparison::compact(double *x, double *y, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i])) {
      x[kept] = x[i];
      y[kept++] = y[i];
    }
  return kept;
}

void Comparison::visitFirst(double *x, double *y, size_t count,
                            uint64_t index) {
  const bool finite = areFinite(x, count) && areFinite(y, count);
  if (!finite)
    for (size_t i = 0; i < count; ++i)
      if (!std::isfinite(x[i]) || !std::isfinite(y[i]))
        examine(x[i], y[i], index + i);
  if (!finite)
    findFirst(x, y, count, index); // before pairs move
  if (!finite && !keepNonFinite)
    count = compact(x, y, count);
  metrics.numFinite += count;
  const Lanes mismatches = first.mismatches;
  const size_t whole = count / NumMetricLanes * NumMetricLanes;
  addFirstPass(x, y, whole, equal, tolerance.relative, tolerance.absolute,
               first);
  if (whole != count)
    addRest(x + whole, y + whole, count - whole);
  if (finite && !metrics.first && first.mismatches.sum() != mismatches.sum())
    findFirst(x, y, count, index);
  if (!finite && keepNonFinite) {
    // Only here: pairs of two finite numbers, as examine had the others.
    first.mismatches = mismatches;
    for (size_t i = 0; i < count; ++i)
      if (std::isfinite(x[i]) && std::isfinite(y[i]) && differ(x[i], y[i]))
        ++metrics.numMismatches;
  }
}

/// Notes the first mismatch of finite numbers, unless one of others is before.
void Comparison::findFirst(const double *x, const double *y, size_t count,
                           uint64_t index) {
  for (size_t i = 0; i < count; ++i) {
    if (metrics.first && metrics.first->index <= index + i)
      return;
    if (std::isfinite(x[i]) && std::isfinite(y[i]) && differ(x[i], y[i]))
      metrics.first = {index + i, x[i], y[i]};
  }
}

/// Adds the pairs that fill no vector of the first pass.
void Comparison::addRest(const double *x, const double *y, size_t count) {
  const Lanes minX = first.minX, maxX = first.maxX;
  const Lanes minY = first.minY, maxY = first.maxY;
  // Zeros change no sum, but the extremes.
  double restX[NumMetricLanes] = {}, restY[NumMetricLanes] = {};
  std::copy_n(x, count, restX);
  std::copy_n(y, count, restY);
  addFirstPass(restX, restY, NumMetricLanes, equal, tolerance.relative,
               tolerance.absolute, first);
  first.minX = minX;
  first.maxX = maxX;
  first.minY = minY;
  first.maxY = maxY;
  for (size_t i = 0; i < count; ++i) {
    first.minX.values[i] = std::min(first.minX.values[i], x[i]);
    first.maxX.values[i] = std::max(first.maxX.values[i], x[i]);
    first.minY.values[i] = std::min(first.minY.values[i], y[i]);
    first.maxY.values[i] = std::max(first.maxY.values[i], y[i]);
  }
}

void Comparison::visitSecond(double *x, double *y, size_t count) {
  if (!keepNonFinite && !(areFinite(x, count) && areFinite(y, count)))
    count = compact(x, y, count);
  const size_t whole = count / NumMetricLanes * NumMetricLanes;
  addSecondPass(x, y, whole, equal, scaling, second);
  // One vector of zero deviation in the lanes that are left over.
  if (whole == count)
    return;
  double restX[NumMetricLanes], restY[NumMetricLanes];
  for (size_t i = whole; i < count; ++i) {
    std::fill(restX, std::end(restX), x[i]);
    std::fill(restY, std::end(restY), y[i]);
    SecondPass one;
    addSecondPass(restX, restY, NumMetricLanes, equal, scaling, one);
    for (auto lanes : {&SecondPass::p, &SecondPass::q, &SecondPass::divergence,
                       &SecondPass::deviationX, &SecondPass::deviationY})
      (second.*lanes).values[i - whole] += (one.*lanes).values[0];
  }
}

void Comparison::finishFirst() {
  const auto n = static_cast<double>(metrics.numFinite);
  if (equal) {
    first.y = first.x;
    first.yy = first.xy = first.xx;
    first.minY = first.minX;
    first.maxY = first.maxX;
  }
  metrics.numMismatches += static_cast<uint64_t>(first.mismatches.sum());
  metrics.numZeroReferences = static_cast<uint64_t>(first.zeroReferences.sum());
  if (metrics.numFinite == 0)
    return;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double normX = std::sqrt(first.xx.sum());
  const double normY = std::sqrt(first.yy.sum());
  if (normX <= epsilon && normY <= epsilon)
    metrics.cosine = 1.0;
  else if (!(std::sqrt(normX) <= epsilon) && !(std::sqrt(normY) <= epsilon))
    metrics.cosine =
        equal ? 1.0 : std::min(first.xy.sum() / normX / normY, 1.0);
  const double absolute = first.absolute.sum();
  const double relative = first.relative.sum();
  // Vector maxima drop NaNs, sums keep them.
  metrics.maxAbsolute =
      std::isnan(absolute) ? absolute : first.maxAbsolute.max();
  metrics.meanAbsolute = absolute / n;
  metrics.rootMeanSquare = std::sqrt(first.squares.sum() / n);
  metrics.relativeEuclidean =
      normY <= epsilon ? 0 : std::sqrt(first.squares.sum()) / normY;
  metrics.accumulatedRelative = relative;
  metrics.maxRelative =
      std::isnan(relative) ? relative : first.maxRelative.max();
  metrics.meanRelative = relative / n;

  auto scale = [](double min, double max, double &start, double &factor) {
    if (max - min == 0) // constant arrays are left as they are
      return;
    start = min;
    factor = 1 / (max - min);
  };
  scale(first.minX.min(), first.maxX.max(), scaling.minX, scaling.factorX);
  scale(first.minY.min(), first.maxY.max(), scaling.minY, scaling.factorY);
  scaling.meanX = first.x.sum() / n;
  scaling.meanY = first.y.sum() / n;
}

void Comparison::finishSecond() {
  const auto n = static_cast<double>(metrics.numFinite);
  if (equal)
    second.deviationY = second.deviationX;
  metrics.mineMoments = {scaling.meanX, std::sqrt(second.deviationX.sum() / n)};
  metrics.goldenMoments = {scaling.meanY,
                           std::sqrt(second.deviationY.sum() / n)};
  if (keepNonFinite && (metrics.mine.any() || metrics.golden.any())) {
    metrics.kullbackLeibler = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  // With p / sum(p) and q / sum(q), the logarithm of the sums comes out.
  const double divergence = equal
                                ? 0
                                : second.divergence.sum() / second.p.sum() +
                                      std::log(second.q.sum() / second.p.sum());
  metrics.kullbackLeibler =
      std::fabs(divergence) < std::numeric_limits<double>::epsilon()
          ? 0
          : divergence;
}

Metrics Comparison::run() {
  metrics.count = numElements * components;
  equal = !keepNonFinite && isSameBytes(); // inf - inf is no 0
  forEachBlock([&](double *x, double *y, size_t count, uint64_t index) {
    visitFirst(x, y, count, index);
  });
  finishFirst();
  if (metrics.numFinite != 0) {
    forEachBlock([&](double *x, double *y, size_t count, uint64_t) {
      visitSecond(x, y, count);
    });
    finishSecond();
  }
  metrics.maxUlp = getMaxUlp(mine, golden, equal ? 0 : numElements);
  return metrics;
}

Metrics npu::dump::computeMetrics(const MetricsInput &mine,
                                  const MetricsInput &golden, uint64_t count,
                                  const Tolerance &tolerance,
                                  bool keepNonFinite) {
  // The blocks are too large for the stack of a small thread.
  return std::make_unique<Comparison>(mine, golden, count, tolerance,
                                      keepNonFinite)
      ->run();
}
