//===- VerifyCatalog.cpp - ge-verify-catalog ------------------------------===//

#include "npu/Catalog/Catalog.h"
#include "npu/Dialect/GE/IR/GE.h"
#include "npu/Transforms/Passes.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace npu;
using catalog::AttributeKind;
using ge::NodeOp;

namespace npu {
#define GEN_PASS_DEF_VERIFYCATALOG
#include "npu/Transforms/Passes.h.inc"
} // namespace npu

/// Whether a value of the graph stands for a \p kind. A list without elements
/// has none.
static bool isOfKind(Attribute value, AttributeKind kind) {
  value = ge::getPlainValue(value);
  const bool isInt = isa<IntegerAttr>(value); // a BoolAttr, too
  switch (kind) {
  case AttributeKind::Int:
  case AttributeKind::Bool:
  case AttributeKind::DataType:
    return isInt;
  case AttributeKind::Float:
    return isInt || isa<FloatAttr>(value);
  case AttributeKind::String:
    return isa<StringAttr>(value);
  case AttributeKind::ListInt:
  case AttributeKind::ListBool:
  case AttributeKind::ListDataType:
    if (isa<DenseBoolArrayAttr>(value))
      return kind == AttributeKind::ListBool;
    break;
  case AttributeKind::ListFloat:
    if (isa<DenseF32ArrayAttr>(value))
      return true;
    break;
  case AttributeKind::ListString:
    if (isa<ArrayAttr>(value))
      return true;
    break;
  case AttributeKind::Tensor:
  case AttributeKind::ListListInt: {
    auto wrapped = dyn_cast<ge::ValueAttr>(value);
    return wrapped &&
           wrapped.getKind() ==
               (kind == AttributeKind::Tensor ? "t" : "list_list_int");
  }
  }
  auto ints = dyn_cast<DenseI64ArrayAttr>(value);
  return ints && (kind != AttributeKind::ListString || ints.empty());
}

/// How many values an operator may take or give: from \p least to \p most.
static std::pair<size_t, size_t> countPorts(ArrayRef<catalog::Port> ports) {
  size_t least = 0, most = ports.size();
  for (const catalog::Port &port : ports) {
    least += port.kind == catalog::Port::Required;
    if (port.kind == catalog::Port::Dynamic)
      most = std::numeric_limits<size_t>::max();
  }
  return {least, most};
}

static void verifyCount(NodeOp node, size_t count, std::string_view text,
                        StringRef what) {
  auto [least, most] = countPorts(catalog::getPorts(text));
  if (count >= least && count <= most)
    return;
  node.emitWarning() << node.getOpType() << " '" << node.getNodeName()
                     << "' has " << count << " " << what << "; expected ("
                     << text << ")";
}

static void verifyInputs(NodeOp node, const catalog::Row &row) {
  const std::vector<catalog::Port> ports = catalog::getPorts(row.inputs);
  for (unsigned anchor = 0, e = node.getNumAnchors(); anchor != e; ++anchor) {
    // Behind a dynamic input positions say nothing.
    if (anchor >= ports.size() || ports[anchor].kind == catalog::Port::Dynamic)
      return;
    if (ports[anchor].kind == catalog::Port::Required &&
        !node.getAnchor(anchor))
      node.emitWarning() << node.getOpType() << " '" << node.getNodeName()
                         << "': input " << anchor << " ('" << ports[anchor].name
                         << "') is not connected";
  }
}

static void verifyAttributes(NodeOp node, const catalog::Row &row) {
  for (const catalog::Attribute &attribute : catalog::getAttributes(row)) {
    const StringRef name = attribute.name;
    Attribute value = node.getNodeAttr(name);
    if (!value && !attribute.fallback)
      node.emitWarning() << node.getOpType() << " '" << node.getNodeName()
                         << "' lacks the attribute '" << name << "' ("
                         << getName(attribute.kind) << ")";
    if (value && !isOfKind(value, attribute.kind))
      node.emitWarning() << node.getOpType() << " '" << node.getNodeName()
                         << "': attribute '" << name << "' is " << value
                         << "; expected " << getName(attribute.kind);
  }
}

namespace {
struct VerifyCatalog : npu::impl::VerifyCatalogBase<VerifyCatalog> {
  void runOnOperation() override {
    llvm::StringSet<> unknown;
    getOperation()->walk([&](NodeOp node) {
      if (node.isFused() || node.hasFusedKernel())
        return;
      const catalog::Row *row = catalog::lookup(node.getOpType());
      if (!row) {
        if (unknown.insert(node.getOpType()).second)
          node.emitRemark() << "operator type '" << node.getOpType()
                            << "' is not in the catalogue";
        return;
      }
      verifyCount(node, node.getNumAnchors(), row->inputs, "inputs");
      verifyCount(node, node.getOutputs().size(), row->outputs, "outputs");
      verifyInputs(node, *row);
      verifyAttributes(node, *row);
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
