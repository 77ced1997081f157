//===- Session.cpp - A graph with its data, run many times ----------------===//

#include "npu/Execution/Session.h"

#include "npu/Execution/TensorTypes.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <chrono>
#include <cstring>

using namespace mlir;
using namespace npu;
using Kind = PlannedNode::Kind;

Session::Session(SessionOptions options)
    : options(std::move(options)), threads(this->options.threads) {}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

/// The payload that the graph text has for a constant or variable; empty if it
/// was dumped without.
static std::optional<ByteView> getPayload(ge::NodeOp node) {
  auto value = dyn_cast_or_null<ge::ValueAttr>(node.getNodeAttr("value"));
  if (!value || value.getKind() != "t")
    return std::nullopt;
  Attribute data = cast<DictionaryAttr>(value.getPayload()).get("data");
  auto view = [](const char *bytes, size_t size) {
    return ByteView(reinterpret_cast<const std::byte *>(bytes), size);
  };
  if (auto string = dyn_cast_or_null<StringAttr>(data))
    return view(string.data(), string.size());
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(data))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return view(blob->getData().data(), blob->getData().size());
  return std::nullopt;
}

static std::string describeTensor(const PlannedNode &node, unsigned output) {
  std::string name = node.op.getOperation() ? node.describe() : "";
  if (node.outputs.size() > 1)
    name += ":" + std::to_string(output);
  return name + " (" + node.outputs[output].toString() + ")";
}

/// The file given for an output in one of the option maps.
static const std::string *findFile(const llvm::StringMap<std::string> &files,
                                   const PlannedNode &node, unsigned output) {
  ge::NodeOp op = node.op;
  std::string name = op.getNodeName().str();
  auto it = files.find(name + ":" + std::to_string(output));
  if (it == files.end() && node.outputs.size() == 1)
    it = files.find(name);
  return it == files.end() ? nullptr : &it->second;
}

Expected<Buffer> Session::readSource(const PlannedNode &node, unsigned output,
                                     bool &missing) {
  const TensorDesc &desc = node.outputs[output];
  for (const auto *files :
       {&options.inputs, &options.bindings, &options.fallbacks}) {
    const std::string *path = findFile(*files, node, output);
    if (!path)
      continue;
    Expected<NpyFile> file = readNpy(*path);
    if (!file)
      return file.takeStatus();
    Expected<Buffer> buffer = makeTensor(file->array, desc, pool);
    if (!buffer)
      return buffer.takeStatus().withContext(*path + ": for " +
                                             describeTensor(node, output));
    return buffer;
  }
  ge::NodeOp op = node.op;
  if (std::optional<ByteView> payload = getPayload(op)) {
    if (payload->size() != desc.byteSize())
      return Status::error(describeTensor(node, output) + ": its value has " +
                           std::to_string(payload->size()) +
                           " bytes; expected " +
                           std::to_string(desc.byteSize()));
    Buffer buffer = pool.acquire(desc.byteSize());
    if (!buffer)
      return Status::error(ErrorKind::Incomplete,
                           "no memory for " + describeTensor(node, output));
    std::memcpy(buffer.get(), payload->data(), payload->size());
    return buffer;
  }
  if (options.randomSeed) {
    Expected<Buffer> buffer = makeRandomTensor(
        desc, node.role, *options.randomSeed, op.getNodeName(), pool);
    if (!buffer)
      return buffer.takeStatus().withContext(describeTensor(node, output));
    randomNames.push_back(describeTensor(node, output));
    return buffer;
  }
  missing = true;
  return Buffer();
}

Status Session::readSources() {
  sources.resize(graphPlan->numSlots);
  std::vector<std::string> missing;
  for (const PlannedNode &node : graphPlan->nodes) {
    if (node.kind != Kind::Source)
      continue;
    for (unsigned output = 0; output != node.outputs.size(); ++output) {
      bool isMissing = false;
      Expected<Buffer> buffer = readSource(node, output, isMissing);
      if (!buffer)
        return buffer.takeStatus();
      if (isMissing)
        missing.push_back(describeTensor(node, output));
      sources[node.outputSlots[output]] = std::move(*buffer);
    }
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

/// Fails if \p files names a node that the graph does not have.
static Status checkNames(const llvm::StringMap<std::string> &files,
                         const Plan &plan, StringRef option,
                         llvm::function_ref<bool(const PlannedNode &)> fits,
                         StringRef expected) {
  for (const auto &entry : files) {
    auto [name, output] = entry.getKey().rsplit(':');
    bool found = false;
    for (const PlannedNode &node : plan.nodes) {
      ge::NodeOp op = node.op;
      unsigned index = 0;
      found |= (op.getNodeName() == entry.getKey() ||
                (op.getNodeName() == name && !output.getAsInteger(10, index) &&
                 index < node.outputs.size())) &&
               fits(node);
    }
    if (!found)
      return Status::error("--" + option.str() + " " + entry.getKey().str() +
                           ": the graph has no such " + expected.str());
  }
  return {};
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

  auto hasRole = [](bool input) {
    return [input](const PlannedNode &node) {
      return node.kind == Kind::Source &&
             (node.role == SourceRole::Input) == input;
    };
  };
  const SessionOptions &given = session->options;
  if (Status status = checkNames(given.inputs, *session->graphPlan, "input",
                                 hasRole(true), "input (Data node)");
      !status)
    return status;
  if (Status status = checkNames(given.bindings, *session->graphPlan, "bind",
                                 hasRole(false), "constant or variable");
      !status)
    return status;
  if (Status status = checkNames(
          given.fallbacks, *session->graphPlan, "fallback",
          [](const PlannedNode &) { return true; }, "node");
      !status)
    return status;
  if (Status status = session->readSources(); !status)
    return status;

  std::vector<const std::byte *> constants(session->graphPlan->numSlots);
  for (const PlannedNode &node : session->graphPlan->nodes)
    if (node.kind == Kind::Source && node.role == SourceRole::Constant)
      for (unsigned slot : node.outputSlots)
        constants[slot] = session->sources[slot].get();
  session->graphPlan->bindKernels(registry, session->options.config, constants,
                                  session->pool);
  return session;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Session::collectOutputs(const PlannedNode &node) {
  ge::NodeOp op = node.op;
  graphOutputs.clear();
  for (unsigned anchor = 0; anchor != node.inputs.size(); ++anchor) {
    auto result = dyn_cast_or_null<OpResult>(op.getAnchor(anchor));
    if (!result)
      continue;
    auto producer = cast<ge::NodeOp>(result.getOwner());
    graphOutputs.push_back({producer.getNodeName().str(),
                            result.getResultNumber(), *node.inputs[anchor],
                            slots[node.inputSlots[anchor]]});
  }
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
  if (node.kind == Kind::Source) {
    for (unsigned slot : node.outputSlots)
      outputs.push_back(slots[slot] = sources[slot]);
  } else if (node.kind == Kind::Output) {
    collectOutputs(node);
  } else if (node.kind == Kind::Compute) {
    if (!node.kernel)
      return stop(Status::error(node.failure.kind(), node.failure.message()));
    SmallVector<kernels::ConstTensor, 4> inputTensors;
    SmallVector<kernels::MutableTensor, 4> outputTensors;
    for (auto [anchor, buffer] : llvm::enumerate(inputs))
      inputTensors.push_back(
          buffer ? kernels::ConstTensor{&*node.inputs[anchor], buffer.get()}
                 : kernels::ConstTensor{});
    for (auto [index, desc] : llvm::enumerate(node.outputs)) {
      Buffer buffer = pool.acquire(desc.byteSize());
      if (!buffer)
        return stop(Status::error(ErrorKind::Incomplete,
                                  node.describe() + ": no memory for " +
                                      desc.toString()));
      outputTensors.push_back({&desc, buffer.get()});
      outputs.push_back(buffer);
      slots[node.outputSlots[index]] = std::move(buffer);
    }
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
  }
  run.outputs = outputs;
  for (ExecutionObserver *observer : observers)
    if (Status status = observer->nodeFinished(run); !status)
      return status;
  return {};
}

Status Session::run(uint64_t iteration,
                    llvm::ArrayRef<ExecutionObserver *> observers) {
  slots.assign(graphPlan->numSlots, nullptr);
  for (PlannedNode &node : graphPlan->nodes) {
    if (Status status = runNode(node, iteration, observers); !status)
      return status;
    for (unsigned slot : node.released)
      slots[slot] = nullptr;
  }
  return {};
}
