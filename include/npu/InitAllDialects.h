//===- InitAllDialects.h - Register the dialects of this project *- C++ -*-===//

#ifndef NPU_INITALLDIALECTS_H
#define NPU_INITALLDIALECTS_H

#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Dialect/Instr/IR/Instr.h"

namespace npu {

inline void registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<ge::GEDialect, instr::InstrDialect>();
}

} // namespace npu

#endif // NPU_INITALLDIALECTS_H
