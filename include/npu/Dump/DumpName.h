//===- DumpName.h - Names of dump files and folders ------------*- C++ -*-===//
//
// {dump_path}/{time}/{device}/{model_name}/{model_id}/{data_index}/
//   {op_type}.{op_name}.{task_id}.{stream_id}.{timestamp}
//
// A file name of more than 255 bytes is replaced by digits, and mapping.csv in
// the same folder says what they stand for.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_DUMP_DUMPNAME_H
#define NPU_DUMP_DUMPNAME_H

#include "npu/Support/Status.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace npu::dump {

/// Bytes, not letters, that a file system takes as one name.
constexpr size_t MaxFileNameBytes = 255;

/// The file beside the dump files that explains the digits-only names.
constexpr std::string_view MappingFileName = "mapping.csv";

/// \p name with '_' for each space, '.', '/' and '\\'; all else is kept.
std::string replaceNameCharacters(std::string_view name);

/// What the name of a dump file says. Names that were read have '_' for the
/// replaced characters.
struct DumpName {
  std::string opType;
  std::string opName;
  uint32_t taskId = 0;
  std::optional<uint32_t> streamId; ///< absent in files of old devices
  uint64_t timestamp = 0;           ///< microseconds since 1970

  /// The part of an operator that one thread of a context ran (FFTS+).
  struct Slice {
    uint32_t contextId = 0;
    uint32_t threadId = 0;
    uint32_t deviceId = 0;

    friend bool operator==(const Slice &, const Slice &) = default;
  };
  std::optional<Slice> slice;

  friend bool operator==(const DumpName &, const DumpName &) = default;
};

/// The file name for \p name, of any length.
std::string toFileName(const DumpName &name);

/// Inverse of toFileName up to replaced characters; none where \p fileName is
/// not the name of a tensor dump.
std::optional<DumpName> parseFileName(std::string_view fileName);

/// The digits that stand for a file whose whole path would be \p path: its
/// FNV-1a hash of 64 bits, in decimal.
std::string makeShortName(std::string_view path);

/// Whether \p fileName is digits only, so that mapping.csv has to be asked.
bool isShortName(std::string_view fileName);

/// The row of mapping.csv for a replaced name, with its line end. The name is
/// quoted where it has a comma, a quote or a line end (RFC 4180).
std::string formatMappingRow(std::string_view shortName,
                             std::string_view fileName);

/// The rows of a mapping.csv: digits, or the name of an .npy, to file name.
/// Takes names quoted or bare (then all up to the line end), either line end, a
/// byte order mark, and rows that occur again; leaves out all else.
std::map<std::string, std::string> parseMapping(std::string_view text);

/// The rows of mapping.csv in \p folder; none where there is no such file.
Expected<std::map<std::string, std::string>>
readMapping(const std::string &folder);

/// Where an operator's file goes below the {time} folder. The device leaves
/// out the levels that a request does not carry.
struct DumpFolder {
  uint32_t deviceId = 0;
  std::optional<std::string> modelName; ///< unreplaced
  std::optional<uint32_t> modelId;
  std::optional<uint64_t> dataIndex;
};

/// "0/net_a/1/5": the folder below {dump_path}/{time}.
std::string toPath(const DumpFolder &folder);

} // namespace npu::dump

#endif // NPU_DUMP_DUMPNAME_H
