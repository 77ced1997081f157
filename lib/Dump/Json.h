//===- Json.h - The JSON library, without exceptions -----------*- C++ -*-===//

#ifndef NPU_LIB_DUMP_JSON_H
#define NPU_LIB_DUMP_JSON_H

#define JSON_NOEXCEPTION
#include <nlohmann/json.hpp>

#include <string>

namespace npu::dump {

/// Objects keep the order in which their keys were added.
using Json = nlohmann::ordered_json;

/// One line, or indented by \p indent. Bytes that are not UTF-8 become U+FFFD.
inline std::string toText(const Json &value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace npu::dump

#endif // NPU_LIB_DUMP_JSON_H
