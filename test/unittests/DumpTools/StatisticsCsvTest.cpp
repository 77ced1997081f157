//===- StatisticsCsvTest.cpp - The CSV of dump_data=stats -----------------===//

#include "npu/DumpTools/StatisticsCsv.h"

#include "TestSupport.h"

#include <charconv>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

static const std::string header =
    "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value,Min "
    "Value,Avg Value,Count,Nan Count,Negative Inf Count,Positive Inf Count\n";

template <typename Stored>
static DumpTensor makeTensorOf(DataType dtype, Shape shape,
                               const std::vector<Stored> &values) {
  return makeTensor(dtype, std::move(shape), std::as_bytes(std::span(values)));
}

static StatisticsFormat asDevice(StatisticsWriter writer,
                                 std::vector<std::string> statistics = {}) {
  return {writer, std::move(statistics), true};
}

TEST(StatisticsCsv, LayoutOfTheDevice) {
  const std::vector<uint16_t> halves = {0x3c00, 0x7bff, 0xfc00, 0x7e00};
  const std::vector<int8_t> bytes = {-128, 127};
  DumpRecord record;
  record.inputs.push_back(makeTensorOf(DataType::Float16, {2, 2}, halves));
  record.outputs.push_back(makeTensorOf(DataType::Int8, {2}, bytes));
  EXPECT_EQ(writeStatistics(record, asDevice(StatisticsWriter::Aicpu)),
            header + "Input,0,8,DT_FLOAT16,ND,2x2,65504,-inf,-inf,4,1,1,0\n"
                     "Output,0,2,DT_INT8,ND,2,127,-128,-0.5,2,0,0,0\n");
}

TEST(StatisticsCsv, TypesOfTheDevice) {
  const std::vector<uint16_t> brain = {0x3f80, 0xc040};
  const std::vector<uint8_t> nibbles = {0x81};
  const std::vector<float> scalar = {2};
  const std::vector<char> text(16);
  DumpRecord record;
  record.outputs = {makeTensorOf(DataType::BFloat16, {2}, brain),
                    makeTensorOf(DataType::String, {1}, text),
                    makeTensorOf(DataType::Int4, {2}, nibbles),
                    makeTensorOf(DataType::Float, {}, scalar)};
  EXPECT_EQ(writeStatistics(record),
            header + "Output,0,4,DT_BF16,ND,2,1,-3,-1,2,0,0,0\n"
                     "Output,1,16,DT_STRING,ND,1,,,,,,,\n"
                     "Output,2,1,DT_INT4,ND,2,1,-8,-3.5,2,0,0,0\n"
                     "Output,3,4,DT_FLOAT,ND,-,2,2,2,1,0,0,0\n");
  EXPECT_EQ(writeStatistics(record, asDevice(StatisticsWriter::Aicpu)),
            header + "Output,0,4,-,ND,2,,,,,,,\n"
                     "Output,1,16,DT_STRING,ND,1,,,,,,,\n"
                     "Output,2,1,-,ND,2,,,,,,,\n"
                     "Output,3,4,DT_FLOAT,ND,-,2,2,2,1,0,0,0\n");
}

TEST(StatisticsCsv, NoElements) {
  DumpRecord record;
  record.outputs = {makeTensor(DataType::Float16, {0, 4}, {})};
  EXPECT_EQ(writeStatistics(record),
            header + "Output,0,0,DT_FLOAT16,ND,0x4,,,,0,0,0,0\n");
}

TEST(StatisticsCsv, ChosenStatistics) {
  const std::vector<float> values = {3, -4};
  DumpRecord record;
  record.outputs = {makeTensorOf(DataType::Float, {2}, values),
                    makeTensor(DataType::String, {1}, {})};
  const StatisticsFormat format =
      asDevice(StatisticsWriter::Kfc, {"L2norm", "Max", "Nan"});
  EXPECT_TRUE(check(format).ok());
  EXPECT_EQ(writeStatistics(record, format),
            "Input/Output,Index,Data Size,Data Type,Format,Shape,Count,Max "
            "Value,Nan Count,l2norm\n"
            "Output,0,8,DT_FLOAT,ND,2,2,3,0,5\n"
            "Output,1,0,DT_STRING,ND,1,NA,NA,NA\n");
}

TEST(StatisticsCsv, ChoiceThatIsNone) {
  EXPECT_EQ(check({StatisticsWriter::Kfc, {"Median"}, false}).message(),
            "statistic 'Median', expected Max, Min, Avg, Nan, Negative Inf, "
            "Positive Inf or L2norm");
  EXPECT_EQ(check({StatisticsWriter::Aicpu, {"L2norm"}, false}).message(),
            "the writer aicpu has all statistics but L2norm, expected the "
            "writer kfc for others");
}

// Six digits hide a difference of adjacent floats; ours read back.
TEST(StatisticsCsv, Digits) {
  const std::vector<std::pair<float, std::string>> samples = {
      {1234567.f, "1.23457e+06"},
      {16777216.f, "1.67772e+07"},
      {0.1f, "0.1"},
      {1e-8f, "1e-08"},
      {1.0000001f, "1"}};
  for (const auto &[value, sixDigits] : samples) {
    const std::vector<float> values = {value};
    DumpRecord record;
    record.outputs = {makeTensorOf(DataType::Float, {1}, values)};
    auto getMax = [&](const StatisticsFormat &format) {
      Expected<std::vector<StatisticsRow>> rows =
          parseStatistics(writeStatistics(record, format));
      EXPECT_TRUE(rows.ok());
      return (*rows)[0][StatisticsColumn::Max].value_or("");
    };
    const std::string text = getMax({});
    float parsed = 0;
    std::from_chars(text.data(), text.data() + text.size(), parsed);
    EXPECT_EQ(parsed, value) << text;
    EXPECT_EQ(getMax(asDevice(StatisticsWriter::Aicpu)), sixDigits);
  }
}

TEST(StatisticsCsv, ReadsOtherSpellings) {
  for (const char *name : {"l2norm", "L2Norm Value", "L2 Norm Value"}) {
    const std::string text = std::string("Op Type,Max Value,NaN Count,") +
                             name + ",Timestamp\r\nAdd,1.5,2,3.5,\"7,8\"\r\n";
    Expected<std::vector<StatisticsRow>> rows = parseStatistics(text);
    ASSERT_TRUE(rows.ok()) << rows.status().message();
    ASSERT_EQ(rows->size(), 1u);
    const StatisticsRow &row = rows->front();
    EXPECT_EQ(row[StatisticsColumn::Max], "1.5");
    EXPECT_EQ(row[StatisticsColumn::Nan], "2");
    EXPECT_EQ(row[StatisticsColumn::L2Norm], "3.5");
    EXPECT_FALSE(row[StatisticsColumn::Min]); // absent, not 0
    EXPECT_EQ(row.others.at("Op Type"), "Add");
    EXPECT_EQ(row.others.at("Timestamp"), "7,8");
  }
}

TEST(StatisticsCsv, ReadsNothingElse) {
  EXPECT_EQ(parseStatistics("").status().message(),
            "no statistics: the file is empty");
  EXPECT_EQ(parseStatistics("a,b\n1,2\n").status().message(),
            "no statistics: the header has neither 'Max Value' nor 'Min "
            "Value'");
  EXPECT_EQ(parseStatistics("max,min\n1\n").status().message(),
            "row 1 has 1 cells, expected the 2 of the header");
}

// The device's name with .csv behind it, listed in the manifest.
TEST(StatisticsCsv, WriterMakesOneFile) {
  TempDir dir;
  Expected<std::unique_ptr<DumpWriter>> writer =
      DumpWriter::create(makeOptions(dir.path()));
  ASSERT_TRUE(writer.ok());
  for (const std::string &name : {std::string("a/b"), std::string(300, 'z')}) {
    DumpJob job = makeJob(name);
    job.csv = [computed = computeStatistics(job.record, {})](
                  const DumpRecord &record) {
      return writeStatistics(record, computed, {});
    };
    ASSERT_TRUE((*writer)->enqueue(std::move(job)).ok());
  }
  ASSERT_TRUE((*writer)->finish().ok());
  const std::string folder = (*writer)->timeFolder() + "/0/net/1/0";
  EXPECT_EQ(readText(folder + "/Add.a_b.3.7.1717171717123456.csv"),
            header + "Output,0,4,DT_UINT8,ND,4,1,1,1,4,0,0,0\n");
  const std::string mapping = readText(folder + "/mapping.csv");
  EXPECT_TRUE(mapping.ends_with(",Add." + std::string(300, 'z') +
                                ".3.7.1717171717123457.csv\n"))
      << mapping;
  const std::string digits = mapping.substr(0, mapping.find(','));
  EXPECT_EQ(readText(folder + "/" + digits).substr(0, header.size()), header);
}
