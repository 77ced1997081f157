//===- Node.h - One node and its tensors, ready to run ---------*- C++ -*-===//

#ifndef NPU_UTILS_BENCH_NODE_H
#define NPU_UTILS_BENCH_NODE_H

#include "npu/Kernels/Registry.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

namespace npu::bench {

/// A tensor with fp16 values of both signs around 0.25 to 0.5, which neither
/// overflow in sums nor vanish.
class Tensor {
public:
  explicit Tensor(TensorDesc description) : desc(std::move(description)) {
    const size_t bytes = (desc.byteSize() + 63) / 64 * 64;
    data.reset(static_cast<std::byte *>(std::aligned_alloc(64, bytes)));
    std::minstd_rand random(1);
    auto *halves = reinterpret_cast<uint16_t *>(data.get());
    for (size_t i = 0; i < bytes / 2; ++i)
      halves[i] = static_cast<uint16_t>((random() & 0x83FF) | 0x3400);
  }

  TensorDesc desc;
  struct Free {
    void operator()(std::byte *memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> data;
};

/// A list of tensors, which cannot be copied.
template <class... Tensors>
std::vector<Tensor> listOf(Tensors... tensors) {
  std::vector<Tensor> list;
  (list.push_back(std::move(tensors)), ...);
  return list;
}

inline Tensor makeTensor(Shape shape, DataType type = DataType::Float16) {
  return Tensor({type, Format::ND, 0, shape, Format::ND, shape});
}

/// A node with its inputs and outputs. Inputs whose number is in \p constants
/// keep their bytes, so that the kernel may pack them once.
class Node {
public:
  Node(const std::string &type, kernels::Attributes attrs,
       std::vector<Tensor> inputTensors, std::vector<Tensor> outputTensors,
       std::vector<size_t> constants, unsigned threads)
      : inputs(std::move(inputTensors)), outputs(std::move(outputTensors)),
        pool(threads) {
    kernels::NodeSpec spec;
    spec.type = spec.name = type;
    spec.attrs = std::move(attrs);
    for (const Tensor &input : inputs)
      spec.inputs.push_back(input.desc);
    for (const Tensor &output : outputs)
      spec.outputs.push_back(output.desc);
    spec.constants.resize(inputs.size());
    for (size_t index : constants)
      spec.constants[index] = inputs[index].data.get();
    static const kernels::Registry registry = kernels::Registry::withBuiltins();
    auto made = registry.lookup(type)->create(spec, {});
    if (!made) {
      std::fprintf(stderr, "%s: %s\n", type.c_str(),
                   made.status().message().c_str());
      std::exit(1);
    }
    kernel = std::move(*made);
  }

  void run() {
    kernels::RunContext context{pool};
    std::vector<kernels::ConstTensor> from;
    for (const Tensor &input : inputs)
      from.push_back({&input.desc, input.data.get()});
    std::vector<kernels::MutableTensor> to;
    for (const Tensor &output : outputs)
      to.push_back({&output.desc, output.data.get()});
    if (auto status = kernel->run(context, from, to); !status) {
      std::fprintf(stderr, "%s\n", status.status().message().c_str());
      std::exit(1);
    }
  }

private:
  std::vector<Tensor> inputs, outputs;
  ThreadPool pool;
  std::unique_ptr<kernels::Kernel> kernel;
};

} // namespace npu::bench

#endif // NPU_UTILS_BENCH_NODE_H
