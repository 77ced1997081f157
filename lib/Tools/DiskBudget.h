//===- DiskBudget.h - Whether the dumps of a run find room -----*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_DISKBUDGET_H
#define NPU_LIB_TOOLS_DISKBUDGET_H

#include "npu/Execution/DumpRecorder.h"

#include <string>

namespace npu {

/// What the dumps of a run may take.
struct DumpLimit {
  bool isIgnored = false;        ///< only warn
  std::optional<uint64_t> bytes; ///< besides what the disk has
};

/// Reads "any", or a number of bytes that K, M, G or T may follow, for the
/// powers of 1000.
Expected<DumpLimit> parseDumpLimit(llvm::StringRef text);

/// What the dumps will take, beside what there is.
class DiskBudget {
public:
  /// Asks the file system of \p folder.
  static Expected<DiskBudget> create(const std::string &folder,
                                     const DumpLimit &limit);

  /// The dumps of a graph that runs as \p session.
  void add(const DumpRecorder &dumps, const Session &session);

  /// Prints the numbers. Fails where there is not enough, or warns.
  Status check() const;

private:
  std::string folder;
  DumpLimit limit;
  uint64_t blockSize = 1;
  uint64_t freeBytes = 0;
  std::optional<uint64_t> freeFiles; ///< none where there is no limit
  DumpSize total, largest;           ///< largest: of an iteration
  uint64_t numIterations = 0;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_DISKBUDGET_H
