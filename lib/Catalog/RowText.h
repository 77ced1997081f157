//===- RowText.h - Reading the text of a row --------------------*- C++ -*-===//

#ifndef NPU_LIB_CATALOG_ROWTEXT_H
#define NPU_LIB_CATALOG_ROWTEXT_H

#include "npu/Catalog/Catalog.h"

#include <array>
#include <utility>

namespace npu::catalog {

constexpr std::array<std::pair<std::string_view, AttributeKind>, 12>
    attributeKinds = {{
        {"int", AttributeKind::Int},
        {"float", AttributeKind::Float},
        {"bool", AttributeKind::Bool},
        {"string", AttributeKind::String},
        {"dtype", AttributeKind::DataType},
        {"tensor", AttributeKind::Tensor},
        {"list int", AttributeKind::ListInt},
        {"list float", AttributeKind::ListFloat},
        {"list bool", AttributeKind::ListBool},
        {"list string", AttributeKind::ListString},
        {"list dtype", AttributeKind::ListDataType},
        {"list list int", AttributeKind::ListListInt},
    }};

constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

/// Takes what stands before the first \p separator from \p rest.
constexpr std::string_view takeItem(std::string_view &rest, char separator) {
  const size_t end = rest.find(separator);
  const std::string_view item = trim(rest.substr(0, end));
  rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  return item;
}

constexpr Port readPort(std::string_view item) {
  Port port{item};
  if (item.ends_with('?') || item.ends_with('*')) {
    port.kind = item.ends_with('?') ? Port::Optional : Port::Dynamic;
    port.name.remove_suffix(1);
  } else if (item.ends_with('&')) {
    port.isHiddenUpdate = true;
    port.name.remove_suffix(1);
  }
  return port;
}

/// None for text of another form.
constexpr std::optional<Attribute> readAttribute(std::string_view item) {
  const size_t colon = item.find(": ");
  if (colon == std::string_view::npos)
    return std::nullopt;
  Attribute attribute;
  attribute.name = item.substr(0, colon);
  std::string_view rest = item.substr(colon + 2);
  if (const size_t equals = rest.find(" = ");
      equals != std::string_view::npos) {
    attribute.fallback = rest.substr(equals + 3);
    rest = rest.substr(0, equals);
  }
  for (const auto &[name, kind] : attributeKinds)
    if (name == rest) {
      attribute.kind = kind;
      return attribute;
    }
  return std::nullopt;
}

/// \p row with \p role, which is the last of its fields.
constexpr Row as(Role role, Row row) {
  row.role = role;
  return row;
}

constexpr bool isName(std::string_view text) {
  for (char c : text)
    if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
          (c >= 'A' && c <= 'Z')))
      return false;
  return !text.empty();
}

constexpr bool arePorts(std::string_view rest) {
  while (!rest.empty())
    if (!isName(readPort(takeItem(rest, ',')).name))
      return false;
  return true;
}

/// Whether rows are sorted by type, without doubles, and their text is read as
/// a whole.
constexpr bool isWellFormed(std::span<const Row> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row &row = rows[i];
    if (!isName(row.type) || (i > 0 && rows[i - 1].type >= row.type) ||
        !arePorts(row.inputs) || !arePorts(row.outputs))
      return false;
    std::string_view rest = row.attributes;
    while (!rest.empty()) {
      const auto attribute = readAttribute(takeItem(rest, ';'));
      if (!attribute || !isName(attribute->name) ||
          (attribute->fallback && attribute->fallback->empty()))
        return false;
    }
  }
  return true;
}

} // namespace npu::catalog

#endif // NPU_LIB_CATALOG_ROWTEXT_H
