//===- GraphRun.h - A graph of a run of npu-run ----------------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_GRAPHRUN_H
#define NPU_LIB_TOOLS_GRAPHRUN_H

#include "ProgressLine.h"
#include "RunOptions.h"

#include "npu/Execution/DumpRecorder.h"
#include "npu/Execution/Report.h"
#include "npu/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace npu {

/// One of the graphs that a command line names: what it has of its own.
class GraphRun {
public:
  GraphRun(const RunOptions &options, const RunSettings &settings,
           std::string path, uint32_t modelId, IterationRange iterations)
      : options(options), settings(settings), path(std::move(path)),
        modelId(modelId), iterations(iterations), overflow(settings.overflow) {}

  /// Loads the graph: inlines calls, infers shapes, finds the members of fused
  /// nodes.
  Status load(mlir::MLIRContext *context, const kernels::Registry &kernels);
  Status instrument(mlir::MLIRContext *context);

  llvm::StringRef name() { return graph.getGraphName(); }
  /// The names of all graphs in the file.
  const std::vector<std::string> &graphNames() const { return allNames; }
  /// The name that \p given, NAME or NAME@GRAPH with an output behind a colon
  /// or not, has in this graph; none where it is for other graphs.
  std::optional<llvm::StringRef> findName(llvm::StringRef given);

  /// A row of CSV for each tensor of each node, by \p kernels, in the shapes
  /// that inputs have in turn. Needs no data; nothing else can be done
  /// afterwards.
  Expected<std::string> makeShapeTable(const kernels::Registry &kernels);

  /// Plans the graph and gets its data, for a \p device that other graphs may
  /// share.
  Status createSession(std::shared_ptr<DeviceState> device,
                       const kernels::Registry &kernels);
  bool hasOutputs() const { return !session->outputs().empty(); }
  /// Names the files of the outputs in \p folder, and makes sure that they
  /// replace nothing but older outputs.
  Status prepareOutputs(std::string folder);
  /// \p writer is null where nothing is written.
  Status prepareObservers(dump::DumpWriter *writer);
  /// Prints why nodes have no kernel.
  Status checkKernels() const;

  /// All iterations. \p progress may be null.
  Status run(ProgressLine *progress);

  /// Adds the dumps that there may be.
  void addTo(DiskBudget &budget) const;
  uint64_t filesQueued() const {
    return recorder ? recorder->filesQueued() : 0;
  }
  size_t numNodes() const { return session->plan().nodes.size(); }

  /// What happened, for the report; \p timeFolder is that of the dumps.
  llvm::json::Value makeReport(const Status &outcome, double seconds,
                               const std::string &timeFolder);
  void printSummary() const;
  Status printOverflow() const { return overflow.print(iterations); }
  void printReplay() const;
  int exitCode() const;
  bool wasRun() const { return isStarted; }

private:
  /// What npu-insert-dump is to select, and in which of the graphs.
  struct DumpSelection {
    InsertDumpOptions options;
    mlir::Operation *where;
  };

  Status collectGraphs();
  Status selectFiles();
  Status findShapes();
  Status settleShapes(const kernels::Registry &kernels);
  Status reshape(unsigned step, const kernels::Registry &kernels);
  Status insertDumps(mlir::MLIRContext *context);
  Status insertOverflowChecks(mlir::MLIRContext *context);
  std::vector<DumpSelection> getDumpSelections();
  /// The graph with those that its nodes run.
  mlir::Operation *getAll() const;
  std::string getOutputFolder(uint64_t iteration) const;
  std::vector<uint64_t> listIterations(unsigned step) const;
  llvm::json::Array listShapes() const;
  void setReshape(const kernels::Registry &kernels);
  Status writeOutputs(uint64_t iteration) const;
  void addReplayToReport() const;

  const RunOptions &options;
  const RunSettings &settings;
  std::string path;
  const uint32_t modelId;
  const IterationRange iterations;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mutable ge::GraphOp graph; // a handle, whose accessors are not const
  /// The graph, and those that its nodes run.
  llvm::SetVector<ge::GraphOp> graphs;
  std::vector<std::string> allNames;
  llvm::StringSet<> nodeNames;
  std::vector<std::string> seededNodes; // that got --seed
  SessionOptions sessionOptions;        // with the files for this graph
  ShapeSequence shapes;
  std::optional<GraphTypes> openTypes; // where shapes change
  std::unique_ptr<Session> session;
  std::string outputFolder;
  std::vector<std::string> outputFiles; // by output of the graph
  std::unique_ptr<RunReport> report;
  std::unique_ptr<DumpRecorder> recorder;
  OverflowRun overflow;
  std::unique_ptr<Replay> replay;
  bool isStarted = false;
};

/// "1 node", "2 nodes".
std::string countText(uint64_t number, const char *what);

} // namespace npu

#endif // NPU_LIB_TOOLS_GRAPHRUN_H
