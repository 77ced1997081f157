//===- Catalog.h - What is known about operator types ----------*- C++ -*-===//
//
// One row for one operator type: its signature, its attributes with their
// defaults, the engine of the device that runs it, what it is in the execution
// of a graph, the formats that it computes in, and the rule for the shapes of
// its outputs. Verification, inference of shapes, kernels and the documentation
// all read these rows; how this library computes an operator (the numeric path,
// the status bits) is said where its kernel is registered.
//
// Rows are text as the operator's documents print it, checked when this library
// is compiled. Looking one up costs two binary searches; nothing is built when
// a program starts.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_CATALOG_CATALOG_H
#define NPU_CATALOG_CATALOG_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace npu::catalog {

/// What runs an operator. Only operators of the first two leave dumps.
enum class Engine : uint8_t {
  AiCore,  ///< a kernel on the AI Cores
  AiCpu,   ///< a kernel on the device's CPUs
  GeLocal, ///< GE itself, without a task on the device
  Runtime, ///< a task of the runtime: events, streams, copies
  Hccl,    ///< communication between devices
};

/// The formats in which the kernel of this library takes its tensors.
enum class Formats : uint8_t {
  Any,    ///< as they lie, or through the logical tensor
  Plain,  ///< plain ones only (ND, NCHW...)
  Image,  ///< NC1HWC0 and plain ones
  Blocks, ///< NC1HWC0 only
  Cube,   ///< images: NC1HWC0 and plain; filters and matrices: FRACTAL_Z,
          ///< FRACTAL_NZ and plain
};

/// How the shapes of outputs follow from the inputs. An output with the name of
/// an input is that input changed in place, and has its shape whatever the rule
/// says about the other outputs.
enum class ShapeRule : uint8_t {
  Unknown,
  Aipp, ///< the window of an image with its borders
  AllGather,
  AllToAll, ///< up to the end of what the last rank sends
  ArgReduction,
  BatchNorm,  ///< of the data first, then of the parameters
  BatchSpace, ///< images of a batch as pixels, and back
  BatchSums,  ///< one for each channel
  Bitcast,    ///< the same bytes in the type of the output
  BitMask,    ///< bytes with a bit for each element of a shape
  Broadcast,
  BroadcastTo,
  Channels,
  ClassLoss, ///< of the classes, or a scalar; and a scalar
  Concat,
  ConfusionTranspose,
  Convolution,
  CrossEntropy,
  Deconvolution,
  ExpandDims,
  Fill,       ///< the values of input 0
  FilterSize, ///< the attribute filter_size
  Flatten,
  FullyConnection,
  GammaSize, ///< the attribute shape_gamma
  Gather,
  GatherNd,
  GlobalPooling,
  GroupNorm,
  InputSize, ///< the attribute input_size
  LayerNorm,
  Loss, ///< of the first input, or a scalar by the attribute reduction
  MatMul,
  MaxPoolWithArgmax,
  Merge, ///< of an input, and its number
  NonMaxSuppression,
  OneHot,
  OriginalInput, ///< attribute or input 0, orig_input_shape
  Pack,
  Pad,
  Pooling,
  Range,
  ReadSelect,
  ReduceScatter,
  Reduction,
  ReluMask, ///< of x, and bits for 16 channels in two bytes
  Reshape,
  Resize,
  ResizeByScales, ///< the values of input 3, or x times those of input 2
  RmsNorm,
  SameAsEach, ///< of output k that of input k
  SameAsFirst,
  SameAsSecond,
  Scalar,
  ScatterNd,
  SegmentSum,
  ShapeOf,
  Slice,
  SpaceDepth, ///< channels as blocks of pixels, and back
  Split,
  SquareSum, ///< of a reduction, then of the input
  Squeeze,
  StridedSlice,
  StridedSliceGradient,
  Tile,
  TopK,
  Transpose,
  Unique, ///< at most: as many values as elements
  Unpack,
  Unsqueeze,
  Where, ///< at most: a row for each element
};

/// What operators are in the execution of a graph.
enum class Role : uint8_t {
  Compute,     ///< a kernel computes their outputs
  Input,       ///< their outputs come from outside
  Constant,    ///< they have their value
  Variable,    ///< they have a value that lasts and changes
  Output,      ///< they collect the outputs of the graph
  Call,        ///< they stand for the graph that they call
  If,          ///< they run the first or the second of their graphs
  Case,        ///< they run the one of their graphs that a number tells
  While,       ///< they run the second graph as long as the first one says so
  For,         ///< they run their graph once for each number of a range
  Order,       ///< they only order others
  Streams,     ///< they start streams
  Switch,      ///< they pass their input on to one of two branches
  Merge,       ///< they pass on the input that was computed
  FloatStatus, ///< they read or clear the overflow flag of the device
};

/// A row. Text has the form of the operator's documents.
struct Row {
  std::string_view type;
  /// "x, filter, bias?, offset_w?": a name with '?' is optional, one with '*'
  /// stands for any number of inputs, and one with '&' is changed in place
  /// without an output that shows it.
  std::string_view inputs;
  std::string_view outputs; ///< in the same form
  /// "pads: list int; groups: int = 1": an attribute without a default is
  /// required. The default "none" says that it may be absent.
  std::string_view attributes = "";
  Engine engine = Engine::AiCore;
  ShapeRule shape = ShapeRule::Unknown;
  Formats formats = Formats::Any;
  Role role = Role::Compute;
};

/// The row of \p type, or null.
const Row *lookup(std::string_view type);

/// All rows, in the order of their types.
std::vector<const Row *> all();

/// An input or output of an operator.
struct Port {
  enum Kind : uint8_t { Required, Optional, Dynamic };
  std::string_view name;
  Kind kind = Required;
  bool isHiddenUpdate = false;
};

/// Attribute kinds of the IR.
enum class AttributeKind : uint8_t {
  Int,
  Float,
  Bool,
  String,
  DataType, ///< the number of a data type
  Tensor,
  ListInt,
  ListFloat,
  ListBool,
  ListString,
  ListDataType,
  ListListInt,
};

/// "list int": as rows spell it.
std::string_view getName(AttributeKind kind);

struct Attribute {
  std::string_view name;
  AttributeKind kind = AttributeKind::Int;
  /// As the row has it ("[1, 1]", "'NHWC'", "1e-05"); none where the attribute
  /// is required.
  std::optional<std::string_view> fallback;
};

std::vector<Port> getPorts(std::string_view ports);
std::vector<Attribute> getAttributes(const Row &row);
/// The attribute \p name of the row, or nothing.
std::optional<Attribute> findAttribute(const Row &row, std::string_view name);

/// An input that an operator changes in place.
struct Update {
  static constexpr unsigned Hidden = ~0u;
  unsigned input;
  unsigned output; ///< the output of the same name, or Hidden
};
/// In the order of the outputs; hidden ones come last.
std::vector<Update> getUpdates(const Row &row);

/// Whether operators of this engine run as kernels whose tensors are dumped.
constexpr bool isDumped(Engine engine) {
  return engine == Engine::AiCore || engine == Engine::AiCpu;
}

/// What operators of \p type are; Compute for a type without a row.
Role getRole(std::string_view type);
/// Whether operators of \p role run other graphs.
constexpr bool isControl(Role role) {
  return role == Role::If || role == Role::Case || role == Role::While ||
         role == Role::For;
}
/// Whether operators of \p row, which may be null, are tasks of the device.
bool isTask(const Row *row);

/// "AI Core", "AI CPU", "GE", "runtime", "HCCL".
std::string_view getName(Engine engine);
/// "any", "plain", "NC1HWC0, plain"...
std::string_view getName(Formats formats);
/// What is missing for a kernel of operators of \p type that has none; empty
/// where nobody has written it yet.
std::string_view getMissingFacts(std::string_view type);
/// Whether a rule gives the shapes of outputs of \p row.
bool infersShapes(const Row &row);
/// Whether \p rule gives the largest shape that there can be: only a run tells
/// how much of the first output is used.
constexpr bool isBound(ShapeRule rule) {
  return rule == ShapeRule::Unique || rule == ShapeRule::Where;
}

} // namespace npu::catalog

#endif // NPU_CATALOG_CATALOG_H
