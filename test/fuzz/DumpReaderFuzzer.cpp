//===- DumpReaderFuzzer.cpp - Any bytes as a dump file --------------------===//

#include "npu/Dump/Info.h"

#include <algorithm>
#include <cstdlib>

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

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ByteView bytes = std::as_bytes(std::span(data, size));
  Expected<DumpFile> file = DumpFile::parse(bytes);
  if (file) {
    check(*file, size);
    static_cast<void>(readOpDebug(*file));
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
