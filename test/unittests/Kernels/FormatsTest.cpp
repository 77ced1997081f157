// The formats that the catalogue has for an operator are those in which its
// kernel takes its tensors: the nodes of the table of status bits, and some of
// their own for operators that have a number for each axis, in other formats.

#include "OperandTensor.h"

#include "npu/Catalog/Catalog.h"

#include <algorithm>
#include <map>
#include <set>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::statustable;

namespace {

using List = std::vector<int64_t>;

/// A node, and the constants that it reads.
struct Sample {
  NodeSpec spec;
  std::vector<TestTensor> operands;
};

Sample sampleOf(const Row &row) {
  Sample sample{{row.type, "node", row.attrs, {}, {}, {}}, {}};
  for (const Operand &operand : row.raising)
    sample.operands.push_back(place(operand));
  for (const TestTensor &operand : sample.operands)
    sample.spec.inputs.push_back(operand.desc);
  if (row.outType != DataType::Undefined) {
    Shape shape = row.outShape;
    if (shape.empty())
      shape = {static_cast<int64_t>(row.saturate.out.size())};
    sample.spec.outputs.push_back(descOf(row.outType, shape, row.outFormat));
  }
  for (const auto &[dtype, shape] : row.moreOutputs)
    sample.spec.outputs.push_back(plainDesc(dtype, shape));
  return sample;
}

/// An image, whose blocks have 13 lanes of padding.
const TensorDesc Image = plainDesc(Half, {2, 3, 2, 2}, Format::NCHW);

/// Nodes with images, for operators that have a number for each axis.
std::vector<Sample> imageSamples() {
  std::vector<Sample> samples;
  auto add = [&](const char *type, std::vector<TestTensor> operands,
                 const Shape &output, Attributes attrs = {}) -> Sample & {
    Sample sample{{type, "node", std::move(attrs), {}, {}, {}}, {}};
    for (TestTensor &operand : operands)
      sample.spec.inputs.push_back(operand.desc);
    sample.spec.outputs.push_back(plainDesc(Half, output, Format::NCHW));
    sample.operands = std::move(operands);
    samples.push_back(std::move(sample));
    return samples.back();
  };
  auto list = [](const char *name, List values) {
    Attributes attrs;
    attrs.set(name, std::move(values));
    return attrs;
  };
  const TestTensor x{Image, std::vector<std::byte>(Image.byteSize())};
  auto numbers = [](const std::vector<int32_t> &values, Shape shape) {
    return tensor(plainDesc(Int, std::move(shape)), values);
  };
  const Shape same = Image.shape;
  add("Transpose", {x, numbers({0, 1, 3, 2}, {4})}, same);
  add("Slice", {x, numbers({0, 0, 1, 0}, {4}), numbers({2, 3, 1, 2}, {4})},
      {2, 3, 1, 2});
  add("Tile", {x, numbers({1, 1, 2, 1}, {4})}, {2, 3, 4, 2});
  add("Pad", {x, numbers({0, 0, 0, 0, 1, 0, 0, 0}, {4, 2})}, {2, 3, 3, 2});
  Attributes pads;
  pads.set("paddings", List{0, 0, 0, 0, 1, 0, 0, 0});
  for (const char *type : {"PadD", "PadV3D"})
    add(type, {x}, {2, 3, 3, 2}, pads);
  const TestTensor rows = numbers({0, 0, 0, 0, 1, 0, 0, 0}, {4, 2});
  for (const char *type : {"PadV2", "PadV3"})
    add(type, {x, rows, halves({}, {0})}, {2, 3, 3, 2});
  Attributes mirror;
  mirror.set("mode", std::string("REFLECT"));
  add("MirrorPad", {x, rows}, {2, 3, 3, 2}, mirror);
  Attributes block;
  block.set("block_size", int64_t(2));
  add("SpaceToDepth", {x}, {2, 12, 1, 1}, block);
  block.set("block_size", int64_t(1));
  add("DepthToSpace", {x}, same, block);
  const TestTensor zeros = numbers(std::vector<int32_t>(24), same);
  add("GatherElements", {x, zeros}, same);
  add("ScatterElements", {x, zeros, x}, same);
  Attributes confusion = list("perm", {0, 1, 2, 3});
  confusion.set("shape", List(same));
  confusion.set("transpose_first", true);
  add("ConfusionTransposeD", {x}, same, confusion);
  Attributes gradient = list("shape", List(same));
  gradient.set("begin", List{0, 0, 1, 0});
  gradient.set("end", List{2, 3, 2, 2});
  gradient.set("strides", List{1, 1, 1, 1});
  const TensorDesc row = plainDesc(Half, {2, 3, 1, 2}, Format::NCHW);
  add("StridedSliceGradD", {{row, std::vector<std::byte>(row.byteSize())}},
      same, gradient);
  for (const char *type : {"TopK", "TopKV2"})
    add(type, {x, numbers({1}, {1})}, {2, 3, 2, 1})
        .spec.outputs.push_back(plainDesc(Int, {2, 3, 2, 1}));
  for (const char *type : {"Shape", "ShapeN"})
    add(type, {x}, {4}).spec.outputs[0] = plainDesc(Int, {4});
  for (const char *type :
       {"Equal", "Greater", "GreaterEqual", "Less", "LessEqual", "NotEqual"})
    add(type, {x, x}, same).spec.outputs[0].dtype = DataType::Bool;
  return samples;
}

/// Inputs that stay as they are: numbers, masks, the parts of a matrix.
const std::map<std::string, std::set<size_t>> plainInputs = {
    {"ApplyAdam", {3, 4, 5, 6, 7, 8}},
    {"ApplyAdamD", {3, 4, 5, 6, 7, 8}},
    {"DropOutDoMask", {1, 2}},
    {"DropOutDoMaskV3", {1, 2}},
    {"DropOutDoMaskV3D", {1, 2}},
    {"DropOutGenMask", {0, 1}},
    {"DropOutGenMaskV3", {0, 1}},
    {"DropOutGenMaskV4", {0, 1}},
    {"Fill", {1}},
    {"Pack", {0, 1}},
    {"PadV2", {2}},
    {"PadV3", {2}},
    {"RandomUniformInt", {0, 1, 2}},
};

/// \p desc in \p format, with ones behind its axes up to those of an image.
TensorDesc inFormat(const TensorDesc &desc, Format format) {
  Shape shape = desc.originShape;
  if (isPlain(format))
    return plainDesc(desc.dtype, shape, desc.originFormat);
  if (format != Format::FRACTAL_NZ || shape.size() < 2)
    shape.resize(
        format == Format::FRACTAL_NZ ? 2 : std::max(shape.size(), size_t(4)),
        1);
  return privateDesc(desc.dtype, format, Format::NCHW, shape);
}

/// Whether the kernel takes the tensors of \p sample in \p format: those of
/// floats and flags, and \p withIntegers those of integers. A sample without
/// any says nothing of a private format.
bool takes(Sample sample, Format format, bool withIntegers) {
  NodeSpec &spec = sample.spec;
  const auto numbers = plainInputs.find(spec.type);
  const size_t rank =
      spec.inputs.empty() ? 0 : spec.inputs[0]->originShape.size();
  // Vectors beside a tensor of more axes stay as they are.
  auto isTensor = [&](const TensorDesc &desc) {
    return (desc.dtype == Half || desc.dtype == Float || desc.dtype == Brain ||
            desc.dtype == DataType::Bool ||
            (withIntegers && desc.dtype != DataType::UInt8)) &&
           (desc.originShape.size() >= rank || desc.originShape.size() != 1);
  };
  // A bit for each element in memory, of a tensor that is no mask itself.
  auto convertMask = [&](TensorDesc &desc, const TensorDesc &of) {
    if (desc.dtype == DataType::UInt8 && of.dtype != DataType::UInt8 &&
        !isPlain(format))
      desc = plainDesc(desc.dtype, {(of.numElements() + 127) / 128 * 16});
  };
  bool isInFormat = isPlain(format);
  for (size_t i = 0; i != spec.inputs.size(); ++i) {
    spec.constants.push_back(sample.operands[i].bytes.data());
    if (numbers != plainInputs.end() && numbers->second.contains(i))
      continue;
    if (isTensor(*spec.inputs[i])) {
      spec.inputs[i] = inFormat(*spec.inputs[i], format);
      spec.constants.back() = nullptr;
      isInFormat = true;
    }
  }
  for (TensorDesc &output : spec.outputs)
    if (isTensor(output)) {
      output = inFormat(output, format);
      isInFormat = true;
    }
  if (!isInFormat)
    return false;
  if (!spec.inputs.empty()) {
    for (auto &input : spec.inputs)
      convertMask(*input, *spec.inputs[0]);
    for (TensorDesc &output : spec.outputs)
      convertMask(output, *spec.inputs[0]);
  }
  // Numbers for the axes that were added.
  for (const auto &[name, more] :
       {std::pair("perm", -1), std::pair("begin", 0), std::pair("offsets", 0),
        std::pair("end", 1), std::pair("size", 1), std::pair("strides", 1),
        std::pair("multiples", 1)})
    if (auto list = spec.attrs.get<List>(name, {});
        list && !list->empty() && list->size() == rank && !isPlain(format)) {
      while (list->size() < 4)
        list->push_back(more < 0 ? static_cast<int64_t>(list->size()) : more);
      spec.attrs.set(name, *list);
    }
  static const Registry registry = Registry::withBuiltins();
  return registry.lookup(spec.type)->create(spec, {}).ok();
}

} // namespace

TEST(FormatsTest, KernelsTakeWhatTheCatalogueSays) {
  std::map<std::string, std::vector<Sample>> samples;
  for (const Row &row : allRows())
    if (!row.raising.empty())
      samples[row.type].push_back(sampleOf(row));
  for (Sample &sample : imageSamples())
    samples[sample.spec.type].push_back(std::move(sample));
  for (const auto &[type, all] : samples) {
    auto takesAny = [&, &all = all](Format format) {
      return std::ranges::any_of(all, [&](const Sample &sample) {
        return takes(sample, format, false) || takes(sample, format, true);
      });
    };
    const bool plain = takesAny(Format::ND), blocks = takesAny(Format::NC1HWC0),
               matrix = takesAny(Format::FRACTAL_NZ);
    SCOPED_TRACE(type);
    switch (catalog::lookup(type)->formats) {
    case catalog::Formats::Any:
      EXPECT_TRUE(plain);
      EXPECT_TRUE(blocks || matrix);
      break;
    case catalog::Formats::Plain:
      EXPECT_TRUE(plain);
      EXPECT_FALSE(blocks);
      EXPECT_FALSE(matrix);
      break;
    case catalog::Formats::Image:
      EXPECT_TRUE(plain);
      EXPECT_TRUE(blocks);
      EXPECT_FALSE(matrix);
      break;
    case catalog::Formats::Blocks:
      EXPECT_FALSE(plain);
      EXPECT_TRUE(blocks);
      EXPECT_FALSE(matrix);
      break;
    case catalog::Formats::Cube:
      EXPECT_TRUE(plain);
      EXPECT_TRUE(std::ranges::any_of(all,
                                      [](const Sample &sample) {
                                        NodeSpec spec = sample.spec;
                                        return std::ranges::any_of(
                                            spec.inputs, [](const auto &input) {
                                              return !isPlain(input->format);
                                            });
                                      }) ||
                  matrix || blocks);
      break;
    }
  }
}
