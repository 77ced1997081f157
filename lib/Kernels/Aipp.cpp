//===- Aipp.cpp - Images on their way to a network ------------------------===//
//
// What the unit that loads images does with their pixels: it swaps channels,
// cuts out a window, converts colours, scales, and adds borders. Parameters are
// those of the function 'aipp' among the attributes of the node.
//
//===----------------------------------------------------------------------===//

#include "Aipp.h"

#include "Builtins.h"
#include "FloatInstructions.h"
#include "KernelChecks.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/Registry.h"

#include <algorithm>
#include <array>
#include <charconv>

using namespace npu;
using namespace npu::kernels;

namespace {

/// As the parameter 'input_format' counts them.
enum class PixelFormat : int64_t { YUV420SP = 1, XRGB8888, RGB888, YUV400 };

constexpr size_t NumColours = 3, MaxChannels = 4, NumValues = 256;
using Pixel = std::array<uint8_t, MaxChannels>;

std::string getName(PixelFormat format) {
  constexpr const char *names[] = {"YUV420SP_U8", "XRGB8888_U8", "RGB888_U8",
                                   "YUV400_U8"};
  return names[static_cast<int64_t>(format) - 1];
}

size_t countChannels(PixelFormat format) {
  switch (format) {
  case PixelFormat::XRGB8888:
    return MaxChannels;
  case PixelFormat::YUV400:
    return 1;
  default:
    return NumColours;
  }
}

/// Bytes of an image of so many pixels.
int64_t sizeOfImage(PixelFormat format, int64_t pixels) {
  return format == PixelFormat::YUV420SP
             ? pixels + pixels / 2
             : pixels * static_cast<int64_t>(countChannels(format));
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Reads the parameters of a node, and keeps the first failure. What is absent
/// has the default of the documents.
class ParameterReader {
public:
  explicit ParameterReader(const Attributes &attrs) : attrs(attrs) {}

  template <typename T>
  T read(const std::string &name, T fallback) {
    auto value = attrs.get<T>("aipp." + name, fallback);
    if (value)
      return *value;
    fail(value.takeStatus());
    return fallback;
  }
  /// Fails where the parameter asks for what no document defines.
  void refuse(const std::string &name) {
    if (read<bool>(name, false))
      fail(Status::error("attribute 'aipp." + name +
                         "' is true, expected false: what it does is in no "
                         "public document"));
  }
  void fail(Status status) {
    if (failure)
      failure = std::move(status);
  }
  Status takeFailure() { return std::move(failure); }

private:
  const Attributes &attrs;
  Status failure;
};

PixelFormat readFormat(const Attributes &attrs, ParameterReader &reader) {
  auto format = attrs.require<int64_t>("aipp.input_format");
  if (!format)
    reader.fail(format.takeStatus());
  else if (*format >= 1 && *format <= 4)
    return static_cast<PixelFormat>(*format);
  else
    reader.fail(Status::error(
        "attribute 'aipp.input_format' is " + std::to_string(*format) +
        ", expected 1 (YUV420SP_U8), 2 (XRGB8888_U8), 3 (RGB888_U8) or 4 "
        "(YUV400_U8)"));
  return PixelFormat::RGB888;
}

/// Lines and columns of an image, the window that is cut out of it, and what is
/// added around that. An extent of 0 is that of the output.
struct Window {
  int64_t height = 0, width = 0;
  int64_t top = 0, left = 0, rows = 0, columns = 0;
  int64_t above = 0, below = 0, before = 0, behind = 0;

  static Window read(ParameterReader &reader);
};

Window Window::read(ParameterReader &reader) {
  Window window;
  auto number = [&](const char *name) { return reader.read<int64_t>(name, 0); };
  window.height = number("src_image_size_h");
  window.width = number("src_image_size_w");
  if (reader.read<bool>("crop", false)) {
    window.top = number("load_start_pos_h");
    window.left = number("load_start_pos_w");
    window.rows = number("crop_size_h");
    window.columns = number("crop_size_w");
  } else {
    window.rows = window.height;
    window.columns = window.width;
  }
  if (reader.read<bool>("padding", false)) {
    window.above = number("top_padding_size");
    window.below = number("bottom_padding_size");
    window.before = number("left_padding_size");
    window.behind = number("right_padding_size");
  }
  for (int64_t extent : {window.height, window.width, window.top, window.left,
                         window.rows, window.columns, window.above,
                         window.below, window.before, window.behind})
    if (extent < 0 || extent > 65535)
      reader.fail(Status::error("a size among the parameters of 'aipp' is " +
                                std::to_string(extent) +
                                ", expected 0 to 65535"));
  return window;
}

/// A matrix in units of 1 / 256, and what is taken off before and added after.
struct ColourConversion {
  std::array<std::array<int64_t, NumColours>, NumColours> matrix;
  std::array<int64_t, NumColours> before = {}, after = {};

  static ColourConversion read(PixelFormat format, ParameterReader &reader);
  void convert(Pixel &pixel) const;
};

/// From YUV a bias is taken off what comes in, to YUV one is added to what goes
/// out.
ColourConversion ColourConversion::read(PixelFormat format,
                                        ParameterReader &reader) {
  constexpr int64_t defaults[NumColours][NumColours] = {
      {298, 516, 0}, {298, -100, -208}, {298, 0, 409}};
  constexpr int64_t biases[NumColours] = {16, 128, 128};
  const bool fromYUV = format == PixelFormat::YUV420SP;
  ColourConversion conversion;
  for (size_t row = 0; row != NumColours; ++row) {
    const std::string number = std::to_string(row);
    for (size_t column = 0; column != NumColours; ++column)
      conversion.matrix[row][column] = reader.read<int64_t>(
          "matrix_r" + number + "c" + std::to_string(column),
          defaults[row][column]);
    (fromYUV ? conversion.before : conversion.after)[row] =
        reader.read<int64_t>(
            (fromYUV ? "input_bias_" : "output_bias_") + number, biases[row]);
  }
  return conversion;
}

void ColourConversion::convert(Pixel &pixel) const {
  const Pixel from = pixel;
  for (size_t row = 0; row != NumColours; ++row) {
    int64_t sum = 0;
    for (size_t column = 0; column != NumColours; ++column)
      sum += matrix[row][column] * (from[column] - before[column]);
    pixel[row] = static_cast<uint8_t>(
        std::clamp<int64_t>((sum >> 8) + after[row], 0, NumValues - 1));
  }
}

/// The value of borders. The function of an older compiler lacks it; then it is
/// in the JSON text from which the device's kernel is made.
float readBorder(const NodeSpec &spec, ParameterReader &reader) {
  constexpr std::string_view key = "\"padding_value\"";
  float fallback = 0;
  auto json = spec.attrs.get<std::string>("aipp_config_path", "");
  if (!json) {
    reader.fail(json.takeStatus());
  } else if (size_t at = json->find(key); at != std::string::npos) {
    at = std::min(json->find_first_not_of(" :", at + key.size()), json->size());
    std::from_chars(json->data() + at, json->data() + json->size(), fallback);
  }
  return reader.read<float>("padding_value", fallback);
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

/// Where the pixels of an output lie.
struct PixelLayout {
  int64_t images = 0, height = 0, width = 0;
  int64_t lanes = 0;                  ///< channels and what fills a block
  int64_t laneStride = 1, stride = 0; ///< of lanes and of pixels, in elements

  static Expected<PixelLayout> of(const TensorDesc &desc) {
    const Shape &s = desc.shape;
    const bool blocks =
        desc.format == Format::NC1HWC0 || desc.format == Format::NC1HWC0_C04;
    if (blocks && s.size() == 5 && s[1] == 1)
      return PixelLayout{s[0], s[2], s[3], s[4], 1, s[4]};
    if (desc.format == Format::NHWC && s.size() == 4)
      return PixelLayout{s[0], s[1], s[2], s[3], 1, s[3]};
    if (desc.format == Format::NCHW && s.size() == 4)
      return PixelLayout{s[0], s[2], s[3], s[1], s[2] * s[3], 1};
    return Status::error(desc.toString() + " is no image, expected NC1HWC0 of "
                                           "one block, NHWC or NCHW");
  }
};

class AippKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  PixelFormat format = PixelFormat::RGB888;
  Window window;
  PixelLayout out;
  bool swapsColours = false, startsWithX = false;
  std::optional<ColourConversion> conversion;
  bool toHalf = false;
  size_t numChannels = 0; ///< of pixels, after the conversion
  /// What becomes of each value of a channel, and a border.
  std::array<std::array<uint16_t, NumValues>, MaxChannels> results = {};
  uint16_t border = 0;

  Status bindWindow(const NodeSpec &spec);
  void bindResults(const NodeSpec &spec, const NumericConfig &config,
                   ParameterReader &reader);
  Pixel readPixel(const uint8_t *image, int64_t row, int64_t column) const;
  template <typename T>
  void computeRow(const uint8_t *image, int64_t row, T *to) const;
};

Status AippKernel::bindWindow(const NodeSpec &spec) {
  auto complete = [](int64_t &extent, int64_t ofOutput) {
    if (extent == 0)
      extent = ofOutput;
  };
  complete(window.height, out.height);
  complete(window.width, out.width);
  complete(window.rows, out.height);
  complete(window.columns, out.width);
  auto size = [](int64_t rows, int64_t columns) {
    return std::to_string(rows) + "x" + std::to_string(columns);
  };
  if (window.top + window.rows > window.height ||
      window.left + window.columns > window.width)
    return Status::error("a window of " + size(window.rows, window.columns) +
                         " at " + size(window.top, window.left) +
                         " is not in an image of " +
                         size(window.height, window.width));
  const int64_t rows = window.above + window.rows + window.below,
                columns = window.before + window.columns + window.behind;
  if (rows != out.height || columns != out.width)
    return Status::error("a window with borders of " + size(rows, columns) +
                         " does not give " + spec.outputs[0].toString());
  if (format == PixelFormat::YUV420SP &&
      (window.height % 2 != 0 || window.width % 2 != 0))
    return Status::error("images of " + size(window.height, window.width) +
                         " in YUV420SP_U8, expected even sizes");
  const TensorDesc &images = *spec.inputs[0];
  const int64_t pixels = out.images * window.height * window.width,
                bytes = sizeOfImage(format, pixels);
  // GE gives images of YUV420SP three channels, and a size in bytes.
  const bool fits =
      images.numElements() == bytes ||
      (format == PixelFormat::YUV420SP && images.numElements() == 3 * pixels);
  if (images.dtype != DataType::UInt8 || !isPlain(images.format) || !fits)
    return Status::error(
        images.toString() + " are not " + std::to_string(out.images) +
        " images of " + size(window.height, window.width) + " in " +
        getName(format) + ", " + std::to_string(bytes) + " bytes of DT_UINT8");
  return {};
}

void AippKernel::bindResults(const NodeSpec &spec, const NumericConfig &config,
                             ParameterReader &reader) {
  const float value =
      reader.read<bool>("padding", false) ? readBorder(spec, reader) : 0;
  StatusBits ignored = status::None;
  if (!toHalf) {
    if (value < 0 || value >= NumValues)
      reader.fail(Status::error("attribute 'aipp.padding_value' is " +
                                std::to_string(value) + ", expected 0 to 255"));
    border = static_cast<uint16_t>(std::clamp(value, 0.0f, 255.0f));
    for (auto &ofChannel : results)
      for (size_t i = 0; i != NumValues; ++i)
        ofChannel[i] = static_cast<uint16_t>(i);
    return;
  }
  auto bitsOf = [&](float number) {
    return numerics::floatToHalf(number, config.overflow, ignored).bits;
  };
  border = bitsOf(value);
  HalfInstructions unit(config.overflow);
  for (size_t channel = 0; channel != MaxChannels; ++channel) {
    const std::string number = std::to_string(channel);
    const int64_t mean = reader.read<int64_t>("mean_chn_" + number, 0);
    const float least =
        unit.scalar(reader.read<float>("min_chn_" + number, 0.0f));
    const float factor =
        unit.scalar(reader.read<float>("var_reci_chn_" + number, 1.0f));
    for (size_t i = 0; i != NumValues; ++i) {
      const float above = static_cast<float>(static_cast<int64_t>(i) - mean);
      results[channel][i] = bitsOf(unit.mul(unit.sub(above, least), factor));
    }
  }
}

Expected<std::unique_ptr<Kernel>>
AippKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  if (Status status = checkArity(spec, 1, 1); !status)
    return status;
  const TensorDesc &y = spec.outputs[0];
  if (y.dtype != DataType::Float16 && y.dtype != DataType::UInt8)
    return nodeError(spec, "does not load images to " + y.toString());
  auto out = PixelLayout::of(y);
  if (!out)
    return inNode(spec, out.takeStatus());
  auto kernel = std::make_unique<AippKernel>();
  kernel->out = *out;
  kernel->toHalf = y.dtype == DataType::Float16;
  ParameterReader reader(spec.attrs);
  kernel->format = readFormat(spec.attrs, reader);
  if (const int64_t mode = reader.read<int64_t>("aipp_mode", 1); mode != 1)
    reader.fail(Status::error("attribute 'aipp.aipp_mode' is " +
                              std::to_string(mode) + ", expected 1 (static)"));
  for (const char *name : {"resize", "single_line_mode", "support_rotation"})
    reader.refuse(name);
  kernel->window = Window::read(reader);
  kernel->swapsColours = reader.read<bool>("rbuv_swap_switch", false);
  kernel->startsWithX = reader.read<bool>("ax_swap_switch", false);
  kernel->numChannels = countChannels(kernel->format);
  if (reader.read<bool>("csc_switch", false)) {
    if (kernel->format == PixelFormat::YUV400)
      reader.fail(Status::error("attribute 'aipp.csc_switch' is true, expected "
                                "false for YUV400_U8"));
    kernel->conversion = ColourConversion::read(kernel->format, reader);
    kernel->numChannels = NumColours;
  }
  kernel->bindResults(spec, config, reader);
  if (Status status = reader.takeFailure(); !status)
    return inNode(spec, std::move(status));
  if (Status status = kernel->bindWindow(spec); !status)
    return inNode(spec, std::move(status));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

/// Colours come first, in the order of memory unless they are swapped. Four
/// pixels of YUV420SP share a U and a V, which lie behind all Y.
Pixel AippKernel::readPixel(const uint8_t *image, int64_t row,
                            int64_t column) const {
  const int64_t at = row * window.width + column;
  Pixel pixel = {};
  switch (format) {
  case PixelFormat::YUV420SP: {
    const uint8_t *shared = image + window.height * window.width +
                            row / 2 * window.width + column / 2 * 2;
    pixel = {image[at], shared[swapsColours], shared[!swapsColours]};
    break;
  }
  case PixelFormat::XRGB8888:
    std::copy_n(image + at * 4, 4, pixel.begin());
    if (startsWithX)
      std::rotate(pixel.begin(), pixel.begin() + 1, pixel.end());
    if (swapsColours)
      std::swap(pixel[0], pixel[2]);
    break;
  case PixelFormat::RGB888:
    std::copy_n(image + at * 3, 3, pixel.begin());
    if (swapsColours)
      std::swap(pixel[0], pixel[2]);
    break;
  case PixelFormat::YUV400:
    pixel[0] = image[at];
    break;
  }
  return pixel;
}

/// Row \p row of an output, its borders and the lanes that no channel has.
template <typename T>
void AippKernel::computeRow(const uint8_t *image, int64_t row, T *to) const {
  // The unit has three border registers in use, also for four channels.
  const int64_t borderLanes =
      static_cast<int64_t>(std::min(countChannels(format), NumColours));
  const int64_t line = row - window.above;
  const bool isInside = line >= 0 && line < window.rows;
  for (int64_t i = 0; i != out.width; ++i, to += out.stride) {
    const int64_t column = i - window.before;
    if (!isInside || column < 0 || column >= window.columns) {
      for (int64_t lane = 0; lane != out.lanes; ++lane)
        to[lane * out.laneStride] =
            static_cast<T>(lane < borderLanes ? border : 0);
      continue;
    }
    Pixel pixel = readPixel(image, window.top + line, window.left + column);
    if (conversion)
      conversion->convert(pixel);
    for (int64_t lane = 0; lane != out.lanes; ++lane) {
      const size_t channel = static_cast<size_t>(lane);
      to[lane * out.laneStride] = static_cast<T>(
          channel < numChannels ? results[channel][pixel[channel]] : 0);
    }
  }
}

Expected<NodeStatus> AippKernel::run(RunContext &context,
                                     std::span<const ConstTensor> inputs,
                                     std::span<const MutableTensor> outputs) {
  const int64_t inSize = sizeOfImage(format, window.height * window.width),
                outSize = out.height * out.width * out.lanes;
  context.pool.parallelFor(
      out.images * out.height, 8, [&](int64_t begin, int64_t end, int64_t) {
        for (int64_t i = begin; i != end; ++i) {
          const int64_t row = i % out.height;
          const uint8_t *image =
              inputs[0].as<uint8_t>() + i / out.height * inSize;
          const int64_t at =
              i / out.height * outSize + row * out.width * out.stride;
          if (toHalf)
            computeRow(image, row, outputs[0].as<uint16_t>() + at);
          else
            computeRow(image, row, outputs[0].as<uint8_t>() + at);
        }
      });
  return NodeStatus{};
}

} // namespace

Expected<Shape> kernels::inferAippShape(const NodeSpec &spec) {
  ParameterReader reader(spec.attrs);
  const PixelFormat format = readFormat(spec.attrs, reader);
  const Window window = Window::read(reader);
  if (Status status = reader.takeFailure(); !status)
    return status;
  const TensorDesc &images = *spec.inputs[0], &y = spec.outputs[0];
  // What is known of \p desc along \p letter, or -1.
  auto extentOf = [](const TensorDesc &desc, char letter) -> int64_t {
    const std::string_view letters = axisLetters(desc.originFormat);
    const size_t axis = letters.find(letter);
    return letters.size() == desc.originShape.size() && axis != letters.npos
               ? desc.originShape[axis]
               : -1;
  };
  auto extentAlong = [&](int64_t extent, int64_t borders, char letter) {
    if (extent > 0)
      return extent + borders;
    const int64_t known = extentOf(y, letter);
    return known >= 0 ? known : extentOf(images, letter);
  };
  const int64_t rows =
      extentAlong(window.rows, window.above + window.below, 'H');
  const int64_t columns =
      extentAlong(window.columns, window.before + window.behind, 'W');
  const int64_t known = extentOf(y, 'C');
  const int64_t channels =
      known >= 0 ? known : static_cast<int64_t>(countChannels(format));
  if (images.originShape.empty())
    return Status::error(images.toString() + " are no images");
  const int64_t count = images.originShape.front();
  return y.originFormat == Format::NCHW ? Shape{count, channels, rows, columns}
                                        : Shape{count, rows, columns, channels};
}

void kernels::addAipp(Registry &registry) {
  registry.add("Aipp", {AippKernel::create,
                        "integers up to value - mean_chn; to fp16, - min_chn "
                        "and * var_reci_chn are fp16 instructions",
                        status::None});
}
