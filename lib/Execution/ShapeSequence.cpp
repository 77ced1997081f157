//===- ShapeSequence.cpp - Shapes that change between iterations ----------===//

#include "npu/Execution/InferShapes.h"

#include "ShapePropagation.h"

#include "npu/Execution/Sources.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace npu;

/// The entry of \p iteration in \p list, which has one for all or one for each.
template <typename T>
static const T &getEntry(const std::vector<T> &list, uint64_t iteration) {
  return list.size() == 1 ? list.front() : list[iteration];
}

/// What is said of \p iteration.
static ShapeSources selectSources(const ShapeSourcesByIteration &sources,
                                  uint64_t iteration) {
  ShapeSources selected;
  selected.iterations = sources.iterations;
  for (const auto &entry : sources.shapes)
    selected.shapes[entry.getKey()] = getEntry(entry.second, iteration);
  for (const auto &entry : sources.inputs)
    selected.inputs[entry.getKey()] = getEntry(entry.second, iteration);
  // What changes is no value that shapes could depend on.
  for (const auto &entry : sources.constants)
    if (entry.second.size() == 1)
      selected.constants[entry.getKey()] = entry.second.front();
  return selected;
}

Expected<ShapeSequence>
ShapeSequence::create(const ShapeSourcesByIteration &sources) {
  // Of the names with an entry for each iteration: the shapes.
  std::vector<std::vector<Shape>> changing;
  for (const auto &entry : sources.shapes) {
    if (Status status =
            checkPerIteration("--input-shape " + entry.getKey().str(),
                              entry.second.size(), "shape", sources.iterations);
        !status)
      return status;
    if (entry.second.size() != 1)
      changing.push_back(entry.second);
  }
  for (const auto &entry : sources.inputs) {
    if (Status status =
            checkPerIteration("--input " + entry.getKey().str(),
                              entry.second.size(), "file", sources.iterations);
        !status)
      return status;
    if (entry.second.size() == 1)
      continue;
    std::vector<Shape> shapes;
    for (const std::string &path : entry.second) {
      Expected<NpyFile> file = readNpy(path);
      if (!file)
        return file.takeStatus();
      shapes.push_back(file->array.shape);
    }
    changing.push_back(std::move(shapes));
  }

  ShapeSequence sequence;
  if (changing.empty()) {
    sequence.steps.push_back(selectSources(sources, 0));
    return sequence;
  }
  std::map<std::vector<Shape>, unsigned> places;
  for (uint64_t iteration = 0; iteration != sources.iterations; ++iteration) {
    std::vector<Shape> key;
    for (const std::vector<Shape> &shapes : changing)
      key.push_back(shapes[iteration]);
    const auto [place, isNew] =
        places.try_emplace(std::move(key), sequence.steps.size());
    if (isNew)
      sequence.steps.push_back(selectSources(sources, iteration));
    sequence.byIteration.push_back(place->second);
  }
  if (sequence.steps.size() == 1)
    sequence.byIteration.clear();
  return sequence;
}

GraphTypes::GraphTypes(ge::GraphOp graph) {
  for (ge::GraphOp part : collectGraphs(graph))
    part.walk([&](ge::NodeOp node) {
      NodeTypes types{node, {}, {}, node.getInputDescsAttr()};
      llvm::append_range(types.outputs, node.getOutputs().getTypes());
      if (node.isFused())
        llvm::append_range(types.arguments, node.getBody().getArgumentTypes());
      nodes.push_back(std::move(types));
    });
}

void GraphTypes::restore() const {
  for (NodeTypes types : nodes) {
    for (auto [output, type] :
         llvm::zip_equal(types.node.getOutputs(), types.outputs))
      output.setType(type);
    if (types.node.isFused())
      for (auto [argument, type] : llvm::zip_equal(
               types.node.getBody().getArguments(), types.arguments))
        argument.setType(type);
    types.node.setInputDescsAttr(types.inputDescs);
  }
}
