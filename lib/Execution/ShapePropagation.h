//===- ShapePropagation.h - Shapes go through a graph -----------*- C++ -*-===//

#ifndef NPU_LIB_EXECUTION_SHAPEPROPAGATION_H
#define NPU_LIB_EXECUTION_SHAPEPROPAGATION_H

#include "npu/Execution/InferShapes.h"
#include "npu/Execution/Plan.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace npu {

/// \p root and the graphs that its nodes run, callers first.
llvm::SetVector<ge::GraphOp> collectGraphs(ge::GraphOp root);

/// The shapes of one graph, and of those that its nodes run.
class ShapePropagation {
public:
  ShapePropagation(ge::GraphOp graph, const ShapeSources &sources,
                   const kernels::Registry &registry,
                   const NumericConfig &config)
      : graph(graph), sources(sources), registry(registry), config(config),
        builder(graph.getContext()), pool(1) {}

  Status run();

private:
  /// Whether \p type leaves dimensions open; a scalar does where the stage has
  /// no shapes.
  bool isOpen(mlir::Type type) const;
  bool hasOpenOutput(ge::NodeOp node) const {
    return llvm::any_of(node.getOutputs().getTypes(),
                        [&](mlir::Type type) { return isOpen(type); });
  }
  Status propagate();
  Expected<std::optional<Shape>> findShape(ge::NodeOp node, unsigned index,
                                           std::string &from);
  Status checkShapes();
  Status bindInput(ge::NodeOp node);
  Status inferNode(ge::NodeOp node);
  Status inferByRule(ge::NodeOp node);
  Status inferFused(ge::NodeOp node);
  /// Takes the dimensions of input descriptors that are unknown from producers.
  Status settleInputs(ge::NodeOp node);
  Expected<kernels::NodeSpec> makeSpec(ge::NodeOp node);
  /// Sets the type of output \p index to one of the logical \p shape.
  Status setShape(ge::NodeOp node, unsigned index, const Shape &shape);
  Expected<mlir::Type> withShape(mlir::Type type, const Shape &shape) const;

  // InferBranches.cpp
  Status inferBranches(ge::NodeOp node);
  Status bindArgument(ge::NodeOp data);
  std::vector<std::optional<Shape>> getResults(size_t count) const;

  // InferValues.cpp
  void followValues(ge::NodeOp node);
  const std::byte *valueOf(mlir::Value value) const;

  ge::GraphOp graph;
  const ShapeSources &sources;
  const kernels::Registry &registry;
  const NumericConfig &config;
  mlir::Builder builder;
  ThreadPool pool;
  bool isWithoutShapes = false;
  llvm::DenseSet<mlir::Value> settled; ///< values whose shape was unknown
  llvm::DenseMap<mlir::Value, std::vector<std::byte>> values;
  std::vector<std::string> unbound;
  /// The node that runs the graph, and the graph that it is in.
  ge::NodeOp caller;
  const ShapePropagation *outside = nullptr;
};

} // namespace npu

#endif // NPU_LIB_EXECUTION_SHAPEPROPAGATION_H
