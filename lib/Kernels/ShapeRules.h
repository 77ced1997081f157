//===- ShapeRules.h - The rules for shapes of outputs -----------*- C++ -*-===//

#ifndef NPU_LIB_KERNELS_SHAPERULES_H
#define NPU_LIB_KERNELS_SHAPERULES_H

#include "npu/Catalog/Catalog.h"
#include "npu/Kernels/Kernel.h"

namespace npu::kernels {

/// A node seen as logical tensors.
class ShapeInference {
public:
  using IntList = std::vector<int64_t>;
  using Shapes = std::vector<Shape>;

  explicit ShapeInference(const NodeSpec &spec) : spec(spec) {}
  Expected<Shapes> run(catalog::ShapeRule rule);

private:
  const Shape &in(size_t index) const {
    return spec.inputs[index]->originShape;
  }
  size_t rank() const { return in(0).size(); }
  /// Place of \p letter in the format of \p desc, for a tensor of as many axes.
  static std::optional<size_t> find(const TensorDesc &desc, char letter);
  Expected<size_t> axisOf(const TensorDesc &desc, char letter) const;

  bool isAttribute() const { return spec.type.ends_with("D"); }
  /// One number, from an attribute or the constant input \p index.
  Expected<int64_t> number(bool fromAttribute, size_t index,
                           const std::string &name) const;
  Expected<bool> transposes(std::initializer_list<const char *> names) const;
  /// Runs \p rule on an axis from attribute or input, of a tensor of \p rank.
  Expected<unsigned> axis(bool fromAttribute, size_t index,
                          const std::string &name, size_t rank) const;

  Expected<Shapes> same(const Shape &shape) const {
    return Shapes(spec.outputs.size(), shape);
  }
  Expected<Shapes> same(Expected<Shape> shape) const {
    if (!shape)
      return shape.takeStatus();
    return same(*shape);
  }

  Expected<Shapes> split() const;
  Expected<Shapes> layerNorm() const;
  Expected<Shapes> rmsNorm() const;
  Expected<Shapes> batchNorm() const;
  Expected<Shapes> batchSums() const;
  Expected<Shape> bitcast() const;
  Expected<Shape> bitMask() const;
  Expected<Shapes> crossEntropy() const;
  Expected<Shapes> groupNorm() const;
  Expected<Shapes> maxPoolWithArgmax() const;
  Expected<Shapes> nonMaxSuppression() const;
  Expected<Shapes> reluMask() const;
  Expected<Shape> allToAll() const;
  Expected<Shape> batchSpace() const;
  Expected<Shape> confusionTranspose() const;
  Expected<Shape> gatherNd() const;
  Expected<Shape> globalPooling() const;
  Expected<Shape> readSelect() const;
  Expected<Shape> spaceDepth() const;
  Expected<Shape> topK() const;
  Expected<Shape> broadcast(size_t inputs) const;
  Expected<Shape> concat() const;
  Expected<Shape> convolution() const;
  Expected<Shape> deconvolution() const;
  Expected<Shape> fullyConnection() const;
  Expected<Shape> gather() const;
  Expected<Shape> matMul() const;
  Expected<Shape> oneHot() const;
  Expected<Shape> pad() const;
  Expected<Shape> pooling() const;
  Expected<Shape> reduction() const;
  Expected<Shape> argReduction() const;
  Expected<Shape> reshape() const;
  Expected<Shape> resize() const;
  Expected<Shape> resizeByScales() const;
  Expected<Shape> segmentSum() const;
  Expected<Shape> tile() const;
  Expected<Shape> transpose() const;
  /// \p shape with its axes in the order of \p perm.
  static Expected<Shape> permuted(const Shape &shape, const IntList &perm);
  Expected<Shape> flatten() const;
  Expected<Shape> squeeze() const;
  Expected<Shape> unsqueeze() const;
  Expected<Shape> pack() const;
  Expected<Shape> unpack() const;
  Expected<Shape> sizeAttribute(const std::string &name) const;

  const NodeSpec &spec;
};

/// "expected WHAT, found SHAPE".
inline Status needs(const std::string &what, const Shape &shape) {
  return Status::error("expected " + what + ", found " + toString(shape));
}

} // namespace npu::kernels

#endif // NPU_LIB_KERNELS_SHAPERULES_H
