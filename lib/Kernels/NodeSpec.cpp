//===- NodeSpec.cpp - What a kernel is made from --------------------------===//

#include "npu/Catalog/Catalog.h"
#include "npu/Kernels/Kernel.h"

#include <charconv>
#include <type_traits>

using namespace npu;
using namespace npu::kernels;

namespace {

template <typename T>
constexpr bool isList = false;
template <typename T>
constexpr bool isList<std::vector<T>> = true;

/// Reads a default of the catalogue: "1", "1e-05", "true", "'NHWC'", "[1, 1]".
template <typename T>
std::optional<T> parseDefault(std::string_view text) {
  if constexpr (isList<T>) {
    if (!text.starts_with('[') || !text.ends_with(']'))
      return std::nullopt;
    text = text.substr(1, text.size() - 2);
    T list;
    while (!text.empty()) {
      const size_t end = text.find(',');
      std::string_view item = text.substr(0, end);
      item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
      auto value = parseDefault<typename T::value_type>(item);
      if (!value)
        return std::nullopt;
      list.push_back(*value);
      text = end == std::string_view::npos ? "" : text.substr(end + 1);
    }
    return list;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (text != "true" && text != "false")
      return std::nullopt;
    return text == "true";
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (text.size() < 2 || !text.starts_with('\'') || !text.ends_with('\''))
      return std::nullopt;
    return std::string(text.substr(1, text.size() - 2));
  } else {
    T value;
    const char *end = text.data() + text.size();
    auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || rest != end)
      return std::nullopt;
    return value;
  }
}

} // namespace

template <typename T>
Expected<T> NodeSpec::attribute(const std::string &name) const {
  if (!attrs.has(name))
    if (const catalog::Row *row = catalog::lookup(type))
      if (auto known = catalog::findAttribute(*row, name);
          known && known->fallback)
        if (auto value = parseDefault<T>(*known->fallback))
          return std::move(*value);
  return attrs.require<T>(name);
}

template Expected<int64_t> NodeSpec::attribute(const std::string &) const;
template Expected<float> NodeSpec::attribute(const std::string &) const;
template Expected<bool> NodeSpec::attribute(const std::string &) const;
template Expected<std::string> NodeSpec::attribute(const std::string &) const;
template Expected<std::vector<int64_t>>
NodeSpec::attribute(const std::string &) const;
template Expected<std::vector<float>>
NodeSpec::attribute(const std::string &) const;
template Expected<std::vector<bool>>
NodeSpec::attribute(const std::string &) const;
template Expected<std::vector<std::string>>
NodeSpec::attribute(const std::string &) const;
