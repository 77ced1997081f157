//===- DataType.cpp - The table of Ascend data types ----------------------===//

#include "npu/Support/DataType.h"

using namespace npu;

namespace {
struct Row {
  std::string_view name;
  uint8_t runtimeNumber;
  uint8_t bits;
};
} // namespace

// Indexed by the protobuf number.
static constexpr Row table[NumDataTypes] = {
    {"DT_UNDEFINED", 28, 0},
    {"DT_FLOAT", 0, 32},
    {"DT_FLOAT16", 1, 16},
    {"DT_INT8", 2, 8},
    {"DT_UINT8", 4, 8},
    {"DT_INT16", 6, 16},
    {"DT_UINT16", 7, 16},
    {"DT_INT32", 3, 32},
    {"DT_INT64", 9, 64},
    {"DT_UINT32", 8, 32},
    {"DT_UINT64", 10, 64},
    {"DT_BOOL", 12, 8},
    {"DT_DOUBLE", 11, 64},
    {"DT_STRING", 13, 0},
    {"DT_DUAL_SUB_INT8", 14, 8},
    {"DT_DUAL_SUB_UINT8", 15, 8},
    {"DT_COMPLEX64", 16, 64},
    {"DT_COMPLEX128", 17, 128},
    {"DT_QINT8", 18, 8},
    {"DT_QINT16", 19, 16},
    {"DT_QINT32", 20, 32},
    {"DT_QUINT8", 21, 8},
    {"DT_QUINT16", 22, 16},
    {"DT_RESOURCE", 23, 64},
    {"DT_STRING_REF", 24, 0},
    {"DT_DUAL", 25, 0},
    {"DT_VARIANT", 26, 0},
    {"DT_BF16", 27, 16},
    {"DT_INT4", 29, 4},
    {"DT_UINT1", 30, 1},
    {"DT_INT2", 31, 2},
    {"DT_UINT2", 32, 2},
    {"DT_COMPLEX32", 33, 32},
    {"DT_HIFLOAT8", 34, 8},
    {"DT_FLOAT8_E5M2", 35, 8},
    {"DT_FLOAT8_E4M3FN", 36, 8},
    {"DT_FLOAT8_E8M0", 37, 8},
    {"DT_FLOAT6_E3M2", 38, 6},
    {"DT_FLOAT6_E2M3", 39, 6},
    {"DT_FLOAT4_E2M1", 40, 4},
    {"DT_FLOAT4_E1M2", 41, 4},
    {"DT_HIFLOAT4", 42, 4},
};

std::string_view npu::getName(DataType type) {
  return table[static_cast<unsigned>(type)].name;
}

std::optional<DataType> npu::parseDataType(std::string_view name) {
  for (unsigned i = 0; i < NumDataTypes; ++i)
    if (table[i].name == name)
      return static_cast<DataType>(i);
  return std::nullopt;
}

std::optional<DataType> npu::dataTypeFromProto(int64_t number) {
  if (number < 0 || number >= NumDataTypes)
    return std::nullopt;
  return static_cast<DataType>(number);
}

unsigned npu::getRuntimeNumber(DataType type) {
  return table[static_cast<unsigned>(type)].runtimeNumber;
}

std::optional<DataType> npu::dataTypeFromRuntime(int64_t number) {
  for (unsigned i = 0; i < NumDataTypes; ++i)
    if (table[i].runtimeNumber == number)
      return static_cast<DataType>(i);
  return std::nullopt;
}

unsigned npu::getBitWidth(DataType type) {
  return table[static_cast<unsigned>(type)].bits;
}
