//===- OpDebugPeerTest.cpp - Ascend's own tool reads our records ----------===//
//
// Runs the command of NPU_MSACCUCMP, which exits with 77 where it cannot.
//
//===----------------------------------------------------------------------===//

#include "OpDebugTestSupport.h"
#include "TestSupport.h"

#include <sys/wait.h>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

namespace fs = std::filesystem;

/// Writes each record with its operator, "add0" and so on, as model 514, in the
/// folder that it returns. The operators have tasks from 57 on.
static std::string writePairs(const std::string &path,
                              const std::vector<OpDebugRecord> &records) {
  DumpWriterOptions options = makeOptions(path, 1597922031178434);
  options.modelNameInFolder = false;
  Expected<std::unique_ptr<DumpWriter>> writer =
      DumpWriter::create(std::move(options));
  EXPECT_TRUE(writer.ok());
  const uint16_t halves[] = {0x3c00, 0x7bff};
  for (size_t i = 0; i < records.size(); ++i) {
    DumpJob op = makeJob("add" + std::to_string(i), 0);
    op.modelId = 514;
    op.streamId = 563;
    op.taskId = static_cast<uint32_t>(57 + i);
    op.record.inputs = op.record.outputs = {
        makeTensor(DataType::Float16, {2}, std::as_bytes(std::span(halves)))};
    op.copy = true;
    op.owners.clear();
    DumpJob debug = makeOpDebugJob(records[i], op);
    EXPECT_TRUE((*writer)->enqueue(std::move(op)).ok());
    EXPECT_TRUE((*writer)->enqueue(std::move(debug)).ok());
  }
  EXPECT_TRUE((*writer)->finish().ok());
  return (*writer)->timeFolder() + "/0/514/0";
}

/// Runs the tool; its exit status, and what it said in \p log.
static int runTool(const std::string &arguments, const std::string &scratch,
                   std::string &log) {
  const std::string file = scratch + "/log";
  const int status = std::system(
      ("'" NPU_MSACCUCMP "' " + arguments + " > '" + file + "' 2>&1").c_str());
  log = readText(file);
  // 127: there is no such command.
  if (!WIFEXITED(status))
    return -1;
  return WEXITSTATUS(status) == 127 ? 77 : WEXITSTATUS(status);
}

TEST(OpDebugPeer, ConvertsToTheSameText) {
  TempDir dir;
  const std::vector<OpDebugRecord> records = makeAllRecords();
  const std::string folder = writePairs(dir.path(), records);
  const std::string out = dir.path() + "/out";
  std::string log;
  const int status = runTool(
      "convert -d '" + folder + "' -out '" + out + "' -v 2", dir.path(), log);
  if (status == 77)
    GTEST_SKIP() << log;
  ASSERT_EQ(status, 0) << log;
  for (size_t i = 0; i < records.size(); ++i) {
    OpDebugRecord record = records[i];
    record.taskId = 57 + i;
    const std::string name = "Opdebug.Node_OpDebug." + std::to_string(57 + i) +
                             ".563." +
                             std::to_string(1597922031178434 + 2 * i + 1);
    EXPECT_EQ(readText(out + "/" + name + ".output.0.json"), toJson(record));
  }
}

TEST(OpDebugPeer, FindsTheOperatorOfEachRecord) {
  TempDir dir;
  // Of a whole operator: the tool looks for threads in names.
  OpDebugRecord whole = makeRecord(OpDebugUnit::AIV);
  whole.contextId = whole.threadId = 65535;
  OpDebugRecord four = makeRecord(OpDebugUnit::AIC, 1);
  four.contextId = four.threadId = 65535;
  const std::string folder = writePairs(
      dir.path(), {makeRecord(), makeRecord(OpDebugUnit::DhaAtomicAdd), whole,
                   four, makeRecord(OpDebugUnit::SDMA)});
  const std::string out = dir.path() + "/out";
  fs::create_directory(out);
  std::string log;
  const int status = runTool("overflow -d '" + dir.path() + "/" + frozenTime +
                                 "' -out '" + out + "' -n 5",
                             dir.path(), log);
  if (status == 77)
    GTEST_SKIP() << log;
  ASSERT_EQ(status, 0) << log;
  std::string summary;
  for (const std::string &file : listFiles(out))
    if (file.starts_with("overflow_summary_"))
      summary = readText(out + "/" + file);
  // Each line that matters in its order; what is in between is decoration. The
  // tool prints the half 65504 with the digits that tell it from others.
  const std::vector<std::string> lines = {
      "=[1]=",
      "[Add] add0\n",
      " [AI Core][TaskId:57][StreamId:563][Status:32]\n",
      " [timestamp:1597922031178435]\n",
      " Add.add0.57.563.1597922031178434.input.0.npy\n",
      "[Format: ND] [Shape: (2,)] [Dtype: float16] [Max: 65500.0] [Min: 1.0]",
      " Add.add0.57.563.1597922031178434.output.0.npy\n",
      "=[2]=",
      "[Add] add1\n",
      " [DHA Atomic Add][TaskId:58][StreamId:563][Status:2304]\n",
      " Add.add1.58.563.1597922031178436.output.0.npy\n",
      "=[3]=",
      "[Add] add2\n",
      " [AIV][TaskId:59][StreamId:563][Status:32]\n",
      " Add.add2.59.563.1597922031178438.output.0.npy\n",
      "=[4]=",
      "[Add] add3\n",
      " [AIC][TaskId:60][StreamId:563][Status:[32, 0, 18446744073709551615, "
      "7]]\n",
      " Add.add3.60.563.1597922031178440.output.0.npy\n",
      "=[5]=",
      "[Add] add4\n",
      " [SDMA][TaskId:61][StreamId:563][Status:32]\n",
      " Add.add4.61.563.1597922031178442.output.0.npy\n",
  };
  size_t position = 0;
  for (const std::string &line : lines) {
    position = summary.find(line, position);
    ASSERT_NE(position, std::string::npos) << line << " in\n" << summary << log;
    position += line.size();
  }
}
