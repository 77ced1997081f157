//===- BatchNorm.cpp - Batch normalisation --------------------------------===//
//
// Everything on channels: lines run over N, H and W. Statistics are tensors
// with one value for each channel.
//
//===----------------------------------------------------------------------===//

#include "AttributeOr.h"
#include "BatchNormPrograms.h"
#include "Builtins.h"
#include "KernelChecks.h"
#include "Workspaces.h"
#include "npu/Kernels/Registry.h"

#include <numeric>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::batchnorm;

namespace {

template <class Program, class Instructions>
void runProgram(Channel &channel) {
  Instructions unit;
  Program::run(unit, channel);
  channel.status.valid |= unit.bits;
}

template <class Program>
void runQuietly(ChannelBlock &block) {
  ChannelInstructions unit;
  Program::run(unit, block);
}

struct Row {
  std::string_view type;
  void (*plain)(Channel &);
  void (*watched)(Channel &);
  void (*quiet)(ChannelBlock &);
  unsigned lines, values; ///< inputs: lines come first
  bool givesLine;         ///< the first output is a line
  unsigned results;       ///< the other outputs
  bool hasEpsilon, hasFactor;
  std::string_view numericPath;
};

template <class Program>
constexpr Row rowOf(std::string_view type, unsigned lines, unsigned values,
                    bool givesLine, unsigned results, bool hasEpsilon,
                    std::string_view numericPath) {
  return {type,
          runProgram<Program, PlainInstructions>,
          runProgram<Program, WatchedInstructions>,
          runQuietly<Program>,
          lines,
          values,
          givesLine,
          results,
          hasEpsilon,
          std::is_same_v<Program, Update>,
          numericPath};
}

constexpr std::string_view AtEnd = "fp32, one rounding at the end";
constexpr std::string_view Sums =
    "fp32 sums in 16 interleaved parts, or one after the other where the graph "
    "has atomics";

constexpr Row rows[] = {
    rowOf<Reduce>("BNTrainingReduce", 1, 0, false, 2, false, Sums),
    rowOf<Update>("BNTrainingUpdate", 1, 6, true, 4, true, AtEnd),
    rowOf<UpdateV2>("BNTrainingUpdateV2", 1, 4, true, 2, true, AtEnd),
    rowOf<UpdateV3>("BNTrainingUpdateV3", 1, 4, true, 4, true, AtEnd),
    rowOf<UpdateGradient>("BNTrainingUpdateGrad", 2, 2, false, 2, true, Sums),
    rowOf<ReduceGradient>("BNTrainingReduceGrad", 2, 5, true, 0, true, AtEnd),
    rowOf<Infer>("BNInfer", 1, 4, true, 0, true, AtEnd),
    rowOf<Gradient>("BatchNormGrad", 2, 3, true, 4, true, AtEnd),
    rowOf<Train>("BatchNorm", 1, 2, true, 5, true, AtEnd),
};
constexpr Row inference =
    rowOf<InferWithStatistics>("BatchNorm", 1, 4, true, 5, true, AtEnd);
constexpr Row inferenceGradient =
    rowOf<InferenceGradient>("BatchNormGrad", 2, 3, true, 4, true, AtEnd);

/// What a thread computes a block of adjacent channels with.
struct Workspace {
  using Block = std::vector<std::vector<float>>; ///< a line each
  Channel channel;
  std::vector<Block> operands;
  Block result;
  ChannelBlock quiet;
};

class BatchNormKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  const Row *row = nullptr;
  float epsilon = 0, factor = 0;
  bool byAtomics = false;
  OverflowMode mode = OverflowMode::Saturate;
  std::vector<FloatLines> lines;
  std::vector<LineValues> values, results;
  std::optional<FloatLines> resultLine;
  int64_t blockLength = 1; ///< channels that are read at once
  bool canBeQuiet = false; ///< blocks of all lines are those of a ChannelBlock

  Status bindAttributes(const NodeSpec &spec);
  void bindQuiet(const FloatLines &first);
  void prepare(Workspace &space) const;
  bool runQuietly(Workspace &space, int64_t firstChannel,
                  std::span<const ConstTensor> inputs,
                  std::span<const MutableTensor> outputs) const;
  void runBlock(Workspace &space, int64_t block,
                std::span<const ConstTensor> inputs,
                std::span<const MutableTensor> outputs) const;
  void runChannel(Channel &channel, int64_t line,
                  std::span<const ConstTensor> inputs,
                  std::span<const MutableTensor> outputs) const;
};

const Row *findRow(const NodeSpec &spec, bool training) {
  if (spec.type == "BatchNorm" && !training)
    return &inference;
  if (spec.type == "BatchNormGrad" && !training)
    return &inferenceGradient;
  auto row = std::find_if(std::begin(rows), std::end(rows),
                          [&](const Row &r) { return r.type == spec.type; });
  return row == std::end(rows) ? nullptr : row;
}

Status BatchNormKernel::bindAttributes(const NodeSpec &spec) {
  auto training = attributeOr(spec, "is_training", true);
  if (!training)
    return training.takeStatus();
  row = findRow(spec, *training);
  if (!row)
    return Status::error("is not a batch normalisation");
  if (row->hasEpsilon) {
    auto given = spec.attribute<float>("epsilon");
    if (!given)
      return given.takeStatus();
    epsilon = *given;
  }
  if (row->hasFactor) {
    auto moving = spec.attrs.require<float>("factor");
    if (!moving)
      return moving.takeStatus();
    factor = *moving;
  }
  auto atomics = accumulatesByAtomics(spec);
  if (!atomics)
    return atomics.takeStatus();
  byAtomics = *atomics;
  return {};
}

/// All axes but that of the channels.
Expected<std::vector<bool>> markPlanes(const NodeSpec &spec) {
  const TensorDesc &x = *spec.inputs[0];
  auto layout = Layout::create(x);
  if (!layout)
    return layout.takeStatus();
  auto format = attributeOr<std::string>(spec, "data_format", "NCHW");
  if (!format)
    return format.takeStatus();
  const size_t rank = layout->axes().size();
  auto channel = layout->findAxis('C');
  if (!channel && rank >= 2)
    channel = format->starts_with("NC") ? 1 : static_cast<unsigned>(rank - 1);
  if (!channel)
    return Status::error(x.toString() + " has no channels");
  std::vector<bool> along(rank, true);
  along[*channel] = false;
  return along;
}

Expected<std::unique_ptr<Kernel>>
BatchNormKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  auto kernel = std::make_unique<BatchNormKernel>();
  kernel->mode = config.overflow;
  if (Status status = kernel->bindAttributes(spec); !status)
    return inNode(spec, std::move(status));
  const Row &row = *kernel->row;
  if (Status status =
          checkArity(spec, row.lines + row.values, row.givesLine + row.results);
      !status)
    return status;
  auto along = markPlanes(spec);
  if (!along)
    return inNode(spec, along.takeStatus());
  auto first = FloatLines::create(*spec.inputs[0], *along);
  if (!first)
    return inNode(spec, first.takeStatus());
  if (first->length() == 0)
    return nodeError(spec, "no elements in " + spec.inputs[0]->toString());
  auto bindLine = [&](const TensorDesc &desc) {
    return FloatLines::createLike(*first, desc, *along);
  };
  auto bindValue = [&](const TensorDesc &desc) {
    return LineValues::create(desc, first->numLines());
  };
  for (unsigned i = 0; i < row.lines + row.values; ++i) {
    const TensorDesc &desc = *spec.inputs[i];
    if (i < row.lines) {
      auto line = bindLine(desc);
      if (!line)
        return inNode(spec, line.takeStatus());
      kernel->lines.push_back(std::move(*line));
    } else {
      auto value = bindValue(desc);
      if (!value)
        return inNode(spec, value.takeStatus());
      kernel->values.push_back(std::move(*value));
    }
  }
  if (row.givesLine) {
    auto line = bindLine(spec.outputs[0]);
    if (!line)
      return inNode(spec, line.takeStatus());
    kernel->resultLine = std::move(*line);
  }
  for (size_t i = row.givesLine; i < spec.outputs.size(); ++i) {
    auto value = bindValue(spec.outputs[i]);
    if (!value)
      return inNode(spec, value.takeStatus());
    kernel->results.push_back(std::move(*value));
  }
  kernel->blockLength = kernel->lines[0].countAdjacent();
  const auto adjacent = [&](const FloatLines &lines) {
    kernel->blockLength = std::gcd(kernel->blockLength, lines.countAdjacent());
  };
  std::for_each(kernel->lines.begin() + 1, kernel->lines.end(), adjacent);
  if (kernel->resultLine)
    adjacent(*kernel->resultLine);
  kernel->bindQuiet(kernel->lines[0]);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

void BatchNormKernel::bindQuiet(const FloatLines &first) {
  const auto isAlike = [&](const FloatLines &other) {
    return other.dtype() == DataType::Float16 &&
           other.elementOffsets() == first.elementOffsets();
  };
  canBeQuiet = blockLength == ChannelValues::Count &&
               std::all_of(lines.begin(), lines.end(), isAlike) &&
               (!resultLine || isAlike(*resultLine));
}

void BatchNormKernel::runChannel(Channel &c, int64_t line,
                                 std::span<const ConstTensor> inputs,
                                 std::span<const MutableTensor> outputs) const {
  bool finite = true;
  for (const std::vector<float> &values : c.lines)
    finite = finite && areFinite(values);
  for (size_t i = 0; i < values.size(); ++i)
    c.values[i] = values[i].read(inputs[lines.size() + i].data, line);
  finite = finite && areFinite(c.values);
  row->plain(c);
  if (!finite || !areFinite(c.results) || !areFinite(c.resultLine))
    row->watched(c);
  for (size_t i = 0; i < results.size(); ++i)
    c.status.valid |= results[i].write(outputs[row->givesLine + i].data, line,
                                       c.results[i], mode);
}

void BatchNormKernel::prepare(Workspace &space) const {
  Channel &channel = space.channel;
  channel.status = {};
  if (!channel.lines.empty())
    return;
  channel.lines.resize(lines.size());
  channel.values.resize(values.size());
  channel.epsilon = epsilon;
  channel.factor = factor;
  channel.byAtomics = byAtomics;
  channel.mode = mode;
  ChannelBlock &quiet = space.quiet;
  quiet.lines.resize(lines.size());
  quiet.values.resize(values.size());
  quiet.offsets = lines[0].elementOffsets();
  quiet.epsilon = epsilon;
  quiet.factor = factor;
  quiet.byAtomics = byAtomics;
}

bool BatchNormKernel::runQuietly(Workspace &space, int64_t firstChannel,
                                 std::span<const ConstTensor> inputs,
                                 std::span<const MutableTensor> outputs) const {
  if (!canBeQuiet || lines[0].numLines() - firstChannel < blockLength)
    return false;
  ChannelBlock &block = space.quiet;
  for (size_t i = 0; i < lines.size(); ++i)
    block.lines[i] = inputs[i].as<uint16_t>() + lines[i].start(firstChannel);
  if (resultLine)
    block.resultLine =
        outputs[0].as<uint16_t>() + resultLine->start(firstChannel);
  for (size_t i = 0; i < values.size(); ++i)
    for (int64_t c = 0; c < blockLength; ++c)
      block.values[i].lanes[c] =
          values[i].read(inputs[lines.size() + i].data, firstChannel + c);
  block.bits = status::None;
  block.isQuiet = true;
  block.expectFinite(block.values);
  if (block.isQuiet)
    row->quiet(block);
  block.expectFinite(block.results);
  if (!block.isQuiet)
    return false;
  space.channel.status.valid |= block.bits;
  for (size_t i = 0; i < results.size(); ++i)
    for (int64_t c = 0; c < blockLength; ++c)
      space.channel.status.valid |=
          results[i].write(outputs[row->givesLine + i].data, firstChannel + c,
                           block.results[i].lanes[c], mode);
  return true;
}

void BatchNormKernel::runBlock(Workspace &space, int64_t block,
                               std::span<const ConstTensor> inputs,
                               std::span<const MutableTensor> outputs) const {
  const int64_t first = block * blockLength;
  if (runQuietly(space, first, inputs, outputs))
    return;
  if (space.operands.empty()) { // lines are long: not where all are quiet
    const auto count = static_cast<size_t>(blockLength);
    const std::vector<float> line(static_cast<size_t>(lines[0].length()));
    space.operands.assign(lines.size(), Workspace::Block(count, line));
    space.result.resize(count);
  }
  const auto count =
      static_cast<size_t>(std::min(blockLength, lines[0].numLines() - first));
  for (size_t i = 0; i < lines.size(); ++i)
    lines[i].readAdjacent(inputs[i].data, first,
                          std::span(space.operands[i]).first(count));
  Channel &channel = space.channel;
  for (size_t l = 0; l < count; ++l) {
    const auto exchange = [&] {
      for (size_t i = 0; i < lines.size(); ++i)
        channel.lines[i].swap(space.operands[i][l]);
      channel.resultLine.swap(space.result[l]);
    };
    exchange();
    runChannel(channel, first + static_cast<int64_t>(l), inputs, outputs);
    exchange();
  }
  if (resultLine)
    channel.status.valid |= resultLine->writeAdjacent(
        outputs[0].data, first, std::span(space.result).first(count), mode);
}

Expected<NodeStatus>
BatchNormKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                     std::span<const MutableTensor> outputs) {
  if (resultLine)
    resultLine->clearPadding(outputs[0].data);
  for (size_t i = 0; i < results.size(); ++i)
    results[i].clearPadding(outputs[row->givesLine + i].data);
  StatusCollector status;
  Workspaces<Workspace> workspaces;
  const int64_t blocks = (lines[0].numLines() + blockLength - 1) / blockLength;
  context.pool.parallelFor(
      blocks, std::max<int64_t>(1, lines[0].grain() / blockLength),
      [&](int64_t begin, int64_t end, int64_t) {
        const Workspaces<Workspace>::Handle space(workspaces);
        prepare(*space);
        for (int64_t block = begin; block < end; ++block)
          runBlock(*space, block, inputs, outputs);
        status.add(space->channel.status);
      });
  return status.get();
}

} // namespace

void kernels::addBatchNorm(Registry &registry) {
  constexpr StatusBits bits = status::CastOverflow | status::CastUnderflow |
                              status::FloatOverflow | status::VectorNanInfInput;
  for (const Row &row : rows)
    registry.add(std::string(row.type),
                 {BatchNormKernel::create, row.numericPath, bits});
}
