//===- CompareTest.cpp - Two dumps against each other ---------------------===//

#include "CompareFixture.h"

#include "npu/Support/Npy.h"

#include <cmath>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

TEST_F(CompareTest, PairsByOperatorAndIteration) {
  for (const char *iteration : {"/0", "/1"}) {
    writeFloats(mine() + iteration, "Add.a_b.1.2.10", "a/b", {1, 2});
    writeFloats(golden() + "/net/1" + iteration, "Sum.a_b.7.8.20", "a/b",
                {1, iteration[1] == '0' ? 2.f : 3.f});
  }
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("NPUDump"), "0/Add.a_b.1.2.10");
  EXPECT_EQ(rows[0].at("TensorIndex"), "a/b:output:0");
  EXPECT_EQ(rows[0].at("Verdict"), "PASS");
  EXPECT_EQ(rows[1].at("Verdict"), "FAIL");
  EXPECT_EQ(rows[1].at("FirstDifference"), "(1): 2 against 3");
  EXPECT_EQ(rows[1].at("MismatchRatio"), "0.5");
}

// A file, or the folder of one iteration, against all iterations; but two
// iterations that are named are compared.
TEST_F(CompareTest, OneIteration) {
  const std::string name = "Add.a.1.2.10";
  for (const char *iteration : {"/0", "/1"})
    for (const std::string &folder : {mine(), golden()})
      writeFloats(folder + iteration, name, "a",
                  {static_cast<float>(iteration[1])});
  auto verdict = [&](const std::string &myPath, const std::string &goldenPath) {
    options.mine = mine() + myPath;
    options.golden = golden() + goldenPath;
    const std::vector<Row> rows = compare();
    return rows.size() == 1 ? rows[0].at("Verdict") : "";
  };
  EXPECT_EQ(verdict("/1/" + name, ""), "PASS");
  EXPECT_EQ(verdict("/1", ""), "PASS");
  EXPECT_EQ(verdict("/1/", "/0/" + name), "FAIL");
  options.mine = mine();
  options.golden = golden() + "/1";
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("Verdict"), "MISSING");
  EXPECT_EQ(rows[1].at("Verdict"), "PASS");
}

TEST_F(CompareTest, OneDumpOfAnOperatorAfterTheOther) {
  for (int i = 0; i < 2; ++i) {
    writeFloats(mine(), "Add.a.1.2.1" + std::to_string(i), "a",
                {static_cast<float>(i)});
    writeFloats(golden(), "Add.a.1.2.5" + std::to_string(i), "a",
                {static_cast<float>(i)});
  }
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("Verdict"), "PASS");
  EXPECT_EQ(rows[1].at("Verdict"), "PASS");
}

TEST_F(CompareTest, ArraysByOriginalName) {
  const std::vector<float> values = {1, 2};
  DumpTensor tensor =
      makeTensor(DataType::Float, {2}, std::as_bytes(std::span(values)));
  tensor.originalOp = OriginalOp{"model/relu", 1, 0, 0};
  write(mine(), "Conv2D.fused.1.2.3", "fused", tensor);
  ASSERT_TRUE(writeNpy(golden() + "/model_relu.1.1717171717123456.npy",
                       {DataType::Float, {2}, tensor.data})
                  .ok());
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("Verdict"), "PASS");
  EXPECT_EQ(rows[0].at("GroundTruth"), "model_relu.1.1717171717123456.npy");
}

TEST_F(CompareTest, ArraysByTheGraph) {
  writeFloats(mine(), "Conv2D.fused.1.2.3", "fused", {1, 2});
  const std::vector<float> values = {1, 2};
  for (const char *name : {"conv", "relu"})
    ASSERT_TRUE(
        writeNpy(golden() + "/" + name + ".0.1.npy",
                 {DataType::Float, {2}, std::as_bytes(std::span(values))})
            .ok());
  OriginalGraph graph;
  graph.fusedNames["fused"] = {"conv", "relu"};
  options.graph = &graph;
  EXPECT_EQ(compare()[0].at("GroundTruth"), "relu.0.1.npy");
  EXPECT_EQ(summary.numGoldenUnused, 1u);
  graph.outputs["fused"] = {{"conv", 0}};
  EXPECT_EQ(compare()[0].at("GroundTruth"), "conv.0.1.npy");
}

TEST_F(CompareTest, BlocksAgainstPlain) {
  std::vector<float> blocked(16), plain = {1, 2, 3};
  std::copy(plain.begin(), plain.end(), blocked.begin());
  blocked[15] = 9; // padding is not compared
  DumpTensor tensor = makeTensor(DataType::Float, {1, 1, 1, 1, 16},
                                 std::as_bytes(std::span(blocked)));
  tensor.format = Format::NC1HWC0;
  tensor.originalShape = {1, 3, 1, 1};
  write(mine(), "Conv2D.a.1.2.3", "a", tensor);
  tensor = makeTensor(DataType::Float, {1, 1, 1, 3},
                      std::as_bytes(std::span(plain)));
  tensor.format = Format::NHWC;
  write(golden(), "Conv2D.a.1.2.3", "a", tensor);
  const std::vector<Row> rows = compare();
  EXPECT_EQ(rows[0].at("Verdict"), "PASS") << rows[0].at("CompareFailReason");
  EXPECT_EQ(rows[0].at("Shape"), "[1,1,1,3]");
}

TEST_F(CompareTest, NoElements) {
  auto empty = [](int64_t rows) {
    static const std::vector<uint16_t> zeros(4);
    return makeTensor(
        DataType::Float16, {rows, 4},
        std::as_bytes(std::span(zeros)).first(static_cast<size_t>(8 * rows)));
  };
  write(mine(), "Add.both.1.2.1", "both", empty(0));
  write(golden(), "Add.both.1.2.1", "both", empty(0));
  write(mine(), "Add.one.1.2.2", "one", empty(0));
  write(golden(), "Add.one.1.2.2", "one", empty(1));
  const std::vector<Row> rows = compare();
  EXPECT_EQ(rows[0].at("Verdict"), "SKIP");
  EXPECT_EQ(rows[1].at("Verdict"), "FAIL");
  EXPECT_EQ(rows[1].at("CompareFailReason"),
            "shapes differ: 0x4 ND against 1x4 ND");
}

TEST_F(CompareTest, SaturationAndNan) {
  const std::vector<uint16_t> infinite = {0x7c00}, largest = {0x7bff};
  write(mine(), "Add.s.1.2.1", "s",
        makeTensor(DataType::Float16, {1}, std::as_bytes(std::span(infinite))));
  write(golden(), "Add.s.1.2.1", "s",
        makeTensor(DataType::Float16, {1}, std::as_bytes(std::span(largest))));
  writeFloats(mine(), "Add.n.1.2.2", "n", {1});
  writeFloats(golden(), "Add.n.1.2.2", "n", {NAN});
  const std::vector<Row> rows = compare();
  EXPECT_EQ(rows[0].at("Verdict"), "FAIL");
  EXPECT_EQ(rows[0].at("CompareFailReason"),
            "saturation difference: an infinity against the largest value in "
            "1 places");
  EXPECT_EQ(rows[1].at("Verdict"), "FAIL");
  EXPECT_EQ(rows[1].at("FirstDifference"), "(0): 1 against nan");
}

TEST_F(CompareTest, ZeroReference) {
  writeFloats(mine(), "Add.a.1.2.1", "a", {1, 0});
  writeFloats(golden(), "Add.a.1.2.1", "a", {0, 0});
  const std::vector<Row> rows = compare();
  EXPECT_EQ(rows[0].at("MaxRelativeError"), "n/a (zero reference)");
  EXPECT_EQ(rows[0].at("MaxAbsoluteError"), "1");
  EXPECT_EQ(rows[0].at("ZeroReferences"), "1");
}

// Where, how many, and from which inputs.
TEST_F(CompareTest, FirstNotFinite) {
  std::vector<float> values(12, 1);
  values[2 * 4 + 1] = NAN;
  values[3] = INFINITY;
  const std::vector<float> input = {-2, 5};
  DumpRecord record;
  record.opName = "op3";
  record.inputs = {
      makeTensor(DataType::Float, {2}, std::as_bytes(std::span(input)))};
  record.outputs = {
      makeTensor(DataType::Float, {1, 3, 4}, std::as_bytes(std::span(values)))};
  std::string bytes = serializeHeader(record);
  record.forEachPart([&](ByteView data) {
    bytes.append(reinterpret_cast<const char *>(data.data()), data.size());
  });
  for (const std::string &folder : {mine(), golden()})
    writeText(folder + "/Add.op3.1.2.3", bytes);
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].at("Verdict"), "PASS");
  EXPECT_EQ(rows[1].at("NonFinite"),
            "1 nan, 1 inf, first nan (0,2,1), first inf (0,0,3)");
  EXPECT_EQ(rows[1].at("InputRanges"), "0: -2 to 5");
}

TEST_F(CompareTest, MissingAndDamaged) {
  writeFloats(mine(), "Add.a.1.2.1", "a", {1});
  writeFloats(mine(), "Add.b.1.2.2", "b", {1});
  writeFloats(golden(), "Add.b.1.2.2", "b", {1});
  writeText(mine() + "/Add.c.1.2.3", "12345678");
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at("Verdict"), "MISSING");
  EXPECT_EQ(rows[1].at("Verdict"), "PASS");
  EXPECT_EQ(rows[2].at("Verdict"), "ERROR");
}

// A run that was killed while it wrote a row goes on with that file.
TEST_F(CompareTest, Resume) {
  for (int i = 0; i < 4; ++i) {
    const std::string name = "Add.a" + std::to_string(i) + ".1.2.1";
    writeFloats(mine(), name, "a" + std::to_string(i), {1});
    writeFloats(golden(), name, "a" + std::to_string(i), {1});
  }
  compare();
  const std::string whole = readText(summary.path);
  std::string cut = whole.substr(0, whole.size() - 40);
  // What is not compared again keeps what it says.
  cut.replace(cut.find("PASS"), 4, "FAIL");
  writeText(summary.path, cut);
  options.resume = true;
  const std::vector<Row> rows = compare();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].at("Verdict"), "FAIL");
  EXPECT_EQ(rows[3].at("Index"), "3");
  EXPECT_EQ(summary.numResumed, 2u);
  EXPECT_EQ(summary.numTensors[Verdict::Pass], 3u);
  EXPECT_EQ(summary.numTensors[Verdict::Fail], 1u);
}
