//===- OpDebugTestSupport.h - Records for the overflow tests ---*- C++ -*-===//

#ifndef NPU_TEST_DUMP_OPDEBUGTESTSUPPORT_H
#define NPU_TEST_DUMP_OPDEBUGTESTSUPPORT_H

#include "npu/Dump/OpDebug.h"

namespace npu::dump::test {

/// The record of the overflow guide, of another unit where asked. Every field
/// that the unit has differs from the others.
inline OpDebugRecord makeRecord(OpDebugUnit unit = OpDebugUnit::AiCore,
                                uint32_t version = 0) {
  OpDebugRecord record;
  record.unit = unit;
  record.modelId = 514;
  record.streamId = 563;
  record.taskId = 57;
  record.pcStart = 0x1008005b0000;
  record.paraBase = 0x100800297000;
  record.status[0] = 32;
  switch (unit) {
  case OpDebugUnit::DhaAtomicAdd:
    record.status[0] = 0x900;
    return record;
  case OpDebugUnit::L2AtomicAdd:
    record.status[0] = 0x10000;
    return record;
  case OpDebugUnit::AiCore:
    record.kernelCode = 0x1008005ae000;
    record.blockId = 1;
    return record;
  case OpDebugUnit::AIC:
  case OpDebugUnit::AIV:
    record.version = version;
    record.contextId = 4;
    record.threadId = 2;
    record.coreId = 3;
    record.blockId = 1;
    if (version == 1)
      record.status = {32, 0, 18446744073709551615u, 7};
    return record;
  case OpDebugUnit::AICPU:
    record.version = version;
    record.pcStart = record.paraBase = 0;
    record.cpuId = 6;
    return record;
  case OpDebugUnit::SDMA:
    record.version = version;
    record.pcStart = record.paraBase = 0;
    record.srcAddr = 0xabcdef;
    record.dstAddr = 0x124000000000;
    record.channelId = 9;
    return record;
  }
  return record;
}

/// Each unit once, those with two versions twice.
inline std::vector<OpDebugRecord> makeAllRecords() {
  return {makeRecord(OpDebugUnit::DhaAtomicAdd),
          makeRecord(OpDebugUnit::L2AtomicAdd),
          makeRecord(OpDebugUnit::AiCore),
          makeRecord(OpDebugUnit::AIC),
          makeRecord(OpDebugUnit::AIC, 1),
          makeRecord(OpDebugUnit::AIV),
          makeRecord(OpDebugUnit::AIV, 1),
          makeRecord(OpDebugUnit::AICPU),
          makeRecord(OpDebugUnit::AICPU, 1),
          makeRecord(OpDebugUnit::SDMA)};
}

} // namespace npu::dump::test

#endif // NPU_TEST_DUMP_OPDEBUGTESTSUPPORT_H
