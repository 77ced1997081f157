//===- FileList.h - The dump files of a folder ------------------*- C++ -*-===//

#ifndef NPU_DUMP_FILELIST_H
#define NPU_DUMP_FILELIST_H

#include "npu/Dump/DumpName.h"

#include <filesystem>
#include <vector>

namespace npu::dump {

struct ListedFile {
  std::filesystem::path path;
  std::string fullName; ///< the one in mapping.csv for a name of digits

  /// Whether it has statistics for its name: {name of a dump}.csv.
  bool isStatistics() const;
  /// What the name of the dump says, for statistics too.
  std::optional<DumpName> parseName() const;
};

/// The file \p path, or the files below the folder \p path in the order of
/// their paths. Hidden files, .csv and .json are left out of folders, but
/// statistics are in with \p withStatistics.
Expected<std::vector<ListedFile>> listDumpFiles(const std::string &path,
                                                bool withStatistics = false);

} // namespace npu::dump

#endif // NPU_DUMP_FILELIST_H
