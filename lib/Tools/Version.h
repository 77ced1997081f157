//===- Version.h - What --version prints -----------------------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_VERSION_H
#define NPU_LIB_TOOLS_VERSION_H

#include "llvm/Support/raw_ostream.h"

namespace npu {

inline void printVersion(llvm::raw_ostream &os) {
  os << "npu-mlir " NPU_VERSION " (LLVM " NPU_LLVM_VERSION ")\n";
}

} // namespace npu

#endif // NPU_LIB_TOOLS_VERSION_H
