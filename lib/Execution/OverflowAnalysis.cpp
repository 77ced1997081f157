//===- OverflowAnalysis.cpp - Where an overflow started -------------------===//

#include "npu/Execution/OverflowAnalysis.h"

#include "AtomicStatus.h"

#include "npu/Dump/OverflowStatus.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace npu;
using Kind = OverflowEvent::Kind;

/// Tensors of at most this many elements are taken for constants (an epsilon, a
/// scale); in larger ones it is normal that small values become zero.
static constexpr int64_t MaxConstantElements = 16;

llvm::StringRef npu::getName(Kind kind) {
  switch (kind) {
  case Kind::Origin:
    return "origin";
  case Kind::Propagated:
    return "propagated";
  case Kind::PaddingOnly:
    return "padding only";
  case Kind::Flushed:
    return "flushed constant";
  }
  return "";
}

static bool isFloat(DataType dtype) {
  return dtype == DataType::Float16 || dtype == DataType::BFloat16 ||
         dtype == DataType::Float || dtype == DataType::Double;
}

OverflowAnalysis::OverflowAnalysis(const Plan &plan,
                                   const NumericConfig &config, StatusBits mask)
    : plan(plan), config(config), mask(mask), taints(plan.numSlots),
      flushed(plan.numSlots), taintedConstants(plan.numSlots) {}

bool OverflowAnalysis::isTainted(const ValueSummary &summary) const {
  return summary.hasNonFinite() ||
         (config.overflow == OverflowMode::Saturate && summary.saturated != 0);
}

Status OverflowAnalysis::nodeFinished(const NodeRun &run) {
  if (run.iteration != iteration) {
    sawConstants = iteration.has_value();
    iteration = run.iteration;
    taints.assign(plan.numSlots, {});
    flushed.assign(plan.numSlots, {});
  }
  if (run.node.kind == PlannedNode::Kind::Argument) {
    visitArgument(run);
    return {};
  }
  if (run.node.kind == PlannedNode::Kind::Control) {
    visitControl(run);
    return {};
  }
  if (run.node.kind == PlannedNode::Kind::Switch) {
    for (unsigned slot : run.node.outputSlots)
      visitPassedOn(run, 0, slot);
    return {};
  }
  if (run.node.kind == PlannedNode::Kind::Merge) {
    visitMerge(run);
    return {};
  }
  if (run.node.kind == PlannedNode::Kind::Source)
    visitSource(run);
  else if (run.node.kind == PlannedNode::Kind::Compute)
    visitCompute(run);
  visitFlushes(run);
  return {};
}

void OverflowAnalysis::visitSource(const NodeRun &run) {
  for (auto [index, slot] : llvm::enumerate(run.node.outputSlots)) {
    const TensorDesc &desc = run.node.outputs[index];
    if (!isFloat(desc.dtype))
      continue;
    bool tainted = taintedConstants[slot];
    if (!sawConstants || run.node.role != catalog::Role::Constant)
      tainted = hasNonFinite(desc, run.outputs[index].get()) &&
                summarize(desc, run.outputs[index].get()).hasNonFinite();
    taintedConstants[slot] = tainted;
    if (tainted)
      taints[slot] = passOn(run.node, nullptr);
  }
}

/// A node that a loop comes to again is in a chain once: where it got the taint
/// first.
OverflowAnalysis::Taint OverflowAnalysis::passOn(const PlannedNode &node,
                                                 const Taint &cause) {
  for (Taint earlier = cause; earlier; earlier = earlier->from)
    if (earlier->node == &node)
      return earlier;
  return std::make_shared<TaintRecord>(TaintRecord{&node, cause});
}

/// What a branch gets is tainted by what its caller got, or by what the trip
/// before has left.
void OverflowAnalysis::visitArgument(const NodeRun &run) {
  const unsigned slot = run.node.outputSlots.front();
  const unsigned from =
      run.trip == 0 ? run.node.callerSlot : run.node.carriedSlot;
  if (from == PlannedNode::NoSlot) // the index of a For
    return;
  const Taint cause = taints[from];
  flushed[slot] = flushed[from];
  taints[slot] = nullptr;
  const TensorDesc &desc = run.node.outputs.front();
  if (!isFloat(desc.dtype))
    return;
  const ValueSummary summary = summarize(desc, run.outputs.front().get());
  if (summary.hasNonFinite() || (cause && isTainted(summary)))
    taints[slot] = passOn(run.node, cause);
}

/// What a node gets from its branches is tainted in them.
void OverflowAnalysis::visitControl(const NodeRun &run) {
  for (auto [index, slot] : llvm::enumerate(run.node.outputSlots)) {
    const unsigned from =
        run.branch ? run.branch->results[index]
                   : run.node.inputSlots[run.node.firstCarried() + index];
    flushed[slot] = flushed[from];
    taints[slot] = nullptr;
    const TensorDesc &desc = run.node.outputs[index];
    if (taints[from] && isFloat(desc.dtype) &&
        isTainted(summarize(desc, run.outputs[index].get())))
      taints[slot] = passOn(run.node, taints[from]);
  }
}

/// What is known of \p input holds for what has \p slot.
void OverflowAnalysis::visitPassedOn(const NodeRun &run, size_t input,
                                     unsigned slot) {
  const unsigned from = run.node.inputSlots[input];
  if (from == slot)
    return;
  taints[slot] = taints[from] ? passOn(run.node, taints[from]) : nullptr;
  flushed[slot] = flushed[from] ? passOn(run.node, flushed[from]) : nullptr;
}

/// What a merge passes on is the first input that there is.
void OverflowAnalysis::visitMerge(const NodeRun &run) {
  const auto arrived = static_cast<size_t>(
      llvm::find_if(run.inputs, [](const Buffer &input) { return input; }) -
      run.inputs.begin());
  visitPassedOn(run, arrived, run.node.outputSlots.front());
}

OverflowEvent OverflowAnalysis::makeEvent(Kind kind, const NodeRun &run,
                                          Taint cause) const {
  OverflowEvent event;
  event.kind = kind;
  event.iteration = run.iteration;
  event.node = &run.node;
  event.status = run.status;
  event.chain.push_back(run.node.op.getNodeName().str());
  for (; cause; cause = cause->from)
    event.chain.push_back(cause->node->op.getNodeName().str());
  std::reverse(event.chain.begin(), event.chain.end());
  for (auto [anchor, desc] : llvm::enumerate(run.node.inputs))
    event.inputs.push_back(desc ? summarize(*desc, run.inputs[anchor].get())
                                : ValueSummary());
  for (auto [index, desc] : llvm::enumerate(run.node.outputs)) {
    event.outputs.push_back(summarize(desc, run.outputs[index].get()));
    event.isSaturated |= config.overflow == OverflowMode::Saturate &&
                         event.outputs.back().saturated != 0 &&
                         !event.outputs.back().hasNonFinite();
  }
  return event;
}

OverflowAnalysis::Taint
OverflowAnalysis::findCause(const PlannedNode &node,
                            const std::vector<Taint> &causes) {
  for (unsigned slot : node.inputSlots)
    if (slot != PlannedNode::NoSlot && causes[slot])
      return causes[slot];
  return nullptr;
}

void OverflowAnalysis::visitCompute(const NodeRun &run) {
  const bool overflow = (run.status.valid & mask) != 0 ||
                        run.status.atomic != AtomicOverflow::None;
  const Taint taintedInput = findCause(run.node, taints);

  // What the outputs pass on is only looked at where there may be something.
  bool passesOn = false;
  for (auto [index, slot] : llvm::enumerate(run.node.outputSlots)) {
    taints[slot] = nullptr; // an input changed in place may have had one
    const TensorDesc &desc = run.node.outputs[index];
    if ((!overflow && !taintedInput) || !isFloat(desc.dtype) ||
        !isTainted(summarize(desc, run.outputs[index].get())))
      continue;
    taints[slot] = passOn(run.node, taintedInput);
    passesOn = true;
  }
  if (!run.node.updates.empty())
    for (unsigned slot : run.node.outputSlots)
      for (unsigned alias : plan.aliases[slot])
        taints[alias] = taints[slot];
  if (taintedInput && (overflow || passesOn))
    found.push_back(makeEvent(Kind::Propagated, run, taintedInput));
  else if (overflow)
    found.push_back(makeEvent(Kind::Origin, run, findCause(run.node, flushed)));
  else if (run.status.padding & mask)
    found.push_back(makeEvent(Kind::PaddingOnly, run, nullptr));
}

void OverflowAnalysis::visitFlushes(const NodeRun &run) {
  const bool flushes =
      run.status.valid & (status::CastUnderflow | status::FloatUnderflow);
  const Taint from = findCause(run.node, flushed);
  if (!flushes && !from)
    return;
  bool flushedAny = false;
  for (auto [index, slot] : llvm::enumerate(run.node.outputSlots)) {
    const TensorDesc &desc = run.node.outputs[index];
    if (!isFloat(desc.dtype) || desc.numElements() > MaxConstantElements ||
        summarize(desc, run.outputs[index].get()).zeros == 0)
      continue;
    // A zero that comes of a flushed constant still is its zero.
    flushed[slot] = passOn(run.node, from);
    flushedAny |= !from;
  }
  if (flushedAny)
    found.push_back(makeEvent(Kind::Flushed, run, nullptr));
}

size_t OverflowAnalysis::count(Kind kind) const {
  return llvm::count_if(
      found, [&](const OverflowEvent &event) { return event.kind == kind; });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string describeRange(const ValueSummary &summary) {
  std::string text;
  if (summary.anyFinite)
    text = llvm::formatv("[{0}, {1}]", llvm::format("%.9g", summary.minimum),
                         llvm::format("%.9g", summary.maximum));
  auto add = [&](uint64_t count, llvm::StringRef what) {
    if (count)
      text += (text.empty() ? "" : " ") +
              llvm::formatv("{0} {1}", count, what).str();
  };
  add(summary.nans, "NaN");
  add(summary.positiveInfs, "+Inf");
  add(summary.negativeInfs, "-Inf");
  return text;
}

/// The nodes from the cause on; of a long way the ends.
static std::string describeChain(const std::vector<std::string> &chain) {
  constexpr size_t MaxNodes = 6;
  if (chain.size() <= MaxNodes)
    return llvm::join(chain, " -> ");
  return llvm::formatv("{0} -> {1} -> ({2} nodes) -> {3} -> {4}", chain[0],
                       chain[1], chain.size() - 4, chain[chain.size() - 2],
                       chain.back());
}

/// The overflow that an event is of, in words; empty if there is none.
static std::string describeStatus(const OverflowEvent &event) {
  const StatusBits bits =
      (event.kind == Kind::PaddingOnly ? event.status.padding
                                       : event.status.valid) &
      status::Documented;
  if (bits)
    return dump::describeAiCoreStatus(bits);
  if (event.status.atomic == AtomicOverflow::None)
    return "";
  return "atomic addition: " +
         dump::describeDhaStatus(encodeDhaStatus(event.status.atomic));
}

std::string OverflowAnalysis::describe(const OverflowEvent &event) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << getName(event.kind) << ": " << event.node->describe() << " (task "
     << event.node->taskId << ", iteration " << event.iteration << ')';
  if (std::string words = describeStatus(event); !words.empty())
    os << ", " << words;
  if (event.isSaturated)
    os << ", saturated but finite";
  os << ", inputs";
  for (const ValueSummary &input : event.inputs)
    if (input.count)
      os << ' ' << describeRange(input);
  if (event.chain.size() > 1)
    os << ", from " << describeChain(event.chain);
  return text;
}

static llvm::json::Object toJson(const ValueSummary &summary) {
  llvm::json::Object object{{"count", summary.count},
                            {"nan", summary.nans},
                            {"positive_inf", summary.positiveInfs},
                            {"negative_inf", summary.negativeInfs},
                            {"saturated", summary.saturated}};
  if (summary.anyFinite) {
    object["min"] = summary.minimum;
    object["max"] = summary.maximum;
  }
  return object;
}

llvm::json::Array OverflowAnalysis::toJson() const {
  using llvm::json::Array;
  using llvm::json::Object;
  Array events;
  for (const OverflowEvent &event : found) {
    Array inputs, outputs;
    for (const ValueSummary &summary : event.inputs)
      inputs.push_back(::toJson(summary));
    for (const ValueSummary &summary : event.outputs)
      outputs.push_back(::toJson(summary));
    events.push_back(Object{{"kind", getName(event.kind)},
                            {"iteration", event.iteration},
                            {"node", event.node->op.getNodeName()},
                            {"type", event.node->op.getOpType()},
                            {"task_id", event.node->taskId},
                            {"stream_id", event.node->streamId},
                            {"status", event.status.valid},
                            {"status_padding", event.status.padding},
                            {"status_words", describeStatus(event)},
                            {"saturated_but_finite", event.isSaturated},
                            {"chain", Array(event.chain)},
                            {"inputs", std::move(inputs)},
                            {"outputs", std::move(outputs)}});
  }
  return events;
}
