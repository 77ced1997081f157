//===- FileKind.h - What a file that is no graph text looks like *- C++ -*-===//

#ifndef NPU_LIB_TARGET_GE_FILEKIND_H
#define NPU_LIB_TARGET_GE_FILEKIND_H

#include "llvm/ADT/StringRef.h"

namespace npu::ge {

/// The form of a graph.
enum class GraphForm {
  Text, ///< text of ge.proto.ModelDef (ge_proto_*.txt), or a bare GraphDef
  Json, ///< the same as JSON (atc --mode=1 and --mode=5)
  Onnx, ///< text of ge.onnx.ModelProto (ge_onnx_*.pbtxt)
};
GraphForm getGraphForm(llvm::StringRef text);

/// Recognises what is often taken for a graph text: a Git LFS pointer, HTML,
/// binary protobuf, ONNX text... Returns a phrase for it ("a Git LFS pointer
/// (run git lfs pull)"); empty for what may be graph text.
llvm::StringRef describeOtherFile(llvm::StringRef text);

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_FILEKIND_H
