//===- VectorBench.cpp - Speed of the vector kernels ----------------------===//
//
// Kernels of fp16 tensors on one thread (T10) against oneDNN in fp32:
// element-wise operators on tensors that fit the second-level cache, and exp,
// gelu, softmax and layer normalisation at the sizes of BERT-base. This project
// converts from and to fp16, rounds as the NPU does and keeps status bits.
//
//   VectorBench [ROUNDS [portable|avx2|avx512 [NAME]]]
//
//===----------------------------------------------------------------------===//

#include "../Measure.h"
#include "../Node.h"

#include "npu/Numerics/SimdTarget.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <string_view>

using namespace npu;
using namespace npu::bench;

extern "C" void omp_set_num_threads(int); // of GNU's OpenMP

namespace {

using dnnl::algorithm;
using dnnl::memory;

/// A primitive of oneDNN and its tensors of fp32.
class Peer {
public:
  static dnnl::engine &engine() {
    static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
  }

  static memory::desc tensor(const Shape &shape) {
    memory::dims strides(shape.size(), 1);
    for (size_t i = shape.size(); --i > 0;)
      strides[i - 1] = strides[i] * shape[i];
    return {{shape.begin(), shape.end()}, memory::data_type::f32, strides};
  }

  Peer(dnnl::primitive primitive,
       std::initializer_list<std::pair<int, memory::desc>> tensors)
      : primitive(std::move(primitive)) {
    for (const auto &[argument, desc] : tensors) {
      memory filled(desc, engine());
      auto *values = static_cast<float *>(filled.get_data_handle());
      for (size_t i = 0; i < desc.get_size() / sizeof(float); ++i)
        values[i] = 0.01f * static_cast<float>(i % 101) - 0.5f;
      arguments.insert({argument, filled});
    }
  }

  void run() {
    primitive.execute(stream, arguments);
    stream.wait();
  }

private:
  dnnl::stream stream{engine()};
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
};

constexpr auto Inference = dnnl::prop_kind::forward_inference;

Peer binary(algorithm kind, const Shape &shape) {
  const memory::desc x = Peer::tensor(shape);
  return {dnnl::binary({{kind, x, x, x}, Peer::engine()}),
          {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, x}, {DNNL_ARG_DST, x}}};
}

Peer eltwise(algorithm kind, const Shape &shape) {
  const memory::desc x = Peer::tensor(shape);
  return {dnnl::eltwise_forward({{Inference, kind, x, 0.f}, Peer::engine()}),
          {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}}};
}

Peer softmax(const Shape &shape) {
  const memory::desc x = Peer::tensor(shape);
  return {dnnl::softmax_forward({{Inference, x, 1}, Peer::engine()}),
          {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, x}}};
}

Peer layerNorm(const Shape &shape) {
  const memory::desc x = Peer::tensor(shape), line = Peer::tensor({shape[1]});
  const auto flags = dnnl::normalization_flags::use_scale |
                     dnnl::normalization_flags::use_shift;
  return {dnnl::layer_normalization_forward(
              {{Inference, x, 1e-5f, flags}, Peer::engine()}),
          {{DNNL_ARG_SRC, x},
           {DNNL_ARG_DST, x},
           {DNNL_ARG_SCALE, line},
           {DNNL_ARG_SHIFT, line}}};
}

/// The only case to measure, or null.
const char *chosen = nullptr;

void measure(const char *name, int rounds, const Shape &shape, Node node,
             Peer peer) {
  if (chosen && chosen != std::string_view(name))
    return;
  double elements = 1;
  for (int64_t size : shape)
    elements *= static_cast<double>(size);
  print("vector", name, 1, elements,
        compare(rounds, 1, [&] { node.run(); }, [&] { peer.run(); }));
}

Node makeNode(const char *type, const Shape &shape, int inputs) {
  std::vector<Tensor> from;
  for (int i = 0; i < inputs; ++i)
    from.push_back(makeTensor(shape));
  return Node(type, {}, std::move(from), listOf(makeTensor(shape)), {}, 1);
}

Node makeLayerNorm(const Shape &shape) {
  kernels::Attributes attrs;
  attrs.set("begin_norm_axis", int64_t(1));
  attrs.set("begin_params_axis", int64_t(1));
  attrs.set("epsilon", 1e-5f);
  const Shape line{shape[1]}, moments{shape[0], 1};
  return Node(
      "LayerNorm", std::move(attrs),
      listOf(makeTensor(shape), makeTensor(line), makeTensor(line)),
      listOf(makeTensor(shape), makeTensor(moments), makeTensor(moments)), {},
      1);
}

} // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  for (numerics::SimdTarget target : numerics::getSupportedTargets())
    if (argc > 2 && getName(target) == std::string_view(argv[2]))
      numerics::setTargetForTest(target);
  if (argc > 3)
    chosen = argv[3];
  omp_set_num_threads(1);

  const Shape cached{64, 1024}, hidden{128, 768}, intermediate{128, 3072},
      scores{12 * 128, 128};
  measure("add", rounds, cached, makeNode("Add", cached, 2),
          binary(algorithm::binary_add, cached));
  measure("mul", rounds, cached, makeNode("Mul", cached, 2),
          binary(algorithm::binary_mul, cached));
  measure("relu", rounds, cached, makeNode("Relu", cached, 1),
          eltwise(algorithm::eltwise_relu, cached));
  measure("exp", rounds, intermediate, makeNode("Exp", intermediate, 1),
          eltwise(algorithm::eltwise_exp, intermediate));
  measure("gelu", rounds, intermediate, makeNode("Gelu", intermediate, 1),
          eltwise(algorithm::eltwise_gelu_tanh, intermediate));
  measure("softmax", rounds, scores, makeNode("SoftmaxV2", scores, 1),
          softmax(scores));
  measure("layer norm", rounds, hidden, makeLayerNorm(hidden),
          layerNorm(hidden));
}
