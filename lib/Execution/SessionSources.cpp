//===- SessionSources.cpp - Where a session has its data from -------------===//

#include "npu/Execution/Session.h"

#include "DenormalFlush.h"
#include "KernelBinding.h"
#include "SecondMoments.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;
using namespace npu;
using Kind = PlannedNode::Kind;

static std::string describeTensor(const PlannedNode &node, unsigned output) {
  std::string name = node.describe();
  if (node.outputs.size() > 1)
    name += ":" + std::to_string(output);
  return name + " (" + node.outputs[output].toString() + ")";
}

/// An option that gives data to nodes.
struct npu::SourceOption {
  const char *name;
  llvm::StringMap<std::vector<std::string>> SessionOptions::*files;
  /// Which nodes it is for.
  bool (*fits)(const PlannedNode &node);
  const char *expected;
};

static constexpr SourceOption sourceOptions[] = {
    {"input", &SessionOptions::inputs,
     [](const PlannedNode &node) {
       return node.kind == Kind::Source && !node.isFed &&
              node.role == catalog::Role::Input;
     },
     "input (Data node)"},
    {"bind", &SessionOptions::bindings,
     [](const PlannedNode &node) {
       return node.kind == Kind::Source && node.role != catalog::Role::Input;
     },
     "constant or variable"},
    {"fallback", &SessionOptions::fallbacks,
     [](const PlannedNode &node) { return node.isFed; },
     "node that a kernel computes"},
};

/// "; expected one of 'x', 'y'": the names of nodes that \p option is for.
static std::string listNames(const SourceOption &option, const Plan &plan) {
  constexpr size_t maxNames = 8;
  std::vector<std::string> names;
  for (const PlannedNode &node : plan.nodes)
    if (option.fits(node))
      names.push_back("'" + node.op.getNodeName().str() + "'");
  if (names.empty() || names.size() > maxNames)
    return "";
  return "; expected one of " + llvm::join(names, ", ");
}

Status Session::assignFile(const SourceOption &option, StringRef name,
                           const std::vector<std::string> &paths) {
  const std::string where = "--" + std::string(option.name) + " " + name.str();
  auto find = [&](StringRef wanted) -> const PlannedNode * {
    for (const PlannedNode &node : graphPlan->nodes)
      if (node.op.getNodeName() == wanted && option.fits(node))
        return &node;
    return nullptr;
  };
  // A name may have a colon of its own.
  const PlannedNode *node = find(name);
  unsigned output = 0;
  if (node && node->outputs.size() != 1)
    return Status::error(where + ": the node has " +
                         std::to_string(node->outputs.size()) +
                         " outputs; expected NAME:OUTPUT");
  if (!node) {
    auto [prefix, index] = name.rsplit(':');
    node = find(prefix);
    if (!node || index.getAsInteger(10, output))
      return Status::error(where + ": the graph has no such " +
                           option.expected + listNames(option, *graphPlan));
    if (output >= node->outputs.size())
      return Status::error(where + ": the node has " +
                           std::to_string(node->outputs.size()) + " outputs");
  }
  // Each graph has a node of its own for the same constant or variable.
  const StringRef nodeName = ge::NodeOp(node->op).getNodeName();
  for (const PlannedNode &same : graphPlan->nodes) {
    if (same.op.getNodeName() != nodeName || !option.fits(same) ||
        output >= same.outputSlots.size())
      continue;
    const std::vector<std::string> *&given = files[same.outputSlots[output]];
    if (given)
      return Status::error(where + ": " + describeTensor(same, output) +
                           " is given twice");
    given = &paths;
  }
  return checkPerIteration(where, paths.size(), "file",
                           options.iterations.count);
}

Status Session::assignFiles() {
  files.resize(graphPlan->numSlots);
  for (const SourceOption &option : sourceOptions)
    for (const auto &entry : options.*option.files)
      if (Status status = assignFile(option, entry.getKey(), entry.second);
          !status)
        return status;
  return {};
}

const TensorDesc &Session::getOutputDesc(const PlannedNode &node,
                                         unsigned output,
                                         uint64_t iteration) const {
  const auto place = static_cast<size_t>(&node - graphPlan->nodes.data());
  return planOf(iteration).nodes[place].outputs[output];
}

bool Session::hasChangingShape(const PlannedNode &node, unsigned output) const {
  const auto place = static_cast<size_t>(&node - graphPlan->nodes.data());
  return llvm::any_of(plans, [&](const std::unique_ptr<Plan> &plan) {
    const TensorDesc &desc = plan->nodes[place].outputs[output];
    return desc.toString() != node.outputs[output].toString();
  });
}

Expected<std::vector<Buffer>>
Session::readFiles(const std::vector<std::string> &paths,
                   const PlannedNode &node, unsigned output) {
  std::vector<Buffer> tensors;
  for (const std::string &path : paths) {
    const uint64_t iteration = options.iterations.first + tensors.size();
    const TensorDesc &desc = getOutputDesc(node, output, iteration);
    Expected<NpyFile> file = readNpy(path);
    if (!file)
      return file.takeStatus();
    Expected<std::vector<Buffer>> read =
        makeTensors(file->array, desc,
                    paths.size() == 1 ? options.iterations.count : 1, pool);
    if (!read)
      return read.takeStatus().withContext(path + ": for " +
                                           describeTensor(node, output));
    llvm::append_range(tensors, *read);
  }
  return tensors;
}

Expected<std::vector<Buffer>>
Session::readChangingSource(const PlannedNode &node, unsigned output) {
  if (node.role != catalog::Role::Input)
    return Status::error(describeTensor(node, output) +
                         ": its shape changes between iterations; expected "
                         "that of inputs alone to change");
  if (const std::vector<std::string> *paths = files[node.outputSlots[output]]) {
    // One file has one shape, which does not fit all of them.
    return paths->size() == 1 ? readFiles(std::vector(options.iterations.count,
                                                      paths->front()),
                                          node, output)
                              : readFiles(*paths, node, output);
  }
  if (!options.randomSeed)
    return std::vector<Buffer>();
  randomNames.push_back(describeTensor(node, output));
  std::vector<Buffer> byShape(plans.size()), tensors;
  for (unsigned shape : options.shapes) {
    if (!byShape[shape]) {
      const uint64_t iteration = options.iterations.first + tensors.size();
      Expected<Buffer> buffer = makeRandomTensor(
          getOutputDesc(node, output, iteration), node.role,
          *options.randomSeed, node.op.getNodeName(), pool, threads);
      if (!buffer)
        return buffer.takeStatus().withContext(describeTensor(node, output));
      byShape[shape] = std::move(*buffer);
    }
    tensors.push_back(byShape[shape]);
  }
  return tensors;
}

/// The tensors of a source: one, one an iteration, or none if nothing gives it
/// data.
Expected<std::vector<Buffer>> Session::readSource(const PlannedNode &node,
                                                  unsigned output) {
  const TensorDesc &desc = node.outputs[output];
  if (hasChangingShape(node, output))
    return readChangingSource(node, output);
  if (const std::vector<std::string> *paths = files[node.outputSlots[output]])
    return readFiles(*paths, node, output);
  auto allocate = [&]() -> Expected<Buffer> {
    if (Buffer buffer = pool.acquire(desc.byteSize()))
      return buffer;
    return Status::error(ErrorKind::Incomplete,
                         "no memory for " + describeTensor(node, output));
  };
  ge::NodeOp op = node.op;
  if (std::optional<ByteView> payload = getPayload(op)) {
    // Strings: the place and length of each, then the text of all.
    const bool isString = desc.dtype == DataType::String;
    const uint64_t expected =
        isString ? 2 * sizeof(int64_t) * desc.numElements() : desc.byteSize();
    if (isString ? payload->size() < expected : payload->size() != expected)
      return Status::error(describeTensor(node, output) + ": its value has " +
                           std::to_string(payload->size()) +
                           " bytes; expected " + std::to_string(expected) +
                           (isString ? " or more" : ""));
    Buffer buffer = pool.acquire(payload->size());
    if (!buffer)
      return Status::error(ErrorKind::Incomplete,
                           "no memory for " + describeTensor(node, output));
    if (!payload->empty())
      std::memcpy(buffer.get(), payload->data(), payload->size());
    return std::vector<Buffer>{buffer};
  }
  // There is no data to miss, and graph text has none for a constant without
  // elements.
  if (desc.byteSize() == 0 && desc.dtype != DataType::String) {
    Expected<Buffer> buffer = allocate();
    if (!buffer)
      return buffer.takeStatus();
    return std::vector<Buffer>{*buffer};
  }
  if (options.randomSeed) {
    // Like inputs these are not negative.
    const catalog::Role role = isSecondMoment(op.getOutputs()[output])
                                   ? catalog::Role::Input
                                   : node.role;
    Expected<Buffer> buffer = makeRandomTensor(desc, role, *options.randomSeed,
                                               op.getNodeName(), pool, threads);
    if (!buffer)
      return buffer.takeStatus().withContext(describeTensor(node, output));
    randomNames.push_back(describeTensor(node, output));
    return std::vector<Buffer>{*buffer};
  }
  if (isAssignedFirst(node)) {
    Expected<Buffer> buffer = allocate();
    if (!buffer)
      return buffer.takeStatus();
    std::memset(buffer->get(), 0, desc.byteSize());
    options.device->unsetValues.push_back({op.getNodeName().str(), *buffer});
    return std::vector<Buffer>{*buffer};
  }
  return std::vector<Buffer>();
}

bool Session::isSameTensor(unsigned slot, unsigned other) const {
  return slot == other || (other != PlannedNode::NoSlot &&
                           llvm::is_contained(graphPlan->aliases[slot], other));
}

Session::FirstUse Session::findFirstUse(unsigned slot, unsigned begin,
                                        unsigned end) const {
  for (unsigned place = begin; place != end; ++place) {
    const PlannedNode &node = graphPlan->nodes[place];
    FirstUse use = FirstUse::None;
    for (auto [anchor, input] : llvm::enumerate(node.inputSlots)) {
      if (!isSameTensor(slot, input))
        continue;
      const bool isPassed =
          passesOn(node, anchor) &&
          llvm::all_of(node.branches, [&](const PlannedBranch &branch) {
            return llvm::all_of(
                branch.arguments, [&](const PlannedBranch::Argument &argument) {
                  return argument.input != anchor || argument.isShared;
                });
          });
      if (isAssignTo(node, anchor) && use == FirstUse::None)
        use = FirstUse::Assigned;
      else if (!isPassed)
        use = FirstUse::Read;
    }
    for (const PlannedBranch &branch : node.branches) {
      const FirstUse inBranch = findFirstUse(slot, branch.begin, branch.end);
      if (use == FirstUse::None || inBranch == FirstUse::Assigned)
        use = inBranch;
    }
    if (use != FirstUse::None)
      return use;
  }
  return FirstUse::None;
}

bool Session::isAssignedFirst(const PlannedNode &node) const {
  return node.role == catalog::Role::Variable &&
         findFirstUse(node.outputSlots[0], 0, graphPlan->numRootNodes) ==
             FirstUse::Assigned;
}

const DeviceState::UnsetValue *
DeviceState::findUnset(const Buffer &value) const {
  auto it = llvm::find_if(unsetValues, [&](const UnsetValue &unset) {
    return unset.value == value;
  });
  return it == unsetValues.end() ? nullptr : &*it;
}

/// Whether \p node can be shared with other graphs.
static bool isVariable(const PlannedNode &node) {
  return node.kind == Kind::Source && !node.isFed &&
         node.role == catalog::Role::Variable && node.outputs.size() == 1;
}

Expected<bool> Session::findVariable(const PlannedNode &node) {
  if (!isVariable(node))
    return false;
  ge::NodeOp op = node.op;
  auto it = options.device->variables.find(op.getNodeName());
  if (it == options.device->variables.end())
    return false;
  DeviceState::Variable &variable = it->second;
  const unsigned slot = node.outputSlots.front();
  if (variable.desc.toString() != node.outputs.front().toString())
    return Status::error(describeTensor(node, 0) +
                         ": is a variable of an earlier graph, expected its " +
                         variable.desc.toString());
  if (files[slot] && *files[slot] != variable.files)
    return Status::error(describeTensor(node, 0) + ": --bind gives " +
                         llvm::join(*files[slot], ", ") +
                         ", but it is a variable of an earlier graph with a "
                         "value; expected --bind for that graph alone");
  variables[slot] = &variable;
  return true;
}

/// A variable with a value for each iteration is no variable of the device: the
/// files give all it has.
void Session::makeVariable(const PlannedNode &node) {
  if (!isVariable(node) || node.outputSlots.empty())
    return;
  const unsigned slot = node.outputSlots.front();
  if (sources[slot].size() != 1)
    return;
  ge::NodeOp op = node.op;
  DeviceState::Variable &variable = options.device->variables[op.getNodeName()];
  variable = {node.outputs.front(), sources[slot].front(),
              files[slot] ? *files[slot] : std::vector<std::string>()};
  variables[slot] = &variable;
  sources[slot].clear();
}

Status Session::readSources() {
  sources.resize(graphPlan->numSlots);
  variables.resize(graphPlan->numSlots);
  flushedSources.resize(graphPlan->numSlots);
  std::vector<std::string> missing;
  for (const PlannedNode &node : graphPlan->nodes) {
    if (node.kind != Kind::Source)
      continue;
    Expected<bool> isKnown = findVariable(node);
    if (!isKnown)
      return isKnown.takeStatus();
    if (*isKnown)
      continue;
    for (unsigned output = 0; output != node.outputs.size(); ++output) {
      Expected<std::vector<Buffer>> tensors = readSource(node, output);
      if (!tensors)
        return tensors.takeStatus();
      if (tensors->empty())
        missing.push_back(describeTensor(node, output));
      const unsigned slot = node.outputSlots[output];
      sources[slot] = std::move(*tensors);
      if (options.config.flushDenormals)
        for (auto [index, tensor] : llvm::enumerate(sources[slot]))
          if (flushDenormals(
                  getOutputDesc(node, output, options.iterations.first + index),
                  tensor.get()))
            flushedSources[slot] = true;
    }
    makeVariable(node);
  }
  if (missing.empty())
    return {};
  std::string message = std::to_string(missing.size()) + " without data: ";
  for (size_t i = 0; i != missing.size(); ++i)
    message += (i ? ", " : "") + missing[i];
  return Status::error(message +
                       "; give inputs with --input NAME=FILE.npy, constants "
                       "and variables with --bind NAME=FILE.npy or a graph "
                       "dumped with DUMP_GE_GRAPH=1, or random values to all "
                       "with --init=random:SEED");
}
