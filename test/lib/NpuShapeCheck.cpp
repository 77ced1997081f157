//===- NpuShapeCheck.cpp - Rules for shapes against graphs ----------------===//
//
//   npu-shape-check GRAPH...
//
// Infers the outputs of every node of graph texts from its own inputs and
// compares them with what the graph says. Prints each difference, and how many
// nodes of how many types were compared.
//
//===----------------------------------------------------------------------===//

#include "KernelBinding.h"

#include "npu/Catalog/Catalog.h"
#include "npu/Kernels/ShapeInference.h"
#include "npu/Target/GE/Import.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

namespace {
struct Counts {
  unsigned nodes = 0, differences = 0;
  llvm::StringSet<> types;
};
} // namespace

static const std::byte *getConstant(mlir::Value value) {
  auto producer = value ? value.getDefiningOp<ge::NodeOp>() : ge::NodeOp();
  if (!producer || !producer.getOpType().starts_with("Const"))
    return nullptr;
  std::optional<ByteView> payload = getPayload(producer);
  return payload ? payload->data() : nullptr;
}

/// Extents other than 1, which stages of a graph add and drop.
static Shape withoutOnes(Shape shape) {
  llvm::erase(shape, 1);
  return shape;
}

static void check(ge::NodeOp node, Counts &counts) {
  const catalog::Row *row = catalog::lookup(node.getOpType());
  if (!row || !catalog::infersShapes(*row) || node.hasFusedKernel())
    return;
  Expected<NodeTensors> tensors = getNodeTensors(node);
  if (!tensors) // no shapes in this stage, or optional outputs that are absent
    return;
  kernels::NodeSpec spec{node.getOpType().str(), node.getNodeName().str(),
                         getKernelAttributes(node), tensors->inputs,
                         tensors->outputs, {}};
  for (unsigned anchor = 0; anchor != spec.inputs.size(); ++anchor)
    spec.constants.push_back(getConstant(node.getAnchor(anchor)));
  Expected<std::vector<Shape>> shapes = kernels::inferShapes(spec);
  if (!shapes) {
    // A graph dumped without data does not have the values of constants.
    if (!llvm::StringRef(shapes.status().message()).contains("no constant") &&
        !llvm::StringRef(shapes.status().message())
             .contains("is not a constant")) {
      llvm::outs() << describe(node) << ": " << shapes.status().message()
                   << '\n';
      ++counts.differences;
    }
    return;
  }
  ++counts.nodes;
  counts.types.insert(node.getOpType());
  for (auto [output, shape] : llvm::zip_equal(spec.outputs, *shapes))
    if (withoutOnes(shape) != withoutOnes(output.originShape)) {
      llvm::outs() << describe(node) << ": inferred " << toString(shape)
                   << ", the graph has " << output.toString() << '\n';
      ++counts.differences;
    }
}

int main(int argc, char **argv) {
  Counts counts;
  for (int i = 1; i != argc; ++i) {
    auto file = llvm::MemoryBuffer::getFile(argv[i]);
    mlir::MLIRContext context;
    context.loadDialect<ge::GEDialect>();
    auto module = file ? ge::importGE((*file)->getBuffer(), argv[i], &context)
                       : mlir::OwningOpRef<mlir::ModuleOp>();
    if (!module) {
      llvm::errs() << "error: " << argv[i] << ": cannot read\n";
      return 1;
    }
    module->walk([&](ge::NodeOp node) { check(node, counts); });
  }
  llvm::outs() << counts.nodes << " nodes of " << counts.types.size()
               << " types\n";
  return counts.differences == 0 ? 0 : 1;
}
