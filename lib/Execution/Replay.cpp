//===- Replay.cpp - Each node of a dump by itself -------------------------===//

#include "npu/Execution/Replay.h"

#include "ReplayGraph.h"

#include "npu/Dump/DumpFile.h"
#include "npu/DumpTools/DumpInput.h"
#include "npu/Kernels/FormatTransfer.h"
#include "npu/Kernels/Layout.h"

#include "llvm/Support/FormatVariadic.h"

#include <charconv>
#include <cstring>

using namespace mlir;
using namespace npu;

namespace fs = std::filesystem;

/// The folder of an iteration that \p file lies in; empty for none.
static std::string getIterationFolder(const fs::path &file) {
  const std::string name = fs::absolute(file).parent_path().filename().string();
  return llvm::all_of(name, llvm::isDigit) ? name : std::string();
}

Expected<std::unique_ptr<Replay>>
Replay::create(ReplayOptions options,
               const std::function<void(const std::string &text)> &warning) {
  auto replay = std::unique_ptr<Replay>(new Replay(std::move(options)));
  auto inputs = dump::collectInput({&replay->options.folder, 1},
                                   /*recursive=*/true, warning);
  if (!inputs)
    return inputs.takeStatus().withContext("--replay");
  for (const dump::InputFile &input : *inputs) {
    std::optional<dump::DumpName> name = input.file.parseName();
    if (name)
      replay->files[{getIterationFolder(input.file.path), name->opName}]
          .emplace(name->timestamp, input.file.path.string());
  }
  return replay;
}

/// Opens the dump of \p run: of the runs of a node in an iteration the n-th is
/// that with the n-th time.
Status Replay::open(const NodeRun &run) {
  current = {&run.node, std::nullopt, {}};
  ge::NodeOp op = run.node.op;
  const std::string name = dump::replaceNameCharacters(op.getNodeName().str());
  auto it = files.find({std::to_string(run.iteration), name});
  if (it == files.end())
    it = files.find({"", name});
  if (it == files.end())
    return {};
  size_t &occurrence = occurrences[{run.iteration, op.getOperation()}];
  if (occurrence >= it->second.size())
    return {};
  const std::string &path = std::next(it->second.begin(), occurrence)->second;
  ++occurrence;
  Expected<dump::DumpFile> file = dump::DumpFile::open(path);
  if (!file)
    return file.takeStatus();
  current.file = std::move(*file);
  return {};
}

/// The tensor \p from as a buffer; null where it is not what \p desc says.
static Expected<Buffer> take(const dump::DumpTensor &from,
                             const TensorDesc &desc, BufferPool &pool) {
  if (from.dtype != desc.dtype || from.data.size() != desc.byteSize())
    return Buffer();
  Buffer buffer = pool.acquire(desc.byteSize());
  if (!buffer)
    return Status::error(ErrorKind::Incomplete,
                         "no memory for " + desc.toString());
  std::memcpy(buffer.get(), from.data.data(), from.data.size());
  return buffer;
}

Status Replay::replaceInputs(const NodeRun &run, MutableArrayRef<Buffer> inputs,
                             BufferPool &pool) {
  if (Status status = open(run); !status)
    return status;
  if (current.file) {
    // A device leaves unconnected inputs out.
    unsigned index = 0;
    const std::vector<dump::DumpTensor> &dumped = current.file->record().inputs;
    for (unsigned anchor = 0; anchor != inputs.size(); ++anchor) {
      if (!inputs[anchor])
        continue;
      const bool isUpdated =
          llvm::any_of(run.node.updates, [&](const catalog::Update &update) {
            return update.input == anchor;
          });
      if (index < dumped.size() && !isUpdated) {
        Expected<Buffer> buffer =
            take(dumped[index], *run.node.inputs[anchor], pool);
        if (!buffer)
          return buffer.takeStatus();
        if (*buffer)
          inputs[anchor] = std::move(*buffer);
      }
      ++index;
    }
  }
  current.inputs.assign(inputs.begin(), inputs.end());
  return {};
}

/// Elements in the order of the origin, without what only pads a format.
static Expected<std::vector<std::byte>> readLogical(const TensorDesc &desc,
                                                    const std::byte *data) {
  TensorDesc plain = desc;
  if (!kernels::isPlain(desc.format) && !desc.originShape.empty() &&
      kernels::isPlain(desc.originFormat)) {
    plain.format = desc.originFormat;
    plain.shape = desc.originShape;
    plain.groups = 0;
  }
  std::vector<std::byte> elements(plain.byteSize());
  if (plain.format == desc.format) {
    std::memcpy(elements.data(), data, elements.size());
    return elements;
  }
  auto transfer = kernels::FormatTransfer::create(desc, plain);
  if (!transfer)
    return transfer.takeStatus();
  transfer->run(data, elements.data(), nullptr);
  return elements;
}

/// The fewest digits that tell \p value from others.
static std::string toText(double value) {
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), value).ptr};
}

Expected<std::string> Replay::compare(const TensorDesc &desc,
                                      const std::byte *mine,
                                      const std::byte *golden) const {
  std::optional<dump::ElementDecoder> decoder =
      dump::ElementDecoder::create(desc.dtype);
  if (!decoder)
    return std::memcmp(mine, golden, desc.byteSize()) == 0
               ? std::string()
               : std::string("other bytes than in the dump");
  auto logical = readLogical(desc, mine);
  if (!logical)
    return logical.takeStatus();
  auto other = readLogical(desc, golden);
  if (!other)
    return other.takeStatus();
  const uint64_t count =
      logical->size() * 8 / static_cast<uint64_t>(getBitWidth(desc.dtype));
  const dump::Metrics metrics =
      dump::computeMetrics({*decoder, logical->data()},
                           {*decoder, other->data()}, count, options.tolerance);
  if (metrics.equal())
    return std::string();
  std::string text =
      llvm::formatv("{0} of {1} elements differ", metrics.numMismatches, count)
          .str();
  if (metrics.first)
    text += llvm::formatv(", first number {0}: {1} in the dump, computed {2}",
                          metrics.first->index, toText(metrics.first->golden),
                          toText(metrics.first->mine))
                .str();
  if (metrics.maxUlp)
    text += llvm::formatv(", at most {0} ulp", *metrics.maxUlp).str();
  return text;
}

Expected<std::string> Replay::exportNode(const NodeRun &run) const {
  if (options.exportFolder.empty())
    return std::string();
  ge::NodeOp op = run.node.op;
  std::string folder = options.exportFolder + "/" +
                       dump::replaceNameCharacters(op.getNodeName().str());
  if (run.iteration != 0)
    folder += "." + std::to_string(run.iteration);
  if (Status status = writeNodeGraph(run.node, current.inputs, folder); !status)
    return status;
  return folder;
}

Status Replay::replaceOutputs(const NodeRun &run,
                              MutableArrayRef<Buffer> outputs,
                              BufferPool &pool) {
  if (current.node != &run.node || !current.file)
    return {};
  const std::vector<dump::DumpTensor> &dumped = current.file->record().outputs;
  if (dumped.empty())
    return {};
  bool differs = false;
  for (unsigned index = 0; index != outputs.size(); ++index) {
    const TensorDesc &desc = run.node.outputs[index];
    std::string what = "not in the dump";
    if (index < dumped.size()) {
      Expected<Buffer> golden = take(dumped[index], desc, pool);
      if (!golden)
        return golden.takeStatus();
      what = "expected " + desc.toString() + ", the dump has " +
             dump::getTypeName(dumped[index]) + " " +
             toString(dumped[index].shape);
      if (*golden) {
        Expected<std::string> difference =
            compare(desc, outputs[index].get(), golden->get());
        if (!difference)
          return difference.takeStatus().withContext(run.node.describe());
        what = *difference;
        outputs[index] = std::move(*golden);
      }
    }
    if (what.empty())
      continue;
    found.push_back({&run.node, run.iteration, index, what, ""});
    if (!differs) {
      Expected<std::string> exported = exportNode(run);
      if (!exported)
        return exported.takeStatus();
      found.back().exported = std::move(*exported);
    }
    differs = true;
  }
  ++compared;
  agreeing += !differs;
  return {};
}
