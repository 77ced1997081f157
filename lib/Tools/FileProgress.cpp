//===- FileProgress.cpp - How many files are done -------------------------===//

#include "DumpCommands.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

FileProgress::FileProgress()
    : isWanted(llvm::sys::Process::StandardErrIsDisplayed()) {}

void FileProgress::draw(size_t numDone, size_t numFiles) {
  const auto now = std::chrono::steady_clock::now();
  if (!isWanted ||
      (isDrawn && now - lastDrawn < std::chrono::milliseconds(100)))
    return;
  lastDrawn = now;
  isDrawn = true;
  llvm::errs() << "\r\x1b[K" << numDone << " of " << numFiles << " files";
}

void FileProgress::clear() {
  if (isDrawn)
    llvm::errs() << "\r\x1b[K";
  isDrawn = false;
}
