//===- Panels.cpp - Operands in panels of 16 columns ----------------------===//

#include "Panels.h"

#include "npu/Numerics/BFloat16.h"
#include "npu/Numerics/Half.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

using namespace npu;
using namespace npu::kernels::cube;
using namespace npu::numerics;

namespace {

/// A stretch of one panel.
struct Piece {
  int64_t job, panel, depthBegin, depthEnd;
};
constexpr int64_t PieceDepth = 4096;

/// How an element becomes one of a panel.
struct FromHalf {
  using Element = uint16_t;
  using Value = uint16_t;
  Value operator()(Element bits) const { return bits; }
  static bool isFinite(Value bits) { return (bits & 0x7C00) != 0x7C00; }
  static Value saturate(Value bits) {
    if ((bits & 0x7FFF) > 0x7C00)
      return 0;
    return (bits & 0x8000) | HalfMax.bits;
  }
};

template <class T>
struct FromFloating {
  using Element = T;
  using Value = float;
  static constexpr float Max = std::is_same_v<T, float>
                                   ? std::numeric_limits<float>::max()
                                   : 0x1.FEp127f;
  Value operator()(Element value) const {
    if constexpr (std::is_same_v<T, float>)
      return value;
    else
      return bfloat16ToFloat(value);
  }
  static bool isFinite(Value value) { return std::isfinite(value); }
  static Value saturate(Value value) {
    return std::isnan(value) ? 0 : std::copysign(Max, value);
  }
};

/// 8-bit integers are exact in fp16.
template <class T>
struct FromInteger {
  using Element = T;
  using Value = uint16_t;
  std::array<uint16_t, 256> bits;
  FromInteger() {
    StatusBits none = status::None;
    for (unsigned byte = 0; byte < 256; ++byte)
      bits[byte] =
          intToHalf(static_cast<T>(byte), OverflowMode::InfNan, none).bits;
  }
  Value operator()(Element value) const {
    return bits[static_cast<uint8_t>(value)];
  }
  static bool isFinite(Value) { return true; }
  static Value saturate(Value value) { return value; }
};

/// The element itself, of any type of its size.
template <class T>
struct Copy {
  using Element = T;
  using Value = T;
  Value operator()(Element value) const { return value; }
  static bool isFinite(Value) { return true; }
  static Value saturate(Value value) { return value; }
};

/// Packs one piece; returns whether all is finite.
template <class Convert>
bool packPiece(const Convert &convert, const OffsetMatrix &from, int64_t panel,
               int64_t depthBegin, int64_t depthEnd, OverflowMode mode,
               typename Convert::Value *to) {
  using Value = typename Convert::Value;
  const auto *data =
      reinterpret_cast<const typename Convert::Element *>(from.data);
  const int64_t firstColumn = panel * PanelWidth;
  const int64_t width = std::min(PanelWidth, from.columns() - firstColumn);
  const int64_t *columns = from.columnOffsets.data() + firstColumn;
  const bool adjacent = columns[width - 1] - columns[0] == width - 1;
  Value *next = to;
  for (int64_t k = depthBegin; k < depthEnd; ++k, next += PanelWidth) {
    const auto *row = data + from.depthOffsets[k];
    if (adjacent && width == PanelWidth)
      for (int64_t j = 0; j < PanelWidth; ++j)
        next[j] = convert(row[columns[0] + j]);
    else {
      for (int64_t j = 0; j < width; ++j)
        next[j] = convert(row[columns[j]]);
      std::fill(next + width, next + PanelWidth, Value());
    }
  }
  bool finite = true;
  for (Value *value = to; value != next; ++value)
    finite &= Convert::isFinite(*value);
  if (!finite && mode == OverflowMode::Saturate)
    for (Value *value = to; value != next; ++value)
      if (!Convert::isFinite(*value))
        *value = Convert::saturate(*value);
  return finite;
}

template <class Convert>
bool packAll(ThreadPool &pool, std::span<const PanelJob> jobs,
             OverflowMode mode, std::byte *panels) {
  std::vector<Piece> pieces;
  for (size_t job = 0; job < jobs.size(); ++job)
    for (int64_t panel = 0; panel < jobs[job].from.numPanels(); ++panel)
      for (int64_t k = 0; k < jobs[job].from.depth(); k += PieceDepth)
        pieces.push_back({static_cast<int64_t>(job), panel, k,
                          std::min(k + PieceDepth, jobs[job].from.depth())});
  const Convert convert;
  auto *values = reinterpret_cast<typename Convert::Value *>(panels);
  std::atomic<bool> finite{true};
  pool.parallelFor(
      static_cast<int64_t>(pieces.size()), 4,
      [&](int64_t begin, int64_t end, int64_t) {
        for (int64_t i = begin; i < end; ++i) {
          const Piece &piece = pieces[i];
          const PanelJob &job = jobs[piece.job];
          const int64_t at =
              job.to +
              (piece.panel * job.from.depth() + piece.depthBegin) * PanelWidth;
          if (!packPiece(convert, job.from, piece.panel, piece.depthBegin,
                         piece.depthEnd, mode, values + at))
            finite = false;
        }
      });
  return !finite;
}

} // namespace

bool npu::kernels::cube::packPanels(ThreadPool &pool,
                                    std::span<const PanelJob> jobs,
                                    DataType type, OverflowMode mode,
                                    std::byte *panels) {
  switch (type) {
  case DataType::Float16:
    return packAll<FromHalf>(pool, jobs, mode, panels);
  case DataType::BFloat16:
    return packAll<FromFloating<BFloat16>>(pool, jobs, mode, panels);
  case DataType::Int8:
    return packAll<FromInteger<int8_t>>(pool, jobs, mode, panels);
  case DataType::UInt8:
    return packAll<FromInteger<uint8_t>>(pool, jobs, mode, panels);
  default:
    return packAll<FromFloating<float>>(pool, jobs, mode, panels);
  }
}

void npu::kernels::cube::repackLeft(ThreadPool &pool,
                                    std::span<const PanelJob> jobs,
                                    DataType type, std::byte *panels) {
  switch (getBitWidth(type)) {
  case 8:
    packAll<Copy<uint8_t>>(pool, jobs, OverflowMode::InfNan, panels);
    return;
  case 16:
    packAll<Copy<uint16_t>>(pool, jobs, OverflowMode::InfNan, panels);
    return;
  default:
    packAll<Copy<uint32_t>>(pool, jobs, OverflowMode::InfNan, panels);
  }
}
