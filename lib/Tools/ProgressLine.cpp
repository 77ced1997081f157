//===- ProgressLine.cpp - How far a run is --------------------------------===//

#include "ProgressLine.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;

bool ProgressLine::isWanted() {
  return llvm::sys::Process::StandardErrIsDisplayed();
}

void ProgressLine::begin(size_t nodes, const IterationRange &range) {
  std::lock_guard lock(mutex);
  numNodes = nodes;
  iterations = range;
  iteration = range.first;
  node = 0;
}

Status ProgressLine::nodeFinished(const NodeRun &run) {
  std::lock_guard lock(mutex);
  if (iteration != run.iteration)
    node = 0;
  iteration = run.iteration;
  ++node;
  draw();
  return {};
}

void ProgressLine::dumpProgressed(uint64_t written, uint64_t queued) {
  std::lock_guard lock(mutex);
  bytesWritten = written;
  bytesQueued = queued;
  draw();
}

void ProgressLine::draw() {
  const auto now = std::chrono::steady_clock::now();
  if (isDrawn && now - lastDrawn < std::chrono::milliseconds(100))
    return;
  lastDrawn = now;
  isDrawn = true;
  std::string line = llvm::formatv("\r\x1b[Kiteration {0} of {1}, node {2} of "
                                   "{3}",
                                   iteration - iterations.first + 1,
                                   iterations.count, node, numNodes)
                         .str();
  if (bytesWritten || bytesQueued)
    line += llvm::formatv(", {0:f1} MB of dumps written, {1:f1} MB left",
                          static_cast<double>(bytesWritten) / 1e6,
                          static_cast<double>(bytesQueued) / 1e6)
                .str();
  llvm::errs() << line;
}

void ProgressLine::clear() {
  std::lock_guard lock(mutex);
  if (isDrawn)
    llvm::errs() << "\r\x1b[K";
  isDrawn = false;
}
