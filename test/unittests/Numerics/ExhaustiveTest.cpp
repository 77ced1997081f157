//===- ExhaustiveTest.cpp - All 2^32 floats -------------------------------===//
//
// Converts every float to fp16 and bf16, in both overflow modes, with the
// scalar functions and on each target, and compares with a walk along the
// values of the format: from one float to the next the nearest value stays or
// moves one step. Prints what failed and returns 1, or the time it took.
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "npu/Numerics/Convert.h"
#include "npu/Numerics/SimdTarget.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <span>
#include <thread>

using namespace npu;
using namespace npu::numerics;

namespace {

constexpr uint32_t BlockSize = 1 << 16;
constexpr uint32_t InfinityBits = 0x7F800000;

/// Nearest-even rounding of nonnegative floats, asked in ascending order.
class Walk {
public:
  Walk(const reference::Format &format, uint32_t firstBits) : format(format) {
    code = format.round(std::bit_cast<float>(firstBits));
    findNext();
  }

  /// The encoding of the float with \p bits, at least those asked before.
  uint32_t round(uint32_t bits) {
    while (bits >= next) {
      ++code;
      findNext();
    }
    return code;
  }

private:
  /// The first float that rounds above code. Midpoints of halves and bfloats
  /// are floats; a tie goes up from an odd encoding.
  void findNext() {
    if (code == format.overflow()) {
      next = UINT32_MAX;
      return;
    }
    const double middle = (format.values[code] + format.values[code + 1]) / 2;
    next =
        std::bit_cast<uint32_t>(static_cast<float>(middle)) + (code % 2 == 0);
  }

  const reference::Format &format;
  uint32_t code;
  uint32_t next;
};

template <typename Small>
struct Type;
template <>
struct Type<Half> {
  static constexpr const char *name = "fp16";
  static constexpr uint16_t infinity = 0x7C00, quiet = 0x0200;
  static constexpr int dropped = 13;
  static const reference::Format &format() { return reference::half(); }
  static Half scalar(float x, OverflowMode mode, StatusBits &status) {
    return floatToHalf(x, mode, status);
  }
  static StatusBits array(std::span<const float> from, std::span<Half> to,
                          OverflowMode mode) {
    return floatToHalf(from, to, mode);
  }
};
template <>
struct Type<BFloat16> {
  static constexpr const char *name = "bf16";
  static constexpr uint16_t infinity = 0x7F80, quiet = 0x0040;
  static constexpr int dropped = 16;
  static const reference::Format &format() { return reference::bfloat16(); }
  static BFloat16 scalar(float x, OverflowMode mode, StatusBits &status) {
    return floatToBFloat16(x, mode, status);
  }
  static StatusBits array(std::span<const float> from, std::span<BFloat16> to,
                          OverflowMode mode) {
    return floatToBFloat16(from, to, mode);
  }
};

/// Buffers of one thread.
struct Buffers {
  std::vector<float> from = std::vector<float>(BlockSize);
  std::vector<uint16_t> expected = std::vector<uint16_t>(BlockSize);
};

/// Checks the floats from \p first on; false if one differs. The scalar
/// function is checked where \p withScalar.
template <typename Small>
bool checkBlock(uint32_t first, OverflowMode mode, bool withScalar,
                Buffers &buffers) {
  using T = Type<Small>;
  const reference::Format &format = T::format();
  const uint16_t sign = first >> 31 ? 0x8000 : 0;
  const uint16_t beyond =
      mode == OverflowMode::Saturate ? T::infinity - 1 : T::infinity;
  StatusBits expectedStatus = status::None;
  Walk walk(format, std::min(first & 0x7FFFFFFF, InfinityBits - 1));
  for (uint32_t i = 0; i < BlockSize; ++i) {
    const uint32_t bits = first + i, magnitude = bits & 0x7FFFFFFF;
    buffers.from[i] = std::bit_cast<float>(bits);
    uint16_t &expected = buffers.expected[i];
    if (magnitude > InfinityBits) {
      const uint32_t payload = (magnitude - InfinityBits) >> T::dropped;
      expected = mode == OverflowMode::Saturate
                     ? 0
                     : sign | T::infinity | T::quiet | uint16_t(payload);
    } else if (magnitude == InfinityBits) {
      expected = sign | beyond;
    } else {
      const uint32_t code = walk.round(magnitude);
      if (code == format.overflow())
        expectedStatus |= status::CastOverflow;
      if (code == 0 && magnitude != 0)
        expectedStatus |= status::CastUnderflow;
      expected = sign | (code == format.overflow() ? beyond : uint16_t(code));
    }
  }

  std::vector<Small> to(BlockSize);
  const auto agree = [&](const char *what, StatusBits status) {
    for (uint32_t i = 0; i < BlockSize; ++i)
      if (to[i].bits != buffers.expected[i]) {
        std::printf("%s %s %s: %08x gives %04x, expected %04x\n", T::name,
                    getName(mode).data(), what, first + i, to[i].bits,
                    buffers.expected[i]);
        return false;
      }
    if (status != expectedStatus)
      std::printf("%s %s %s: block of %08x has status %llx, expected %llx\n",
                  T::name, getName(mode).data(), what, first,
                  static_cast<unsigned long long>(status),
                  static_cast<unsigned long long>(expectedStatus));
    return status == expectedStatus;
  };
  if (withScalar) {
    StatusBits status = status::None;
    for (uint32_t i = 0; i < BlockSize; ++i)
      to[i] = T::scalar(buffers.from[i], mode, status);
    return agree("scalar", status);
  }
  return agree("array", T::array(buffers.from, to, mode));
}

/// All blocks on all processors.
bool checkAll(bool withScalar) {
  std::atomic<uint32_t> nextBlock = 0;
  std::atomic<bool> good = true;
  const auto work = [&] {
    Buffers buffers;
    for (uint32_t block; (block = nextBlock++) < (1u << 16) && good;)
      for (OverflowMode mode : {OverflowMode::Saturate, OverflowMode::InfNan})
        if (!checkBlock<Half>(block * BlockSize, mode, withScalar, buffers) ||
            !checkBlock<BFloat16>(block * BlockSize, mode, withScalar, buffers))
          good = false;
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  return good;
}

bool timed(const char *what, bool withScalar) {
  const auto start = std::chrono::steady_clock::now();
  const bool good = checkAll(withScalar);
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - start;
  std::printf("%s: 2^32 floats to fp16 and bf16, both modes, %.0f s%s\n", what,
              time.count(), good ? "" : ", FAILED");
  std::fflush(stdout);
  return good;
}

} // namespace

int main() {
  bool good = timed("scalar", true);
  for (SimdTarget target : getSupportedTargets()) {
    setTargetForTest(target);
    good &= timed(getName(target).data(), false);
  }
  return good ? 0 : 1;
}
