//===- StatusTableQuantization.cpp - Rows of the quantised chain ----------===//

#include "StatusTable.h"

using namespace npu;
using namespace npu::kernels::statustable;

Rows kernels::statustable::quantizationRows() {
  constexpr DataType Byte = DataType::Int8;
  auto byte = [](uint64_t value) { return Operand{Byte, {value}}; };
  auto scaled = [](const Row &row, float scale, float offset) {
    return row.with("scale", scale).with("offset", offset);
  };
  // 64-bit parameters: an fp32 scale of 10 bits in the low half.
  auto scale = [](float value) {
    return Operand{DataType::UInt64, {bitsOf(value)}};
  };
  const Row product = {"AscendDequant",
                       "the second product",
                       {ints({16380}), scale(2)},
                       {ints({16379}), scale(2)},
                       Half,
                       {FO, {0x7BFF}},
                       {FO, {0x7C00}},
                       {0, {0x7BFF}}};
  const Row square = {"AscendDequant",
                      "the second product is too small",
                      {ints({1}), half({0x09A8})},
                      {ints({1}), half({0x09A9})},
                      Half,
                      {FU, {0}},
                      {FU, {0}},
                      {0, {1}}};
  const Row infinity = {"AscendDequant",
                        "the second product of an infinity",
                        {ints({65520}), scale(1)},
                        {ints({65519}), scale(1)},
                        Half,
                        {CO, {0x7BFF}},
                        {CO | VN, {0x7C00}},
                        {0, {0x7BFF}}};
  return {
      // What is beyond int8 saturates without status.
      scaled({"AscendQuant",
              "plus offset",
              {half({0x7BFF})},
              {half({0x7BFE})},
              Byte,
              {FO, {0x7F}},
              {FO, {0x7F}},
              {0, {0x7F}}},
             1, 16),
      scaled({"AscendQuant",
              "times scale",
              {half({1})},
              {half({2})},
              Byte,
              {FU, {0}},
              {FU, {0}},
              {0, {0}}},
             0.5f, 0),
      scaled({"AscendQuant",
              "an infinite operand",
              {half({0xFC00})},
              {half({0xFBFF})},
              Byte,
              {VN, {0x80}},
              {VN, {0x80}},
              {0, {0x80}}},
             1, 0),
      // In InfNan mode the product reads the infinity.
      scaled({"AscendAntiQuant",
              "plus offset",
              {byte(16)},
              {byte(15)},
              Half,
              {FO, {0x7BFF}},
              {FO | VN, {0x7C00}},
              {0, {0x7BFF}}},
             1, 65504),
      // (1 - 0.99951) * 2^-14 = 2^-25
      scaled({"AscendAntiQuant",
              "times scale",
              {byte(1)},
              {byte(0)},
              Half,
              {FU, {0}},
              {FU, {0}},
              {0, {0x8400}}},
             0x1p-14f, -0.99951171875f),
      {"AscendDequant",
       "rounding",
       {ints({65520}), scale(1)},
       {ints({65519}), scale(1)},
       Half,
       {CO, {0x7BFF}},
       {CO, {0x7C00}},
       {0, {0x7BFF}}},
      {"AscendDequant",
       "too small",
       {ints({1}), scale(0x1p-25f)},
       {ints({1}), scale(0x1.004p-25f)},
       Half,
       {CU, {0}},
       {CU, {0}},
       {0, {1}}},
      product.with("sqrt_mode", true),
      square.with("sqrt_mode", true),
      infinity.with("sqrt_mode", true),
      {"AscendRequant",
       "saturates",
       {ints({300}), scale(1)},
       {},
       Byte,
       {0, {0x7F}},
       {0, {0x7F}}},
  };
}
