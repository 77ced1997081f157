//===- InputFile.h - Read an input file ------------------------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_INPUTFILE_H
#define NPU_LIB_TOOLS_INPUTFILE_H

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace npu {

/// The content of the file \p path ("-" is the standard input), aligned as
/// constants in MLIR bytecode need it: MLIR's reader refuses such bytecode at
/// any other address. Null after a failure, with a \p message.
std::unique_ptr<llvm::MemoryBuffer> readInputFile(llvm::StringRef path,
                                                  std::string &message);

} // namespace npu

#endif // NPU_LIB_TOOLS_INPUTFILE_H
