//===- Schema.cpp - The messages of GE graph text -------------------------===//

#include "Schema.h"

using namespace npu::ge;

using enum FieldKind;

static constexpr FieldSpec modelFields[] = {
    {"name", String},      {"version", Int},        {"custom_version", String},
    {"graph", Text, true}, {"attr", AttrMap, true}, {"attr_groups", Text, true},
};

static constexpr FieldSpec graphFields[] = {
    {"name", String},   {"input", String, true}, {"output", String, true},
    {"op", Text, true}, {"attr", AttrMap, true}, {"attr_groups", Text, true},
};

static constexpr FieldSpec nodeFields[] = {
    {"name", String},
    {"type", String},
    {"input", String, true},
    {"attr", AttrMap, true},
    {"attr_groups", Text, true},
    {"has_out_attr", Bool},
    {"id", Int},
    {"stream_id", Int},
    {"input_name", String, true},
    {"src_name", String, true},
    {"src_index", Int, true},
    {"dst_name", String, true},
    {"dst_index", Int, true},
    {"input_i", Int, true},
    {"output_i", Int, true},
    {"workspace", Int, true},
    {"workspace_bytes", Int, true},
    {"is_input_const", Bool, true},
    {"input_desc", Desc, true},
    {"output_desc", Desc, true},
    {"subgraph_name", String, true},
};

static constexpr FieldSpec descFields[] = {
    {"name", String},           {"dtype", Enum},
    {"shape", Shape},           {"layout", String},
    {"attr", AttrMap, true},    {"attr_groups", Text, true},
    {"has_out_attr", Bool},     {"size", Int},
    {"weight_size", Int},       {"reuse_input", Bool},
    {"output_tensor", Bool},    {"device_type", String},
    {"input_tensor", Bool},     {"real_dim_cnt", Int},
    {"reuse_input_index", Int}, {"data_offset", Int},
    {"cmps_size", Int},         {"cmps_tab", String},
    {"cmps_tab_offset", Int},
};

static constexpr FieldSpec attrFields[] = {
    {"s", String},
    {"i", Int},
    {"f", Float},
    {"b", Bool},
    {"bt", String},
    {"list", List},
    {"func", Named},
    {"td", Desc},
    {"t", Tensor},
    {"g", Text},
    {"list_list_int", IntLists},
    {"dt", Int},
    {"list_list_float", FloatLists},
    {"expression", String},
};

static constexpr FieldSpec listFields[] = {
    {"s", String, true}, {"i", Int, true},     {"f", Float, true},
    {"b", Bool, true},   {"bt", String, true}, {"td", Desc, true},
    {"t", Tensor, true}, {"g", Text, true},    {"na", Named, true},
    {"dt", Int, true},   {"val_type", Enum},
};

static constexpr ListKind listKindTable[] = {
    {"VT_LIST_INT", "i"},
    {"VT_LIST_STRING", "s"},
    {"VT_LIST_BOOL", "b"},
    {"VT_LIST_FLOAT", "f"},
};

namespace npu::ge {
const MessageSpec modelSpec = {"ModelDef", modelFields};
const MessageSpec graphSpec = {"GraphDef", graphFields};
const MessageSpec nodeSpec = {"OpDef", nodeFields};
const MessageSpec descSpec = {"TensorDescriptor", descFields};
const MessageSpec attrSpec = {"AttrDef", attrFields};
const MessageSpec listSpec = {"ListValue", listFields};
const llvm::ArrayRef<ListKind> listKinds = listKindTable;
} // namespace npu::ge
