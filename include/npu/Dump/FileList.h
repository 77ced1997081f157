//===- FileList.h - The dump files of a folder -----------------*- C++ -*-===//

#ifndef NPU_DUMP_FILELIST_H
#define NPU_DUMP_FILELIST_H

#include "npu/Dump/DumpName.h"

#include <filesystem>
#include <vector>

namespace npu::dump {

struct ListedFile {
  std::filesystem::path path;
  /// The one in mapping.csv for a name of digits, and for an array's where that
  /// has it.
  std::string fullName;

  /// Whether it has statistics for its name: {name of a dump}.csv.
  bool isStatistics() const;
  bool isArray() const; ///< .npy
  /// What the name of the dump says, for statistics too.
  std::optional<DumpName> parseName() const;
};

/// What counts in folders.
enum class ListedKinds : uint8_t {
  Dumps,
  WithStatistics, ///< and {name of a dump}.csv
  WithArrays,     ///< and these, and .npy
};

/// The file \p path, or the files below the folder \p path in the order of
/// their paths. Hidden files and what the tools make (.json, .txt, .html and
/// .bin of tensors) are left out of folders, and \p kinds says what else is in.
Expected<std::vector<ListedFile>>
listDumpFiles(const std::string &path, ListedKinds kinds = ListedKinds::Dumps);

} // namespace npu::dump

#endif // NPU_DUMP_FILELIST_H
