//===- CsvText.h - Rows of comma-separated values ---------------*- C++ -*-===//

#ifndef NPU_DUMP_CSVTEXT_H
#define NPU_DUMP_CSVTEXT_H

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

} // namespace npu::dump

#endif // NPU_DUMP_CSVTEXT_H
