//===- CompareStatisticsTest.cpp - Statistics against statistics ----------===//

#include "CompareFixture.h"

#include "npu/DumpTools/StatisticsCsv.h"
#include "npu/Support/Npy.h"

#include <cmath>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

namespace {

class CompareStatisticsTest : public CompareTest {
protected:
  static constexpr const char *header =
      "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value,Min "
      "Value,Avg Value,Count,Nan Count,Negative Inf Count,Positive Inf Count\n";

  /// The statistics of an operator whose only output has \p cells.
  static void writeCells(const std::string &folder, const std::string &name,
                         const std::string &cells) {
    std::filesystem::create_directories(folder);
    writeText(folder + "/" + name + ".csv", header + cells + "\n");
  }
  static void writeStatisticsOf(const std::string &folder,
                                const std::string &name, DumpTensor output,
                                const StatisticsFormat &format = {}) {
    std::filesystem::create_directories(folder);
    DumpRecord record;
    record.outputs = {std::move(output)};
    writeText(folder + "/" + name + ".csv", writeStatistics(record, format));
  }

  /// The row of the only pair: an output of float that has \p cells behind
  /// its shape, on both sides.
  Row compareCells(const std::string &mineCells, const std::string &goldenCells,
                   const std::string &type = "DT_FLOAT") {
    const std::string tensor = "Output,0,8," + type + ",ND,2,";
    writeCells(mine(), "Add.a.1.2.3", tensor + mineCells);
    writeCells(golden(), "Add.a.1.2.3", tensor + goldenCells);
    const std::vector<Row> rows = compare();
    EXPECT_EQ(rows.size(), 1u);
    return rows.empty() ? Row() : rows[0];
  }

  /// Of \p values, which must outlive it.
  static DumpTensor makeFloats(const std::vector<float> &values) {
    return makeTensor(DataType::Float, {static_cast<int64_t>(values.size())},
                      std::as_bytes(std::span(values)));
  }
};

} // namespace

TEST_F(CompareStatisticsTest, PairsAsDumpsDo) {
  for (const char *iteration : {"/0", "/1"}) {
    writeCells(mine() + iteration, "Add.a_b.1.2.10",
               "Output,0,8,DT_FLOAT,ND,2,2.5,1,1.75,2,0,0,0");
    writeCells(golden() + "/net/1" + iteration, "Sum.a_b.7.8.20",
               std::string("Output,0,8,DT_FLOAT,ND,2,") +
                   (iteration[1] == '0' ? "2.5" : "2") + ",1,1.75,2,0,0,0");
  }
  writeText(mine() + "/0/mapping.csv", "");
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("NPUDump"), "0/Add.a_b.1.2.10.csv");
  EXPECT_EQ(rows[0].at("GroundTruth"), "Sum.a_b.7.8.20.csv");
  EXPECT_EQ(rows[0].at("OpType"), "Add");
  EXPECT_EQ(rows[0].at("TensorIndex"), "a_b:output:0");
  EXPECT_EQ(rows[0].at("DataType"), "float32");
  EXPECT_EQ(rows[0].at("Shape"), "[2]");
  EXPECT_EQ(rows[0].at("Verdict"), "PASS");
  EXPECT_EQ(rows[0].at("StatisticsDistance"), "0");
  EXPECT_EQ(rows[0].at("CosineSimilarity"), "NaN"); // of elements only
  EXPECT_EQ(rows[1].at("Verdict"), "FAIL");
  EXPECT_EQ(rows[1].at("FirstDifference"), "Max Value 2.5 against 2");
  EXPECT_EQ(rows[1].at("Mismatches"), "1");
  EXPECT_EQ(rows[1].at("StatisticsDistance"), "0.25");
  EXPECT_EQ(rows[1].at("CompareFailReason"),
            "statistics differ: Max Value 2.5 against 2");
  EXPECT_EQ(summary.numGoldenUnused, 0u);
}

// A dump, or an array, against statistics: those of the tensor are made.
TEST_F(CompareStatisticsTest, OneSideIsADump) {
  const std::vector<float> values = {0.1f, -3};
  writeStatisticsOf(golden(), "Add.a.1.2.3", makeFloats(values));
  writeFloats(mine(), "Add.a.1.2.4", "a", values);
  EXPECT_EQ(compare()[0].at("Verdict"), "PASS");
  writeFloats(mine(), "Add.a.1.2.4", "a", {0.1f, -3.5});
  EXPECT_EQ(compare()[0].at("CompareFailReason"),
            "statistics differ: Min Value -3.5 against -3, Avg Value "
            "-1.699999999254942 against -1.449999999254942");
}

TEST_F(CompareStatisticsTest, GoldenIsADumpOrAnArray) {
  const std::vector<float> values = {0.1f, -3};
  writeStatisticsOf(mine(), "Add.a.1.2.3", makeFloats(values));
  writeStatisticsOf(mine(), "Add.b.1.2.4", makeFloats(values));
  writeFloats(golden(), "Add.a.1.2.3", "a", {0.1f, NAN});
  const DumpTensor array = makeFloats(values);
  ASSERT_TRUE(
      writeNpy(golden() + "/b.0.1.npy", {array.dtype, array.shape, array.data})
          .ok());
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("CompareFailReason"),
            "statistics differ: Min Value -3 against 0.1, Avg Value "
            "-1.449999999254942 against nan, Nan Count 0 against 1");
  EXPECT_EQ(rows[0].at("GoldenNonFinite"), "1 nan");
  EXPECT_EQ(rows[0].at("StatisticsDistance"), "inf");
  EXPECT_EQ(rows[1].at("Verdict"), "PASS");
}

// U82 and U83 by extremes.
TEST_F(CompareStatisticsTest, NanAndInfinities) {
  auto verdict = [&](const std::string &mineMax, const std::string &goldenMax,
                     const std::string &type = "DT_FLOAT16") {
    return compareCells(mineMax + ",,,2,0,0,0", goldenMax + ",,,2,0,0,0", type)
        .at("Verdict");
  };
  EXPECT_EQ(verdict("1", "nan"), "FAIL");
  EXPECT_EQ(verdict("nan", "1"), "FAIL");
  EXPECT_EQ(verdict("nan", "-nan"), "PASS");
  EXPECT_EQ(verdict("inf", "inf"), "PASS");
  EXPECT_EQ(verdict("inf", "-inf"), "FAIL");
  EXPECT_EQ(verdict("1", "0"), "FAIL");
  EXPECT_EQ(compareCells("inf,,,2,0,0,1", "65504,,,2,0,0,0", "DT_FLOAT16")
                .at("CompareFailReason"),
            "statistics differ: Max Value inf against 65504, Positive Inf "
            "Count 1 against 0; saturation difference: an infinity against "
            "the largest value");
  EXPECT_EQ(compareCells("65504,,,2,0,0,0", "inf,,,2,0,0,1", "DT_FLOAT")
                .at("CompareFailReason"),
            "statistics differ: Max Value 65504 against inf, Positive Inf "
            "Count 0 against 1");
  EXPECT_EQ(compareCells("3.40282e+38,,,2,0,0,0", "inf,,,2,0,0,0")
                .at("CompareFailReason"),
            "statistics differ: Max Value 3.40282e+38 against inf; saturation "
            "difference: an infinity against the largest value");
}

// U59: all digits show what six hide; six digits stand for what rounds to them.
TEST_F(CompareStatisticsTest, Digits) {
  auto row = [&](const std::string &mineMax, const std::string &goldenMax,
                 const std::string &type = "DT_FLOAT") {
    return compareCells(mineMax + ",0,0,2,0,0,0", goldenMax + ",0,0,2,0,0,0",
                        type);
  };
  EXPECT_EQ(row("1.0000001", "1.0000002").at("Verdict"), "FAIL");
  EXPECT_EQ(row("1", "1").at("CompareFailReason"), "");
  EXPECT_EQ(row("1.0000001", "1").at("Verdict"), "PASS");
  EXPECT_EQ(row("1.0000001", "1").at("CompareFailReason"),
            "compared in the six digits that one side has");
  EXPECT_EQ(row("1.67772e+07", "16777216").at("Verdict"), "PASS");
  EXPECT_EQ(row("1.67772e+07", "16777344").at("Verdict"), "FAIL");
  // Of 32 bits, however many digits say it.
  EXPECT_EQ(row("0.10000000149011612", "0.1").at("CompareFailReason"), "");
  EXPECT_EQ(row("0.10000000149011612", "0.1", "DT_DOUBLE").at("Verdict"),
            "PASS");
  EXPECT_EQ(row("0.10000000149011612", "0.1000001", "DT_DOUBLE").at("Verdict"),
            "FAIL");
}

// Integers have all their digits everywhere.
TEST_F(CompareStatisticsTest, Integers) {
  auto verdict = [&](const std::string &mineMax, const std::string &goldenMax) {
    return compareCells(mineMax + ",0,0,2,0,0,0", goldenMax + ",0,0,2,0,0,0",
                        "DT_INT64")
        .at("Verdict");
  };
  EXPECT_EQ(verdict("9007199254740993", "9007199254740993"), "PASS");
  EXPECT_EQ(verdict("9007199254740993", "9007199254740992"), "FAIL");
  EXPECT_EQ(verdict("1234567", "1234568"), "FAIL");
  options.tolerance.absolute = 1;
  EXPECT_EQ(verdict("1234567", "1234568"), "PASS");
}

TEST_F(CompareStatisticsTest, ToleranceIsForValuesAlone) {
  options.tolerance.relative = 0.5;
  const Row close = compareCells("3,1,2,2,0,0,0", "2,1,2,2,0,0,0");
  EXPECT_EQ(close.at("Verdict"), "PASS");
  EXPECT_EQ(close.at("StatisticsDistance"), "0.5");
  EXPECT_EQ(compareCells("3,1,2,2,2,0,0", "3,1,2,2,3,0,0").at("Verdict"),
            "FAIL");
}

// What a side does not have is not compared, and no zero.
TEST_F(CompareStatisticsTest, AbsentStatistics) {
  EXPECT_EQ(compareCells("3,,,2,0,0,0", "3,1,2,2,0,0,0").at("Verdict"), "PASS");
  EXPECT_EQ(compareCells(",,,,,,", "3,1,2,2,0,0,0").at("CompareFailReason"),
            "no statistic that both sides have");
  EXPECT_EQ(compareCells(",,,,,,", "3,1,2,2,0,0,0").at("Verdict"), "SKIP");

  std::filesystem::remove_all(golden());
  writeStatisticsOf(golden(), "Add.a.1.2.3", makeFloats({3, -4}),
                    {StatisticsWriter::Kfc, {"L2norm", "Max"}, true});
  writeStatisticsOf(mine(), "Add.a.1.2.3", makeFloats({3, 4}),
                    {StatisticsWriter::Kfc, {"L2norm", "Min"}, false});
  EXPECT_EQ(compare()[0].at("CompareFailReason"), ""); // norm and count
  EXPECT_EQ(compare()[0].at("Verdict"), "PASS");
}

TEST_F(CompareStatisticsTest, NoElements) {
  auto verdict = [&](const std::string &mineCells,
                     const std::string &goldenCells) {
    writeCells(mine(), "Add.a.1.2.3", "Output,0,0,DT_FLOAT16,ND," + mineCells);
    writeCells(golden(), "Add.a.1.2.3",
               "Output,0,0,DT_FLOAT16,ND," + goldenCells);
    return compare()[0].at("Verdict");
  };
  EXPECT_EQ(verdict("0x4,,,,0,0,0,0", "0x4,,,,0,0,0,0"), "SKIP");
  EXPECT_EQ(verdict("0x4,,,,0,0,0,0", "1x4,1,1,1,4,0,0,0"), "FAIL");
}

TEST_F(CompareStatisticsTest, Shapes) {
  auto row = [&](const std::string &mineShape, const std::string &goldenShape) {
    for (const auto &[folder, shape] :
         {std::pair(mine(), mineShape), std::pair(golden(), goldenShape)})
      writeCells(folder, "Add.a.1.2.3",
                 "Output,0,0,DT_FLOAT16," + shape + ",1,1,1,48,0,0,0");
    return compare()[0];
  };
  EXPECT_EQ(row("NCHW,1x3x4x4", "NHWC,1x4x4x3").at("Verdict"), "PASS");
  EXPECT_EQ(row("NCHW,1x3x4x4", "NHWC,1x4x4x3").at("CompareFailReason"),
            "of another shape: 1x3x4x4 NCHW against 1x4x4x3 NHWC");
  EXPECT_EQ(row("NCHW,1x3x4x4", "NC1HWC0,1x1x4x4x16").at("Verdict"), "SKIP");
  EXPECT_EQ(row("NCHW,1x3x4x4", "NCHW,1x3x4x5").at("CompareFailReason"),
            "shapes differ: 1x3x4x4 NCHW against 1x3x4x5 NCHW");
}

// Inputs of an output with a NaN, from the same file.
TEST_F(CompareStatisticsTest, FirstNotFinite) {
  for (const std::string &folder : {mine(), golden()})
    writeCells(folder, "Add.a.1.2.3",
               "Input,0,8,DT_FLOAT,ND,2,5,-2,1.5,2,0,0,0\n"
               "Output,0,8,DT_FLOAT,ND,2,1,1,nan,2,1,0,0");
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].at("Verdict"), "PASS");
  EXPECT_EQ(rows[1].at("NonFinite"), "1 nan");
  EXPECT_EQ(rows[1].at("InputRanges"), "0: -2 to 5");
}

TEST_F(CompareStatisticsTest, OverflowColumn) {
  options.overflowColumn = true;
  EXPECT_EQ(compareCells("65504,0,,2,0,0,0", "1,0,,2,0,0,0", "DT_FLOAT16")
                .at("OverFlow"),
            "YES");
  EXPECT_EQ(compareCells("65472,-65472,,2,0,0,0", "1,0,,2,0,0,0", "DT_FLOAT16")
                .at("OverFlow"),
            "NO");
}

// Statistics have the names of files; the graph has those of operators.
TEST_F(CompareStatisticsTest, ByTheGraph) {
  writeStatisticsOf(mine(), "Conv2D.model_fused.1.2.3", makeFloats({1, 2}));
  const std::vector<float> values = {1, 2};
  const DumpTensor array = makeFloats(values);
  ASSERT_TRUE(writeNpy(golden() + "/relu.0.1.npy",
                       {array.dtype, array.shape, array.data})
                  .ok());
  OriginalGraph graph;
  graph.fusedNames["model/fused"] = {"conv", "relu"};
  options.graph = &graph;
  const std::vector<Row> rows = compare();
  EXPECT_EQ(rows[0].at("Verdict"), "PASS");
  EXPECT_EQ(rows[0].at("TensorIndex"), "model/fused:output:0");
}

// A folder with both has each tensor once on the golden side.
TEST_F(CompareStatisticsTest, BesideDumps) {
  for (const std::string &folder : {mine(), golden()}) {
    writeFloats(folder, "Add.a.1.2.3", "a", {1, 2});
    writeStatisticsOf(folder, "Add.a.1.2.3", makeFloats({1, 2}));
  }
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("GroundTruth"), "Add.a.1.2.3");
  EXPECT_EQ(rows[1].at("GroundTruth"), "Add.a.1.2.3.csv");
  std::filesystem::remove(mine() + "/Add.a.1.2.3.csv");
  EXPECT_EQ(compare().size(), 1u);
  EXPECT_EQ(summary.numGoldenUnused, 0u);
}

TEST_F(CompareStatisticsTest, DamagedFiles) {
  const std::string good = "Output,0,8,DT_FLOAT,ND,2,1,1,1,2,0,0,0";
  auto row = [&](const std::string &text) {
    writeText(mine() + "/Add.a.1.2.3.csv", text);
    writeCells(golden(), "Add.a.1.2.3", good);
    return compare()[0];
  };
  EXPECT_EQ(row("").at("Verdict"), "ERROR");
  EXPECT_EQ(row(std::string(header) + "Output,0,8\n").at("Verdict"), "ERROR");
  EXPECT_TRUE(
      row(std::string(header) + "Both,0,8,DT_FLOAT,ND,2,1,1,1,2,0,0,0\n")
          .at("CompareFailReason")
          .ends_with("a row has 'Both' and '0', expected Input or "
                     "Output and a number in the columns Input/Output "
                     "and Index"));
  EXPECT_EQ(
      row(std::string(header) + "Output,0,8,DT_FLOAT,ND,2,many,1,1,2,0,0,0\n")
          .at("CompareFailReason"),
      "mine has 'many' as Max Value, expected a number");
  EXPECT_TRUE(
      row(std::string(header) + "Output,1,8,DT_FLOAT,ND,2,1,1,1,2,0,0,0\n")
          .at("CompareFailReason")
          .ends_with("Add.a.1.2.3.csv: has no output 1"));
}

// Names of more than 255 bytes are digits without .csv.
TEST_F(CompareStatisticsTest, LongNames) {
  const std::string name = "Add." + std::string(300, 'z') + ".1.2.3.csv";
  for (const std::string &folder : {mine(), golden()}) {
    writeStatisticsOf(folder, "Add.b.1.2.4", makeFloats({1}));
    std::filesystem::rename(folder + "/Add.b.1.2.4.csv", folder + "/12345");
    writeText(folder + "/mapping.csv", "12345," + name + "\n");
  }
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("NPUDump"), name);
  EXPECT_EQ(rows[0].at("Verdict"), "PASS");
}
