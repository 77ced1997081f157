//===- GEAttrs.td - Attributes of the ge dialect -----------*- tablegen -*-===//

#ifndef NPU_DIALECT_GE_IR_GEATTRS_TD
#define NPU_DIALECT_GE_IR_GEATTRS_TD

include "npu/Dialect/GE/IR/GEBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def GE_LayoutAttr : GE_Attr<"Layout", "layout"> {
  let summary = "Format of a tensor in memory, and of the tensor it stands for";
  let description = [{
    The encoding of tensor types: how the elements lie in memory (the type's
    shape is the shape in memory), and format and shape of the logical tensor
    where the graph gives them.

    ```mlir
    #ge.layout<ND>
    #ge.layout<NC1HWC0 of NCHW [1, 64, 112, 112]>
    #ge.layout<"FRACTAL_Z:240" of HWCN>
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$format,
    OptionalParameter<"::mlir::StringAttr">:$originFormat,
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$originShape);
  let hasCustomAssemblyFormat = 1;
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$format), [{
    return $_get($_ctxt, ::mlir::StringAttr::get($_ctxt, format), nullptr,
                 nullptr);
  }]>];
}

def GE_DescAttr : GE_Attr<"Desc", "desc"> {
  let summary = "What a tensor descriptor says beyond the type of a value";
  let description = [{
    Stands for a `ge.proto.TensorDescriptor`. `type` is null where the
    descriptor has the type of the value that it belongs to; `fields` has the
    remaining fields under their protobuf names. The field `no_shape` says that
    the message has no `shape`; `layout` and `shape` appear where the type
    cannot hold them.

    ```mlir
    #ge.desc<{device_type = "NPU", size = 301088 : i64}>
    #ge.desc<tensor<100x1568xf16, #ge.layout<ND>>, {}>
    ```
  }];
  let parameters = (ins
    OptionalParameter<"::mlir::Type">:$type,
    "::mlir::DictionaryAttr":$fields);
  let hasCustomAssemblyFormat = 1;
}

def GE_ValueAttr : GE_Attr<"Value", "value"> {
  let summary = "An attribute value that no builtin attribute stands for";
  let description = [{
    `kind` is the field of `ge.proto.AttrDef` that is set, `payload` its
    content:

    | kind | payload |
    |---|---|
    | `bt`, `expression` | string |
    | `dt` | `i64`, a runtime data type number |
    | `list` | dictionary of the set fields of `ListValue`; used where `val_type` does not follow from the content |
    | `func` | dictionary of `name` and `attr` |
    | `td` | `#ge.desc` |
    | `t` | dictionary of `desc` (`#ge.desc`) and `data` (string or resource) |
    | `g` | string, the text of the graph |
    | `list_list_int`, `list_list_float` | array of arrays |
    | `unknown` | array of strings, the text of unknown fields |

    ```mlir
    #ge.value<dt, 1 : i64>
    #ge.value<list, {i = array<i64: 0, 1>}>
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$kind,
    "::mlir::Attribute":$payload);
  let hasCustomAssemblyFormat = 1;
}

#endif // NPU_DIALECT_GE_IR_GEATTRS_TD
