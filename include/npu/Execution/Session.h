//===- Session.h - A graph with its data, run many times -------*- C++ -*-===//

#ifndef NPU_EXECUTION_SESSION_H
#define NPU_EXECUTION_SESSION_H

#include "npu/Execution/Plan.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>

namespace npu {

/// The iterations of a run, by the numbers that name the folders of their
/// dumps.
struct IterationRange {
  uint64_t first = 0;
  uint64_t count = 1;
  uint64_t end() const { return first + count; }
};

/// What a node did in an iteration.
struct NodeRun {
  const PlannedNode &node;
  uint64_t iteration;
  /// By anchor; null where unconnected.
  llvm::ArrayRef<Buffer> inputs;
  llvm::ArrayRef<Buffer> outputs;
  NodeStatus status = {};
  double seconds = 0;
  /// Of the loop that runs the graph of the node: 0 in the first trip, and
  /// outside of loops.
  uint64_t trip = 0;
  /// Of a control node: the graph that its outputs come from; null where they
  /// are its inputs, of a loop that made no trip.
  const PlannedBranch *branch = nullptr;
};

/// Sees every node as it runs. Buffers may be kept: they are not written again
/// while somebody holds them.
class ExecutionObserver {
public:
  virtual ~ExecutionObserver() = default;
  /// Before a node is computed: other tensors, of the same sizes, may be put in
  /// the place of its inputs, which are null where unconnected.
  virtual Status replaceInputs(const NodeRun &run,
                               llvm::MutableArrayRef<Buffer> inputs,
                               BufferPool &pool) {
    return {};
  }
  /// After that, and before nodeFinished: the same for its outputs.
  virtual Status replaceOutputs(const NodeRun &run,
                                llvm::MutableArrayRef<Buffer> outputs,
                                BufferPool &pool) {
    return {};
  }
  /// After a node has run. A failure stops the session.
  virtual Status nodeFinished(const NodeRun &run) = 0;
  /// A node whose stream is not active does not run.
  virtual void nodeSkipped(const PlannedNode &node) {}
  /// Before a session stops at a node that cannot be computed.
  virtual Status nodeFailed(const NodeRun &run, const Status &why) {
    return {};
  }
};

/// What graphs that run on the same device have in common.
struct DeviceState {
  struct Variable {
    TensorDesc desc;
    Buffer value;
    std::vector<std::string> files; ///< that gave the first value, if any
  };
  /// By the names of their nodes, as in a session of GE.
  llvm::StringMap<Variable> variables;
  /// What stands for the value of a variable until an Assign has run.
  struct UnsetValue {
    std::string name; ///< of the variable
    Buffer value;
  };
  std::vector<UnsetValue> unsetValues;
  /// That of unsetValues which \p value is, or null.
  const UnsetValue *findUnset(const Buffer &value) const;
  /// Nodes that overflowed since the flag of the device was cleared. It lives
  /// on between iterations.
  uint32_t overflowedNodes = 0;
};

struct SessionOptions {
  NumericConfig config;
  unsigned threads = 1;
  /// Gives random values to inputs and data-less constants; without it they
  /// are an error.
  std::optional<uint64_t> randomSeed;
  IterationRange iterations;
  /// Paths of .npy files by node name, or "name:output" for a node with several
  /// outputs: for inputs, for constants and variables, and for nodes that
  /// cannot be computed. Each has one file for all iterations, which may have a
  /// leading axis of their number, or a file for each.
  llvm::StringMap<std::vector<std::string>> inputs, bindings, fallbacks;
  /// By iteration: which of the shapes that inputs have in turn it has, from 0.
  /// Empty where they do not change.
  std::vector<unsigned> shapes;
  /// Gives the graph, which has shape 0 of its inputs, another one.
  std::function<Status(unsigned)> reshape;
  /// Shared with the sessions of other graphs; one of its own where null. A
  /// variable has the value that the first session gave it until a graph
  /// changes it; later sessions need no data for it.
  std::shared_ptr<DeviceState> device;
};

/// Plans \p graph once for each of the shapes that its inputs have in turn. All
/// plans have the same nodes, places and slots.
Expected<std::vector<std::unique_ptr<Plan>>>
planShapes(ge::GraphOp graph, const SessionOptions &options);

/// An output of the graph.
struct GraphOutput {
  std::string name; ///< of the node that computes it
  unsigned index;   ///< of that node's output
  TensorDesc desc;
  Buffer data;
};

struct SourceOption;

class Session {
public:
  /// Plans \p graph, once for each of the shapes that its inputs have, and gets
  /// all its data. Fails before anything runs: on
  /// files that do not fit, on names that the graph does not have, and, in one
  /// message, on everything that has no data.
  static Expected<std::unique_ptr<Session>>
  create(ge::GraphOp graph, const kernels::Registry &registry,
         SessionOptions options);

  /// Runs the graph once. A node without kernel, or whose kernel fails, stops
  /// the run with ErrorKind::Incomplete.
  Status run(uint64_t iteration, llvm::ArrayRef<ExecutionObserver *> observers);

  /// What the last run computed; without data before the first, and where the
  /// stream of the NetOutput was not active.
  const std::vector<GraphOutput> &outputs() const { return graphOutputs; }
  /// The plan of the first iteration. Others have the same nodes and slots;
  /// only the sizes of tensors differ.
  const Plan &plan() const { return planOf(options.iterations.first); }
  const Plan &planOf(uint64_t iteration) const {
    return *plans[getShapeIndex(iteration)];
  }
  llvm::ArrayRef<std::unique_ptr<Plan>> allPlans() const { return plans; }
  const IterationRange &iterations() const { return options.iterations; }
  /// The iterations whose inputs have other shapes than in the one before; the
  /// first is one of them.
  llvm::SmallVector<uint64_t> shapeStarts() const;
  /// What was filled with random values, for the report.
  const std::vector<std::string> &randomSources() const { return randomNames; }
  /// The threads that compute nodes.
  ThreadPool &threadPool() { return threads; }
  /// Bytes of tensors held at most.
  uint64_t bufferBytes() const { return pool.totalBytes(); }

private:
  Session(SessionOptions options);

  /// The place of the plan of \p iteration among all.
  unsigned getShapeIndex(uint64_t iteration) const {
    return options.shapes.empty()
               ? 0
               : options.shapes[iteration - options.iterations.first];
  }
  /// Finds the output that each file is for.
  Status assignFiles();
  Status assignFile(const SourceOption &option, llvm::StringRef name,
                    const std::vector<std::string> &paths);
  Status readSources();
  Expected<std::vector<Buffer>> readSource(const PlannedNode &node,
                                           unsigned output);
  /// The tensors of a source whose shape changes, one an iteration.
  Expected<std::vector<Buffer>> readChangingSource(const PlannedNode &node,
                                                   unsigned output);
  /// The output \p output of \p node in \p iteration.
  const TensorDesc &getOutputDesc(const PlannedNode &node, unsigned output,
                                  uint64_t iteration) const;
  bool hasChangingShape(const PlannedNode &node, unsigned output) const;
  Expected<std::vector<Buffer>> readFiles(const std::vector<std::string> &paths,
                                          const PlannedNode &node,
                                          unsigned output);
  /// Takes the variable of the device that \p node is, if an earlier session
  /// has made it.
  Expected<bool> findVariable(const PlannedNode &node);
  void makeVariable(const PlannedNode &node);
  /// Whether the first that the graph does with the variable \p node, in a
  /// branch perhaps, is to give it a value.
  bool isAssignedFirst(const PlannedNode &node) const;
  enum class FirstUse { None, Assigned, Read };
  /// What nodes [\p begin, \p end), and the graphs that they run, do first with
  /// the variable that has \p slot. Of several branches one that assigns it
  /// counts: which of them runs is not known.
  FirstUse findFirstUse(unsigned slot, unsigned begin, unsigned end) const;
  bool isSameTensor(unsigned slot, unsigned other) const;
  /// The value of the source \p slot in \p iteration.
  const Buffer &getSource(unsigned slot, uint64_t iteration) const;
  void describeOutputs();
  Status runNodes(unsigned begin, unsigned end, uint64_t iteration,
                  llvm::ArrayRef<ExecutionObserver *> observers);
  Status runNode(PlannedNode &node, uint64_t iteration,
                 llvm::ArrayRef<ExecutionObserver *> observers);
  /// A run of a control node: \p values has what its graphs get by input, and
  /// then its outputs.
  struct ControlRun {
    const PlannedNode &node;
    llvm::SmallVector<Buffer, 4> values;
    uint64_t iteration;
    llvm::ArrayRef<ExecutionObserver *> observers;
    const PlannedBranch *branch = nullptr; ///< that the values come from
  };
  /// Runs a graph of a node; returns what it has for the outputs.
  Expected<llvm::SmallVector<Buffer>> runBranch(const ControlRun &run,
                                                const PlannedBranch &branch);
  /// Runs the body of a loop, whose results become the values.
  Status runBody(ControlRun &run);
  Status runChoice(ControlRun &run);
  Status runWhile(ControlRun &run);
  Status runFor(ControlRun &run);
  /// Runs the graphs that a node wants.
  Status runControl(ControlRun &run);
  /// Gives \p slot, and all that share its tensor, the value that a node has
  /// changed it to.
  void changeInPlace(unsigned slot, const Buffer &value);
  /// Runs the kernel of a node between what \p observers do to its tensors.
  Status compute(PlannedNode &node, NodeRun &run,
                 llvm::MutableArrayRef<Buffer> inputs,
                 llvm::SmallVectorImpl<Buffer> &outputs,
                 llvm::ArrayRef<ExecutionObserver *> observers);
  Status runKernel(PlannedNode &node, NodeRun &run,
                   llvm::MutableArrayRef<Buffer> inputs,
                   llvm::SmallVectorImpl<Buffer> &outputs);
  Status checkInputs(const PlannedNode &node, uint64_t iteration,
                     llvm::ArrayRef<Buffer> inputs) const;
  void runStreams(const PlannedNode &node, llvm::ArrayRef<Buffer> inputs);
  void runSwitch(const PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                 llvm::SmallVectorImpl<Buffer> &outputs);
  /// Whether \p node is in a branch that a Switch has not taken: an input comes
  /// from there, or all inputs of a merge.
  bool isDead(const PlannedNode &node) const;
  void setDead(mlir::Value value, bool isDead);
  Status runMerge(PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                  llvm::SmallVectorImpl<Buffer> &outputs);
  Status runFloatStatus(PlannedNode &node, llvm::MutableArrayRef<Buffer> inputs,
                        llvm::SmallVectorImpl<Buffer> &outputs);

  SessionOptions options;
  BufferPool pool;
  ThreadPool threads;
  std::vector<std::unique_ptr<Plan>> plans; // one for each shape of the inputs
  Plan *graphPlan = nullptr;                // that of the current iteration
  /// By slot: the files that were given for it, or null.
  std::vector<const std::vector<std::string> *> files;
  /// Values of sources by slot: one for all iterations, or one for each; none
  /// of a variable of the device.
  std::vector<std::vector<Buffer>> sources;
  std::vector<DeviceState::Variable *> variables; // by slot, or null
  /// Sources of which denormal elements were flushed, by slot.
  std::vector<bool> flushedSources;
  StreamState streams;
  /// Results of nodes, control tokens among them, in branches that no Switch of
  /// this iteration has taken.
  llvm::DenseSet<mlir::Value> deadValues;
  uint64_t trip = 0; ///< of the loop that runs
  /// All values while a run needs them.
  std::vector<Buffer> slots;
  /// How many branches that run return the slot: then it is not released.
  std::vector<unsigned> heldSlots;
  /// Where an output of the graph is: an input of a NetOutput.
  struct OutputPlace {
    unsigned node, anchor;
  };
  std::vector<GraphOutput> graphOutputs;
  std::vector<OutputPlace> outputPlaces; // by output of the graph
  std::vector<std::string> randomNames;
};

} // namespace npu

#endif // NPU_EXECUTION_SESSION_H
