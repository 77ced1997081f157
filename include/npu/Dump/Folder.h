//===- Folder.h - Making folders and hidden files ---------------*- C++ -*-===//

#ifndef NPU_DUMP_FOLDER_H
#define NPU_DUMP_FOLDER_H

#include "npu/Support/File.h"

#include <string>

namespace npu::dump {

/// Makes \p path and the folders above it that are missing, mode 0700, and
/// opens it. On failure the result is none and errno says why.
FileDescriptor openFolder(const std::string &path);

/// Makes an empty file of mode 0600 under a new hidden name in \p folder,
/// which it returns in \p name. On failure the result is none and errno says
/// why. Names that start with '.' are nobody's dump files.
FileDescriptor createHiddenFile(int folder, std::string &name);

} // namespace npu::dump

#endif // NPU_DUMP_FOLDER_H
