// The rows of the catalogue, and what reads them without MLIR.

#include "npu/Catalog/Catalog.h"
#include "npu/Kernels/Registry.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace npu;
using namespace npu::catalog;

namespace {

kernels::NodeSpec nodeOf(std::string_view type) {
  kernels::NodeSpec spec;
  spec.type = type;
  spec.name = "node";
  return spec;
}

/// Whether the default of \p attribute is read as what it is.
bool hasReadableDefault(const Row &row, const Attribute &attribute) {
  const kernels::NodeSpec spec = nodeOf(row.type);
  const std::string name(attribute.name);
  switch (attribute.kind) {
  case AttributeKind::Int:
    return spec.attribute<int64_t>(name).ok();
  case AttributeKind::Float:
    return spec.attribute<float>(name).ok();
  case AttributeKind::Bool:
    return spec.attribute<bool>(name).ok();
  case AttributeKind::String:
    return spec.attribute<std::string>(name).ok();
  case AttributeKind::ListInt:
    return spec.attribute<std::vector<int64_t>>(name).ok();
  case AttributeKind::ListFloat:
    return spec.attribute<std::vector<float>>(name).ok();
  case AttributeKind::ListBool:
    return spec.attribute<std::vector<bool>>(name).ok();
  case AttributeKind::ListString:
    return spec.attribute<std::vector<std::string>>(name).ok();
  case AttributeKind::DataType:
    return attribute.fallback->starts_with("DT_");
  case AttributeKind::Tensor:
  case AttributeKind::ListDataType:
  case AttributeKind::ListListInt:
    return true;
  }
  return false;
}

} // namespace

TEST(CatalogTest, EveryKernelHasARow) {
  const kernels::Registry registry = kernels::Registry::withBuiltins();
  for (const auto &[type, entry] : registry.all())
    EXPECT_NE(lookup(type), nullptr) << type;
}

TEST(CatalogTest, NoTypeTwice) {
  const std::vector<const Row *> rows = all();
  ASSERT_GT(rows.size(), 300u);
  for (size_t i = 1; i < rows.size(); ++i)
    EXPECT_LT(rows[i - 1]->type, rows[i]->type);
  for (const Row *row : rows)
    EXPECT_EQ(lookup(row->type), row);
  EXPECT_EQ(lookup("Conv2"), nullptr);
  EXPECT_EQ(lookup(""), nullptr);
}

TEST(CatalogTest, DefaultsAreReadAsTheirKind) {
  for (const Row *row : all())
    for (const Attribute &attribute : getAttributes(*row)) {
      if (!attribute.fallback || *attribute.fallback == "none")
        continue;
      EXPECT_TRUE(hasReadableDefault(*row, attribute))
          << row->type << " " << attribute.name << " = " << *attribute.fallback;
    }
}

TEST(CatalogTest, Signature) {
  const Row &row = *lookup("Conv2D");
  const std::vector<Port> inputs = getPorts(row.inputs);
  ASSERT_EQ(inputs.size(), 4u);
  EXPECT_EQ(inputs[1].name, "filter");
  EXPECT_EQ(inputs[1].kind, Port::Required);
  EXPECT_EQ(inputs[3].name, "offset_w");
  EXPECT_EQ(inputs[3].kind, Port::Optional);
  EXPECT_EQ(getPorts(lookup("ConcatD")->inputs)[0].kind, Port::Dynamic);
  EXPECT_TRUE(getPorts(lookup("NoOp")->inputs).empty());

  const auto strides = findAttribute(row, "strides");
  ASSERT_TRUE(strides);
  EXPECT_EQ(strides->kind, AttributeKind::ListInt);
  EXPECT_FALSE(strides->fallback);
  EXPECT_EQ(findAttribute(row, "data_format")->fallback, "'NHWC'");
  EXPECT_FALSE(findAttribute(row, "stride"));
  EXPECT_EQ(getAttributes(row).size(), 6u);
}

TEST(CatalogTest, OutputsThatAreInputs) {
  auto updates = [](std::string_view type) {
    std::vector<std::pair<unsigned, unsigned>> result;
    for (const Update &update : getUpdates(*lookup(type)))
      result.emplace_back(update.input, update.output);
    return result;
  };
  using Pairs = std::vector<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(updates("ApplyAdamD"), (Pairs{{0, 0}, {1, 1}, {2, 2}}));
  EXPECT_EQ(updates("AdamApplyOneAssign"), (Pairs{{1, 0}, {2, 1}, {3, 2}}));
  EXPECT_EQ(updates("ApplyMomentum"), (Pairs{{0, 0}, {1, Update::Hidden}}));
  EXPECT_EQ(updates("Add"), Pairs{});
  EXPECT_EQ(updates("While"), Pairs{});
}

TEST(CatalogTest, AttributesOfKernelsDefault) {
  kernels::NodeSpec spec = nodeOf("Conv2D");
  EXPECT_EQ(*spec.attribute<std::vector<int64_t>>("dilations"),
            (std::vector<int64_t>{1, 1, 1, 1}));
  EXPECT_EQ(*spec.attribute<std::string>("data_format"), "NHWC");
  EXPECT_EQ(spec.attribute<std::vector<int64_t>>("strides").status().message(),
            "attribute 'strides' (list of int) is missing");
  spec.attrs.set("data_format", std::string("NCHW"));
  EXPECT_EQ(*spec.attribute<std::string>("data_format"), "NCHW");

  EXPECT_EQ(*nodeOf("LayerNorm").attribute<float>("epsilon"), 1e-7f);
  EXPECT_EQ(*nodeOf("LayerNormV3").attribute<float>("epsilon"), 1e-5f);
  EXPECT_TRUE(
      nodeOf("Eltwise").attribute<std::vector<float>>("coeff")->empty());
  EXPECT_FALSE(nodeOf("Frobnicate").attribute<float>("epsilon"));
}
