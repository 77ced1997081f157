//===- Folder.h - Making folders and hidden files ---------------*- C++ -*-===//

#ifndef NPU_DUMP_FOLDER_H
#define NPU_DUMP_FOLDER_H

#include "npu/Support/File.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <unistd.h>

namespace npu::dump {

/// Makes \p path and the folders above it that are missing, mode 0700, and
/// opens it. On failure the result is none and errno says why.
FileDescriptor openFolder(const std::string &path);

/// Makes files under hidden names. Names that start with '.' are nobody's dump
/// files.
class HiddenFiles {
public:
  /// Makes an empty file of mode 0600 under a new hidden name in \p folder,
  /// which it returns in \p name; in any thread. On failure the result is none
  /// and errno says why.
  FileDescriptor create(int folder, std::string &name);

private:
  const pid_t process = ::getpid();
  std::atomic<uint64_t> numMade{0}; ///< no two threads try the same name
};

} // namespace npu::dump

#endif // NPU_DUMP_FOLDER_H
