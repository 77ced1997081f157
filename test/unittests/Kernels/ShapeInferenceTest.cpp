// Shapes of outputs by the rules of the catalogue.

#include "npu/Kernels/ShapeInference.h"
#include "KernelTester.h"

#include "npu/Catalog/Catalog.h"

#include <set>

using namespace npu;
using namespace npu::kernels;

namespace {

using Ints = std::vector<int64_t>;

/// A node with logical shapes.
struct Node {
  std::string type;
  std::vector<Shape> inputs;
  std::vector<Shape> expected;
  Attributes attrs = {};
  Format format = Format::ND; ///< of the first input and the outputs
  /// By input: values, of int32; empty where they are not known.
  std::vector<Ints> values = {};
  Format filterFormat = Format::ND; ///< of the second input
  Shape known = {};                 ///< of the outputs, with -1

  Node with(const std::string &name, AttributeValue value) const {
    Node node = *this;
    node.attrs.set(name, std::move(value));
    return node;
  }
  Node in(Format first, Format filter = Format::ND) const {
    Node node = *this;
    node.format = first;
    node.filterFormat = filter;
    return node;
  }
  Node given(std::vector<Ints> constants) const {
    Node node = *this;
    node.values = std::move(constants);
    return node;
  }
};

Expected<std::vector<Shape>> infer(const Node &node) {
  NodeSpec spec{node.type, "node", node.attrs, {}, {}, {}};
  std::vector<std::vector<int32_t>> constants(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const bool hasValues = i < node.values.size() && !node.values[i].empty();
    spec.inputs.push_back(plainDesc(
        hasValues ? DataType::Int32 : DataType::Float16, node.inputs[i],
        i == 0   ? node.format
        : i == 1 ? node.filterFormat
                 : Format::ND));
    if (hasValues)
      constants[i].assign(node.values[i].begin(), node.values[i].end());
    spec.constants.push_back(
        hasValues ? reinterpret_cast<const std::byte *>(constants[i].data())
                  : nullptr);
  }
  for (size_t i = 0; i < std::max<size_t>(node.expected.size(), 1); ++i)
    spec.outputs.push_back(
        plainDesc(DataType::Float16, node.known, node.format));
  return inferShapes(spec);
}

std::vector<Node> table() {
  const auto conv = Node{"Conv2D", {{2, 3, 9, 8}, {5, 3, 3, 2}}, {{2, 5, 5, 4}}}
                        .with("strides", Ints{1, 1, 2, 2})
                        .with("pads", Ints{1, 1, 0, 1})
                        .in(Format::NCHW, Format::NCHW);
  const auto slice = Node{"StridedSliceD", {{4, 6, 5}}, {}}
                         .with("begin", Ints{1, 0, 4})
                         .with("end", Ints{3, 6, 0})
                         .with("strides", Ints{1, 2, -2});
  auto expecting = [](Node node, std::vector<Shape> shapes) {
    node.expected = std::move(shapes);
    return node;
  };
  std::vector<Node> rows = {
      {"Relu", {{2, 3}}, {{2, 3}}},
      {"Add", {{4, 1, 3}, {2, 1}}, {{4, 2, 3}}},
      {"Add", {{}, {0, 2}}, {{0, 2}}},
      conv,
      expecting(conv, {{2, 5, 5, 4}}).with("pads", Ints{-1, -1, -1, -1}),
      Node{"Conv2D", {{1, 8, 8, 4}, {3, 3, 4, 6}}, {{1, 6, 6, 6}}}
          .with("strides", Ints{1, 1, 1, 1})
          .with("pads", Ints{0, 0, 0, 0})
          .with("data_format", std::string("NHWC"))
          .in(Format::NHWC, Format::HWCN),
      Node{"Conv2D", {{1, 8, 8, 4}, {3, 3, 4, 6}}, {{1, 4, 4, 6}}}
          .with("strides", Ints{1, 1, 1, 1})
          .with("pads", Ints{0, 0, 0, 0})
          .with("dilations", Ints{1, 2, 2, 1})
          .in(Format::NHWC, Format::HWCN),
      Node{"DepthwiseConv2D", {{1, 8, 8, 4}, {3, 3, 4, 2}}, {{1, 6, 6, 8}}}
          .with("strides", Ints{1, 1, 1, 1})
          .with("pads", Ints{0, 0, 0, 0})
          .in(Format::NHWC, Format::HWCN),
      Node{"Conv2DBackpropInputD", {{5, 3, 3, 3}, {2, 5, 4, 4}}, {{2, 3, 8, 8}}}
          .with("input_size", Ints{2, 3, 8, 8}),
      Node{"Conv2DBackpropFilter",
           {{2, 3, 8, 8}, {4}, {2, 5, 4, 4}},
           {{5, 3, 3, 3}}}
          .given({{}, {5, 3, 3, 3}, {}}),
      {"MatMulV2", {{2, 3}, {3, 4}}, {{2, 4}}},
      Node{"MatMulV2", {{3, 2}, {4, 3}}, {{2, 4}}}
          .with("transpose_x1", true)
          .with("transpose_x2", true),
      Node{"BatchMatMulV2", {{5, 1, 2, 3}, {7, 4, 3}}, {{5, 7, 2, 4}}}.with(
          "adj_x2", true),
      {"FullyConnection", {{2, 3, 4, 4}, {10, 3, 4, 4}}, {{2, 10}}},
      {"BiasAddGrad", {{2, 3, 5}}, {{5}}},
      Node{"BiasAddGrad", {{2, 3, 5, 5}}, {{3}}}.with("data_format",
                                                      std::string("NCHW")),
      Node{"Pooling", {{1, 2, 8, 7}}, {{1, 2, 4, 3}}}
          .with("window", Ints{3, 3})
          .with("stride", Ints{2, 2})
          .in(Format::NCHW), // Caffe rounds up
      Node{"Pooling", {{1, 2, 8, 7}}, {{1, 2, 3, 3}}}
          .with("window", Ints{3, 3})
          .with("stride", Ints{2, 2})
          .with("ceil_mode", int64_t(1))
          .in(Format::NCHW),
      Node{"Pooling", {{1, 2, 8, 7}}, {{1, 2, 1, 1}}}
          .with("global_pooling", true)
          .in(Format::NCHW),
      Node{"MaxPool", {{1, 8, 7, 2}}, {{1, 4, 4, 2}}}
          .with("ksize", Ints{1, 3, 3, 1})
          .with("strides", Ints{1, 2, 2, 1})
          .with("padding", std::string("SAME"))
          .in(Format::NHWC),
      Node{"MaxPoolV3", {{1, 2, 8, 7}}, {{1, 2, 4, 4}}}
          .with("ksize", Ints{1, 1, 3, 3})
          .with("strides", Ints{1, 1, 2, 2})
          .with("pads", Ints{1, 1, 1, 1})
          .in(Format::NCHW),
      Node{"AvgPoolV2", {{1, 2, 8, 7}}, {{1, 2, 4, 3}}}
          .with("ksize", Ints{1, 1, 3, 3})
          .with("strides", Ints{1, 1, 2, 2})
          .with("ceil_mode", true)
          .in(Format::NCHW),
      Node{"ReduceSumD", {{2, 3, 4}}, {{3}}}.with("axes", Ints{0, -1}),
      Node{"ReduceSumD", {{2, 3, 4}}, {{1, 3, 1}}}
          .with("axes", Ints{0, -1})
          .with("keep_dims", true),
      Node{"ReduceMean", {{2, 3}, {1}}, {{2}}}.given({{}, {1}}),
      Node{"ReduceMean", {{2, 3}, {0}}, {{2, 3}}}.given({{}, {}}),
      Node{"ReduceMean", {{2, 3}, {0}}, {{}}}.given({{}, {}}).with(
          "noop_with_empty_axes", false),
      Node{"ReduceMeanD", {{2, 3}}, {{}}}.with("axes", Ints{}),
      Node{"ReduceMeanD", {{2, 3}}, {{2, 3}}}
          .with("axes", Ints{})
          .with("noop_with_empty_axes", true),
      Node{"Gather", {{2, 3, 4}, {2}}, {{2, 4}}}.with("batch_dims", int64_t(1)),
      Node{"ReduceSumD", {{2, 3}}, {{}}}.with("axes", Ints{}),
      {"L2Loss", {{2, 3}}, {{}}},
      Node{"ArgMaxD", {{2, 3, 4}}, {{2, 4}}}.with("dimension", int64_t(1)),
      {"SoftmaxCrossEntropyWithLogits", {{8, 10}, {8, 10}}, {{8}, {8, 10}}},
      Node{
          "LayerNorm", {{2, 3, 4}, {4}, {4}}, {{2, 3, 4}, {2, 3, 1}, {2, 3, 1}}}
          .with("begin_norm_axis", int64_t(-1)),
      Node{"UnsortedSegmentSumD", {{6, 5}, {6}}, {{3, 5}}}.with("num_segments",
                                                                int64_t(3)),
      Node{"ConcatD", {{2, 3}, {2, 5}}, {{2, 8}}}.with("concat_dim",
                                                       int64_t(-1)),
      Node{"ConcatV2", {{2, 3}, {4, 3}, {}}, {{6, 3}}}.given({{}, {}, {0}}),
      Node{"SplitD", {{2, 6}}, {{2, 3}, {2, 3}}}.with("split_dim", int64_t(1)),
      Node{"SplitVD", {{2, 6}}, {{2, 1}, {2, 5}}}
          .with("split_dim", int64_t(1))
          .with("size_splits", Ints{1, -1}),
      Node{"Pack", {{2, 3}, {2, 3}}, {{2, 2, 3}}}.with("axis", int64_t(1)),
      Node{"Unpack", {{2, 3}}, {{3}, {3}}}.with("axis", int64_t(0)),
      Node{"SliceD", {{4, 6}}, {{2, 5}}}
          .with("offsets", Ints{1, 1})
          .with("size", Ints{2, -1}),
      expecting(slice, {{2, 3, 2}}),
      expecting(slice, {{3, 2}}).with("shrink_axis_mask", int64_t(1)),
      expecting(slice, {{1, 3, 5, 5}})
          .with("new_axis_mask", int64_t(1))
          .with("ellipsis_mask", int64_t(0))
          .with("begin", Ints{0, 1, 0})
          .with("end", Ints{0, 4, 5})
          .with("strides", Ints{1, 1, 1}),
      Node{"TileD", {{2, 3}}, {{4, 3}}}.with("multiples", Ints{2, 1}),
      Node{"TransposeD", {{2, 3, 4}}, {{4, 2, 3}}}.with("perm", Ints{2, 0, 1}),
      Node{"Pad", {{2, 3}, {2, 2}}, {{3, 5}}}.given({{}, {0, 1, 1, 1}}),
      Node{"GatherV2D", {{4, 5, 6}, {2, 3}}, {{4, 2, 3, 6}}}.with("axis",
                                                                  int64_t(1)),
      Node{"GatherV2", {{4, 5}, {3}, {}}, {{3, 5}}}.given({{}, {}, {0}}),
      Node{"OneHotD", {{2, 3}, {}, {}}, {{2, 3, 7}}}.with("depth", int64_t(7)),
      Node{"Reshape", {{2, 3, 4}, {2}}, {{2, 12}}}.given({{}, {0, -1}}),
      {"Flatten", {{2, 3, 4}}, {{2, 12}}},
      {"FlattenV2", {{2, 3, 4}}, {{2, 12}}},
      {"Squeeze", {{1, 3, 1}}, {{3}}},
      Node{"Squeeze", {{1, 3, 1}}, {{1, 3}}}.with("axis", Ints{-1}),
      Node{"Unsqueeze", {{3}}, {{1, 3, 1}}}.with("axes", Ints{0, -1}),
      Node{"ExpandDims", {{3}, {}}, {{1, 3}}}.given({{}, {0}}),
      Node{"Fill", {{2}, {}}, {{4, 5}}}.given({{4, 5}, {}}),
      {"Shape", {{2, 3, 4}}, {{3}}},
      {"Size", {{2, 3, 4}}, {{}}},
      Node{"ResizeBilinearV2D", {{1, 4, 4, 3}}, {{1, 8, 6, 3}}}
          .with("size", Ints{8, 6})
          .in(Format::NHWC),
      {"ResizeBilinearV2Grad", {{1, 8, 6, 3}, {1, 4, 4, 3}}, {{1, 4, 4, 3}}},
      Node{"Range", {{}, {}, {}}, {{4}}}.given({{3}, {-4}, {-2}}),
      Node{"Range", {{}, {}, {}}, {{5}}}
          .given({{1}, {9}, {2}})
          .with("is_closed", true),
      Node{"InstanceNormV2",
           {{2, 3, 4, 5}},
           {{2, 3, 4, 5}, {2, 3, 1, 1}, {2, 3, 1, 1}}}
          .in(Format::NCHW),
      Node{"Resize", {{1, 3, 4, 5}, {0}, {0}, {4}}, {{1, 3, 8, 10}}}.given(
          {{}, {}, {}, {1, 3, 8, 10}}),
      {"Unique", {{2, 3}}, {{6}, {6}}},
      {"Where", {{2, 3}}, {{6, 2}}},
      Node{"Deconvolution", {{1, 4, 5, 6}, {4, 3, 3, 2}}, {{1, 6, 9, 9}}}
          .with("strides", Ints{2, 2})
          .with("pads", Ints{1, 1, 2, 1})
          .with("groups", int64_t(2))
          .in(Format::NCHW, Format::NCHW),
      Node{"HcomAllToAllV", {{9}, {2}, {2}, {2}, {2}}, {{7}}}.given(
          {{}, {}, {}, {3, 2}, {0, 5}}),
      Node{"BatchMultiClassNonMaxSuppression",
           {{2, 8, 1, 4}, {2, 8, 3}},
           {{2, 5, 4}, {2, 5}, {2, 5}, {2}}}
          .with("max_total_size", int64_t(5)),
      Node{"BatchMultiClassNonMaxSuppression",
           {{2, 1, 4, 8}, {2, 3, 8}},
           {{2, 4, 5}, {2, 5}, {2, 5}, {2}}}
          .with("max_total_size", int64_t(5))
          .with("transpose_box", true),
      {"Select", {{2}, {2, 3}, {2, 3}}, {{2, 3}}},
      Node{"HcomReduceScatter", {{16, 3}}, {{2, 3}}}.with("rank_size",
                                                          int64_t(8)),
      {"HcomReduce", {{2, 3}}, {{2, 3}}},
      {"CacheUpdate", {{2, 3}}, {{2, 3}}},
      {"StridedWrite", {{2, 3}}, {{2, 3}}},
      {"Bitcast", {{2, 3}}, {{2, 3}}},
      Node{"Bitcast", {{2}}, {{2, 2}}}.given({{7, 8}}),
      Node{"SegmentSum", {{4, 3}, {4}}, {{6, 3}}}.given({{}, {0, 1, 1, 5}}),
      Node{"StridedSliceV2", {{4, 6, 5}, {2}, {2}, {2}, {2}}, {{4, 3, 2}}}
          .given({{}, {0, 1}, {100, 7}, {-1, 1}, {3, 2}}),
      Node{"StridedSliceV2", {{4, 6}, {1}, {1}}, {{2, 6}}}.given(
          {{}, {-2}, {100}}),
      Node{"HcomAllGather", {{2, 3}}, {{16, 3}}}.with("rank_size", int64_t(8)),
      {"HcomAllReduce", {{2}, {3}}, {{2}, {3}}},
      {"ShapeN", {{2, 3, 4}, {5}}, {{3}, {1}}},
      {"BatchNorm",
       {{2, 4, 4, 3}, {3}, {3}, {3}, {3}},
       {{2, 4, 4, 3}, {3}, {3}, {3}, {3}, {3}}},
      {"BatchNormGrad",
       {{2, 3, 4, 4}, {2, 3, 4, 4}, {3}, {3}, {3}},
       {{2, 3, 4, 4}, {3}, {3}, {3}, {3}}},
      {"BNTrainingUpdateGrad",
       {{2, 3, 4, 4}, {2, 3, 4, 4}, {1, 3, 1, 1}, {1, 3, 1, 1}},
       {{1, 3, 1, 1}, {1, 3, 1, 1}}},
      {"BNTrainingUpdate",
       {{2, 3, 4, 4}, {3}, {3}, {3}, {3}, {3}, {3}},
       {{2, 3, 4, 4}, {3}, {3}, {3}, {3}}},
      {"LayerNormGrad",
       {{2, 5}, {2, 5}, {2, 1}, {2, 1}, {5}},
       {{2, 5}, {5}, {5}}},
      Node{"BNTrainingReduce", {{2, 4, 4, 3}}, {{1, 1, 1, 3}, {1, 1, 1, 3}}}.in(
          Format::NHWC),
      {"RmsNorm", {{2, 3, 4}, {3, 4}}, {{2, 3, 4}, {2, 1, 1}}},
      {"AddRmsNorm",
       {{2, 3, 4}, {2, 3, 4}, {4}},
       {{2, 3, 4}, {2, 3, 1}, {2, 3, 4}}},
      Node{"LayerNormBetaGammaBackpropV2", {{2, 5}, {2, 5}}, {{5}, {5}}}.with(
          "shape_gamma", Ints{5}),
      {"LayerNormXBackpropV2",
       {{2, 5}, {2, 5}, {2, 1}, {2, 1}, {5}},
       {{2, 5}, {2, 5}}},
      Node{"DropOutGenMask", {{2}, {}}, {{32}}}.given({{43, 3}, {}}),
      Node{"DropOutGenMaskV3", {{2}, {}}, {{43, 3}}}.given({{43, 3}, {}}),
      Node{"RandomUniform", {{2}}, {{4, 5}}}.given({{4, 5}}),
      Node{"StridedSliceGrad", {{2}, {2}, {2}, {2}, {1, 5}}, {{4, 5}}}.given(
          {{4, 5}, {}, {}, {}, {}}),
      Node{"AvgPoolGradD", {{2, 3, 4, 4}, {}, {}}, {{2, 3, 8, 8}}}.with(
          "orig_input_shape", Ints{2, 3, 8, 8}),
      Node{"AvgPoolGrad", {{4}, {2, 3, 4, 4}}, {{2, 3, 8, 8}}}.given(
          {{2, 3, 8, 8}, {}}),
      {"GatherNd", {{4, 5, 6}, {2, 3, 2}}, {{2, 3, 6}}},
      {"GatherNd", {{4, 5}, {3, 2}}, {{3}}},
      {"GatherElements", {{4, 5}, {2, 5}}, {{2, 5}}},
      Node{"ScatterNd", {{3, 1}, {3, 5}, {2}}, {{4, 5}}}.given(
          {{}, {}, {4, 5}}),
      Node{"PadV2", {{2, 3}, {4}, {}}, {{3, 5}}}.given({{}, {0, 1, 1, 1}, {}}),
      Node{"PadV3", {{2, 3}, {4}}, {{5, 5}}}
          .given({{}, {1, 0, 2, 2}})
          .with("paddings_contiguous", false),
      Node{"PadV3D", {{2, 3}}, {{3, 7}}}.with("paddings", Ints{1, 0, 2, 2}),
      Node{"MirrorPad", {{2, 3}, {4}}, {{3, 7}}}.given({{}, {1, 0, 2, 2}}),
      Node{"Switch", {{2, 3}, {}}, {{2, 3}, {2, 3}}},
      Node{"Merge", {{2, 3}, {2, 3}, {2, 3}}, {{2, 3}, {}}},
      Node{"StreamMerge", {{2, 3}, {2, 3}}, {{2, 3}, {}}},
      Node{"TopK", {{4, 9}, {}}, {{4, 2}, {4, 2}}}.given({{}, {2}}),
      Node{"TopKV2", {{4, 9}, {}}, {{2, 9}, {2, 9}}}.given({{}, {2}}).with(
          "dim", int64_t(0)),
      Node{"ResizeNearestNeighborV2", {{1, 4, 4, 3}, {2}}, {{1, 8, 6, 3}}}
          .given({{}, {8, 6}})
          .in(Format::NHWC),
      Node{"GlobalAveragePool", {{2, 3, 4, 5}}, {{2, 3, 1, 1}}}.in(
          Format::NCHW),
      Node{"DepthToSpace", {{1, 2, 3, 8}}, {{1, 4, 6, 2}}}
          .with("block_size", int64_t(2))
          .in(Format::NHWC),
      Node{"SpaceToDepth", {{1, 2, 4, 6}}, {{1, 8, 2, 3}}}
          .with("block_size", int64_t(2))
          .in(Format::NCHW),
      Node{"SpaceToDepth", {{1, 4, 6, 2}}, {{1, 2, 3, 8}}}.with("block_size",
                                                                int64_t(2)),
      Node{"BatchToSpaceNDD", {{8, 2, 3, 5}}, {{2, 3, 6, 5}}}
          .with("block_shape", Ints{2, 2})
          .with("crops", Ints{0, 1, 0, 0}),
      Node{"SpaceToBatchNDD", {{2, 3, 6, 5}}, {{8, 2, 3, 5}}}
          .with("block_shape", Ints{2, 2})
          .with("paddings", Ints{0, 1, 0, 0}),
      Node{"ConfusionTransposeD", {{6, 4}}, {{4, 2, 3}}}
          .with("shape", Ints{2, 3, 4})
          .with("perm", Ints{2, 0, 1})
          .with("transpose_first", false),
      Node{"ConfusionTransposeD", {{2, 3, 4}}, {{4, 6}}}
          .with("shape", Ints{4, 6})
          .with("perm", Ints{2, 0, 1})
          .with("transpose_first", true),
      Node{
          "GroupNorm", {{2, 6, 4, 4}, {6}, {6}}, {{2, 6, 4, 4}, {2, 3}, {2, 3}}}
          .with("num_groups", int64_t(3)),
      Node{"InstanceNorm",
           {{2, 6, 4, 4}, {6}, {6}},
           {{2, 6, 4, 4}, {2, 6, 1, 1}, {2, 6, 1, 1}}}
          .in(Format::NCHW),
      {"InstanceNorm",
       {{2, 4, 4, 6}, {6}, {6}},
       {{2, 4, 4, 6}, {2, 1, 1, 6}, {2, 1, 1, 6}}},
      Node{"ReluV2", {{2, 4, 5, 20}}, {{2, 4, 5, 20}, {2, 2, 4, 5, 2}}}.in(
          Format::NHWC),
      Node{"ReadSelect", {{1, 8, 7, 32}}, {{1, 4, 4, 32}}}
          .with("stride_list", Ints{1, 1, 2, 2, 1})
          .in(Format::NHWC),
      // 4 taps, 12 points of 3 x 4: a block of 16 words, and one more.
      Node{"MaxPoolWithArgmax", {{1, 6, 7, 8}}, {{1, 3, 4, 8}, {1, 4, 2, 8}}}
          .with("ksize", Ints{1, 2, 2, 1})
          .with("strides", Ints{1, 2, 2, 1})
          .with("padding", std::string("SAME"))
          .in(Format::NHWC),
      {"SmoothL1LossV2", {{2, 3}, {2, 3}}, {{}}},
      Node{"SmoothL1LossV2", {{2, 3}, {2, 3}}, {{2, 3}}}.with(
          "reduction", std::string("none")),
      {"NLLLoss", {{5, 3}, {5}}, {{}, {}}},
      Node{"NLLLoss", {{5, 3}, {5}}, {{5}, {}}}.with("reduction",
                                                     std::string("none")),
      Node{"LayerNormV4", {{2, 3, 4}, {2}}, {{2, 3, 4}, {2, 1, 1}, {2, 1, 1}}}
          .given({{}, {3, 4}}),
      Node{"EmbeddingDenseGrad", {{2, 3, 4}, {2, 3}}, {{7, 4}}}.with(
          "num_weights", int64_t(7)),
      Node{"Aipp", {{2, 8, 6, 3}}, {{2, 8, 6, 3}}}
          .with("aipp.input_format", int64_t(3))
          .in(Format::NHWC),
      Node{"SquareSumV2", {{2, 3}}, {{2}, {2, 3}}}.with("axis", Ints{1}),
      {"LambNextRight", {{4, 3}, {4, 3}, {}, {1}, {}, {}}, {{4, 3}, {4, 3}}},
      // Outputs that are inputs.
      {"LambApplyOptimizerAssign",
       {{4, 3}, {4, 3}, {4, 3}, {4, 3}, {}, {}, {}, {}, {}, {}, {}, {}},
       {{4, 3}, {4, 3}, {4, 3}}},
      {"ApplyMomentumD", {{2}, {2}, {}, {2}, {}}, {{2}, {2}}},
      {"AdamApplyOneAssign",
       {{2}, {3}, {4}, {5}, {}, {}, {}, {}, {}, {}},
       {{3}, {4}, {5}}},
  };
  return rows;
}

} // namespace

TEST(ShapeInferenceTest, Rules) {
  std::set<catalog::ShapeRule> tried;
  for (const Node &node : table()) {
    SCOPED_TRACE(node.type);
    auto shapes = infer(node);
    ASSERT_TRUE(shapes.ok()) << shapes.status().message();
    EXPECT_EQ(*shapes, node.expected);
    tried.insert(catalog::lookup(node.type)->shape);
  }
  // Each rule that a row has is shown.
  for (const catalog::Row *row : catalog::all())
    EXPECT_TRUE(row->shape == catalog::ShapeRule::Unknown ||
                tried.count(row->shape) ||
                row->shape == catalog::ShapeRule::BroadcastTo ||
                row->shape == catalog::ShapeRule::StridedSliceGradient)
        << row->type;
}

// Of an image in NC1HWC0 axes may count N, C, H, W.
TEST(ShapeInferenceTest, ImageAxes) {
  NodeSpec spec{"ReduceMeanD", "node", {}, {}, {}, {}};
  spec.attrs.set("axes", Ints{2, 3});
  spec.attrs.set("keep_dims", true);
  spec.inputs = {privateDesc(DataType::Float16, Format::NC1HWC0, Format::NHWC,
                             {2, 7, 7, 32})};
  spec.outputs = {plainDesc(DataType::Float16, {-1, 1, 1, 32}, Format::NHWC)};
  EXPECT_EQ((*inferShapes(spec))[0], (Shape{2, 1, 1, 32}));
  spec.outputs = {plainDesc(DataType::Float16, {-1, 7, 1, 1}, Format::NHWC)};
  EXPECT_EQ((*inferShapes(spec))[0], (Shape{2, 7, 1, 1}));
}

TEST(ShapeInferenceTest, Scales) {
  NodeSpec spec{"Resize", "node", {}, {}, {}, {}};
  const std::vector<float> scales = {1, 1, 2, 0.7f};
  spec.inputs = {plainDesc(DataType::Float16, {1, 3, 4, 5}), std::nullopt,
                 plainDesc(DataType::Float, {4})};
  spec.outputs = {plainDesc(DataType::Float16, {-1, -1, -1, -1})};
  spec.constants = {nullptr, nullptr,
                    reinterpret_cast<const std::byte *>(scales.data())};
  EXPECT_EQ((*inferShapes(spec))[0], (Shape{1, 3, 8, 3}));
  spec.constants.clear();
  EXPECT_EQ(inferShapes(spec).status().message(),
            "Resize 'node': input 2 (scales) is not a constant");
}

// A Build graph has room for eight counts for each image.
TEST(ShapeInferenceTest, CountsOfBoxes) {
  NodeSpec spec{"BatchMultiClassNonMaxSuppression", "node", {}, {}, {}, {}};
  spec.attrs.set("max_total_size", int64_t(5));
  spec.inputs = {plainDesc(DataType::Float16, {2, 8, 1, 4}),
                 plainDesc(DataType::Float16, {2, 8, 3})};
  spec.outputs.assign(4, plainDesc(DataType::Float16, {-1, -1}));
  EXPECT_EQ((*inferShapes(spec))[3], (Shape{2, 8}));
}

TEST(ShapeInferenceTest, Refusals) {
  auto refusal = [](const Node &node) {
    auto shapes = infer(node);
    return shapes ? "accepted" : shapes.status().message();
  };
  EXPECT_EQ(refusal({"Add", {{2}, {3}}, {}}),
            "Add 'node': input 1 of 3 does not broadcast to 2");
  EXPECT_EQ(refusal({"MatMul", {{2, 3}, {4, 5}}, {}}),
            "MatMul 'node': matrices 2x3 and 4x5 have 3 and 4 values of K");
  EXPECT_EQ(refusal({"Reshape", {{2, 3}, {1}}, {}}),
            "Reshape 'node': input 1 (shape) is not a constant");
  EXPECT_EQ(refusal(Node{"Reshape", {{2, 3}, {1}}, {}}.given({{}, {4}})),
            "Reshape 'node': the elements of 2x3 do not have the shape 4");
  EXPECT_EQ(
      refusal(Node{"ConcatD", {{2}, {2}}, {}}.with("concat_dim", int64_t(1))),
      "ConcatD 'node': axis 1 is not one of a tensor of 1 dimensions");
  EXPECT_EQ(refusal({"RmsNorm", {{4}, {3, 4}}, {}}),
            "RmsNorm 'node': expected no more axes than x, 4, found 3x4");
  EXPECT_EQ(refusal({"GatherNd", {{4, 5}, {2, 3}}, {}}),
            "GatherNd 'node': expected coordinates in 4x5, found 2x3");
  EXPECT_EQ(refusal(Node{"TopK", {{4}, {}}, {}}.given({{}, {5}})),
            "TopK 'node': expected 5 values to choose, found 4");
  EXPECT_EQ(refusal(Node{"DepthToSpace", {{1, 2, 2, 6}}, {}}.with("block_size",
                                                                  int64_t(2))),
            "DepthToSpace 'node': expected blocks of 2, found 1x2x2x6");
  EXPECT_EQ(
      refusal(Node{"ReadSelect", {{4, 4}}, {}}.with("stride_list", Ints{1, 2})),
      "ReadSelect 'node': attribute 'stride_list' has 2 for dimension 1");
  EXPECT_EQ(refusal({"Relu", {}, {}}), "Relu 'node': input 0 is absent");
  EXPECT_EQ(refusal(Node{"Range", {{}, {}, {}}, {}}.given({{3}, {4}, {}})),
            "Range 'node': input 2 is not a constant");
  EXPECT_EQ(refusal(Node{"Range", {{}, {}, {}}, {}}.given({{3}, {4}, {-1}})),
            "Range 'node': start 3, limit 4 and delta -1: delta leads away "
            "from limit");
  EXPECT_EQ(refusal({"StridedRead", {{2}}, {}}),
            "StridedRead 'node': no rule for the shapes of its outputs");
  EXPECT_EQ(refusal({"Frobnicate", {{2}}, {}}),
            "Frobnicate 'node': no rule for the shapes of its outputs");
}
