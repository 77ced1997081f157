//===- ElementTypes.cpp - GE data type names and MLIR types ---------------===//

#include "npu/Dialect/GE/IR/ElementTypes.h"

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace {
struct Row {
  llvm::StringLiteral name;
  Type (*get)(MLIRContext *);
};
} // namespace

template <unsigned width, IntegerType::SignednessSemantics sign>
static Type integer(MLIRContext *context) {
  return IntegerType::get(context, width, sign);
}
template <typename T>
static Type floating(MLIRContext *context) {
  return T::get(context);
}
template <typename T>
static Type complex(MLIRContext *context) {
  return ComplexType::get(T::get(context));
}

constexpr auto Signless = IntegerType::Signless;
constexpr auto Unsigned = IntegerType::Unsigned;

static constexpr Row table[] = {
    {"DT_FLOAT16", floating<Float16Type>},
    {"DT_FLOAT", floating<Float32Type>},
    {"DT_BF16", floating<BFloat16Type>},
    {"DT_INT8", integer<8, Signless>},
    {"DT_INT32", integer<32, Signless>},
    {"DT_INT64", integer<64, Signless>},
    {"DT_UINT8", integer<8, Unsigned>},
    {"DT_BOOL", integer<1, Signless>},
    {"DT_INT16", integer<16, Signless>},
    {"DT_UINT16", integer<16, Unsigned>},
    {"DT_UINT32", integer<32, Unsigned>},
    {"DT_UINT64", integer<64, Unsigned>},
    {"DT_DOUBLE", floating<Float64Type>},
    {"DT_COMPLEX64", complex<Float32Type>},
    {"DT_COMPLEX128", complex<Float64Type>},
    {"DT_COMPLEX32", complex<Float16Type>},
    {"DT_INT4", integer<4, Signless>},
    {"DT_INT2", integer<2, Signless>},
    {"DT_UINT2", integer<2, Unsigned>},
    {"DT_UINT1", integer<1, Unsigned>},
    {"DT_FLOAT8_E5M2", floating<Float8E5M2Type>},
    {"DT_FLOAT8_E4M3FN", floating<Float8E4M3FNType>},
    {"DT_FLOAT8_E8M0", floating<Float8E8M0FNUType>},
    {"DT_FLOAT6_E3M2", floating<Float6E3M2FNType>},
    {"DT_FLOAT6_E2M3", floating<Float6E2M3FNType>},
    {"DT_FLOAT4_E2M1", floating<Float4E2M1FNType>},
};

Type npu::ge::getElementType(MLIRContext *context, StringRef name) {
  if (name.empty())
    name = "DT_UNDEFINED";
  const Row *row =
      llvm::find_if(table, [&](const Row &row) { return row.name == name; });
  if (row != std::end(table))
    return row->get(context);
  return DTypeType::get(context, name);
}

StringRef npu::ge::getDataTypeName(Type elementType) {
  if (auto dtype = dyn_cast<DTypeType>(elementType))
    return dtype.getName();
  for (const Row &row : table)
    if (row.get(elementType.getContext()) == elementType)
      return row.name;
  return {};
}
