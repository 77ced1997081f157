//===- PointwiseLoop.cpp - All elements of a pointwise kernel -------------===//

#include "PointwiseLoop.h"

#include <array>
#include <mutex>

using namespace npu;
using namespace npu::kernels;

NodeStatus kernels::runPointwise(Pointwise &kernel, RunContext &context,
                                 std::span<const ConstTensor> inputs,
                                 const MutableTensor &output, int64_t grain) {
  const auto sizeOf = [](const TensorDesc &desc) -> int64_t {
    return getBitWidth(desc.dtype) / 8;
  };
  kernel.prepare();
  NodeStatus status;
  std::mutex mutex;
  context.pool.parallelFor(
      output.desc->numElements(), grain,
      [&](int64_t begin, int64_t end, int64_t) {
        std::array<const void *, 4> few; // spares most operators a list
        std::vector<const void *> many(
            inputs.size() > few.size() ? inputs.size() : 0);
        const std::span<const void *> operands =
            many.empty() ? std::span(few).first(inputs.size())
                         : std::span(many);
        for (size_t i = 0; i < inputs.size(); ++i)
          operands[i] = inputs[i].data + begin * sizeOf(*inputs[i].desc);
        const NodeStatus part =
            kernel.computeRange(begin, end - begin, operands,
                                output.data + begin * sizeOf(*output.desc));
        if (part.valid != status::None || part.padding != status::None) {
          std::lock_guard lock(mutex);
          status |= part;
        }
        if (context.finished)
          context.finished(begin, end);
      });
  return status;
}
