//===- Statistics.cpp - Statistics of tensors -----------------------------===//

#include "npu/DumpTools/Statistics.h"

#include "FloatSums.h"
#include "npu/DumpTools/Elements.h"
#include "npu/Support/SmallFloat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace npu;
using namespace npu::dump;

__extension__ using Int128 = __int128;

/// Elements of a block: 4096 halves add up exactly in a double, 40 + 12 bits.
static constexpr size_t blockSize = 4096;

/// The extremes of the lanes, of which none is NaN.
static float findMinimum(const float (&lanes)[NumLanes]) {
  float result[NumLanes];
  std::copy_n(lanes, NumLanes, result);
  for (size_t width = NumLanes / 2; width != 0; width /= 2)
    for (size_t i = 0; i < width; ++i)
      result[i] = std::min(result[i], result[i + width]);
  return result[0];
}
static float findMaximum(const float (&lanes)[NumLanes]) {
  float result[NumLanes];
  std::copy_n(lanes, NumLanes, result);
  for (size_t width = NumLanes / 2; width != 0; width /= 2)
    for (size_t i = 0; i < width; ++i)
      result[i] = std::max(result[i], result[i + width]);
  return result[0];
}

namespace {

/// What a block of floats adds.
struct FloatBlock {
  double sum = 0, squares = 0;
  float minimum = 0, maximum = 0;
  uint64_t nans = 0, negativeInfs = 0, positiveInfs = 0;
};

/// float16, whose sum is exact.
struct HalfType {
  using Stored = uint16_t;
  static float decode(uint16_t bits) { return halfToFloat(bits); }
  static void add(const std::byte *from, size_t count, LaneSums &sums) {
    addHalves(from, count, sums);
  }
  /// All but the squares of a block; false, and nothing of use, where halves
  /// are NaN or not below FixedLimit.
  static bool addWithoutSquares(const std::byte *from, size_t count,
                                FloatBlock &result);
  /// In units of 2^-24, the smallest half.
  Int128 total = 0;
  void addSum(double sum) { total += static_cast<int64_t>(sum * 0x1p24); }
  double sum() const { return static_cast<double>(total) * 0x1p-24; }
};

bool HalfType::addWithoutSquares(const std::byte *from, size_t count,
                                 FloatBlock &result) {
  static_assert(blockSize <= MaxFixed);
  if (count == 0 || count % NumLanes != 0)
    return false;
  const FixedSums sums = addHalfUnits(from, count);
  result.minimum = sums.minimum;
  result.maximum = sums.maximum;
  if (!(sums.minimum > -FixedLimit && sums.maximum < FixedLimit) ||
      std::isnan(sums.about))
    return false;
  const auto about = static_cast<int64_t>(sums.about * 0x1p24);
  const uint32_t rest = sums.units - static_cast<uint32_t>(about);
  result.sum =
      static_cast<double>(about + static_cast<int32_t>(rest)) * 0x1p-24;
  return true;
}

/// The other floats add up in doubles.
struct DoubleSum {
  double total = 0;
  void addSum(double sum) { total += sum; }
  double sum() const { return total; }
  static bool addWithoutSquares(const std::byte *, size_t, FloatBlock &) {
    return false;
  }
};

struct BFloat16Type : DoubleSum {
  using Stored = uint16_t;
  static float decode(uint16_t bits) { return bfloat16ToFloat(bits); }
  static void add(const std::byte *from, size_t count, LaneSums &sums) {
    addBFloat16s(from, count, sums);
  }
};

struct FloatType : DoubleSum {
  using Stored = float;
  static float decode(float value) { return value; }
  static void add(const std::byte *from, size_t count, LaneSums &sums) {
    addFloats(from, count, sums);
  }
};

/// Collects the statistics of floats.
template <typename Type>
class FloatScan {
  using Stored = typename Type::Stored;

public:
  explicit FloatScan(bool withL2Norm) : withL2Norm(withL2Norm) {}

  /// Of a block of elements, which need not be aligned. Sets \p withSquares
  /// where it does not go without.
  static FloatBlock scan(const std::byte *block, size_t count,
                         bool &withSquares) {
    FloatBlock result;
    if (!withSquares && Type::addWithoutSquares(block, count, result))
      return result;
    withSquares = true;
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
    result.minimum = findMinimum(sums.minimum);
    result.maximum = findMaximum(sums.maximum);
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
    if (!zero && (its.minimum == 0 || its.maximum == 0))
      zero = findZero(block, count);
    type.addSum(its.sum);
    squares += its.squares;
  }
  void add(const Stored *elements, size_t count) {
    const auto *block = reinterpret_cast<const std::byte *>(elements);
    bool withSquares = withL2Norm;
    add(block, count, scan(block, count, withSquares));
  }

  TensorStatistics finish() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double inf = std::numeric_limits<double>::infinity();
    const bool up = result.positiveInfs != 0, down = result.negativeInfs != 0;
    if (withL2Norm)
      result.l2Norm = result.nans != 0 ? nan
                      : up || down     ? inf
                                       : std::sqrt(squares);
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

  bool withL2Norm;
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
static TensorStatistics scanFloats(ByteView data, bool withL2Norm,
                                   ThreadPool *pool) {
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
  FloatScan<Type> scan(withL2Norm);
  // Blocks are few for each step, so that a tensor of any size takes no memory,
  // and many for each thread: to share less takes longer than to add it up.
  constexpr int64_t step = 256, grain = 16;
  std::array<FloatBlock, step> results;
  for (int64_t first = 0; first < numBlocks; first += step) {
    const int64_t numResults = std::min(step, numBlocks - first);
    const auto scanAll = [&](int64_t from, int64_t to, int64_t) {
      bool withSquares = withL2Norm;
      for (int64_t i = from; i < to; ++i)
        results[i] = FloatScan<Type>::scan(begin(first + i), size(first + i),
                                           withSquares);
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
                                    ByteView data, Scan scan) {
  const unsigned bits = getBitWidth(decoder.storedType());
  const uint64_t count = data.size() * 8 / bits;
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

std::optional<TensorStatistics> npu::dump::computeStatistics(DataType dtype,
                                                             ByteView data,
                                                             bool withL2Norm,
                                                             ThreadPool *pool) {
  switch (dtype) {
  case DataType::Float16:
    return scanFloats<HalfType>(data, withL2Norm, pool);
  case DataType::BFloat16:
    return scanFloats<BFloat16Type>(data, withL2Norm, pool);
  case DataType::Float:
    return scanFloats<FloatType>(data, withL2Norm, pool);
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
    return scanDecoded<FloatScan<FloatType>, float>(
        *decoder, data, FloatScan<FloatType>(withL2Norm));
  case DataType::Int8:
    return scanDecoded<IntegerScan<int8_t>, int8_t>(*decoder, data, {});
  default:
    return scanDecoded<IntegerScan<uint8_t>, uint8_t>(*decoder, data, {});
  }
}
