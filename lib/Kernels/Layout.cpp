//===- Layout.cpp - The formulas of the formats ---------------------------===//

#include "npu/Kernels/Layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace npu;
using namespace npu::kernels;

namespace {

/// A physical shape as text: dimensions separated by blanks, each the product
/// of its factors, outermost first. A factor is an axis letter and what of it:
///   N     the whole axis             C/  blocks of C0, C% the lane in one
///   N:    blocks of 16, N. the row in one
///   C^    the lane of C/ again: values lie on the diagonal
/// '*' stands for all leading axes of the origin, M and K for its last two.
struct FormatSpec {
  Format format;
  std::string_view text;
  std::string_view letters; ///< axes that it needs by name, in any order
};

constexpr FormatSpec specs[] = {
    {Format::NC1HWC0, "N C/ H W C%", "NCHW"},
    {Format::NC1HWC0_C04, "N C/ H W C%", "NCHW"},
    {Format::NDC1HWC0, "N D C/ H W C%", "NCDHW"},
    {Format::FRACTAL_Z, "C/HW N: N. C%", "NCHW"},
    {Format::FRACTAL_Z_3D, "DC/HW N: N. C%", "NCDHW"},
    {Format::FRACTAL_Z_C04, "S/ N: N. S%C%", "NCHW"},
    {Format::C1HWNCoC0, "C/ H W N C^ C%", "NCHW"},
    {Format::FRACTAL_NZ, "* K/ M: M. K%", ""},
    {Format::FRACTAL_NZ_C0_2, "* K/ M: M. K%", ""},
    {Format::FRACTAL_NZ_C0_4, "* K/ M: M. K%", ""},
    {Format::FRACTAL_NZ_C0_8, "* K/ M: M. K%", ""},
    {Format::FRACTAL_NZ_C0_16, "* K/ M: M. K%", ""},
    {Format::FRACTAL_NZ_C0_32, "* K/ M: M. K%", ""},
};

/// A matrix in FRACTAL_Z: the first axis takes the place of C.
constexpr FormatSpec matrixInFractalZ = {Format::FRACTAL_Z, "M/ K: K. M%", ""};

constexpr int64_t CubeRows = 16;
constexpr int64_t C04Lanes = 4;

int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// a * b, or nullopt when an int64_t cannot hold it.
std::optional<int64_t> multiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

Status checkDims(const Shape &shape, std::string_view what) {
  int64_t count = 1;
  for (int64_t dim : shape) {
    if (dim < 0)
      return Status::error(std::string(what) + " " + toString(shape) +
                           " has an unknown dimension");
    // Bytes must fit as well; no element is wider than 16.
    auto product = multiply(count, std::max<int64_t>(dim, 1));
    if (!product || *product > std::numeric_limits<int64_t>::max() / 16)
      return Status::error(std::string(what) + " " + toString(shape) +
                           " is too large");
    count = *product;
  }
  return {};
}

const FormatSpec *findSpec(Format format, size_t originRank) {
  if (format == Format::FRACTAL_Z && originRank == 2)
    return &matrixInFractalZ;
  for (const FormatSpec &spec : specs)
    if (spec.format == format)
      return &spec;
  return nullptr;
}

/// The axes that an origin of lower rank stands for when no reshape type says
/// otherwise, e.g. C for a vector.
std::string defaultLetters(Format originFormat, std::string_view all,
                           size_t rank) {
  if (rank == 1)
    return "C";
  if (rank == 2 && originFormat == Format::NCHW)
    return "CH";
  if (rank == 2 && originFormat == Format::NHWC)
    return "HW";
  return std::string(all.substr(all.size() - rank));
}

/// All ways to name \p rank axes by letters of \p all in order, the default
/// first.
std::vector<std::string> candidateLetters(Format originFormat,
                                          std::string_view all, size_t rank) {
  std::vector<std::string> result{defaultLetters(originFormat, all, rank)};
  for (unsigned mask = 0; mask < 1u << all.size(); ++mask) {
    std::string letters;
    for (size_t i = 0; i < all.size(); ++i)
      if (mask >> i & 1)
        letters += all[i];
    if (letters.size() == rank && letters != result.front())
      result.push_back(std::move(letters));
  }
  return result;
}

} // namespace

bool kernels::isPlain(Format format) {
  return format == Format::ND || !axisLetters(format).empty();
}

std::string_view kernels::axisLetters(Format format) {
  switch (format) {
  case Format::NCHW:
  case Format::NHWC:
  case Format::HWCN:
  case Format::CHWN:
  case Format::NCDHW:
  case Format::NDHWC:
  case Format::DHWCN:
  case Format::DHWNC:
  case Format::CN:
  case Format::NC:
    return getName(format);
  default:
    return {};
  }
}

int64_t kernels::defaultC0(DataType dtype) {
  switch (getBitWidth(dtype)) {
  case 4:
    return 64;
  case 8:
    return dtype == DataType::Bool ? 16 : 32;
  default:
    return 16;
  }
}

namespace npu::kernels {

/// Turns a FormatSpec and logical axes into digits and a shape.
class LayoutBuilder {
public:
  LayoutBuilder(const FormatSpec &spec, int64_t groups, int64_t c0)
      : spec(&spec), groups(std::max<int64_t>(groups, 1)), c0(c0) {}

  /// The axes are those of the origin, expanded; fails when they do not suit.
  Status build(std::vector<LogicalAxis> axes);

  Layout layout;
  Shape shape;

private:
  const FormatSpec *spec;
  int64_t groups, c0;
  // Of the N and C that one block of groups holds; the axes' own when there
  // are no groups.
  int64_t blockN = 0, blockC = 0;
  int64_t groupsPerBlock = 1;

  Status bindGroups();
  void addFactor(unsigned axis, char piece, int64_t extent);
  int64_t radix(char letter, char piece) const;
  void setStrides();
  void setParts();
};

int64_t LayoutBuilder::radix(char letter, char piece) const {
  if (piece == ':' || piece == '.')
    return CubeRows;
  if (spec->format == Format::FRACTAL_Z_C04)
    return letter == 'C' ? C04Lanes : c0 / C04Lanes;
  return c0;
}

void LayoutBuilder::addFactor(unsigned axis, char piece, int64_t extent) {
  const int64_t cut = radix(layout.logicalAxes[axis].letter, piece);
  Digit digit{axis, 1, extent, 0};
  if (piece == '/' || piece == ':') {
    digit.weight = cut;
    digit.extent = ceilDiv(extent, cut);
  } else if (piece == '%' || piece == '.') {
    digit.extent = cut;
  } else if (piece == '^') {
    digit.extent = cut;
    digit.weight = 0; // marks the repeated lane until setStrides
  }
  shape.back() *= digit.extent;
  layout.physicalDigits.push_back(digit);
}

Status LayoutBuilder::bindGroups() {
  auto n = layout.findAxis('N'), c = layout.findAxis('C');
  blockN = n ? layout.logicalAxes[*n].extent : 1;
  blockC = c ? layout.logicalAxes[*c].extent : 1;
  if (groups == 1)
    return {};
  if (spec->format != Format::FRACTAL_Z && spec->format != Format::FRACTAL_Z_3D)
    return Status::error("format " + std::string(getName(spec->format)) +
                         " has no groups");
  if (!n || !c || blockN % groups != 0)
    return Status::error("a filter of N = " + std::to_string(blockN) +
                         " cannot have " + std::to_string(groups) + " groups");
  blockN /= groups;
  if (blockN == 0 || blockC == 0)
    return {};
  // As many groups share a block as fill whole lanes and whole rows.
  groupsPerBlock = std::min(std::lcm(c0 / std::gcd(blockC, c0),
                                     CubeRows / std::gcd(blockN, CubeRows)),
                            groups);
  return {};
}

Status LayoutBuilder::build(std::vector<LogicalAxis> axes) {
  layout.logicalAxes = std::move(axes);
  if (spec->format == Format::FRACTAL_Z_C04) {
    if (c0 % C04Lanes != 0)
      return Status::error("C0 = " + std::to_string(c0) +
                           " is not a multiple of 4");
    if (auto c = layout.findAxis('C');
        c && layout.logicalAxes[*c].extent > C04Lanes)
      return Status::error("FRACTAL_Z_C04 holds at most 4 channels");
    // H and W are neighbours in every lettered format.
    auto h = layout.findAxis('H'), w = layout.findAxis('W');
    if (!h || !w)
      return Status::error("FRACTAL_Z_C04 needs axes H and W");
    layout.logicalAxes[*h].letter = 'S';
    layout.logicalAxes[*h].extent *= layout.logicalAxes[*w].extent;
    layout.logicalAxes.erase(layout.logicalAxes.begin() + *w);
  }
  if (spec->format == Format::C1HWNCoC0)
    if (auto n = layout.findAxis('N'); n && layout.logicalAxes[*n].extent > 1)
      return Status::error(
          "C1HWNCoC0 of N = " + std::to_string(layout.logicalAxes[*n].extent) +
          " is not supported, only of N = 1");
  if (Status status = bindGroups(); !status)
    return status;

  const unsigned rank = static_cast<unsigned>(layout.logicalAxes.size());
  const bool grouped = groups > 1;
  // One block of groups is followed by the next: an outer dimension that the
  // parts take care of.
  shape.push_back(grouped ? ceilDiv(groups, groupsPerBlock) : 1);
  for (size_t i = 0; i < spec->text.size(); ++i) {
    const char letter = spec->text[i];
    if (letter == ' ') {
      shape.push_back(1);
      continue;
    }
    if (letter == '*') {
      shape.pop_back();
      for (unsigned axis = 0; axis + 2 < rank; ++axis) {
        shape.push_back(1);
        addFactor(axis, 0, layout.logicalAxes[axis].extent);
      }
      continue;
    }
    char piece = 0;
    if (i + 1 < spec->text.size() &&
        std::string_view("/%:.^").find(spec->text[i + 1]) !=
            std::string_view::npos)
      piece = spec->text[++i];
    std::optional<unsigned> axis;
    if (letter == 'M' || letter == 'K')
      axis = letter == 'M' ? rank - 2 : rank - 1;
    else
      axis = layout.findAxis(letter);
    if (!axis)
      return Status::error("format " + std::string(getName(spec->format)) +
                           " needs an axis " + std::string(1, letter));
    int64_t extent = layout.logicalAxes[*axis].extent;
    if (grouped && letter == 'N')
      extent = blockN * groupsPerBlock;
    if (grouped && letter == 'C')
      extent = blockC * groupsPerBlock;
    addFactor(*axis, piece, extent);
  }
  if (Status status = checkDims(shape, "shape"); !status)
    return status;
  setStrides();
  setParts();
  return {};
}

void LayoutBuilder::setStrides() {
  auto &digits = layout.physicalDigits;
  layout.physicalCount = getNumElements(shape);
  int64_t stride = 1;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    digit->stride = stride;
    stride *= digit->extent;
  }
  // A step along the lane of a diagonal is a step along both dimensions.
  auto repeated = std::find_if(digits.begin(), digits.end(),
                               [](const Digit &d) { return d.weight == 0; });
  if (repeated == digits.end())
    return;
  layout.reversible = false;
  for (Digit &digit : digits)
    if (digit.axis == repeated->axis && digit.weight == 1)
      digit.stride += repeated->stride;
  digits.erase(repeated);
}

void LayoutBuilder::setParts() {
  if (groups == 1) {
    layout.layoutParts.push_back(
        {0, std::numeric_limits<int64_t>::max(), 0, 0, 0});
    return;
  }
  layout.reversible = false;
  const int64_t blockSize = layout.physicalCount / shape.front() *
                            (shape.front() / ceilDiv(groups, groupsPerBlock));
  for (int64_t group = 0; group < groups; ++group) {
    const int64_t inBlock = group % groupsPerBlock;
    layout.layoutParts.push_back({group * blockN, (group + 1) * blockN,
                                  inBlock * blockN - group * blockN,
                                  inBlock * blockC,
                                  group / groupsPerBlock * blockSize});
  }
}

} // namespace npu::kernels

namespace {

/// The axes of an origin of \p format, where \p names[i] is the letter of its
/// dimension i: all letters of the format, those without a dimension being 1.
std::vector<LogicalAxis> nameAxes(std::string_view all, std::string_view needed,
                                  std::string_view names, const Shape &shape) {
  std::vector<LogicalAxis> axes;
  for (char letter : all) {
    const size_t at = names.find(letter);
    if (letter == 'H' && needed.find('D') != std::string_view::npos &&
        all.find('D') == std::string_view::npos)
      axes.push_back({'D', 1});
    axes.push_back({letter, at == std::string_view::npos ? 1 : shape[at]});
  }
  return axes;
}

/// The letters of a plain tensor of \p rank dimensions, empty for none.
std::string_view lettersOf(Format format, Format originFormat, size_t rank) {
  std::string_view letters = axisLetters(format);
  if (letters.empty())
    letters = axisLetters(originFormat);
  return letters.size() == rank ? letters : std::string_view();
}

std::vector<LogicalAxis> axesInOrder(const Shape &shape,
                                     std::string_view letters) {
  std::vector<LogicalAxis> axes;
  for (size_t i = 0; i < shape.size(); ++i)
    axes.push_back({letters.empty() ? char(0) : letters[i], shape[i]});
  return axes;
}

/// Lays the origin out in a private format. Among the ways to expand an origin
/// of low rank, that which gives \p wanted, or the default one.
Expected<LayoutBuilder> buildPrivate(Format format, int64_t groups, int64_t c0,
                                     Format originFormat, const Shape &origin,
                                     const Shape *wanted) {
  // A scalar is a vector of one element.
  const Shape originShape = origin.empty() ? Shape{1} : origin;
  const FormatSpec *spec = findSpec(format, originShape.size());
  if (!spec)
    return Status::error("format " + std::string(getName(format)) +
                         " has no known layout");
  if (Status status = checkDims(originShape, "origin shape"); !status)
    return status;
  if (c0 < 1 || c0 > 4096)
    return Status::error("C0 = " + std::to_string(c0) + " is out of range");

  std::vector<std::vector<LogicalAxis>> candidates;
  if (spec->letters.empty()) {
    candidates.push_back(axesInOrder(
        originShape, lettersOf(Format::ND, originFormat, originShape.size())));
    // A vector is a matrix of one column.
    if (originShape.size() == 1)
      candidates.back().push_back({});
  } else {
    std::string_view all = axisLetters(originFormat);
    if (all.size() < 4)
      all = originShape.size() == 5 ? "NCDHW" : "NCHW";
    if (originShape.size() > all.size())
      return Status::error("origin shape " + toString(originShape) +
                           " has more dimensions than " +
                           std::string(getName(originFormat)));
    for (const std::string &names :
         candidateLetters(originFormat, all, originShape.size()))
      candidates.push_back(nameAxes(all, spec->letters, names, originShape));
  }

  std::optional<LayoutBuilder> first;
  for (std::vector<LogicalAxis> &axes : candidates) {
    LayoutBuilder builder(*spec, groups, c0);
    if (Status status = builder.build(std::move(axes)); !status) {
      if (!first)
        return status;
      continue;
    }
    if (!wanted || builder.shape == *wanted)
      return builder;
    if (!first)
      first = std::move(builder);
  }
  return std::move(*first);
}

} // namespace

Expected<Shape> kernels::physicalShape(Format format, int64_t groups,
                                       DataType dtype, Format originFormat,
                                       const Shape &originShape,
                                       std::optional<int64_t> c0) {
  if (Status status = checkDims(originShape, "origin shape"); !status)
    return status;
  if (originShape.empty() || format == Format::ND || format == originFormat)
    return originShape;
  if (isPlain(format)) {
    std::string_view to = axisLetters(format), from = axisLetters(originFormat);
    if (from.empty()) // ND to NCHW and the like is the identity
      return originShape;
    if (to.size() != originShape.size() || from.size() != to.size())
      return Status::error("origin shape " + toString(originShape) + " of " +
                           std::string(getName(originFormat)) +
                           " does not have the axes of " + std::string(to));
    Shape shape;
    for (char letter : to) {
      const size_t at = from.find(letter);
      if (at == std::string_view::npos)
        return Status::error("format " + std::string(from) + " has no axis " +
                             std::string(1, letter));
      shape.push_back(originShape[at]);
    }
    return shape;
  }
  int64_t lanes = defaultC0(dtype);
  switch (format) {
  case Format::NC1HWC0_C04:
  case Format::FRACTAL_NZ_C0_4:
    lanes = C04Lanes;
    break;
  case Format::FRACTAL_NZ_C0_2:
    lanes = 2;
    break;
  case Format::FRACTAL_NZ_C0_8:
    lanes = 8;
    break;
  case Format::FRACTAL_NZ_C0_16:
    lanes = 16;
    break;
  case Format::FRACTAL_NZ_C0_32:
    lanes = 32;
    break;
  default:
    break;
  }
  auto builder = buildPrivate(format, groups, c0.value_or(lanes), originFormat,
                              originShape, nullptr);
  if (!builder)
    return builder.takeStatus();
  return std::move(builder->shape);
}

Layout Layout::flat(const Shape &shape, std::string_view letters) {
  Layout layout;
  layout.logicalAxes = axesInOrder(shape, letters);
  layout.physicalCount = getNumElements(shape);
  layout.layoutParts.push_back(
      {0, std::numeric_limits<int64_t>::max(), 0, 0, 0});
  int64_t stride = 1;
  for (unsigned axis = layout.logicalAxes.size(); axis-- > 0;) {
    layout.physicalDigits.push_back({axis, 1, shape[axis], stride});
    stride *= shape[axis];
  }
  std::reverse(layout.physicalDigits.begin(), layout.physicalDigits.end());
  return layout;
}

Expected<Layout> Layout::create(const TensorDesc &desc) {
  if (Status status = checkDims(desc.shape, "shape"); !status)
    return status;
  if (isPlain(desc.format))
    return flat(desc.shape,
                lettersOf(desc.format, desc.originFormat, desc.shape.size()));
  // A scalar keeps its shape in every format, see physicalShape.
  if (desc.shape.empty() && getNumElements(desc.originShape) == 1)
    return flat(desc.shape, {});
  if (desc.shape.empty())
    return Status::error(desc.toString() + ": it has one element");
  auto builder = buildPrivate(desc.format, desc.groups, desc.shape.back(),
                              desc.originFormat, desc.originShape, &desc.shape);
  if (!builder || builder->shape != desc.shape) {
    // A graph need not give an origin. Then every lane counts as data.
    if (desc.originShape == desc.shape || !isPlain(desc.originFormat)) {
      const Shape &s = desc.shape;
      if (desc.format != Format::NC1HWC0 || s.size() != 5)
        return flat(s, {});
      return create({desc.dtype, desc.format, 0, s, Format::NCHW,
                     Shape{s[0], s[1] * s[4], s[2], s[3]}});
    }
    if (!builder)
      return builder.takeStatus().withContext(desc.toString());
    return Status::error(desc.toString() + ": its shape should be " +
                         npu::toString(builder->shape));
  }
  for (unsigned i = 0; i < builder->layout.logicalAxes.size(); ++i) {
    const LogicalAxis &axis = builder->layout.logicalAxes[i];
    if (axis.extent > 1 &&
        std::none_of(builder->layout.physicalDigits.begin(),
                     builder->layout.physicalDigits.end(),
                     [&](const Digit &d) { return d.axis == i; }))
      return Status::error(desc.toString() + ": the format has no axis " +
                           std::string(1, axis.letter));
  }
  return std::move(builder->layout);
}

std::optional<unsigned> Layout::findAxis(char letter) const {
  for (unsigned i = 0; i < logicalAxes.size(); ++i)
    if (logicalAxes[i].letter == letter)
      return i;
  return std::nullopt;
}

int64_t Layout::numLogical() const {
  int64_t count = 1;
  for (const LogicalAxis &axis : logicalAxes)
    count *= axis.extent;
  return count;
}

int64_t Layout::elementAt(const std::vector<int64_t> &index) const {
  const LayoutPart *part = &layoutParts.front();
  auto n = findAxis('N'), c = findAxis('C');
  if (layoutParts.size() > 1)
    for (part = &layoutParts.front(); index[*n] >= part->end;)
      ++part;
  int64_t element = part->base;
  for (const Digit &digit : physicalDigits) {
    int64_t value = index[digit.axis];
    if (n && digit.axis == *n)
      value += part->shiftN;
    if (c && digit.axis == *c)
      value += part->shiftC;
    element += value / digit.weight % digit.extent * digit.stride;
  }
  return element;
}

Layout Layout::withMergedSpatial() const {
  auto h = findAxis('H'), w = findAxis('W');
  if (!h || !w)
    return *this;
  Layout merged = *this;
  const int64_t width = logicalAxes[*w].extent;
  merged.logicalAxes[*h] = {'S', logicalAxes[*h].extent * width};
  merged.logicalAxes.erase(merged.logicalAxes.begin() + *w);
  // H and W are whole axes everywhere; each stays a digit of S.
  for (Digit &digit : merged.physicalDigits) {
    if (digit.axis == *h)
      digit.weight *= std::max<int64_t>(width, 1);
    if (digit.axis == *w)
      digit.axis = *h;
    if (digit.axis > *w)
      --digit.axis;
  }
  return merged;
}
