//===- PlanTest.cpp - What a run does, worked out once --------------------===//

#include "npu/Execution/Plan.h"

#include "npu/InitAllDialects.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace npu;

namespace {

class PlanTest : public ::testing::Test {
protected:
  PlanTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// The plan of a graph with the nodes \p body.
  Expected<Plan> makePlan(const std::string &body,
                          const llvm::StringSet<> &fed = {}) {
    module = parseSourceString<ModuleOp>("ge.graph @g {" + body + "}",
                                         ParserConfig(&context));
    if (!module)
      return Status::error("the test's graph does not parse");
    return Plan::create(*module->getOps<ge::GraphOp>().begin(), fed);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// "x y(1) z(2)": the nodes in order, with their task numbers.
std::string describeOrder(const Plan &plan) {
  std::string text;
  for (const PlannedNode &node : plan.nodes) {
    text += (text.empty() ? "" : " ") + node.op.getNodeName().str();
    if (node.taskId)
      text += "(" + std::to_string(node.taskId) + ")";
  }
  return text;
}

const std::string Chain = R"mlir(
  %x, %xc = ge.node "Data" "x"() -> tensor<4xf16>
  %a, %ac = ge.node "Relu" "a"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  %b, %bc = ge.node "Add" "b"(%a, %x) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %oc = ge.node "NetOutput" "o"(%b) : (tensor<4xf16>)
)mlir";

TEST_F(PlanTest, ProducersComeFirstInTheOrderOfTheFile) {
  Expected<Plan> plan = makePlan(R"mlir(
    %oc = ge.node "NetOutput" "o"(%b) : (tensor<4xf16>)
    %b, %bc = ge.node "Relu" "b"(%x) : (tensor<4xf16>) -> tensor<4xf16>
    %a, %ac = ge.node "Relu" "a"(%x) : (tensor<4xf16>) -> tensor<4xf16>
    %x, %xc = ge.node "Data" "x"() -> tensor<4xf16>
  )mlir");
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(describeOrder(*plan), "x b(1) o(2) a(3)");
}

TEST_F(PlanTest, ControlEdgesOrder) {
  Expected<Plan> plan = makePlan(R"mlir(
    %x, %xc = ge.node "Data" "x"() -> tensor<4xf16>
    %a, %ac = ge.node "Relu" "a"(%x)[%bc] : (tensor<4xf16>) -> tensor<4xf16>
    %b, %bc = ge.node "Relu" "b"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  )mlir");
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(describeOrder(*plan), "x b(1) a(2)");
}

TEST_F(PlanTest, TasksAreNumberedByNodeId) {
  Expected<Plan> plan = makePlan(R"mlir(
    %x, %xc = ge.node "Data" "x"() id 0 -> tensor<4xf16>
    %a, %ac = ge.node "Relu" "a"(%x) id 9 stream 2 : (tensor<4xf16>) -> tensor<4xf16>
    %b, %bc = ge.node "Relu" "b"(%x) id 5 stream -1 : (tensor<4xf16>) -> tensor<4xf16>
    %n, %nc = ge.node "Relu" "n"(%x) id 1 attrs {_no_task = true} : (tensor<4xf16>) -> tensor<4xf16>
    %s = ge.node "Send" "s"()[%ac] id 7
    %c = ge.node "NoOp" "c"()[%ac] id 6
  )mlir");
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(describeOrder(*plan), "x a(3) b(1) n s(2) c");
  EXPECT_EQ(plan->nodes[1].streamId, 2u);
  EXPECT_EQ(plan->nodes[2].streamId, 0u);
}

TEST_F(PlanTest, SlotsAreReleasedAfterTheLastReader) {
  Expected<Plan> plan = makePlan(Chain);
  ASSERT_TRUE(plan) << plan.status().message();
  using Slots = std::vector<unsigned>;
  EXPECT_EQ(plan->numSlots, 3u);
  EXPECT_EQ(plan->nodes[0].released, Slots{});
  EXPECT_EQ(plan->nodes[1].released, Slots{});
  EXPECT_EQ(plan->nodes[2].released, (Slots{plan->nodes[1].outputSlots[0],
                                            plan->nodes[0].outputSlots[0]}));
  EXPECT_EQ(plan->nodes[3].released, plan->nodes[2].outputSlots);
}

TEST_F(PlanTest, UnreadOutputsAreReleasedAtOnce) {
  Expected<Plan> plan = makePlan(R"mlir(
    %x, %xc = ge.node "Data" "x"() -> tensor<4xf16>
    %a, %ac = ge.node "Relu" "a"(%x) : (tensor<4xf16>) -> tensor<4xf16>
  )mlir");
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(plan->nodes[1].released.size(), 2u);
}

TEST_F(PlanTest, ConstantsLiveAsLongAsThePlan) {
  Expected<Plan> plan = makePlan(R"mlir(
    %w, %wc = ge.node "Const" "w"() -> tensor<4xf16>
    %a, %ac = ge.node "Relu" "a"(%w) : (tensor<4xf16>) -> tensor<4xf16>
  )mlir");
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(plan->persistent, (std::vector<bool>{true, false}));
  EXPECT_EQ(plan->nodes[1].released, plan->nodes[1].outputSlots);
}

TEST_F(PlanTest, ReadersAreListedOnce) {
  Expected<Plan> plan = makePlan(R"mlir(
    %x, %xc = ge.node "Data" "x"() -> tensor<4xf16>
    %a, %ac = ge.node "Add" "a"(%x, %x) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    %b, %bc = ge.node "Relu" "b"(%x)[%ac] : (tensor<4xf16>) -> tensor<4xf16>
  )mlir");
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(plan->nodes[0].readers, (std::vector<unsigned>{1, 2}));
  EXPECT_TRUE(plan->nodes[1].readers.empty());
}

TEST_F(PlanTest, UnconnectedAnchorsHaveNoSlot) {
  Expected<Plan> plan = makePlan(R"mlir(
    %x, %xc = ge.node "Data" "x"() -> tensor<4xf16>
    %a, %ac = ge.node "Add" "a"(_, %x) : (tensor<4xf16>) -> tensor<4xf16>
  )mlir");
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(plan->nodes[1].inputSlots,
            (std::vector<unsigned>{PlannedNode::NoSlot, 0}));
  EXPECT_FALSE(plan->nodes[1].inputs[0]);
}

TEST_F(PlanTest, FedNodesAreSourcesWithTheirTask) {
  Expected<Plan> plan = makePlan(Chain, {"a", "x"});
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_FALSE(plan->nodes[0].isFed);
  EXPECT_TRUE(plan->nodes[1].isFed);
  EXPECT_EQ(plan->nodes[1].kind, PlannedNode::Kind::Source);
  EXPECT_EQ(plan->nodes[1].taskId, 1u);
}

TEST_F(PlanTest, InputsChangedInPlaceKeepTheirSize) {
  Expected<Plan> plan = makePlan(R"mlir(
    %v, %vc = ge.node "Variable" "v"() -> tensor<4xf16>
    %x, %xc = ge.node "Data" "x"() -> tensor<2xf16>
    %a, %ac = ge.node "Assign" "a"(%v, %x) : (tensor<4xf16>, tensor<2xf16>) -> tensor<2xf16>
  )mlir");
  ASSERT_FALSE(plan);
  EXPECT_TRUE(llvm::StringRef(plan.status().message())
                  .ends_with("Assign 'a': input 0, which it changes in place, "
                             "becomes DT_FLOAT16 2 ND, 4 bytes; expected the 8 "
                             "bytes that its producer gives"))
      << plan.status().message();
}

TEST_F(PlanTest, CycleIsAnError) {
  Expected<Plan> plan = makePlan(R"mlir(
    %x, %xc = ge.node "Data" "x"() -> tensor<4xf16>
    %a, %ac = ge.node "Relu" "a"(%x)[%bc] : (tensor<4xf16>) -> tensor<4xf16>
    %b, %bc = ge.node "Relu" "b"(%a) : (tensor<4xf16>) -> tensor<4xf16>
  )mlir");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().message(), "graph 'g' has a cycle through op 'a'; "
                                     "expected an order of execution");
}

TEST_F(PlanTest, NodesWithoutKernelKeepTheReason) {
  Expected<Plan> plan = makePlan(Chain);
  ASSERT_TRUE(plan) << plan.status().message();
  BufferPool pool;
  plan->bindKernels(kernels::Registry(), NumericConfig(),
                    std::vector<const std::byte *>(plan->numSlots), pool);
  EXPECT_TRUE(plan->nodes[0].failure.ok());
  ASSERT_FALSE(plan->nodes[1].failure.ok());
  EXPECT_EQ(plan->nodes[1].failure.kind(), ErrorKind::Incomplete);
  EXPECT_TRUE(llvm::StringRef(plan->nodes[1].failure.message())
                  .ends_with("Relu 'a': no kernel for operator type 'Relu'"));
}

} // namespace
