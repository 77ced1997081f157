//===- Info.cpp - What dump files hold ------------------------------------===//

#include "npu/Dump/Info.h"

#include "npu/Dump/FileList.h"

#include "npu/Support/SmallFloat.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace npu;
using namespace npu::dump;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// \p decode turns the stored element into the value to compare; \p Result is
/// the kind of Scalar.
template <typename Stored, typename Result, typename Decode>
static ValueRange scan(ByteView data, Decode decode) {
  using Value = decltype(decode(Stored()));
  ValueRange range;
  range.count = data.size() / sizeof(Stored);
  Value minimum{}, maximum{};
  bool any = false;
  for (uint64_t i = 0; i < range.count; ++i) {
    Stored stored; // the payload is not aligned
    std::memcpy(&stored, data.data() + i * sizeof(Stored), sizeof(Stored));
    const Value value = decode(stored);
    if constexpr (std::is_floating_point_v<Value>) {
      if (std::isnan(value)) {
        ++range.nans;
        continue;
      }
      if (std::isinf(value))
        ++(value > 0 ? range.positiveInfs : range.negativeInfs);
    }
    minimum = any ? std::min(minimum, value) : value;
    maximum = any ? std::max(maximum, value) : value;
    any = true;
  }
  if (any) {
    range.minimum = static_cast<Result>(minimum);
    range.maximum = static_cast<Result>(maximum);
  }
  return range;
}

template <typename Stored>
static ValueRange scanPlain(ByteView data) {
  using Result = std::conditional_t<
      std::is_floating_point_v<Stored>, double,
      std::conditional_t<std::is_signed_v<Stored>, int64_t, uint64_t>>;
  return scan<Stored, Result>(data, [](Stored value) { return value; });
}

std::optional<ValueRange> npu::dump::getValueRange(DataType dtype,
                                                   ByteView data) {
  switch (dtype) {
  case DataType::Float16:
    return scan<uint16_t, double>(data, halfToFloat);
  case DataType::BFloat16:
    return scan<uint16_t, double>(data, bfloat16ToFloat);
  case DataType::Float:
    return scanPlain<float>(data);
  case DataType::Double:
    return scanPlain<double>(data);
  case DataType::Int8:
    return scanPlain<int8_t>(data);
  case DataType::Int16:
    return scanPlain<int16_t>(data);
  case DataType::Int32:
    return scanPlain<int32_t>(data);
  case DataType::Int64:
    return scanPlain<int64_t>(data);
  case DataType::UInt8:
    return scanPlain<uint8_t>(data);
  case DataType::UInt16:
    return scanPlain<uint16_t>(data);
  case DataType::UInt32:
    return scanPlain<uint32_t>(data);
  case DataType::UInt64:
    return scanPlain<uint64_t>(data);
  case DataType::Bool:
    return scan<uint8_t, uint64_t>(
        data, [](uint8_t value) -> uint64_t { return value != 0; });
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static FileInfo describeFile(const ListedFile &listed) {
  FileInfo info;
  info.path = listed.path.string();
  info.fileName = listed.fullName;
  info.name = parseFileName(listed.fullName);
  Expected<DumpFile> file = DumpFile::open(info.path);
  if (!file) {
    info.fault = file.status().message();
    return info;
  }
  if (info.name && isOpDebug(*info.name)) {
    Expected<OpDebugRecord> opDebug = readOpDebug(*file);
    if (!opDebug) {
      info.fault = info.path + ": " + opDebug.status().message();
      return info;
    }
    info.opDebug = *opDebug;
  }
  const DumpRecord &record = file->record();
  info.dumpTime = record.dumpTime;
  info.opName = record.opName;
  info.trailingBytes = file->trailingBytes();
  uint64_t offset = file->payloadOffset();
  for (const auto *tensors : {&record.inputs, &record.outputs})
    for (size_t i = 0; i < tensors->size(); ++i) {
      TensorInfo &tensor = info.tensors.emplace_back();
      tensor.isInput = tensors == &record.inputs;
      tensor.index = i;
      tensor.tensor = (*tensors)[i];
      tensor.fileOffset = offset;
      tensor.range = getValueRange(tensor.tensor.dtype, tensor.tensor.data);
      offset += tensor.tensor.size;
      tensor.tensor.data = {};
    }
  return info;
}

Expected<std::vector<FileInfo>> npu::dump::describe(const std::string &path) {
  Expected<std::vector<ListedFile>> listed = listDumpFiles(path);
  if (!listed)
    return listed.takeStatus();
  std::vector<FileInfo> files;
  for (const ListedFile &file : *listed)
    files.push_back(describeFile(file));
  return files;
}
