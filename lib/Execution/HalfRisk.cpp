//===- HalfRisk.cpp - What would overflow in half precision ---------------===//

#include "npu/Execution/HalfRisk.h"

#include "npu/Execution/ValueSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace npu;

Expected<HalfRisk> HalfRisk::create(double threshold) {
  if (threshold > 0 && threshold <= HalfMaximum)
    return HalfRisk(threshold);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", threshold);
  return Status::error("a threshold of " + text +
                       ": expected more than 0 and at most 65504, the largest "
                       "value of fp16");
}

Status HalfRisk::nodeFinished(const NodeRun &run) {
  if (run.node.kind != PlannedNode::Kind::Compute)
    return {};
  double largest = 0;
  bool anyInfinity = false;
  for (auto [index, desc] : llvm::enumerate(run.node.outputs)) {
    if (desc.dtype != DataType::Float)
      continue;
    const ValueSummary summary = summarize(desc, run.outputs[index].get());
    anyInfinity |= summary.positiveInfs || summary.negativeInfs;
    largest = std::max({largest, summary.maximum, -summary.minimum});
  }
  const bool isCertain = anyInfinity || largest > HalfMaximum;
  if (!isCertain && largest <= threshold)
    return {};
  auto it = llvm::find_if(found, [&](const Candidate &candidate) {
    return candidate.node->op == run.node.op;
  });
  if (it == found.end()) {
    found.push_back({&run.node, largest, isCertain});
    return {};
  }
  it->largest = std::max(it->largest, largest);
  it->isCertain |= isCertain;
  return {};
}
