//===- GETypes.td - Types of the ge dialect ----------------*- tablegen -*-===//

#ifndef NPU_DIALECT_GE_IR_GETYPES_TD
#define NPU_DIALECT_GE_IR_GETYPES_TD

include "npu/Dialect/GE/IR/GEBase.td"

def GE_ControlType : GE_Type<"Control", "control"> {
  let summary = "A control dependency";
  let description = [{
    The last result of every node. A node that takes the token runs after the
    node that gives it.
  }];
}

def GE_DTypeType : GE_Type<"DType", "dtype"> {
  let summary = "An element type that MLIR has no type for";
  let description = [{
    Strings, resources, quantised types, HiFloat8 and the data types of
    releases to come, by the name that graph text prints; a number where the
    text has one.

    ```mlir
    tensor<2x!ge.dtype<"DT_STRING">, #ge.layout<ND>>
    ```
  }];
  let parameters = (ins StringRefParameter<"protobuf name">:$name);
  let assemblyFormat = "`<` $name `>`";
}

#endif // NPU_DIALECT_GE_IR_GETYPES_TD
