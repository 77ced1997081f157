//===- Info.h - What dump files hold ---------------------------*- C++ -*-===//

#ifndef NPU_DUMP_INFO_H
#define NPU_DUMP_INFO_H

#include "npu/Dump/OpDebug.h"

#include <variant>

namespace npu::dump {

/// A value of a tensor, of the kind of its type; none where there is no value.
using Scalar = std::variant<std::monostate, double, int64_t, uint64_t>;

/// What the elements of a tensor are. Extremes are taken over all elements but
/// NaNs, infinities included.
struct ValueRange {
  uint64_t count = 0;
  Scalar minimum;
  Scalar maximum;
  uint64_t nans = 0;
  uint64_t positiveInfs = 0;
  uint64_t negativeInfs = 0;
};

/// The range of \p data as elements of \p dtype. None for types other than
/// float16, bfloat16, float, double, (u)int8..64 and bool (false 0, true 1).
/// Bytes that do not fill an element are left out.
std::optional<ValueRange> getValueRange(DataType dtype, ByteView data);

/// A tensor of a dump file.
struct TensorInfo {
  bool isInput = false;
  size_t index = 0;  ///< among the inputs, or among the outputs
  DumpTensor tensor; ///< without its data
  uint64_t fileOffset = 0;
  std::optional<ValueRange> range;
};

/// A dump file, or the reason why it cannot be read.
struct FileInfo {
  std::string path;
  std::string fileName;         ///< the one in mapping.csv for a name of digits
  std::optional<DumpName> name; ///< absent where the name follows no rule
  std::string fault;            ///< empty for a file that was read
  uint64_t dumpTime = 0;
  std::string opName;
  uint64_t trailingBytes = 0;
  std::optional<OpDebugRecord> opDebug; ///< of a file with such a name
  std::vector<TensorInfo> tensors;
};

/// Describes the dump file \p path, or every file below the folder \p path in
/// the order of their paths. Hidden files, .csv and .json are no dump files. A
/// file that cannot be read is described by its fault; fails only where \p path
/// itself cannot be listed.
Expected<std::vector<FileInfo>> describe(const std::string &path);

/// A table for people: one line for a file, one for each of its tensors.
std::string toTable(const std::vector<FileInfo> &files);

/// A JSON array with one object for each file. Values that JSON lacks are the
/// strings "nan", "inf" and "-inf".
std::string toJson(const std::vector<FileInfo> &files);

} // namespace npu::dump

#endif // NPU_DUMP_INFO_H
