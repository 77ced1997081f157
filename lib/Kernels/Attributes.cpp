//===- Attributes.cpp - Attributes of a node, without MLIR ----------------===//

#include "npu/Kernels/Attributes.h"

#include <type_traits>

using namespace npu;
using namespace npu::kernels;

namespace {

template <typename T>
constexpr bool isList = false;
template <typename T>
constexpr bool isList<std::vector<T>> = true;

template <typename T>
std::string kindName() {
  if constexpr (isList<T>)
    return "list of " + kindName<typename T::value_type>();
  else if constexpr (std::is_same_v<T, int64_t>)
    return "int";
  else if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, bool>)
    return "bool";
  else
    return "string";
}

/// Converts an attribute that is stored as another kind than the wanted one.
template <typename To, typename From>
std::optional<To> convert(const From &from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<From, int64_t> &&
                       std::is_same_v<To, bool>) {
    if (from == 0 || from == 1)
      return from == 1;
    return std::nullopt;
  } else if constexpr (std::is_same_v<From, int64_t> &&
                       std::is_same_v<To, float>) {
    return static_cast<float>(from);
  } else if constexpr (isList<From> && isList<To>) {
    To result;
    for (const auto &element : from) {
      using FromElement = typename From::value_type;
      auto value = convert<typename To::value_type>(FromElement(element));
      if (!value)
        return std::nullopt;
      result.push_back(*value);
    }
    // A list without elements has the kind that the reader expects.
    return result;
  } else {
    return std::nullopt;
  }
}

} // namespace

template <typename T>
Expected<T> Attributes::require(const std::string &name) const {
  auto it = values.find(name);
  if (it == values.end())
    return Status::error("attribute '" + name + "' (" + kindName<T>() +
                         ") is missing");
  return std::visit(
      [&]<typename From>(const From &from) -> Expected<T> {
        if (auto value = convert<T>(from))
          return std::move(*value);
        return Status::error("attribute '" + name + "' is a " +
                             kindName<From>() + ", expected a " +
                             kindName<T>());
      },
      it->second);
}

template Expected<int64_t> Attributes::require(const std::string &) const;
template Expected<float> Attributes::require(const std::string &) const;
template Expected<bool> Attributes::require(const std::string &) const;
template Expected<std::string> Attributes::require(const std::string &) const;
template Expected<std::vector<int64_t>>
Attributes::require(const std::string &) const;
template Expected<std::vector<float>>
Attributes::require(const std::string &) const;
template Expected<std::vector<bool>>
Attributes::require(const std::string &) const;
template Expected<std::vector<std::string>>
Attributes::require(const std::string &) const;
