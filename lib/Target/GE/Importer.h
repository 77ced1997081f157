//===- Importer.h - GE graphs in their forms to MLIR ------------*- C++ -*-===//

#ifndef NPU_LIB_TARGET_GE_IMPORTER_H
#define NPU_LIB_TARGET_GE_IMPORTER_H

#include "AttributeConversion.h"

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Target/GE/Import.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/StringSaver.h"

namespace npu::ge {

/// A producer that a node names before its own op block has come.
struct PendingEdge {
  mlir::Operation *user;
  unsigned operand;
  llvm::StringRef producer;
  int64_t output;
  TextPosition position;
};

/// What an `input` string says: a data edge, a control edge (output -1), or
/// nothing (no producer).
struct Edge {
  llvm::StringRef producer;
  int64_t output = 0;
  TextPosition position;
};

/// Imports one file.
class Importer {
public:
  Importer(llvm::StringRef text, llvm::StringRef fileName,
           mlir::MLIRContext *context, const ImportOptions &options)
      : text(text), reader(text), builder(context),
        attributes(context, fileName, options.strict), saver(allocator) {}

  mlir::OwningOpRef<mlir::ModuleOp> run();

private:
  mlir::LogicalResult importText(mlir::ModuleOp module);
  mlir::LogicalResult importJson(mlir::ModuleOp module);
  mlir::LogicalResult importOnnx();
  /// Imports fields of a GraphDef up to the closing brace (or, for a bare
  /// graph, the end of the text). \p head has fields that were read before.
  mlir::LogicalResult importGraph(TextPosition position, TextTree &head,
                                  bool bare);
  /// The graph that the message at \p index of \p json is.
  mlir::LogicalResult importJsonGraph(const TextTree &json, uint32_t index);
  /// Goes on with nodes of a ge_onnx text in a new graph.
  GraphOp beginGraph(TextPosition position);
  /// Ends a graph: edges, and all fields but the nodes.
  mlir::LogicalResult endGraph(GraphOp graph, TextRange fields);
  /// The node that the field at \p index of \p tree is.
  mlir::LogicalResult importNode(mlir::Block *block, const TextTree &tree,
                                 uint32_t index);
  mlir::LogicalResult importOnnxNode(mlir::Block *block, const TextTree &tree,
                                     uint32_t index);
  mlir::FailureOr<Edge> importEdge(const TextField &field);
  /// The value of an edge, or null while its producer is not there yet.
  mlir::FailureOr<mlir::Value> resolve(const Edge &edge, llvm::StringRef user);
  mlir::LogicalResult resolvePending(mlir::Block *block);
  mlir::LogicalResult resolveSubgraphs(mlir::ModuleOp module);
  mlir::StringAttr makeSymbol(llvm::StringRef graphName);
  mlir::LogicalResult readerFailure();
  mlir::Value getPlaceholder();

  llvm::StringRef text;
  TextReader reader;
  mlir::OpBuilder builder;
  AttributeImporter attributes;
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver;
  llvm::SmallVector<char, 0> storage;

  TextTree tree;                                 // of the node at hand
  llvm::DenseMap<llvm::StringRef, NodeOp> nodes; // of the graph at hand
  llvm::SmallVector<PendingEdge> pending;
  mlir::OwningOpRef<mlir::UnrealizedConversionCastOp> placeholder;
  llvm::StringMap<mlir::StringAttr> symbols; // by graph name
  llvm::StringSet<> takenSymbols;
};

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_IMPORTER_H
