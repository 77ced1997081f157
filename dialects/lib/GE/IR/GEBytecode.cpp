//===- GEBytecode.cpp - Bytecode of the ge attributes and types -----------===//
//
// Without an encoding of its own an attribute goes into bytecode as text, and
// the resource blobs it refers to would be lost.
//
//===----------------------------------------------------------------------===//

#include "GEBytecode.h"

#include "npu/Dialect/GE/IR/GE.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace npu::ge;

namespace {

// Numbers in files: never reuse one.
enum AttrCode : uint64_t { LayoutCode = 0, DescCode = 1, ValueCode = 2 };
enum TypeCode : uint64_t { ControlCode = 0, DTypeCode = 1 };

struct GEBytecodeInterface : BytecodeDialectInterface {
  explicit GEBytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  LogicalResult writeAttribute(Attribute attr,
                               DialectBytecodeWriter &writer) const override {
    return llvm::TypeSwitch<Attribute, LogicalResult>(attr)
        .Case([&](LayoutAttr layout) {
          writer.writeVarInt(LayoutCode);
          writer.writeAttribute(layout.getFormat());
          writer.writeOptionalAttribute(layout.getOriginFormat());
          writer.writeOptionalAttribute(layout.getOriginShape());
          return success();
        })
        .Case([&](DescAttr desc) {
          writer.writeVarInt(DescCode);
          writer.writeOptionalAttribute(
              desc.getType() ? TypeAttr::get(desc.getType()) : TypeAttr());
          writer.writeAttribute(desc.getFields());
          return success();
        })
        .Case([&](ValueAttr value) {
          writer.writeVarInt(ValueCode);
          writer.writeAttribute(value.getKind());
          writer.writeAttribute(value.getPayload());
          return success();
        })
        .Default([](Attribute) { return failure(); });
  }

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (code) {
    case LayoutCode: {
      StringAttr format, originFormat;
      DenseI64ArrayAttr originShape;
      if (failed(reader.readAttribute(format)) ||
          failed(reader.readOptionalAttribute(originFormat)) ||
          failed(reader.readOptionalAttribute(originShape)))
        return {};
      return LayoutAttr::get(getContext(), format, originFormat, originShape);
    }
    case DescCode: {
      TypeAttr type;
      DictionaryAttr fields;
      if (failed(reader.readOptionalAttribute(type)) ||
          failed(reader.readAttribute(fields)))
        return {};
      return DescAttr::get(getContext(), type ? type.getValue() : Type(),
                           fields);
    }
    case ValueCode: {
      StringAttr kind;
      Attribute payload;
      if (failed(reader.readAttribute(kind)) ||
          failed(reader.readAttribute(payload)))
        return {};
      return ValueAttr::get(getContext(), kind, payload);
    }
    default:
      reader.emitError() << "unknown attribute code " << code
                         << " of the ge dialect";
      return {};
    }
  }

  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override {
    if (isa<ControlType>(type)) {
      writer.writeVarInt(ControlCode);
      return success();
    }
    if (auto dtype = dyn_cast<DTypeType>(type)) {
      writer.writeVarInt(DTypeCode);
      writer.writeOwnedString(dtype.getName());
      return success();
    }
    return failure();
  }

  Type readType(DialectBytecodeReader &reader) const override {
    uint64_t code;
    if (failed(reader.readVarInt(code)))
      return {};
    switch (code) {
    case ControlCode:
      return ControlType::get(getContext());
    case DTypeCode: {
      StringRef name;
      if (failed(reader.readString(name)))
        return {};
      return DTypeType::get(getContext(), name);
    }
    default:
      reader.emitError() << "unknown type code " << code
                         << " of the ge dialect";
      return {};
    }
  }
};

} // namespace

void npu::ge::addBytecodeInterface(GEDialect *dialect) {
  dialect->addInterfaces<GEBytecodeInterface>();
}
