//===- GoldenIndex.h - The tensors to compare with ---------------*- C++
//-*-===//

#ifndef NPU_LIB_DUMPTOOLS_GOLDENINDEX_H
#define NPU_LIB_DUMPTOOLS_GOLDENINDEX_H

#include "npu/Dump/DumpName.h"
#include "npu/DumpTools/Compare.h"

#include <atomic>
#include <tuple>

namespace npu::dump {

/// A tensor by what its files are named after.
struct TensorKey {
  std::string folder; ///< data_index, where the folder that was named has them
  std::string opName; ///< with replaced characters
  bool isInput = false;
  size_t index = 0;
};

/// Where a golden tensor lies: an input or output of a dump file, or an array.
struct GoldenPlace {
  const ListedFile *file = nullptr; ///< null where there is none
  bool isArray = false;
  bool isInput = false;
  size_t index = 0; ///< in the dump file
};

/// The golden files, by operator. Holds names only.
class GoldenIndex {
public:
  static Expected<GoldenIndex>
  create(const std::string &path,
         const std::function<void(const std::string &text)> &warning);

  /// The tensor \p key of the \p occurrence-th dump of its operator.
  GoldenPlace find(const TensorKey &key, size_t occurrence) const;

  uint64_t numUnused() const;
  bool hasArrays() const { return !arrays.empty(); }

private:
  struct Entry {
    ListedFile file;
    uint64_t timestamp = 0;
    bool isArray = false;
    mutable std::atomic<bool> isUsed = false;

    Entry(ListedFile file, uint64_t timestamp, bool isArray)
        : file(std::move(file)), timestamp(timestamp), isArray(isArray) {}
    Entry(Entry &&other) noexcept
        : file(std::move(other.file)), timestamp(other.timestamp),
          isArray(other.isArray) {}
  };
  using OpKey = std::pair<std::string, std::string>; // folder, operator
  using ArrayKey = std::tuple<std::string, std::string, bool, size_t>;

  void add(InputFile input);
  void addArray(ListedFile file, const std::string &folder);

  std::multimap<std::pair<OpKey, uint64_t>, Entry> dumps; // by time too
  std::multimap<ArrayKey, Entry> arrays;
};

/// The folders of \p subfolder that tell iterations apart: its last, where that
/// is a number.
std::string getDataIndexFolder(const std::string &subfolder);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_GOLDENINDEX_H
