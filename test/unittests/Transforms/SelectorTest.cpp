//===- SelectorTest.cpp - Selection of operations by patterns -------------===//

#include "npu/Transforms/Selector.h"

#include <gtest/gtest.h>

using namespace npu;

namespace {

struct Op {
  std::string name;
  std::string type;
  std::vector<std::string> aliases;
};

/// The names of the operations that \p list selects, each with the positions
/// of the patterns that do.
std::string select(llvm::StringRef list, const std::vector<Op> &ops) {
  llvm::Expected<Selector> selector = Selector::parse(list);
  if (!selector)
    return llvm::toString(selector.takeError());
  std::string selected;
  for (const Op &op : ops) {
    llvm::SmallVector<unsigned> patterns =
        selector->match(op.name, op.aliases, op.type);
    if (patterns.empty())
      continue;
    selected += (selected.empty() ? "" : " ") + op.name + "=";
    for (unsigned pattern : patterns)
      selected += std::to_string(pattern);
  }
  return selected;
}

const std::vector<Op> Layers = {{"layer1/MatMul", "MatMul", {}},
                                {"layer10/MatMul", "MatMul", {}},
                                {"layer1/Add", "Add", {}}};

/// What selects one name.
bool selects(llvm::StringRef list, llvm::StringRef name) {
  return !select(list, {{name.str(), "T", {}}}).empty();
}

/// The operands of the only pattern, like "in1 out0".
std::string operandsOf(llvm::StringRef text) {
  llvm::Expected<Selector> selector = Selector::parse(text);
  if (!selector)
    return llvm::toString(selector.takeError());
  std::string operands;
  for (const Selector::Operand &operand : selector->getPatterns()[0].operands)
    operands += (operands.empty() ? "" : " ") +
                std::string(operand.isInput ? "in" : "out") +
                std::to_string(operand.index);
  return operands;
}

TEST(Selector, ExactName) {
  EXPECT_EQ(select("layer1/MatMul", Layers), "layer1/MatMul=0");
}

TEST(Selector, Wildcards) {
  EXPECT_EQ(select("layer1/*", Layers), "layer1/MatMul=0 layer1/Add=0");
  EXPECT_EQ(select("layer1?/MatMul", Layers), "layer10/MatMul=0");
  EXPECT_EQ(select("*", Layers),
            "layer1/MatMul=0 layer10/MatMul=0 layer1/Add=0");
}

TEST(Selector, WildcardsMatchTheWholeName) {
  EXPECT_TRUE(selects("*c", "abc"));
  EXPECT_FALSE(selects("b*", "abc"));
  EXPECT_FALSE(selects("*b", "abc"));
}

TEST(Selector, WildcardsTakeOtherCharactersAsTheyAre) {
  EXPECT_TRUE(selects("a.[0](b)+^$\\*", "a.[0](b)+^$\\c"));
  EXPECT_FALSE(selects("a.*", "abc"));
}

TEST(Selector, RegexMatchesTheWholeName) {
  EXPECT_EQ(select("re:layer1\\d?/MatMul", Layers),
            "layer1/MatMul=0 layer10/MatMul=0");
  EXPECT_EQ(select("re:layer1", Layers), "");
  EXPECT_EQ(select("re:MatMul", Layers), "");
  EXPECT_TRUE(selects("re:a|ab", "ab"));
  EXPECT_TRUE(selects("re:^ab$", "ab"));
}

TEST(Selector, NameRegex) {
  EXPECT_EQ(select("name-regex(layer1/.+)", Layers),
            "layer1/MatMul=0 layer1/Add=0");
  EXPECT_TRUE(selects("name-regex((a|b)c)", "bc"));
}

TEST(Selector, RegexClasses) {
  EXPECT_TRUE(selects("re:\\w+\\D\\s\\S", "a_1x b"));
  EXPECT_FALSE(selects("re:\\w+", "a-b"));
  EXPECT_FALSE(selects("re:\\W", "_"));
  EXPECT_TRUE(selects("re:[\\w-]+", "a-b"));
  EXPECT_FALSE(selects("re:\\d", "d"));
}

TEST(Selector, RegexEscapesInBrackets) {
  EXPECT_TRUE(selects("re:[\\]\\\\]+", "]\\"));
  EXPECT_FALSE(selects("re:[\\]]", "\\"));
  EXPECT_TRUE(selects("re:[]x]+", "]x"));
  EXPECT_FALSE(selects("re:[^]x]+", "]"));
  EXPECT_TRUE(selects("re:[[:upper:]\\d]+", "A1"));
}

TEST(Selector, Type) {
  EXPECT_EQ(select("type:Add", Layers), "layer1/Add=0");
  EXPECT_EQ(select("type:Mat*", Layers), "layer1/MatMul=0 layer10/MatMul=0");
  EXPECT_EQ(select("Add", Layers), "");
}

TEST(Selector, ListKeepsThePatternsApart) {
  EXPECT_EQ(select("  layer1/Add layer1/*\ttype:Add ", Layers),
            "layer1/MatMul=1 layer1/Add=012");
  EXPECT_EQ(select("layer1/Add layer1/Add", Layers), "layer1/Add=01");
}

TEST(Selector, EmptyListHasNoPatterns) {
  llvm::Expected<Selector> selector = Selector::parse(" ");
  ASSERT_TRUE(bool(selector));
  EXPECT_TRUE(selector->getPatterns().empty());
}

TEST(Selector, Aliases) {
  std::vector<Op> ops = {{"fused", "Conv2D", {"conv1", "relu1"}}};
  EXPECT_EQ(select("relu1", ops), "fused=0");
  EXPECT_EQ(select("conv? fused", ops), "fused=01");
  EXPECT_EQ(select("re:conv1", ops), "fused=0");
  EXPECT_EQ(select("type:relu1", ops), "");
}

TEST(Selector, Operands) {
  EXPECT_EQ(operandsOf("layer1/MatMul:in1+out0"), "in1 out0");
  EXPECT_EQ(operandsOf("re:.*:out12"), "out12");
  EXPECT_EQ(operandsOf("name-regex(a.*):in0"), "in0");
  EXPECT_EQ(operandsOf("type:Add:in0"), "in0");
  EXPECT_TRUE(selects("a:in0", "a"));
  EXPECT_TRUE(selects("re:in0", "in0"));
  EXPECT_TRUE(selects("type:T:in0", "a"));
}

TEST(Selector, OtherSuffixesBelongToTheName) {
  for (const char *name :
       {"a:0", "a:in", "a:in1+", "a:+in1", "a:in1out0", "a:in-1", "a:in+1",
        "a:In1", "a:in1:", "a:in99999999999999999999"}) {
    EXPECT_EQ(operandsOf(name), "") << name;
    EXPECT_TRUE(selects(name, name)) << name;
  }
}

TEST(Selector, TextIsKept) {
  llvm::Expected<Selector> selector = Selector::parse("a re:b:in0");
  ASSERT_TRUE(bool(selector));
  ASSERT_EQ(selector->getPatterns().size(), 2u);
  EXPECT_EQ(selector->getPatterns()[1].text, "re:b:in0");
}

TEST(Selector, Errors) {
  EXPECT_EQ(select("a re:b( c", {}),
            "invalid selection 're:b(': parentheses not balanced");
  EXPECT_EQ(select("name-regex([a)", {}),
            "invalid selection 'name-regex([a)': brackets ([ ]) not balanced");
  EXPECT_EQ(select("re:a\\", {}),
            "invalid selection 're:a\\': trailing backslash (\\)");
  EXPECT_EQ(select("re:a\\b", {}),
            "invalid selection 're:a\\b': unknown escape '\\b'");
  EXPECT_EQ(select("re:(a)\\1", {}),
            "invalid selection 're:(a)\\1': unknown escape '\\1'");
  EXPECT_EQ(select("re:[\\D]", {}),
            "invalid selection 're:[\\D]': unknown escape '\\D' in brackets");
  EXPECT_EQ(select("re:", {}),
            "invalid selection 're:': expected a regular expression");
  EXPECT_EQ(select("name-regex():in0", {}),
            "invalid selection 'name-regex():in0': expected a regular "
            "expression");
  EXPECT_EQ(select("type:", {}), "invalid selection 'type:': expected a type");
  EXPECT_EQ(select(":in0", {}), "invalid selection ':in0': expected a name");
}

} // namespace
