//===- CubeBench.cpp - Speed of the cube kernels against OpenBLAS ---------===//
//
// Runs each shape in turn on the kernels of this project (fp16, constant
// weights, status bits) and on OpenBLAS sgemm (fp32; convolutions as the
// product of the same size, without the cost of im2col), and prints medians and
// their ratio.
//
// CubeBench [rounds] [portable|avx2|avx512]
//
//===----------------------------------------------------------------------===//

#include "npu/Kernels/Registry.h"
#include "npu/Numerics/SimdTarget.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>
#include <time.h>

using namespace npu;
using namespace npu::kernels;

extern "C" void openblas_set_num_threads(int);

namespace {

struct GemmShape {
  const char *name;
  int64_t batch, m, k, n;
  bool constant; // the second operand, else it is packed in each run
  bool transposed;
};
// Of BERT-base at 128 tokens, and squares.
constexpr GemmShape gemms[] = {
    {"512", 1, 512, 512, 512, true, false},
    {"1024", 1, 1024, 1024, 1024, true, false},
    {"1024, x2 not constant", 1, 1024, 1024, 1024, false, false},
    {"fc 1x2048x1000", 1, 1, 2048, 1000, true, false},
    {"fc, x2 not constant", 1, 1, 2048, 1000, false, false},
    {"qkv 128x768x768", 1, 128, 768, 768, true, false},
    {"ffn1 128x768x3072", 1, 128, 768, 3072, true, false},
    {"ffn2 128x3072x768", 1, 128, 3072, 768, true, false},
    {"QK^T 12 x 128x64x128", 12, 128, 64, 128, false, true},
    {"PV 12 x 128x128x64", 12, 128, 128, 64, false, false},
};

struct ConvShape {
  int64_t count, cin, size, cout, kernel, stride;
};
// The convolutions of ResNet-50, and how often each occurs.
constexpr ConvShape convs[] = {
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

/// Of this thread, so that other work on the machine counts less.
double seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

template <class Body>
double timeOf(const Body &body) {
  const double begin = seconds();
  int count = 0;
  do {
    body();
    ++count;
  } while (seconds() - begin < 0.01);
  return (seconds() - begin) / count;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Buffer {
  TensorDesc desc;
  std::byte *data;
  Buffer(DataType type, Format format, Shape shape, Format originFormat,
         Shape originShape)
      : desc{type,
             format,
             0,
             std::move(shape),
             originFormat,
             std::move(originShape)} {
    const size_t bytes = (desc.byteSize() + 63) / 64 * 64;
    data = static_cast<std::byte *>(std::aligned_alloc(64, bytes));
    std::mt19937 random(1);
    auto *halves = reinterpret_cast<uint16_t *>(data);
    for (size_t i = 0; i < bytes / 2; ++i)
      halves[i] = static_cast<uint16_t>((random() & 0x83FF) | 0x3400);
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { std::free(data); }
};

struct Sgemm {
  int64_t batch, m, k, n;
  bool transposed;
  std::vector<float> a, b, c;
  Sgemm(int64_t batch, int64_t m, int64_t k, int64_t n, bool transposed)
      : batch(batch), m(m), k(k), n(n), transposed(transposed),
        a(batch * m * k, 0.5f), b(batch * k * n, 0.25f), c(batch * m * n) {}
  void run() {
    for (int64_t i = 0; i < batch; ++i)
      cblas_sgemm(CblasRowMajor, CblasNoTrans,
                  transposed ? CblasTrans : CblasNoTrans, m, n, k, 1.0f,
                  &a[i * m * k], k, &b[i * k * n], transposed ? k : n, 0.0f,
                  &c[i * m * n], n);
  }
};

struct Times {
  double ours, blas;
};

Times compare(const NodeSpec &spec, const Buffer &x, const Buffer &w,
              const Buffer &y, Sgemm &sgemm, int rounds) {
  const Registry registry = Registry::withBuiltins();
  auto kernel = registry.lookup(spec.type)->create(spec, {});
  if (!kernel) {
    std::fprintf(stderr, "%s\n", kernel.status().message().c_str());
    std::exit(1);
  }
  ThreadPool pool(1);
  RunContext context{pool};
  const ConstTensor inputs[] = {{&x.desc, x.data}, {&w.desc, w.data}};
  const MutableTensor outputs[] = {{&y.desc, y.data}};
  const auto ours = [&] { (void)(*kernel)->run(context, inputs, outputs); };
  ours(); // packs the weights
  std::vector<double> a, b;
  for (int round = 0; round < rounds; ++round) {
    a.push_back(timeOf(ours));
    b.push_back(timeOf([&] { sgemm.run(); }));
  }
  return {median(a), median(b)};
}

void print(const char *name, double flop, const Times &times) {
  std::printf("%-28s %7.1f %7.1f GFLOP/s  ratio %.2f\n", name,
              flop / times.ours * 1e-9, flop / times.blas * 1e-9,
              times.ours / times.blas);
}

} // namespace

int main(int argc, char **argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  openblas_set_num_threads(1);
  for (numerics::SimdTarget target : numerics::getSupportedTargets())
    if (argc > 2 && getName(target) == std::string_view(argv[2]))
      numerics::setTargetForTest(target);
  std::printf("%-28s %7s %7s, one thread, medians; ratio of times\n", "",
              "cube", "sgemm");
  double logs = 0;
  for (const GemmShape &g : gemms) {
    const auto matrices = [&](int64_t rows, int64_t columns) {
      const Shape shape = {g.batch, rows, columns};
      return Buffer(DataType::Float16, Format::ND, shape, Format::ND, shape);
    };
    const Buffer x = matrices(g.m, g.k), y = matrices(g.m, g.n);
    const Buffer w = g.transposed ? matrices(g.n, g.k) : matrices(g.k, g.n);
    NodeSpec spec;
    spec.type = "BatchMatMul";
    spec.inputs = {x.desc, w.desc};
    spec.outputs = {y.desc};
    spec.constants = {nullptr, g.constant ? w.data : nullptr};
    spec.attrs.set("adj_x2", g.transposed);
    Sgemm sgemm(g.batch, g.m, g.k, g.n, g.transposed);
    const Times times = compare(spec, x, w, y, sgemm, rounds);
    print(g.name, 2.0 * g.batch * g.m * g.k * g.n, times);
    logs += std::log(times.ours / times.blas);
  }
  std::printf("geometric mean of ratios %.3f\n\n",
              std::exp(logs / std::size(gemms)));

  double ours = 0, blas = 0, flops = 0;
  for (const ConvShape &s : convs) {
    const int64_t out = (s.size + s.stride - 1) / s.stride;
    const int64_t pad = (s.kernel - 1) / 2;
    const int64_t c1 = (s.cin + 15) / 16, co1 = s.cout / 16;
    Buffer x(DataType::Float16, Format::NC1HWC0, {1, c1, s.size, s.size, 16},
             Format::NCHW, {1, s.cin, s.size, s.size});
    Buffer w(DataType::Float16, Format::FRACTAL_Z,
             {c1 * s.kernel * s.kernel, co1, 16, 16}, Format::NCHW,
             {s.cout, s.cin, s.kernel, s.kernel});
    Buffer y(DataType::Float16, Format::NC1HWC0, {1, co1, out, out, 16},
             Format::NCHW, {1, s.cout, out, out});
    NodeSpec spec;
    spec.type = "Conv2D";
    spec.inputs = {x.desc, w.desc};
    spec.outputs = {y.desc};
    spec.constants = {nullptr, w.data};
    spec.attrs.set("strides", std::vector<int64_t>{1, 1, s.stride, s.stride});
    spec.attrs.set("pads", std::vector<int64_t>{pad, pad, pad, pad});
    spec.attrs.set("data_format", std::string("NCHW"));
    Sgemm sgemm(1, out * out, s.cin * s.kernel * s.kernel, s.cout, false);
    const Times times = compare(spec, x, w, y, sgemm, rounds);
    const double flop = 2.0 * out * out * s.cin * s.kernel * s.kernel * s.cout;
    char name[64];
    std::snprintf(name, sizeof(name), "conv %dx%d %d->%d @%d /%d",
                  int(s.kernel), int(s.kernel), int(s.cin), int(s.cout),
                  int(s.size), int(s.stride));
    print(name, flop, times);
    ours += s.count * times.ours;
    blas += s.count * times.blas;
    flops += s.count * flop;
  }
  std::printf("53 convolutions: cube %.1f ms (%.1f GFLOP/s), sgemm %.1f ms "
              "(%.1f GFLOP/s), ratio %.2f\n",
              ours * 1e3, flops / ours * 1e-9, blas * 1e3, flops / blas * 1e-9,
              ours / blas);
}
