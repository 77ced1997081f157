//===- OpDebugFolderTest.cpp - The overflow records of a dump -------------===//

#include "npu/Dump/OverflowRecords.h"

#include "OpDebugTestSupport.h"
#include "TestSupport.h"

#include <nlohmann/json.hpp>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

namespace fs = std::filesystem;

/// Writes \p job's file under the time stamp \p time.
static void writeFile(const std::string &folder, DumpJob job, uint64_t time) {
  fs::create_directories(folder);
  for (auto *tensors : {&job.record.inputs, &job.record.outputs})
    for (DumpTensor &tensor : *tensors)
      tensor.size = tensor.data.size();
  job.record.dumpTime = time;
  std::string bytes = serializeHeader(job.record);
  job.record.forEachPart([&](ByteView data) {
    bytes.append(reinterpret_cast<const char *>(data.data()), data.size());
  });
  writeText(folder + "/" +
                toFileName({job.opType, job.record.opName, job.taskId,
                            job.streamId, time, std::nullopt}),
            bytes);
}

/// A job with one half as its input and one as its output.
static DumpJob makeHalfJob(const std::string &name, uint32_t taskId,
                           uint16_t in, uint16_t out) {
  auto halves = std::make_shared<std::array<uint16_t, 2>>();
  *halves = {in, out};
  const ByteView bytes = std::as_bytes(std::span(*halves));
  DumpJob job = makeJob(name, 0);
  job.taskId = taskId;
  job.record.inputs = {makeTensor(DataType::Float16, {1}, bytes.first(2))};
  job.record.outputs = {makeTensor(DataType::Float16, {1}, bytes.last(2))};
  job.owners = {halves};
  return job;
}

static std::vector<OverflowRecord> collect(const std::string &path) {
  Expected<std::vector<OverflowRecord>> records = collectOverflowRecords(path);
  EXPECT_TRUE(records.ok()) << records.status().message();
  return records.ok() ? std::move(*records) : std::vector<OverflowRecord>();
}

TEST(OverflowRecords, FirstOverflowFirst) {
  TempDir dir;
  const std::string two = dir.path() + "/2", ten = dir.path() + "/10";
  const DumpJob late = makeHalfJob("late", 20, 0x3c00, 0x7bff);
  const DumpJob early = makeHalfJob("early", 3, 0xfbff, 0xfbff);
  const DumpJob next = makeHalfJob("next", 7, 0x4000, 0x7bff);
  writeFile(ten, next, 1597922031177000);
  writeFile(ten, makeOpDebugJob(makeRecord(), next), 1597922031178000);
  writeFile(two, late, 1597922031178100);
  writeFile(two, makeOpDebugJob(makeRecord(), late), 1597922031178434);
  writeFile(two, makeOpDebugJob(makeRecord(), early), 1597922031178433);
  writeFile(two, early, 1597922031179000); // its record may come before it
  writeFile(two, makeHalfJob("bystander", 4, 0, 0), 1597922031178433);

  const std::vector<OverflowRecord> records = collect(dir.path());
  ASSERT_EQ(records.size(), 3u);
  const std::vector<std::pair<uint64_t, uint64_t>> order = {
      {2, 1597922031178433}, {2, 1597922031178434}, {10, 1597922031178000}};
  const std::vector<std::string> names = {"early", "late", "next"};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(records[i].dataIndex, order[i].first);
    EXPECT_EQ(records[i].file.name->timestamp, order[i].second);
    ASSERT_TRUE(records[i].op) << i;
    EXPECT_EQ(records[i].op->opName, names[i]);
    EXPECT_EQ(records[i].op->name->opType, "Add");
    EXPECT_EQ(records[i].op->tensors.size(), 2u);
  }
  EXPECT_EQ(records[0].op->tensors[0].range->minimum, Scalar(-65504.0));
  EXPECT_EQ(records[1].op->tensors[0].range->maximum, Scalar(1.0));
  EXPECT_EQ(records[1].op->tensors[1].range->maximum, Scalar(65504.0));
}

TEST(OverflowRecords, OnlyTheOperatorItself) {
  TempDir dir;
  const DumpJob op = makeHalfJob("op", 57, 0, 0);
  writeFile(dir.path() + "/1", makeOpDebugJob(makeRecord(), op), 100);
  // Another folder, stream, or task: not its dump.
  writeFile(dir.path() + "/2", op, 99);
  DumpJob other = makeHalfJob("stream", 57, 0, 0);
  other.streamId = 8;
  writeFile(dir.path() + "/1", other, 99);
  writeFile(dir.path() + "/1", makeHalfJob("task", 5, 0, 0), 99);
  std::vector<OverflowRecord> records = collect(dir.path());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_FALSE(records[0].op);
  // An operator that ran twice, each time followed by its record.
  writeFile(dir.path() + "/1", makeHalfJob("first", 57, 0, 0), 98);
  writeFile(dir.path() + "/1", makeHalfJob("second", 57, 0, 0), 101);
  writeFile(dir.path() + "/1", makeOpDebugJob(makeRecord(), op), 107);
  records = collect(dir.path());
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].op->opName, "first");
  EXPECT_EQ(records[1].op->opName, "second");
}

TEST(OverflowRecords, OldNamesAndSlices) {
  TempDir dir;
  const std::string folder = dir.path() + "/x";
  const DumpJob op = makeHalfJob("op", 57, 0, 0);
  writeFile(folder, makeOpDebugJob(makeRecord(OpDebugUnit::AIC), op), 10);
  writeFile(folder, op, 9);
  // Three threads of a context, of which the record means (4, 2), and a file
  // without a stream id.
  const std::string bytes = readText(folder + "/Add.op.57.7.9");
  fs::remove(folder + "/Add.op.57.7.9");
  for (const char *name : {"/Add.a.57.7.9.4.4.1.0", "/Add.b.57.7.8.4.4.2.0",
                           "/Add.c.57.7.9.4.5.2.0"})
    writeText(folder + name, bytes);
  std::vector<OverflowRecord> records = collect(dir.path());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_FALSE(records[0].dataIndex);
  ASSERT_TRUE(records[0].op);
  EXPECT_EQ(records[0].op->name->opName, "b");
  writeText(folder + "/Add.old.57.9", bytes);
  records = collect(dir.path());
  ASSERT_TRUE(records[0].op);
  EXPECT_EQ(records[0].op->name->opName, "old");
}

TEST(OverflowRecords, FaultsAreShown) {
  TempDir dir;
  const std::string name = dir.path() + "/Opdebug.Node_OpDebug.1.2.3";
  writeText(name, "short");
  const DumpJob op = makeHalfJob("op", 1, 0, 0);
  DumpJob cut = makeOpDebugJob(makeRecord(), op);
  cut.record.outputs[0].data = cut.record.outputs[0].data.first(2000);
  writeFile(dir.path(), cut, 4);
  DumpJob none = makeOpDebugJob(makeRecord(), op);
  none.record.inputs = std::move(none.record.outputs);
  none.record.outputs.clear();
  writeFile(dir.path(), none, 5);
  // The other capitals make an ordinary dump.
  writeText(dir.path() + "/OpDebug.Node_OpDebug.1.2.3", "short");
  const std::vector<OverflowRecord> records = collect(dir.path());
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].file.fault,
            name + ": not a dump file: have 5 bytes, need more than 8");
  const std::string folder = dir.path() + "/Opdebug.Node_OpDebug.1.7.";
  EXPECT_EQ(records[1].file.fault,
            folder + "4: overflow record: have 2000 bytes, expected 2048");
  EXPECT_EQ(records[2].file.fault,
            folder + "5: overflow record: there is no output, expected one of "
                     "2048 bytes");
  EXPECT_FALSE(records[2].file.opDebug);
  EXPECT_EQ(collectOverflowRecords(dir.path() + "/none").status().message(),
            dir.path() + "/none: No such file or directory");
}

TEST(OverflowRecords, PairsAsTheWriterLeavesThem) {
  for (bool modelNameInFolder : {true, false}) {
    TempDir dir;
    DumpWriterOptions options = makeOptions(dir.path());
    options.modelNameInFolder = modelNameInFolder;
    Expected<std::unique_ptr<DumpWriter>> writer =
        DumpWriter::create(std::move(options));
    ASSERT_TRUE(writer.ok());
    for (uint32_t task : {11u, 12u}) {
      DumpJob op = makeHalfJob("op " + std::to_string(task), task, 0, 0x7bff);
      DumpJob debug = makeOpDebugJob(makeRecord(), op);
      ASSERT_TRUE((*writer)->enqueue(std::move(op)).ok());
      ASSERT_TRUE((*writer)->enqueue(std::move(debug)).ok());
    }
    ASSERT_TRUE((*writer)->finish().ok());
    // The clock stands still; the time stamps rise all the same.
    const std::string folder = std::string(frozenTime) +
                               (modelNameInFolder ? "/0/net/1/0/" : "/0/1/0/");
    EXPECT_EQ(listDumps(dir.path()),
              (std::vector<std::string>{
                  folder + "Add.op_11.11.7.1717171717123456",
                  folder + "Add.op_12.12.7.1717171717123458",
                  folder + "Opdebug.Node_OpDebug.11.7.1717171717123457",
                  folder + "Opdebug.Node_OpDebug.12.7.1717171717123459"}));
    const std::vector<OverflowRecord> records = collect(dir.path());
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].op->opName, "op 11");
    EXPECT_EQ(records[1].op->opName, "op 12");
    EXPECT_EQ(records[1].file.opDebug->modelId, 1u);
    EXPECT_EQ(records[1].file.opDebug->taskId, 12u);
    EXPECT_EQ(records[1].file.opDebug->streamId, 7u);
    EXPECT_EQ(records[1].dataIndex, 0u);
  }
}

TEST(Info, OverflowRecordIsShownAsSuch) {
  TempDir dir;
  const DumpJob op = makeHalfJob("op", 57, 0, 0);
  writeFile(dir.path(), makeOpDebugJob(makeRecord(), op), 1597922031178434);
  Expected<std::vector<FileInfo>> files = describe(dir.path());
  ASSERT_TRUE(files.ok());
  EXPECT_EQ(toTable(*files),
            dir.path() + "/Opdebug.Node_OpDebug.57.7.1597922031178434\n"
                         "  Opdebug Node_OpDebug at 1597922031178434\n"
                         "  AI Core overflow: model 1, task 57, stream 7, "
                         "block 1, status 0x20: floating-point overflow\n");
  const nlohmann::json json =
      nlohmann::json::parse(toJson(*files), nullptr, false);
  EXPECT_EQ(json[0]["overflow"]["AI Core"]["block_idx"], 1);
  EXPECT_EQ(json[0]["overflow_text"],
            "AI Core overflow: model 1, task 57, stream 7, block 1, status "
            "0x20: floating-point overflow");
}
