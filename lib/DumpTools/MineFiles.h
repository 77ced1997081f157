//===- MineFiles.h - What compare compares ---------------------*- C++ -*-===//

#ifndef NPU_LIB_DUMPTOOLS_MINEFILES_H
#define NPU_LIB_DUMPTOOLS_MINEFILES_H

#include "GoldenIndex.h"

namespace npu::dump {

/// A dump file of mine, its statistics, or an array.
struct MineFile {
  ListedFile file;
  std::string name;      ///< below the folder that was named
  std::string folder;    ///< data_index below it
  std::string ownFolder; ///< data_index in the whole path
  std::optional<DumpName> parsed;
  std::optional<ArrayName> array;
  bool isOneFile = false; ///< the file itself was named, not a folder
  size_t occurrence = 0;  ///< among the dumps of its operator in its folder

  uint64_t timestamp() const {
    return array ? array->timestamp : parsed ? parsed->timestamp : 0;
  }
};

/// The dump files of mine, in the order in which they were written; its arrays
/// where there is nothing else, as they may be made of the dumps. Of
/// one operator alone where \p options names one; fails where it has none.
Expected<std::vector<MineFile>>
collectMine(const CompareOptions &options,
            const std::function<void(const std::string &text)> &warning);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_MINEFILES_H
