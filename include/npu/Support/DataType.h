//===- DataType.h - The Ascend data types ----------------------*- C++ -*-===//
//
// The data types of GE graphs and of dump files. Three numberings exist: the
// protobuf one (ge.proto.DataType in graph text, toolkit.dumpdata.OutputDataType
// in dump files; both agree), the C++ one of the runtime (ge::DataType, used by
// attributes such as Cast's dst_type), and TensorFlow's. DataType has the
// protobuf numbers.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_SUPPORT_DATATYPE_H
#define NPU_SUPPORT_DATATYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace npu {

/// Values are those of the protobuf enumeration.
enum class DataType : uint8_t {
  Undefined = 0,
  Float = 1,
  Float16 = 2,
  Int8 = 3,
  UInt8 = 4,
  Int16 = 5,
  UInt16 = 6,
  Int32 = 7,
  Int64 = 8,
  UInt32 = 9,
  UInt64 = 10,
  Bool = 11,
  Double = 12,
  String = 13,
  DualSubInt8 = 14,
  DualSubUInt8 = 15,
  Complex64 = 16,
  Complex128 = 17,
  QInt8 = 18,
  QInt16 = 19,
  QInt32 = 20,
  QUInt8 = 21,
  QUInt16 = 22,
  Resource = 23,
  StringRef = 24,
  Dual = 25,
  Variant = 26,
  BFloat16 = 27,
  Int4 = 28,
  UInt1 = 29,
  Int2 = 30,
  UInt2 = 31,
  Complex32 = 32,
  HiFloat8 = 33,
  Float8E5M2 = 34,
  Float8E4M3FN = 35,
  Float8E8M0 = 36,
  Float6E3M2 = 37,
  Float6E2M3 = 38,
  Float4E2M1 = 39,
  Float4E1M2 = 40,
  HiFloat4 = 41,
};
constexpr unsigned NumDataTypes = 42;

/// "DT_FLOAT16", as graph text and statistics spell it.
std::string_view getName(DataType type);

/// Inverse of getName.
std::optional<DataType> parseDataType(std::string_view name);

/// The type with the protobuf number \p number.
std::optional<DataType> dataTypeFromProto(int64_t number);

/// The runtime (ge::DataType) number, as in Cast's dst_type.
unsigned getRuntimeNumber(DataType type);

/// Inverse of getRuntimeNumber.
std::optional<DataType> dataTypeFromRuntime(int64_t number);

/// Bits of one element; 0 where an element has no fixed size (strings,
/// resources, undefined).
unsigned getBitWidth(DataType type);

/// Bytes of \p count elements of \p type, sub-byte types packed and rounded up
/// to a byte; 0 for types without a fixed size.
inline uint64_t getByteSize(DataType type, uint64_t count) {
  return (static_cast<uint64_t>(getBitWidth(type)) * count + 7) / 8;
}

} // namespace npu

#endif // NPU_SUPPORT_DATATYPE_H
