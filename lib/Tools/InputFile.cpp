//===- InputFile.cpp - Read an input file ---------------------------------===//

#include "InputFile.h"

#include "mlir/Support/FileUtilities.h"

std::unique_ptr<llvm::MemoryBuffer> npu::readInputFile(llvm::StringRef path,
                                                       std::string &message) {
  const llvm::Align alignment(64);
  std::unique_ptr<llvm::MemoryBuffer> file =
      mlir::openInputFile(path, alignment, &message);
  if (!file || llvm::isAddrAligned(alignment, file->getBufferStart()))
    return file;
  // The standard input comes as it comes.
  auto aligned = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      file->getBufferSize(), file->getBufferIdentifier(), alignment);
  if (!aligned) {
    message = "out of memory";
    return nullptr;
  }
  llvm::copy(file->getBuffer(), aligned->getBufferStart());
  return aligned;
}
