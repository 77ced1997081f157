//===- Convert.cpp - Dump files to files of other tools -------------------===//

#include "npu/DumpTools/Convert.h"

#include "TensorFile.h"

#include "npu/Dump/DumpName.h"
#include "npu/Dump/OpDebug.h"
#include "npu/DumpTools/DumpInput.h"
#include "npu/DumpTools/OutputFile.h"
#include "npu/DumpTools/Relayout.h"
#include "npu/Kernels/FormatTransfer.h"

#include <sys/stat.h>

using namespace npu;
using namespace npu::dump;
using kernels::FormatTransfer;

namespace {

/// Converts the parts of one dump file.
class FileConverter {
public:
  FileConverter(const ListedFile &file, const std::string &folder,
                const ConvertOptions &options, ConvertedFile &result)
      : file(file), folder(folder), options(options), result(result) {}

  void run();

private:
  void convertTensors(const char *io, const std::vector<DumpTensor> &tensors,
                      std::optional<size_t> only);
  Status convertTensor(const std::string &io, size_t index, DumpTensor tensor);
  Status moveElements(TensorDesc source, TensorDesc target,
                      const std::string &what, TensorContent &content,
                      ScratchMemory &memory);
  Expected<TensorDesc> describeSource(const DumpTensor &tensor) const;
  Status convertOpDebug(const DumpRecord &record);
  void convertBlocks(const char *kind, const std::vector<DumpBlock> &blocks);

  std::string makeName(const std::string &io, size_t index,
                       const TensorContent &content) const;
  /// The path for a file named \p name, which is shortened if need be.
  std::string getPath(const std::string &name);
  /// Whether the file \p path is there since an earlier run.
  bool isKept(const std::string &path);
  Status writeBytes(const std::string &name, ByteView bytes);
  void note(const std::string &text) { result.notes.push_back(text); }
  void check(Status status);

  const ListedFile &file;
  const std::string &folder;
  const ConvertOptions &options;
  ConvertedFile &result;
  std::string opName;
};

} // namespace

void FileConverter::check(Status status) {
  if (status)
    return;
  result.incomplete |= status.kind() == ErrorKind::Incomplete;
  result.faults.push_back(status.message());
}

void FileConverter::run() {
  const std::string path = file.path.string();
  Expected<MappedFile> mapped = MappedFile::open(path);
  if (!mapped) {
    std::string message = mapped.status().message();
    if (message.starts_with(path + ": "))
      message.erase(0, path.size() + 2);
    return check(Status::error(mapped.status().kind(), message));
  }
  Expected<DumpFile> dump = DumpFile::parse(mapped->bytes());
  if (!dump)
    return check(dump.takeStatus());
  const DumpRecord &record = dump->record();
  opName = record.opName;
  if (dump->trailingBytes() != 0)
    note(std::to_string(dump->trailingBytes()) +
         " bytes behind the last tensor are ignored");
  if (std::optional<DumpName> name = parseFileName(file.fullName);
      name && isOpDebug(*name))
    return check(convertOpDebug(record));

  const bool all = !options.input && !options.output;
  if (all || options.input)
    convertTensors("input", record.inputs, options.input);
  if (all || options.output)
    convertTensors("output", record.outputs, options.output);
  if (all) {
    convertBlocks("l1buffer", record.buffers);
    convertBlocks("space", record.spaces);
  }
}

void FileConverter::convertTensors(const char *io,
                                   const std::vector<DumpTensor> &tensors,
                                   std::optional<size_t> only) {
  if (only && *only >= tensors.size())
    return check(Status::error("there is no " + std::string(io) + " " +
                               std::to_string(*only) + ", the dump has " +
                               std::to_string(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!only || *only == i)
      check(convertTensor(io, i, tensors[i])
                .withContext(std::string(io) + " " + std::to_string(i)));
}

/// The shape in which msaccucmp gives \p shape, which was in FRACTAL_NZ: of two
/// or three dimensions.
static Shape mergeLeadingDims(Shape shape) {
  if (shape.size() == 1)
    shape.insert(shape.begin(), 1);
  while (shape.size() > 3) {
    shape[1] *= shape[0];
    shape.erase(shape.begin());
  }
  return shape;
}

Status FileConverter::convertTensor(const std::string &io, size_t index,
                                    DumpTensor tensor) {
  const std::string what = io + " " + std::to_string(index) + ": ";
  std::optional<ElementDecoder> decoder = ElementDecoder::create(tensor.dtype);
  if (!decoder) {
    note(what + getTypeName(tensor) + " has no form as an array, skipped");
    return Status();
  }
  std::optional<uint64_t> need = getCheckedByteSize(tensor.dtype, tensor.shape);
  if (!need || *need > tensor.size)
    return Status::error(std::string(getName(tensor.dtype)) + " " +
                         toString(tensor.shape) + ": have " +
                         std::to_string(tensor.size) + " bytes, need " +
                         (need ? std::to_string(*need) : "known dimensions"));
  if (*need < tensor.size)
    note(what + "the last " + std::to_string(tensor.size - *need) + " of " +
         std::to_string(tensor.size) + " bytes are beyond the shape " +
         toString(tensor.shape) + " and ignored");
  tensor.data = tensor.data.first(*need);

  if (options.originalShape && kernels::isPlain(tensor.format)) {
    if (getNumElements(*options.originalShape) == getNumElements(tensor.shape))
      tensor.shape = *options.originalShape;
    else
      note(what + "-s " + toString(*options.originalShape) +
           " has not its number of elements, the shape stays " +
           toString(tensor.shape));
  }
  TensorContent content{std::move(*decoder), tensor.shape, tensor.format,
                        tensor.data};
  std::optional<TensorDesc> source, target;
  if (options.format && options.format->format != tensor.format) {
    Expected<TensorDesc> from = describeSource(tensor);
    if (!from)
      return from.takeStatus();
    Expected<TensorDesc> to =
        describeTarget(*from, options.format->format, options.format->groups);
    if (!to)
      return to.takeStatus();
    if (tensor.originalShape.empty() && !options.originalShape &&
        !kernels::isPlain(tensor.format))
      note(what + "the dump has no original shape, all lanes of " +
           std::string(getName(tensor.format)) + " are kept");
    content.shape = to->shape;
    content.format = options.format->format;
    source = std::move(*from);
    target = std::move(*to);
  }
  if (options.compat && content.shape.empty())
    content.shape = {1};
  if (options.compat && target && tensor.format == Format::FRACTAL_NZ)
    content.shape = mergeLeadingDims(std::move(content.shape));
  const std::string path = getPath(makeName(io, index, content));
  if (isKept(path))
    return Status();

  ScratchMemory memory;
  if (target)
    if (Status status = moveElements(*source, *target, what, content, memory);
        !status)
      return status;
  if (Status status = writeTensorFile(path, content, options.type); !status)
    return status;
  ++result.numWritten;
  return Status();
}

/// Moves the elements of \p content into \p memory, from the layout \p source
/// to \p target.
Status FileConverter::moveElements(TensorDesc source, TensorDesc target,
                                   const std::string &what,
                                   TensorContent &content,
                                   ScratchMemory &memory) {
  ScratchMemory unpacked;
  if (getBitWidth(source.dtype) % 8 != 0) {
    // Elements that share bytes cannot be moved; they are unpacked first.
    const ElementDecoder packed = content.decoder;
    source.dtype = target.dtype = packed.arrayType();
    Expected<ScratchMemory> made =
        ScratchMemory::create(source.byteSize(), folder);
    if (!made)
      return made.takeStatus();
    unpacked = std::move(*made);
    packed.decode(content.data.data(),
                  static_cast<uint64_t>(source.numElements()), unpacked.data());
    content.decoder = *ElementDecoder::create(source.dtype);
    content.data = unpacked.bytes();
  }
  Expected<FormatTransfer> transfer = FormatTransfer::create(source, target);
  if (!transfer)
    return transfer.takeStatus();
  Expected<ScratchMemory> made =
      ScratchMemory::create(target.byteSize(), folder);
  if (!made)
    return made.takeStatus();
  memory = std::move(*made);
  transfer->run(content.data.data(), memory.data());
  const unsigned elementSize = getBitWidth(source.dtype) / 8;
  const uint64_t before = countNonZero(content.data, elementSize);
  const uint64_t after = countNonZero(memory.bytes(), elementSize);
  if (before > after)
    note(what + std::to_string(before - after) +
         " elements in the padding of " + std::string(getName(source.format)) +
         " are not zero");
  content.data = memory.bytes();
  return Status();
}

/// The layout of \p tensor, with the original shape that the user gave.
Expected<TensorDesc>
FileConverter::describeSource(const DumpTensor &tensor) const {
  DumpTensor described = tensor;
  described.data = {};
  if (options.originalShape && !kernels::isPlain(tensor.format)) {
    if (!tensor.originalShape.empty() &&
        tensor.originalShape != *options.originalShape)
      return Status::error("-s " + toString(*options.originalShape) +
                           " contradicts the original shape " +
                           toString(tensor.originalShape) + " in the dump");
    described.originalShape = *options.originalShape;
  }
  return describeLayout(described, options.format->format);
}

Status FileConverter::convertOpDebug(const DumpRecord &record) {
  if (record.outputs.empty())
    return Status::error("an overflow record without an output");
  Expected<std::string> json = toOpDebugJson(record.outputs[0].data);
  if (!json)
    return json.takeStatus();
  return writeBytes(file.path.filename().string() + ".output.0.json",
                    asBytes(*json));
}

void FileConverter::convertBlocks(const char *kind,
                                  const std::vector<DumpBlock> &blocks) {
  for (size_t i = 0; i < blocks.size(); ++i)
    check(writeBytes(file.path.filename().string() + "." + kind + "." +
                         std::to_string(i) + ".bin",
                     blocks[i].data));
}

Status FileConverter::writeBytes(const std::string &name, ByteView bytes) {
  const std::string path = getPath(name);
  if (isKept(path))
    return Status();
  Expected<OutputFile> output = OutputFile::create(path);
  if (!output)
    return output.takeStatus();
  Status status = output->write(bytes);
  if (status)
    status = output->commit();
  if (status)
    ++result.numWritten;
  return status;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static std::string join(const Shape &shape, char separator) {
  std::string text;
  for (int64_t dim : shape) {
    if (!text.empty())
      text += separator;
    text += std::to_string(dim);
  }
  return text;
}

/// The name of a dump with the last part of the operator's name, as MindSpore
/// has it.
static std::string useScopedName(const std::string &name,
                                 const std::string &opName) {
  std::optional<DumpName> parsed = parseFileName(name);
  if (!parsed || !parsed->streamId || parsed->slice)
    return name;
  parsed->opName = opName.substr(opName.find_last_of('/') + 1);
  return toFileName(*parsed);
}

std::string FileConverter::makeName(const std::string &io, size_t index,
                                    const TensorContent &content) const {
  const std::string dumpName = file.path.filename().string();
  const std::string tensor = "." + io + "." + std::to_string(index);
  const std::string format(getName(content.format));
  switch (options.type) {
  case ConvertType::MsNpy:
    return useScopedName(dumpName, opName) + tensor + "." + format + ".npy";
  case ConvertType::Bin:
    return dumpName + tensor + "." +
           (options.format ? join(content.shape, '_')
                           : std::to_string(getNumElements(content.shape))) +
           "." + getNumpyName(content.decoder.arrayType()) + "." + format +
           ".bin";
  case ConvertType::Npy:
  case ConvertType::Text:
    break;
  }
  return dumpName + tensor +
         (options.format ? "." + toString(content.shape) : std::string()) +
         (options.type == ConvertType::Text ? ".txt" : ".npy");
}

std::string FileConverter::getPath(const std::string &name) {
  // The tool of Ascend shortens names of 255 bytes, which files may have.
  const size_t limit = MaxFileNameBytes - (options.compat ? 1 : 0);
  const std::string made = shortenName(name, limit, result.shortNames);
  // What has digits for a name is explained again beside its arrays.
  const std::string dumpName = file.path.filename().string();
  if (made == name && dumpName != file.fullName && name.starts_with(dumpName))
    result.shortNames.emplace_back(name, file.fullName +
                                             name.substr(dumpName.size()));
  return folder + "/" + made;
}

bool FileConverter::isKept(const std::string &path) {
  struct stat dump, made;
  if (!options.resume || ::stat(path.c_str(), &made) != 0 ||
      ::stat(file.path.c_str(), &dump) != 0)
    return false;
  const auto time = [](const struct stat &info) {
    return std::pair(info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  };
  if (time(made) < time(dump))
    return false;
  ++result.numKept;
  return true;
}

ConvertedFile npu::dump::convertFile(const ListedFile &file,
                                     const std::string &folder,
                                     const ConvertOptions &options) {
  ConvertedFile result;
  result.name = describeFile(file);
  FileConverter(file, folder, options, result).run();
  return result;
}
