//===- InferShapes.cpp - Shapes that a graph leaves open ------------------===//

#include "npu/Execution/InferShapes.h"

#include "KernelBinding.h"
#include "ShapePropagation.h"

#include "npu/Execution/TensorTypes.h"
#include "npu/Kernels/Layout.h"
#include "npu/Kernels/ShapeInference.h"
#include "npu/Support/Npy.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace npu;
using ge::GraphOp;
using ge::NodeOp;
using Kind = PlannedNode::Kind;

static bool isScalar(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

static bool isUnknown(Type type) {
  auto tensor = dyn_cast_or_null<TensorType>(type);
  if (!tensor)
    return false;
  if (!tensor.hasRank() || !tensor.hasStaticShape())
    return true;
  auto layout = dyn_cast_or_null<ge::LayoutAttr>(
      cast<RankedTensorType>(tensor).getEncoding());
  return layout && layout.getOriginShape() &&
         llvm::any_of(layout.getOriginShape().asArrayRef(),
                      [](int64_t dim) { return dim < 0; });
}

bool ShapePropagation::isOpen(Type type) const {
  return isUnknown(type) || (isWithoutShapes && isScalar(type));
}

/// Whether \p node cannot have a scalar as its output, but has: GE writes what
/// has no shape yet like a scalar.
static bool lacksShape(NodeOp node) {
  using catalog::ShapeRule;
  const catalog::Row *row = catalog::lookup(node.getOpType());
  return row &&
         llvm::is_contained({ShapeRule::Convolution, ShapeRule::Pooling,
                             ShapeRule::MatMul, ShapeRule::FullyConnection,
                             ShapeRule::Concat},
                            row->shape) &&
         llvm::any_of(node.getOutputs().getTypes(), isScalar);
}

/// Whether \p shape is one of those that \p pattern, with -1 for unknown
/// dimensions, stands for.
static bool fits(const Shape &shape, const Shape &pattern) {
  return shape.size() == pattern.size() &&
         llvm::all_of(llvm::zip_equal(shape, pattern), [](auto pair) {
           auto [dim, known] = pair;
           return known < 0 || dim == known;
         });
}

/// The type of a tensor without known rank as far as it tells.
static Expected<TensorDesc> readOpenDesc(Type type) {
  if (auto unranked = dyn_cast<UnrankedTensorType>(type))
    return readTensorDesc(RankedTensorType::get({}, unranked.getElementType()));
  return readTensorDesc(type);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Expected<Type> ShapePropagation::withShape(Type type,
                                           const Shape &shape) const {
  auto tensor = cast<TensorType>(type);
  Expected<TensorDesc> desc = readOpenDesc(type);
  if (!desc)
    return desc.takeStatus();
  auto ranked = dyn_cast<RankedTensorType>(type);
  auto layout = ranked ? dyn_cast_or_null<ge::LayoutAttr>(ranked.getEncoding())
                       : ge::LayoutAttr();
  Shape physical = shape;
  if (!kernels::isPlain(desc->format)) {
    std::optional<int64_t> c0;
    if (!desc->shape.empty() && desc->shape.back() > 0)
      c0 = desc->shape.back();
    Expected<Shape> blocks = kernels::physicalShape(
        desc->format, desc->groups, desc->dtype, desc->originFormat, shape, c0);
    if (!blocks)
      return blocks.takeStatus();
    physical = std::move(*blocks);
  }
  if (layout && (layout.getOriginShape() || physical != shape))
    layout = ge::LayoutAttr::get(
        builder.getContext(), layout.getFormat(), layout.getOriginFormat(),
        DenseI64ArrayAttr::get(builder.getContext(), shape));
  return Type(RankedTensorType::get(physical, tensor.getElementType(), layout));
}

Status ShapePropagation::setShape(NodeOp node, unsigned index,
                                  const Shape &shape) {
  Value output = node.getOutputs()[index];
  const bool isRanked = isa<RankedTensorType>(output.getType()) &&
                        !(isWithoutShapes && isScalar(output.getType()));
  Expected<TensorDesc> desc = readOpenDesc(output.getType());
  if (!desc)
    return desc.takeStatus().withContext(describe(node));
  if (isRanked && !fits(shape, desc->originShape) &&
      // Ones are added and dropped freely between stages of a graph.
      (isOpen(output.getType()) ||
       getNumElements(shape) != getNumElements(desc->originShape)))
    return Status::error(describe(node) + ": output " + std::to_string(index) +
                         " is " + toString(desc->originShape) +
                         " in the graph, but its inputs lead to " +
                         toString(shape));
  if (!isOpen(output.getType()))
    return {};
  Expected<Type> type = withShape(output.getType(), shape);
  if (!type)
    return type.takeStatus().withContext(describe(node) + ": output " +
                                         std::to_string(index));
  output.setType(*type);
  settled.insert(output);
  return {};
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// The shape that output \p index of a source is given, and what gives it.
Expected<std::optional<Shape>>
ShapePropagation::findShape(NodeOp node, unsigned index, std::string &from) {
  const std::string name = node.getNodeName().str();
  for (const std::string &key : {name, name + ":" + std::to_string(index)}) {
    if (auto it = sources.shapes.find(key); it != sources.shapes.end()) {
      from = "--input-shape";
      return std::optional<Shape>(it->second);
    }
    if (auto it = sources.inputs.find(key); it != sources.inputs.end()) {
      from = it->second;
      Expected<NpyFile> file = readNpy(it->second);
      if (!file)
        return file.takeStatus();
      return std::optional<Shape>(file->array.shape);
    }
  }
  return std::optional<Shape>();
}

Status ShapePropagation::bindInput(NodeOp node) {
  for (unsigned index = 0; index != node.getOutputs().size(); ++index) {
    Type type = node.getOutputs()[index].getType();
    if (!isUnknown(type))
      continue;
    Expected<TensorDesc> desc = readOpenDesc(type);
    if (!desc)
      return desc.takeStatus().withContext(describe(node));
    const bool isRanked = isa<RankedTensorType>(type);
    std::string from;
    Expected<std::optional<Shape>> given = findShape(node, index, from);
    if (!given)
      return given.takeStatus();
    if (!*given) {
      unbound.push_back(describe(node) + " (" +
                        (isRanked ? toString(desc->originShape)
                                  : std::string("of unknown rank")) +
                        ")");
      continue;
    }
    Shape shape = std::move(**given);
    if (isRanked && !fits(shape, desc->originShape)) {
      // The file may have one tensor for each iteration.
      Shape one(shape.empty() ? shape.end() : shape.begin() + 1, shape.end());
      if (shape.empty() ||
          static_cast<uint64_t>(shape.front()) != sources.iterations ||
          !fits(one, desc->originShape))
        return Status::error(describe(node) + ": " + from +
                             " gives it the shape " + toString(shape) +
                             "; expected " + toString(desc->originShape) +
                             ", with any number for -1");
      shape = std::move(one);
    }
    if (Status status = setShape(node, index, shape); !status)
      return status;
  }
  return {};
}

Status ShapePropagation::settleInputs(NodeOp node) {
  std::optional<ArrayAttr> descs = node.getInputDescs();
  if (!descs)
    return {};
  SmallVector<Attribute> changed(descs->getValue());
  bool any = false;
  for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor) {
    ge::DescAttr desc = node.getInputDesc(anchor);
    Value value = node.getAnchor(anchor);
    if (!desc || !desc.getType() || !value || !isOpen(desc.getType()))
      continue;
    Expected<TensorDesc> from = getTensorDesc(value.getType());
    if (!from)
      return from.takeStatus().withContext(describe(node) + ": input " +
                                           std::to_string(anchor));
    Expected<Type> type = withShape(desc.getType(), from->originShape);
    if (!type)
      return type.takeStatus().withContext(describe(node) + ": input " +
                                           std::to_string(anchor));
    changed[anchor] = ge::DescAttr::get(
        builder.getContext(), *type == value.getType() ? Type() : *type,
        desc.getFields());
    any = true;
  }
  if (any)
    node.setInputDescsAttr(builder.getArrayAttr(changed));
  return {};
}

Expected<kernels::NodeSpec> ShapePropagation::makeSpec(NodeOp node) {
  kernels::NodeSpec spec;
  spec.type = node.getOpType().str();
  spec.name = node.getNodeName().str();
  spec.attrs = getKernelAttributes(node);
  for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor) {
    spec.constants.push_back(nullptr);
    Value value = node.getAnchor(anchor);
    if (!value) {
      spec.inputs.push_back(std::nullopt);
      continue;
    }
    Expected<TensorDesc> desc = getTensorDesc(node.getAnchorType(anchor));
    if (!desc)
      return desc.takeStatus().withContext(describe(node) + ": input " +
                                           std::to_string(anchor));
    spec.inputs.push_back(std::move(*desc));
    spec.constants.back() = valueOf(value);
  }
  for (Type type : node.getOutputs().getTypes()) {
    Expected<TensorDesc> desc = readOpenDesc(type);
    if (!desc)
      return desc.takeStatus().withContext(describe(node));
    spec.outputs.push_back(std::move(*desc));
  }
  return spec;
}

Status ShapePropagation::inferNode(NodeOp node) {
  const bool isReached = llvm::any_of(
      node.getInputs(), [&](Value input) { return settled.contains(input); });
  if (isReached || hasOpenOutput(node))
    if (Status status = settleInputs(node); !status)
      return status;
  if (isControl(catalog::getRole(node.getOpType())))
    return inferBranches(node);
  if (!isReached && !hasOpenOutput(node))
    return {};
  if (getKind(node.getOpType()) == Kind::Output) {
    // What it has as outputs mirrors its inputs.
    for (unsigned index = 0; index != node.getOutputs().size(); ++index)
      if (Value input = node.getAnchor(index))
        node.getOutputs()[index].setType(input.getType());
    return {};
  }
  if (node.isFused())
    return inferFused(node);
  return inferByRule(node);
}

Status ShapePropagation::inferByRule(NodeOp node) {
  const bool isOpenNode = hasOpenOutput(node);
  const catalog::Row *row = catalog::lookup(node.getOpType());
  if (!isOpenNode && (!row || !catalog::infersShapes(*row)))
    return {};
  if (node.hasFusedKernel())
    return isOpenNode
               ? Status::error(ErrorKind::Incomplete,
                               describe(node) +
                                   ": a fused node with unknown dimensions; "
                                   "expected its members")
               : Status();
  Expected<kernels::NodeSpec> spec = makeSpec(node);
  if (!spec)
    return spec.takeStatus();
  Expected<std::vector<Shape>> shapes = kernels::inferShapes(*spec);
  if (!shapes) {
    // The kernel of a node whose shapes are known says what is wrong with it.
    if (!isOpenNode)
      return {};
    return Status::error(ErrorKind::Incomplete,
                         describe(node) + ": cannot infer its shapes: " +
                             shapes.status().message());
  }
  const bool isBounded = row && catalog::isBound(row->shape) &&
                         isOpen(node.getOutputs()[0].getType());
  for (auto [index, shape] : llvm::enumerate(*shapes))
    if (Status status = setShape(node, index, shape); !status)
      return status;
  if (isBounded)
    node->setAttr(
        ge::InferredAttrName,
        builder.getStrArrayAttr({"output 0 is as large as input 0 lets it be: "
                                 "zeros follow the values"}));
  return {};
}

/// Members have the shapes that follow from the inputs of \p node, and it has
/// theirs.
Status ShapePropagation::inferFused(NodeOp node) {
  Block &body = node.getBody().front();
  auto argument = body.args_begin();
  for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor) {
    Value value = node.getAnchor(anchor);
    if (!value)
      continue;
    argument->setType(node.getAnchorType(anchor));
    if (settled.contains(value))
      settled.insert(*argument);
    ++argument;
  }
  for (NodeOp member : body.getOps<NodeOp>())
    if (Status status = inferNode(member); !status)
      return std::move(status).withContext("in the fused " + describe(node));
  for (auto [index, value] :
       llvm::enumerate(body.getTerminator()->getOperands())) {
    if (!isOpen(node.getOutputs()[index].getType()) && !settled.contains(value))
      continue;
    Expected<TensorDesc> desc = getTensorDesc(value.getType());
    if (!desc)
      return desc.takeStatus().withContext(describe(node) + ": output " +
                                           std::to_string(index));
    if (Status status = setShape(node, index, desc->originShape); !status)
      return status;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Whether each shape that is given is that of an input of the graph.
Status ShapePropagation::checkShapes() {
  for (const auto &entry : sources.shapes) {
    StringRef name = entry.getKey();
    unsigned index = 0;
    auto find = [&](StringRef wanted) {
      for (GraphOp part : collectGraphs(graph))
        for (NodeOp node : part.getBody().getOps<NodeOp>())
          if (node.getNodeName() == wanted &&
              getKind(node.getOpType()) == Kind::Source)
            return node;
      return NodeOp();
    };
    NodeOp node = find(name);
    if (!node) {
      auto [prefix, output] = name.rsplit(':');
      if (!output.getAsInteger(10, index))
        node = find(prefix);
    }
    if (!node || index >= node.getOutputs().size())
      return Status::error("--input-shape " + name.str() +
                           ": the graph has no such input");
    Expected<TensorDesc> desc =
        readOpenDesc(node.getOutputs()[index].getType());
    if (!desc)
      return desc.takeStatus().withContext(describe(node));
    if (isa<RankedTensorType>(node.getOutputs()[index].getType()) &&
        !fits(entry.getValue(), desc->originShape))
      return Status::error(describe(node) + ": --input-shape gives it the " +
                           "shape " + toString(entry.getValue()) +
                           "; expected " + toString(desc->originShape) +
                           ", with any number for -1");
  }
  return {};
}

Status ShapePropagation::run() {
  if (Status status = checkShapes(); !status)
    return status;
  for (GraphOp part : collectGraphs(graph))
    for (NodeOp node : part.getBody().getOps<NodeOp>())
      isWithoutShapes |= lacksShape(node);
  for (GraphOp part : collectGraphs(graph))
    for (NodeOp node : part.getBody().getOps<NodeOp>())
      if (hasOpenOutput(node) && getKind(node.getOpType()) != Kind::Output)
        return propagate();
  return {};
}

Status ShapePropagation::propagate() {
  Expected<std::vector<NodeOp>> order = sortNodes(graph);
  if (!order)
    return order.takeStatus();
  for (NodeOp node : *order)
    if (getKind(node.getOpType()) == Kind::Source)
      if (Status status = outside && node.getParentInput() ? bindArgument(node)
                                                           : bindInput(node);
          !status)
        return status;
  if (!unbound.empty())
    return Status::error(
        std::to_string(unbound.size()) +
        " with unknown dimensions: " + llvm::join(unbound, ", ") +
        "; give their shapes with --input NAME=FILE.npy or --input-shape "
        "'NAME:DIM,DIM;...'");
  for (NodeOp node : *order) {
    if (getKind(node.getOpType()) != Kind::Source)
      if (Status status = inferNode(node); !status)
        return status;
    followValues(node);
  }
  return {};
}

llvm::SetVector<GraphOp> npu::collectGraphs(GraphOp root) {
  auto module = root->getParentOfType<ModuleOp>();
  llvm::SetVector<GraphOp> graphs;
  graphs.insert(root);
  for (size_t i = 0; i != graphs.size(); ++i) {
    GraphOp graph = graphs[i];
    for (NodeOp node : graph.getBody().getOps<NodeOp>())
      if (ArrayAttr called = node.getSubgraphsAttr())
        for (auto symbol : called.getAsRange<FlatSymbolRefAttr>())
          if (auto other = module.lookupSymbol<GraphOp>(symbol.getAttr()))
            graphs.insert(other);
  }
  return graphs;
}

Status npu::inferShapes(GraphOp graph, const ShapeSources &sources,
                        const kernels::Registry &registry,
                        const NumericConfig &config) {
  return ShapePropagation(graph, sources, registry, config).run();
}
