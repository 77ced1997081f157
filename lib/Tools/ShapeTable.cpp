//===- ShapeTable.cpp - The tensors of a graph as CSV ---------------------===//

#include "ShapeTable.h"

#include "npu/Dump/CsvText.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;

const char *const ShapeTable::header =
    "Model Name,Model ID,Iterations,Op Type,Op Name,Task ID,Stream ID,"
    "Input/Output,Index,Data Type,Format,Shape,Original Shape,Data Size\n";

/// "2x4", or "-" of a scalar, as statistics have it.
static std::string toText(const Shape &shape) {
  return shape.empty() ? "-" : toString(shape);
}

std::string ShapeTable::makeRows(const PlannedNode &node) const {
  std::string numbers;
  for (uint64_t iteration : iterations)
    numbers += (numbers.empty() ? "" : " ") + std::to_string(iteration);
  const std::string start =
      dump::quoteCsv(modelName) + "," + std::to_string(modelId) + "," +
      (numbers.empty() ? "all" : numbers) + "," +
      dump::quoteCsv(node.op.getOpType().str()) + "," +
      dump::quoteCsv(node.op.getNodeName().str()) + "," +
      std::to_string(node.taskId) + "," + std::to_string(node.streamId);
  std::string text;
  auto add = [&](const char *io, size_t index, const TensorDesc &desc) {
    text += start + "," + io + "," + std::to_string(index) + "," +
            std::string(getName(desc.dtype)) + "," +
            std::string(getName(desc.format)) + "," + toText(desc.shape) + "," +
            toText(desc.originShape) + "," + std::to_string(desc.byteSize()) +
            "\n";
  };
  size_t connected = 0; // as dumps count inputs
  for (const std::optional<TensorDesc> &desc : node.inputs)
    if (desc)
      add("Input", connected++, *desc);
  for (auto [index, desc] : llvm::enumerate(node.outputs))
    add("Output", index, desc);
  return text;
}
