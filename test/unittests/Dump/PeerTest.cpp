//===- PeerTest.cpp - Ascend's own tool reads our files -------------------===//
//
// Runs utils/check-with-msaccucmp.py with the command of NPU_MSACCUCMP.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"

#include <sys/wait.h>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

/// Bytes that look like nothing in particular, NaNs of all kinds among them.
static std::shared_ptr<std::vector<std::byte>> makeBytes(uint64_t size) {
  auto bytes = std::make_shared<std::vector<std::byte>>(size);
  uint64_t state = size + 1;
  for (std::byte &byte : *bytes) {
    state = state * 6364136223846793005 + 1442695040888963407;
    byte = std::byte(state >> 56);
  }
  return bytes;
}

static void addTensor(DumpJob &job, bool isInput, DataType dtype,
                      const Shape &shape, Format format,
                      const Shape &original) {
  auto bytes = makeBytes(*getCheckedByteSize(dtype, shape));
  if (dtype == DataType::Bool)
    for (std::byte &byte : *bytes)
      byte &= std::byte(1);
  DumpTensor tensor = makeTensor(dtype, shape, *bytes);
  tensor.format = format;
  tensor.originalShape = original;
  (isInput ? job.record.inputs : job.record.outputs).push_back(tensor);
  job.owners.push_back(bytes);
}

static DumpJob makeBareJob(const std::string &name, uint64_t dataIndex) {
  DumpJob job = makeJob(name, 0);
  job.record.outputs.clear();
  job.dataIndex = dataIndex;
  return job;
}

TEST(Peer, ConvertsWhatWeWrite) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  Expected<std::unique_ptr<DumpWriter>> writer = DumpWriter::create(options);
  ASSERT_TRUE(writer.ok());
  auto enqueue = [&](DumpJob job) {
    Status status = (*writer)->enqueue(std::move(job));
    EXPECT_TRUE(status.ok()) << status.message();
  };

  for (DataType dtype :
       {DataType::Float, DataType::Float16, DataType::Double, DataType::Int8,
        DataType::Int16, DataType::Int32, DataType::Int64, DataType::UInt8,
        DataType::UInt16, DataType::UInt32, DataType::UInt64, DataType::Bool,
        DataType::Complex64, DataType::Complex128}) {
    DumpJob job = makeBareJob("type " + std::string(getName(dtype)), 0);
    addTensor(job, true, dtype, {2, 3, 5}, Format::ND, {2, 3, 5});
    addTensor(job, false, dtype, {}, Format::ND, {});
    addTensor(job, false, dtype, {7}, Format::ND, {7});
    enqueue(std::move(job));
  }
  DumpJob empty = makeBareJob("empty/tensor", 0);
  addTensor(empty, true, DataType::Float16, {0, 4}, Format::ND, {0, 4});
  addTensor(empty, false, DataType::Float16, {1, 4}, Format::ND, {1, 4});
  enqueue(std::move(empty));
  DumpJob blocks = makeBareJob("buffers", 0);
  addTensor(blocks, false, DataType::Int32, {3}, Format::ND, {3});
  auto bytes = makeBytes(33);
  blocks.record.buffers.push_back({0, 0, ByteView(*bytes).first(20)});
  blocks.record.spaces.push_back({0, 0, ByteView(*bytes).last(13)});
  blocks.owners.push_back(bytes);
  enqueue(std::move(blocks));
  for (const std::string &name :
       {std::string(300, 'n'), std::string(228, 'c')}) {
    DumpJob longName = makeBareJob(name, 0);
    addTensor(longName, false, DataType::Float, {4}, Format::ND, {4});
    enqueue(std::move(longName));
  }

  DumpJob conv = makeBareJob("res/conv1.relu", 1);
  addTensor(conv, true, DataType::Float16, {1, 2, 3, 4, 16}, Format::NC1HWC0,
            {1, 20, 3, 4});
  addTensor(conv, false, DataType::Float, {2, 3, 5, 1, 8}, Format::NC1HWC0,
            {2, 17, 5, 1});
  enqueue(std::move(conv));

  // An overflow record and its operator, without a {model_name} level.
  DumpJob debug = makeBareJob("Node_OpDebug", 2);
  debug.opType = "Opdebug";
  debug.modelName.reset();
  addTensor(debug, false, DataType::UInt8, {2048}, Format::ND, {});
  debug.record.outputs[0].originalOp = {"Node_OpDebug", 0, 4, 2};
  enqueue(std::move(debug));
  // Files directly in the device's folder, as a single operator leaves them.
  DumpJob single = makeBareJob("single", 0);
  single.modelName.reset();
  single.modelId.reset();
  single.dataIndex.reset();
  addTensor(single, false, DataType::Float, {9}, Format::ND, {9});
  enqueue(std::move(single));
  ASSERT_TRUE((*writer)->finish().ok());

  const std::string command =
      "'" NPU_PYTHON "' '" NPU_TEST_INPUTS
      "/../utils/check-with-msaccucmp.py' --tool '" NPU_MSACCUCMP "' '" +
      dir.path() + "' > '" + dir.path() + "/log' 2>&1";
  const int status = std::system(command.c_str());
  const std::string log = readText(dir.path() + "/log");
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77)
    GTEST_SKIP() << log;
  EXPECT_EQ(WEXITSTATUS(status), 0) << log;
  // 14 types of 3 tensors, 2 of the empty one, 3 of the buffers, 2 long names,
  // 2 blocked ones twice, 1 single.
  EXPECT_EQ(log, "21 files, 54 tensors equal\n");
}
