//===- DumpReaderFuzzer.cpp - Any bytes as a dump file --------------------===//
//
// Reads the bytes, and does what npu-dump does with a file that was read:
// conversion to every kind of file and format, statistics and their CSV, and
// comparison of each tensor with itself.
//
//===----------------------------------------------------------------------===//

#include "CompareTensors.h"

#include "npu/Dump/Info.h"
#include "npu/DumpTools/Convert.h"
#include "npu/DumpTools/Relayout.h"
#include "npu/DumpTools/StatisticsCsv.h"
#include "npu/Kernels/FormatTransfer.h"
#include "npu/Support/Npy.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;

/// What was read must lie in the bytes, and be written as a header that reads
/// back the same.
static void check(const DumpFile &file, size_t size) {
  uint64_t end = file.payloadOffset();
  file.record().forEachPart([&](ByteView data) { end += data.size(); });
  if (end + file.trailingBytes() != size)
    std::abort();
  for (const auto *tensors : {&file.record().inputs, &file.record().outputs})
    for (const DumpTensor &tensor : *tensors) {
      if (tensor.size != tensor.data.size())
        std::abort();
      std::optional<ValueRange> range =
          getValueRange(tensor.dtype, tensor.data);
      if (range && range->count > tensor.size)
        std::abort();
    }

  std::string bytes = serializeHeader(file.record());
  file.record().forEachPart([&](ByteView data) {
    bytes.append(reinterpret_cast<const char *>(data.data()), data.size());
  });
  if (bytes.size() == sizeof(uint64_t))
    return; // a message of defaults alone is no file

  Expected<DumpFile> again = DumpFile::parse(asBytes(bytes));
  if (!again ||
      serializeHeader(again->record()) != serializeHeader(file.record()))
    std::abort();
}

/// What was read must be written as a record that reads back the same.
static void checkOpDebug(ByteView bytes) {
  Expected<OpDebugRecord> record = parseOpDebug(bytes);
  if (!record)
    return;
  const auto again = serializeOpDebug(*record);
  Expected<OpDebugRecord> readAgain = parseOpDebug(again);
  Expected<std::string> json = toOpDebugJson(again);
  if (!readAgain || *readAgain != *record || !json ||
      *json != toJson(*record) || !toOpDebugJson(bytes) ||
      toString(*record).find('\n') != std::string::npos)
    std::abort();
}

/// The start of a record of the right length, for bytes that are shorter.
static void checkOpDebugStart(ByteView bytes) {
  std::array<std::byte, OpDebugSize> record{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), record.size()),
              record.begin());
  checkOpDebug(record);
}

//===----------------------------------------------------------------------===//
// What the tools do with a file that was read
//===----------------------------------------------------------------------===//

/// A folder for results, gone at the end of the process.
static const std::string &getFolder() {
  struct Folder {
    std::string path =
        (std::filesystem::temp_directory_path() / "npu-fuzz-XXXXXX").string();
    Folder() {
      if (!::mkdtemp(path.data()))
        std::abort();
    }
    ~Folder() {
      std::error_code error;
      std::filesystem::remove_all(path, error);
    }
  };
  static Folder folder;
  return folder.path;
}

/// A layout that a tensor can be moved to and back has lost nothing.
static void checkTransfers(const DumpTensor &tensor) {
  std::optional<uint64_t> size = getCheckedByteSize(tensor.dtype, tensor.shape);
  if (!size || *size > tensor.data.size() || getBitWidth(tensor.dtype) % 8 != 0)
    return;
  Expected<TensorDesc> source = describeLayout(tensor, std::nullopt);
  if (!source)
    return;
  Expected<TensorDesc> logical = describeTarget(*source, source->originFormat);
  if (!logical)
    return;
  auto move = [](const TensorDesc &from, const TensorDesc &to, ByteView data) {
    std::vector<std::byte> moved;
    if (auto transfer = kernels::FormatTransfer::create(from, to)) {
      moved.resize(to.byteSize());
      transfer->run(data.data(), moved.data());
    }
    return moved;
  };
  const auto plain = move(*source, *logical, tensor.data.first(*size));
  for (Format format : {Format::NC1HWC0, Format::NDC1HWC0, Format::FRACTAL_Z,
                        Format::FRACTAL_Z_3D, Format::FRACTAL_NZ, Format::NHWC,
                        Format::HWCN, Format::ND}) {
    Expected<TensorDesc> target = describeTarget(*source, format);
    if (!target || target->byteSize() > (uint64_t(1) << 16) || plain.empty())
      continue;
    const auto blocked = move(*logical, *target, plain);
    if (!blocked.empty() && move(*target, *logical, blocked) != plain)
      std::abort();
  }
}

static void checkComparison(const DumpTensor &tensor) {
  CompareOptions options;
  options.folder = getFolder();
  const TensorComparison self = compareTensors(tensor, tensor, options);
  if (self.verdict == Verdict::Fail || self.verdict == Verdict::Missing)
    std::abort();
}

/// The CSV of statistics has a row for each tensor.
static void checkStatistics(const DumpRecord &record) {
  for (StatisticsWriter writer :
       {StatisticsWriter::Aicpu, StatisticsWriter::Kfc})
    for (bool asDevice : {false, true}) {
      Expected<std::vector<StatisticsRow>> rows =
          parseStatistics(writeStatistics(record, {writer, {}, asDevice}));
      if (!rows || rows->size() != record.inputs.size() + record.outputs.size())
        std::abort();
    }
}

/// Converts the file; the bytes themselves choose the options.
static void checkConversion(ByteView bytes, uint64_t choice) {
  static constexpr Format formats[] = {
      Format::NCHW,         Format::NHWC,       Format::HWCN,
      Format::ND,           Format::NC1HWC0,    Format::FRACTAL_Z,
      Format::FRACTAL_Z_3D, Format::FRACTAL_NZ, Format::NDC1HWC0};
  FileDescriptor fd(::memfd_create("dump", MFD_CLOEXEC));
  if (!fd || writeAll(fd.get(), bytes) != 0)
    std::abort();
  ConvertOptions options;
  options.folder = getFolder();
  options.type = static_cast<ConvertType>(choice % 4);
  if (choice & 4)
    options.format = FormatAndGroups{formats[choice / 8 % std::size(formats)],
                                     static_cast<int32_t>(choice / 128 % 3)};
  const ListedFile file{"/proc/self/fd/" + std::to_string(fd.get()),
                        choice & 64 ? "Opdebug.Node_OpDebug.1.2.3"
                                    : "Add.a.1.2.3"};
  const ConvertedFile result = convertFile(file, options.folder, options);
  unsigned numFiles = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(options.folder)) {
    if (entry.path().extension() == ".npy" && !readNpy(entry.path().string()))
      std::abort();
    std::filesystem::remove(entry.path());
    ++numFiles;
  }
  if (numFiles != result.numWritten)
    std::abort();
}

static uint64_t hash(ByteView bytes) {
  uint64_t value = 1469598103934665603;
  for (std::byte byte : bytes)
    value = (value ^ static_cast<uint8_t>(byte)) * 1099511628211;
  return value >> 16;
}

static void checkTools(const DumpFile &file, ByteView bytes) {
  const DumpRecord &record = file.record();
  checkStatistics(record);
  // The first tensors of each side stand for the others, which are alike.
  for (const auto *tensors : {&record.inputs, &record.outputs})
    for (size_t i = 0; i < std::min<size_t>(tensors->size(), 2); ++i) {
      checkTransfers((*tensors)[i]);
      checkComparison((*tensors)[i]);
    }
  // Files take long: a part of the inputs is enough.
  if (const uint64_t choice = hash(bytes); choice / 8 % 32 == 0)
    checkConversion(bytes, choice / 256);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ByteView bytes = std::as_bytes(std::span(data, size));
  Expected<DumpFile> file = DumpFile::parse(bytes);
  if (file) {
    check(*file, size);
    static_cast<void>(readOpDebug(*file));
    // Large tensors take long: a part of them is enough.
    if (size <= 1024 || hash(bytes) % 8 == 0)
      checkTools(*file, bytes);
  } else {
    static_cast<void>(
        parseStatistics({reinterpret_cast<const char *>(data), size}));
  }
  checkOpDebug(bytes);
  checkOpDebugStart(bytes);
  const std::string text(reinterpret_cast<const char *>(data), size);
  parseMapping(text);
  if (std::optional<DumpName> name = parseFileName(text)) {
    // One round replaces characters and drops leading zeros, the next nothing.
    const std::string fileName = toFileName(*name);
    std::optional<DumpName> again = parseFileName(fileName);
    if (!again || toFileName(*again) != fileName)
      std::abort();
  }
  return 0;
}
