//===- WorstPairs.cpp - The largest errors of a tensor --------------------===//

#include "WorstPairs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

using namespace npu;
using namespace npu::dump;

/// Elements that are decoded at a time; a multiple of 8, so that elements of
/// less than a byte start at one.
static constexpr uint64_t blockSize = 1024;

static bool isSame(const Difference &pair) {
  return pair.mine == pair.golden ||
         (std::isnan(pair.mine) && std::isnan(pair.golden));
}

double npu::dump::getAbsoluteError(const Difference &pair) {
  if (isSame(pair))
    return 0;
  const double error = std::fabs(pair.mine - pair.golden);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

std::optional<double> npu::dump::getRelativeError(const Difference &pair) {
  if (isSame(pair))
    return 0;
  if (pair.golden == 0)
    return std::nullopt;
  const double error = getAbsoluteError(pair);
  return std::isinf(error) ? error : error / std::fabs(pair.golden);
}

namespace {

/// Keeps the pairs with the largest errors.
class Worst {
public:
  explicit Worst(size_t number) : number(number) {}

  void add(double error, const Difference &pair) {
    if (!(error > 0) || (kept.size() == number && !(error > kept.top().first)))
      return;
    kept.emplace(error, pair);
    if (kept.size() > number)
      kept.pop();
  }

  std::vector<Difference> take() {
    std::vector<Difference> pairs;
    for (; !kept.empty(); kept.pop())
      pairs.push_back(kept.top().second);
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

private:
  using Entry = std::pair<double, Difference>;
  /// The one to go first: the smallest error, of equal ones the last.
  struct GoesLater {
    bool operator()(const Entry &left, const Entry &right) const {
      return left.first != right.first ? left.first > right.first
                                       : left.second.index < right.second.index;
    }
  };
  const size_t number;
  std::priority_queue<Entry, std::vector<Entry>, GoesLater> kept;
};

} // namespace

WorstPairs npu::dump::findWorstPairs(const MetricsInput &mine,
                                     const MetricsInput &golden, uint64_t count,
                                     size_t number) {
  Worst absolute(number), relative(number);
  const unsigned components = mine.decoder.numComponents();
  std::vector<double> xs(components * blockSize), ys(components * blockSize);
  for (uint64_t i = 0; i < count; i += blockSize) {
    const uint64_t n = std::min(blockSize, count - i);
    auto decode = [&](const MetricsInput &input, std::vector<double> &values) {
      input.decoder.decodeToDouble(
          input.data + getByteSize(input.decoder.storedType(), i), n,
          values.data());
    };
    decode(mine, xs);
    decode(golden, ys);
    for (uint64_t j = 0; j < n * components; ++j) {
      const Difference pair{i * components + j, xs[j], ys[j]};
      absolute.add(getAbsoluteError(pair), pair);
      if (std::optional<double> error = getRelativeError(pair))
        relative.add(*error, pair);
    }
  }
  return {absolute.take(), relative.take()};
}
