//===- DumpInput.h - The dump files a command works on ----------*- C++ -*-===//

#ifndef NPU_DUMPTOOLS_DUMPINPUT_H
#define NPU_DUMPTOOLS_DUMPINPUT_H

#include "npu/Dump/FileList.h"

#include <functional>
#include <span>

namespace npu::dump {

/// A dump file and where it lies below the folder that was named.
struct InputFile {
  ListedFile file;
  std::string subfolder; ///< empty directly in it, and for files
};

/// How messages name \p file: its path, with the name in mapping.csv behind it
/// where the file itself has digits for a name.
std::string describeFile(const ListedFile &file);

/// The dump files \p paths and those below the folders \p paths, without those
/// in further folders where not \p recursive. Tells \p warning about files of
/// digits that no mapping.csv explains, and about rows of one without a file.
/// Fails where a path cannot be listed and where there is no file at all. \p
/// kinds says what counts in folders.
Expected<std::vector<InputFile>>
collectInput(std::span<const std::string> paths, bool recursive,
             const std::function<void(const std::string &text)> &warning,
             ListedKinds kinds = ListedKinds::Dumps);

/// Shortened names and what they stand for.
using ShortNames = std::vector<std::pair<std::string, std::string>>;

/// The name for a new file: \p name, or where it has more than \p limit bytes a
/// name of 32 digits that is always the same, which \p shortNames gets.
std::string shortenName(const std::string &name, size_t limit,
                        ShortNames &shortNames);

/// Adds \p names to mapping.csv in \p folder.
Status addToMapping(const std::string &folder, const ShortNames &names);

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_DUMPINPUT_H
