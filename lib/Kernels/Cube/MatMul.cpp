//===- MatMul.cpp - Matrix products as contractions -----------------------===//

#include "MatMul.h"

#include "Convolution.h"
#include "CubePlan.h"
#include "Offsets.h"

#include <algorithm>

using namespace npu;
using namespace npu::kernels;
using namespace npu::kernels::cube;

namespace {

/// A stack of matrices in memory.
struct MatrixView {
  Shape batch; ///< leading dimensions
  Layout layout;
  int64_t rows = 0, columns = 0;
  /// Of the first matrix of the stack.
  std::vector<int64_t> rowOffsets, columnOffsets;

  static Expected<MatrixView> create(const TensorDesc &desc,
                                     const std::string &what, bool transposed);
  int64_t numMatrices() const { return getNumElements(batch); }
  /// Elements from one matrix to the next.
  int64_t matrixPitch() const { return layout.numElements() / numMatrices(); }
};

Expected<MatrixView> MatrixView::create(const TensorDesc &desc,
                                        const std::string &what,
                                        bool transposed) {
  auto layout = Layout::create(desc);
  if (!layout)
    return layout.takeStatus().withContext(what);
  const size_t rank = layout->axes().size();
  if (rank < 2)
    return Status::error(what + ": " + desc.toString() +
                         " has no two dimensions");
  MatrixView view;
  for (size_t i = 0; i + 2 < rank; ++i)
    view.batch.push_back(layout->axes()[i].extent);
  view.layout = std::move(*layout);
  if (view.layout.numElements() == 0)
    return Status::error(what + ": " + desc.toString() + " is empty");

  for (size_t axis : {rank - 2, rank - 1})
    if (view.layout.axes()[axis].extent > MaxTableSize)
      return Status::error(what + ": " + desc.toString() + " is too large");
  if (view.numMatrices() > MaxParts)
    return Status::error(what + ": " + desc.toString() +
                         " has too many matrices");

  const auto offsets = [&](size_t axis) {
    std::vector<int64_t> index(rank), result;
    for (; index[axis] < view.layout.axes()[axis].extent; ++index[axis])
      result.push_back(view.layout.elementAt(index));
    return result;
  };
  view.rowOffsets = offsets(rank - 2);
  view.columnOffsets = offsets(rank - 1);
  if (transposed)
    std::swap(view.rowOffsets, view.columnOffsets);
  view.rows = static_cast<int64_t>(view.rowOffsets.size());
  view.columns = static_cast<int64_t>(view.columnOffsets.size());
  return view;
}

/// A transposition by any of its names, which must not contradict each other;
/// false when there is none.
Expected<bool> readTranspose(const Attributes &attrs,
                             std::initializer_list<const char *> names) {
  std::optional<bool> found;
  for (const char *name : names) {
    if (!attrs.has(name))
      continue;
    auto value = attrs.require<bool>(name);
    if (!value)
      return value.takeStatus();
    if (found && *found != *value)
      return Status::error(std::string("attribute '") + name +
                           "' contradicts another name of it");
    found = *value;
  }
  return found.value_or(false);
}

std::string describe(const MatrixView &view) {
  return std::to_string(view.rows) + "x" + std::to_string(view.columns);
}

/// The matrix of \p view, counted in memory order, that takes part in result
/// \p index: dimensions of 1 and missing ones are broadcast.
int64_t broadcastIndex(const MatrixView &view, const Shape &index) {
  const size_t skipped = index.size() - view.batch.size();
  int64_t matrix = 0;
  for (size_t i = 0; i < view.batch.size(); ++i)
    matrix =
        matrix * view.batch[i] + (view.batch[i] == 1 ? 0 : index[skipped + i]);
  return matrix;
}

Status checkBroadcast(const MatrixView &view, const MatrixView &out,
                      const std::string &what) {
  const size_t rank = view.batch.size(), outRank = out.batch.size();
  for (size_t i = 0; i < rank; ++i)
    if (rank > outRank ||
        (view.batch[i] != 1 && view.batch[i] != out.batch[outRank - rank + i]))
      return Status::error("leading dimensions " + toString(view.batch) +
                           " of " + what +
                           " do not broadcast to those of "
                           "the output, " +
                           toString(out.batch));
  return {};
}

/// Runs over the values of k, of which \p readable elements are in memory from
/// the start of every row.
std::vector<Run> makeRuns(std::span<const int64_t> depthOffsets,
                          int64_t readable) {
  std::vector<Run> runs;
  for (size_t k = 0; k < depthOffsets.size();) {
    const size_t longest =
        std::min<size_t>(PanelWidth, depthOffsets.size() - k);
    const int64_t length = countAdjacent(depthOffsets.subspan(k, longest));
    Run run;
    run.offset = depthOffsets[k];
    run.length = static_cast<int16_t>(length);
    run.readable = depthOffsets[k] + PanelWidth <= readable;
    runs.push_back(run);
    k += length;
  }
  return runs;
}

/// The left operand of all products. Its images are its matrices.
LeftOperand planLeft(const MatrixView &view, CubePlan &plan) {
  LeftOperand left;
  left.height = left.inputHeight = view.rows;
  const Pitch pitch = findPitch(view.rowOffsets);
  if (pitch.uniform && (view.columns == 1 || view.columnOffsets[1] == 1)) {
    left.linePitch = pitch.step;
    left.imagePitch = view.matrixPitch();
    plan.runs.push_back(makeRuns(view.columnOffsets,
                                 view.matrixPitch() - view.rowOffsets.back()));
    return left;
  }
  // Repacked to [k / 16][row][k % 16]: the panels of the transpose.
  left.linePitch = PanelWidth;
  const int64_t blockPitch = view.rows * PanelWidth;
  left.imagePitch = ceilDiv(view.columns, PanelWidth) * blockPitch;
  std::vector<int64_t> depthOffsets;
  for (int64_t k = 0; k < view.columns; ++k)
    depthOffsets.push_back(k / PanelWidth * blockPitch + k % PanelWidth);
  plan.runs.push_back(
      makeRuns(depthOffsets, left.imagePitch - blockPitch + PanelWidth));
  const size_t rowTable = plan.addOffsets(view.rowOffsets);
  const size_t columnTable = plan.addOffsets(view.columnOffsets);
  for (int64_t matrix = 0; matrix < view.numMatrices(); ++matrix)
    plan.repackedLeft.push_back(
        {matrix * view.matrixPitch(), rowTable, columnTable});
  return left;
}

/// The distance of panels of columns, when columns lie 16 by 16 side by side.
std::optional<int64_t> findPanelPitch(std::span<const int64_t> columns) {
  const int64_t count = static_cast<int64_t>(columns.size());
  const int64_t pitch = count > PanelWidth ? columns[PanelWidth] : PanelWidth;
  for (int64_t n = 0; n < count; ++n)
    if (columns[n] != n / PanelWidth * pitch + n % PanelWidth)
      return std::nullopt;
  return pitch;
}

void planRight(const MatrixView &view, int64_t rows, CubePlan &plan) {
  const size_t depthTable = plan.addOffsets(view.rowOffsets);
  const size_t columnTable = plan.addOffsets(view.columnOffsets);
  for (int64_t matrix = 0; matrix < view.numMatrices(); ++matrix)
    plan.right.push_back(
        {matrix * view.matrixPitch(), depthTable, columnTable});

  // Beyond a few bands of a kernel it pays to pack a matrix whose rows lie far
  // apart.
  constexpr int64_t FewRows = 28;
  const Pitch depthPitch = findPitch(view.rowOffsets);
  const auto panelPitch = findPanelPitch(view.columnOffsets);
  if (panelType(plan.rightType) != plan.rightType || !panelPitch ||
      !depthPitch.uniform || (depthPitch.step != PanelWidth && rows > FewRows))
    return;
  // The last panel is read whole.
  const int64_t end = view.rowOffsets.back() +
                      (ceilDiv(view.columns, PanelWidth) - 1) * *panelPitch +
                      PanelWidth;
  plan.rightInPlace = end <= view.matrixPitch();
  plan.panelPitch = *panelPitch;
  plan.depthPitch = depthPitch.step;
}

/// Where the results of a part go.
struct OutputPlan {
  Destination to;
  std::optional<size_t> columnTable;
};

Expected<OutputPlan> planOutput(const MatrixView &out, const TensorDesc &desc,
                                CubePlan &plan) {
  const Pitch pitch = findPitch(out.rowOffsets);
  if (!pitch.uniform)
    return Status::error("the output " + desc.toString() +
                         " has a format that no matrix product writes");
  OutputPlan result;
  result.to.linePitch = pitch.step;
  result.to.imagePitch = out.matrixPitch();
  const bool blocked = !isPlain(desc.format);
  const auto panelPitch = findPanelPitch(out.columnOffsets);
  if (panelPitch && (!blocked || desc.shape.back() == PanelWidth)) {
    result.to.panelPitch = *panelPitch;
    result.to.padColumns = blocked;
  } else {
    result.columnTable = plan.addOffsets(out.columnOffsets);
    if (out.layout.hasPadding())
      plan.padding.push_back({0, out.layout.numElements()});
    return result;
  }
  if (blocked && out.rows % PanelWidth != 0) {
    // The rows after the last one, in each panel of each matrix.
    const int64_t written = out.rows * PanelWidth;
    const int64_t panel =
        ceilDiv(out.rows, PanelWidth) * PanelWidth * PanelWidth;
    for (int64_t at = 0; at < out.layout.numElements(); at += panel)
      plan.padding.push_back({at + written, panel - written});
  }
  return result;
}

/// One product for each matrix of the output; one for all of them when they
/// share the right operand.
void addProducts(const MatrixView &x1, const MatrixView &x2,
                 const MatrixView &out, const LeftOperand &left,
                 const OutputPlan &output, CubePlan &plan) {
  PlannedPart part;
  part.left = left;
  part.out = output.to;
  part.outColumns = output.columnTable;
  part.columns = out.columns;
  if (x2.numMatrices() == 1 && x1.numMatrices() == out.numMatrices()) {
    part.left.images = out.numMatrices();
    plan.parts.push_back(part);
    return;
  }
  Shape index(out.batch.size());
  for (int64_t matrix = 0; matrix < out.numMatrices(); ++matrix) {
    part.leftBase = broadcastIndex(x1, index) * left.imagePitch;
    part.right = broadcastIndex(x2, index);
    part.outBase = matrix * out.matrixPitch();
    plan.parts.push_back(part);
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < out.batch[axis])
        break;
      index[axis] = 0;
    }
  }
}

Expected<std::unique_ptr<Kernel>> createProduct(const NodeSpec &spec,
                                                const NumericConfig &config,
                                                bool transpose1,
                                                bool transpose2) {
  for (size_t i = 3; i < spec.inputs.size(); ++i)
    if (spec.inputs[i] && spec.inputs[i]->dtype != DataType::Int8)
      return Status::error("input " + std::to_string(i) + " (" +
                           spec.inputs[i]->toString() +
                           ") is no offset_w; is the node fused?");
  auto x1 = MatrixView::create(*spec.inputs[0], "input 0", transpose1);
  if (!x1)
    return x1.takeStatus();
  auto x2 = MatrixView::create(*spec.inputs[1], "input 1", transpose2);
  if (!x2)
    return x2.takeStatus();
  auto out = MatrixView::create(spec.outputs[0], "the output", false);
  if (!out)
    return out.takeStatus();
  if (x1->columns != x2->rows || out->rows != x1->rows ||
      out->columns != x2->columns)
    return Status::error("op(x1) " + describe(*x1) + " times op(x2) " +
                         describe(*x2) + " does not give the output " +
                         describe(*out) +
                         "; are transposition attributes missing?");
  for (const auto *view : {&*x1, &*x2})
    if (Status status =
            checkBroadcast(*view, *out, view == &*x1 ? "input 0" : "input 1");
        !status)
      return status;

  CubePlan plan;
  if (Status status = bindTypes(spec, config, 2, out->columns, plan); !status)
    return status;
  plan.rightConstant = spec.constants.size() > 1 && spec.constants[1];
  const LeftOperand left = planLeft(*x1, plan);
  planRight(*x2, x1->rows, plan);
  auto output = planOutput(*out, spec.outputs[0], plan);
  if (!output)
    return output.takeStatus();
  addProducts(*x1, *x2, *out, left, *output, plan);
  return makeCubeKernel(std::move(plan));
}

Status checkOperands(const NodeSpec &spec) {
  if (spec.inputs.size() < 2 || !spec.inputs[0] || !spec.inputs[1] ||
      spec.outputs.size() != 1)
    return Status::error("expected two operands and one output");
  return {};
}

} // namespace

Expected<std::unique_ptr<Kernel>>
npu::kernels::cube::createMatMul(const NodeSpec &spec,
                                 const NumericConfig &config) {
  const std::string where = spec.type + " " + spec.name;
  if (Status status = checkOperands(spec); !status)
    return std::move(status).withContext(where);
  auto transpose1 =
      readTranspose(spec.attrs, {"transpose_x1", "transpose_a", "adj_x1"});
  if (!transpose1)
    return transpose1.takeStatus().withContext(where);
  auto transpose2 =
      readTranspose(spec.attrs, {"transpose_x2", "transpose_b", "adj_x2"});
  if (!transpose2)
    return transpose2.takeStatus().withContext(where);
  auto kernel = createProduct(spec, config, *transpose1, *transpose2);
  if (!kernel)
    return kernel.takeStatus().withContext(where);
  return kernel;
}

/// Whether the rows of x from \p axis on, and those of w, lie one after the
/// other in memory.
static bool isFlattenedInPlace(const NodeSpec &spec, int64_t axis) {
  auto isRowMajor = [](const TensorDesc &desc) {
    return desc.format == Format::ND || desc.format == Format::NCHW;
  };
  const TensorDesc &x = *spec.inputs[0];
  return isRowMajor(x) && isRowMajor(*spec.inputs[1]) &&
         isPlain(spec.outputs[0].format) && axis >= 0 &&
         axis < static_cast<int64_t>(x.shape.size());
}

/// The same node with matrices: of x from \p axis on, of all but the first
/// axis of a w that is an image for each output.
static NodeSpec flattenOperands(const NodeSpec &spec, int64_t axis) {
  auto asMatrix = [](TensorDesc &desc, size_t rows) {
    Shape matrix{1, 1};
    for (size_t i = 0; i < desc.shape.size(); ++i)
      matrix[i < rows ? 0 : 1] *= desc.shape[i];
    desc.format = desc.originFormat = Format::ND;
    desc.shape = desc.originShape = matrix;
  };
  NodeSpec flat = spec;
  asMatrix(*flat.inputs[0], static_cast<size_t>(axis));
  if (flat.inputs[1]->shape.size() != 2)
    asMatrix(*flat.inputs[1], 1);
  // Units may follow the outputs of a row.
  asMatrix(flat.outputs[0], static_cast<size_t>(axis));
  return flat;
}

Expected<std::unique_ptr<Kernel>>
npu::kernels::cube::createFullyConnection(const NodeSpec &spec,
                                          const NumericConfig &config) {
  const std::string where = spec.type + " " + spec.name;
  if (Status status = checkOperands(spec); !status)
    return std::move(status).withContext(where);
  auto transpose = spec.attribute<bool>("transpose");
  if (!transpose)
    return transpose.takeStatus().withContext(where);
  auto axis = spec.attribute<int64_t>("axis");
  if (!axis)
    return axis.takeStatus().withContext(where);

  const size_t rank = spec.inputs[0]->originShape.size();
  if (rank != 2 && isFlattenedInPlace(spec, *axis)) {
    auto kernel =
        createProduct(flattenOperands(spec, *axis), config, false, !*transpose);
    if (!kernel)
      return kernel.takeStatus().withContext(where);
    return kernel;
  }
  if (rank != 4) {
    // w is [num_output, K] unless transposed.
    auto kernel = createProduct(spec, config, false, !*transpose);
    if (!kernel)
      return kernel.takeStatus().withContext(where);
    return kernel;
  }
  if (*axis != 1 || *transpose)
    return Status::error("an image in blocks is flattened from axis 1 and its "
                         "weight is not transposed; found axis = " +
                         std::to_string(*axis) +
                         ", transpose = " + (*transpose ? "true" : "false"))
        .withContext(where);
  return createImageFullyConnection(spec, config);
}
