//===- OpDebug.cpp - Overflow records -------------------------------------===//

#include "npu/Dump/OpDebug.h"

#include "npu/Dump/OverflowStatus.h"

#include "Hex.h"
#include "Json.h"

#include <algorithm>
#include <cstring>

using namespace npu;
using namespace npu::dump;

//===----------------------------------------------------------------------===//
// The layouts
//===----------------------------------------------------------------------===//

namespace {

/// A word of 64 bits.
struct Field {
  const char *key;
  uint64_t OpDebugRecord::*member;
  bool isAddress = false; ///< hexadecimal in JSON
};

/// Where a unit keeps its words: fields one after another, and, there or in an
/// area of its own, further fields and the status behind them.
struct UnitFormat {
  std::string_view name;
  size_t fieldsOffset;
  std::span<const Field> fields;
  size_t statusOffset;
  std::span<const Field> statusFields;
};

} // namespace

static constexpr Field oldFields[] = {
    {"model_id", &OpDebugRecord::modelId},
    {"stream_id", &OpDebugRecord::streamId},
    {"task_id", &OpDebugRecord::taskId},
    {"task_type", &OpDebugRecord::taskType},
    {"pc_start", &OpDebugRecord::pcStart, true},
    {"para_base", &OpDebugRecord::paraBase, true},
};

static constexpr Field aiCoreStatusFields[] = {
    {"kernel_code", &OpDebugRecord::kernelCode, true},
    {"block_idx", &OpDebugRecord::blockId},
};

static constexpr Field coreFields[] = {
    {"model_id", &OpDebugRecord::modelId},
    {"stream_id", &OpDebugRecord::streamId},
    {"task_id", &OpDebugRecord::taskId},
    {"task_type", &OpDebugRecord::taskType},
    {"context_id", &OpDebugRecord::contextId},
    {"thread_id", &OpDebugRecord::threadId},
    {"pc_start", &OpDebugRecord::pcStart, true},
    {"para_base", &OpDebugRecord::paraBase, true},
    {"core_id", &OpDebugRecord::coreId},
    {"block_id", &OpDebugRecord::blockId},
};

static constexpr Field cpuFields[] = {
    {"model_id", &OpDebugRecord::modelId},
    {"stream_id", &OpDebugRecord::streamId},
    {"task_id", &OpDebugRecord::taskId},
    {"task_type", &OpDebugRecord::taskType},
    {"context_id", &OpDebugRecord::contextId},
    {"cpu_id", &OpDebugRecord::cpuId},
    {"thread_id", &OpDebugRecord::threadId},
};

static constexpr Field sdmaFields[] = {
    {"model_id", &OpDebugRecord::modelId},
    {"stream_id", &OpDebugRecord::streamId},
    {"task_id", &OpDebugRecord::taskId},
    {"task_type", &OpDebugRecord::taskType},
    {"context_id", &OpDebugRecord::contextId},
    {"thread_id", &OpDebugRecord::threadId},
    {"src_addr", &OpDebugRecord::srcAddr, true},
    {"dst_addr", &OpDebugRecord::dstAddr, true},
    {"channel_id", &OpDebugRecord::channelId},
};

// The new layout's words of 32 bits.
static constexpr size_t magicOffset = 0;
static constexpr size_t versionOffset = 4;
static constexpr size_t validOffset = 8;
static constexpr size_t accTypeOffset = 12;
static constexpr size_t reservedOffset = 16;
static constexpr size_t dataLengthOffset = 20;
static constexpr size_t dataOffset = 24;

static constexpr uint32_t magic = 0x5a5a5a5a;

static constexpr size_t wordSize = sizeof(uint64_t);

template <size_t NumFields>
static constexpr UnitFormat makeNewFormat(std::string_view name,
                                          const Field (&fields)[NumFields]) {
  return {name, dataOffset, fields, dataOffset + NumFields * wordSize, {}};
}

/// In the order of OpDebugUnit.
static constexpr UnitFormat unitFormats[] = {
    {"DHA Atomic Add", 0, oldFields, 512, {}},
    {"L2 Atomic Add", 128, oldFields, 768, {}},
    {"AI Core", 256, oldFields, 1024, aiCoreStatusFields},
    makeNewFormat("AIC", coreFields),
    makeNewFormat("AIV", coreFields),
    makeNewFormat("AICPU", cpuFields),
    makeNewFormat("SDMA", sdmaFields),
};

static constexpr OpDebugUnit oldUnits[] = {
    OpDebugUnit::DhaAtomicAdd, OpDebugUnit::L2AtomicAdd, OpDebugUnit::AiCore};

/// The numbers of acc_type.
static constexpr OpDebugUnit accTypes[] = {
    OpDebugUnit::AIC, OpDebugUnit::AIV, OpDebugUnit::AICPU, OpDebugUnit::SDMA};

static const UnitFormat &getFormat(OpDebugUnit unit) {
  return unitFormats[static_cast<size_t>(unit)];
}

std::string_view npu::dump::getName(OpDebugUnit unit) {
  return getFormat(unit).name;
}

/// Calls \p visit(field, offset) for each word but the status. Returns the
/// offset of the status.
template <typename Visitor>
static size_t forEachField(const UnitFormat &format, Visitor visit) {
  size_t offset = format.fieldsOffset;
  for (const Field &field : format.fields) {
    visit(field, offset);
    offset += wordSize;
  }
  offset = format.statusOffset;
  for (const Field &field : format.statusFields) {
    visit(field, offset);
    offset += wordSize;
  }
  return offset;
}

static uint32_t getDataLength(OpDebugUnit unit, uint32_t version) {
  return static_cast<uint32_t>(
      (getFormat(unit).fields.size() + getNumStatusWords(unit, version)) *
      wordSize);
}

template <typename Word>
static Word load(ByteView bytes, size_t offset) {
  Word word;
  std::memcpy(&word, bytes.data() + offset, sizeof(word));
  return word;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

std::array<std::byte, OpDebugSize>
npu::dump::serializeOpDebug(const OpDebugRecord &record) {
  std::array<std::byte, OpDebugSize> bytes{};
  auto store = [&](size_t offset, auto word) {
    std::memcpy(bytes.data() + offset, &word, sizeof(word));
  };
  const OpDebugUnit unit = record.unit;
  if (getLayout(unit) == OpDebugLayout::New) {
    store(magicOffset, magic);
    store(versionOffset, record.version);
    store(validOffset, uint32_t(1));
    const auto *accType = std::find(accTypes, std::end(accTypes), unit);
    store(accTypeOffset, static_cast<uint32_t>(accType - accTypes));
    store(dataLengthOffset, getDataLength(unit, record.version));
  }
  size_t offset = forEachField(getFormat(unit),
                               [&](const Field &field, size_t fieldOffset) {
                                 store(fieldOffset, record.*field.member);
                               });
  for (size_t i = 0; i < getNumStatusWords(unit, record.version); ++i)
    store(offset + i * wordSize, record.status[i]);
  return bytes;
}

static OpDebugRecord getRecord(ByteView bytes, OpDebugUnit unit) {
  OpDebugRecord record;
  record.unit = unit;
  if (getLayout(unit) == OpDebugLayout::New)
    record.version = load<uint32_t>(bytes, versionOffset);
  const size_t offset = forEachField(
      getFormat(unit), [&](const Field &field, size_t fieldOffset) {
        record.*field.member = load<uint64_t>(bytes, fieldOffset);
      });
  for (size_t i = 0; i < getNumStatusWords(unit, record.version); ++i)
    record.status[i] = load<uint64_t>(bytes, offset + i * wordSize);
  return record;
}

static Status fault(const std::string &what) {
  return Status::error("overflow record: " + what);
}

/// Checks the length and, in the new layout, the header. The unit of a record
/// in the new layout; none for the old one.
static Expected<std::optional<OpDebugUnit>> getNewUnit(ByteView bytes) {
  if (bytes.size() != OpDebugSize)
    return fault("have " + std::to_string(bytes.size()) +
                 " bytes, expected 2048");
  if (load<uint32_t>(bytes, magicOffset) != magic)
    return std::optional<OpDebugUnit>();
  const auto valid = load<uint32_t>(bytes, validOffset);
  if (valid != 1)
    return fault("valid is " + std::to_string(valid) + ", expected 1");
  const auto accType = load<uint32_t>(bytes, accTypeOffset);
  if (accType >= std::size(accTypes))
    return fault("acc_type is " + std::to_string(accType) +
                 ", expected 0 (AIC), 1 (AIV), 2 (AICPU) or 3 (SDMA)");
  const OpDebugUnit unit = accTypes[accType];
  const auto version = load<uint32_t>(bytes, versionOffset);
  const auto length = load<uint32_t>(bytes, dataLengthOffset);
  if (const uint32_t expected = getDataLength(unit, version);
      length != expected)
    return fault("data_len is " + std::to_string(length) + ", expected " +
                 std::to_string(expected) + " for " +
                 std::string(getName(unit)) + " in version " +
                 std::to_string(version));
  return std::optional(unit);
}

Expected<OpDebugRecord> npu::dump::parseOpDebug(ByteView bytes) {
  Expected<std::optional<OpDebugUnit>> newUnit = getNewUnit(bytes);
  if (!newUnit)
    return newUnit.takeStatus();
  if (*newUnit)
    return getRecord(bytes, **newUnit);
  std::optional<OpDebugRecord> last;
  for (OpDebugUnit unit : oldUnits)
    if (OpDebugRecord record = getRecord(bytes, unit); record.status[0] != 0)
      last = record;
  if (!last)
    return fault("expected the magic number 0x5a5a5a5a, or a unit of the old "
                 "layout with a status other than 0");
  return *last;
}

Expected<OpDebugRecord> npu::dump::readOpDebug(const DumpFile &file) {
  if (file.record().outputs.empty())
    return fault("there is no output, expected one of 2048 bytes");
  return parseOpDebug(file.record().outputs.front().data);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static Json unitToJson(ByteView bytes, OpDebugUnit unit, uint32_t version) {
  Json json;
  const size_t offset =
      forEachField(getFormat(unit), [&](const Field &field, size_t at) {
        const auto word = load<uint64_t>(bytes, at);
        json[field.key] = field.isAddress ? Json(toHex(word)) : Json(word);
      });
  const size_t words = getNumStatusWords(unit, version);
  if (words == 1) {
    json["status"] = load<uint64_t>(bytes, offset);
    return json;
  }
  for (size_t i = 0; i < words; ++i)
    json["status"].push_back(load<uint64_t>(bytes, offset + i * wordSize));
  return json;
}

/// \p newUnit is the unit of the new layout, none for the old one.
static std::string toJson(ByteView bytes, std::optional<OpDebugUnit> newUnit) {
  Json json;
  if (newUnit) {
    const auto version = load<uint32_t>(bytes, versionOffset);
    json["magic"] = toHex(load<uint32_t>(bytes, magicOffset));
    json["version"] = version;
    json["acc_list"] = {
        {"valid", load<uint32_t>(bytes, validOffset)},
        {"acc_type", getName(*newUnit)},
        {"rsv", load<uint32_t>(bytes, reservedOffset)},
        {"data_len", load<uint32_t>(bytes, dataLengthOffset)},
        {"data", unitToJson(bytes, *newUnit, version)},
    };
  } else {
    for (OpDebugUnit unit : oldUnits)
      json[std::string(getName(unit))] = unitToJson(bytes, unit, 0);
  }
  return toText(json, 4);
}

Expected<std::string> npu::dump::toOpDebugJson(ByteView bytes) {
  Expected<std::optional<OpDebugUnit>> newUnit = getNewUnit(bytes);
  if (!newUnit)
    return newUnit.takeStatus();
  return ::toJson(bytes, *newUnit);
}

std::string npu::dump::toJson(const OpDebugRecord &record) {
  const bool isNew = getLayout(record.unit) == OpDebugLayout::New;
  return ::toJson(serializeOpDebug(record),
                  isNew ? std::optional(record.unit) : std::nullopt);
}

std::string npu::dump::describeStatus(const OpDebugRecord &record) {
  const uint64_t status = record.status[0];
  switch (record.unit) {
  case OpDebugUnit::DhaAtomicAdd:
    return describeDhaStatus(status);
  case OpDebugUnit::L2AtomicAdd:
    return describeL2Status(status);
  case OpDebugUnit::AiCore:
    return describeAiCoreStatus(status);
  case OpDebugUnit::AIC:
  case OpDebugUnit::AIV:
    if (record.version != 1)
      return describeAiCoreStatus(status);
    break;
  case OpDebugUnit::AICPU:
  case OpDebugUnit::SDMA:
    break;
  }
  return record.status == std::array<uint64_t, 4>() ? "no overflow"
                                                    : "overflow";
}

std::string npu::dump::toString(const OpDebugRecord &record) {
  auto item = [](const char *what, uint64_t value) {
    return std::string(what) + std::to_string(value);
  };
  std::string text(getName(record.unit));
  text += item(" overflow: model ", record.modelId);
  text += item(", task ", record.taskId);
  text += item(", stream ", record.streamId);
  switch (record.unit) {
  case OpDebugUnit::DhaAtomicAdd:
  case OpDebugUnit::L2AtomicAdd:
    break;
  case OpDebugUnit::AIC:
  case OpDebugUnit::AIV:
    text += item(", core ", record.coreId);
    [[fallthrough]];
  case OpDebugUnit::AiCore:
    text += item(", block ", record.blockId);
    break;
  case OpDebugUnit::AICPU:
    text += item(", cpu ", record.cpuId);
    break;
  case OpDebugUnit::SDMA:
    text += item(", channel ", record.channelId);
    break;
  }
  text += ", status";
  for (size_t i = 0; i < getNumStatusWords(record.unit, record.version); ++i)
    text += " " + toHex(record.status[i]);
  return text + ": " + describeStatus(record);
}

//===----------------------------------------------------------------------===//
// The dump file
//===----------------------------------------------------------------------===//

DumpJob npu::dump::makeOpDebugJob(OpDebugRecord record, const DumpJob &op) {
  record.modelId = op.modelId.value_or(record.modelId);
  record.taskId = op.taskId;
  record.streamId = op.streamId;
  auto bytes = std::make_shared<const std::array<std::byte, OpDebugSize>>(
      serializeOpDebug(record));

  DumpTensor tensor;
  tensor.dtype = DataType::UInt8;
  tensor.format = Format::ND;
  tensor.shape = {OpDebugSize};
  tensor.size = OpDebugSize;
  tensor.data = *bytes;
  tensor.originalOp = {std::string(OpDebugName), 0,
                       getRuntimeNumber(DataType::UInt8),
                       static_cast<uint32_t>(Format::ND)};

  DumpJob job;
  job.opType = OpDebugType;
  job.taskId = op.taskId;
  job.streamId = op.streamId;
  job.modelName = op.modelName;
  job.modelId = op.modelId;
  job.dataIndex = op.dataIndex;
  job.record.opName = OpDebugName;
  job.record.outputs.push_back(std::move(tensor));
  job.owners.push_back(std::move(bytes));
  return job;
}
