//===- Slice.cpp - Slices and their gradient ------------------------------===//

#include "Slice.h"
#include "Builtins.h"
#include "ConstantInput.h"
#include "DroppedInputs.h"
#include "KernelChecks.h"
#include "Rearrangement.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;

namespace {

using IntList = std::vector<int64_t>;

/// What a slice takes of one axis of the sliced tensor.
struct Range {
  int64_t begin = 0, stride = 1, count = 0;
};

/// The ranges of a strided slice as TensorFlow defines it, with its masks.
class StridedSliceParser {
public:
  StridedSliceParser(const NodeSpec &spec, const Shape &shape)
      : spec(spec), shape(shape) {}

  /// Reads begin, end and strides from attributes or inputs.
  Expected<std::vector<Range>> parse(bool areAttributes);
  /// Of what parse found: without the axes that the slice drops, and with those
  /// that it adds.
  const Shape &resultShape() const { return result; }

private:
  static bool has(int64_t mask, size_t entry) {
    return entry < 63 && (mask >> entry & 1) != 0;
  }
  Expected<Range> parseEntry(size_t entry, int64_t extent) const;
  Status readEntries(bool areAttributes);
  Status orderByAxes(const IntList &axes);

  const NodeSpec &spec;
  const Shape &shape;
  Shape result;
  IntList begin, end, strides;
  int64_t beginMask = 0, endMask = 0, ellipsisMask = 0, newAxisMask = 0,
          shrinkAxisMask = 0;
};

Expected<Range> StridedSliceParser::parseEntry(size_t entry,
                                               int64_t extent) const {
  const int64_t stride = strides[entry];
  if (has(shrinkAxisMask, entry)) {
    const int64_t place =
        begin[entry] < 0 ? begin[entry] + extent : begin[entry];
    if (place < 0 || place >= extent)
      return Status::error("begin " + std::to_string(begin[entry]) +
                           " is outside of an axis of " +
                           std::to_string(extent));
    return Range{place, 1, 1};
  }
  if (stride == 0 || stride < -(int64_t(1) << 62))
    return Status::error("stride " + std::to_string(stride) + " of entry " +
                         std::to_string(entry) + ", expected another than 0");
  // Positions before the first and behind the last element a slice may begin
  // and end at.
  const int64_t least = stride > 0 ? 0 : -1;
  const int64_t most = stride > 0 ? extent : extent - 1;
  auto place = [&](int64_t value) {
    return std::clamp(value < 0 ? value + extent : value, least, most);
  };
  const int64_t from =
      has(beginMask, entry) ? (stride > 0 ? least : most) : place(begin[entry]);
  const int64_t to =
      has(endMask, entry) ? (stride > 0 ? most : least) : place(end[entry]);
  Range range{from, stride, 0};
  if (stride > 0 && to > from)
    range.count = (to - from - 1) / stride + 1;
  else if (stride < 0 && to < from)
    range.count = (from - to - 1) / -stride + 1;
  return range;
}

/// Reads begin, end and strides. StridedSliceV2 has axes before the strides and
/// may lack both: then an entry is for each axis in order, with a stride of 1.
Status StridedSliceParser::readEntries(bool areAttributes) {
  const bool isV2 = spec.type == "StridedSliceV2";
  auto read = [&](size_t input, const char *name, IntList &list) -> Status {
    auto values = readIntegers(spec, areAttributes, input, name);
    if (!values)
      return values.takeStatus();
    list = std::move(*values);
    return {};
  };
  auto has = [&](size_t input) {
    return input < spec.inputs.size() && spec.inputs[input];
  };
  if (Status status = read(1, "begin", begin); !status)
    return status;
  if (Status status = read(2, "end", end); !status)
    return status;
  if (isV2 && !has(4))
    strides.assign(begin.size(), 1);
  else if (Status status = read(isV2 ? 4 : 3, "strides", strides); !status)
    return status;
  if (begin.size() != end.size() || begin.size() != strides.size())
    return Status::error(
        "begin, end and strides have " + std::to_string(begin.size()) + ", " +
        std::to_string(end.size()) + " and " + std::to_string(strides.size()) +
        " elements, expected the same number");
  if (!isV2 || !has(3))
    return {};
  IntList axes;
  if (Status status = read(3, "axes", axes); !status)
    return status;
  return orderByAxes(axes);
}

/// Makes an entry for each axis of the tensor of those for \p axes.
Status StridedSliceParser::orderByAxes(const IntList &axes) {
  if (axes.size() != begin.size())
    return Status::error("axes has " + std::to_string(axes.size()) +
                         " elements, expected " + std::to_string(begin.size()));
  IntList first(shape.size(), 0), last(shape), steps(shape.size(), 1);
  std::vector<bool> taken(shape.size());
  for (size_t entry = 0; entry < axes.size(); ++entry) {
    auto axis = normalizeAxis(axes[entry], shape.size());
    if (!axis)
      return axis.takeStatus();
    if (taken[*axis])
      return Status::error("axes has axis " + std::to_string(*axis) + " twice");
    taken[*axis] = true;
    first[*axis] = begin[entry];
    last[*axis] = end[entry];
    steps[*axis] = strides[entry];
  }
  begin = std::move(first);
  end = std::move(last);
  strides = std::move(steps);
  return {};
}

Expected<std::vector<Range>> StridedSliceParser::parse(bool areAttributes) {
  if (Status status = readEntries(areAttributes); !status)
    return status;
  struct Mask {
    const char *name;
    int64_t &mask;
  };
  for (const Mask &field :
       {Mask{"begin_mask", beginMask}, Mask{"end_mask", endMask},
        Mask{"ellipsis_mask", ellipsisMask}, Mask{"new_axis_mask", newAxisMask},
        Mask{"shrink_axis_mask", shrinkAxisMask}}) {
    auto mask = spec.attribute<int64_t>(field.name);
    if (!mask)
      return mask.takeStatus();
    field.mask = *mask;
  }
  // Entries that stand for an axis of the tensor; an ellipsis stands for all
  // that the others leave.
  size_t named = 0;
  bool seen = false;
  for (size_t entry = 0; entry < begin.size(); ++entry) {
    if (has(ellipsisMask, entry)) {
      if (seen)
        return Status::error("ellipsis_mask has two bits, expected one");
      seen = true;
    } else if (!has(newAxisMask, entry)) {
      ++named;
    }
  }
  if (named > shape.size())
    return Status::error("slices " + std::to_string(named) +
                         " axes of a tensor of " +
                         std::to_string(shape.size()));
  std::vector<Range> ranges;
  auto takeWhole = [&] {
    result.push_back(shape[ranges.size()]);
    ranges.push_back({0, 1, shape[ranges.size()]});
  };
  for (size_t entry = 0; entry < begin.size(); ++entry) {
    if (has(ellipsisMask, entry)) {
      for (size_t i = named; i < shape.size(); ++i)
        takeWhole();
    } else if (has(newAxisMask, entry)) {
      result.push_back(1);
    } else {
      auto range = parseEntry(entry, shape[ranges.size()]);
      if (!range)
        return range.takeStatus();
      if (!has(shrinkAxisMask, entry))
        result.push_back(range->count);
      ranges.push_back(*range);
    }
  }
  while (ranges.size() < shape.size())
    takeWhole();
  return ranges;
}

/// The ranges of Slice: a size of -1 reaches to the end.
Expected<std::vector<Range>>
parseSlice(const NodeSpec &spec, const Shape &shape, bool areAttributes) {
  auto offsets = readIntegers(spec, areAttributes, 1, "offsets");
  if (!offsets)
    return offsets.takeStatus();
  auto size = readIntegers(spec, areAttributes, 2, "size");
  if (!size)
    return size.takeStatus();
  if (offsets->size() != shape.size() || size->size() != shape.size())
    return Status::error(
        "offsets and size have " + std::to_string(offsets->size()) + " and " +
        std::to_string(size->size()) + " elements, expected one for each of " +
        std::to_string(shape.size()) + " axes");
  std::vector<Range> ranges;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t begin = (*offsets)[axis];
    if (begin < 0 || begin > shape[axis])
      return Status::error("offset " + std::to_string(begin) +
                           " is outside of an axis of " +
                           std::to_string(shape[axis]));
    const int64_t left = shape[axis] - begin;
    const int64_t count = (*size)[axis] == -1 ? left : (*size)[axis];
    if (count < 0 || count > left)
      return Status::error("size " + std::to_string(count) + " from " +
                           std::to_string(begin) + " on exceeds an axis of " +
                           std::to_string(shape[axis]));
    ranges.push_back({begin, 1, count});
  }
  return ranges;
}

/// Whether \p shape has the extents of \p ranges, apart from axes of one
/// element, which a slice adds and drops.
bool matches(const std::vector<Range> &ranges, const Shape &shape) {
  IntList counts, extents;
  for (const Range &range : ranges)
    if (range.count != 1)
      counts.push_back(range.count);
  for (int64_t extent : shape)
    if (extent != 1)
      extents.push_back(extent);
  return counts == extents;
}

/// Steps of a slice in a tensor of \p shape, and where it starts.
struct Placement {
  IntList steps;
  int64_t base = 0;

  Placement(const std::vector<Range> &ranges, const Shape &shape)
      : steps(rowMajorSteps(shape)) {
    for (size_t axis = 0; axis < ranges.size(); ++axis) {
      base += ranges[axis].begin * steps[axis];
      steps[axis] *= ranges[axis].stride;
    }
  }
};

Shape countsOf(const std::vector<Range> &ranges) {
  Shape counts;
  for (const Range &range : ranges)
    counts.push_back(range.count);
  return counts;
}

Expected<std::unique_ptr<Kernel>> createSlice(const NodeSpec &spec,
                                              const NumericConfig &) {
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  const Shape &whole = plan->inputShape(0);
  const bool areAttributes = spec.type.ends_with("D");
  auto ranges = spec.type.starts_with("Strided")
                    ? StridedSliceParser(spec, whole).parse(areAttributes)
                    : parseSlice(spec, whole, areAttributes);
  if (!ranges)
    return inNode(spec, ranges.takeStatus());
  if (!matches(*ranges, plan->outputShape()))
    return nodeError(spec, "a slice of " + toString(countsOf(*ranges)) +
                               " of " + spec.inputs[0]->toString() +
                               " does not give " + spec.outputs[0].toString());
  const Placement source(*ranges, whole);
  const Shape counts = countsOf(*ranges);
  const IntList target = rowMajorSteps(counts);
  std::vector<StridedCopy::Axis> axes;
  for (size_t i = 0; i < counts.size(); ++i)
    axes.push_back({counts[i], source.steps[i], target[i]});
  plan->copy(0, 0, std::move(axes), source.base);
  return std::move(*plan).takeKernel();
}

/// StridedSliceGradD: zeros of attribute shape, with the input where the slice
/// took it from.
Expected<std::unique_ptr<Kernel>> createSliceGrad(const NodeSpec &spec,
                                                  const NumericConfig &) {
  auto plan = Rearrangement::create(spec, 1);
  if (!plan)
    return plan.takeStatus();
  auto whole = spec.attrs.require<IntList>("shape");
  if (!whole)
    return inNode(spec, whole.takeStatus());
  // The output may have dropped axes of one element.
  if (std::any_of(whole->begin(), whole->end(),
                  [](int64_t extent) { return extent < 0; }) ||
      getNumElements(*whole) != getNumElements(plan->outputShape()))
    return nodeError(spec, "attribute 'shape' is " + toString(*whole) +
                               ", but the output is " +
                               spec.outputs[0].toString());
  auto ranges = StridedSliceParser(spec, *whole).parse(true);
  if (!ranges)
    return inNode(spec, ranges.takeStatus());
  if (!matches(*ranges, plan->inputShape(0)))
    return nodeError(spec, "a slice of " + toString(countsOf(*ranges)) +
                               " does not give " + spec.inputs[0]->toString());
  const Placement target(*ranges, *whole);
  const Shape counts = countsOf(*ranges);
  const IntList source = rowMajorSteps(counts);
  std::vector<StridedCopy::Axis> axes;
  for (size_t i = 0; i < counts.size(); ++i)
    axes.push_back({counts[i], source[i], target.steps[i]});
  plan->clearOutputs();
  plan->copy(0, 0, std::move(axes), 0, target.base);
  return std::move(*plan).takeKernel();
}

/// StridedSliceGrad: what StridedSliceGradD has as attributes comes in first.
Expected<std::unique_ptr<Kernel>>
createSliceGradOfInputs(const NodeSpec &spec, const NumericConfig &config) {
  constexpr const char *names[] = {"shape", "begin", "end", "strides"};
  NodeSpec attributed = spec;
  attributed.type = "StridedSliceGradD";
  for (size_t i = 0; i < std::size(names); ++i) {
    auto values = readConstantInput(spec, i, names[i]);
    if (!values)
      return inNode(spec, values.takeStatus());
    attributed.attrs.set(names[i], std::move(*values));
  }
  return createWithoutInputs(attributed, config, createSliceGrad, 0,
                             std::size(names));
}

} // namespace

Expected<Shape> kernels::inferSliceShape(const NodeSpec &spec) {
  const Shape &whole = spec.inputs[0]->originShape;
  const bool areAttributes = spec.type.ends_with("D");
  if (!spec.type.starts_with("Strided")) {
    auto ranges = parseSlice(spec, whole, areAttributes);
    if (!ranges)
      return ranges.takeStatus();
    return countsOf(*ranges);
  }
  StridedSliceParser parser(spec, whole);
  auto ranges = parser.parse(areAttributes);
  if (!ranges)
    return ranges.takeStatus();
  return parser.resultShape();
}

void kernels::addSlice(Registry &registry) {
  for (const char *type :
       {"Slice", "SliceD", "StridedSlice", "StridedSliceD", "StridedSliceV2"})
    registry.add(type, {createSlice, "copies", status::None});
  registry.add("StridedSliceGradD",
               {createSliceGrad, "copies; zero elsewhere", status::None});
  registry.add("StridedSliceGrad", {createSliceGradOfInputs,
                                    "copies; zero elsewhere", status::None});
}
