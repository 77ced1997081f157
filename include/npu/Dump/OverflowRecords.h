//===- OverflowRecords.h - The overflow records of a dump ------*- C++ -*-===//

#ifndef NPU_DUMP_OVERFLOWRECORDS_H
#define NPU_DUMP_OVERFLOWRECORDS_H

#include "npu/Dump/Info.h"

namespace npu::dump {

/// An overflow record with the dump of the operator that overflowed.
struct OverflowRecord {
  FileInfo file; ///< its opDebug is the record, or its fault says why not
  /// The iteration: the name of the file's folder, where it is a number.
  std::optional<uint64_t> dataIndex;
  /// The operator's dump in the same folder: that with the record's task and
  /// stream id (and context and thread, where the record has them). Of several
  /// the last that is not younger than the record, else the first.
  std::optional<FileInfo> op;
};

/// The overflow records below the folder \p path, by data index, then by time
/// stamp, both as numbers: the first one is where to begin. Reads no tensors
/// but those of operators that overflowed. Fails only where \p path cannot be
/// listed.
Expected<std::vector<OverflowRecord>>
collectOverflowRecords(const std::string &path);

} // namespace npu::dump

#endif // NPU_DUMP_OVERFLOWRECORDS_H
