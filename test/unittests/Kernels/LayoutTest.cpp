#include "npu/Kernels/Layout.h"

#include <gtest/gtest.h>

using namespace npu;
using namespace npu::kernels;

namespace {
struct ShapeCase {
  Format format;
  int64_t groups;
  DataType dtype;
  Format originFormat;
  Shape origin;
  Shape expected;
};

// Taken from graphs where the row says so, else by hand from the formulas.
const ShapeCase shapeCases[] = {
    // resnet50: 1x2048x7x7, bias of 1000 channels, filters
    {Format::NC1HWC0,
     0,
     DataType::Float16,
     Format::NCHW,
     {1, 2048, 7, 7},
     {1, 128, 7, 7, 16}},
    {Format::NC1HWC0,
     0,
     DataType::Float16,
     Format::NCHW,
     {1000},
     {1, 63, 1, 1, 16}},
    {Format::NC1HWC0,
     0,
     DataType::Float16,
     Format::NHWC,
     {2048},
     {1, 128, 1, 1, 16}},
    {Format::NC1HWC0,
     0,
     DataType::Int8,
     Format::NHWC,
     {16, 56, 56, 64},
     {16, 2, 56, 56, 32}},
    {Format::NC1HWC0_C04,
     0,
     DataType::Float16,
     Format::NCHW,
     {1, 3, 224, 224},
     {1, 1, 224, 224, 4}},
    {Format::FRACTAL_Z,
     0,
     DataType::Float16,
     Format::NCHW,
     {256, 64, 1, 1},
     {4, 16, 16, 16}},
    {Format::FRACTAL_Z,
     0,
     DataType::Int8,
     Format::HWCN,
     {3, 3, 64, 48},
     {18, 3, 16, 32}},
    {Format::FRACTAL_Z_C04,
     0,
     DataType::Float16,
     Format::NCHW,
     {64, 3, 7, 7},
     {13, 4, 16, 16}},
    // autoencoder, ddnet: matrices
    {Format::FRACTAL_NZ,
     0,
     DataType::Float16,
     Format::ND,
     {100, 20},
     {2, 7, 16, 16}},
    {Format::FRACTAL_NZ,
     0,
     DataType::Float16,
     Format::NHWC,
     {1, 21},
     {2, 1, 16, 16}},
    {Format::FRACTAL_NZ,
     0,
     DataType::Int8,
     Format::ND,
     {5, 40, 70},
     {5, 3, 3, 16, 32}},
    {Format::FRACTAL_NZ,
     0,
     DataType::Float16,
     Format::ND,
     {40},
     {1, 3, 16, 16}},
    {Format::FRACTAL_Z,
     0,
     DataType::Float16,
     Format::ND,
     {40, 20},
     {3, 2, 16, 16}},
    // Two groups of C = 3, N = 5: E = lcm(16/1, 16/1) limited to 2.
    {Format::FRACTAL_Z,
     2,
     DataType::Float16,
     Format::NCHW,
     {10, 3, 2, 2},
     {4, 1, 16, 16}},
    // 64 groups of one channel and one row: 16 of them fill a block.
    {Format::FRACTAL_Z,
     64,
     DataType::Float16,
     Format::NCHW,
     {64, 1, 3, 3},
     {36, 1, 16, 16}},
    {Format::NDC1HWC0,
     0,
     DataType::Float16,
     Format::NCDHW,
     {2, 20, 3, 4, 5},
     {2, 3, 2, 4, 5, 16}},
    {Format::FRACTAL_Z_3D,
     0,
     DataType::Float16,
     Format::DHWCN,
     {2, 3, 3, 20, 40},
     {36, 3, 16, 16}},
    {Format::C1HWNCoC0,
     0,
     DataType::Float16,
     Format::HWCN,
     {3, 3, 40, 1},
     {3, 3, 3, 1, 16, 16}},
    {Format::NHWC,
     0,
     DataType::Float16,
     Format::NCHW,
     {1, 2, 3, 4},
     {1, 3, 4, 2}},
    {Format::NCHW, 0, DataType::Float16, Format::ND, {7, 2}, {7, 2}},
    {Format::NC1HWC0, 0, DataType::Float16, Format::ND, {}, {}},
};
} // namespace

TEST(LayoutTest, PhysicalShapes) {
  for (const ShapeCase &c : shapeCases) {
    SCOPED_TRACE(std::string(getName(c.format)) + " of " + toString(c.origin));
    auto shape =
        physicalShape(c.format, c.groups, c.dtype, c.originFormat, c.origin);
    ASSERT_TRUE(shape.ok()) << shape.status().message();
    EXPECT_EQ(*shape, c.expected);
    if (c.origin.empty())
      continue;
    auto layout = Layout::create(
        {c.dtype, c.format, c.groups, *shape, c.originFormat, c.origin});
    ASSERT_TRUE(layout.ok()) << layout.status().message();
    EXPECT_EQ(layout->numElements(), getNumElements(c.expected));
    EXPECT_EQ(layout->numLogical(), getNumElements(c.origin));
  }
}

TEST(LayoutTest, ExplicitLanes) {
  auto shape = physicalShape(Format::NC1HWC0, 0, DataType::Float, Format::NCHW,
                             {1, 20, 2, 2}, 8);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(*shape, (Shape{1, 3, 2, 2, 8}));
}

// A shape tells which axes an origin of low rank stands for.
TEST(LayoutTest, ReshapeTypeFollowsTheShape) {
  auto layout =
      Layout::create({DataType::Float16, Format::NC1HWC0, 0,
                      Shape{4, 2, 1, 1, 16}, Format::NCHW, Shape{4, 20}});
  ASSERT_TRUE(layout.ok()) << layout.status().message();
  EXPECT_EQ(layout->axes()[*layout->findAxis('N')].extent, 4);
  EXPECT_EQ(layout->axes()[*layout->findAxis('C')].extent, 20);
  EXPECT_EQ(layout->elementAt({3, 17, 0, 0}), 3 * 32 + 16 + 1);
}

// A scalar is a vector of one element, or stays without dimensions.
TEST(LayoutTest, Scalars) {
  for (auto [format, shape] :
       {std::pair(Format::NC1HWC0, Shape{1, 1, 1, 1, 16}),
        std::pair(Format::FRACTAL_NZ, Shape{1, 1, 16, 16}),
        std::pair(Format::FRACTAL_Z, Shape{1, 1, 16, 16})}) {
    auto layout = Layout::create(
        {DataType::Float16, format, 0, shape, Format::NCHW, Shape{}});
    ASSERT_TRUE(layout.ok()) << layout.status().message();
    EXPECT_EQ(layout->numElements(), getNumElements(shape));
    EXPECT_EQ(layout->numLogical(), 1);
    EXPECT_EQ(layout->elementAt(std::vector<int64_t>(layout->axes().size())),
              0);
  }
  auto layout = Layout::create(
      {DataType::Float16, Format::NC1HWC0, 0, Shape{}, Format::NCHW, Shape{}});
  ASSERT_TRUE(layout.ok()) << layout.status().message();
  EXPECT_EQ(layout->numElements(), 1);
}

// Graphs may leave the origin out.
TEST(LayoutTest, WithoutOrigin) {
  const Shape shape{2, 3, 4, 5, 16};
  auto image = Layout::create(
      {DataType::Float16, Format::NC1HWC0, 0, shape, Format::NC1HWC0, shape});
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_FALSE(image->hasPadding());
  EXPECT_EQ(image->axes()[*image->findAxis('C')].extent, 48);
  EXPECT_EQ(image->elementAt({1, 17, 2, 3}),
            (((1 * 3 + 1) * 4 + 2) * 5 + 3) * 16 + 1);
  const Shape blocks{6, 2, 16, 16};
  auto filter = Layout::create({DataType::Float16, Format::FRACTAL_ZN_LSTM, 0,
                                blocks, Format::FRACTAL_ZN_LSTM, blocks});
  ASSERT_TRUE(filter.ok()) << filter.status().message();
  EXPECT_EQ(filter->numElements(), 6 * 2 * 256);
  EXPECT_FALSE(filter->hasPadding());
}

TEST(LayoutTest, Refusals) {
  auto message = [](TensorDesc desc) {
    auto layout = Layout::create(desc);
    return layout ? std::string("none") : layout.status().message();
  };
  EXPECT_EQ(message({DataType::Float16, Format::NC1HWC0, 0,
                     Shape{1, 2, 7, 7, 16}, Format::NCHW, Shape{1, 16, 7, 7}}),
            "DT_FLOAT16 1x2x7x7x16 NC1HWC0 of 1x16x7x7 NCHW: its shape should "
            "be 1x1x7x7x16");
  EXPECT_EQ(message({DataType::Float16, Format::NC1HWC0, 0, Shape{},
                     Format::NCHW, Shape{1, 16, 7, 7}}),
            "DT_FLOAT16 scalar NC1HWC0 of 1x16x7x7 NCHW: it has one element");
  EXPECT_EQ(message({DataType::Float16, Format::NC1HWC0, 0,
                     Shape{1, 2, 1, 1, 16}, Format::NCHW, Shape{}}),
            "DT_FLOAT16 1x2x1x1x16 NC1HWC0 of scalar NCHW: its shape should be "
            "1x1x1x1x16");
  EXPECT_EQ(message({DataType::Float16, Format::FRACTAL_ZN_LSTM, 0,
                     Shape{1, 2, 16, 16}, Format::ND, Shape{16, 32}}),
            "DT_FLOAT16 1x2x16x16 FRACTAL_ZN_LSTM of 16x32 ND: format "
            "FRACTAL_ZN_LSTM has no known layout");
  EXPECT_EQ(
      message({DataType::Float16, Format::ND, 0,
               Shape{int64_t(1) << 40, int64_t(1) << 40}, Format::ND, Shape{}}),
      "shape 1099511627776x1099511627776 is too large");
  EXPECT_EQ(message({DataType::Float16, Format::ND, 0, Shape{-1, 4}, Format::ND,
                     Shape{}}),
            "shape -1x4 has an unknown dimension");
  EXPECT_EQ(message({DataType::Float16, Format::FRACTAL_Z, 3,
                     Shape{4, 1, 16, 16}, Format::NCHW, Shape{10, 3, 2, 2}}),
            "DT_FLOAT16 4x1x16x16 FRACTAL_Z of 10x3x2x2 NCHW: a filter of N = "
            "10 cannot have 3 groups");
  EXPECT_NE(
      message({DataType::Float16, Format::C1HWNCoC0, 0,
               Shape{1, 3, 3, 2, 16, 16}, Format::HWCN, Shape{3, 3, 16, 2}})
          .find("only of N = 1"),
      std::string::npos);
  // A filter with a D axis does not fit a format without one.
  EXPECT_NE(
      message({DataType::Float16, Format::NC1HWC0, 0, Shape{1, 1, 4, 5, 16},
               Format::NCDHW, Shape{1, 3, 2, 4, 5}})
          .find("no axis D"),
      std::string::npos);
}
