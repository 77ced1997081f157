//===- DumpSize.cpp - What dumps take on a disk ---------------------------===//

#include "npu/Execution/DumpSize.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace npu;

DumpSize &DumpSize::operator+=(const DumpSize &other) {
  files = llvm::SaturatingAdd(files, other.files);
  bytes = llvm::SaturatingAdd(bytes, other.bytes);
  isBound |= other.isBound;
  isGuess |= other.isGuess;
  return *this;
}

DumpSize DumpSize::operator*(uint64_t times) const {
  return {llvm::SaturatingMultiply(files, times),
          llvm::SaturatingMultiply(bytes, times), isBound, isGuess};
}

DumpSize npu::measureJob(dump::DumpJob job, uint64_t blockSize) {
  // More than the text of a row with all statistics, and of an entry of the
  // manifest with a tensor.
  constexpr uint64_t statisticsRow = 512, manifestEntry = 512;
  uint64_t payload = 0, numTensors = 0;
  for (auto *tensors : {&job.record.inputs, &job.record.outputs})
    for (dump::DumpTensor &tensor : *tensors) {
      tensor.size = tensor.data.size();
      payload += tensor.size;
      ++numTensors;
    }
  if (payload == 0)
    return {};                             // makes no file
  job.record.dumpTime = uint64_t(1) << 50; // as long as that of these decades
  const uint64_t size =
      job.csv ? (numTensors + 1) * statisticsRow
              : dump::serializeHeader(job.record).size() + payload;
  return {1, llvm::alignTo(size, blockSize) + (numTensors + 1) * manifestEntry,
          job.csv != nullptr, /*isGuess=*/false};
}

DumpSize npu::measureIterations(
    const Session &session, llvm::SmallVector<uint64_t> starts,
    llvm::function_ref<void(const NodeRun &run, DumpSize &size)> measureNode,
    DumpSize &largest) {
  auto measure = [&](const Plan &plan, uint64_t iteration) {
    DumpSize size;
    size.isGuess = plan.graphs.size() > 1;
    for (const PlannedNode &node : plan.nodes) {
      const std::vector<Buffer> inputs(node.inputs.size());
      const std::vector<Buffer> outputs(node.outputs.size());
      measureNode(NodeRun{node, iteration, inputs, outputs}, size);
    }
    return size;
  };
  // Iterations between two starts have the same dumps.
  const IterationRange &iterations = session.iterations();
  llvm::append_range(starts, session.shapeStarts());
  llvm::erase_if(starts, [&](uint64_t start) {
    return start < iterations.first || start >= iterations.end();
  });
  llvm::sort(starts);
  starts.erase(llvm::unique(starts), starts.end());
  DumpSize total;
  for (size_t i = 0; i != starts.size(); ++i) {
    const uint64_t end =
        i + 1 == starts.size() ? iterations.end() : starts[i + 1];
    const DumpSize one = measure(session.planOf(starts[i]), starts[i]);
    if (one.bytes > largest.bytes)
      largest = one;
    total += one * (end - starts[i]);
  }
  return total;
}
