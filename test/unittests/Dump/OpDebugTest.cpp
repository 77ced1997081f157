//===- OpDebugTest.cpp - Overflow records ---------------------------------===//

#include "npu/Dump/OpDebug.h"
#include "npu/Dump/OverflowStatus.h"

#include "OpDebugTestSupport.h"
#include "TestSupport.h"

#include <cstring>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

namespace {

/// A record put together byte by byte.
struct Payload {
  std::array<std::byte, 2048> bytes{};

  Payload &word(size_t offset, uint64_t value, size_t size = 8) {
    for (size_t i = 0; i < size; ++i)
      bytes[offset + i] = std::byte(value >> (8 * i));
    return *this;
  }
  Payload &words(size_t offset, std::initializer_list<uint64_t> values) {
    for (uint64_t value : values) {
      word(offset, value);
      offset += 8;
    }
    return *this;
  }
  Payload &header(uint32_t version, uint32_t accType, uint32_t dataLength,
                  uint32_t valid = 1) {
    return word(0, 0x5a5a5a5a, 4)
        .word(4, version, 4)
        .word(8, valid, 4)
        .word(12, accType, 4)
        .word(20, dataLength, 4);
  }
};

} // namespace

static std::string faultOf(ByteView bytes) {
  return parseOpDebug(bytes).status().message();
}

TEST(OpDebug, OldLayoutBytes) {
  EXPECT_EQ(serializeOpDebug(makeRecord(OpDebugUnit::AiCore)),
            Payload()
                .words(256, {514, 563, 57, 0, 0x1008005b0000, 0x100800297000})
                .words(1024, {0x1008005ae000, 1, 32})
                .bytes);
  EXPECT_EQ(serializeOpDebug(makeRecord(OpDebugUnit::DhaAtomicAdd)),
            Payload()
                .words(0, {514, 563, 57, 0, 0x1008005b0000, 0x100800297000})
                .word(512, 0x900)
                .bytes);
  EXPECT_EQ(serializeOpDebug(makeRecord(OpDebugUnit::L2AtomicAdd)),
            Payload()
                .words(128, {514, 563, 57, 0, 0x1008005b0000, 0x100800297000})
                .word(768, 0x10000)
                .bytes);
}

TEST(OpDebug, NewLayoutBytes) {
  OpDebugRecord record = makeRecord(OpDebugUnit::AIC);
  record.taskType = 4;
  EXPECT_EQ(serializeOpDebug(record),
            Payload()
                .header(0, 0, 88)
                .words(24, {514, 563, 57, 4, 4, 2, 0x1008005b0000,
                            0x100800297000, 3, 1, 32})
                .bytes);
  EXPECT_EQ(serializeOpDebug(makeRecord(OpDebugUnit::AIV, 1)),
            Payload()
                .header(1, 1, 112)
                .words(24, {514, 563, 57, 0, 4, 2, 0x1008005b0000,
                            0x100800297000, 3, 1, 32, 0, UINT64_MAX, 7})
                .bytes);
  EXPECT_EQ(serializeOpDebug(makeRecord(OpDebugUnit::AICPU, 1)),
            Payload()
                .header(1, 2, 64)
                .words(24, {514, 563, 57, 0, 65535, 6, 65535, 32})
                .bytes);
  EXPECT_EQ(serializeOpDebug(makeRecord(OpDebugUnit::SDMA)),
            Payload()
                .header(0, 3, 80)
                .words(24, {514, 563, 57, 0, 65535, 65535, 0xabcdef,
                            0x124000000000, 9, 32})
                .bytes);
}

TEST(OpDebug, ReadsWhatItWrites) {
  for (const OpDebugRecord &record : makeAllRecords()) {
    Expected<OpDebugRecord> read = parseOpDebug(serializeOpDebug(record));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(*read, record) << toString(record);
  }
}

TEST(OpDebug, OldLayoutWithSeveralUnits) {
  Payload payload;
  payload.words(0, {1, 2, 3}).word(512, 0x900);
  payload.words(128, {4, 5, 6}).word(768, 0x10000);
  Expected<OpDebugRecord> record = parseOpDebug(payload.bytes);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->unit, OpDebugUnit::L2AtomicAdd);
  EXPECT_EQ(record->taskId, 6u);
  Expected<std::string> json = toOpDebugJson(payload.bytes);
  ASSERT_TRUE(json.ok());
  EXPECT_NE(json->find("\"status\": 2304"), std::string::npos) << *json;
  EXPECT_NE(json->find("\"status\": 65536"), std::string::npos) << *json;
}

TEST(OpDebug, MalformedRecords) {
  const Payload good = Payload().header(0, 0, 88);
  EXPECT_TRUE(parseOpDebug(good.bytes).ok());
  EXPECT_EQ(faultOf({}), "overflow record: have 0 bytes, expected 2048");
  EXPECT_EQ(faultOf(ByteView(good.bytes).first(2047)),
            "overflow record: have 2047 bytes, expected 2048");
  EXPECT_EQ(faultOf(Payload().header(0, 0, 88, 0).bytes),
            "overflow record: valid is 0, expected 1");
  EXPECT_EQ(faultOf(Payload().header(0, 4, 88).bytes),
            "overflow record: acc_type is 4, expected 0 (AIC), 1 (AIV), "
            "2 (AICPU) or 3 (SDMA)");
  EXPECT_EQ(faultOf(Payload().header(1, 1, 88).bytes),
            "overflow record: data_len is 88, expected 112 for AIV in "
            "version 1");
  EXPECT_EQ(faultOf(Payload().header(0, 3, UINT32_MAX).bytes),
            "overflow record: data_len is 4294967295, expected 80 for SDMA in "
            "version 0");
  const std::string noUnit =
      "overflow record: expected the magic number 0x5a5a5a5a, or a unit of "
      "the old layout with a status other than 0";
  EXPECT_EQ(faultOf(Payload().bytes), noUnit);
  EXPECT_EQ(faultOf(Payload().header(0, 0, 88).word(0, 0x5a5a5a5b, 4).bytes),
            noUnit);
  EXPECT_FALSE(toOpDebugJson(Payload().header(0, 4, 88).bytes).ok());
  EXPECT_TRUE(toOpDebugJson(Payload().bytes).ok());
}

TEST(OpDebug, JsonOfTheOldLayout) {
  EXPECT_EQ(toJson(makeRecord()), R"({
    "DHA Atomic Add": {
        "model_id": 0,
        "stream_id": 0,
        "task_id": 0,
        "task_type": 0,
        "pc_start": "0x0",
        "para_base": "0x0",
        "status": 0
    },
    "L2 Atomic Add": {
        "model_id": 0,
        "stream_id": 0,
        "task_id": 0,
        "task_type": 0,
        "pc_start": "0x0",
        "para_base": "0x0",
        "status": 0
    },
    "AI Core": {
        "model_id": 514,
        "stream_id": 563,
        "task_id": 57,
        "task_type": 0,
        "pc_start": "0x1008005b0000",
        "para_base": "0x100800297000",
        "kernel_code": "0x1008005ae000",
        "block_idx": 1,
        "status": 32
    }
})");
}

TEST(OpDebug, JsonOfTheNewLayout) {
  EXPECT_EQ(toJson(makeRecord(OpDebugUnit::AIC, 1)), R"({
    "magic": "0x5a5a5a5a",
    "version": 1,
    "acc_list": {
        "valid": 1,
        "acc_type": "AIC",
        "rsv": 0,
        "data_len": 112,
        "data": {
            "model_id": 514,
            "stream_id": 563,
            "task_id": 57,
            "task_type": 0,
            "context_id": 4,
            "thread_id": 2,
            "pc_start": "0x1008005b0000",
            "para_base": "0x100800297000",
            "core_id": 3,
            "block_id": 1,
            "status": [
                32,
                0,
                18446744073709551615,
                7
            ]
        }
    }
})");
  EXPECT_EQ(toJson(makeRecord(OpDebugUnit::SDMA)), R"({
    "magic": "0x5a5a5a5a",
    "version": 0,
    "acc_list": {
        "valid": 1,
        "acc_type": "SDMA",
        "rsv": 0,
        "data_len": 80,
        "data": {
            "model_id": 514,
            "stream_id": 563,
            "task_id": 57,
            "task_type": 0,
            "context_id": 65535,
            "thread_id": 65535,
            "src_addr": "0xabcdef",
            "dst_addr": "0x124000000000",
            "channel_id": 9,
            "status": 32
        }
    }
})");
  EXPECT_EQ(toJson(makeRecord(OpDebugUnit::AICPU)), R"({
    "magic": "0x5a5a5a5a",
    "version": 0,
    "acc_list": {
        "valid": 1,
        "acc_type": "AICPU",
        "rsv": 0,
        "data_len": 64,
        "data": {
            "model_id": 514,
            "stream_id": 563,
            "task_id": 57,
            "task_type": 0,
            "context_id": 65535,
            "cpu_id": 6,
            "thread_id": 65535,
            "status": 32
        }
    }
})");
}

TEST(OpDebug, JsonOfForeignBytes) {
  // What we never write, but a device may: reserved words, unused areas.
  Payload payload = Payload().header(7, 1, 88).word(16, 5, 4);
  payload.word(2040, UINT64_MAX);
  Expected<std::string> json = toOpDebugJson(payload.bytes);
  ASSERT_TRUE(json.ok());
  EXPECT_NE(json->find("\"rsv\": 5,"), std::string::npos) << *json;
  EXPECT_NE(json->find("\"version\": 7,"), std::string::npos) << *json;
  EXPECT_NE(json->find("\"status\": 0\n"), std::string::npos) << *json;
}

TEST(OpDebug, OneLine) {
  EXPECT_EQ(toString(makeRecord()),
            "AI Core overflow: model 514, task 57, stream 563, block 1, "
            "status 0x20: floating-point overflow");
  EXPECT_EQ(toString(makeRecord(OpDebugUnit::AIV, 1)),
            "AIV overflow: model 514, task 57, stream 563, core 3, block 1, "
            "status 0x20 0x0 0xffffffffffffffff 0x7: overflow");
  EXPECT_EQ(toString(makeRecord(OpDebugUnit::AIC)),
            "AIC overflow: model 514, task 57, stream 563, core 3, block 1, "
            "status 0x20: floating-point overflow");
  EXPECT_EQ(toString(makeRecord(OpDebugUnit::AICPU)),
            "AICPU overflow: model 514, task 57, stream 563, cpu 6, status "
            "0x20: overflow");
  EXPECT_EQ(toString(makeRecord(OpDebugUnit::SDMA)),
            "SDMA overflow: model 514, task 57, stream 563, channel 9, status "
            "0x20: overflow");
  EXPECT_EQ(toString(makeRecord(OpDebugUnit::DhaAtomicAdd)),
            "DHA Atomic Add overflow: model 514, task 57, stream 563, status "
            "0x900: overflow: above the largest value");
}

TEST(OverflowStatus, AiCoreBitsInWords) {
  EXPECT_EQ(describeAiCoreStatus(272),
            "integer add/sub/mul/multiply-add overflow + f32-to-f16 or "
            "int32-to-f16 overflow");
  EXPECT_EQ(describeAiCoreStatus(32), "floating-point overflow");
  EXPECT_EQ(describeAiCoreStatus(1464),
            "negation of the smallest signed integer + integer "
            "add/sub/mul/multiply-add overflow + floating-point overflow + "
            "negative float to unsigned integer + f32-to-f16 or int32-to-f16 "
            "overflow + Cube accumulation overflow");
  EXPECT_EQ(describeAiCoreStatus(64),
            "unknown bit 0x40 (floating-point underflow in the Ascend C "
            "manual)");
  EXPECT_EQ(describeAiCoreStatus(0), "no overflow");
  EXPECT_EQ(describeAiCoreStatus(4294967328),
            "floating-point overflow + unknown bit 0x100000000");
  EXPECT_EQ(describeAiCoreStatus(uint64_t(1) << 63 | 1),
            "unknown bit 0x1 + unknown bit 0x8000000000000000");
  EXPECT_EQ(describeAiCoreStatus(uint64_t(1) << 61),
            "unknown bit 0x2000000000000000 (NaN or Inf input of a data move "
            "in the Ascend C manual)");
}

TEST(OverflowStatus, AtomicCodes) {
  EXPECT_EQ(encodeDhaStatus(AtomicOverflow::Upward), 0x900u);
  EXPECT_EQ(encodeDhaStatus(AtomicOverflow::InvalidBoth), 0xd00u);
  EXPECT_EQ(encodeL2Status(AtomicOverflow::Upward), 0x10000u);
  EXPECT_EQ(encodeL2Status(AtomicOverflow::InvalidBoth), 0x50000u);
  EXPECT_EQ(describeDhaStatus(0), "no overflow");
  EXPECT_EQ(describeDhaStatus(0xa00), "overflow: below the smallest value");
  EXPECT_EQ(describeDhaStatus(0x70b01),
            "overflow: source operand is NaN or invalid");
  EXPECT_EQ(describeDhaStatus(0xc00),
            "overflow: destination operand is NaN or invalid");
  EXPECT_EQ(describeDhaStatus(0xd00),
            "overflow: both operands are NaN or invalid");
  EXPECT_EQ(describeDhaStatus(1), "overflow: unknown code in 0x1");
  EXPECT_EQ(describeDhaStatus(0xe00), "overflow: unknown code in 0xe00");
  EXPECT_EQ(describeL2Status(0), "no overflow");
  EXPECT_EQ(describeL2Status(0x1ffff), "overflow: above the largest value");
  EXPECT_EQ(describeL2Status(0x50000),
            "overflow: both operands are NaN or invalid");
  EXPECT_EQ(describeL2Status(0x900), "overflow: unknown code in 0x900");
}

TEST(OpDebug, FileBytes) {
  TempDir dir;
  Expected<std::unique_ptr<DumpWriter>> writer =
      DumpWriter::create(makeOptions(dir.path(), 1597922031178434));
  ASSERT_TRUE(writer.ok());
  DumpJob op = makeJob("add");
  op.modelId = 514;
  op.streamId = 563;
  op.taskId = 57;
  op.dataIndex = 3;
  ASSERT_TRUE((*writer)->enqueue(makeOpDebugJob(makeRecord(), op)).ok());
  ASSERT_TRUE((*writer)->finish().ok());
  const std::string name = std::string("/") + frozenTime +
                           "/0/net/514/3/"
                           "Opdebug.Node_OpDebug.57.563.1597922031178434";
  const std::string bytes = readText(dir.path() + name);
  ASSERT_EQ(bytes.size(), 2121u);
  const unsigned char header[73] = {
      65,   0,    0,    0,    0,    0,    0,    0,    0x0a, 0x03, 0x32,
      0x2e, 0x30, 0x10, 0xc2, 0xa5, 0xb0, 0xb8, 0xd3, 0xa9, 0xeb, 0x02,
      0x1a, 0x23, 0x08, 0x04, 0x10, 0x02, 0x1a, 0x04, 0x0a, 0x02, 0x80,
      0x10, 0x22, 0x12, 0x0a, 0x0c, 'N',  'o',  'd',  'e',  '_',  'O',
      'p',  'D',  'e',  'b',  'u',  'g',  0x18, 0x04, 0x20, 0x02, 0x30,
      0x80, 0x10, 0x3a, 0x00, 0x32, 0x0c, 'N',  'o',  'd',  'e',  '_',
      'O',  'p',  'D',  'e',  'b',  'u',  'g'};
  EXPECT_EQ(std::memcmp(bytes.data(), header, sizeof(header)), 0);
  const auto payload = serializeOpDebug(makeRecord());
  EXPECT_EQ(std::memcmp(bytes.data() + 73, payload.data(), 2048), 0);
  // Readers that know nothing of the header look here.
  EXPECT_EQ(bytes[321 + 16], char(563 & 0xff));
  EXPECT_EQ(bytes[321 + 24], char(57));
}
