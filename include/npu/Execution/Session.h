//===- Session.h - A graph with its data, run many times -------*- C++ -*-===//

#ifndef NPU_EXECUTION_SESSION_H
#define NPU_EXECUTION_SESSION_H

#include "npu/Execution/Plan.h"

#include "llvm/ADT/ArrayRef.h"

namespace npu {

/// What a node did in an iteration.
struct NodeRun {
  const PlannedNode &node;
  uint64_t iteration;
  /// By anchor; null where unconnected.
  llvm::ArrayRef<Buffer> inputs;
  llvm::ArrayRef<Buffer> outputs;
  NodeStatus status;
  double seconds = 0;
};

/// Sees every node as it runs. Buffers may be kept: they are not written again
/// while somebody holds them.
class ExecutionObserver {
public:
  virtual ~ExecutionObserver() = default;
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
    std::string file; ///< that gave the first value; empty for none
  };
  /// By the names of their nodes, as in a session of GE.
  llvm::StringMap<Variable> variables;
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
  /// How often the graph will run; an input file may have a leading axis of
  /// this length.
  uint64_t iterations = 1;
  /// Paths of .npy files by node name, or "name:output" for a node with several
  /// outputs: for inputs, for constants and variables, and for nodes that
  /// cannot be computed.
  llvm::StringMap<std::string> inputs, bindings, fallbacks;
  /// Shared with the sessions of other graphs; one of its own where null. A
  /// variable has the value that the first session gave it until a graph
  /// changes it; later sessions need no data for it.
  std::shared_ptr<DeviceState> device;
};

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
  /// Plans \p graph and gets all its data. Fails before anything runs: on
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
  const Plan &plan() const { return *graphPlan; }
  /// What was filled with random values, for the report.
  const std::vector<std::string> &randomSources() const { return randomNames; }
  /// The threads that compute nodes.
  ThreadPool &threadPool() { return threads; }
  /// Bytes of tensors held at most.
  uint64_t bufferBytes() const { return pool.totalBytes(); }

private:
  Session(SessionOptions options);

  /// Finds the output that each file is for.
  Status assignFiles();
  Status assignFile(const SourceOption &option, llvm::StringRef name,
                    const std::string &path);
  Status readSources();
  Expected<std::vector<Buffer>> readSource(const PlannedNode &node,
                                           unsigned output);
  Expected<std::vector<Buffer>>
  readFile(const std::string &path, const PlannedNode &node, unsigned output);
  /// Takes the variable of the device that \p node is, if an earlier session
  /// has made it.
  Expected<bool> findVariable(const PlannedNode &node);
  void makeVariable(const PlannedNode &node);
  /// Whether the first that \p node's readers do is to give it a value.
  bool isAssignedFirst(const PlannedNode &node) const;
  /// The value of the source \p slot in \p iteration.
  const Buffer &getSource(unsigned slot, uint64_t iteration) const;
  void describeOutputs();
  Status runNodes(unsigned begin, unsigned end, uint64_t iteration,
                  llvm::ArrayRef<ExecutionObserver *> observers);
  Status runNode(PlannedNode &node, uint64_t iteration,
                 llvm::ArrayRef<ExecutionObserver *> observers);
  /// Runs a graph of a control node with \p values for the inputs of the node;
  /// returns what it has for the outputs.
  Expected<llvm::SmallVector<Buffer>>
  runBranch(const PlannedBranch &branch, llvm::ArrayRef<Buffer> values,
            uint64_t iteration, llvm::ArrayRef<ExecutionObserver *> observers);
  /// Runs the graphs that \p node wants; \p outputs gets its outputs.
  Status runControl(PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                    uint64_t iteration,
                    llvm::ArrayRef<ExecutionObserver *> observers,
                    llvm::SmallVectorImpl<Buffer> &outputs);
  Status checkInputs(const PlannedNode &node, uint64_t iteration,
                     llvm::ArrayRef<Buffer> inputs) const;
  void runStreams(const PlannedNode &node, llvm::ArrayRef<Buffer> inputs);
  Status runMerge(PlannedNode &node, llvm::ArrayRef<Buffer> inputs,
                  llvm::SmallVectorImpl<Buffer> &outputs);
  Status runFloatStatus(PlannedNode &node, llvm::MutableArrayRef<Buffer> inputs,
                        llvm::SmallVectorImpl<Buffer> &outputs);

  SessionOptions options;
  BufferPool pool;
  ThreadPool threads;
  std::optional<Plan> graphPlan;
  /// By slot: the file that was given for it, or null.
  std::vector<const std::string *> files;
  /// Values of sources by slot: one for all iterations, or one for each; none
  /// of a variable of the device.
  std::vector<std::vector<Buffer>> sources;
  std::vector<DeviceState::Variable *> variables; // by slot, or null
  /// Sources of which denormal elements were flushed, by slot.
  std::vector<bool> flushedSources;
  StreamState streams;
  /// All values while a run needs them.
  std::vector<Buffer> slots;
  /// How many branches that run return the slot: then it is not released.
  std::vector<unsigned> heldSlots;
  std::vector<GraphOutput> graphOutputs;
  std::vector<unsigned> outputSlots; // by output of the graph
  std::vector<std::string> randomNames;
};

} // namespace npu

#endif // NPU_EXECUTION_SESSION_H
