//===- Sources.cpp - Data that a run gets from outside --------------------===//

#include "npu/Execution/Sources.h"

#include "npu/Kernels/FormatTransfer.h"
#include "npu/Numerics/Convert.h"

#include "llvm/Support/xxhash.h"

#include <array>
#include <cmath>
#include <cstring>

using namespace npu;

Status npu::checkPerIteration(const std::string &where, size_t count,
                              const std::string &what, uint64_t iterations) {
  if (count == 1 || count == iterations)
    return {};
  return Status::error(where + ": " + std::to_string(count) + " " + what +
                       "s for " + std::to_string(iterations) +
                       (iterations == 1 ? " iteration" : " iterations") +
                       "; expected one, or one for each of --iterations");
}

/// \p desc as a logical tensor: in its origin format.
static TensorDesc getLogicalDesc(const TensorDesc &desc) {
  TensorDesc logical = desc;
  logical.format = desc.originFormat;
  logical.groups = 0;
  logical.shape = desc.originShape;
  return logical;
}

static Expected<Buffer> allocate(const TensorDesc &desc, BufferPool &pool) {
  Buffer buffer = pool.acquire(desc.byteSize());
  if (!buffer)
    return Status::error(ErrorKind::Incomplete,
                         "no memory for " + desc.toString());
  return buffer;
}

/// Lays out \p logical, a tensor in the origin format of \p desc.
static Expected<Buffer> layOut(const std::byte *logical, const TensorDesc &desc,
                               BufferPool &pool,
                               ThreadPool *threads = nullptr) {
  Expected<Buffer> buffer = allocate(desc, pool);
  if (!buffer)
    return buffer;
  TensorDesc from = getLogicalDesc(desc);
  if (from.format == desc.format && from.shape == desc.shape) {
    std::memcpy(buffer->get(), logical, desc.byteSize());
    return buffer;
  }
  Expected<kernels::FormatTransfer> transfer =
      kernels::FormatTransfer::create(from, desc);
  if (!transfer)
    return transfer.takeStatus();
  transfer->run(logical, buffer->get(), threads);
  return buffer;
}

/// The elements of \p array, which are floats, to the nearest.
static Expected<Buffer> roundToBFloat16(const NpyView &array,
                                        BufferPool &pool) {
  TensorDesc desc;
  desc.dtype = DataType::BFloat16;
  desc.shape = array.shape;
  Expected<Buffer> buffer = allocate(desc, pool);
  if (!buffer)
    return buffer;
  auto *out = reinterpret_cast<uint16_t *>(buffer->get());
  StatusBits ignored = 0;
  for (size_t i = 0, e = array.data.size() / sizeof(float); i != e; ++i) {
    float value; // the array is not aligned in every file
    std::memcpy(&value, array.data.data() + i * sizeof(float), sizeof(float));
    out[i] =
        numerics::floatToBFloat16(value, OverflowMode::InfNan, ignored).bits;
  }
  return buffer;
}

Expected<Buffer> npu::makeTensor(const NpyView &array, const TensorDesc &desc,
                                 BufferPool &pool) {
  // NumPy has no bfloat16.
  if (array.dtype == DataType::Float && desc.dtype == DataType::BFloat16) {
    Expected<Buffer> rounded = roundToBFloat16(array, pool);
    if (!rounded)
      return rounded;
    const uint64_t count = array.data.size() / sizeof(float);
    return makeTensor(
        {desc.dtype, array.shape,
         ByteView(rounded->get(), getByteSize(desc.dtype, count))},
        desc, pool);
  }
  if (array.dtype != desc.dtype)
    return Status::error("the array has elements of type " +
                         std::string(getName(array.dtype)) + "; expected " +
                         std::string(getName(desc.dtype)));
  if (array.shape == desc.shape) {
    Expected<Buffer> buffer = allocate(desc, pool);
    if (buffer)
      std::memcpy(buffer->get(), array.data.data(), desc.byteSize());
    return buffer;
  }
  if (array.shape == desc.originShape)
    return layOut(array.data.data(), desc, pool);
  std::string expected = toString(desc.shape);
  if (desc.originShape != desc.shape)
    expected += " (" + std::string(getName(desc.format)) + ") or " +
                toString(desc.originShape) + " (" +
                std::string(getName(desc.originFormat)) + ")";
  return Status::error("the array has the shape " + toString(array.shape) +
                       "; expected " + expected);
}

Expected<std::vector<Buffer>> npu::makeTensors(const NpyView &array,
                                               const TensorDesc &desc,
                                               uint64_t iterations,
                                               BufferPool &pool) {
  NpyView one = array;
  const bool isOne =
      array.shape == desc.shape || array.shape == desc.originShape;
  uint64_t count = 1;
  if (!isOne && !array.shape.empty() &&
      static_cast<uint64_t>(array.shape.front()) == iterations) {
    one.shape.erase(one.shape.begin());
    count = iterations;
    one.data = array.data.first(array.data.size() / count);
  }
  std::vector<Buffer> tensors;
  for (uint64_t i = 0; i != count; ++i) {
    one.data = array.data.subspan(i * one.data.size(), one.data.size());
    Expected<Buffer> tensor = makeTensor(one, desc, pool);
    if (!tensor) // in terms of the array that was given
      return count == 1 ? tensor.takeStatus()
                        : makeTensor(array, desc, pool).takeStatus();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// Random tensors
//===----------------------------------------------------------------------===//

namespace {
/// Numbers by index (the finaliser of SplitMix64): no state, so that a value
/// depends on its place only.
class Random {
public:
  Random(uint64_t seed, llvm::StringRef name)
      : key(mix(seed ^ llvm::xxh3_64bits(name))) {}

  uint64_t operator()(uint64_t index) const { return mix(key + index); }
  /// Uniform in [0, 1), a multiple of 2^-24.
  float unit(uint64_t index) const {
    return static_cast<float>((*this)(index) >> 40) * 0x1p-24f;
  }

private:
  static uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
  }
  uint64_t key;
};
} // namespace

/// Number of inputs that an output of the matrix or filter \p logical sums.
static int64_t getFanIn(const TensorDesc &logical) {
  const int64_t count = std::max<int64_t>(logical.numElements(), 1);
  const std::string_view format = getName(logical.format);
  const size_t outputAxis = format.find('N');
  const bool isFilter = logical.shape.size() == format.size() &&
                        outputAxis != std::string_view::npos &&
                        format.find('C') != std::string_view::npos;
  const int64_t outputs =
      isFilter ? logical.shape[outputAxis] : logical.shape.back();
  return std::max<int64_t>(count / std::max<int64_t>(outputs, 1), 1);
}

Expected<Buffer> npu::makeRandomTensor(const TensorDesc &desc,
                                       catalog::Role role, uint64_t seed,
                                       llvm::StringRef name, BufferPool &pool,
                                       ThreadPool &threads) {
  const TensorDesc logical = getLogicalDesc(desc);
  const uint64_t count = static_cast<uint64_t>(logical.numElements());
  float low = 0, width = 1;
  if (role != catalog::Role::Input) {
    const float limit =
        logical.shape.size() < 2
            ? 0.1f
            : std::sqrt(6.0f / static_cast<float>(getFanIn(logical)));
    low = -limit;
    width = 2 * limit;
  }
  Random random(seed, name);
  auto number = [&](uint64_t i) { return low + width * random.unit(i); };

  Expected<Buffer> bytes = allocate(logical, pool);
  if (!bytes)
    return bytes;
  constexpr int64_t grain = 1 << 16;
  auto fill = [&](auto element) {
    using T = decltype(element(uint64_t()));
    auto *out = reinterpret_cast<T *>(bytes->get());
    threads.parallelFor(static_cast<int64_t>(count), grain,
                        [&](int64_t begin, int64_t end, int64_t) {
                          for (int64_t i = begin; i != end; ++i)
                            out[i] = element(static_cast<uint64_t>(i));
                        });
  };
  auto fillRounded = [&]<class T>(T *out, auto round) {
    threads.parallelFor(
        static_cast<int64_t>(count), grain,
        [&](int64_t begin, int64_t end, int64_t) {
          std::array<float, 1024> numbers;
          for (int64_t i = begin; i < end; i += numbers.size()) {
            const auto part =
                static_cast<size_t>(std::min<int64_t>(end - i, numbers.size()));
            for (size_t j = 0; j != part; ++j)
              numbers[j] = number(static_cast<uint64_t>(i) + j);
            round(std::span<const float>(numbers.data(), part),
                  std::span<T>(out + i, part), OverflowMode::InfNan);
          }
        });
  };
  switch (desc.dtype) {
  case DataType::Float16:
    fillRounded(reinterpret_cast<numerics::Half *>(bytes->get()),
                [](auto... arguments) { numerics::floatToHalf(arguments...); });
    break;
  case DataType::BFloat16:
    fillRounded(
        reinterpret_cast<numerics::BFloat16 *>(bytes->get()),
        [](auto... arguments) { numerics::floatToBFloat16(arguments...); });
    break;
  case DataType::Float:
    fill(number);
    break;
  case DataType::Double:
    fill([&](uint64_t i) { return static_cast<double>(number(i)); });
    break;
  case DataType::Bool:
    fill([&](uint64_t i) { return static_cast<uint8_t>(random(i) & 1); });
    break;
  case DataType::Int8:
  case DataType::UInt8:
    fill([&](uint64_t i) { return static_cast<uint8_t>(random(i) % 10); });
    break;
  case DataType::Int16:
  case DataType::UInt16:
    fill([&](uint64_t i) { return static_cast<uint16_t>(random(i) % 10); });
    break;
  case DataType::Int32:
  case DataType::UInt32:
    fill([&](uint64_t i) { return static_cast<uint32_t>(random(i) % 10); });
    break;
  case DataType::Int64:
  case DataType::UInt64:
    fill([&](uint64_t i) { return random(i) % 10; });
    break;
  default:
    return Status::error("no random values for " +
                         std::string(getName(desc.dtype)));
  }
  if (logical.format == desc.format && logical.shape == desc.shape)
    return bytes;
  return layOut(bytes->get(), desc, pool, &threads);
}
