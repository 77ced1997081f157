//===- OneLineDiagnostics.h - Diagnostics for a person ---------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_ONELINEDIAGNOSTICS_H
#define NPU_LIB_TOOLS_ONELINEDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace npu {

/// Prints each diagnostic as one line, `file:line:column: error: what`, to the
/// standard error. (MLIR's own handler adds the source line, which in graph
/// text can have hundreds of megabytes.)
class OneLineDiagnostics : public mlir::ScopedDiagnosticHandler {
public:
  explicit OneLineDiagnostics(mlir::MLIRContext *context);
};

} // namespace npu

#endif // NPU_LIB_TOOLS_ONELINEDIAGNOSTICS_H
