//===- Cube.cpp - Convolutions and products of matrices -------------------===//

#include "Families.h"

using namespace npu::catalog;

static constexpr Row rows[] = {
    {"BatchMatMul", "x1, x2", "y", "adj_x1: bool = false; adj_x2: bool = false",
     Engine::AiCore, ShapeRule::MatMul, Formats::Cube},
    {"BatchMatMulV2", "x1, x2, bias?, offset_w?", "y",
     "adj_x1: bool = false; adj_x2: bool = false; offset_x: int = 0",
     Engine::AiCore, ShapeRule::MatMul, Formats::Cube},
    {"BatchMatMulV3", "x1, x2, bias?, offset_w?", "y",
     "adj_x1: bool = false; adj_x2: bool = false; offset_x: int = 0; "
     "enable_hf32: bool = false",
     Engine::AiCore, ShapeRule::MatMul, Formats::Cube},
    {"BiasAdd", "x, bias", "y", "data_format: string = 'NHWC'", Engine::AiCore,
     ShapeRule::SameAsFirst},
    {"BiasAddGrad", "x", "y", "data_format: string = 'NHWC'", Engine::AiCore,
     ShapeRule::Channels},
    {"Conv2D", "x, filter, bias?, offset_w?", "y",
     "strides: list int; pads: list int; dilations: list int = [1, 1, 1, 1]; "
     "groups: int = 1; data_format: string = 'NHWC'; offset_x: int = 0",
     Engine::AiCore, ShapeRule::Convolution, Formats::Cube},
    {"Conv2DBackpropFilter", "x, filter_size, out_backprop", "y",
     "strides: list int; pads: list int; dilations: list int = [1, 1, 1, 1]; "
     "groups: int = 1; data_format: string = 'NHWC'",
     Engine::AiCore, ShapeRule::FilterSize, Formats::Cube},
    {"Conv2DBackpropFilterD", "x, out_backprop", "y",
     "filter_size: list int; strides: list int; pads: list int; dilations: "
     "list int = [1, 1, 1, 1]; groups: int = 1; data_format: string = 'NHWC'",
     Engine::AiCore, ShapeRule::FilterSize, Formats::Cube},
    {"Conv2DBackpropInput", "input_size, filter, out_backprop", "y",
     "strides: list int; pads: list int; dilations: list int = [1, 1, 1, 1]; "
     "groups: int = 1; data_format: string = 'NHWC'",
     Engine::AiCore, ShapeRule::InputSize, Formats::Cube},
    {"Conv2DBackpropInputD", "filter, out_backprop", "y",
     "input_size: list int; strides: list int; pads: list int; dilations: list "
     "int = [1, 1, 1, 1]; groups: int = 1; data_format: string = 'NHWC'",
     Engine::AiCore, ShapeRule::InputSize, Formats::Cube},
    {"Conv2DTranspose", "input_size, x, filter, bias?, offset_w?", "y",
     "strides: list int; pads: list int; dilations: list int = [1, 1, 1, 1]; "
     "groups: int = 1; data_format: string = 'NHWC'; output_padding: list int "
     "= [0, 0, 0, 0]; offset_x: int = 0",
     Engine::AiCore, ShapeRule::InputSize, Formats::Cube},
    {"Conv2DTransposeD", "x, filter, bias?, offset_w?", "y",
     "input_size: list int; strides: list int; pads: list int; dilations: list "
     "int = [1, 1, 1, 1]; groups: int = 1; data_format: string = 'NHWC'; "
     "output_padding: list int = [0, 0, 0, 0]; offset_x: int = 0",
     Engine::AiCore, ShapeRule::InputSize, Formats::Cube},
    {"Deconvolution", "x, filter, bias?, offset_w?", "y",
     "strides: list int = [1, 1]; pads: list int = [0, 0, 0, 0]; dilations: "
     "list int = [1, 1, 1, 1]; groups: int = 1; data_format: string = 'NCHW'; "
     "offset_x: int = 0",
     Engine::AiCore, ShapeRule::Deconvolution, Formats::Cube},
    {"DepthwiseConv2D", "x, filter, bias?, offset_w?", "y",
     "strides: list int; dilations: list int = [1, 1, 1, 1]; pads: list int; "
     "data_format: string = 'NHWC'; offset_x: int = 0",
     Engine::AiCore, ShapeRule::Convolution, Formats::Cube},
    {"DepthwiseConv2DBackpropFilter", "input, filter_size, out_backprop",
     "filter_grad",
     "strides: list int; dilations: list int = [1, 1, 1, 1]; pads: list int; "
     "data_format: string = 'NHWC'",
     Engine::AiCore, ShapeRule::FilterSize, Formats::Cube},
    {"DepthwiseConv2DBackpropFilterD", "input, out_backprop", "filter_grad",
     "filter_size: list int; strides: list int; dilations: list int = [1, 1, "
     "1, 1]; pads: list int; data_format: string = 'NHWC'",
     Engine::AiCore, ShapeRule::FilterSize, Formats::Cube},
    {"DepthwiseConv2DBackpropInput", "input_size, filter, out_backprop",
     "input_grad",
     "strides: list int; dilations: list int = [1, 1, 1, 1]; pads: list int; "
     "data_format: string = 'NHWC'",
     Engine::AiCore, ShapeRule::InputSize, Formats::Cube},
    {"DepthwiseConv2DBackpropInputD", "filter, out_backprop", "input_grad",
     "input_size: list int; strides: list int; dilations: list int = [1, 1, 1, "
     "1]; pads: list int; data_format: string = 'NHWC'",
     Engine::AiCore, ShapeRule::InputSize, Formats::Cube},
    {"FullyConnection", "x, w, b?, offset_w?", "y",
     "num_output: int; transpose: bool = false; axis: int = 1; offset_x: int = "
     "0",
     Engine::AiCore, ShapeRule::FullyConnection, Formats::Cube},
    {"L2Loss", "x", "y", "", Engine::AiCore, ShapeRule::Reduction},
    {"MatMul", "x1, x2, bias?", "y",
     "transpose_x1: bool = false; transpose_x2: bool = false", Engine::AiCore,
     ShapeRule::MatMul, Formats::Cube},
    {"MatMulV2", "x1, x2, bias?, offset_w?", "y",
     "transpose_x1: bool = false; transpose_x2: bool = false; offset_x: int = "
     "0",
     Engine::AiCore, ShapeRule::MatMul, Formats::Cube},
    {"MatMulV3", "x1, x2, bias?, offset_w?", "y",
     "transpose_x1: bool = false; transpose_x2: bool = false; offset_x: int = "
     "0; opImplMode: int = 1",
     Engine::AiCore, ShapeRule::MatMul, Formats::Cube},
};
static_assert(isWellFormed(rows));

const std::span<const Row> npu::catalog::cubeRows = rows;
