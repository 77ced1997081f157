//===- RecoverFused.cpp - The members of fused nodes ----------------------===//

#include "npu/Transforms/RecoverFused.h"

#include "InferAttributes.h"
#include "MemberTypes.h"
#include "RecoverFusedTable.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace npu;
using ge::GraphOp;
using ge::NodeOp;

namespace {

/// Result number \p result of a member.
struct MemberResult {
  unsigned member, result;
};

/// Recovers one node.
class Recovery {
public:
  Recovery(NodeOp node, const llvm::StringMap<NodeOp> &sourceNodes,
           std::optional<QuantAssumption> quant)
      : node(node), sourceNodes(sourceNodes), quant(quant),
        builder(node.getContext()) {}

  /// \p names are those of the members in the stage before fusion.
  LogicalResult run(ArrayRef<const FusedMember *> chain,
                    ArrayRef<std::string> names);
  /// Whether the stage before fusion has one of the members.
  bool isInStage() const { return foundInStage; }

private:
  LogicalResult fail(const Twine &why);
  LogicalResult wire();
  const FusionIdiom *findIdiom();
  SmallVector<std::string> nameMembers();
  FailureOr<SmallVector<NamedAttribute>>
  getAttributes(unsigned member, StringRef type, StringRef name,
                ArrayRef<Type> inputs, Type result);
  void inferQuantisation(StringRef type, InferredAttributes &inferred);
  void inferInputOffset(InferredAttributes &inferred);
  LogicalResult findOutputs();
  Attribute getAtomicFlags(unsigned member);
  Type getResultType(unsigned member, StringRef type,
                     ArrayRef<Type> operandTypes);

  NodeOp node;
  const llvm::StringMap<NodeOp> &sourceNodes;
  const std::optional<QuantAssumption> quant;
  OpBuilder builder;
  ArrayRef<const FusedMember *> chain;
  SmallVector<SmallVector<FusedOperand, 4>> operands; // by member
  SmallVector<MemberResult, 3> outputs;               // by output of the node
  SmallVector<std::string> originalNames;
  SmallVector<Attribute> facts;
  bool foundInStage = false;
};

} // namespace

/// A flag for each output that is added up in memory.
static constexpr StringLiteral AtomicFlagsName = "tbe_op_atomic_output_index";

static void setAttr(SmallVectorImpl<NamedAttribute> &attrs, StringRef name,
                    Attribute value) {
  NamedAttrList list(attrs);
  list.set(name, value);
  attrs.assign(list.begin(), list.end());
}

/// The strings of an attribute that is a list of them, in any of its forms.
static SmallVector<std::string> getStrings(Attribute attr) {
  SmallVector<std::string> strings;
  if (auto value = dyn_cast_or_null<ge::ValueAttr>(attr))
    if (auto fields = dyn_cast<DictionaryAttr>(value.getPayload()))
      attr = fields.get("s");
  if (auto array = dyn_cast_or_null<ArrayAttr>(attr))
    for (auto string : array.getAsRange<StringAttr>())
      if (!string.empty())
        strings.push_back(string.str());
  return strings;
}

LogicalResult Recovery::fail(const Twine &why) {
  return node.emitError() << "cannot recover the members of the fused "
                          << node.getOpType() << " '" << node.getNodeName()
                          << "': " << why;
}

//===----------------------------------------------------------------------===//
// Dataflow
//===----------------------------------------------------------------------===//

const FusionIdiom *Recovery::findIdiom() {
  for (const FusionIdiom &idiom : getFusionIdioms()) {
    if (idiom.types.size() != chain.size())
      continue;
    bool matches = true;
    for (auto [member, type] : llvm::zip(chain, idiom.types))
      matches &= member->type == type;
    unsigned numInputs = 0;
    for (ArrayRef<FusedOperand> memberOperands : idiom.operands)
      for (FusedOperand operand : memberOperands)
        if (operand.kind == FusedOperand::Input)
          numInputs = std::max(numInputs, operand.index + 1);
    if (!matches || numInputs != node.getInputs().size())
      continue;
    if (node.getInputs()[idiom.sameInputs[0]] ==
        node.getInputs()[idiom.sameInputs[1]])
      return &idiom;
  }
  return nullptr;
}

/// Says which operands each member has: those of the head first, then, in the
/// order of the chain, what each follower takes beside the result before it.
LogicalResult Recovery::wire() {
  if (const FusionIdiom *idiom = findIdiom()) {
    for (ArrayRef<FusedOperand> memberOperands : idiom->operands)
      operands.emplace_back(memberOperands);
    facts.push_back(builder.getStringAttr(
        llvm::formatv("members compute {0}: inputs {1} and {2} are the same "
                      "tensor",
                      idiom->name, idiom->sameInputs[0], idiom->sameInputs[1])
            .str()));
    return success();
  }
  if (llvm::count_if(chain, [](auto *member) { return member->isBinary; }) > 1)
    return fail("its kernel name does not tell which member takes which of its "
                "inputs; expected a stage file from before fusion");

  // A strided read at the head prepares an operand of the last binary member;
  // the chain itself begins behind it.
  unsigned nextInput = 0, first = 0;
  operands.resize(chain.size());
  const bool readsAddend = chain.size() > 1 && chain[0]->type == "ReadSelect";
  if (readsAddend) {
    operands[0].push_back({FusedOperand::Input, nextInput++});
    first = 1;
  }
  // What the followers take is fixed; the head has the rest.
  unsigned taken = nextInput;
  for (unsigned i = first + 1; i < chain.size(); ++i)
    taken += chain[i]->minInputs() - 1;
  if (readsAddend)
    --taken; // one operand comes from the strided read
  const unsigned numInputs = node.getInputs().size();
  const FusedMember &head = *chain[first];
  const int headInputs = static_cast<int>(numInputs) - static_cast<int>(taken);
  if (headInputs < static_cast<int>(head.minInputs()) ||
      headInputs > static_cast<int>(head.maxInputs()))
    return fail(llvm::formatv("it has {0} inputs, which leaves {1} for {2}; "
                              "expected {3} to {4}",
                              numInputs, headInputs, head.type,
                              head.minInputs(), head.maxInputs())
                    .str());
  for (int i = 0; i < headInputs; ++i)
    operands[first].push_back({FusedOperand::Input, nextInput++});
  for (unsigned i = first + 1; i < chain.size(); ++i) {
    operands[i].push_back({FusedOperand::Member, i - 1});
    for (unsigned extra = 1; extra < chain[i]->minInputs(); ++extra) {
      if (readsAddend && chain[i]->isBinary)
        operands[i].push_back({FusedOperand::Member, 0});
      else
        operands[i].push_back({FusedOperand::Input, nextInput++});
    }
  }
  if (nextInput != numInputs)
    return fail(llvm::formatv("its members take {0} of its {1} inputs",
                              nextInput, numInputs)
                    .str());
  return success();
}

//===----------------------------------------------------------------------===//
// Names and attributes
//===----------------------------------------------------------------------===//

/// Names of the members. The node's name is theirs written one after the other,
/// so it is cut into original names where that works out; otherwise members
/// are numbered.
SmallVector<std::string> Recovery::nameMembers() {
  SmallVector<std::string> names;
  StringRef rest = node.getNodeName();
  while (!rest.empty()) {
    StringRef longest;
    for (const std::string &name : originalNames)
      if (rest.starts_with(name) && name.size() > longest.size())
        longest = name;
    // The strided read has a name of the compiler's making.
    size_t end = longest.size();
    if (longest.empty())
      for (end = 1; end < rest.size(); ++end)
        if (llvm::any_of(originalNames, [&](const std::string &name) {
              return rest.drop_front(end).starts_with(name);
            }))
          break;
    names.push_back(rest.take_front(end).str());
    rest = rest.drop_front(end);
  }
  if (names.size() == chain.size())
    return names;
  names.clear();
  for (auto [index, member] : llvm::enumerate(chain))
    names.push_back(
        llvm::formatv("{0}/{1}_{2}", node.getNodeName(), index, member->type));
  return names;
}

FailureOr<SmallVector<NamedAttribute>>
Recovery::getAttributes(unsigned member, StringRef type, StringRef name,
                        ArrayRef<Type> inputs, Type result) {
  // Read from the stage before fusion...
  SmallVector<std::string> candidates = originalNames;
  candidates.insert(candidates.begin(), name.str());
  for (const std::string &candidate : candidates) {
    NodeOp source = sourceNodes.lookup(candidate);
    if (!source || source.getOpType() != type)
      continue;
    foundInStage = true;
    SmallVector<NamedAttribute> attrs;
    for (NamedAttribute attr : source.getAttrs())
      if (!attr.getName().strref().starts_with("_"))
        attrs.push_back(attr);
    return attrs;
  }
  // ...or inferred.
  const FusedMember &spec = *chain[member];
  InferredAttributes inferred = inferAttributes(type, inputs, result);
  if (!spec.unknowable.empty())
    inferred.missing = spec.unknowable.str();
  if (spec.isQuantisation)
    inferQuantisation(type, inferred);
  if (member == 0 && inferred.missing.empty() && isInteger8(inputs[0]) &&
      type != "AscendAntiQuant")
    inferInputOffset(inferred);
  if (!inferred.missing.empty()) {
    (void)fail("nothing tells " + inferred.missing + " of its member " + type +
               "; expected a stage file from before fusion");
    return failure();
  }
  for (const std::string &fact : inferred.facts)
    facts.push_back(builder.getStringAttr(name + " (" + type + "): " + fact));
  return inferred.attrs;
}

/// \p value with as many digits as tell it from its neighbours.
static std::string toText(float value) {
  SmallString<16> text;
  APFloat(value).toString(text);
  return std::string(text);
}

/// Scale and offset as they are assumed, and what the node itself has kept.
void Recovery::inferQuantisation(StringRef type, InferredAttributes &inferred) {
  auto add = [&](StringRef name, Attribute value) {
    inferred.attrs.push_back(builder.getNamedAttr(name, value));
  };
  const bool isDequant = type == "AscendDequant";
  if (Attribute mode =
          node.getNodeAttr(isDequant ? "dequant_sqrt_mode" : "quant_sqrt_mode"))
    add("sqrt_mode", mode);
  if (isDequant) {
    add("relu_flag", builder.getBoolAttr(false));
    inferred.facts.push_back("relu_flag = false: assumed");
    return;
  }
  if (!quant)
    return;
  // What takes x to q, and what takes it back.
  const bool isAnti = type == "AscendAntiQuant";
  const float scale = isAnti ? 1 / quant->scale : quant->scale;
  const float offset = isAnti ? -quant->offset : quant->offset;
  add("scale", builder.getF32FloatAttr(scale));
  add("offset", builder.getF32FloatAttr(offset));
  inferred.missing.clear();
  inferred.facts.push_back(
      llvm::formatv("scale = {0}, offset = {1}: assumed, as the assumption of "
                    "quantisation says",
                    toText(scale), toText(offset))
          .str());
}

/// The offset that \p value was quantised with, if the node that did tells.
static std::optional<float> findQuantOffset(Value value) {
  auto node = value.getDefiningOp<NodeOp>();
  if (node && node.isFused()) {
    const unsigned index = cast<OpResult>(value).getResultNumber();
    node =
        node.getBody().front().back().getOperand(index).getDefiningOp<NodeOp>();
  }
  if (!node || node.getOpType() != "AscendQuant")
    return std::nullopt;
  if (auto offset = dyn_cast_or_null<FloatAttr>(node.getNodeAttr("offset")))
    return offset.getValue().convertToFloat();
  return std::nullopt;
}

/// offset_x, the value with which a convolution of integers pads: that of a
/// zero before quantisation.
void Recovery::inferInputOffset(InferredAttributes &inferred) {
  std::optional<float> offset = findQuantOffset(node.getInputs()[0]);
  StringRef origin = "from the quantisation of the input";
  if (!offset && quant) {
    offset = quant->offset;
    origin = "assumed, as the assumption of quantisation says";
  }
  if (!offset) {
    const bool pads = llvm::any_of(inferred.attrs, [](NamedAttribute attr) {
      auto values = dyn_cast<DenseI64ArrayAttr>(attr.getValue());
      return attr.getName() == "pads" && values &&
             llvm::any_of(values.asArrayRef(),
                          [](int64_t pad) { return pad != 0; });
    });
    if (pads)
      inferred.missing = "offset_x";
    return;
  }
  inferred.attrs.push_back(builder.getNamedAttr(
      "offset_x", builder.getI64IntegerAttr(std::lround(*offset))));
  inferred.facts.push_back(
      llvm::formatv("offset_x = {0}: {1}", std::lround(*offset), origin).str());
}

/// Says which result of a member each output of the node is: all results that
/// no member takes, and where there is one output more what comes into the last
/// member, in the order of the members.
LogicalResult Recovery::findOutputs() {
  const FusedMember &last = *chain.back();
  const unsigned numOutputs = node.getOutputs().size();
  unsigned numUntaken = last.numResults();
  for (const FusedMember *member : chain.drop_back())
    numUntaken += member->numResults() - 1;
  const bool showsInput = last.showsInput && numOutputs == numUntaken + 1;
  if (numOutputs != numUntaken && !showsInput)
    return fail(
        llvm::formatv(
            "it has {0} outputs; expected {1}{2}", numOutputs, numUntaken,
            last.showsInput ? llvm::formatv(", or {0} with what {1} takes",
                                            numUntaken + 1, last.type)
                                  .str()
                            : "")
            .str());
  for (auto [index, member] : llvm::enumerate(chain)) {
    const bool isTaken =
        index + 1 != chain.size() && !(showsInput && index + 2 == chain.size());
    for (unsigned result = isTaken; result != member->numResults(); ++result)
      outputs.push_back({static_cast<unsigned>(index), result});
  }
  return success();
}

/// What the node says of the results of a member that are its outputs; null if
/// none is added up in memory.
Attribute Recovery::getAtomicFlags(unsigned member) {
  auto ofNode =
      dyn_cast_or_null<DenseI64ArrayAttr>(node.getNodeAttr(AtomicFlagsName));
  if (!ofNode || ofNode.size() != static_cast<int64_t>(outputs.size()))
    return {};
  SmallVector<int64_t, 2> flags(chain[member]->numResults(), 0);
  for (auto [shown, flag] : llvm::zip(outputs, ofNode.asArrayRef()))
    if (shown.member == member)
      flags[shown.result] = flag;
  if (llvm::all_of(flags, [](int64_t flag) { return flag == 0; }))
    return {};
  return builder.getDenseI64ArrayAttr(flags);
}

/// The type of what a member gives to the next one, or of its first output: it
/// has the layout of the next result that the node shows.
Type Recovery::getResultType(unsigned member, StringRef type,
                             ArrayRef<Type> operandTypes) {
  for (auto [shown, output] : llvm::zip(outputs, node.getOutputs())) {
    if (shown.result != 0 || shown.member < member)
      continue;
    return inferMemberType(type, operandTypes, output.getType(),
                           shown.member == member);
  }
  return {};
}

LogicalResult Recovery::run(ArrayRef<const FusedMember *> members,
                            ArrayRef<std::string> stageNames) {
  chain = members;
  originalNames.assign(stageNames.begin(), stageNames.end());
  if (failed(wire()) || failed(findOutputs()))
    return failure();

  SmallVector<std::string> names = nameMembers();
  Block body;
  for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor)
    if (node.getAnchor(anchor))
      body.addArgument(node.getAnchorType(anchor), node.getLoc());
  builder.setInsertionPointToEnd(&body);
  SmallVector<Value> results;                 // by member: the first
  SmallVector<Value> yielded(outputs.size()); // by output
  for (auto [index, member] : llvm::enumerate(chain)) {
    SmallVector<Value, 4> values;
    SmallVector<Type, 4> types;
    for (FusedOperand operand : operands[index]) {
      values.push_back(operand.kind == FusedOperand::Input
                           ? Value(body.getArgument(operand.index))
                           : results[operand.index]);
      types.push_back(values.back().getType());
    }
    // The head has the node's own type, which may be a variant of the one that
    // the kernel name spells (mat_mul stands for MatMul and MatMulV2).
    StringRef type = index == 0 ? node.getOpType() : StringRef(member->type);
    Type resultType = getResultType(index, type, types);
    if (!resultType)
      return fail(llvm::formatv("nothing tells the layout of what its member "
                                "{0} gives",
                                type)
                      .str());
    FailureOr<SmallVector<NamedAttribute>> attrs =
        getAttributes(index, type, names[index], types, resultType);
    if (failed(attrs))
      return failure();
    if (auto flags = getAtomicFlags(index))
      setAttr(*attrs, AtomicFlagsName, flags);
    // The implementation mode of the kernel is that of all its members.
    if (Attribute mode = node.getNodeAttr("_op_impl_mode_enum"))
      attrs->push_back(builder.getNamedAttr("_op_impl_mode_enum", mode));

    OperationState state(
        NameLoc::get(builder.getStringAttr(names[index]), node.getLoc()),
        NodeOp::getOperationName());
    auto &properties = state.getOrAddProperties<NodeOp::Properties>();
    properties.op_type = builder.getStringAttr(type);
    properties.node_name = builder.getStringAttr(names[index]);
    properties.node_id = builder.getI64IntegerAttr(index);
    properties.stream_id = builder.getI64IntegerAttr(0);
    properties.attrs = builder.getDictionaryAttr(*attrs);
    properties.operandSegmentSizes = {static_cast<int32_t>(values.size()), 0};
    state.addOperands(values);
    state.addTypes(resultType);
    // Further results are outputs of the node.
    for (auto [shown, output] : llvm::zip(outputs, node.getOutputs()))
      if (shown.member == index && shown.result != 0)
        state.addTypes(output.getType());
    state.addTypes(ge::ControlType::get(builder.getContext()));
    state.addRegion();
    Operation *created = builder.create(state);
    results.push_back(created->getResult(0));
    for (auto [position, shown] : llvm::enumerate(outputs))
      if (shown.member == index)
        yielded[position] = created->getResult(shown.result);
  }
  ge::YieldOp::create(builder, node.getLoc(), yielded);

  Block &owned = node.getBody().emplaceBlock();
  for (BlockArgument argument : body.getArguments())
    argument.replaceAllUsesWith(
        owned.addArgument(argument.getType(), argument.getLoc()));
  owned.getOperations().splice(owned.end(), body.getOperations());
  if (!facts.empty())
    node->setAttr(ge::InferredAttrName, builder.getArrayAttr(facts));
  return success();
}

std::optional<QuantAssumption> npu::parseQuantAssumption(StringRef text) {
  auto [scale, offset] = text.split(',');
  double values[2];
  if (scale.trim().getAsDouble(values[0]) ||
      offset.trim().getAsDouble(values[1]))
    return std::nullopt;
  QuantAssumption quant{static_cast<float>(values[0]),
                        static_cast<float>(values[1])};
  if (!std::isfinite(quant.scale) || !std::isfinite(quant.offset) ||
      quant.scale == 0)
    return std::nullopt;
  return quant;
}

/// Cuts \p name into names of \p nodes, the first as long as possible; empty if
/// that does not work out.
static SmallVector<std::string> cutName(StringRef name,
                                        const llvm::StringMap<NodeOp> &nodes) {
  // From the end: the length of the first piece of each rest, 0 for none.
  SmallVector<size_t> pieces(name.size() + 1, 0);
  for (size_t begin = name.size(); begin-- > 0;)
    for (size_t end = name.size(); end > begin && !pieces[begin]; --end)
      if ((end == name.size() || pieces[end]) &&
          nodes.contains(name.slice(begin, end)))
        pieces[begin] = end - begin;
  SmallVector<std::string> names;
  for (size_t at = 0; at < name.size() && pieces[at]; at += pieces[at])
    names.push_back(name.substr(at, pieces[at]).str());
  return names;
}

/// The members of a node whose text lacks the name of its kernel, as ge_onnx
/// does: the stage before fusion has nodes that its name consists of. Sets
/// \p names; empty for a node that is not fused, as far as that tells.
static SmallVector<const FusedMember *>
findMembers(NodeOp node, const llvm::StringMap<NodeOp> &sourceNodes,
            SmallVectorImpl<std::string> &names) {
  SmallVector<const FusedMember *> chain;
  if (sourceNodes.empty() || !node.getKernelName().empty() ||
      sourceNodes.contains(node.getNodeName()))
    return chain;
  names = cutName(node.getNodeName(), sourceNodes);
  if (names.size() < 2 ||
      sourceNodes.lookup(names.front()).getOpType() != node.getOpType())
    return chain;
  for (const std::string &name : names) {
    const FusedMember *member =
        findMember(sourceNodes.lookup(name).getOpType());
    if (!member)
      return {};
    chain.push_back(member);
  }
  return chain;
}

LogicalResult npu::recoverFused(GraphOp graph, GraphOp source,
                                std::optional<QuantAssumption> quant) {
  llvm::StringMap<NodeOp> sourceNodes;
  if (source)
    for (NodeOp node : source.getBody().getOps<NodeOp>())
      sourceNodes[node.getNodeName()] = node;

  LogicalResult result = success();
  bool hasFused = false, foundInStage = false;
  auto recover = [&](NodeOp node, ArrayRef<const FusedMember *> chain,
                     ArrayRef<std::string> names) {
    Recovery recovery(node, sourceNodes, quant);
    if (failed(recovery.run(chain, names)))
      result = failure();
    hasFused = true;
    foundInStage |= recovery.isInStage();
  };
  for (NodeOp node : graph.getBody().getOps<NodeOp>()) {
    if (node.isFused())
      continue;
    SmallVector<std::string> names =
        getStrings(node.getNodeAttr("_datadump_original_op_names"));
    if (!node.hasFusedKernel()) {
      SmallVector<const FusedMember *> chain =
          findMembers(node, sourceNodes, names);
      if (!chain.empty())
        recover(node, chain, names);
      continue;
    }
    StringRef rest;
    StringRef kernelName = node.getKernelName();
    SmallVector<const FusedMember *> chain = parseChain(kernelName, rest);
    // Behind the chain comes a hash of hexadecimal digits.
    StringRef hash = rest.take_while([](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
    if (chain.size() < 2 || hash.size() < 8) {
      result = node.emitError()
               << "cannot recover the members of the fused " << node.getOpType()
               << " '" << node.getNodeName() << "': no known operator at '"
               << rest.take_front(40) << "' in its kernel name '" << kernelName
               << "'";
      continue;
    }
    recover(node, chain, names);
  }
  if (source && hasFused && !foundInStage)
    graph.emitWarning() << "the stage before fusion has no member of a fused "
                           "node of '"
                        << graph.getGraphName()
                        << "'; expected one of the same network";
  return result;
}

GraphOp npu::findStage(GraphOp graph, ModuleOp stage) {
  auto graphs = stage.getOps<GraphOp>();
  for (GraphOp other : graphs)
    if (other.getGraphName() == graph.getGraphName())
      return other;
  return llvm::hasSingleElement(graphs) ? *graphs.begin() : GraphOp();
}
