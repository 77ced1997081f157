//===- Import.h - GE graph text to MLIR ------------------------*- C++ -*-===//

#ifndef NPU_TARGET_GE_IMPORT_H
#define NPU_TARGET_GE_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace npu::ge {

struct ImportOptions {
  /// Treat an unknown field as an error instead of keeping its text with a
  /// warning.
  bool strict = false;
};

/// Imports \p text, a text-format ge.proto.ModelDef (ge_proto_*.txt) or bare
/// GraphDef, as a module of the ge dialect (the dialect's description has the
/// mapping). \p fileName appears in locations and messages. Faults are
/// diagnostics of \p context with line and column; then the result is null.
/// The text may be released afterwards.
mlir::OwningOpRef<mlir::ModuleOp> importGE(llvm::StringRef text,
                                           llvm::StringRef fileName,
                                           mlir::MLIRContext *context,
                                           const ImportOptions &options = {});

} // namespace npu::ge

#endif // NPU_TARGET_GE_IMPORT_H
