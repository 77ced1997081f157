//===- CubeBench.cpp - Speed of the cube kernels --------------------------===//
//
// Matrix products of ResNet-50 and BERT-base against OpenBLAS sgemm (T1), and
// the convolutions of ResNet-50 against oneDNN in fp32 with layouts of its own
// choice and a ReLU (T2). This project computes in fp16 with fp32 sums, rounds
// each result once and keeps status bits; constant operands are packed before.
//
//   CubeBench products|convolutions [THREADS [ROUNDS [portable|avx2|avx512]]]
//
//===----------------------------------------------------------------------===//

#include "../Measure.h"
#include "../Node.h"

#include "npu/Numerics/SimdTarget.h"

#include <cblas.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <string_view>

using namespace npu;
using namespace npu::bench;

namespace {

struct Product {
  const char *name;
  int64_t m, n, k, batch;
  bool constant; // the second operand, a weight
};
constexpr Product products[] = {
    {"square 256", 256, 256, 256, 1, true},
    {"square 512", 512, 512, 512, 1, true},
    {"square 1024", 1024, 1024, 1024, 1, true},
    {"square 2048", 2048, 2048, 2048, 1, true},
    {"resnet stage 1, 1x1", 3136, 256, 64, 1, true},
    {"resnet stage 1, 3x3", 3136, 64, 576, 1, true},
    {"resnet stage 2, 3x3", 784, 128, 1152, 1, true},
    {"resnet stage 3, 3x3", 196, 256, 2304, 1, true},
    {"resnet stage 3, 1x1", 196, 1024, 256, 1, true},
    {"resnet stage 4, 3x3", 49, 512, 4608, 1, true},
    {"resnet stage 4, 1x1", 49, 2048, 512, 1, true},
    {"resnet fc", 1, 1000, 2048, 1, true},
    {"bert qkv", 128, 768, 768, 1, true},
    {"bert ffn 1", 128, 3072, 768, 1, true},
    {"bert ffn 2", 128, 768, 3072, 1, true},
    {"bert QK^T", 128, 128, 64, 12, false},
    {"bert PV", 128, 64, 128, 12, false},
};

struct Image {
  int count;
  int64_t cin, size, cout, kernel, stride;
  int64_t out() const { return (size + stride - 1) / stride; }
  double work() const {
    return 2.0 * out() * out() * cin * kernel * kernel * cout;
  }
};
// The 53 convolutions of ResNet-50 v1.5, and how often each occurs.
constexpr Image images[] = {
    {1, 3, 224, 64, 7, 2},     {1, 64, 56, 64, 1, 1},
    {3, 64, 56, 64, 3, 1},     {4, 64, 56, 256, 1, 1},
    {2, 256, 56, 64, 1, 1},    {1, 256, 56, 128, 1, 1},
    {1, 128, 56, 128, 3, 2},   {4, 128, 28, 512, 1, 1},
    {1, 256, 56, 512, 1, 2},   {3, 512, 28, 128, 1, 1},
    {3, 128, 28, 128, 3, 1},   {1, 512, 28, 256, 1, 1},
    {1, 256, 28, 256, 3, 2},   {6, 256, 14, 1024, 1, 1},
    {1, 512, 28, 1024, 1, 2},  {5, 1024, 14, 256, 1, 1},
    {5, 256, 14, 256, 3, 1},   {1, 1024, 14, 512, 1, 1},
    {1, 512, 14, 512, 3, 2},   {3, 512, 7, 2048, 1, 1},
    {1, 1024, 14, 2048, 1, 2}, {2, 2048, 7, 512, 1, 1},
    {2, 512, 7, 512, 3, 1},
};

class Sgemm {
public:
  explicit Sgemm(const Product &shape)
      : shape(shape), a(shape.batch * shape.m * shape.k, 0.5f),
        b(shape.batch * shape.k * shape.n, 0.25f),
        c(shape.batch * shape.m * shape.n) {}
  void run() {
    const auto &[name, m, n, k, batch, constant] = shape;
    for (int64_t i = 0; i < batch; ++i)
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f,
                  &a[i * m * k], k, &b[i * k * n], n, 0.0f, &c[i * m * n], n);
  }

private:
  Product shape;
  std::vector<float> a, b, c;
};

Node makeProduct(const Product &p, unsigned threads) {
  std::vector<size_t> constants;
  if (p.constant)
    constants.push_back(1);
  return Node(
      "BatchMatMul", {},
      listOf(makeTensor({p.batch, p.m, p.k}), makeTensor({p.batch, p.k, p.n})),
      listOf(makeTensor({p.batch, p.m, p.n})), constants, threads);
}

Node makeConvolution(const Image &i, unsigned threads) {
  const int64_t c1 = (i.cin + 15) / 16, co1 = (i.cout + 15) / 16;
  const int64_t pad = (i.kernel - 1) / 2, out = i.out();
  const auto image = [](int64_t c1, int64_t size, int64_t channels) {
    return Tensor({DataType::Float16,
                   Format::NC1HWC0,
                   0,
                   {1, c1, size, size, 16},
                   Format::NCHW,
                   {1, channels, size, size}});
  };
  Tensor filter({DataType::Float16,
                 Format::FRACTAL_Z,
                 0,
                 {c1 * i.kernel * i.kernel, co1, 16, 16},
                 Format::NCHW,
                 {i.cout, i.cin, i.kernel, i.kernel}});
  kernels::Attributes attrs;
  attrs.set("strides", std::vector<int64_t>{1, 1, i.stride, i.stride});
  attrs.set("pads", std::vector<int64_t>{pad, pad, pad, pad});
  attrs.set("data_format", std::string("NCHW"));
  return Node("Conv2D", std::move(attrs),
              listOf(image(c1, i.size, i.cin), std::move(filter)),
              listOf(image(co1, out, i.cout)), {1}, threads);
}

class DnnlConvolution {
public:
  explicit DnnlConvolution(const Image &i)
      : engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    using dnnl::memory;
    const auto type = memory::data_type::f32;
    const auto any = memory::format_tag::any;
    const int64_t pad = i.kernel / 2, out = i.out();
    const int64_t padEnd = (out - 1) * i.stride + i.kernel - i.size - pad;
    const dnnl::convolution_forward::desc desc(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto,
        memory::desc({1, i.cin, i.size, i.size}, type, any),
        memory::desc({i.cout, i.cin, i.kernel, i.kernel}, type, any),
        memory::desc({i.cout}, type, memory::format_tag::a),
        memory::desc({1, i.cout, out, out}, type, any), {i.stride, i.stride},
        {pad, pad}, {padEnd, padEnd});
    dnnl::post_ops relu;
    relu.append_eltwise(1.f, dnnl::algorithm::eltwise_relu, 0.f, 0.f);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(relu);
    const dnnl::convolution_forward::primitive_desc primitive(desc, attributes,
                                                              engine);
    convolution = dnnl::convolution_forward(primitive);
    arguments = {{DNNL_ARG_SRC, fill(primitive.src_desc())},
                 {DNNL_ARG_WEIGHTS, fill(primitive.weights_desc())},
                 {DNNL_ARG_BIAS, fill(primitive.bias_desc())},
                 {DNNL_ARG_DST, fill(primitive.dst_desc())}};
  }
  void run() {
    convolution.execute(stream, arguments);
    stream.wait();
  }

private:
  dnnl::engine engine;
  dnnl::stream stream;
  dnnl::convolution_forward convolution;
  std::unordered_map<int, dnnl::memory> arguments;

  dnnl::memory fill(const dnnl::memory::desc &desc) {
    dnnl::memory memory(desc, engine);
    auto *values = static_cast<float *>(memory.get_data_handle());
    for (size_t i = 0; i < desc.get_size() / sizeof(float); ++i)
      values[i] = 0.01f * static_cast<float>(i % 13) - 0.05f;
    return memory;
  }
};

} // namespace

// The second is of GNU's OpenMP, which oneDNN uses; Clang's header is
// another's.
extern "C" void openblas_set_num_threads(int);
extern "C" void omp_set_num_threads(int);

int main(int argc, char **argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 7;
  for (numerics::SimdTarget target : numerics::getSupportedTargets())
    if (argc > 4 && getName(target) == std::string_view(argv[4]))
      numerics::setTargetForTest(target);
  openblas_set_num_threads(threads);
  omp_set_num_threads(threads);

  if (mode == "products") {
    for (const Product &shape : products) {
      Node node = makeProduct(shape, threads);
      Sgemm sgemm(shape);
      print(
          "products", shape.name, 1,
          2.0 * shape.batch * shape.m * shape.n * shape.k,
          compare(rounds, threads, [&] { node.run(); }, [&] { sgemm.run(); }));
    }
  } else if (mode == "convolutions") {
    for (const Image &shape : images) {
      Node node = makeConvolution(shape, threads);
      DnnlConvolution peer(shape);
      const std::string name =
          std::to_string(shape.kernel) + "x" + std::to_string(shape.kernel) +
          " " + std::to_string(shape.cin) + " to " +
          std::to_string(shape.cout) + " at " + std::to_string(shape.size) +
          " by " + std::to_string(shape.stride);
      print("convolutions", name, shape.count, shape.work(),
            compare(rounds, threads, [&] { node.run(); }, [&] { peer.run(); }));
    }
  } else {
    std::fprintf(stderr, "usage: CubeBench products|convolutions [THREADS "
                         "[ROUNDS [portable|avx2|avx512]]]\n");
    return 1;
  }
}
