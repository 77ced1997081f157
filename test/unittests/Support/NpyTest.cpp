//===- NpyTest.cpp - NumPy array files ------------------------------------===//

#include "npu/Support/Npy.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

using namespace npu;

static std::string fileOf(const std::string &header, const std::string &data,
                          char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(header.size() >> 8 * i & 0xff);
  return bytes + header + data;
}

static std::string faultOf(const std::string &bytes) {
  Expected<NpyView> array = parseNpy(asBytes(bytes));
  return array ? "read" : array.status().message();
}

/// The bytes that writeNpy makes.
static std::string written(const NpyView &array) {
  std::string name =
      (std::filesystem::temp_directory_path() / "npu-npy-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  FileDescriptor owner(fd);
  Status status = writeNpy(name, array);
  EXPECT_TRUE(status.ok()) << status.message();
  std::string bytes;
  if (Expected<NpyFile> file = readNpy(name); file.ok()) {
    const ByteView view = file->file.bytes();
    bytes.assign(reinterpret_cast<const char *>(view.data()), view.size());
  }
  std::filesystem::remove(name);
  return bytes;
}

TEST(Npy, BytesAreThoseOfNumPy) {
  // numpy.save of numpy.array([[1, 2, 3]], numpy.int16): 128 bytes of header.
  const int16_t values[] = {1, 2, 3};
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 3), }";
  expected.resize(127, ' ');
  expected += '\n';
  expected += std::string("\1\0\2\0\3\0", 6);
  EXPECT_EQ(
      written({DataType::Int16, {1, 3}, std::as_bytes(std::span(values))}),
      expected);
}

// What numpy.save makes of a transposed array.
TEST(Npy, FortranOrderIsReadFromFiles) {
  const std::string bytes = fileOf(
      "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3, 2), }",
      std::string("\0\0\1\0\2\0\3\0\4\0\5\0\6\0\7\0\x8\0\x9\0\xA\0\xB\0", 24));
  std::string name =
      (std::filesystem::temp_directory_path() / "npu-npy-XXXXXX").string();
  const int fd = ::mkstemp(name.data());
  FileDescriptor owner(fd);
  const ByteView parts[] = {asBytes(bytes)};
  ASSERT_TRUE(writeFile(name, parts).ok());
  Expected<NpyFile> file = readNpy(name);
  std::filesystem::remove(name);
  ASSERT_TRUE(file.ok()) << file.status().message();
  const NpyFile moved = std::move(*file);
  EXPECT_EQ(moved.array.shape, (Shape{2, 3, 2}));
  std::vector<int16_t> values(12);
  ASSERT_EQ(moved.array.data.size(), 24u);
  std::memcpy(values.data(), moved.array.data.data(), 24);
  EXPECT_EQ(values,
            (std::vector<int16_t>{0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11}));
}

TEST(Npy, ShapesComeBack) {
  const std::vector<std::byte> data(64 * 40);
  for (const Shape &shape :
       {Shape{}, Shape{5}, Shape{0, 4}, Shape{1, 2, 3}, Shape(40, 1)}) {
    const auto size = static_cast<size_t>(getNumElements(shape)) * 8;
    const std::string bytes =
        written({DataType::Double, shape, ByteView(data).first(size)});
    Expected<NpyView> array = parseNpy(asBytes(bytes));
    ASSERT_TRUE(array.ok()) << array.status().message();
    EXPECT_EQ(array->shape, shape);
    EXPECT_EQ(array->dtype, DataType::Double);
    EXPECT_EQ(array->data.size(), size);
    EXPECT_EQ((bytes.size() - size) % 64, 0u);
  }
}

TEST(Npy, EveryTypeComesBack) {
  const std::vector<std::byte> data(16);
  for (DataType dtype :
       {DataType::Float16, DataType::Float, DataType::Double, DataType::Int8,
        DataType::Int16, DataType::Int32, DataType::Int64, DataType::UInt8,
        DataType::UInt16, DataType::UInt32, DataType::UInt64, DataType::Bool,
        DataType::Complex64, DataType::Complex128}) {
    const std::string bytes =
        written({dtype, {1}, ByteView(data).first(getByteSize(dtype, 1))});
    Expected<NpyView> array = parseNpy(asBytes(bytes));
    ASSERT_TRUE(array.ok()) << getName(dtype);
    EXPECT_EQ(array->dtype, dtype);
  }
}

TEST(Npy, BFloat16BecomesFloat) {
  const uint16_t bits[] = {0x3fc0, 0xff80};
  const std::string bytes =
      written({DataType::BFloat16, {2}, std::as_bytes(std::span(bits))});
  Expected<NpyView> array = parseNpy(asBytes(bytes));
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array->dtype, DataType::Float);
  float values[2];
  std::memcpy(values, array->data.data(), sizeof(values));
  EXPECT_EQ(values[0], 1.5f);
  EXPECT_EQ(values[1], -__builtin_inff());
}

TEST(Npy, HeadersThatNumPyAllows) {
  const std::string data(6, 'x');
  for (char version : {1, 2, 3})
    EXPECT_EQ(faultOf(fileOf("{\"shape\":(3,),'fortran_order':False,"
                             "'descr':'<f2'}",
                             data, version)),
              "read");
  EXPECT_EQ(faultOf(fileOf(" { 'descr' : '<f2' ,'fortran_order' : False , "
                           "'shape' : ( 3 , 1 ) , } \n",
                           data)),
            "read");
}

TEST(Npy, OtherFilesAreRefused) {
  const std::string malformed = "the .npy header is malformed, expected ";
  const std::string wrong = "not a .npy file, expected \\x93NUMPY in front";
  EXPECT_EQ(faultOf(""), wrong);
  EXPECT_EQ(faultOf("PK\3\4 zip"), wrong);
  EXPECT_EQ(faultOf(fileOf("{}", "", 9)),
            ".npy version 9 is not supported, expected 1, 2 or 3");
  EXPECT_EQ(faultOf(fileOf("{}", "").substr(0, 11)),
            "the .npy header is cut: have 11 bytes, need 12");
  EXPECT_EQ(faultOf(fileOf("{}", "")),
            malformed + "descr, fortran_order and shape");
  auto fault = [](const char *descr, const char *order, const char *shape) {
    return faultOf(fileOf(std::string("{'descr': ") + descr +
                              ", 'fortran_order': " + order +
                              ", 'shape': " + shape + "}",
                          "1234"));
  };
  const std::string types = " is not supported, expected little-endian f2 f4 "
                            "f8 i1..i8 u1..u8 b1 c8 c16";
  EXPECT_EQ(fault("'>f4'", "False", "(1,)"), "the .npy type >f4" + types);
  EXPECT_EQ(fault("'|O'", "False", "(1,)"), "the .npy type |O" + types);
  EXPECT_EQ(fault("[('a', '<f4')]", "False", "(1,)"),
            "the .npy type of a structured array" + types);
  EXPECT_EQ(fault("'<f4'", "True", "(1,)"),
            "the .npy array is in Fortran order, expected C order "
            "(numpy.ascontiguousarray)");
  EXPECT_EQ(fault("'<f4'", "Maybe", "(1,)"), malformed + "True or False");
  EXPECT_EQ(fault("'<f4'", "False", "(-1,)"),
            malformed + "a dimension from 0 to 2^63-1");
  EXPECT_EQ(fault("'<f4'", "False", "(9223372036854775808,)"),
            malformed + "a dimension from 0 to 2^63-1");
  EXPECT_EQ(fault("'<f4'", "False", "(1 1)"), malformed + "',' or ')'");
  EXPECT_EQ(fault("'<f4'", "False", "[1]"), malformed + "'('");
  EXPECT_EQ(fault("'<f4'", "False", "(2,)"),
            "array data of shape 2: have 4 bytes, need 8");
  EXPECT_EQ(fault("'<f4'", "False", "()"), "read");
  EXPECT_EQ(fault("'<f2'", "False", "(1,)"),
            "array data of shape 1: have 4 bytes, need 2");
  EXPECT_EQ(
      fault("'<f4'", "False", "(4611686018427387904, 4611686018427387904)"),
      "array data of shape 4611686018427387904x4611686018427387904: have 4 "
      "bytes, need more than 2^61");
  EXPECT_EQ(faultOf(fileOf("{'descr': '<f4', 'descr': '<f4'}", "")),
            malformed + "descr, fortran_order and shape, each once");
}

TEST(Npy, WritesNothingWrong) {
  const std::vector<std::byte> data(8);
  EXPECT_EQ(writeNpy("/nowhere", {DataType::Float, {3}, data}).message(),
            "/nowhere: array data of shape 3: have 8 bytes, need 12");
  EXPECT_EQ(writeNpy("/nowhere", {DataType::Int4, {16}, data}).message(),
            "/nowhere: NumPy has no type for DT_INT4");
}
