//===- Convert.h - Dump files to files of other tools -----------*- C++ -*-===//
//
// Each tensor of a dump becomes a file; the names are those of Ascend's own
// tool (docs/DumpTools.md).
//
//===----------------------------------------------------------------------===//

#ifndef NPU_DUMPTOOLS_CONVERT_H
#define NPU_DUMPTOOLS_CONVERT_H

#include "npu/Dump/FileList.h"
#include "npu/Support/Status.h"
#include "npu/Support/TensorDesc.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace npu::dump {

enum class ConvertType : uint8_t {
  Npy,   ///< NumPy array
  MsNpy, ///< the same, named as MindSpore names it
  Bin,   ///< the elements of the NumPy array alone
  Text,  ///< numbers in words, a line for each innermost row
};

struct ConvertOptions {
  std::string folder; ///< where the files go; made where it is missing
  ConvertType type = ConvertType::Npy;
  /// The format to bring tensors to; as they are in the dump without.
  std::optional<FormatAndGroups> format;
  /// The original shape for dumps that have none.
  std::optional<Shape> originalShape;
  /// Only this input and this output; all where neither is given.
  std::optional<size_t> input, output;
  /// Keep files that exist already and are not older than their dump.
  bool resume = false;
  /// Behave as Ascend's tool: no folders within folders, names of 255 bytes
  /// are shortened already, a scalar has the shape (1,).
  bool compat = false;
  unsigned numThreads = 0; ///< 0: one for each processor
};

/// What became of one dump file.
struct ConvertedFile {
  std::string name;               ///< its path, with the name in mapping.csv
  std::vector<std::string> notes; ///< what the user should know
  std::vector<std::string> faults;
  bool incomplete = false; ///< a fault of the disk, not of the dump
  bool isSkipped = false;  ///< not converted, as the disk is full
  unsigned numWritten = 0;
  unsigned numKept = 0; ///< files that were there (resume)
  /// Names that were shortened, and what they stand for.
  std::vector<std::pair<std::string, std::string>> shortNames;
};

/// Converts \p file into the folder \p folder, which exists.
ConvertedFile convertFile(const ListedFile &file, const std::string &folder,
                          const ConvertOptions &options);

struct ConvertSummary {
  uint64_t numFiles = 0;
  uint64_t numFailed = 0; ///< with those that were skipped
  uint64_t numSkipped = 0;
  uint64_t numWritten = 0;
  uint64_t numKept = 0;
  bool incomplete = false;
};

/// Told about files in their order, by any thread but one at a time.
struct ConvertObserver {
  std::function<void(const ConvertedFile &file, size_t numDone,
                     size_t numFiles)>
      fileDone;
  std::function<void(const std::string &text)> warning;
};

/// Converts the dump files \p paths and those below the folders \p paths; the
/// folders below are kept. A file that cannot be converted does not keep the
/// others from being; convert_failed_file_list.txt in the output folder names
/// them all. Fails only where there is nothing to convert or no output folder.
Expected<ConvertSummary> convertDumps(std::span<const std::string> paths,
                                      const ConvertOptions &options,
                                      const ConvertObserver &observer);

} // namespace npu::dump

#endif // NPU_DUMPTOOLS_CONVERT_H
