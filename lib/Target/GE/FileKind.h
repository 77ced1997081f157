//===- FileKind.h - What a file that is no graph text looks like *- C++ -*-===//

#ifndef NPU_LIB_TARGET_GE_FILEKIND_H
#define NPU_LIB_TARGET_GE_FILEKIND_H

#include "llvm/ADT/StringRef.h"

namespace npu::ge {

/// Recognises what is often taken for a graph text: a Git LFS pointer, HTML,
/// binary protobuf, ONNX text... Returns a phrase for it ("a Git LFS pointer
/// (run git lfs pull)"); empty for what may be graph text.
llvm::StringRef describeOtherFile(llvm::StringRef text);

} // namespace npu::ge

#endif // NPU_LIB_TARGET_GE_FILEKIND_H
