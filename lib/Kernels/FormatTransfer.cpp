//===- FormatTransfer.cpp - From one layout to another --------------------===//

#include "npu/Kernels/FormatTransfer.h"

#include <algorithm>
#include <cstring>

using namespace npu;
using namespace npu::kernels;

/// How one end lays out an axis: its digits, the lowest first, and what is
/// added to the index before it is cut.
struct FormatTransfer::SideOfAxis {
  std::vector<Digit> digits;
  int64_t shift = 0;

  int64_t offset(int64_t index) const {
    int64_t result = 0;
    for (const Digit &d : digits)
      result += (index + shift) / d.weight % d.extent * d.stride;
    return result;
  }
  /// Indices until the stride changes, index itself included; the extent is
  /// the caller's limit.
  int64_t linearRun(int64_t index, int64_t limit) const {
    if (digits.size() < 2)
      return limit;
    return digits[1].weight - (index + shift) % digits[1].weight;
  }
  int64_t step() const { return digits.empty() ? 0 : digits.front().stride; }
};

namespace {

/// The digits of \p axis, lowest first, neighbours that advance together as
/// one.
std::vector<Digit> digitsOf(const Layout &layout, unsigned axis) {
  std::vector<Digit> digits;
  for (const Digit &digit : layout.digits())
    if (digit.axis == axis && digit.extent > 1)
      digits.push_back(digit);
  std::sort(digits.begin(), digits.end(),
            [](const Digit &a, const Digit &b) { return a.weight < b.weight; });
  std::vector<Digit> merged;
  for (const Digit &digit : digits) {
    if (!merged.empty()) {
      Digit &last = merged.back();
      if (digit.weight == last.weight * last.extent &&
          digit.stride == last.stride * last.extent) {
        last.extent *= digit.extent;
        continue;
      }
    }
    merged.push_back(digit);
  }
  return merged;
}

/// The axes that hold more than one element.
std::vector<unsigned> properAxes(const Layout &layout) {
  std::vector<unsigned> result;
  for (unsigned i = 0; i < layout.axes().size(); ++i)
    if (layout.axes()[i].extent != 1)
      result.push_back(i);
  return result;
}

/// Pairs the axes of two layouts: by letter where both name theirs, else in
/// order. Empty when the logical tensors differ.
std::optional<std::vector<std::pair<unsigned, unsigned>>>
pairAxes(const Layout &source, const Layout &target) {
  std::vector<unsigned> from = properAxes(source), to = properAxes(target);
  if (from.size() != to.size())
    return std::nullopt;
  auto named = [](const Layout &layout, const std::vector<unsigned> &axes) {
    return std::all_of(axes.begin(), axes.end(), [&](unsigned axis) {
      return layout.axes()[axis].letter != 0;
    });
  };
  auto pair = [&](bool byLetter) {
    std::optional<std::vector<std::pair<unsigned, unsigned>>> pairs(
        std::in_place);
    for (size_t i = 0; i < from.size(); ++i) {
      const LogicalAxis &axis = source.axes()[from[i]];
      std::optional<unsigned> other = to[i];
      if (byLetter)
        other = target.findAxis(axis.letter);
      if (!other || target.axes()[*other].extent != axis.extent)
        return decltype(pairs)();
      pairs->push_back({from[i], *other});
    }
    return pairs;
  };
  if (named(source, from) && named(target, to)) {
    const bool sameLetters =
        std::all_of(from.begin(), from.end(), [&](unsigned axis) {
          return target.findAxis(source.axes()[axis].letter).has_value();
        });
    if (sameLetters)
      return pair(/*byLetter=*/true);
  }
  return pair(/*byLetter=*/false);
}

/// Where part \p index ends up, if the axis is N or C.
int64_t shiftOf(const Layout &layout, const LayoutPart &part, unsigned axis) {
  switch (layout.axes()[axis].letter) {
  case 'N':
    return part.shiftN;
  case 'C':
    return part.shiftC;
  default:
    return 0;
  }
}

/// One axis of a strided copy, in elements.
struct Loop {
  int64_t count, sourceStep, targetStep;
};

/// Copies rows x columns elements. Tiles keep the lines that one side jumps
/// over in the cache until the other side has used them up.
template <typename T>
void copyPlane(const T *source, T *target, const Loop &rows,
               const Loop &columns) {
  constexpr int64_t Tile = 64;
  for (int64_t c0 = 0; c0 < columns.count; c0 += Tile) {
    const int64_t cEnd = std::min(c0 + Tile, columns.count);
    for (int64_t r = 0; r < rows.count; ++r) {
      const T *s = source + r * rows.sourceStep;
      T *t = target + r * rows.targetStep;
      for (int64_t c = c0; c < cEnd; ++c)
        t[c * columns.targetStep] = s[c * columns.sourceStep];
    }
  }
}

/// Bits of an element anywhere in memory: a dump file's payloads start behind a
/// header of any length.
template <size_t Size>
struct Element {
  std::byte bytes[Size];
};

/// Copies a box whose loops are ordered from outermost to innermost.
template <typename T>
void copyBox(const T *source, T *target, const Loop *loops, size_t count) {
  if (count > 2) {
    for (int64_t i = 0; i < loops->count; ++i)
      copyBox(source + i * loops->sourceStep, target + i * loops->targetStep,
              loops + 1, count - 1);
    return;
  }
  static constexpr Loop once = {1, 0, 0};
  const Loop &rows = count == 2 ? loops[0] : once;
  const Loop &columns = count >= 1 ? loops[count - 1] : once;
  if (columns.sourceStep == 1 && columns.targetStep == 1) {
    for (int64_t r = 0; r < rows.count; ++r)
      std::memcpy(target + r * rows.targetStep, source + r * rows.sourceStep,
                  columns.count * sizeof(T));
    return;
  }
  copyPlane(source, target, rows, columns);
}

void copyBox(const std::byte *source, std::byte *target, int64_t elementSize,
             const std::vector<Loop> &loops) {
  auto as = [&]<typename T>(T) {
    copyBox(reinterpret_cast<const T *>(source), reinterpret_cast<T *>(target),
            loops.data(), loops.size());
  };
  switch (elementSize) {
  case 1:
    return as(Element<1>());
  case 2:
    return as(Element<2>());
  case 4:
    return as(Element<4>());
  case 8:
    return as(Element<8>());
  default:
    return as(Element<16>()); // complex128
  }
}

} // namespace

std::vector<FormatTransfer::Segment>
FormatTransfer::joinSegments(int64_t extent, const SideOfAxis &source,
                             const SideOfAxis &target) {
  std::vector<Segment> segments;
  for (int64_t index = 0; index < extent;) {
    const int64_t left = extent - index;
    const int64_t length = std::min(
        {left, source.linearRun(index, left), target.linearRun(index, left)});
    segments.push_back({length, source.offset(index), source.step(),
                        target.offset(index), target.step()});
    index += length;
  }
  return segments;
}

Expected<FormatTransfer> FormatTransfer::create(const TensorDesc &source,
                                                const TensorDesc &target) {
  auto fail = [&](const std::string &why) {
    return Status::error("cannot lay out " + source.toString() + " as " +
                         target.toString() + ": " + why);
  };
  const unsigned bits = getBitWidth(source.dtype);
  if (bits == 0 || bits % 8 != 0)
    return fail("elements are not whole bytes");
  if (bits != getBitWidth(target.dtype))
    return fail("elements differ in width");
  auto from = Layout::create(source), to = Layout::create(target);
  if (!from)
    return from.takeStatus();
  if (!to)
    return to.takeStatus();
  if (from->findAxis('S') || to->findAxis('S')) {
    *from = from->withMergedSpatial();
    *to = to->withMergedSpatial();
  }
  auto pairs = pairAxes(*from, *to);
  if (!pairs)
    return fail("they are different logical tensors");

  FormatTransfer transfer;
  transfer.elementSize = bits / 8;
  transfer.targetBytes = to->numElements() * transfer.elementSize;
  transfer.clearTarget = to->hasPadding();
  if (from->numLogical() == 0)
    return transfer;
  for (const LayoutPart &a : from->parts()) {
    for (const LayoutPart &b : to->parts()) {
      const int64_t begin = std::max(a.begin, b.begin);
      const int64_t end = std::min(a.end, b.end);
      if (begin >= end)
        continue;
      Part part{a.base, b.base, {}};
      // An N of one element is no proper axis, but still has its shift.
      auto onlyShift = [](const Layout &layout, const LayoutPart &p) {
        int64_t result = 0;
        for (const Digit &d : layout.digits())
          if (layout.axes()[d.axis].extent == 1)
            result +=
                shiftOf(layout, p, d.axis) / d.weight % d.extent * d.stride;
        return result;
      };
      part.sourceBase += onlyShift(*from, a);
      part.targetBase += onlyShift(*to, b);
      for (auto [fromAxis, toAxis] : *pairs) {
        int64_t first = 0, extent = from->axes()[fromAxis].extent;
        if (from->axes()[fromAxis].letter == 'N' ||
            to->axes()[toAxis].letter == 'N') {
          first = begin;
          extent = std::min(end, extent) - begin;
        }
        SideOfAxis s{digitsOf(*from, fromAxis),
                     first + shiftOf(*from, a, fromAxis)};
        SideOfAxis t{digitsOf(*to, toAxis), first + shiftOf(*to, b, toAxis)};
        part.axes.push_back(joinSegments(extent, s, t));
      }
      transfer.parts.push_back(std::move(part));
    }
  }
  return transfer;
}

void FormatTransfer::run(const std::byte *source, std::byte *target,
                         ThreadPool *pool) const {
  const auto forEach = [&](int64_t count, int64_t grain, const auto &body) {
    if (pool)
      pool->parallelFor(count, grain, body);
    else
      body(0, count, 0);
  };
  if (clearTarget)
    forEach(targetBytes, 1 << 18, [&](int64_t begin, int64_t end, int64_t) {
      std::memset(target + begin, 0, end - begin);
    });
  for (const Part &part : parts) {
    int64_t numBoxes = 1, elements = 1;
    for (const auto &segments : part.axes) {
      numBoxes *= static_cast<int64_t>(segments.size());
      elements *= segments.front().length;
    }
    // Few boxes are cut, each along its outermost loop.
    constexpr int64_t enoughBoxes = 64, elementsInSlice = 8192;
    const int64_t slices =
        numBoxes < enoughBoxes
            ? std::max<int64_t>(1, elements / elementsInSlice)
            : 1;
    const auto copy = [&](int64_t begin, int64_t end, int64_t) {
      std::vector<Loop> loops;
      for (int64_t item = begin; item < end; ++item) {
        loops.clear();
        int64_t from = part.sourceBase, to = part.targetBase,
                rest = item / slices;
        for (size_t axis = part.axes.size(); axis-- > 0;) {
          const auto &segments = part.axes[axis];
          const Segment &segment = segments[rest % segments.size()];
          rest /= static_cast<int64_t>(segments.size());
          from += segment.sourceStart;
          to += segment.targetStart;
          if (segment.length > 1)
            loops.push_back(
                {segment.length, segment.sourceStep, segment.targetStep});
        }
        // Innermost what is nearest in the target: writes go in order.
        std::sort(loops.begin(), loops.end(), [](const Loop &a, const Loop &b) {
          return a.targetStep > b.targetStep;
        });
        // Loops that continue each other on both sides become one.
        for (size_t i = loops.size(); i-- > 1;) {
          Loop &inner = loops[i], &outer = loops[i - 1];
          if (outer.sourceStep != inner.sourceStep * inner.count ||
              outer.targetStep != inner.targetStep * inner.count)
            continue;
          outer = {outer.count * inner.count, inner.sourceStep,
                   inner.targetStep};
          loops.erase(loops.begin() + static_cast<ptrdiff_t>(i));
        }
        if (slices > 1) { // of so many elements that there is a loop
          Loop &outer = loops.front();
          const int64_t slice = item % slices;
          const int64_t first = outer.count * slice / slices;
          from += first * outer.sourceStep;
          to += first * outer.targetStep;
          outer.count = outer.count * (slice + 1) / slices - first;
        }
        copyBox(source + from * elementSize, target + to * elementSize,
                elementSize, loops);
      }
    };
    forEach(numBoxes * slices, std::max<int64_t>(1, elementsInSlice / elements),
            copy);
  }
}
