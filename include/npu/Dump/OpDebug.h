//===- OpDebug.h - Overflow records ----------------------------*- C++ -*-===//
//
// For each operator that overflows, the device writes the operator's own dump
// and, beside it, a dump file Opdebug.Node_OpDebug.{task}.{stream}.{time} whose
// only output is a record of 2048 bytes. There are two layouts: the old one has
// fixed areas for three units, the new one a header and one unit. The rules are
// in docs/OpDebug.md.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_DUMP_OPDEBUG_H
#define NPU_DUMP_OPDEBUG_H

#include "npu/Dump/DumpWriter.h"

#include <array>

namespace npu::dump {

/// The names that make a dump file an overflow record. Tools compare case.
constexpr std::string_view OpDebugType = "Opdebug";
constexpr std::string_view OpDebugName = "Node_OpDebug";

/// Whether a file of that name is an overflow record.
inline bool isOpDebug(const DumpName &name) {
  return name.opType == OpDebugType && name.opName == OpDebugName;
}

/// Bytes of a record in either layout.
constexpr size_t OpDebugSize = 2048;

/// What overflowed. A device has the units of one layout only.
enum class OpDebugUnit : uint8_t {
  DhaAtomicAdd, ///< old layout (Ascend 910, 310P), as the next two
  L2AtomicAdd,
  AiCore,
  AIC, ///< new layout (Ascend 910B and later), as the next three
  AIV,
  AICPU,
  SDMA,
};

enum class OpDebugLayout : uint8_t { Old, New };

/// The layout that has \p unit.
constexpr OpDebugLayout getLayout(OpDebugUnit unit) {
  return unit <= OpDebugUnit::AiCore ? OpDebugLayout::Old : OpDebugLayout::New;
}

/// "AI Core", "DHA Atomic Add", "AIC"...: as in the JSON text.
std::string_view getName(OpDebugUnit unit);

/// The first overflow of one task. Fields that the unit's layout lacks are
/// neither written nor read.
struct OpDebugRecord {
  OpDebugUnit unit = OpDebugUnit::AiCore;
  /// New layout only. 1 gives AIC and AIV four status words.
  uint32_t version = 0;
  uint64_t modelId = 0;
  uint64_t streamId = 0;
  uint64_t taskId = 0;
  uint64_t taskType = 0; ///< 0 is a task of an AI Core
  // The part of an operator that ran (FFTS+); 65535 for the whole operator.
  uint64_t contextId = 65535; ///< new layout
  uint64_t threadId = 65535;  ///< new layout
  uint64_t pcStart = 0;       ///< address of the kernel's code
  uint64_t paraBase = 0;      ///< address of the kernel's arguments
  uint64_t kernelCode = 0;    ///< AI Core of the old layout: near pcStart
  uint64_t coreId = 0;        ///< AIC, AIV
  uint64_t blockId = 0;       ///< AI Core ("block_idx"), AIC, AIV
  uint64_t cpuId = 0;         ///< AICPU
  uint64_t srcAddr = 0;       ///< SDMA, as the next two
  uint64_t dstAddr = 0;
  uint64_t channelId = 0;
  /// In the old layout a unit whose status is 0 has nothing to report: there
  /// the first word must not be 0. OverflowStatus.h has words for it.
  std::array<uint64_t, 4> status = {};

  friend bool operator==(const OpDebugRecord &,
                         const OpDebugRecord &) = default;
};

/// Status words of \p unit in a record of \p version: 4 or 1.
constexpr size_t getNumStatusWords(OpDebugUnit unit, uint32_t version) {
  const bool isCore = unit == OpDebugUnit::AIC || unit == OpDebugUnit::AIV;
  return isCore && version == 1 ? 4 : 1;
}

/// The bytes of \p record in its unit's layout; what it does not fill is zero.
std::array<std::byte, OpDebugSize>
serializeOpDebug(const OpDebugRecord &record);

/// Reads a record of either layout. Of an old one where several units have a
/// status, the last in the order of OpDebugUnit, as Ascend's tool does. Fails
/// on another length than OpDebugSize; in the old layout where no unit has a
/// status; in the new one where valid is not 1, acc_type has no unit, or
/// data_len is not that of the unit and version.
Expected<OpDebugRecord> parseOpDebug(ByteView bytes);

/// The record in \p file, its first output, with the faults of parseOpDebug.
Expected<OpDebugRecord> readOpDebug(const DumpFile &file);

/// The text that "msaccucmp convert" makes of the record \p bytes, byte for
/// byte. Takes old records without a status, else fails as parseOpDebug does.
Expected<std::string> toOpDebugJson(ByteView bytes);

/// The same text for the bytes of serializeOpDebug.
std::string toJson(const OpDebugRecord &record);

/// The status in words, where they are known for the unit.
std::string describeStatus(const OpDebugRecord &record);

/// "AI Core overflow: model 514, task 57, stream 563, block 1, status 0x20:
/// floating-point overflow", one line.
std::string toString(const OpDebugRecord &record);

/// The job of the file beside that of \p op, which is to be handed over first:
/// in the same folder, and named by the same task and stream. The record gets
/// the model, task and stream of \p op, by which readers find op's file.
DumpJob makeOpDebugJob(OpDebugRecord record, const DumpJob &op);

} // namespace npu::dump

#endif // NPU_DUMP_OPDEBUG_H
