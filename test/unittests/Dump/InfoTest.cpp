//===- InfoTest.cpp - What dump files hold --------------------------------===//

#include "npu/Dump/Info.h"

#include "TestSupport.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

template <typename Stored>
static ValueRange rangeOf(DataType dtype, const std::vector<Stored> &values) {
  std::optional<ValueRange> range =
      getValueRange(dtype, std::as_bytes(std::span(values)));
  EXPECT_TRUE(range.has_value());
  return range.value_or(ValueRange());
}

TEST(Info, HalfRange) {
  const ValueRange range =
      rangeOf<uint16_t>(DataType::Float16, {0x7e00, 0x3c00, 0xc000, 0x0001,
                                            0xfc00, 0x7c00, 0x7c00, 0xfe01});
  EXPECT_EQ(range.count, 8u);
  EXPECT_EQ(range.nans, 2u);
  EXPECT_EQ(range.positiveInfs, 2u);
  EXPECT_EQ(range.negativeInfs, 1u);
  EXPECT_EQ(range.minimum, Scalar(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(range.maximum, Scalar(std::numeric_limits<double>::infinity()));
  const ValueRange finite =
      rangeOf<uint16_t>(DataType::Float16, {0x7e00, 0x0001, 0xc000, 0x7bff});
  EXPECT_EQ(finite.minimum, Scalar(-2.0));
  EXPECT_EQ(finite.maximum, Scalar(65504.0));
}

TEST(Info, OtherFloats) {
  EXPECT_EQ(rangeOf<uint16_t>(DataType::BFloat16, {0x3f80, 0xc040}).minimum,
            Scalar(-3.0));
  EXPECT_EQ(rangeOf<float>(DataType::Float, {0.1f, 0.f}).maximum,
            Scalar(static_cast<double>(0.1f)));
  EXPECT_EQ(rangeOf<double>(DataType::Double, {1e300, -1e-300}).minimum,
            Scalar(-1e-300));
}

TEST(Info, IntegersAreExact) {
  const ValueRange wide =
      rangeOf<int64_t>(DataType::Int64, {INT64_MAX, INT64_MIN, 0});
  EXPECT_EQ(wide.minimum, Scalar(int64_t(INT64_MIN)));
  EXPECT_EQ(wide.maximum, Scalar(int64_t(INT64_MAX)));
  EXPECT_EQ(rangeOf<uint64_t>(DataType::UInt64, {UINT64_MAX, 1}).maximum,
            Scalar(uint64_t(UINT64_MAX)));
  EXPECT_EQ(rangeOf<int8_t>(DataType::Int8, {-128, 127}).minimum,
            Scalar(int64_t(-128)));
  EXPECT_EQ(rangeOf<uint8_t>(DataType::Bool, {0, 7}).maximum,
            Scalar(uint64_t(1)));
}

TEST(Info, NothingToCompare) {
  const ValueRange empty = rangeOf<float>(DataType::Float, {});
  EXPECT_EQ(empty.count, 0u);
  EXPECT_EQ(empty.minimum, Scalar());
  const ValueRange nan = rangeOf<float>(DataType::Float, {std::nanf("")});
  EXPECT_EQ(nan.maximum, Scalar());
  EXPECT_EQ(nan.nans, 1u);
  EXPECT_FALSE(getValueRange(DataType::String, {}));
  EXPECT_FALSE(getValueRange(DataType::Int4, {}));
}

/// A folder with a plain file, one of a long name, and one that is cut.
static std::string writeSamples(const std::string &path) {
  Expected<std::unique_ptr<DumpWriter>> writer =
      DumpWriter::create(makeOptions(path));
  EXPECT_TRUE(writer.ok());
  const std::vector<float> values = {
      1.5f, -std::numeric_limits<float>::infinity(), std::nanf("")};
  DumpJob job = makeJob("a/b");
  job.record.inputs.push_back(
      makeTensor(DataType::Float, {3}, std::as_bytes(std::span(values))));
  job.record.inputs[0].originalShape = {1, 3};
  job.record.inputs[0].format = Format::NCHW;
  job.copy = true;
  EXPECT_TRUE((*writer)->enqueue(std::move(job)).ok());
  EXPECT_TRUE((*writer)->enqueue(makeJob(std::string(300, 'z'))).ok());
  EXPECT_TRUE((*writer)->finish().ok());
  const std::string folder = (*writer)->timeFolder() + "/0/net/1/0";
  writeText(folder + "/Cut.c.1.2.3", "12345678");
  writeText(folder + "/.hidden", "x");
  return folder;
}

TEST(Info, DescribesFilesAndFolders) {
  TempDir dir;
  const std::string folder = writeSamples(dir.path());
  Expected<std::vector<FileInfo>> files = describe(dir.path());
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 3u);
  auto find = [&](auto test) -> const FileInfo & {
    return *std::find_if(files->begin(), files->end(), test);
  };
  const FileInfo &cut =
      find([](const FileInfo &file) { return !file.fault.empty(); });
  EXPECT_EQ(cut.fault, folder + "/Cut.c.1.2.3: not a dump file: have 8 bytes, "
                                "need more than 8");
  const FileInfo &longOne = find([](const FileInfo &file) {
    return file.opName == std::string(300, 'z');
  });
  EXPECT_EQ(longOne.fileName,
            "Add." + std::string(300, 'z') + ".3.7.1717171717123457");
  ASSERT_TRUE(longOne.name);
  EXPECT_EQ(longOne.name->taskId, 3u);

  Expected<std::vector<FileInfo>> one =
      describe(folder + "/Add.a_b.3.7.1717171717123456");
  ASSERT_TRUE(one.ok());
  ASSERT_EQ(one->size(), 1u);
  EXPECT_EQ(toTable(*one),
            folder + "/Add.a_b.3.7.1717171717123456\n"
                     "  Add a/b at 1717171717123456\n"
                     "  input 0: DT_FLOAT 3 NCHW of 1x3, 12 bytes, min -inf, "
                     "max 1.5, 1 nan, 1 -inf\n"
                     "  output 0: DT_UINT8 4 ND, 4 bytes, min 1, max 1\n");
  const nlohmann::json json =
      nlohmann::json::parse(toJson(*one), nullptr, false);
  ASSERT_TRUE(json.is_array());
  EXPECT_EQ(json[0]["op_name"], "a/b");
  EXPECT_EQ(json[0]["task_id"], 3);
  EXPECT_EQ(json[0]["tensors"][0]["min"], "-inf");
  EXPECT_EQ(json[0]["tensors"][0]["max"], 1.5);
  EXPECT_EQ(json[0]["tensors"][0]["nan_count"], 1);
  EXPECT_EQ(json[0]["tensors"][1]["original_shape"], nlohmann::json({4}));
  EXPECT_EQ(describe(folder + "/none").status().message(),
            folder + "/none: No such file or directory");
}
