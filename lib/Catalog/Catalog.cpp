//===- Catalog.cpp - What is known about operator types -------------------===//

#include "Families.h"

#include <algorithm>

using namespace npu;
using namespace npu::catalog;

namespace {
constexpr const std::span<const Row> *families[] = {
    &arrangementRows,   &cubeRows,      &elementwiseRows,
    &normalizationRows, &optimizerRows, &structureRows};
} // namespace

const Row *catalog::lookup(std::string_view type) {
  for (const std::span<const Row> *rows : families) {
    auto it = std::lower_bound(
        rows->begin(), rows->end(), type,
        [](const Row &row, std::string_view t) { return row.type < t; });
    if (it != rows->end() && it->type == type)
      return &*it;
  }
  return nullptr;
}

std::vector<const Row *> catalog::all() {
  std::vector<const Row *> result;
  for (const std::span<const Row> *rows : families)
    for (const Row &row : *rows)
      result.push_back(&row);
  std::sort(result.begin(), result.end(),
            [](const Row *a, const Row *b) { return a->type < b->type; });
  return result;
}

std::string_view catalog::getName(AttributeKind kind) {
  return std::find_if(attributeKinds.begin(), attributeKinds.end(),
                      [&](const auto &pair) { return pair.second == kind; })
      ->first;
}

std::vector<Port> catalog::getPorts(std::string_view rest) {
  std::vector<Port> ports;
  while (!rest.empty())
    ports.push_back(readPort(takeItem(rest, ',')));
  return ports;
}

std::vector<Attribute> catalog::getAttributes(const Row &row) {
  std::vector<Attribute> attributes;
  for (std::string_view rest = row.attributes; !rest.empty();)
    attributes.push_back(*readAttribute(takeItem(rest, ';')));
  return attributes;
}

std::optional<Attribute> catalog::findAttribute(const Row &row,
                                                std::string_view name) {
  for (std::string_view rest = row.attributes; !rest.empty();)
    if (auto attribute = readAttribute(takeItem(rest, ';'));
        attribute->name == name)
      return attribute;
  return std::nullopt;
}

std::vector<Update> catalog::getUpdates(const Row &row) {
  // Behind a dynamic port positions say nothing.
  auto fixedPorts = [](std::string_view text) {
    std::vector<Port> ports = getPorts(text);
    ports.erase(
        std::find_if(ports.begin(), ports.end(),
                     [](const Port &p) { return p.kind == Port::Dynamic; }),
        ports.end());
    return ports;
  };
  const std::vector<Port> inputs = fixedPorts(row.inputs);
  const std::vector<Port> outputs = fixedPorts(row.outputs);
  std::vector<Update> updates;
  for (unsigned output = 0; output != outputs.size(); ++output)
    for (unsigned input = 0; input != inputs.size(); ++input)
      if (inputs[input].name == outputs[output].name)
        updates.push_back({input, output});
  for (unsigned input = 0; input != inputs.size(); ++input)
    if (inputs[input].isHiddenUpdate)
      updates.push_back({input, Update::Hidden});
  return updates;
}

Role catalog::getRole(std::string_view type) {
  const Row *row = lookup(type);
  return row ? row->role : Role::Compute;
}

bool catalog::isTask(const Row *row) {
  return !row || row->role == Role::Compute || row->role == Role::Output ||
         row->engine != Engine::GeLocal;
}

std::string_view catalog::getName(Engine engine) {
  switch (engine) {
  case Engine::AiCore:
    return "AI Core";
  case Engine::AiCpu:
    return "AI CPU";
  case Engine::GeLocal:
    return "GE";
  case Engine::Runtime:
    return "runtime";
  case Engine::Hccl:
    return "HCCL";
  }
  return "";
}

std::string_view catalog::getName(Formats formats) {
  switch (formats) {
  case Formats::Any:
    return "any";
  case Formats::Plain:
    return "plain";
  case Formats::Image:
    return "NC1HWC0, plain";
  case Formats::Blocks:
    return "NC1HWC0";
  case Formats::Cube:
    return "NC1HWC0, FRACTAL_Z, FRACTAL_NZ, plain";
  }
  return "";
}

std::string_view catalog::getMissingFacts(std::string_view type) {
  struct Missing {
    std::string_view type, what;
  };
  static constexpr Missing all[] = {
      {"FrameworkOp", "a kernel of the framework computes it, of which the "
                      "graph has no more than original_type and node_def"},
  };
  for (const Missing &missing : all)
    if (missing.type == type)
      return missing.what;
  return {};
}

bool catalog::infersShapes(const Row &row) {
  return !row.outputs.empty() &&
         (row.shape != ShapeRule::Unknown ||
          getUpdates(row).size() >= getPorts(row.outputs).size());
}
