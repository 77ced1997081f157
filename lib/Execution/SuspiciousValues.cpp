//===- SuspiciousValues.cpp - Results with values of a list ---------------===//

#include "npu/Execution/SuspiciousValues.h"

#include "npu/Execution/ValueSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace npu;

Status SuspiciousValues::nodeFinished(const NodeRun &run) {
  if (run.node.kind != PlannedNode::Kind::Compute)
    return {};
  uint64_t count = 0;
  for (auto [index, desc] : llvm::enumerate(run.node.outputs))
    count += summarize(desc, run.outputs[index].get(), values).watched;
  if (count)
    found.push_back({&run.node, run.iteration, count});
  return {};
}

Expected<std::vector<double>> npu::parseValueList(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',');
  std::vector<double> values;
  for (llvm::StringRef part : parts)
    if (part.trim().getAsDouble(values.emplace_back()))
      return Status::error("'" + text.str() +
                           "': expected numbers with commas between them");
  return values;
}
