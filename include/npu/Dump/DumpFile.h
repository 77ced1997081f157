//===- DumpFile.h - The bytes of a dump file -------------------*- C++ -*-===//
//
// A dump file is, without padding or marks between the parts:
//
//   u64 little-endian   length of the header
//   header              protobuf message DumpData of that length
//   payload             inputs, outputs, buffers, spaces, each of its size
//
// The rules are in docs/DumpFormat.md.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_DUMP_DUMPFILE_H
#define NPU_DUMP_DUMPFILE_H

#include "npu/Support/File.h"
#include "npu/Support/TensorDesc.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace npu::dump {

/// The operator of the original graph whose output a tensor is.
struct OriginalOp {
  std::string name;
  uint32_t outputIndex = 0;        ///< 2^32-1 where the graph does not say
  uint32_t dtypeRuntimeNumber = 0; ///< getRuntimeNumber(), not the dump number
  uint32_t format = 0;             ///< the whole ge::Format number

  friend bool operator==(const OriginalOp &, const OriginalOp &) = default;
};

/// Limits of one dimension of a tensor of unknown shape.
struct DimRange {
  uint64_t start = 0;
  uint64_t end = 0;

  friend bool operator==(const DimRange &, const DimRange &) = default;
};

/// An input or output of the dumped operator, in its layout on the device.
struct DumpTensor {
  DataType dtype = DataType::Undefined;
  /// The number of a type that is not known here; \c dtype is Undefined then.
  int32_t unknownType = 0;
  Format format = Format::ND;
  int32_t subFormat = 0; ///< groups of FRACTAL_Z
  Shape shape;
  Shape originalShape; ///< in the axis order of the original format
  uint64_t size = 0;   ///< bytes in the payload
  uint64_t address = 0;
  uint64_t offset = 0;
  std::optional<OriginalOp> originalOp; ///< outputs only
  std::vector<DimRange> dimRanges;      ///< outputs only
  ByteView data; ///< size bytes, which belong to someone else
};

/// "DT_FLOAT16", or "data type 99" for one that is not known.
std::string getTypeName(const DumpTensor &tensor);

/// Untyped device memory: an L1 buffer or a log workspace.
struct DumpBlock {
  int32_t kind = 0; ///< 0 is L1 for a buffer and LOG for a space
  uint64_t size = 0;
  ByteView data;
};

struct DumpAttr {
  std::string name;
  std::string value;
};

/// What one execution of one operator leaves behind.
struct DumpRecord {
  std::string version = "2.0";
  uint64_t dumpTime = 0; ///< microseconds since 1970, as in the file name
  std::string opName;    ///< with the characters that a file name replaces
  std::vector<DumpTensor> inputs;
  std::vector<DumpTensor> outputs;
  std::vector<DumpBlock> buffers;
  std::vector<DumpBlock> spaces;
  std::vector<DumpAttr> attrs; ///< FFTS+ only; the value is a JSON text
  std::string dfxMessage;

  /// Calls \p visit(data) for each part of the payload in file order.
  template <typename Visitor>
  void forEachPart(Visitor visit) const {
    for (const DumpTensor &tensor : inputs)
      visit(tensor.data);
    for (const DumpTensor &tensor : outputs)
      visit(tensor.data);
    for (const DumpBlock &block : buffers)
      visit(block.data);
    for (const DumpBlock &block : spaces)
      visit(block.data);
  }
};

/// The bytes in front of the payload: the length and the header, exactly as
/// the device forms them (fields ascending, zeros left out, both shapes always
/// present, dimensions packed). The data of \p record is not looked at.
std::string serializeHeader(const DumpRecord &record);

/// A dump file that was read. Every size in it was checked against the bytes
/// there are.
class DumpFile {
public:
  /// Maps \p path. One line of failure gives the path, the part of the file,
  /// and the bytes it has and needs.
  static Expected<DumpFile> open(const std::string &path);

  /// Reads \p bytes, which must outlive the result.
  static Expected<DumpFile> parse(ByteView bytes);

  const DumpRecord &record() const { return contents; }
  /// Offset of the payload.
  uint64_t payloadOffset() const { return offset; }
  /// Bytes behind the last part of the payload; 0 in a file as a device writes
  /// it. A second dump appended to the first shows up here.
  uint64_t trailingBytes() const { return trailing; }

private:
  MappedFile file;
  DumpRecord contents;
  uint64_t offset = 0;
  uint64_t trailing = 0;
};

} // namespace npu::dump

#endif // NPU_DUMP_DUMPFILE_H
