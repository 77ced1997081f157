//===- BatchNormPrograms.h - Batch normalisation of channels ---*- C++ -*-===//
//
// The operators of batch normalisation, each as one program on a channel. What
// a channel is decides how elements are computed: one line in fp32, or 16
// channels at once as long as nothing happens.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_KERNELS_BATCHNORMPROGRAMS_H
#define NPU_LIB_KERNELS_BATCHNORMPROGRAMS_H

#include "FloatInstructions.h"
#include "FloatLines.h"
#include "LineSum.h"
#include "QuietChannels.h"
#include "ScalarMath.h"

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace npu::kernels::batchnorm {

/// One channel of a node while it is computed. Programs read operands in the
/// order of the operator's inputs: elements(i) is line i of the inputs that
/// have one, values[i] the value of those that have one.
struct Channel {
  using Value = float;

  std::vector<std::vector<float>> lines;
  std::vector<float> values;
  std::vector<float> results;    ///< values, in the order of outputs
  std::vector<float> resultLine; ///< the output that is a line
  std::vector<float> terms;      ///< of a sum
  float epsilon = 0, factor = 0;
  bool byAtomics = false;
  OverflowMode mode = OverflowMode::Saturate;
  NodeStatus status;

  size_t count() const { return lines[0].size(); }
  /// An infinite sum would not show in the root.
  float inverseRoot(float variance) {
    WatchedInstructions unit;
    const float sum = unit.add(variance, epsilon);
    status.valid |= unit.bits;
    return kernels::inverseRoot(sum, InverseRoot::Quotient, mode, status.valid);
  }
  /// The sum of x, and of its squares.
  template <class I>
  std::pair<float, float> squareSums(I &unit) {
    terms.resize(count());
    for (size_t i = 0; i < count(); ++i)
      terms[i] = unit.mul(lines[0][i], lines[0][i]);
    const auto [squares, sum] = sums();
    return {sum, squares};
  }
  /// y = x scale + shift.
  template <class I>
  void scaleAndShift(I &unit, float scale, float shift) {
    resultLine.resize(count());
    for (size_t i = 0; i < count(); ++i)
      resultLine[i] = unit.add(unit.mul(lines[0][i], scale), shift);
  }
  /// The sum of grads xhat, xhat = (x - mean) inverse, and that of grads.
  template <class I>
  std::pair<float, float> gradientSums(I &unit, float mean, float inverse) {
    terms.resize(count());
    for (size_t i = 0; i < count(); ++i) {
      const float normal = unit.mul(unit.sub(lines[1][i], mean), inverse);
      terms[i] = unit.mul(lines[0][i], normal);
    }
    return sums();
  }
  /// y = factor (grads - xhat slope - offset).
  template <class I>
  void propagate(I &unit, float mean, float inverse, float slope, float offset,
                 float factor) {
    resultLine.resize(count());
    for (size_t i = 0; i < count(); ++i) {
      const float normal = unit.mul(unit.sub(lines[1][i], mean), inverse);
      const float rest = unit.sub(lines[0][i], unit.mul(normal, slope));
      resultLine[i] = unit.mul(unit.sub(rest, offset), factor);
    }
  }

private:
  /// The sum of terms, and that of lines[0].
  std::pair<float, float> sums() {
    float ofTerms = 0, ofLine = 0;
    if (byAtomics) {
      status.atomic = combine(status.atomic,
                              sumAtomically(ofTerms, terms, ofLine, lines[0]));
    } else {
      ofTerms = sumOfLine(terms, false, status);
      ofLine = sumOfLine(lines[0], false, status);
    }
    return {ofTerms, ofLine};
  }
};

/// The same of 16 channels at once that lie side by side, straight from and to
/// fp16 memory, as long as nothing happens.
struct ChannelBlock {
  using Value = ChannelValues;

  std::vector<const uint16_t *> lines;
  std::vector<ChannelValues> values;
  std::vector<ChannelValues> results;
  uint16_t *resultLine = nullptr;
  ChannelOffsets offsets;
  float epsilon = 0, factor = 0;
  bool byAtomics = false;
  StatusBits bits = status::None;
  bool isQuiet = true; ///< else all is void

  size_t count() const { return offsets.size(); }
  ChannelValues inverseRoot(const ChannelValues &variance) {
    ChannelValues root;
    for (size_t c = 0; c < ChannelValues::Count; ++c) {
      const float sum = variance.lanes[c] + epsilon;
      root.lanes[c] = 1.0f / std::sqrt(sum);
      isQuiet &= static_cast<bool>(std::isfinite(sum));
    }
    expectFinite({&root, 1});
    return root;
  }
  template <class I>
  std::pair<ChannelValues, ChannelValues> squareSums(I &) {
    const SquareSums sums = sumSquares(lines[0], offsets, byAtomics);
    return {sums.values, sums.squares};
  }
  template <class I>
  void scaleAndShift(I &, const ChannelValues &scale,
                     const ChannelValues &shift) {
    settle(kernels::scaleAndShift(lines[0], resultLine, offsets, scale, shift));
  }
  template <class I>
  std::pair<ChannelValues, ChannelValues>
  gradientSums(I &, const ChannelValues &mean, const ChannelValues &inverse) {
    const GradientSums sums =
        sumGradients(lines[0], lines[1], offsets, mean, inverse, byAtomics);
    return {sums.products, sums.gradients};
  }
  template <class I>
  void propagate(I &, const ChannelValues &mean, const ChannelValues &inverse,
                 const ChannelValues &slope, const ChannelValues &offset,
                 const ChannelValues &factor) {
    settle(kernels::propagate(lines[0], lines[1], resultLine, offsets,
                              {mean, inverse, slope, offset, factor}));
  }

  void expectFinite(std::span<const ChannelValues> all) {
    for (const ChannelValues &value : all)
      isQuiet &= areFinite(value.lanes);
  }

private:
  void settle(std::optional<StatusBits> raised) {
    isQuiet &= raised.has_value();
    bits |= raised.value_or(status::None);
  }
};

/// fp32 instructions on values of channels.
struct ChannelInstructions {
  using Values = ChannelValues;

  Values add(const Values &a, const Values &b) {
    return each(a, b, std::plus<float>());
  }
  Values sub(const Values &a, const Values &b) {
    return each(a, b, std::minus<float>());
  }
  Values mul(const Values &a, const Values &b) {
    return each(a, b, std::multiplies<float>());
  }

private:
  template <class Function>
  static Values each(const Values &a, const Values &b, Function function) {
    Values result;
    for (size_t c = 0; c < Values::Count; ++c)
      result.lanes[c] = function(a.lanes[c], b.lanes[c]);
    return result;
  }
};

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// 1 / n.
template <class C>
float shareOf(const C &c) {
  return 1.0f / static_cast<float>(c.count());
}

/// Mean and biased variance of the batch from sum and square_sum.
template <class I, class C, class V = typename C::Value>
std::pair<V, V> momentsOf(I &unit, const C &c, const V &sum,
                          const V &squareSum) {
  const V mean = unit.mul(sum, shareOf(c));
  return {mean,
          unit.sub(unit.mul(squareSum, shareOf(c)), unit.mul(mean, mean))};
}

/// y = x (scale / sqrt(var + eps)) + (offset - mean that).
template <class I, class C, class V = typename C::Value>
void normalize(I &unit, C &c, const V &mean, const V &variance, const V &scale,
               const V &offset) {
  const V multiplier = unit.mul(scale, c.inverseRoot(variance));
  c.scaleAndShift(unit, multiplier,
                  unit.sub(offset, unit.mul(mean, multiplier)));
}

/// variance * n / (n - 1), itself for n = 1.
template <class I, class C, class V = typename C::Value>
V unbiased(I &unit, const C &c, const V &variance) {
  const float n = static_cast<float>(c.count());
  return unit.mul(variance, c.count() > 1 ? n / (n - 1) : 1.0f);
}

/// x; sum, square_sum, scale, offset, mean, variance -> y; mean, variance,
/// batch_mean, batch_variance
struct Update {
  template <class I, class C>
  static void run(I &unit, C &c) {
    const auto [mean, variance] = momentsOf(unit, c, c.values[0], c.values[1]);
    normalize(unit, c, mean, variance, c.values[2], c.values[3]);
    const float rest = 1.0f - c.factor;
    using V = typename C::Value;
    auto moved = [&](const V &moving, const V &value) {
      return unit.add(unit.mul(moving, rest), unit.mul(value, c.factor));
    };
    c.results = {moved(c.values[4], mean),
                 moved(c.values[5], unbiased(unit, c, variance)), mean,
                 variance};
  }
};

/// x; sum, square_sum, scale, offset -> y; batch_mean, batch_variance
struct UpdateV2 {
  template <class I, class C>
  static void run(I &unit, C &c) {
    const auto [mean, variance] = momentsOf(unit, c, c.values[0], c.values[1]);
    normalize(unit, c, mean, variance, c.values[2], c.values[3]);
    c.results = {mean, variance};
  }
};

/// The same -> y; batch_mean, batch_variance, reserve_1, reserve_2
struct UpdateV3 {
  template <class I, class C>
  static void run(I &unit, C &c) {
    UpdateV2::run(unit, c);
    const auto mean = c.results[0], variance = c.results[1];
    c.results = {mean, unbiased(unit, c, variance), mean, variance};
  }
};

/// x -> sum, square_sum
struct Reduce {
  template <class I, class C>
  static void run(I &unit, C &c) {
    const auto [sum, squares] = c.squareSums(unit);
    c.results = {sum, squares};
  }
};

/// x; scale, offset -> y; batch_mean, batch_variance, reserve_space_1,
/// reserve_space_2, reserve_space_3
struct Train {
  template <class I, class C>
  static void run(I &unit, C &c) {
    Reduce::run(unit, c);
    const auto [mean, variance] =
        momentsOf(unit, c, c.results[0], c.results[1]);
    normalize(unit, c, mean, variance, c.values[0], c.values[1]);
    c.results = {mean, unbiased(unit, c, variance), mean, variance, variance};
  }
};

/// x; scale, offset, mean, variance -> y
struct Infer {
  template <class I, class C>
  static void run(I &unit, C &c) {
    normalize(unit, c, c.values[2], c.values[3], c.values[0], c.values[1]);
  }
};

/// The same, with the statistics as further outputs.
struct InferWithStatistics {
  template <class I, class C>
  static void run(I &unit, C &c) {
    Infer::run(unit, c);
    const auto mean = c.values[2], variance = c.values[3];
    c.results = {mean, variance, mean, variance, variance};
  }
};

/// diff_scale, diff_offset of grads and x.
template <class I, class C, class V = typename C::Value>
std::pair<V, V> parameterGradients(I &unit, C &c, const V &mean,
                                   const V &variance) {
  return c.gradientSums(unit, mean, c.inverseRoot(variance));
}

/// grads, x; batch_mean, batch_variance -> diff_scale, diff_offset
struct UpdateGradient {
  template <class I, class C>
  static void run(I &unit, C &c) {
    const auto [scale, offset] =
        parameterGradients(unit, c, c.values[0], c.values[1]);
    c.results = {scale, offset};
  }
};

/// y = scale / sqrt(var + eps) (grads - diff_offset / n - xhat diff_scale / n).
template <class I, class C, class V = typename C::Value>
void propagate(I &unit, C &c, const V &diffScale, const V &diffOffset,
               const V &scale, const V &mean, const V &variance) {
  const V inverse = c.inverseRoot(variance);
  const V slope = unit.mul(diffScale, shareOf(c));
  const V offset = unit.mul(diffOffset, shareOf(c));
  c.propagate(unit, mean, inverse, slope, offset, unit.mul(scale, inverse));
}

/// grads, x; diff_scale, diff_offset, scale, batch_mean, batch_variance -> y
struct ReduceGradient {
  template <class I, class C>
  static void run(I &unit, C &c) {
    propagate(unit, c, c.values[0], c.values[1], c.values[2], c.values[3],
              c.values[4]);
  }
};

/// y_backprop, x; scale, mean, variance[, unused] -> x_backprop;
/// scale_backprop, offset_backprop, two unused
struct Gradient {
  template <class I, class C>
  static void run(I &unit, C &c) {
    const auto scale = c.values[0], mean = c.values[1], variance = c.values[2];
    const auto [ofScale, ofOffset] =
        parameterGradients(unit, c, mean, variance);
    propagate(unit, c, ofScale, ofOffset, scale, mean, variance);
    c.results = {ofScale, ofOffset, 0, 0};
  }
};

/// The same where the statistics were no function of x.
struct InferenceGradient {
  template <class I, class C>
  static void run(I &unit, C &c) {
    const auto scale = c.values[0], mean = c.values[1], variance = c.values[2];
    const auto [ofScale, ofOffset] =
        parameterGradients(unit, c, mean, variance);
    c.scaleAndShift(unit, unit.mul(scale, c.inverseRoot(variance)),
                    typename C::Value{});
    c.results = {ofScale, ofOffset, 0, 0};
  }
};

} // namespace npu::kernels::batchnorm

#endif // NPU_LIB_KERNELS_BATCHNORMPROGRAMS_H
