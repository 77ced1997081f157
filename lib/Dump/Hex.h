//===- Hex.h - Hexadecimal numbers -----------------------------*- C++ -*-===//

#ifndef NPU_LIB_DUMP_HEX_H
#define NPU_LIB_DUMP_HEX_H

#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>

namespace npu::dump {

/// "0x1008005b0000": lower case, no leading zeros, "0x0" for 0.
inline std::string toHex(uint64_t value) {
  char text[16];
  return "0x" +
         std::string(text, std::to_chars(text, std::end(text), value, 16).ptr);
}

} // namespace npu::dump

#endif // NPU_LIB_DUMP_HEX_H
