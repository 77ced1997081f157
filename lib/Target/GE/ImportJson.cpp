//===- ImportJson.cpp - The JSON of atc to MLIR ---------------------------===//

#include "Importer.h"
#include "JsonReader.h"

using namespace mlir;
using namespace npu::ge;

/// Calls \p fn with the index of each message that the field at \p index, a
/// message or a list, stands for.
template <typename Fn>
static LogicalResult forEachMessage(const TextTree &tree, uint32_t index,
                                    Fn fn) {
  if (tree[index].kind != TextField::Kind::List)
    return fn(index);
  for (uint32_t i = index + 1; i != tree[index].next; i = tree[i].next)
    if (failed(fn(i)))
      return failure();
  return success();
}

LogicalResult Importer::importJsonGraph(const TextTree &json, uint32_t index) {
  if (json[index].kind != TextField::Kind::Message)
    return attributes.emitError(json[index].position)
           << "expected an object for a graph";
  GraphOp graph = beginGraph(json[index].position);
  Block *block = &graph.getBody().front();
  for (uint32_t i = index + 1; i != json[index].next; i = json[i].next)
    if (json[i].name == "op" &&
        failed(forEachMessage(
            json, i, [&](uint32_t op) { return importNode(block, json, op); })))
      return failure();
  TextRange fields(json, index + 1, json[index].next);
  if (failed(attributes.reportUnknowns(graphSpec, fields)))
    return failure();
  return endGraph(graph, fields);
}

LogicalResult Importer::importJson(ModuleOp module) {
  attributes.quotedEnumerators = true;
  TextTree json;
  std::string message;
  TextPosition at;
  if (failed(readJson(text, json, message, at)))
    return attributes.emitError(at) << message;
  bool anyGraph = false, anyNode = false;
  for (uint32_t i = 1; i != json.front().next; i = json[i].next) {
    anyNode |= json[i].name == "op";
    if (json[i].name != "graph")
      continue;
    anyGraph = true;
    if (failed(forEachMessage(json, i, [&](uint32_t graph) {
          return importJsonGraph(json, graph);
        })))
      return failure();
  }
  if (!anyGraph && anyNode) {
    module->setAttr(BareGraphAttrName, builder.getUnitAttr());
    return importJsonGraph(json, 0);
  }
  if (!anyGraph)
    return attributes.emitError({})
           << "JSON without a graph; expected what atc --mode=1 or --mode=5 "
              "writes, with a member \"graph\"";
  FailureOr<DictionaryAttr> model = attributes.importFields(
      modelSpec, TextRange(json, 1, json.front().next),
      [](unsigned index, const TextField &, TextRange, bool &handled) {
        handled = modelSpec.fields[index].name == "graph";
        return success();
      });
  if (failed(model))
    return failure();
  if (!model->empty())
    module->setAttr(ModelAttrName, *model);
  return success();
}
