//===- GEBase.td - The ge dialect --------------------------*- tablegen -*-===//

#ifndef NPU_DIALECT_GE_IR_GEBASE_TD
#define NPU_DIALECT_GE_IR_GEBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def GE_Dialect : Dialect {
  let name = "ge";
  let cppNamespace = "::npu::ge";
  let summary = "Graphs of the Ascend graph engine (GE)";
  let description = [{
    The graph that an Ascend NPU runs, as GE writes it with `DUMP_GE_GRAPH`
    (`ge_proto_*.txt`, a text `ge.proto.ModelDef`). The dialect holds every
    field of the text, so that import followed by export is the identity on
    messages.

    | protobuf | IR |
    |---|---|
    | `ModelDef` | `builtin.module` with the discardable attribute `ge.model`, a dictionary of `name`, `version`, `custom_version`, `attr`, `attr_groups` |
    | text that is a bare `GraphDef` | the module has the unit attribute `ge.bare_graph` |
    | `GraphDef` | `ge.graph`; `name` is the symbol, `attr` the dictionary `attrs`, the rest `fields` |
    | `OpDef` | `ge.node`; `type`, `name`, `id`, `stream_id` are attributes of their own, `attr` is `attrs`, `subgraph_name` is `subgraphs`, the rest `fields` |
    | `OpDef.input` "producer:k" | data operand, in anchor order |
    | `OpDef.input` "" | `false` in `connected`, printed as `_` |
    | `OpDef.input` "producer:-1" | control operand, of type `!ge.control` |
    | `OpDef.output_desc` | result type, and what the type cannot hold as `#ge.desc` in `output_descs` |
    | `OpDef.input_desc` | `#ge.desc` in `input_descs`; its type is left out where it equals the operand's |
    | `TensorDescriptor.dtype`, `shape`, `layout`, attributes `origin_format` and `origin_shape` | `tensor<1x4x7x7x16xf16, #ge.layout<NC1HWC0 of NCHW [1, 64, 7, 7]>>` |
    | dtype without a builtin type | element type `!ge.dtype<"DT_STRING">` |
    | dim -1 | `?` |
    | the single dim -2 | `tensor<*xf16>` |
    | `AttrDef` s, i, f, b | string, `i64`, `f32`, `bool` |
    | `AttrDef` list with its `val_type` | `array<i64: ...>`, `array<f32: ...>`, `array<i1: ...>`, array of strings |
    | `AttrDef` with nothing set | `unit` |
    | any other `AttrDef` | `#ge.value<kind, ...>` with the name of the protobuf field as kind |
    | bytes of a constant | a resource blob from 64 bytes on, otherwise a string |
    | an unknown field | its text, in the array `unknown` of the dictionary that stands for its message |

    Default values of proto3 scalars are not kept: they are equal to absent
    fields.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class GE_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<GE_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class GE_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<GE_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

class GE_Op<string mnemonic, list<Trait> traits = []>
    : Op<GE_Dialect, mnemonic, traits>;

#endif // NPU_DIALECT_GE_IR_GEBASE_TD
