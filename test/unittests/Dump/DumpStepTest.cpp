//===- DumpStepTest.cpp - Which iterations are dumped ---------------------===//

#include "npu/Dump/DumpStep.h"

#include <gtest/gtest.h>

#include <string>

using namespace npu;
using namespace npu::dump;

/// The steps below 200 that \p text selects, or the fault.
static std::string stepsOf(const std::string &text,
                           StepSyntax syntax = StepSyntax::Option) {
  Expected<DumpSteps> steps = DumpSteps::parse(text, syntax);
  if (!steps)
    return steps.status().message();
  if (steps->all())
    return "all";
  std::string list;
  for (uint64_t step = 0; step < 200; ++step)
    if (steps->contains(step))
      list += std::to_string(step) + " ";
  return list;
}

TEST(DumpStep, Accepted) {
  EXPECT_EQ(stepsOf("0|5|10"), "0 5 10 ");
  EXPECT_EQ(stepsOf("0|3-5|10"), "0 3 4 5 10 ");
  EXPECT_EQ(stepsOf(""), "all");
  EXPECT_EQ(stepsOf("3|3|1-4"), "1 2 3 4 ");
  EXPECT_EQ(stepsOf("007"), "7 ");
  EXPECT_EQ(stepsOf("5-5", StepSyntax::AclJson), "5 ");
  EXPECT_TRUE(DumpSteps().contains(UINT64_MAX));
}

TEST(DumpStep, LargeNumbersStayRanges) {
  Expected<DumpSteps> steps =
      DumpSteps::parse("0-2147483647|0-2147483647", StepSyntax::Option);
  ASSERT_TRUE(steps.ok());
  EXPECT_TRUE(steps->contains(2147483647));
  EXPECT_FALSE(steps->contains(2147483648));
}

TEST(DumpStep, AtMost100Items) {
  std::string text = "0";
  for (int i = 1; i < 100; ++i)
    text += "|" + std::to_string(i);
  EXPECT_TRUE(DumpSteps::parse(text, StepSyntax::Option).ok());
  EXPECT_EQ(stepsOf(text + "|100"),
            "dump_step has 101 items, expected at most 100");
}

TEST(DumpStep, RefusedWithPosition) {
  const std::string grammar = "expected a step N or a range N-M of digits only";
  const std::string limit = "a step must be at most 2147483647";
  EXPECT_EQ(stepsOf("0|5-3"), "dump_step item 2 '5-3' at character 3: the "
                              "start must be smaller than the end");
  EXPECT_EQ(stepsOf("5-5"), "dump_step item 1 '5-5' at character 1: the start "
                            "must be smaller than the end");
  EXPECT_EQ(stepsOf("5-3", StepSyntax::AclJson),
            "dump_step item 1 '5-3' at character 1: the start must not be "
            "greater than the end");
  EXPECT_EQ(stepsOf("1|22|a"),
            "dump_step item 3 'a' at character 6: " + grammar);
  for (const char *text :
       {"a", "1--2", "1-2-3", "-1", " 1", "1 ", "1-", "+1", "1,2", "0x1"})
    EXPECT_EQ(stepsOf(text), std::string("dump_step item 1 '") + text +
                                 "' at character 1: " + grammar);
  EXPECT_EQ(stepsOf("1|"), "dump_step item 2 '' at character 3: " + grammar);
  EXPECT_EQ(stepsOf("|"), "dump_step item 1 '' at character 1: " + grammar);
  EXPECT_EQ(stepsOf("1||2"), "dump_step item 2 '' at character 3: " + grammar);
  EXPECT_EQ(stepsOf("2147483648"),
            "dump_step item 1 '2147483648' at character 1: " + limit);
  EXPECT_EQ(stepsOf("0-4294967295|0-4294967295"),
            "dump_step item 1 '0-4294967295' at character 1: " + limit);
  EXPECT_EQ(stepsOf("99999999999999999999999"),
            "dump_step item 1 '99999999999999999999999' at character 1: " +
                limit);
}

TEST(DumpStep, DataIndex) {
  EXPECT_EQ(getDataIndex(2, 9, 4), 24u);
  EXPECT_EQ(getDataIndex(11), 11u);
  EXPECT_EQ(getDataIndex(0, 9, 0), 0u);
}

TEST(DumpStep, TextReadsInEitherSyntax) {
  auto rewrite = [](std::string_view text) {
    Expected<DumpSteps> steps = DumpSteps::parse(text, StepSyntax::AclJson);
    EXPECT_TRUE(steps);
    EXPECT_TRUE(DumpSteps::parse(steps->str(), StepSyntax::Option));
    return steps->str();
  };
  EXPECT_EQ(rewrite(""), "");
  EXPECT_EQ(rewrite("0|3-5|10"), "0|3-5|10");
  EXPECT_EQ(rewrite("5-5|007|1-2|1-2"), "5|7|1-2|1-2");
}
