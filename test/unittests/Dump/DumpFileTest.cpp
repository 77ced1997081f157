//===- DumpFileTest.cpp - The bytes of a dump file ------------------------===//

#include "TestSupport.h"

#include <fcntl.h>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

/// Bytes of a text of hexadecimal digits; "'...'" stands for its letters.
static std::string bytesOf(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ') {
      ++i;
    } else if (text[i] == '\'') {
      const size_t end = text.find('\'', i + 1);
      bytes += text.substr(i + 1, end - i - 1);
      i = end + 1;
    } else {
      bytes += static_cast<char>(
          std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
      i += 2;
    }
  }
  return bytes;
}

static std::string withLength(const std::string &header) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += static_cast<char>(header.size() >> 8 * i & 0xff);
  return bytes + header;
}

static DumpRecord makeExample() {
  DumpTensor tensor;
  tensor.dtype = DataType::Float16;
  tensor.format = Format::NC1HWC0;
  tensor.shape = {1, 2, 3, 4, 16};
  tensor.originalShape = {1, 20, 3, 4};
  tensor.size = 768;
  DumpRecord record;
  record.dumpTime = 1717171717123456;
  record.opName = "res/conv1.relu";
  record.inputs.push_back(tensor);
  tensor.originalOp = {"orig/conv1", 0, 2, 0};
  record.outputs.push_back(tensor);
  return record;
}

static const char exampleHeader[] =
    "0a 03 '2.0' 10 80 db de 91 a3 b8 86 03"
    "1a 28 08 02 10 03 1a 07 0a 05 01 02 03 04 10"
    "      22 0e 0a 0a 'orig/conv1' 18 02 30 80 06 3a 06 0a 04 01 14 03 04"
    "22 18 08 02 10 03 1a 07 0a 05 01 02 03 04 10 28 80 06"
    "      32 06 0a 04 01 14 03 04"
    "32 0e 'res/conv1.relu'";

TEST(DumpFile, WorkedExampleHasTheDevicesBytes) {
  const std::string header = serializeHeader(makeExample());
  EXPECT_EQ(header.size(), 106u);
  EXPECT_EQ(header, withLength(bytesOf(exampleHeader)));
}

TEST(DumpFile, OpDebugHeaderHas65Bytes) {
  DumpTensor tensor;
  tensor.dtype = DataType::UInt8;
  tensor.shape = {2048};
  tensor.size = 2048;
  tensor.originalOp = {"Node_OpDebug", 0, 4, 2};
  DumpRecord record;
  record.dumpTime = 1597922031178434;
  record.opName = "Node_OpDebug";
  record.outputs.push_back(tensor);
  const std::string expected =
      bytesOf("0a 03 '2.0' 10 c2 a5 b0 b8 d3 a9 eb 02"
              "1a 23 08 04 10 02 1a 04 0a 02 80 10"
              "      22 12 0a 0c 'Node_OpDebug' 18 04 20 02 30 80 10 3a 00"
              "32 0c 'Node_OpDebug'");
  EXPECT_EQ(expected.size(), 65u);
  EXPECT_EQ(serializeHeader(record), withLength(expected));
}

TEST(DumpFile, ShapesArePresentWithoutDimensions) {
  DumpRecord record;
  DumpTensor scalar;
  scalar.dtype = DataType::Float;
  scalar.format = Format::NCHW;
  scalar.size = 4;
  record.inputs.push_back(scalar);
  record.outputs.push_back(scalar);
  EXPECT_EQ(serializeHeader(record),
            withLength(bytesOf("0a 03 '2.0'"
                               "1a 08 08 01 1a 00 30 04 3a 00"
                               "22 08 08 01 1a 00 28 04 32 00")));
}

TEST(DumpFile, AllFieldsComeBack) {
  std::string payload = "iiiioobbbs";
  DumpRecord record = makeExample();
  record.inputs[0].size = 4;
  record.inputs[0].address = UINT64_MAX;
  record.inputs[0].offset = UINT64_MAX; // of a graph of unknown shapes
  record.inputs[0].subFormat = 240;
  record.outputs[0].size = 2;
  record.outputs[0].originalOp = {"orig", UINT32_MAX, 41, 0x10000200};
  record.outputs[0].dimRanges = {{1, 8}, {0, UINT64_MAX}};
  record.buffers.push_back({0, 3, {}});
  record.spaces.push_back({0, 1, {}});
  record.attrs.push_back({"ctx", "{\"a\":1}"});
  record.dfxMessage = "dfx";
  const std::string bytes = serializeHeader(record) + payload;

  Expected<DumpFile> file = DumpFile::parse(asBytes(bytes));
  ASSERT_TRUE(file.ok()) << file.status().message();
  const DumpRecord &read = file->record();
  EXPECT_EQ(read.version, "2.0");
  EXPECT_EQ(read.dumpTime, 1717171717123456u);
  EXPECT_EQ(read.opName, "res/conv1.relu");
  EXPECT_EQ(read.dfxMessage, "dfx");
  ASSERT_EQ(read.attrs.size(), 1u);
  EXPECT_EQ(read.attrs[0].name, "ctx");
  EXPECT_EQ(read.attrs[0].value, "{\"a\":1}");
  ASSERT_EQ(read.inputs.size(), 1u);
  EXPECT_EQ(read.inputs[0].address, UINT64_MAX);
  EXPECT_EQ(read.inputs[0].offset, UINT64_MAX);
  EXPECT_EQ(read.inputs[0].subFormat, 240);
  EXPECT_EQ(read.inputs[0].shape, (Shape{1, 2, 3, 4, 16}));
  EXPECT_EQ(read.inputs[0].originalShape, (Shape{1, 20, 3, 4}));
  EXPECT_FALSE(read.inputs[0].originalOp);
  ASSERT_EQ(read.outputs.size(), 1u);
  EXPECT_EQ(read.outputs[0].dtype, DataType::Float16);
  EXPECT_EQ(read.outputs[0].format, Format::NC1HWC0);
  EXPECT_EQ(read.outputs[0].originalOp,
            (OriginalOp{"orig", UINT32_MAX, 41, 0x10000200}));
  EXPECT_EQ(read.outputs[0].dimRanges,
            (std::vector<DimRange>{{1, 8}, {0, UINT64_MAX}}));

  auto text = [](ByteView data) {
    return std::string(reinterpret_cast<const char *>(data.data()),
                       data.size());
  };
  EXPECT_EQ(text(read.inputs[0].data), "iiii");
  EXPECT_EQ(text(read.outputs[0].data), "oo");
  EXPECT_EQ(text(read.buffers[0].data), "bbb");
  EXPECT_EQ(text(read.spaces[0].data), "s");
  EXPECT_EQ(file->payloadOffset(), bytes.size() - payload.size());
  EXPECT_EQ(file->trailingBytes(), 0u);
}

TEST(DumpFile, BytesBehindThePayloadAreCounted) {
  std::string bytes = serializeHeader(makeExample()) + std::string(1536, 'x');
  bytes += bytes; // as a device appends to a file that exists
  Expected<DumpFile> file = DumpFile::parse(asBytes(bytes));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->trailingBytes(), 1642u);
}

static std::string faultOf(const std::string &bytes) {
  Expected<DumpFile> file = DumpFile::parse(asBytes(bytes));
  return file ? "read" : file.status().message();
}

TEST(DumpFile, CutFilesSayWhatTheyHaveAndNeed) {
  EXPECT_EQ(faultOf(""), "not a dump file: have 0 bytes, need more than 8");
  EXPECT_EQ(faultOf(std::string(8, '\0')),
            "not a dump file: have 8 bytes, need more than 8");
  std::string longHeader = bytesOf("00 ca 9a 3b 00 00 00 00"); // 10^9
  longHeader.resize(100);
  EXPECT_EQ(faultOf(longHeader), "header: have 92 bytes, need 1000000000");
  EXPECT_EQ(faultOf(std::string(100, '\xff')),
            "header: have 92 bytes, need 18446744073709551615");

  const std::string good =
      serializeHeader(makeExample()) + std::string(1536, 'x');
  EXPECT_EQ(faultOf(good), "read");
  EXPECT_EQ(faultOf(good.substr(0, good.size() - 1)),
            "data of output 0: have 767 bytes, need 768");
  EXPECT_EQ(faultOf(good.substr(0, 106)),
            "data of input 0: have 0 bytes, need 768");
  EXPECT_EQ(faultOf(withLength("\x0a\x7f")),
            "header of 2 bytes is not a DumpData message");
}

TEST(DumpFile, SizesThatWrapAreRefused) {
  DumpRecord record = makeExample();
  record.inputs[0].size = 8;
  record.outputs[0].size = UINT64_MAX - 7; // the sum of both is 0
  EXPECT_EQ(faultOf(serializeHeader(record) + "12345678"),
            "data of output 0: have 0 bytes, need 18446744073709551608");
}

TEST(DumpFile, UnknownNumbersAreNamed) {
  EXPECT_EQ(faultOf(withLength(bytesOf("1a 00 1a 03 10 ff 01"))),
            "output 1: format 255 is unknown, expected 0 to 54");
}

TEST(DumpFile, TypesOfLaterReleasesAreKept) {
  const std::string bytes = withLength(bytesOf("22 02 08 63"));
  Expected<DumpFile> file = DumpFile::parse(asBytes(bytes));
  ASSERT_TRUE(file.ok());
  const DumpTensor &tensor = file->record().inputs[0];
  EXPECT_EQ(tensor.dtype, DataType::Undefined);
  EXPECT_EQ(getTypeName(tensor), "data type 99");
  const std::string header = serializeHeader(file->record());
  Expected<DumpFile> again = DumpFile::parse(asBytes(header));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(getTypeName(again->record().inputs[0]), "data type 99");
}

TEST(DumpFile, OpenNamesTheFile) {
  TempDir dir;
  const std::string path = dir.path() + "/x";
  EXPECT_EQ(DumpFile::open(path).status().message(),
            path + ": No such file or directory");
  EXPECT_EQ(DumpFile::open(dir.path()).status().message(),
            dir.path() + ": not a regular file");
  writeText(path, "");
  EXPECT_EQ(DumpFile::open(path).status().message(),
            path + ": not a dump file: have 0 bytes, need more than 8");
  EXPECT_EQ(DumpFile::open(path).status().kind(), ErrorKind::Usage);
}

TEST(DumpFile, FilesOver4GigabytesAreMapped) {
  TempDir dir;
  const std::string path = dir.path() + "/big";
  DumpRecord record = makeExample();
  record.inputs.clear();
  record.outputs[0].shape = {2200000000};
  record.outputs[0].size = 4400000000;
  const std::string header = serializeHeader(record);
  writeText(path, header);
  ASSERT_EQ(
      ::truncate(path.c_str(), static_cast<off_t>(header.size() + 4400000000)),
      0);
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(-1, std::ios::end);
    file << '\x5a';
  }
  Expected<DumpFile> file = DumpFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_EQ(file->record().outputs[0].data.size(), 4400000000u);
  EXPECT_EQ(file->record().outputs[0].data[4399999999], std::byte(0x5a));
  EXPECT_EQ(file->trailingBytes(), 0u);
}
