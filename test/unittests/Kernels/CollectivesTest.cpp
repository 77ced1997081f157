// What one rank has of a communication, with random parts, against the
// definitions.

#include "RandomTensor.h"

using namespace npu;
using namespace npu::kernels;

using List = std::vector<int64_t>;
using Ints = std::vector<int32_t>;

TEST(CollectivesTest, ReduceScatterKeepsTheFirstPart) {
  std::mt19937 random(1);
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Shape part = randomShape(random, 1, 3, 5);
    const int64_t ranks = 1 + random() % 5;
    Shape whole = part;
    whole[0] *= ranks;
    Attributes attrs;
    attrs.set("rank_size", ranks);
    TestTensor expected = numbered(part);
    auto result =
        runNode("HcomReduceScatter", {numbered(whole)}, {expected.desc}, attrs);
    EXPECT_EQ(result.outputs[0].bytes, expected.bytes);
  }
  Attributes attrs;
  attrs.set("rank_size", int64_t(3));
  EXPECT_EQ(refusal("HcomReduceScatter", {plainDesc(DataType::Int32, {5})},
                    {plainDesc(DataType::Int32, {2})}, attrs),
            "HcomReduceScatter 'node': DT_INT32 5 ND does not give DT_INT32 2 "
            "ND");
}

TEST(CollectivesTest, AllToAllTakesWhatIsSentToTheFirst) {
  std::mt19937 random(2);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const int64_t ranks = 1 + random() % 4, count = random() % 5;
    List counts, places, wanted(ranks, count), into;
    int64_t sent = 0, received = 0;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      counts.push_back(rank == 0 ? count : int64_t(random() % 5));
      places.push_back(sent += random() % 3);
      sent += counts.back();
      into.push_back(received += random() % 3);
      received += count;
    }
    TestTensor x = numbered({sent + 1});
    auto result = runNode("HcomAllToAllV",
                          {x, indexTensor(counts), indexTensor(places),
                           indexTensor(wanted), indexTensor(into)},
                          {plainDesc(DataType::Int32, {received + 1})});
    Ints expected(received + 1);
    for (int64_t rank = 0; rank < ranks; ++rank)
      for (int64_t i = 0; i < count; ++i)
        expected[into[rank] + i] = static_cast<int32_t>(places[0] + i) + 1;
    EXPECT_EQ(result.values<int32_t>(), expected);
  }
}

TEST(CollectivesTest, AllToAllRefusesWhatDoesNotFit) {
  auto failure = [](const List &counts, const List &from, const List &wanted,
                    const List &to) -> std::string {
    std::vector<TestTensor> operands = {numbered({4})};
    for (const List *list : {&counts, &from, &wanted, &to})
      operands.push_back(indexTensor(*list));
    NodeSpec spec{
        "HcomAllToAllV", "node", {}, {}, {plainDesc(DataType::Int32, {4})}, {}};
    std::vector<ConstTensor> inputs;
    for (const TestTensor &operand : operands) {
      spec.inputs.push_back(operand.desc);
      inputs.push_back({&operand.desc, operand.bytes.data()});
    }
    const Registry registry = Registry::withBuiltins();
    auto kernel = registry.lookup(spec.type)->create(spec, {});
    if (!kernel)
      return kernel.status().message();
    TestTensor y = numbered({4});
    const MutableTensor output{&y.desc, y.bytes.data()};
    ThreadPool pool(1);
    RunContext context{pool};
    auto status = (*kernel)->run(context, inputs, {&output, 1});
    return status ? "ran" : status.status().message();
  };
  EXPECT_EQ(failure({4}, {0}, {4}, {0}), "ran");
  EXPECT_EQ(failure({2}, {3}, {2}, {0}),
            "HcomAllToAllV 'node': 2 elements from 3 on exceed the 4 of "
            "send_data");
  EXPECT_EQ(failure({2}, {0}, {2}, {3}),
            "HcomAllToAllV 'node': 2 elements from 3 on exceed the 4 of "
            "recv_data");
  EXPECT_EQ(failure({1, 2}, {0, 1}, {1, 2}, {0, 1}),
            "HcomAllToAllV 'node': 2 elements are received from rank 1, but 1 "
            "are sent to rank 0");
}
