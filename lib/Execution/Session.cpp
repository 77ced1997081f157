//===- Session.cpp - A graph with its data, run many times ----------------===//

#include "npu/Execution/Session.h"

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

llvm::SmallVector<uint64_t> Session::shapeStarts() const {
  llvm::SmallVector<uint64_t> starts{options.iterations.first};
  for (size_t i = 1; i < options.shapes.size(); ++i)
    if (options.shapes[i] != options.shapes[i - 1])
      starts.push_back(options.iterations.first + i);
  return starts;
}

Expected<std::vector<std::unique_ptr<Plan>>>
npu::planShapes(ge::GraphOp graph, const SessionOptions &options) {
  llvm::StringSet<> fed;
  for (const auto &entry : options.fallbacks) {
    fed.insert(entry.getKey());
    fed.insert(entry.getKey().rsplit(':').first);
  }
  const unsigned numShapes =
      options.shapes.empty() ? 1 : *llvm::max_element(options.shapes) + 1;
  std::vector<std::unique_ptr<Plan>> plans;
  for (unsigned shape = 0; shape != numShapes; ++shape) {
    if (shape != 0)
      if (Status status = options.reshape(shape); !status)
        return status;
    Expected<Plan> plan = Plan::create(graph, fed);
    if (!plan)
      return plan.takeStatus();
    plans.push_back(std::make_unique<Plan>(std::move(*plan)));
    assert(plans.back()->numSlots == plans.front()->numSlots &&
           "shapes change sizes alone");
  }
  return plans;
}

Expected<std::unique_ptr<Session>>
Session::create(ge::GraphOp graph, const kernels::Registry &registry,
                SessionOptions options) {
  auto session = std::unique_ptr<Session>(new Session(std::move(options)));
  Expected<std::vector<std::unique_ptr<Plan>>> plans =
      planShapes(graph, session->options);
  if (!plans)
    return plans.takeStatus();
  session->plans = std::move(*plans);
  session->graphPlan = session->plans.front().get();
  if (Status status = session->assignFiles(); !status)
    return status;
  if (Status status = session->readSources(); !status)
    return status;

  std::vector<const std::byte *> constants(session->graphPlan->numSlots);
  for (const PlannedNode &node : session->graphPlan->nodes)
    if (node.kind == Kind::Source && node.role == catalog::Role::Constant)
      for (unsigned slot : node.outputSlots)
        if (session->sources[slot].size() == 1)
          constants[slot] = session->sources[slot].front().get();
  for (auto [shape, plan] : llvm::enumerate(session->plans)) {
    // The members of fused nodes have their shapes in the graph alone.
    if (session->plans.size() > 1)
      if (Status status = session->options.reshape(shape); !status)
        return status;
    plan->bindKernels(registry, session->options.config, constants,
                      session->pool);
  }
  session->describeOutputs();
  return session;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Session::describeOutputs() {
  for (unsigned place = 0; place != graphPlan->numRootNodes; ++place) {
    const PlannedNode &node = graphPlan->nodes[place];
    if (node.kind != Kind::Output)
      continue;
    for (unsigned anchor = 0; anchor != node.inputs.size(); ++anchor) {
      auto result = dyn_cast_or_null<OpResult>(node.op.getAnchor(anchor));
      if (!result)
        continue;
      auto producer = cast<ge::NodeOp>(result.getOwner());
      outputPlaces.push_back({place, anchor});
      graphOutputs.push_back({producer.getNodeName().str(),
                              result.getResultNumber(), *node.inputs[anchor],
                              nullptr});
    }
  }
}

/// Whether all that \p node reads was computed, or set by an Assign.
Status Session::checkInputs(const PlannedNode &node, uint64_t iteration,
                            llvm::ArrayRef<Buffer> inputs) const {
  for (auto [anchor, buffer] : llvm::enumerate(inputs)) {
    if (node.inputSlots[anchor] == PlannedNode::NoSlot)
      continue;
    if (buffer) {
      const DeviceState::UnsetValue *unset = options.device->findUnset(buffer);
      if (unset && !passesOn(node, anchor) && !isAssignTo(node, anchor))
        return Status::error(ErrorKind::Incomplete,
                             node.describe() + ": input " +
                                 std::to_string(anchor) + " is the variable '" +
                                 unset->name +
                                 "', to which no Assign that ran has given a "
                                 "value; expected --bind " +
                                 unset->name + "=FILE.npy");
      continue;
    }
    Value value = node.op.getAnchor(static_cast<unsigned>(anchor));
    auto producer = value.getDefiningOp<ge::NodeOp>();
    if (deadValues.contains(value))
      return Status::error(
          ErrorKind::Incomplete,
          node.describe() + ": input " + std::to_string(anchor) +
              " was not computed in iteration " + std::to_string(iteration) +
              ": '" + producer.getNodeName().str() +
              "' is in the branch that a Switch did not take");
    return Status::error(ErrorKind::Incomplete,
                         node.describe() + ": input " + std::to_string(anchor) +
                             " was not computed in iteration " +
                             std::to_string(iteration) + ": stream " +
                             std::to_string(producer.getStreamId()) + " of '" +
                             producer.getNodeName().str() + "' is not active");
  }
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
  return tensors.size() == 1 ? tensors[0]
                             : tensors[iteration - options.iterations.first];
}

void Session::changeInPlace(unsigned slot, const Buffer &value) {
  auto change = [&](unsigned changed) {
    // A variable keeps its value for the next iteration, unless a file gives
    // one for each.
    if (DeviceState::Variable *variable = variables[changed]) {
      llvm::erase_if(options.device->unsetValues,
                     [&](const DeviceState::UnsetValue &unset) {
                       return unset.value == variable->value;
                     });
      variable->value = value;
    } else if (graphPlan->persistent[changed] && sources[changed].size() == 1) {
      sources[changed][0] = value;
    }
  };
  change(slot);
  for (unsigned alias : graphPlan->aliases[slot]) {
    change(alias);
    if (slots[alias]) // others have not got it yet, or need it no more
      slots[alias] = value;
  }
}

/// Computes \p node. What it changes in place is in \p inputs then.
Status Session::runKernel(PlannedNode &node, NodeRun &run,
                          llvm::MutableArrayRef<Buffer> inputs,
                          SmallVectorImpl<Buffer> &outputs) {
  if (!node.kernel)
    return Status::error(ErrorKind::Incomplete, node.failure.message());
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
      return Status::error(ErrorKind::Incomplete, node.describe() +
                                                      ": no memory for " +
                                                      desc->toString());
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
    return Status::error(ErrorKind::Incomplete,
                         node.describe() + ": " + status.status().message());
  run.status = *status;
  for (auto [update, result] : llvm::zip_equal(node.updates, updated)) {
    // Whoever looks at the inputs now sees what has become of them.
    inputs[update.input] = results[result];
    changeInPlace(resultSlots[result], results[result]);
  }
  options.device->overflowedNodes +=
      ((status->valid | status->padding) & status::Documented) != 0;
  return {};
}

Status Session::compute(PlannedNode &node, NodeRun &run,
                        llvm::MutableArrayRef<Buffer> inputs,
                        SmallVectorImpl<Buffer> &outputs,
                        llvm::ArrayRef<ExecutionObserver *> observers) {
  for (ExecutionObserver *observer : observers)
    if (Status status = observer->replaceInputs(run, inputs, pool); !status)
      return status;
  if (Status status = runKernel(node, run, inputs, outputs); !status)
    return status;
  const SmallVector<Buffer, 4> computed(outputs.begin(), outputs.end());
  run.outputs = outputs;
  for (ExecutionObserver *observer : observers)
    if (Status status = observer->replaceOutputs(run, outputs, pool); !status)
      return status;
  for (auto [index, buffer] : llvm::enumerate(outputs)) {
    if (buffer == computed[index])
      continue;
    slots[node.outputSlots[index]] = buffer;
    for (const catalog::Update &update : node.updates)
      if (update.output == index) {
        inputs[update.input] = buffer;
        changeInPlace(node.outputSlots[index], buffer);
      }
  }
  return {};
}

Status Session::runNode(PlannedNode &node, uint64_t iteration,
                        llvm::ArrayRef<ExecutionObserver *> observers) {
  SmallVector<Buffer, 4> inputs, outputs;
  for (auto [anchor, slot] : llvm::enumerate(node.inputSlots)) {
    const bool isThere =
        slot != PlannedNode::NoSlot &&
        (deadValues.empty() || !deadValues.contains(node.op.getAnchor(anchor)));
    inputs.push_back(isThere ? slots[slot] : Buffer());
  }
  NodeRun run{node, iteration, inputs, outputs};
  run.trip = trip;

  Status done;
  if (node.kind != Kind::Merge)
    done = checkInputs(node, iteration, inputs);
  if (done) {
    switch (node.kind) {
    case Kind::Source:
      for (unsigned slot : node.outputSlots) {
        slots[slot] = getSource(slot, iteration);
        outputs.push_back(slots[slot]);
        if (flushedSources[slot])
          run.status.valid |= status::FloatUnderflow;
      }
      break;
    case Kind::Argument:
      outputs.push_back(slots[node.outputSlots.front()]);
      break;
    case Kind::Control: {
      ControlRun control{node, inputs, iteration, observers};
      if (Status status = runControl(control); !status)
        return status;
      outputs.assign(control.values.begin(), control.values.end());
      run.branch = control.branch;
      for (auto [slot, output] : llvm::zip_equal(node.outputSlots, outputs))
        slots[slot] = output;
      break;
    }
    case Kind::Compute:
      done = compute(node, run, inputs, outputs, observers);
      break;
    case Kind::Nothing:
      break;
    case Kind::Streams:
      runStreams(node, inputs);
      break;
    case Kind::Switch:
      runSwitch(node, inputs, outputs);
      break;
    case Kind::Merge:
      done = runMerge(node, inputs, outputs);
      break;
    case Kind::FloatStatus:
      done = runFloatStatus(node, inputs, outputs);
      break;
    case Kind::Output:
      for (auto [output, place] : llvm::zip_equal(graphOutputs, outputPlaces)) {
        const PlannedNode &netOutput = graphPlan->nodes[place.node];
        if (const Buffer &data = slots[netOutput.inputSlots[place.anchor]])
          output.data = data;
      }
      break;
    }
  }
  if (done)
    run.outputs = outputs;
  for (ExecutionObserver *observer : observers)
    if (Status status = done ? observer->nodeFinished(run)
                             : observer->nodeFailed(run, done);
        !status)
      return status;
  for (auto &[value, buffer] : node.memberValues)
    buffer = nullptr;
  return done;
}

Status Session::runNodes(unsigned begin, unsigned end, uint64_t iteration,
                         llvm::ArrayRef<ExecutionObserver *> observers) {
  for (unsigned i = begin; i != end; ++i) {
    PlannedNode &node = graphPlan->nodes[i];
    const bool dead = isDead(node);
    if (dead || !deadValues.empty())
      for (Value result : node.op->getResults())
        setDead(result, dead);
    // Branches have streams of their own.
    if (dead || (i < graphPlan->numRootNodes && !streams.isActive(node))) {
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
  graphPlan = plans[getShapeIndex(iteration)].get();
  slots.assign(graphPlan->numSlots, nullptr);
  heldSlots.assign(graphPlan->numSlots, 0);
  for (auto [output, place] : llvm::zip_equal(graphOutputs, outputPlaces)) {
    output.data = nullptr;
    output.desc = *graphPlan->nodes[place.node].inputs[place.anchor];
  }
  deadValues.clear();
  streams.beginIteration(graphPlan->streams);
  return runNodes(0, graphPlan->numRootNodes, iteration, observers);
}
