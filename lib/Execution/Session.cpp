//===- Session.cpp - A graph with its data, run many times ----------------===//

#include "npu/Execution/Session.h"

#include "DenormalFlush.h"
#include "KernelBinding.h"
#include "ScalarValue.h"
#include "SecondMoments.h"

#include "npu/Execution/TensorTypes.h"

#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <cstring>

using namespace mlir;
using namespace npu;
using Kind = PlannedNode::Kind;

Session::Session(SessionOptions options)
    : options(std::move(options)), threads(this->options.threads) {
  if (!this->options.device)
    this->options.device = std::make_shared<DeviceState>();
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static std::string describeTensor(const PlannedNode &node, unsigned output) {
  std::string name = node.describe();
  if (node.outputs.size() > 1)
    name += ":" + std::to_string(output);
  return name + " (" + node.outputs[output].toString() + ")";
}

/// An option that gives data to nodes.
struct npu::SourceOption {
  const char *name;
  llvm::StringMap<std::string> SessionOptions::*files;
  /// Which nodes it is for.
  bool (*fits)(const PlannedNode &node);
  const char *expected;
};

static constexpr SourceOption sourceOptions[] = {
    {"input", &SessionOptions::inputs,
     [](const PlannedNode &node) {
       return node.kind == Kind::Source && !node.isFed &&
              node.role == SourceRole::Input;
     },
     "input (Data node)"},
    {"bind", &SessionOptions::bindings,
     [](const PlannedNode &node) {
       return node.kind == Kind::Source && node.role != SourceRole::Input;
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
                           const std::string &path) {
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
  const std::string *&file = files[node->outputSlots[output]];
  if (file)
    return Status::error(where + ": " + describeTensor(*node, output) +
                         " is given twice");
  file = &path;
  return {};
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

Expected<std::vector<Buffer>> Session::readFile(const std::string &path,
                                                const PlannedNode &node,
                                                unsigned output) {
  Expected<NpyFile> file = readNpy(path);
  if (!file)
    return file.takeStatus();
  Expected<std::vector<Buffer>> tensors =
      makeTensors(file->array, node.outputs[output], options.iterations, pool);
  if (!tensors)
    return tensors.takeStatus().withContext(path + ": for " +
                                            describeTensor(node, output));
  return tensors;
}

/// The tensors of a source: one, one an iteration, or none if nothing gives it
/// data.
Expected<std::vector<Buffer>> Session::readSource(const PlannedNode &node,
                                                  unsigned output) {
  const TensorDesc &desc = node.outputs[output];
  if (const std::string *path = files[node.outputSlots[output]])
    return readFile(*path, node, output);
  auto allocate = [&]() -> Expected<Buffer> {
    if (Buffer buffer = pool.acquire(desc.byteSize()))
      return buffer;
    return Status::error(ErrorKind::Incomplete,
                         "no memory for " + describeTensor(node, output));
  };
  ge::NodeOp op = node.op;
  if (std::optional<ByteView> payload = getPayload(op)) {
    if (payload->size() != desc.byteSize())
      return Status::error(describeTensor(node, output) + ": its value has " +
                           std::to_string(payload->size()) +
                           " bytes; expected " +
                           std::to_string(desc.byteSize()));
    Expected<Buffer> buffer = allocate();
    if (!buffer)
      return buffer.takeStatus();
    std::memcpy(buffer->get(), payload->data(), payload->size());
    return std::vector<Buffer>{*buffer};
  }
  if (options.randomSeed) {
    // Like inputs these are not negative.
    const SourceRole role =
        isSecondMoment(op.getOutputs()[output]) ? SourceRole::Input : node.role;
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
    return std::vector<Buffer>{*buffer};
  }
  return std::vector<Buffer>();
}

bool Session::isAssignedFirst(const PlannedNode &node) const {
  if (node.role != SourceRole::Variable || node.readers.empty())
    return false;
  const PlannedNode &first = graphPlan->nodes[node.readers.front()];
  return first.op.getOpType() == "Assign" && !first.inputSlots.empty() &&
         first.inputSlots[0] == node.outputSlots[0] &&
         llvm::count(first.inputSlots, node.outputSlots[0]) == 1;
}

/// Whether \p node can be shared with other graphs.
static bool isVariable(const PlannedNode &node) {
  return node.kind == Kind::Source && !node.isFed &&
         node.role == SourceRole::Variable && node.outputs.size() == 1;
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
  if (files[slot] && *files[slot] != variable.file)
    return Status::error(describeTensor(node, 0) + ": --bind gives " +
                         *files[slot] +
                         ", but it is a variable of an earlier graph with a "
                         "value; expected --bind for that graph alone");
  variables[slot] = &variable;
  return true;
}

/// A variable with a value for each iteration is no variable of the device: the
/// files give all it has.
void Session::makeVariable(const PlannedNode &node) {
  const unsigned slot = node.outputSlots.front();
  if (!isVariable(node) || sources[slot].size() != 1)
    return;
  ge::NodeOp op = node.op;
  DeviceState::Variable &variable = options.device->variables[op.getNodeName()];
  variable = {node.outputs.front(), sources[slot].front(),
              files[slot] ? *files[slot] : std::string()};
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
        for (const Buffer &tensor : sources[slot])
          if (flushDenormals(node.outputs[output], tensor.get()))
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

Expected<std::unique_ptr<Session>>
Session::create(ge::GraphOp graph, const kernels::Registry &registry,
                SessionOptions options) {
  auto session = std::unique_ptr<Session>(new Session(std::move(options)));
  llvm::StringSet<> fed;
  for (const auto &entry : session->options.fallbacks) {
    fed.insert(entry.getKey());
    fed.insert(entry.getKey().rsplit(':').first);
  }
  Expected<Plan> plan = Plan::create(graph, fed);
  if (!plan)
    return plan.takeStatus();
  session->graphPlan = std::move(*plan);

  if (Status status = session->assignFiles(); !status)
    return status;
  if (Status status = session->readSources(); !status)
    return status;

  std::vector<const std::byte *> constants(session->graphPlan->numSlots);
  for (const PlannedNode &node : session->graphPlan->nodes)
    if (node.kind == Kind::Source && node.role == SourceRole::Constant)
      for (unsigned slot : node.outputSlots)
        constants[slot] = session->sources[slot].front().get();
  session->graphPlan->bindKernels(registry, session->options.config, constants,
                                  session->pool);
  session->describeOutputs();
  return session;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Session::describeOutputs() {
  for (const PlannedNode &node :
       llvm::ArrayRef(graphPlan->nodes).take_front(graphPlan->numRootNodes)) {
    if (node.kind != Kind::Output)
      continue;
    for (unsigned anchor = 0; anchor != node.inputs.size(); ++anchor) {
      auto result = dyn_cast_or_null<OpResult>(node.op.getAnchor(anchor));
      if (!result)
        continue;
      auto producer = cast<ge::NodeOp>(result.getOwner());
      outputSlots.push_back(node.inputSlots[anchor]);
      graphOutputs.push_back({producer.getNodeName().str(),
                              result.getResultNumber(), *node.inputs[anchor],
                              nullptr});
    }
  }
}

/// Whether all that \p node reads was computed.
Status Session::checkInputs(const PlannedNode &node, uint64_t iteration,
                            llvm::ArrayRef<Buffer> inputs) const {
  for (auto [anchor, buffer] : llvm::enumerate(inputs)) {
    if (buffer || node.inputSlots[anchor] == PlannedNode::NoSlot)
      continue;
    auto producer = node.op.getAnchor(static_cast<unsigned>(anchor))
                        .getDefiningOp<ge::NodeOp>();
    return Status::error(ErrorKind::Incomplete,
                         node.describe() + ": input " + std::to_string(anchor) +
                             " was not computed in iteration " +
                             std::to_string(iteration) + ": stream " +
                             std::to_string(producer.getStreamId()) + " of '" +
                             producer.getNodeName().str() + "' is not active");
  }
  return {};
}

template <typename T>
static bool compare(int64_t condition, T a, T b) {
  switch (condition) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a > b;
  case 3:
    return a >= b;
  case 4:
    return a < b;
  default:
    return a <= b;
  }
}

/// Starts the streams of \p node. A StreamSwitch whose condition holds ends its
/// own stream.
void Session::runStreams(const PlannedNode &node,
                         llvm::ArrayRef<Buffer> inputs) {
  if (node.op.getOpType() == "StreamSwitch") {
    const int64_t condition =
        cast<IntegerAttr>(node.op.getNodeAttr("switch_condition")).getInt();
    const bool holds = visitScalars(
        node.inputs[0]->dtype,
        [&](auto a, auto b) { return compare(condition, a, b); },
        inputs[0].get(), inputs[1].get());
    if (!holds)
      return;
    streams.end(static_cast<int64_t>(node.op.getStreamId()));
  }
  const auto place = static_cast<unsigned>(&node - graphPlan->nodes.data());
  for (int64_t stream : node.startedStreams)
    streams.start(stream, place, graphPlan->streams);
}

Status Session::runMerge(PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                         SmallVectorImpl<Buffer> &outputs) {
  const auto *arrived = llvm::find_if(
      inputs, [](const Buffer &input) { return input != nullptr; });
  if (arrived == inputs.end())
    return Status::error(ErrorKind::Incomplete,
                         node.describe() +
                             ": no input was computed; expected one");
  outputs.push_back(*arrived);
  if (node.outputs.size() == 2) {
    Buffer number = pool.acquire(sizeof(int32_t));
    if (!number)
      return Status::error(ErrorKind::Incomplete,
                           node.describe() + ": no memory");
    const auto index = static_cast<int32_t>(arrived - inputs.begin());
    std::memcpy(number.get(), &index, sizeof(index));
    outputs.push_back(std::move(number));
  }
  for (auto [slot, buffer] : llvm::zip_equal(node.outputSlots, outputs))
    slots[slot] = buffer;
  return {};
}

/// Does what the float status operators do with the overflow flag of the
/// device.
Status Session::runFloatStatus(PlannedNode &node,
                               llvm::MutableArrayRef<Buffer> inputs,
                               SmallVectorImpl<Buffer> &outputs) {
  auto allocate = [&](const TensorDesc &desc, Buffer &buffer) {
    buffer = pool.acquire(desc.byteSize());
    return buffer ? Status()
                  : Status::error(ErrorKind::Incomplete,
                                  node.describe() + ": no memory for " +
                                      desc.toString());
  };
  for (auto [index, desc] : llvm::enumerate(node.outputs)) {
    Buffer buffer;
    if (Status status = allocate(desc, buffer); !status)
      return status;
    std::memset(buffer.get(), 0, desc.byteSize());
    slots[node.outputSlots[index]] = buffer;
    outputs.push_back(std::move(buffer));
  }

  StringRef type = node.op.getOpType();
  if (type == "NPUGetFloatStatus" && options.device->overflowedNodes != 0) {
    // The device writes into its input. Whoever holds that keeps it as it was.
    if (inputs.empty() || !inputs[0] ||
        node.inputs[0]->dtype != DataType::Float)
      return Status::error(ErrorKind::Incomplete,
                           node.describe() +
                               ": expected floats from NPUAllocFloatStatus");
    if (Status status = allocate(*node.inputs[0], inputs[0]); !status)
      return status;
    std::fill_n(reinterpret_cast<float *>(inputs[0].get()),
                node.inputs[0]->numElements(), 1.0f);
    slots[node.inputSlots[0]] = inputs[0];
  } else if (type == "NPUGetFloatStatusV2") {
    if (outputs.empty() || node.outputs[0].dtype != DataType::Int32 ||
        node.outputs[0].numElements() == 0)
      return Status::error(ErrorKind::Incomplete,
                           node.describe() + ": expected int32 as its output");
    // Ascend910B counts, the others say that it happened.
    const uint32_t count = options.device->overflowedNodes;
    const uint32_t value =
        options.config.soc == Soc::Ascend910B ? count : (count ? 3 : 0);
    std::memcpy(outputs[0].get(), &value, sizeof(value));
  } else if (type.starts_with("NPUClearFloatStatus")) {
    options.device->overflowedNodes = 0;
  }
  return {};
}

const Buffer &Session::getSource(unsigned slot, uint64_t iteration) const {
  if (variables[slot])
    return variables[slot]->value;
  const std::vector<Buffer> &tensors = sources[slot];
  return tensors.size() == 1 ? tensors[0] : tensors[iteration];
}

Status Session::runNode(PlannedNode &node, uint64_t iteration,
                        llvm::ArrayRef<ExecutionObserver *> observers) {
  SmallVector<Buffer, 4> inputs, outputs;
  for (unsigned slot : node.inputSlots)
    inputs.push_back(slot == PlannedNode::NoSlot ? Buffer() : slots[slot]);
  NodeRun run{node, iteration, inputs, outputs, {}, 0};

  auto stop = [&](Status why) {
    for (ExecutionObserver *observer : observers)
      if (Status status = observer->nodeFailed(run, why); !status)
        return status;
    return why;
  };
  if (node.kind != Kind::Merge)
    if (Status status = checkInputs(node, iteration, inputs); !status)
      return stop(std::move(status));
  if (node.kind == Kind::Source) {
    for (unsigned slot : node.outputSlots) {
      slots[slot] = getSource(slot, iteration);
      outputs.push_back(slots[slot]);
      if (flushedSources[slot])
        run.status.valid |= status::FloatUnderflow;
    }
  } else if (node.kind == Kind::Argument) {
    outputs.push_back(slots[node.outputSlots.front()]);
  } else if (node.kind == Kind::Control) {
    if (Status status = runControl(node, inputs, iteration, observers, outputs);
        !status)
      return status;
  } else if (node.kind == Kind::Output) {
    for (auto [output, slot] : llvm::zip_equal(graphOutputs, outputSlots))
      if (slots[slot])
        output.data = slots[slot];
  } else if (node.kind == Kind::Streams) {
    runStreams(node, inputs);
  } else if (node.kind == Kind::Merge) {
    if (Status status = runMerge(node, inputs, outputs); !status)
      return stop(std::move(status));
  } else if (node.kind == Kind::FloatStatus) {
    if (Status status = runFloatStatus(node, inputs, outputs); !status)
      return stop(std::move(status));
  } else if (node.kind == Kind::Compute) {
    if (!node.kernel)
      return stop(Status::error(ErrorKind::Incomplete, node.failure.message()));
    SmallVector<kernels::ConstTensor, 4> inputTensors;
    SmallVector<kernels::MutableTensor, 4> outputTensors;
    for (auto [anchor, buffer] : llvm::enumerate(inputs))
      inputTensors.push_back(
          buffer ? kernels::ConstTensor{&*node.inputs[anchor], buffer.get()}
                 : kernels::ConstTensor{});
    SmallVector<Buffer, 4> results; // outputs, then inputs that none shows
    SmallVector<unsigned, 4> resultSlots(node.outputSlots.begin(),
                                         node.outputSlots.end());
    SmallVector<const TensorDesc *, 4> resultDescs;
    for (const TensorDesc &desc : node.outputs)
      resultDescs.push_back(&desc);
    SmallVector<unsigned, 4> updated; // by update: the result
    for (const catalog::Update &update : node.updates) {
      if (update.output != catalog::Update::Hidden) {
        updated.push_back(update.output);
        continue;
      }
      updated.push_back(resultDescs.size());
      resultDescs.push_back(&*node.inputs[update.input]);
      resultSlots.push_back(node.inputSlots[update.input]);
    }
    for (auto [desc, slot] : llvm::zip_equal(resultDescs, resultSlots)) {
      Buffer buffer = pool.acquire(desc->byteSize());
      if (!buffer)
        return stop(Status::error(ErrorKind::Incomplete,
                                  node.describe() + ": no memory for " +
                                      desc->toString()));
      outputTensors.push_back({desc, buffer.get()});
      results.push_back(buffer);
      slots[slot] = std::move(buffer);
    }
    outputs.assign(results.begin(), results.begin() + node.outputs.size());
    kernels::RunContext context{threads};
    const auto start = std::chrono::steady_clock::now();
    Expected<NodeStatus> status =
        node.kernel->run(context, inputTensors, outputTensors);
    run.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (!status)
      return stop(
          Status::error(ErrorKind::Incomplete,
                        node.describe() + ": " + status.status().message()));
    run.status = *status;
    for (auto [update, result] : llvm::zip_equal(node.updates, updated)) {
      // Whoever looks at the inputs now sees what has become of them.
      inputs[update.input] = results[result];
      // A variable keeps its value for the next iteration, unless a file gives
      // one for each.
      const unsigned slot = resultSlots[result];
      if (variables[slot])
        variables[slot]->value = results[result];
      else if (graphPlan->persistent[slot] && sources[slot].size() == 1)
        sources[slot][0] = results[result];
    }
    options.device->overflowedNodes +=
        ((status->valid | status->padding) & status::Documented) != 0;
  }
  run.outputs = outputs;
  for (ExecutionObserver *observer : observers)
    if (Status status = observer->nodeFinished(run); !status)
      return status;
  for (auto &[value, buffer] : node.memberValues)
    buffer = nullptr;
  return {};
}

Expected<SmallVector<Buffer>>
Session::runBranch(const PlannedBranch &branch, llvm::ArrayRef<Buffer> values,
                   uint64_t iteration,
                   llvm::ArrayRef<ExecutionObserver *> observers) {
  for (auto [input, slot] : branch.arguments)
    slots[slot] = values[input];
  // What is returned stays until then, whoever reads it last.
  for (unsigned slot : branch.results)
    ++heldSlots[slot];
  Status status = runNodes(branch.begin, branch.end, iteration, observers);
  SmallVector<Buffer> results;
  for (unsigned slot : branch.results) {
    results.push_back(slots[slot]);
    --heldSlots[slot];
  }
  for (unsigned slot : branch.results)
    slots[slot] = nullptr;
  if (!status)
    return status;
  return results;
}

/// Whether the first element of \p buffer, of type \p desc, is not zero.
static bool isTrue(const TensorDesc &desc, const Buffer &buffer) {
  if (desc.numElements() == 0)
    return false;
  const uint64_t size = getByteSize(desc.dtype, 1);
  const bool isFloat =
      desc.dtype == DataType::Float16 || desc.dtype == DataType::BFloat16 ||
      desc.dtype == DataType::Float || desc.dtype == DataType::Double;
  std::byte bits{};
  for (uint64_t i = 0; i != size; ++i) // little endian: the sign comes last
    bits |= isFloat && i + 1 == size ? buffer.get()[i] & std::byte(0x7f)
                                     : buffer.get()[i];
  return bits != std::byte();
}

/// The branch of a Case: that of the number, or the last one.
static Expected<size_t> chooseCase(const PlannedNode &node,
                                   const Buffer &buffer) {
  if (node.inputs[0]->dtype != DataType::Int32 ||
      node.inputs[0]->numElements() == 0)
    return Status::error(ErrorKind::Incomplete,
                         node.describe() + ": expected an int32 that says "
                                           "which branch");
  int32_t index;
  std::memcpy(&index, buffer.get(), sizeof(index));
  const size_t last = node.branches.size() - 1;
  return index < 0 ? last : std::min(static_cast<size_t>(index), last);
}

Status Session::runControl(PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                           uint64_t iteration,
                           llvm::ArrayRef<ExecutionObserver *> observers,
                           SmallVectorImpl<Buffer> &outputs) {
  auto run = [&](const PlannedBranch &branch, llvm::ArrayRef<Buffer> values) {
    return runBranch(branch, values, iteration, observers);
  };
  const StringRef type = node.op.getOpType();
  if (type.contains("While")) {
    const PlannedBranch &condition = node.branches[0];
    outputs.assign(inputs.begin(), inputs.end());
    while (true) {
      Expected<SmallVector<Buffer>> goesOn = run(condition, outputs);
      if (!goesOn)
        return goesOn.takeStatus();
      if (!isTrue(condition.resultDescs[0], (*goesOn)[0]))
        break;
      Expected<SmallVector<Buffer>> next = run(node.branches[1], outputs);
      if (!next)
        return next.takeStatus();
      outputs.assign(next->begin(), next->end());
    }
  } else {
    size_t branch = 0;
    if (type.contains("Case")) {
      Expected<size_t> chosen = chooseCase(node, inputs[0]);
      if (!chosen)
        return chosen.takeStatus();
      branch = *chosen;
    } else {
      branch = isTrue(*node.inputs[0], inputs[0]) ? 0 : 1;
    }
    Expected<SmallVector<Buffer>> results = run(node.branches[branch], inputs);
    if (!results)
      return results.takeStatus();
    outputs.assign(results->begin(), results->end());
  }
  for (auto [slot, output] : llvm::zip_equal(node.outputSlots, outputs))
    slots[slot] = output;
  return {};
}

Status Session::runNodes(unsigned begin, unsigned end, uint64_t iteration,
                         llvm::ArrayRef<ExecutionObserver *> observers) {
  for (unsigned i = begin; i != end; ++i) {
    PlannedNode &node = graphPlan->nodes[i];
    // Branches have streams of their own.
    if (i < graphPlan->numRootNodes && !streams.isActive(node)) {
      for (ExecutionObserver *observer : observers)
        observer->nodeSkipped(node);
    } else if (Status status = runNode(node, iteration, observers); !status) {
      return status;
    }
    for (unsigned slot : node.released)
      if (heldSlots[slot] == 0)
        slots[slot] = nullptr;
  }
  return {};
}

Status Session::run(uint64_t iteration,
                    llvm::ArrayRef<ExecutionObserver *> observers) {
  slots.assign(graphPlan->numSlots, nullptr);
  heldSlots.assign(graphPlan->numSlots, 0);
  for (GraphOutput &output : graphOutputs)
    output.data = nullptr;
  streams.beginIteration(graphPlan->streams);
  return runNodes(0, graphPlan->numRootNodes, iteration, observers);
}
