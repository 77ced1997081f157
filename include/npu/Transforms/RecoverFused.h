//===- RecoverFused.h - The members of fused nodes -------------*- C++ -*-===//

#ifndef NPU_TRANSFORMS_RECOVERFUSED_H
#define NPU_TRANSFORMS_RECOVERFUSED_H

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace npu {

/// Scale and offset of quantisation: q = round(x * scale + offset).
struct QuantAssumption {
  float scale = 1, offset = 0;
};

/// Reads "SCALE,OFFSET"; null unless both are finite numbers and the scale is
/// not zero.
std::optional<QuantAssumption> parseQuantAssumption(llvm::StringRef text);

/// Gives every fused node of \p graph the region with its members.
///
/// A node is fused if its kernel name begins with `te_fused_op_`; the name
/// spells the chain. Attributes of the members come from the nodes of the same
/// name in \p source, an earlier stage of the same graph, where given, and are
/// inferred from shapes otherwise; what is inferred is listed in the attribute
/// `ge.inferred` of the node. A node whose members stay ambiguous is an error
/// that names the missing facts; then all such nodes are reported and the
/// result is failure. Scale and offset of quantisation are in no graph after
/// fusion: \p quant, where given, stands in for those that \p source lacks,
/// and is listed as assumed.
mlir::LogicalResult
recoverFused(ge::GraphOp graph, ge::GraphOp source = nullptr,
             std::optional<QuantAssumption> quant = std::nullopt);

/// The graph of \p stage, a module with an earlier stage, that belongs to
/// \p graph: the one of the same name, otherwise the only one. Null if there
/// is none.
ge::GraphOp findStage(ge::GraphOp graph, mlir::ModuleOp stage);

} // namespace npu

#endif // NPU_TRANSFORMS_RECOVERFUSED_H
