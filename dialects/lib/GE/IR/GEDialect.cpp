//===- GEDialect.cpp - Registration and aliases of the ge dialect ---------===//

#include "GEBytecode.h"

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace npu::ge;

#include "npu/Dialect/GE/IR/GEDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "npu/Dialect/GE/IR/GETypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "npu/Dialect/GE/IR/GEAttrs.cpp.inc"

namespace {
/// Layouts and descriptors recur on thousands of nodes: print each once.
struct GEAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (auto layout = dyn_cast<LayoutAttr>(attr)) {
      os << "layout";
      return AliasResult::OverridableAlias;
    }
    if (isa<DescAttr>(attr)) {
      os << "desc";
      return AliasResult::FinalAlias;
    }
    return AliasResult::NoAlias;
  }
};
} // namespace

void GEDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "npu/Dialect/GE/IR/GETypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "npu/Dialect/GE/IR/GEAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "npu/Dialect/GE/IR/GEOps.cpp.inc"
      >();
  addInterfaces<GEAsmInterface>();
  addBytecodeInterface(this);
}

LogicalResult GEDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attr) {
  StringRef name = attr.getName();
  auto expect = [&](bool onRightOp, StringRef owner, bool rightKind,
                    StringRef kind) -> LogicalResult {
    if (!onRightOp)
      return op->emitOpError()
             << "has '" << name << "', which belongs on a " << owner;
    if (!rightKind)
      return op->emitOpError() << "expects '" << name << "' to be " << kind;
    return success();
  };
  if (name == ModelAttrName)
    return expect(isa<ModuleOp>(op), "module",
                  isa<DictionaryAttr>(attr.getValue()), "a dictionary");
  if (name == BareGraphAttrName)
    return expect(isa<ModuleOp>(op), "module", isa<UnitAttr>(attr.getValue()),
                  "a unit");
  if (name == InferredAttrName) {
    auto facts = dyn_cast<ArrayAttr>(attr.getValue());
    return expect(isa<NodeOp>(op), "ge.node",
                  facts && llvm::all_of(facts, llvm::IsaPred<StringAttr>),
                  "an array of strings");
  }
  return op->emitOpError() << "has the unknown attribute '" << name << "'";
}
