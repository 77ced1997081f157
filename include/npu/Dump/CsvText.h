//===- CsvText.h - Rows of comma-separated values ---------------*- C++ -*-===//

#ifndef NPU_DUMP_CSVTEXT_H
#define NPU_DUMP_CSVTEXT_H

#include "npu/Support/File.h"

#include <string>
#include <string_view>
#include <vector>

namespace npu::dump {

/// \p cell, in quotes where it has a comma, a quote or a line end (RFC 4180).
std::string quoteCsv(std::string_view cell);

/// Takes the next row that is not blank off \p text, with either line end.
/// False at the end of the text. A row is the rest of the text where it has an
/// open quote.
bool takeCsvRow(std::string_view &text, std::vector<std::string> &cells);

/// The rows of a mapped file of any length, read once: pages that are behind go
/// back to the system.
class CsvFileReader {
public:
  explicit CsvFileReader(const MappedFile &file)
      : bytes(file.bytes()),
        rest(reinterpret_cast<const char *>(bytes.data()), bytes.size()) {}

  /// The next row, as takeCsvRow.
  bool takeRow(std::vector<std::string> &cells);
  /// Bytes that have been taken.
  size_t offset() const { return bytes.size() - rest.size(); }

private:
  ByteView bytes;
  std::string_view rest;
  size_t released = 0;
};

} // namespace npu::dump

#endif // NPU_DUMP_CSVTEXT_H
