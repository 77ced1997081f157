//===- Scatter.cpp - Elements by indices, there and back ------------------===//
//
// GatherNd, GatherElements; ScatterUpdate, ScatterAdd, ScatterNd,
// ScatterNdUpdate, TensorScatterUpdate, ScatterElements. Updates are applied
// one after the other in the order of the indices.
//
//===----------------------------------------------------------------------===//

#include "AtomicSum.h"
#include "Builtins.h"
#include "ExactElements.h"
#include "FloatElements.h"
#include "FloatInstructions.h"
#include "KernelChecks.h"
#include "PlainTensor.h"
#include "StridedCopy.h"
#include "npu/Kernels/Registry.h"

#include <cstring>

using namespace npu;
using namespace npu::kernels;

namespace {

/// How indices name places of a tensor.
enum class Addressing : uint8_t {
  Rows,        ///< each index is one of the first axis
  Coordinates, ///< the last axis of the indices has those of the first axes
  Elements,    ///< each index replaces the element's own along an axis
};

/// Pieces of \p tensor at the places that \p indices name.
class Places {
public:
  static Expected<Places> create(Addressing addressing, const Shape &tensor,
                                 const Shape &indices, int64_t axis,
                                 bool wrapsNegative);

  int64_t count() const { return numPlaces; }
  int64_t width() const { return pieceWidth; } ///< elements of a piece
  /// Element at which piece \p number begins, or -1 for one that is outside.
  int64_t at(int64_t number, const std::vector<int64_t> &indices) const;

private:
  Addressing addressing = Addressing::Rows;
  Shape shape, own; ///< of the tensor, of the indices
  std::vector<int64_t> steps;
  size_t axis = 0, numCoordinates = 1;
  int64_t numPlaces = 0, pieceWidth = 1;
  bool wrapsNegative = false;
};

Expected<Places> Places::create(Addressing addressing, const Shape &tensor,
                                const Shape &indices, int64_t axis,
                                bool wrapsNegative) {
  Places places;
  places.addressing = addressing;
  places.shape = tensor;
  places.own = indices;
  places.steps = rowMajorSteps(tensor);
  places.wrapsNegative = wrapsNegative;
  places.numPlaces = getNumElements(indices);
  bool fits = !tensor.empty();
  switch (addressing) {
  case Addressing::Rows:
    break;
  case Addressing::Coordinates:
    fits = fits && !indices.empty() && indices.back() > 0 &&
           indices.back() <= static_cast<int64_t>(tensor.size());
    if (fits) {
      places.numCoordinates = static_cast<size_t>(indices.back());
      places.numPlaces /= indices.back();
    }
    break;
  case Addressing::Elements: {
    fits = fits && indices.size() == tensor.size();
    auto normal = normalizeAxis(axis, tensor.size());
    if (!normal)
      return normal.takeStatus();
    places.axis = *normal;
    for (size_t i = 0; fits && i < tensor.size(); ++i)
      fits = i == places.axis || indices[i] <= tensor[i];
    places.numCoordinates = tensor.size();
  }
  }
  if (!fits)
    return Status::error("the indices do not fit the tensor");
  for (size_t i = places.numCoordinates; i < tensor.size(); ++i)
    places.pieceWidth *= tensor[i];
  return places;
}

int64_t Places::at(int64_t number, const std::vector<int64_t> &indices) const {
  int64_t place = 0;
  auto addCoordinate = [&](size_t i, int64_t index) {
    if (wrapsNegative && index < 0)
      index += shape[i];
    if (index < 0 || index >= shape[i])
      return false;
    place += index * steps[i];
    return true;
  };
  if (addressing != Addressing::Elements) {
    for (size_t i = 0; i < numCoordinates; ++i)
      if (!addCoordinate(i, indices[number * numCoordinates + i]))
        return -1;
    return place;
  }
  int64_t rest = number;
  for (size_t i = own.size(); i-- > 0;) {
    if (!addCoordinate(i, i == axis ? indices[number] : rest % own[i]))
      return -1;
    rest /= own[i];
  }
  return place;
}

std::vector<int64_t> readIndices(const PlainInput &input, const std::byte *data,
                                 ThreadPool &pool) {
  std::vector<std::byte> copy;
  data = input.read(data, copy, pool);
  std::vector<int64_t> indices;
  for (int64_t i = 0, e = getNumElements(input.shape()); i < e; ++i)
    indices.push_back(input.dtype() == DataType::Int32
                          ? reinterpret_cast<const int32_t *>(data)[i]
                          : reinterpret_cast<const int64_t *>(data)[i]);
  return indices;
}

bool isIndexType(DataType dtype) {
  return dtype == DataType::Int32 || dtype == DataType::Int64;
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

class GatherPiecesKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  PlainInput x, indices;
  PlainOutput y;
  Places places;
  unsigned elementSize = 0;
};

Expected<std::unique_ptr<Kernel>>
GatherPiecesKernel::create(const NodeSpec &spec, const NumericConfig &) {
  if (Status status = checkArity(spec, 2, 1); !status)
    return status;
  auto kernel = std::make_unique<GatherPiecesKernel>();
  auto x = PlainInput::create(*spec.inputs[0]);
  if (!x)
    return inNode(spec, x.takeStatus());
  auto indices = PlainInput::create(*spec.inputs[1]);
  if (!indices)
    return inNode(spec, indices.takeStatus());
  auto y = PlainOutput::create(spec.outputs[0]);
  if (!y)
    return inNode(spec, y.takeStatus());
  const bool isElements = spec.type == "GatherElements";
  Expected<int64_t> axis =
      isElements ? spec.attribute<int64_t>("dim") : Expected<int64_t>(0);
  Expected<bool> wraps = isElements
                             ? Expected<bool>(true)
                             : spec.attribute<bool>("negative_index_support");
  if (!axis)
    return inNode(spec, axis.takeStatus());
  if (!wraps)
    return inNode(spec, wraps.takeStatus());
  auto places = Places::create(isElements ? Addressing::Elements
                                          : Addressing::Coordinates,
                               x->shape(), indices->shape(), *axis, *wraps);
  if (!places || !isIndexType(indices->dtype()) || x->dtype() != y->dtype() ||
      getBitWidth(x->dtype()) % 8 != 0 ||
      places->count() * places->width() != getNumElements(y->shape()))
    return nodeError(spec, "cannot gather " + spec.outputs[0].toString() +
                               " from " + spec.inputs[0]->toString() + " by " +
                               spec.inputs[1]->toString());
  kernel->elementSize = getBitWidth(x->dtype()) / 8;
  kernel->x = std::move(*x);
  kernel->indices = std::move(*indices);
  kernel->y = std::move(*y);
  kernel->places = std::move(*places);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Expected<NodeStatus>
GatherPiecesKernel::run(RunContext &context,
                        std::span<const ConstTensor> inputs,
                        std::span<const MutableTensor> outputs) {
  std::vector<std::byte> copyOfX, copyOfY;
  const std::byte *from = x.read(inputs[0].data, copyOfX, context.pool);
  const std::vector<int64_t> numbers =
      readIndices(indices, inputs[1].data, context.pool);
  std::byte *to = y.begin(outputs[0].data, copyOfY);
  const int64_t bytes = places.width() * elementSize;
  context.pool.parallelFor(
      places.count(), 256, [&](int64_t begin, int64_t end, int64_t) {
        for (int64_t i = begin; i < end; ++i)
          if (const int64_t place = places.at(i, numbers); place < 0)
            std::memset(to + i * bytes, 0, bytes);
          else
            std::memcpy(to + i * bytes, from + place * elementSize, bytes);
      });
  y.finish(outputs[0].data, copyOfY, context.pool);
  return NodeStatus{};
}

//===----------------------------------------------------------------------===//
// Scattering
//===----------------------------------------------------------------------===//

enum class Combination : uint8_t { Replace, Add, Multiply };

struct Row {
  std::string_view type;
  Addressing addressing;
  Combination combination;
};

constexpr Row rows[] = {
    {"ScatterUpdate", Addressing::Rows, Combination::Replace},
    {"ScatterAdd", Addressing::Rows, Combination::Add},
    {"ScatterNdUpdate", Addressing::Coordinates, Combination::Replace},
    {"TensorScatterUpdate", Addressing::Coordinates, Combination::Replace},
    {"ScatterElements", Addressing::Elements, Combination::Replace},
    {"ScatterNd", Addressing::Coordinates, Combination::Add},
};

/// Inputs tensor, indices, updates; of ScatterNd indices, updates and a shape,
/// and the tensor is zero.
class ScatterKernel final : public Kernel {
public:
  static Expected<std::unique_ptr<Kernel>> create(const NodeSpec &spec,
                                                  const NumericConfig &config);

  Expected<NodeStatus> run(RunContext &context,
                           std::span<const ConstTensor> inputs,
                           std::span<const MutableTensor> outputs) override;

private:
  std::optional<PlainInput> tensor;
  PlainInput indices, updates;
  PlainOutput y;
  Places places;
  Combination combination = Combination::Replace;
  bool byAtomics = false;
  OverflowMode mode = OverflowMode::Saturate;

  /// Combines \p count elements at \p to with those at \p from.
  NodeStatus combinePiece(std::byte *to, const std::byte *from,
                          int64_t count) const;
};

Expected<std::unique_ptr<Kernel>>
ScatterKernel::create(const NodeSpec &spec, const NumericConfig &config) {
  const Row *row =
      std::find_if(std::begin(rows), std::end(rows),
                   [&](const Row &r) { return r.type == spec.type; });
  if (row == std::end(rows))
    return nodeError(spec, "is no scatter");
  const bool isNew = spec.type == "ScatterNd";
  if (Status status = checkArity(spec, 3, 1); !status)
    return status;
  auto kernel = std::make_unique<ScatterKernel>();
  kernel->mode = config.overflow;
  kernel->combination = row->combination;
  int64_t axis = 0;
  if (row->addressing == Addressing::Elements) {
    auto number = spec.attribute<int64_t>("axis");
    auto reduction = spec.attribute<std::string>("reduction");
    if (!number)
      return inNode(spec, number.takeStatus());
    if (!reduction)
      return inNode(spec, reduction.takeStatus());
    axis = *number;
    if (*reduction == "add")
      kernel->combination = Combination::Add;
    else if (*reduction == "mul")
      kernel->combination = Combination::Multiply;
    else if (*reduction != "none")
      return nodeError(spec, "attribute 'reduction' is '" + *reduction +
                                 "', expected none, add or mul");
  }
  auto byAtomics = accumulatesByAtomics(spec);
  if (!byAtomics)
    return inNode(spec, byAtomics.takeStatus());
  auto indices = PlainInput::create(*spec.inputs[isNew ? 0 : 1]);
  if (!indices)
    return inNode(spec, indices.takeStatus());
  auto updates = PlainInput::create(*spec.inputs[isNew ? 1 : 2]);
  if (!updates)
    return inNode(spec, updates.takeStatus());
  auto y = PlainOutput::create(spec.outputs[0]);
  if (!y)
    return inNode(spec, y.takeStatus());
  if (!isNew) {
    auto tensor = PlainInput::create(*spec.inputs[0]);
    if (!tensor)
      return inNode(spec, tensor.takeStatus());
    kernel->tensor = std::move(*tensor);
  }
  auto places = Places::create(row->addressing, y->shape(), indices->shape(),
                               axis, /*wrapsNegative=*/
                               row->addressing == Addressing::Elements);
  const DataType dtype = y->dtype();
  const bool hasArithmetic = dtype == DataType::Float16 ||
                             dtype == DataType::Float || isExactType(dtype);
  if (!places || !isIndexType(indices->dtype()) || updates->dtype() != dtype ||
      getBitWidth(dtype) % 8 != 0 ||
      (kernel->combination != Combination::Replace && !hasArithmetic) ||
      (kernel->tensor && (kernel->tensor->shape() != y->shape() ||
                          kernel->tensor->dtype() != dtype)) ||
      places->count() * places->width() != getNumElements(updates->shape()))
    return nodeError(spec, "cannot scatter " +
                               spec.inputs[isNew ? 1 : 2]->toString() + " by " +
                               spec.inputs[isNew ? 0 : 1]->toString() +
                               " into " + spec.outputs[0].toString());
  // Atomics on a device add in fp32.
  kernel->byAtomics = *byAtomics && dtype == DataType::Float &&
                      kernel->combination == Combination::Add;
  kernel->indices = std::move(*indices);
  kernel->updates = std::move(*updates);
  kernel->y = std::move(*y);
  kernel->places = std::move(*places);
  return std::unique_ptr<Kernel>(std::move(kernel));
}

NodeStatus ScatterKernel::combinePiece(std::byte *to, const std::byte *from,
                                       int64_t count) const {
  const bool adds = combination == Combination::Add;
  NodeStatus status;
  auto forEach = [&]<typename T>(T, auto combine) {
    for (int64_t i = 0; i < count; ++i) {
      T &target = reinterpret_cast<T *>(to)[i];
      target = combine(target, reinterpret_cast<const T *>(from)[i]);
    }
  };
  auto inFloat = [&](auto &unit, float a, float b) {
    return canonicalNaN(adds ? unit.add(a, b) : unit.mul(a, b));
  };
  if (combination == Combination::Replace) {
    std::memcpy(to, from, count * (getBitWidth(y.dtype()) / 8));
  } else if (byAtomics) {
    forEach(float(), [&](float a, float b) {
      status.atomic = combine(status.atomic, addAtomically(a, b));
      return canonicalNaN(a);
    });
  } else if (y.dtype() == DataType::Float) {
    WatchedInstructions unit;
    forEach(float(), [&](float a, float b) { return inFloat(unit, a, b); });
    status.valid |= unit.bits;
  } else if (y.dtype() == DataType::Float16) {
    HalfInstructions unit(mode);
    forEach(numerics::Half{}, [&](numerics::Half a, numerics::Half b) {
      StatusBits ignored = status::None;
      return numerics::floatToHalf(
          inFloat(unit, numerics::halfToFloat(a), numerics::halfToFloat(b)),
          mode, ignored);
    });
    status.valid |= unit.bits;
  } else {
    visitExactType(y.dtype(), [&]<typename T>(T zero) {
      ExactInstructions<T> unit;
      forEach(zero,
              [&](T a, T b) { return adds ? unit.add(a, b) : unit.mul(a, b); });
      status.valid |= unit.bits;
    });
  }
  return status;
}

Expected<NodeStatus>
ScatterKernel::run(RunContext &context, std::span<const ConstTensor> inputs,
                   std::span<const MutableTensor> outputs) {
  const size_t first = tensor ? 1 : 0;
  const unsigned size = getBitWidth(y.dtype()) / 8;
  std::vector<std::byte> copyOfTensor, copyOfUpdates, copyOfY;
  std::byte *to = y.begin(outputs[0].data, copyOfY);
  const size_t bytes = getNumElements(y.shape()) * size;
  if (tensor)
    std::memcpy(to, tensor->read(inputs[0].data, copyOfTensor, context.pool),
                bytes);
  else
    std::memset(to, 0, bytes);
  const std::vector<int64_t> numbers =
      readIndices(indices, inputs[first].data, context.pool);
  const std::byte *from =
      updates.read(inputs[first + 1].data, copyOfUpdates, context.pool);
  NodeStatus status;
  for (int64_t i = 0; i < places.count(); ++i)
    if (const int64_t place = places.at(i, numbers); place >= 0)
      status |= combinePiece(to + place * size,
                             from + i * places.width() * size, places.width());
  y.finish(outputs[0].data, copyOfY, context.pool);
  return status;
}

} // namespace

void kernels::addScatter(Registry &registry) {
  for (const char *type : {"GatherElements", "GatherNd"})
    registry.add(type, {GatherPiecesKernel::create,
                        "copies; zero for an index outside", status::None});
  constexpr StatusBits sums = status::FloatOverflow | status::IntegerOverflow |
                              status::VectorNanInfInput;
  for (const Row &row : rows) {
    const bool reduces = row.type == "ScatterElements";
    const bool adds = row.combination == Combination::Add;
    registry.add(std::string(row.type),
                 {ScatterKernel::create,
                  reduces || adds
                      ? "one addition or product after the other in the order "
                        "of the indices, in the tensor's type"
                      : "copies",
                  reduces ? sums | status::FloatUnderflow
                  : adds  ? sums
                          : status::None});
  }
}
