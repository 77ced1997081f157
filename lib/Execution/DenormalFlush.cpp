//===- DenormalFlush.cpp - Denormal fp16 values become zero ---------------===//

#include "DenormalFlush.h"

using namespace npu;
using namespace npu::kernels;

bool npu::flushDenormals(const TensorDesc &desc, std::byte *data) {
  if (desc.dtype != DataType::Float16)
    return false;
  auto *bits = reinterpret_cast<uint16_t *>(data);
  uint16_t flushed = 0;
  for (int64_t i = 0, count = desc.numElements(); i != count; ++i) {
    const bool isDenormal = (bits[i] & 0x7C00) == 0;
    flushed |= isDenormal ? bits[i] & 0x3FF : 0;
    bits[i] = isDenormal ? bits[i] & 0x8000 : bits[i];
  }
  return flushed != 0;
}

namespace {
class FlushingKernel : public Kernel {
public:
  explicit FlushingKernel(std::unique_ptr<Kernel> kernel)
      : kernel(std::move(kernel)) {}

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override {
    Expected<NodeStatus> status = kernel->run(context, inputs, outputs);
    if (!status)
      return status;
    for (const MutableTensor &output : outputs)
      if (flushDenormals(*output.desc, output.data))
        status->valid |= status::FloatUnderflow;
    return status;
  }

private:
  std::unique_ptr<Kernel> kernel;
};
} // namespace

std::unique_ptr<Kernel>
npu::makeFlushingKernel(std::unique_ptr<Kernel> kernel) {
  return std::make_unique<FlushingKernel>(std::move(kernel));
}
