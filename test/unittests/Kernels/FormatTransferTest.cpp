// Transfers against index formulas written out here, one a format.

#include "npu/Kernels/FormatTransfer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

/// A logical index by letter.
struct Index {
  int64_t n = 0, c = 0, d = 0, h = 0, w = 0;
};
struct Sizes {
  int64_t n = 1, c = 1, d = 1, h = 1, w = 1;
};

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Element number of \p i in a tensor of \p s, by the definition of the
/// format.
int64_t elementOf(Format format, Index i, Sizes s, int64_t c0, int64_t groups) {
  const int64_t c1 = ceilDiv(s.c, c0), n1 = ceilDiv(s.n, 16);
  switch (format) {
  case Format::NCHW:
    return ((i.n * s.c + i.c) * s.h + i.h) * s.w + i.w;
  case Format::NHWC:
    return ((i.n * s.h + i.h) * s.w + i.w) * s.c + i.c;
  case Format::HWCN:
    return ((i.h * s.w + i.w) * s.c + i.c) * s.n + i.n;
  case Format::CHWN:
    return ((i.c * s.h + i.h) * s.w + i.w) * s.n + i.n;
  case Format::NCDHW:
    return (((i.n * s.c + i.c) * s.d + i.d) * s.h + i.h) * s.w + i.w;
  case Format::NDHWC:
    return (((i.n * s.d + i.d) * s.h + i.h) * s.w + i.w) * s.c + i.c;
  case Format::DHWCN:
    return (((i.d * s.h + i.h) * s.w + i.w) * s.c + i.c) * s.n + i.n;
  case Format::NC1HWC0:
  case Format::NC1HWC0_C04:
    return (((i.n * c1 + i.c / c0) * s.h + i.h) * s.w + i.w) * c0 + i.c % c0;
  case Format::NDC1HWC0:
    return ((((i.n * s.d + i.d) * c1 + i.c / c0) * s.h + i.h) * s.w + i.w) *
               c0 +
           i.c % c0;
  case Format::FRACTAL_Z: {
    // Written from the table of groups; one group is the plain case.
    const int64_t rows = s.n / groups;
    int64_t e = 1;
    if (groups > 1)
      e = std::min(std::lcm(c0 / std::gcd(s.c, c0),
                            int64_t(16) / std::gcd(rows, int64_t(16))),
                   groups);
    const int64_t blocksC = ceilDiv(s.c * e, c0);
    const int64_t blocksN = ceilDiv(rows * e, 16);
    const int64_t group = i.n / rows;
    const int64_t c = group % e * s.c + i.c;
    const int64_t n = group % e * rows + i.n % rows;
    const int64_t row =
        ((group / e * blocksC + c / c0) * s.h + i.h) * s.w + i.w;
    return ((row * blocksN + n / 16) * 16 + n % 16) * c0 + c % c0;
  }
  case Format::FRACTAL_Z_3D: {
    const int64_t row = ((i.d * c1 + i.c / c0) * s.h + i.h) * s.w + i.w;
    return ((row * n1 + i.n / 16) * 16 + i.n % 16) * c0 + i.c % c0;
  }
  case Format::FRACTAL_Z_C04: {
    const int64_t k = (i.h * s.w + i.w) * 4 + i.c;
    return ((k / c0 * n1 + i.n / 16) * 16 + i.n % 16) * c0 + k % c0;
  }
  case Format::C1HWNCoC0:
    return ((((i.c / c0 * s.h + i.h) * s.w + i.w) * s.n + i.n) * c0 +
            i.c % c0) *
               c0 +
           i.c % c0;
  default:
    ADD_FAILURE() << "no formula";
    return 0;
  }
}

Shape originShape(Format format, Sizes s) {
  Shape shape;
  for (char letter : axisLetters(format))
    shape.push_back(letter == 'N'   ? s.n
                    : letter == 'C' ? s.c
                    : letter == 'D' ? s.d
                    : letter == 'H' ? s.h
                                    : s.w);
  return shape;
}

TensorDesc describe(DataType dtype, Format format, int64_t groups,
                    Format originFormat, Shape origin, int64_t c0) {
  auto shape = physicalShape(format, groups, dtype, originFormat, origin, c0);
  EXPECT_TRUE(shape.ok()) << shape.status().message();
  return {dtype, format, groups, *shape, originFormat, std::move(origin)};
}

/// Runs the transfer on numbered elements; padding of the source holds a value
/// that must not arrive.
template <typename T>
void check(const TensorDesc &source, const TensorDesc &target, Sizes s,
           const std::function<int64_t(Index)> &from,
           const std::function<int64_t(Index)> &to, ThreadPool *pool) {
  SCOPED_TRACE(source.toString() + " to " + target.toString());
  auto transfer = FormatTransfer::create(source, target);
  ASSERT_TRUE(transfer.ok()) << transfer.status().message();
  std::vector<T> in(source.numElements(), T(-1));
  std::vector<T> expected(target.numElements(), T(0));
  std::vector<T> out(target.numElements(), T(-2));
  int64_t number = 0;
  Index i;
  for (i.n = 0; i.n < s.n; ++i.n)
    for (i.c = 0; i.c < s.c; ++i.c)
      for (i.d = 0; i.d < s.d; ++i.d)
        for (i.h = 0; i.h < s.h; ++i.h)
          for (i.w = 0; i.w < s.w; ++i.w) {
            const T value = T(number++ % 100 + 1);
            in[from(i)] = value;
            expected[to(i)] = value;
          }
  transfer->run(reinterpret_cast<const std::byte *>(in.data()),
                reinterpret_cast<std::byte *>(out.data()), pool);
  EXPECT_EQ(out, expected);
}

template <typename T>
void checkPair(DataType dtype, Format a, Format b, Format originFormat, Sizes s,
               int64_t c0, int64_t groups, ThreadPool *pool) {
  const Shape origin = originShape(originFormat, s);
  auto lanes = [&](Format f) {
    return f == Format::NC1HWC0_C04 ? int64_t(4) : c0;
  };
  auto groupsOf = [&](Format f) { return f == Format::FRACTAL_Z ? groups : 0; };
  TensorDesc source =
      describe(dtype, a, groupsOf(a), originFormat, origin, lanes(a));
  TensorDesc target =
      describe(dtype, b, groupsOf(b), originFormat, origin, lanes(b));
  check<T>(
      source, target, s,
      [&](Index i) { return elementOf(a, i, s, lanes(a), groups); },
      [&](Index i) { return elementOf(b, i, s, lanes(b), groups); }, pool);
}

} // namespace

TEST(FormatTransferTest, ImagesAndFiltersOfEveryPair) {
  const Format formats[] = {
      Format::NCHW,      Format::NHWC,         Format::HWCN,
      Format::CHWN,      Format::NC1HWC0,      Format::NC1HWC0_C04,
      Format::FRACTAL_Z, Format::FRACTAL_Z_3D, Format::NDC1HWC0};
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  ThreadPool pool(3);
  for (Format a : formats)
    for (Format b : formats)
      for (Format origin : {Format::NCHW, Format::NHWC, Format::HWCN}) {
        Sizes s{pick(1, 35), pick(1, 50), 1, pick(1, 5), pick(1, 5)};
        checkPair<uint16_t>(DataType::Float16, a, b, origin, s, 16, 1, nullptr);
        Sizes u{pick(1, 3), pick(1, 70), 1, pick(1, 9), pick(1, 9)};
        checkPair<int8_t>(DataType::Int8, a, b, origin, u, 32, 1, &pool);
        checkPair<float>(DataType::Float, a, b, origin, u, 8, 1, nullptr);
      }
}

TEST(FormatTransferTest, Volumes) {
  const Format formats[] = {Format::NCDHW, Format::NDHWC, Format::DHWCN,
                            Format::NDC1HWC0, Format::FRACTAL_Z_3D};
  const Sizes s{19, 21, 3, 4, 2};
  for (Format a : formats)
    for (Format b : formats)
      for (Format origin : {Format::NCDHW, Format::DHWCN})
        checkPair<uint16_t>(DataType::Float16, a, b, origin, s, 16, 1, nullptr);
}

TEST(FormatTransferTest, FilterWithFourChannels) {
  for (int64_t c = 1; c <= 4; ++c)
    for (Format plain : {Format::NCHW, Format::HWCN})
      for (int64_t c0 : {16, 32}) {
        const Sizes s{33, c, 1, 7, 3};
        checkPair<uint16_t>(DataType::Float16, plain, Format::FRACTAL_Z_C04,
                            plain, s, c0, 1, nullptr);
        checkPair<uint16_t>(DataType::Float16, Format::FRACTAL_Z_C04, plain,
                            plain, s, c0, 1, nullptr);
        checkPair<uint16_t>(DataType::Float16, Format::FRACTAL_Z_C04,
                            Format::FRACTAL_Z, plain, s, c0, 1, nullptr);
      }
}

TEST(FormatTransferTest, DiagonalFilter) {
  const Sizes s{1, 37, 1, 3, 2};
  checkPair<uint16_t>(DataType::Float16, Format::HWCN, Format::C1HWNCoC0,
                      Format::HWCN, s, 16, 1, nullptr);
  checkPair<uint16_t>(DataType::Float16, Format::C1HWNCoC0, Format::NCHW,
                      Format::HWCN, s, 16, 1, nullptr);
}

TEST(FormatTransferTest, GroupedFilter) {
  struct Case {
    int64_t groups, rows, c;
  };
  ThreadPool pool(3);
  for (auto [groups, rows, c] :
       {Case{2, 5, 3}, Case{64, 1, 1}, Case{32, 4, 4}, Case{3, 16, 16},
        Case{6, 24, 20}, Case{7, 2, 8}, Case{2, 1, 40}, Case{5, 33, 1}})
    for (Format plain : {Format::NCHW, Format::HWCN}) {
      const Sizes s{groups * rows, c, 1, 3, 2};
      checkPair<uint16_t>(DataType::Float16, plain, Format::FRACTAL_Z, plain, s,
                          16, groups, &pool);
      checkPair<uint16_t>(DataType::Float16, Format::FRACTAL_Z, plain, plain, s,
                          16, groups, nullptr);
    }
}

TEST(FormatTransferTest, Matrices) {
  for (Shape origin : {Shape{100, 20}, Shape{1, 21}, Shape{16, 16}, Shape{1, 1},
                       Shape{3, 2, 33, 47}, Shape{5, 17, 40}, Shape{40}}) {
    for (Format originFormat : {Format::ND, Format::NHWC}) {
      const bool isVector = origin.size() == 1;
      const int64_t rank = static_cast<int64_t>(origin.size());
      const int64_t m = isVector ? origin[0] : origin[rank - 2];
      const int64_t k = isVector ? 1 : origin[rank - 1];
      const int64_t batch = getNumElements(origin) / (m * k);
      const int64_t m1 = ceilDiv(m, 16), k1 = ceilDiv(k, 16);
      TensorDesc plain{DataType::Float16, Format::ND, 0, origin,
                       originFormat,      origin};
      TensorDesc nz = describe(DataType::Float16, Format::FRACTAL_NZ, 0,
                               originFormat, origin, 16);
      // n, h, w stand for batch, row, column.
      const Sizes s{batch, 1, 1, m, k};
      auto inPlain = [&](Index i) { return (i.n * m + i.h) * k + i.w; };
      auto inNz = [&](Index i) {
        return (((i.n * k1 + i.w / 16) * m1 + i.h / 16) * 16 + i.h % 16) * 16 +
               i.w % 16;
      };
      check<uint16_t>(plain, nz, s, inPlain, inNz, nullptr);
      check<uint16_t>(nz, plain, s, inNz, inPlain, nullptr);
      if (rank != 2)
        continue;
      TensorDesc fz = describe(DataType::Float16, Format::FRACTAL_Z, 0,
                               originFormat, origin, 16);
      auto inFz = [&](Index i) {
        return ((i.h / 16 * k1 + i.w / 16) * 16 + i.w % 16) * 16 + i.h % 16;
      };
      check<uint16_t>(plain, fz, s, inPlain, inFz, nullptr);
      check<uint16_t>(fz, nz, s, inFz, inNz, nullptr);
    }
  }
}

TEST(FormatTransferTest, VectorOfChannels) {
  TensorDesc plain{DataType::Float16, Format::NCHW, 0, {1000},
                   Format::NCHW,      {1000}};
  TensorDesc blocked{DataType::Float16, Format::NC1HWC0, 0,
                     {1, 63, 1, 1, 16}, Format::NCHW,    {1000}};
  check<uint16_t>(
      plain, blocked, {1, 1000, 1, 1, 1}, [](Index i) { return i.c; },
      [](Index i) { return i.c; }, nullptr);
}

TEST(FormatTransferTest, WiderElements) {
  const Sizes s{2, 20, 1, 3, 3};
  checkPair<uint64_t>(DataType::Int64, Format::NHWC, Format::NC1HWC0,
                      Format::NHWC, s, 16, 1, nullptr);
}

TEST(FormatTransferTest, EmptyTensor) {
  TensorDesc plain{DataType::Float16, Format::NCHW, 0,
                   {0, 3, 4, 4},      Format::NCHW, {0, 3, 4, 4}};
  TensorDesc blocked{DataType::Float16, Format::NC1HWC0, 0,
                     {0, 1, 4, 4, 16},  Format::NCHW,    {0, 3, 4, 4}};
  auto transfer = FormatTransfer::create(plain, blocked);
  ASSERT_TRUE(transfer.ok()) << transfer.status().message();
  transfer->run(nullptr, nullptr);
}

TEST(FormatTransferTest, Refusals) {
  TensorDesc a{DataType::Float16, Format::NCHW, 0,
               {1, 3, 4, 4},      Format::NCHW, {1, 3, 4, 4}};
  TensorDesc other = a;
  other.shape = other.originShape = {1, 4, 3, 4};
  EXPECT_NE(FormatTransfer::create(a, other).status().message().find(
                "different logical tensors"),
            std::string::npos);
  TensorDesc wide = a;
  wide.dtype = DataType::Float;
  EXPECT_NE(FormatTransfer::create(a, wide).status().message().find(
                "differ in width"),
            std::string::npos);
  TensorDesc nibble = a;
  nibble.dtype = DataType::Int4;
  EXPECT_NE(FormatTransfer::create(nibble, nibble)
                .status()
                .message()
                .find("not whole bytes"),
            std::string::npos);
}
