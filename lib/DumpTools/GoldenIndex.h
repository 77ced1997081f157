//===- GoldenIndex.h - The tensors to compare with -------------*- C++ -*-===//

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

enum class GoldenKind : uint8_t { Dump, Array, Statistics };

/// Where a golden tensor lies: an input or output of a dump file, an array, or
/// a row of statistics.
struct GoldenPlace {
  const ListedFile *file = nullptr; ///< null where there is none
  GoldenKind kind = GoldenKind::Dump;
  bool isInput = false;
  size_t index = 0; ///< in the dump file or the statistics
};

/// The golden files, by operator. Holds names only.
class GoldenIndex {
public:
  static Expected<GoldenIndex>
  create(const std::string &path,
         const std::function<void(const std::string &text)> &warning);

  /// The tensor \p key of the \p occurrence-th dump of its operator: in a dump,
  /// else an array, else in statistics; these first with \p likesStatistics.
  GoldenPlace find(const TensorKey &key, size_t occurrence,
                   bool likesStatistics) const;

  uint64_t numUnused() const;
  bool hasArrays() const { return !arrays.empty(); }
  /// The array that is all there is, if it was named itself.
  GoldenPlace onlyArray() const;

private:
  struct Entry {
    ListedFile file;
    mutable std::atomic<bool> isUsed = false;

    explicit Entry(ListedFile file) : file(std::move(file)) {}
    Entry(Entry &&other) noexcept : file(std::move(other.file)) {}
  };
  using OpKey = std::pair<std::string, std::string>; // folder, operator
  using OpFiles = std::multimap<std::pair<OpKey, uint64_t>, Entry>; // by time
  using ArrayKey = std::tuple<std::string, std::string, bool, size_t>;

  void add(InputFile input);
  void addArray(ListedFile file, const std::string &folder);
  static const Entry *findFile(const OpFiles &files, const OpKey &op,
                               size_t occurrence);

  GoldenPlace findIn(const TensorKey &key, size_t occurrence,
                     bool likesStatistics) const;

  bool isOneFile = false;
  std::string ownFolder; ///< data_index that the path itself ends with
  OpFiles dumps, statistics;
  std::multimap<ArrayKey, Entry> arrays;
};

/// What the name of an array says.
struct ArrayName {
  std::string opName; ///< with replaced characters
  bool isInput = false;
  size_t index = 0;
  uint64_t timestamp = 0;
};

/// Reads a name without its .npy: that of a converted dump, {op name}.{output
/// index}.{timestamp} of front ends, or else an operator's with one output.
ArrayName parseArrayName(std::string_view name);

/// The folder of \p path that tells iterations apart: its last, where that is a
/// number.
std::string getDataIndexFolder(const std::filesystem::path &path);

} // namespace npu::dump

#endif // NPU_LIB_DUMPTOOLS_GOLDENINDEX_H
