//===- OnnxConversion.h - Nodes of ge_onnx text -----------------*- C++ -*-===//
//
// GE also dumps graphs as text of ge.onnx.ModelProto (ge_onnx_*.pbtxt). A node
// there has the fields of an OpDef, and those of its descriptors, as attributes
// with names of their own.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_LIB_TARGET_GE_ONNXCONVERSION_H
#define NPU_LIB_TARGET_GE_ONNXCONVERSION_H

#include "TextReader.h"

#include "llvm/Support/StringSaver.h"

namespace npu::ge {

/// What is wrong with a node.
struct ConversionFault {
  std::string message;
  TextPosition position;
};

/// Appends to \p op the OpDef of the node at \p index of \p tree, a field
/// `node`. Positions are those of the node's fields; strings that are made up
/// are kept in \p saver.
///
/// What the form does not have cannot come back: attributes of bool and of data
/// types are integers, and those that are strings are missing altogether where
/// GE dumped at its usual level. A call names the graph that it calls by its
/// own name (`<graph>_PartitionedCall_<k>`).
llvm::LogicalResult convertOnnxNode(const TextTree &tree, uint32_t index,
                                    llvm::StringSaver &saver, TextTree &op,
                                    ConversionFault &fault);

/// The index of the graph that the node at \p index stands for: nodes of the
/// type "subgraph" hold one. 0 for other nodes.
uint32_t findOnnxSubgraph(const TextTree &tree, uint32_t index);

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_ONNXCONVERSION_H
