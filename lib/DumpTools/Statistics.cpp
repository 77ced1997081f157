//===- Statistics.cpp - Statistics of tensors -----------------------------===//

#include "npu/DumpTools/Statistics.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "Statistics.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "npu/Numerics/Simd-inl.h"

#include "npu/DumpTools/Elements.h"
#include "npu/Support/SmallFloat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#ifndef NPU_DUMPTOOLS_STATISTICS_SUMS
#define NPU_DUMPTOOLS_STATISTICS_SUMS
namespace npu::dump {
/// Sums are kept in this many lanes, whatever the width of the vectors, so that
/// they have the same bits everywhere.
constexpr size_t NumLanes = 16;

/// The sums of a block of floats.
struct LaneSums {
  alignas(64) double sum[NumLanes];
  alignas(64) double squares[NumLanes];
  alignas(64) float minimum[NumLanes];
  alignas(64) float maximum[NumLanes];
};
} // namespace npu::dump
#endif

HWY_BEFORE_NAMESPACE();
namespace npu::dump::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace simd = numerics::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, NumLanes>;

/// Adds \p count elements of type T, a multiple of NumLanes, which need not be
/// aligned. Extremes are meaningless where an element is NaN.
template <class T, class Load>
HWY_INLINE void addLanes(const std::byte *from, size_t count, LaneSums &sums,
                         const Load &load) {
  constexpr Floats df;
  constexpr hn::Repartition<double, Floats> dd;
  constexpr hn::Half<Floats> dh;
  constexpr size_t step = hn::MaxLanes(df), numVectors = NumLanes / step;
  hn::Vec<Floats> minimum[numVectors], maximum[numVectors];
  hn::Vec<decltype(dd)> sum[2 * numVectors], squares[2 * numVectors];
  for (size_t k = 0; k < numVectors; ++k) {
    minimum[k] = hn::Load(df, sums.minimum + k * step);
    maximum[k] = hn::Load(df, sums.maximum + k * step);
  }
  for (size_t k = 0; k < 2 * numVectors; ++k) {
    sum[k] = hn::Load(dd, sums.sum + k * step / 2);
    squares[k] = hn::Load(dd, sums.squares + k * step / 2);
  }
  for (size_t i = 0; i < count; i += NumLanes)
    for (size_t k = 0; k < numVectors; ++k) {
      const auto v = load(
          df, reinterpret_cast<const T *>(from + (i + k * step) * sizeof(T)));
      minimum[k] = hn::Min(minimum[k], v);
      maximum[k] = hn::Max(maximum[k], v);
      const auto low = hn::PromoteTo(dd, hn::LowerHalf(dh, v));
      const auto high = hn::PromoteTo(dd, hn::UpperHalf(dh, v));
      sum[2 * k] = hn::Add(sum[2 * k], low);
      sum[2 * k + 1] = hn::Add(sum[2 * k + 1], high);
      // Squares of floats are exact in doubles: fused or not is the same.
      squares[2 * k] = hn::MulAdd(low, low, squares[2 * k]);
      squares[2 * k + 1] = hn::MulAdd(high, high, squares[2 * k + 1]);
    }
  for (size_t k = 0; k < numVectors; ++k) {
    hn::Store(minimum[k], df, sums.minimum + k * step);
    hn::Store(maximum[k], df, sums.maximum + k * step);
  }
  for (size_t k = 0; k < 2 * numVectors; ++k) {
    hn::Store(sum[k], dd, sums.sum + k * step / 2);
    hn::Store(squares[k], dd, sums.squares + k * step / 2);
  }
}

static void addHalves(const std::byte *from, size_t count, LaneSums &sums) {
  addLanes<uint16_t>(from, count, sums,
                     [](Floats df, const uint16_t *at)
                         HWY_ATTR { return simd::loadHalf(df, at); });
}

static void addBFloat16s(const std::byte *from, size_t count, LaneSums &sums) {
  addLanes<uint16_t>(from, count, sums,
                     [](Floats df, const uint16_t *at)
                         HWY_ATTR { return simd::loadBFloat16(df, at); });
}

static void addFloats(const std::byte *from, size_t count, LaneSums &sums) {
  addLanes<float>(from, count, sums, [](Floats df, const float *at) HWY_ATTR {
    return hn::LoadU(df, at);
  });
}

} // namespace npu::dump::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

using namespace npu;
using namespace npu::dump;

namespace npu::dump {
HWY_EXPORT(addHalves);
HWY_EXPORT(addBFloat16s);
HWY_EXPORT(addFloats);
} // namespace npu::dump

__extension__ using Int128 = __int128;

/// Elements of a block: 4096 halves add up exactly in a double, 40 + 12 bits.
static constexpr size_t blockSize = 4096;

namespace {

/// float16, whose sum is exact.
struct HalfType {
  using Stored = uint16_t;
  static float decode(uint16_t bits) { return halfToFloat(bits); }
  static void add(const std::byte *from, size_t count, LaneSums &sums) {
    HWY_DYNAMIC_DISPATCH(addHalves)(from, count, sums);
  }
  /// In units of 2^-24, the smallest half.
  Int128 total = 0;
  void addSum(double sum) { total += static_cast<int64_t>(sum * 0x1p24); }
  double sum() const { return static_cast<double>(total) * 0x1p-24; }
};

/// The other floats add up in doubles.
struct DoubleSum {
  double total = 0;
  void addSum(double sum) { total += sum; }
  double sum() const { return total; }
};

struct BFloat16Type : DoubleSum {
  using Stored = uint16_t;
  static float decode(uint16_t bits) { return bfloat16ToFloat(bits); }
  static void add(const std::byte *from, size_t count, LaneSums &sums) {
    HWY_DYNAMIC_DISPATCH(addBFloat16s)(from, count, sums);
  }
};

struct FloatType : DoubleSum {
  using Stored = float;
  static float decode(float value) { return value; }
  static void add(const std::byte *from, size_t count, LaneSums &sums) {
    HWY_DYNAMIC_DISPATCH(addFloats)(from, count, sums);
  }
};

/// What a block of floats adds.
struct FloatBlock {
  double sum = 0, squares = 0;
  float minimum = 0, maximum = 0;
  std::optional<float> zero; ///< the first one, where it is an extreme
  uint64_t nans = 0, negativeInfs = 0, positiveInfs = 0;
};

/// Collects the statistics of floats.
template <typename Type>
class FloatScan {
  using Stored = typename Type::Stored;

public:
  /// Of a block of elements, which need not be aligned.
  static FloatBlock scan(const std::byte *block, size_t count) {
    FloatBlock result;
    LaneSums sums = makeSums();
    const size_t whole = count / NumLanes * NumLanes;
    Type::add(block, whole, sums);
    for (size_t i = whole; i < count; ++i)
      addOne(sums, i - whole, decode(block, i));
    result.sum = addUp(sums.sum);
    if (!std::isfinite(result.sum)) { // the sum of finite floats is
      sums = addNonFinite(block, count, result);
      result.sum = addUp(sums.sum);
    }
    result.minimum = *std::min_element(sums.minimum, std::end(sums.minimum));
    result.maximum = *std::max_element(sums.maximum, std::end(sums.maximum));
    if (result.minimum == 0 || result.maximum == 0)
      result.zero = findZero(block, count);
    result.squares = addUp(sums.squares);
    return result;
  }

  /// Adds what was found in a block; blocks in their order.
  void add(const std::byte *block, size_t count, const FloatBlock &its) {
    if (result.count == 0 && count != 0)
      first = decode(block, 0);
    result.count += count;
    result.nans += its.nans;
    result.negativeInfs += its.negativeInfs;
    result.positiveInfs += its.positiveInfs;
    min = std::min(min, its.minimum);
    max = std::max(max, its.maximum);
    if (!zero)
      zero = its.zero;
    type.addSum(its.sum);
    squares += its.squares;
  }
  void add(const Stored *elements, size_t count) {
    const auto *block = reinterpret_cast<const std::byte *>(elements);
    add(block, count, scan(block, count));
  }

  TensorStatistics finish() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double inf = std::numeric_limits<double>::infinity();
    const bool up = result.positiveInfs != 0, down = result.negativeInfs != 0;
    if (result.nans != 0)
      result.l2Norm = nan;
    else
      result.l2Norm = up || down ? inf : std::sqrt(squares);
    if (result.count == 0)
      return result;
    // The device starts with the first element and takes others only where
    // they are beyond: equal zeros keep the sign of the first.
    result.minimum = std::isnan(first) ? nan : withSign(min);
    result.maximum = std::isnan(first) ? nan : withSign(max);
    if (up != down)
      result.average = up ? inf : -inf;
    else if (up || result.nans != 0)
      result.average = nan;
    else
      result.average = type.sum() / static_cast<double>(result.count);
    return result;
  }

private:
  static constexpr float infinity = std::numeric_limits<float>::infinity();

  static float decode(const std::byte *block, size_t index) {
    Stored stored;
    std::memcpy(&stored, block + index * sizeof(Stored), sizeof(Stored));
    return Type::decode(stored);
  }
  static LaneSums makeSums() {
    LaneSums sums = {};
    std::fill_n(sums.minimum, NumLanes, infinity);
    std::fill_n(sums.maximum, NumLanes, -infinity);
    return sums;
  }
  static void addOne(LaneSums &sums, size_t lane, float value) {
    const double wide = value;
    sums.sum[lane] += wide;
    sums.squares[lane] += wide * wide;
    sums.minimum[lane] = std::min(sums.minimum[lane], value);
    sums.maximum[lane] = std::max(sums.maximum[lane], value);
  }
  static double addUp(const double (&lanes)[NumLanes]) {
    double sum = 0;
    for (double lane : lanes)
      sum += lane;
    return sum;
  }
  /// A block where not all is finite, one by one.
  static LaneSums addNonFinite(const std::byte *block, size_t count,
                               FloatBlock &result) {
    LaneSums sums = makeSums();
    for (size_t i = 0; i < count; ++i) {
      const float value = decode(block, i);
      const size_t lane = i % NumLanes;
      if (std::isnan(value)) {
        ++result.nans;
      } else if (std::isinf(value)) {
        ++(value > 0 ? result.positiveInfs : result.negativeInfs);
        sums.minimum[lane] = std::min(sums.minimum[lane], value);
        sums.maximum[lane] = std::max(sums.maximum[lane], value);
      } else {
        addOne(sums, lane, value);
      }
    }
    return sums;
  }
  static std::optional<float> findZero(const std::byte *block, size_t count) {
    for (size_t i = 0; i < count; ++i)
      if (const float value = decode(block, i); value == 0)
        return value;
    return std::nullopt;
  }
  double withSign(float value) const {
    return value == 0 && zero ? *zero : value;
  }

  TensorStatistics result;
  Type type;
  float first = 0;
  float min = infinity, max = -infinity;
  /// The first zero of the tensor, of the blocks where it is an extreme.
  std::optional<float> zero;
  double squares = 0;
};

} // namespace

template <typename Type>
static TensorStatistics scanFloats(ByteView data, ThreadPool *pool) {
  using Stored = typename Type::Stored;
  const uint64_t count = data.size() / sizeof(Stored);
  const int64_t numBlocks =
      static_cast<int64_t>((count + blockSize - 1) / blockSize);
  const auto begin = [&](int64_t block) {
    return data.data() +
           static_cast<uint64_t>(block) * blockSize * sizeof(Stored);
  };
  const auto size = [&](int64_t block) {
    return std::min<uint64_t>(blockSize,
                              count - static_cast<uint64_t>(block) * blockSize);
  };
  FloatScan<Type> scan;
  // Blocks are few for each step, so that a tensor of any size takes no memory.
  constexpr int64_t step = 1024, grain = 16;
  FloatBlock results[step];
  for (int64_t first = 0; first < numBlocks; first += step) {
    const int64_t numResults = std::min(step, numBlocks - first);
    const auto scanAll = [&](int64_t from, int64_t to, int64_t) {
      for (int64_t i = from; i < to; ++i)
        results[i] = FloatScan<Type>::scan(begin(first + i), size(first + i));
    };
    if (pool)
      pool->parallelFor(numResults, grain, scanAll);
    else
      scanAll(0, numResults, 0);
    for (int64_t i = 0; i < numResults; ++i)
      scan.add(begin(first + i), size(first + i), results[i]);
  }
  return scan.finish();
}

/// 8-bit and 4-bit floats and integers of less than 8 bits, by way of the type
/// that they are decoded to.
template <typename Scan, typename Value>
static TensorStatistics scanDecoded(const ElementDecoder &decoder,
                                    ByteView data) {
  const unsigned bits = getBitWidth(decoder.storedType());
  const uint64_t count = data.size() * 8 / bits;
  Scan scan;
  Value block[blockSize];
  for (uint64_t i = 0; i < count; i += blockSize) {
    const size_t n = std::min<uint64_t>(blockSize, count - i);
    decoder.decode(data.data() + i * bits / 8, n,
                   reinterpret_cast<std::byte *>(block));
    scan.add(block, n);
  }
  return scan.finish();
}

static TensorStatistics scanDoubles(ByteView data) {
  const uint64_t count = data.size() / sizeof(double);
  constexpr double inf = std::numeric_limits<double>::infinity();
  TensorStatistics result;
  result.count = count;
  double first = 0, min = inf, max = -inf, mean = 0, squares = 0;
  uint64_t numFinite = 0;
  for (uint64_t i = 0; i < count; ++i) {
    double value;
    std::memcpy(&value, data.data() + i * sizeof(value), sizeof(value));
    if (i == 0)
      first = min = max = value;
    if (std::isnan(value)) {
      ++result.nans;
      continue;
    }
    // Written so that a NaN in front gives way here; it is put back below.
    min = min <= value ? min : value;
    max = max >= value ? max : value;
    if (std::isinf(value)) {
      ++(value > 0 ? result.positiveInfs : result.negativeInfs);
      continue;
    }
    // A plain sum may overflow.
    mean += (value - mean) / static_cast<double>(++numFinite);
    squares += value * value;
  }
  const bool up = result.positiveInfs != 0, down = result.negativeInfs != 0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  result.l2Norm = result.nans != 0 ? nan
                  : up || down     ? inf
                                   : std::sqrt(squares);
  if (count == 0)
    return result;
  result.minimum = std::isnan(first) ? nan : min;
  result.maximum = std::isnan(first) ? nan : max;
  result.average = up != down               ? (up ? inf : -inf)
                   : up || result.nans != 0 ? nan
                                            : mean;
  return result;
}

namespace {
/// Collects the statistics of integers.
template <typename T>
class IntegerScan {
public:
  void add(const T *block, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const T value = block[i];
      min = std::min(min, value);
      max = std::max(max, value);
      sum += value;
      const double wide = static_cast<double>(value);
      squares += wide * wide;
    }
    numElements += count;
  }
  TensorStatistics finish() const {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    TensorStatistics result;
    result.count = numElements;
    result.l2Norm = std::sqrt(squares);
    if (numElements != 0) {
      result.minimum = static_cast<Wide>(min);
      result.maximum = static_cast<Wide>(max);
      result.average =
          static_cast<double>(sum) / static_cast<double>(numElements);
    }
    return result;
  }

private:
  uint64_t numElements = 0;
  T min = std::numeric_limits<T>::max(), max = std::numeric_limits<T>::min();
  Int128 sum = 0;
  double squares = 0;
};
} // namespace

template <typename T>
static TensorStatistics scanIntegers(ByteView data, bool isBool = false) {
  const uint64_t count = data.size() / sizeof(T);
  IntegerScan<T> scan;
  T block[blockSize];
  for (uint64_t i = 0; i < count; i += blockSize) {
    const size_t n = std::min<uint64_t>(blockSize, count - i);
    std::memcpy(block, data.data() + i * sizeof(T), n * sizeof(T));
    if (isBool)
      for (T &value : std::span(block, n))
        value = value != 0;
    scan.add(block, n);
  }
  return scan.finish();
}

std::optional<TensorStatistics>
npu::dump::computeStatistics(DataType dtype, ByteView data, ThreadPool *pool) {
  switch (dtype) {
  case DataType::Float16:
    return scanFloats<HalfType>(data, pool);
  case DataType::BFloat16:
    return scanFloats<BFloat16Type>(data, pool);
  case DataType::Float:
    return scanFloats<FloatType>(data, pool);
  case DataType::Double:
    return scanDoubles(data);
  case DataType::Int8:
  case DataType::QInt8:
    return scanIntegers<int8_t>(data);
  case DataType::Int16:
  case DataType::QInt16:
    return scanIntegers<int16_t>(data);
  case DataType::Int32:
  case DataType::QInt32:
    return scanIntegers<int32_t>(data);
  case DataType::Int64:
    return scanIntegers<int64_t>(data);
  case DataType::UInt8:
  case DataType::QUInt8:
    return scanIntegers<uint8_t>(data);
  case DataType::UInt16:
  case DataType::QUInt16:
    return scanIntegers<uint16_t>(data);
  case DataType::UInt32:
    return scanIntegers<uint32_t>(data);
  case DataType::UInt64:
    return scanIntegers<uint64_t>(data);
  case DataType::Bool:
    return scanIntegers<uint8_t>(data, /*isBool=*/true);
  default:
    break;
  }
  std::optional<ElementDecoder> decoder = ElementDecoder::create(dtype);
  if (!decoder || decoder->numComponents() != 1)
    return std::nullopt;
  switch (decoder->arrayType()) {
  case DataType::Float:
    return scanDecoded<FloatScan<FloatType>, float>(*decoder, data);
  case DataType::Int8:
    return scanDecoded<IntegerScan<int8_t>, int8_t>(*decoder, data);
  default:
    return scanDecoded<IntegerScan<uint8_t>, uint8_t>(*decoder, data);
  }
}

#endif // HWY_ONCE
