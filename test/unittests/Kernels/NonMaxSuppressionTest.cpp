// BatchMultiClassNonMaxSuppression against the greedy definition.

#include "KernelTester.h"

#include <algorithm>
#include <random>

using namespace npu;
using namespace npu::kernels;

namespace {

struct Box {
  float c[4];
};
struct Pick {
  float score;
  int64_t category, box;
};

float overlap(const Box &a, const Box &b) {
  auto area = [](float h, float w) {
    return std::max(h, 0.0f) * std::max(w, 0.0f);
  };
  const float shared =
      area(std::min(a.c[2], b.c[2]) - std::max(a.c[0], b.c[0]),
           std::min(a.c[3], b.c[3]) - std::max(a.c[1], b.c[1]));
  const float all = area(a.c[2] - a.c[0], a.c[3] - a.c[1]) +
                    area(b.c[2] - b.c[0], b.c[3] - b.c[1]) - shared;
  return all > 0 ? shared / all : 0;
}

} // namespace

TEST(NonMaxSuppressionTest, KeepsTheBestOfEachClass) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    const int64_t boxes = 1 + random() % 40, classes = 1 + random() % 4;
    const bool shared = round % 2, transposed = round % 3 == 0;
    const int64_t q = shared ? 1 : classes;
    const int64_t perClass = 1 + random() % 8, total = 1 + random() % 12;
    std::vector<Box> box(boxes * q);
    for (Box &b : box) {
      const double y = random() % 50 / 10.0, x = random() % 50 / 10.0;
      const double corner[] = {y, x, y + random() % 40 / 10.0,
                               x + random() % 40 / 10.0};
      for (int i = 0; i < 4; ++i)
        b.c[i] = halfValue(halfBits(corner[i]));
    }
    std::vector<float> score(boxes * classes);
    for (float &s : score)
      s = halfValue(halfBits(random() % 20 / 20.0));

    std::vector<Pick> all;
    for (int64_t k = 0; k < classes; ++k) {
      std::vector<Pick> left, kept;
      for (int64_t i = 0; i < boxes; ++i)
        if (score[i * classes + k] > 0.3f)
          left.push_back({score[i * classes + k], k, i});
      auto boxOf = [&](const Pick &p) {
        return box[p.box * q + (shared ? 0 : k)];
      };
      while (!left.empty() && int64_t(kept.size()) < perClass) {
        auto best = std::max_element(
            left.begin(), left.end(),
            [](const Pick &a, const Pick &b) { return a.score < b.score; });
        const Pick chosen = *best;
        kept.push_back(chosen);
        std::erase_if(left, [&](const Pick &p) {
          return p.box == chosen.box || overlap(boxOf(p), boxOf(chosen)) > 0.5f;
        });
      }
      all.insert(all.end(), kept.begin(), kept.end());
    }
    std::stable_sort(all.begin(), all.end(), [](const Pick &a, const Pick &b) {
      return a.score > b.score;
    });
    all.resize(std::min<size_t>(all.size(), total));

    std::vector<double> boxValues(boxes * q * 4), scoreValues(boxes * classes);
    for (int64_t i = 0; i < boxes; ++i) {
      for (int64_t k = 0; k < q; ++k)
        for (int64_t c = 0; c < 4; ++c)
          boxValues[transposed ? (k * 4 + c) * boxes + i
                               : (i * q + k) * 4 + c] = box[i * q + k].c[c];
      for (int64_t k = 0; k < classes; ++k)
        scoreValues[transposed ? k * boxes + i : i * classes + k] =
            score[i * classes + k];
    }
    Attributes attributes;
    attributes.set("score_threshold", 0.3f);
    attributes.set("iou_threshold", 0.5f);
    attributes.set("max_size_per_class", perClass);
    attributes.set("max_total_size", total);
    attributes.set("transpose_box", transposed);
    const Shape boxShape =
        transposed ? Shape{1, q, 4, boxes} : Shape{1, boxes, q, 4};
    const Shape scoreShape =
        transposed ? Shape{1, classes, boxes} : Shape{1, boxes, classes};
    const Shape outShape = transposed ? Shape{1, 4, total} : Shape{1, total, 4};
    auto result =
        runNode("BatchMultiClassNonMaxSuppression",
                {halves(boxShape, boxValues), halves(scoreShape, scoreValues)},
                {plainDesc(DataType::Float16, outShape),
                 plainDesc(DataType::Float16, {1, total}),
                 plainDesc(DataType::Float16, {1, total}),
                 plainDesc(DataType::Int32, {1, 8})},
                attributes, {}, 3);
    EXPECT_EQ(result.values<int32_t>(3)[0], int32_t(all.size()));
    for (int64_t i = 0; i < total; ++i) {
      const bool used = i < int64_t(all.size());
      EXPECT_EQ(halfValue(result.values<uint16_t>(1)[i]),
                used ? all[i].score : 0);
      EXPECT_EQ(halfValue(result.values<uint16_t>(2)[i]),
                used ? float(all[i].category) : 0);
      for (int64_t c = 0; c < 4; ++c)
        EXPECT_EQ(
            halfValue(result.values<uint16_t>(
                0)[transposed ? c * total + i : i * 4 + c]),
            used ? box[all[i].box * q + (shared ? 0 : all[i].category)].c[c]
                 : 0);
    }
  }
}

// As of boxes and scores that the test clips.
TEST(NonMaxSuppressionTest, ClipsToTheWindow) {
  constexpr int64_t Batches = 2, Boxes = 12, Classes = 3, Total = 8;
  std::mt19937 random(2);
  int chosen = 0;
  auto rounded = [](double value) -> double {
    return halfValue(halfBits(value));
  };
  for (int round = 0; round < 60; ++round) {
    const bool isFramed = round % 2, isShared = round % 3 == 0;
    const int64_t q = isShared ? 1 : Classes;
    auto tenth = [&](int most) { return rounded(random() % most / 10.0); };
    std::vector<double> window, corners, scores, clipped, rated;
    for (int64_t batch = 0; batch < Batches; ++batch) {
      const double y = tenth(20), x = tenth(20);
      for (double value :
           {y, x, rounded(y + 1 + tenth(20)), rounded(x + 1 + tenth(20))})
        window.push_back(value);
    }
    for (int64_t i = 0; i < Batches * Boxes * Classes; ++i)
      scores.push_back(tenth(10));
    rated = scores;
    for (int64_t i = 0; i < Batches * Boxes * q; ++i) {
      const double y = tenth(60), x = tenth(60);
      const double *edge = window.data() + i / (Boxes * q) * 4;
      double box[] = {y, x, rounded(y + tenth(30)), rounded(x + tenth(30))};
      corners.insert(corners.end(), box, box + 4);
      for (int k = 0; k < 4; ++k)
        box[k] = std::max(std::min(box[k], edge[k % 2 + 2]), edge[k % 2]);
      const double area =
          rounded(rounded(box[2] - box[0]) * rounded(box[3] - box[1]));
      if (area <= 0)
        for (int64_t k = 0; k < (isShared ? Classes : 1); ++k)
          rated[isShared ? i * Classes + k : i] = 0;
      for (int k = 0; k < 4; ++k) {
        const double extent = rounded(edge[k % 2 + 2] - edge[k % 2]);
        clipped.push_back(isFramed ? rounded(box[k] * rounded(1 / extent))
                                   : box[k]);
      }
    }
    Attributes attributes;
    attributes.set("score_threshold", 0.2f);
    attributes.set("iou_threshold", 0.5f);
    attributes.set("max_size_per_class", int64_t(5));
    attributes.set("max_total_size", Total);
    const Shape boxShape{Batches, Boxes, q, 4},
        scoreShape{Batches, Boxes, Classes};
    const std::vector<TensorDesc> outputs = {
        plainDesc(DataType::Float16, {Batches, Total, 4}),
        plainDesc(DataType::Float16, {Batches, Total}),
        plainDesc(DataType::Float16, {Batches, Total}),
        plainDesc(DataType::Int32, {Batches, 8})};
    auto expected =
        runNode("BatchMultiClassNonMaxSuppression",
                {halves(boxShape, clipped), halves(scoreShape, rated)}, outputs,
                attributes);
    attributes.set("change_coordinate_frame", isFramed);
    auto result =
        runNode("BatchMultiClassNonMaxSuppression",
                {halves(boxShape, corners), halves(scoreShape, scores),
                 halves({Batches, 4}, window)},
                outputs, attributes, {}, 2);
    for (size_t i = 0; i < outputs.size(); ++i)
      EXPECT_EQ(result.outputs[i].bytes, expected.outputs[i].bytes);
    chosen += result.values<int32_t>(3)[0];
  }
  EXPECT_GT(chosen, 60);
}
