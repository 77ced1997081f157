//===- InferShapes.h - Shapes that a graph leaves open ---------*- C++ -*-===//

#ifndef NPU_EXECUTION_INFERSHAPES_H
#define NPU_EXECUTION_INFERSHAPES_H

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Kernels/Registry.h"
#include "npu/Support/Status.h"
#include "npu/Support/TensorDesc.h"

#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace npu {

/// What tells shapes, by name of the node ("name:output" where it has several).
struct ShapeSources {
  /// Shapes of logical tensors.
  llvm::StringMap<Shape> shapes;
  /// Files (.npy) with data of inputs, and how many tensors a leading axis of
  /// them may hold.
  llvm::StringMap<std::string> inputs;
  uint64_t iterations = 1;
  /// Files of constants: values of a shape or an axis that the graph does not
  /// have itself.
  llvm::StringMap<std::string> constants;
};

/// What tells shapes in a run of many iterations: of each name one entry for
/// all of them, or one for each.
struct ShapeSourcesByIteration {
  llvm::StringMap<std::vector<Shape>> shapes;
  llvm::StringMap<std::vector<std::string>> inputs, constants;
  uint64_t iterations = 1;
};

/// The shapes that inputs have in turn.
struct ShapeSequence {
  /// No two are the same.
  std::vector<ShapeSources> steps;
  /// By iteration: the place among them; empty where there is one for all.
  std::vector<unsigned> byIteration;

  /// Fails on files that cannot be read, and on a number of entries that is
  /// neither one nor that of the iterations.
  static Expected<ShapeSequence> create(const ShapeSourcesByIteration &sources);
};

/// The types of a graph, of those that its nodes run and of fused members, to
/// put them back after inferShapes.
class GraphTypes {
public:
  explicit GraphTypes(ge::GraphOp graph);
  void restore() const;

private:
  struct NodeTypes {
    ge::NodeOp node;
    std::vector<mlir::Type> outputs;
    std::vector<mlir::Type> arguments; ///< of the members of a fused node
    mlir::ArrayAttr inputDescs;
  };
  std::vector<NodeTypes> nodes;
};

/// Gives every tensor of \p graph that has unknown dimensions its shape: inputs
/// that of \p sources, outputs of other nodes what the catalogue's rule says
/// (npu/Kernels/ShapeInference.h). So do the graphs that nodes run, each of
/// which one node alone runs, and the members of fused nodes: calls have been
/// resolved and members recovered before. Values that shapes depend on are taken
/// from constants and computed where their operands are known: Shape, Size,
/// Rank, and what kernels make of them.
///
/// Outputs whose size only their values tell have the largest one they can
/// have; that is listed in the attribute `ge.inferred` of the node.
///
/// Fails, in one message, on the inputs that nothing gives a shape, on a shape
/// that contradicts known dimensions, and on a node whose outputs no rule
/// tells. A graph without unknown dimensions is left as it is.
Status inferShapes(ge::GraphOp graph, const ShapeSources &sources,
                   const kernels::Registry &registry,
                   const NumericConfig &config);

} // namespace npu

#endif // NPU_EXECUTION_INFERSHAPES_H
