//===- ConvertTest.cpp - Dump files to files of other tools ---------------===//

#include "npu/DumpTools/Convert.h"

#include "TestSupport.h"

#include "npu/Support/Npy.h"
#include "npu/Support/Uuid.h"

#include <algorithm>
#include <cstring>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

namespace {

/// Writes dump files by hand and converts them.
class ConvertTest : public testing::Test {
protected:
  ConvertTest() {
    std::filesystem::create_directory(in());
    options.folder = out();
    options.numThreads = 2;
  }
  std::string in() const { return dir.path() + "/in"; }
  std::string out() const { return dir.path() + "/out"; }

  void write(const std::string &name, std::vector<DumpTensor> outputs) {
    DumpRecord record;
    record.opName = "op";
    record.outputs = std::move(outputs);
    std::string bytes = serializeHeader(record);
    record.forEachPart([&](ByteView data) {
      bytes.append(reinterpret_cast<const char *>(data.data()), data.size());
    });
    writeText(in() + "/" + name, bytes);
  }

  ConvertSummary convert() {
    ConvertObserver observer;
    observer.fileDone = [&](const ConvertedFile &file, size_t, size_t) {
      for (const std::string &note : file.notes)
        messages.push_back(note);
      for (const std::string &fault : file.faults)
        messages.push_back(file.name.substr(in().size() + 1) + ": " + fault);
    };
    observer.warning = [&](const std::string &text) {
      messages.push_back(text.substr(in().size() + 1));
    };
    const std::string path = in();
    Expected<ConvertSummary> summary =
        convertDumps({&path, 1}, options, observer);
    EXPECT_TRUE(summary.ok()) << summary.status().message();
    return summary ? *summary : ConvertSummary();
  }

  template <typename T>
  std::vector<T> readArray(const std::string &name, const Shape &shape) {
    Expected<NpyFile> file = readNpy(out() + "/" + name);
    EXPECT_TRUE(file.ok()) << file.status().message();
    if (!file)
      return {};
    EXPECT_EQ(file->array.shape, shape);
    std::vector<T> values(file->array.data.size() / sizeof(T));
    std::copy_n(file->array.data.data(), file->array.data.size(),
                reinterpret_cast<std::byte *>(values.data()));
    return values;
  }

  TempDir dir;
  ConvertOptions options;
  std::vector<std::string> messages;
};

const std::string dumpName = "Add.op.1.2.1717171717123456";

} // namespace

template <typename T>
static DumpTensor makeBlocked(DataType dtype, Format format, Shape shape,
                              Shape originalShape,
                              const std::vector<T> &values) {
  DumpTensor tensor =
      makeTensor(dtype, std::move(shape), std::as_bytes(std::span(values)));
  tensor.format = format;
  tensor.originalShape = std::move(originalShape);
  return tensor;
}

TEST_F(ConvertTest, PlainArray) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  write(dumpName, {makeTensor(DataType::Float, {2, 3},
                              std::as_bytes(std::span(values)))});
  const ConvertSummary summary = convert();
  EXPECT_EQ(summary.numWritten, 1u);
  EXPECT_EQ(readArray<float>(dumpName + ".output.0.npy", {2, 3}), values);
  EXPECT_TRUE(messages.empty());
}

// Lane c of pixel p holds 4c + p.
TEST_F(ConvertTest, ChannelsAreCut) {
  std::vector<int16_t> values(64);
  for (int16_t c = 0; c < 3; ++c)
    for (int16_t p = 0; p < 4; ++p)
      values[static_cast<size_t>(16 * p + c)] = static_cast<int16_t>(4 * c + p);
  write(dumpName, {makeBlocked(DataType::Int16, Format::NC1HWC0,
                               {1, 1, 2, 2, 16}, {1, 3, 2, 2}, values)});
  options.format = {Format::NCHW, 0};
  convert();
  std::vector<int16_t> expected(12);
  for (size_t i = 0; i < 12; ++i)
    expected[i] = static_cast<int16_t>(i);
  EXPECT_EQ(
      readArray<int16_t>(dumpName + ".output.0.1x3x2x2.npy", {1, 3, 2, 2}),
      expected);
  options.format = {Format::NHWC, 0};
  convert();
  EXPECT_EQ(
      readArray<int16_t>(dumpName + ".output.0.1x2x2x3.npy", {1, 2, 2, 3}),
      (std::vector<int16_t>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  options.format = {Format::HWCN, 0};
  convert();
  EXPECT_EQ(
      readArray<int16_t>(dumpName + ".output.0.2x2x3x1.npy", {2, 2, 3, 1}),
      (std::vector<int16_t>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_TRUE(messages.empty());
}

TEST_F(ConvertTest, SeventeenChannelsAndLanesOf32) {
  std::vector<int16_t> values(128);
  values[64] = 77; // block 1, pixel 0, lane 0
  std::vector<int8_t> bytes(4 * 32);
  bytes[31] = 5;
  write(dumpName, {makeBlocked(DataType::Int16, Format::NC1HWC0,
                               {1, 2, 2, 2, 16}, {1, 17, 2, 2}, values),
                   makeBlocked(DataType::Int8, Format::NC1HWC0,
                               {1, 1, 2, 2, 32}, {1, 32, 2, 2}, bytes)});
  options.format = {Format::NCHW, 0};
  convert();
  EXPECT_EQ(readArray<int16_t>(dumpName + ".output.0.1x17x2x2.npy",
                               {1, 17, 2, 2})[64],
            77);
  EXPECT_EQ(readArray<int8_t>(dumpName + ".output.1.1x32x2x2.npy",
                              {1, 32, 2, 2})[31 * 4],
            5);
}

TEST_F(ConvertTest, PaddingThatIsNotZero) {
  std::vector<int16_t> values(64, 1);
  write(dumpName, {makeBlocked(DataType::Int16, Format::NC1HWC0,
                               {1, 1, 2, 2, 16}, {1, 3, 2, 2}, values)});
  options.format = {Format::NCHW, 0};
  convert();
  EXPECT_EQ(messages, std::vector<std::string>{"output 0: 52 elements in the "
                                               "padding of NC1HWC0 are not "
                                               "zero"});
}

TEST_F(ConvertTest, WithoutOriginalShape) {
  const std::vector<int16_t> values(64, 1);
  write(dumpName, {makeBlocked(DataType::Int16, Format::NC1HWC0,
                               {1, 1, 2, 2, 16}, {}, values)});
  options.format = {Format::NCHW, 0};
  convert();
  readArray<int16_t>(dumpName + ".output.0.1x16x2x2.npy", {1, 16, 2, 2});
  EXPECT_EQ(messages, std::vector<std::string>{
                          "output 0: the dump has no original shape, all "
                          "lanes of NC1HWC0 are kept"});
}

/// ND [3,18] with the values 18 m + n as NZ.
static std::vector<int32_t> makeFractal() {
  std::vector<int32_t> values(2 * 256);
  for (int m = 0; m < 3; ++m)
    for (int n = 0; n < 18; ++n)
      values[static_cast<size_t>(n / 16 * 256 + m * 16 + n % 16)] = 18 * m + n;
  return values;
}

TEST_F(ConvertTest, Fractal) {
  const std::vector<int32_t> values = makeFractal();
  EXPECT_EQ(values[289], 53);
  std::vector<int32_t> expected(54);
  for (size_t i = 0; i < 54; ++i)
    expected[i] = static_cast<int32_t>(i);
  for (const Shape &original : {Shape{3, 18}, Shape{}}) {
    write(dumpName, {makeBlocked(DataType::Int32, Format::FRACTAL_NZ,
                                 {2, 1, 16, 16}, original, values)});
    options.format = {Format::ND, 0};
    options.originalShape =
        original.empty() ? std::optional(Shape{3, 18}) : std::nullopt;
    convert();
    EXPECT_EQ(readArray<int32_t>(dumpName + ".output.0.3x18.npy", {3, 18}),
              expected);
  }
  EXPECT_TRUE(messages.empty());
}

TEST_F(ConvertTest, FractalOfManyDimensionsAsThePeerHasIt) {
  options.compat = true;
  options.format = {Format::ND, 0};
  write(dumpName,
        {makeBlocked(DataType::Int32, Format::FRACTAL_NZ, {1, 2, 1, 1, 16, 16},
                     {1, 2, 3, 16}, std::vector<int32_t>(512))});
  convert();
  readArray<int32_t>(dumpName + ".output.0.2x3x16.npy", {2, 3, 16});
  write(dumpName,
        {makeBlocked(DataType::Int32, Format::FRACTAL_NZ, {1, 1, 16, 16}, {5},
                     std::vector<int32_t>(256))});
  convert();
  readArray<int32_t>(dumpName + ".output.0.1x5.npy", {1, 5});
  EXPECT_TRUE(messages.empty());
}

TEST_F(ConvertTest, ShapeThatContradicts) {
  const std::vector<int32_t> values = makeFractal();
  write(dumpName, {makeBlocked(DataType::Int32, Format::FRACTAL_NZ,
                               {2, 1, 16, 16}, {3, 18}, values)});
  options.format = {Format::ND, 0};
  for (const Shape &shape : {Shape{3, 19}, Shape{54}}) {
    options.originalShape = shape;
    EXPECT_EQ(convert().numFailed, 1u);
    EXPECT_EQ(messages.back(), dumpName + ": output 0: -s " + toString(shape) +
                                   " contradicts the original shape 3x18 in "
                                   "the dump");
  }
}

TEST_F(ConvertTest, SmallTypes) {
  const std::vector<uint8_t> nibbles = {0x81, 0x7f};
  const std::vector<uint8_t> floats = {0x7e, 0x80};
  const std::vector<uint8_t> flags = {0, 1};
  const std::vector<char> text(16, 'x');
  write(dumpName,
        {makeTensor(DataType::Int4, {2, 2}, std::as_bytes(std::span(nibbles))),
         makeTensor(DataType::Float8E4M3FN, {2},
                    std::as_bytes(std::span(floats))),
         makeTensor(DataType::String, {1}, std::as_bytes(std::span(text))),
         makeTensor(DataType::Bool, {2}, std::as_bytes(std::span(flags)))});
  EXPECT_EQ(convert().numFailed, 0u);
  EXPECT_EQ(readArray<int8_t>(dumpName + ".output.0.npy", {2, 2}),
            (std::vector<int8_t>{1, -8, -1, 7}));
  EXPECT_EQ(readArray<float>(dumpName + ".output.1.npy", {2}),
            (std::vector<float>{448, -0.f}));
  EXPECT_EQ(readArray<uint8_t>(dumpName + ".output.3.npy", {2}), flags);
  EXPECT_EQ(messages,
            std::vector<std::string>{
                "output 2: DT_STRING has no form as an array, skipped"});
  EXPECT_EQ(listFiles(out()).size(), 3u);
}

TEST_F(ConvertTest, NoElements) {
  write(dumpName, {makeTensor(DataType::Float16, {0, 4}, {})});
  convert();
  readArray<uint16_t>(dumpName + ".output.0.npy", {0, 4});
}

// Each file that cannot be read has a line, and none keeps others from it.
TEST_F(ConvertTest, DamagedFiles) {
  const std::vector<float> values = {1, 2};
  write("Add.good.1.2.1",
        {makeTensor(DataType::Float, {2}, std::as_bytes(std::span(values)))});
  const std::string good = readText(in() + "/Add.good.1.2.1");
  writeText(in() + "/Add.empty.1.2.2", "");
  writeText(in() + "/Add.tiny.1.2.3", "12345678");
  std::string huge(100, '\0');
  const uint64_t length = 1000000000;
  std::memcpy(huge.data(), &length, sizeof(length));
  writeText(in() + "/Add.huge.1.2.4", huge);
  writeText(in() + "/Add.short.1.2.5", good.substr(0, good.size() - 1));
  const ConvertSummary summary = convert();
  EXPECT_EQ(summary.numFiles, 5u);
  EXPECT_EQ(summary.numFailed, 4u);
  EXPECT_FALSE(summary.incomplete);
  EXPECT_EQ(messages,
            (std::vector<std::string>{
                "Add.empty.1.2.2: not a dump file: have 0 bytes, need more "
                "than 8",
                "Add.huge.1.2.4: header: have 92 bytes, need 1000000000",
                "Add.short.1.2.5: data of output 0: have 7 bytes, need 8",
                "Add.tiny.1.2.3: not a dump file: have 8 bytes, need more "
                "than 8"}));
  std::string list;
  for (const char *name :
       {"empty.1.2.2", "huge.1.2.4", "short.1.2.5", "tiny.1.2.3"})
    list += in() + "/Add." + name + "\n";
  EXPECT_EQ(readText(out() + "/convert_failed_file_list.txt"), list);
  readArray<float>("Add.good.1.2.1.output.0.npy", {2});
}

// 13 bytes of suffix: 254, 255 and 256 bytes in all.
TEST_F(ConvertTest, NamesOf255Bytes) {
  const std::vector<float> values = {1};
  for (size_t size : {241, 242, 243}) {
    const std::string ends = ".1.2.1717171717123456";
    const std::string name =
        "Add." + std::string(size - 4 - ends.size(), 'n') + ends;
    ASSERT_EQ(name.size(), size);
    write(name,
          {makeTensor(DataType::Float, {1}, std::as_bytes(std::span(values)))});
  }
  convert();
  std::vector<std::string> files = listFiles(out());
  ASSERT_EQ(files.size(), 4u);
  auto count = [&](size_t size) {
    return std::count_if(
        files.begin(), files.end(),
        [=](const std::string &file) { return file.size() == size; });
  };
  EXPECT_EQ(count(254), 1);
  EXPECT_EQ(count(255), 1);
  EXPECT_EQ(count(36), 1);
  const std::string mapping = readText(out() + "/mapping.csv");
  EXPECT_EQ(mapping.find(".npy,Add.nnn"), 32u);
  // The same again gives the same names, and no second row.
  convert();
  EXPECT_EQ(listFiles(out()), files);
  EXPECT_EQ(readText(out() + "/mapping.csv"), mapping);
  // The threshold of Ascend's tool.
  options.compat = true;
  convert();
  EXPECT_EQ(listFiles(out()).size(), 5u);
}

TEST(Uuid, OfNames) {
  // uuid.uuid3(uuid.NAMESPACE_DNS, ...).hex of Python.
  EXPECT_EQ(makeNameUuid("python.org"), "6fa459eaee8a3ca4894edb77e160355e");
}

TEST_F(ConvertTest, NamesOfDigits) {
  const std::vector<float> values = {1};
  const DumpTensor tensor =
      makeTensor(DataType::Float, {1}, std::as_bytes(std::span(values)));
  write("123", {tensor});
  write("456", {tensor});
  writeText(in() + "/mapping.csv",
            "123,Add.a,b\"c.1.2.3\r\n789,Add.gone.1.2.3\r\n");
  EXPECT_EQ(convert().numFailed, 0u);
  EXPECT_EQ(messages,
            (std::vector<std::string>{
                "456: no row in mapping.csv says what it is",
                "mapping.csv: there is no file 789 (Add.gone.1.2.3)"}));
  EXPECT_EQ(listFiles(out()),
            (std::vector<std::string>{"123.output.0.npy", "456.output.0.npy",
                                      "mapping.csv"}));
  EXPECT_EQ(readText(out() + "/mapping.csv"),
            "123.output.0.npy,\"Add.a,b\"\"c.1.2.3.output.0.npy\"\n");
}

TEST_F(ConvertTest, Resume) {
  const std::vector<float> values = {1};
  const DumpTensor tensor =
      makeTensor(DataType::Float, {1}, std::as_bytes(std::span(values)));
  write("Add.a.1.2.3", {tensor});
  write("Add.b.1.2.4", {tensor});
  convert();
  std::filesystem::remove(out() + "/Add.a.1.2.3.output.0.npy");
  writeText(out() + "/Add.b.1.2.4.output.0.npy", "kept");
  options.resume = true;
  const ConvertSummary summary = convert();
  EXPECT_EQ(summary.numWritten, 1u);
  EXPECT_EQ(summary.numKept, 1u);
  EXPECT_EQ(readText(out() + "/Add.b.1.2.4.output.0.npy"), "kept");
  // A dump that is younger than its array is converted again.
  std::filesystem::last_write_time(
      in() + "/Add.b.1.2.4",
      std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ(convert().numWritten, 1u);
}

TEST_F(ConvertTest, OtherKinds) {
  const std::vector<uint16_t> values = {0x3f80, 0xc040};
  write(dumpName, {makeTensor(DataType::BFloat16, {1, 2},
                              std::as_bytes(std::span(values)))});
  options.type = ConvertType::Text;
  convert();
  EXPECT_EQ(readText(out() + "/" + dumpName + ".output.0.txt"),
            "# DT_BF16 1x2 ND\n1 -3\n");
  options.type = ConvertType::Bin;
  convert();
  EXPECT_EQ(readText(out() + "/" + dumpName + ".output.0.2.float32.ND.bin"),
            std::string("\0\0\x80\x3f\0\0\x40\xc0", 8));
  options.type = ConvertType::MsNpy;
  convert();
  readArray<float>(dumpName + ".output.0.ND.npy", {1, 2});
}

TEST_F(ConvertTest, OneOutput) {
  const std::vector<float> values = {1};
  const DumpTensor tensor =
      makeTensor(DataType::Float, {1}, std::as_bytes(std::span(values)));
  write(dumpName, {tensor, tensor});
  options.output = 1;
  convert();
  EXPECT_EQ(listFiles(out()),
            std::vector<std::string>{dumpName + ".output.1.npy"});
  options.output = 2;
  EXPECT_EQ(convert().numFailed, 1u);
  EXPECT_EQ(messages.back(),
            dumpName + ": there is no output 2, the dump has 2");
}
