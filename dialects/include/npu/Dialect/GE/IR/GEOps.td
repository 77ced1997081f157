//===- GEOps.td - Operations of the ge dialect -------------*- tablegen -*-===//

#ifndef NPU_DIALECT_GE_IR_GEOPS_TD
#define NPU_DIALECT_GE_IR_GEOPS_TD

include "npu/Dialect/GE/IR/GEBase.td"
include "npu/Dialect/GE/IR/GETypes.td"
include "npu/Dialect/GE/IR/GEAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def GE_GraphOp : GE_Op<"graph", !listconcat(GraphRegionNoTerminator.traits,
    [IsolatedFromAbove, Symbol, OpAsmOpInterface])> {
  let summary = "A GE graph";
  let description = [{
    Nodes in file order. The region is a graph region: order has no meaning of
    its own, data and control edges say what runs before what. `Data` nodes
    are the inputs and the `NetOutput` node has the outputs. Names of nodes
    are unique.

    ```mlir
    ge.graph @ResNet50 {
      %x, %x_ctl = ge.node "Data" "x"(_) -> tensor<1x3xf16, #ge.layout<ND>>
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<StrAttr>:$original_name,
    OptionalAttr<DictionaryAttr>:$attrs,
    OptionalAttr<DictionaryAttr>:$fields);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`named` $original_name^)? (`attrs` $attrs^)?
    (`fields` $fields^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getDefaultDialect() { return "ge"; }
    /// The name in the graph text. The symbol differs from it only where the
    /// name is empty or taken.
    ::llvm::StringRef getGraphName();
  }];
}

def GE_NodeOp : GE_Op<"node", [AttrSizedOperandSegments,
    RegionKindInterface,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A node of a GE graph, of any operator type";
  let description = [{
    One operation for every operator type, so that no type is unknown. After
    type and name come the data inputs (`_` for an unconnected anchor), the
    control inputs in brackets, the attributes of the operator, and types. The
    control token is the last result and is not printed among the types.

    A node that the compiler made by fusing operators has only the type of the
    first one. `ge-recover-fused` gives it a region with the members: its
    block arguments are the data inputs, and `ge.yield` has the outputs. The
    region explains the node and is what is executed; it is no part of the
    graph text.

    ```mlir
    %y, %y_ctl = ge.node "Conv2D" "conv1"(%x, %w, _)[%c] id 3 stream 1
      attrs {strides = array<i64: 1, 1, 2, 2>}
      : (tensor<1x3x8x8xf16>, tensor<4x3x3x3xf16>) -> tensor<1x4x4x4xf16>
    ```
  }];
  let arguments = (ins
    StrAttr:$op_type,
    StrAttr:$node_name,
    Variadic<AnyType>:$inputs,
    Variadic<GE_ControlType>:$controls,
    OptionalAttr<DenseBoolArrayAttr>:$connected,
    DefaultValuedAttr<I64Attr, "0">:$node_id,
    DefaultValuedAttr<I64Attr, "0">:$stream_id,
    DictionaryAttr:$attrs,
    OptionalAttr<ArrayAttr>:$input_descs,
    OptionalAttr<ArrayAttr>:$output_descs,
    OptionalAttr<ArrayAttr>:$subgraphs,
    OptionalAttr<DictionaryAttr>:$fields);
  let results = (outs Variadic<AnyType>:$outputs, GE_ControlType:$control);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::mlir::RegionKind getRegionKind(unsigned) {
      return ::mlir::RegionKind::Graph;
    }
    static bool hasSSADominance(unsigned) { return false; }
    static ::llvm::StringRef getDefaultDialect() { return "ge"; }

    /// Whether the node has its members (see ge-recover-fused).
    bool isFused() { return !getBody().empty(); }
    /// The name of the kernel that the compiler made for the node; empty if the
    /// graph does not have it.
    ::llvm::StringRef getKernelName();
    /// Whether that kernel was made by fusing operators. The node then has the
    /// type of one of them and attributes of none.
    bool hasFusedKernel() {
      return getKernelName().starts_with("te_fused_op_");
    }
    /// Number of input anchors, the unconnected ones included.
    unsigned getNumAnchors();
    /// The value at input anchor \p anchor; null when unconnected or beyond
    /// the last anchor.
    ::mlir::Value getAnchor(unsigned anchor);
    /// Attribute \p name of the operator; null when absent.
    ::mlir::Attribute getNodeAttr(::llvm::StringRef name) {
      return getAttrs().get(name);
    }
    /// Type of the tensor as the consumer at anchor \p anchor sees it: that of
    /// its own descriptor where it differs from the producer's. Null for an
    /// unconnected anchor without descriptor.
    ::mlir::Type getAnchorType(unsigned anchor);
    /// Descriptor of input anchor \p anchor or output \p index; null if none.
    DescAttr getInputDesc(unsigned anchor);
    DescAttr getOutputDesc(unsigned index);
    /// Of a Data node in a graph that a node calls or runs: the input of that
    /// node whose tensor it is. None outside of such graphs.
    ::std::optional<int64_t> getParentInput();
    /// Of a NetOutput in such a graph: the output of the calling node that
    /// anchor \p anchor is for.
    int64_t getParentOutput(unsigned anchor);
  }];
}

def GE_YieldOp : GE_Op<"yield", [Terminator, ParentOneOf<["NodeOp"]>]> {
  let summary = "Outputs of the members of a fused node";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // NPU_DIALECT_GE_IR_GEOPS_TD
