//===- Passes.h - Passes of this project -----------------------*- C++ -*-===//

#ifndef NPU_TRANSFORMS_PASSES_H
#define NPU_TRANSFORMS_PASSES_H

#include "npu/Dialect/Instr/IR/Instr.h"

#include "mlir/Pass/Pass.h"

namespace npu {

/// The side of an operation that a dump shows.
enum class DumpMode { Input, Output, All };

#define GEN_PASS_DECL
#include "npu/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "npu/Transforms/Passes.h.inc"

} // namespace npu

#endif // NPU_TRANSFORMS_PASSES_H
