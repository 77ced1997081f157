#include "npu/Kernels/Attributes.h"

#include <gtest/gtest.h>

using namespace npu;
using namespace npu::kernels;

TEST(AttributesTest, ReadsEveryKind) {
  Attributes attrs;
  attrs.set("i", int64_t(7));
  attrs.set("f", 0.5f);
  attrs.set("b", true);
  attrs.set("s", std::string("SAME"));
  attrs.set("li", std::vector<int64_t>{1, 2});
  attrs.set("lf", std::vector<float>{0.25f});
  attrs.set("lb", std::vector<bool>{true, false});
  attrs.set("ls", std::vector<std::string>{"a", "b"});
  EXPECT_EQ(*attrs.require<int64_t>("i"), 7);
  EXPECT_EQ(*attrs.require<float>("f"), 0.5f);
  EXPECT_TRUE(*attrs.require<bool>("b"));
  EXPECT_EQ(*attrs.require<std::string>("s"), "SAME");
  EXPECT_EQ(*attrs.require<std::vector<int64_t>>("li"),
            (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(*attrs.require<std::vector<float>>("lf"),
            (std::vector<float>{0.25f}));
  EXPECT_EQ(*attrs.require<std::vector<bool>>("lb"),
            (std::vector<bool>{true, false}));
  EXPECT_EQ(*attrs.require<std::vector<std::string>>("ls"),
            (std::vector<std::string>{"a", "b"}));
}

TEST(AttributesTest, IntegersStandForBoolsAndFloats) {
  Attributes attrs;
  attrs.set("one", int64_t(1));
  attrs.set("two", int64_t(2));
  attrs.set("ints", std::vector<int64_t>{3, 4});
  attrs.set("empty", std::vector<int64_t>{});
  EXPECT_TRUE(*attrs.require<bool>("one"));
  EXPECT_EQ(*attrs.require<float>("two"), 2.0f);
  EXPECT_EQ(*attrs.require<std::vector<float>>("ints"),
            (std::vector<float>{3, 4}));
  EXPECT_TRUE(attrs.require<std::vector<float>>("empty")->empty());
  EXPECT_EQ(attrs.require<bool>("two").status().message(),
            "attribute 'two' is a int, expected a bool");
}

TEST(AttributesTest, SaysWhatIsWrong) {
  Attributes attrs;
  attrs.set("f", 0.5f);
  EXPECT_EQ(attrs.require<int64_t>("axis").status().message(),
            "attribute 'axis' (int) is missing");
  EXPECT_EQ(attrs.require<std::vector<int64_t>>("f").status().message(),
            "attribute 'f' is a float, expected a list of int");
  EXPECT_EQ(*attrs.get<int64_t>("axis", 3), 3);
  EXPECT_FALSE(attrs.get<int64_t>("f", 3).ok());
}
