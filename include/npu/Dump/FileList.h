//===- FileList.h - The dump files of a folder ------------------*- C++ -*-===//

#ifndef NPU_DUMP_FILELIST_H
#define NPU_DUMP_FILELIST_H

#include "npu/Support/Status.h"

#include <filesystem>
#include <string>
#include <vector>

namespace npu::dump {

struct ListedFile {
  std::filesystem::path path;
  std::string fullName; ///< the one in mapping.csv for a name of digits
};

/// The file \p path, or the files below the folder \p path in the order of
/// their paths. Hidden files, .csv and .json are left out of folders.
Expected<std::vector<ListedFile>> listDumpFiles(const std::string &path);

} // namespace npu::dump

#endif // NPU_DUMP_FILELIST_H
