//===- CsvText.cpp - Rows of comma-separated values -----------------------===//

#include "npu/Dump/CsvText.h"

#include <sys/mman.h>

using namespace npu;
using namespace npu::dump;

std::string npu::dump::quoteCsv(std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos)
    return std::string(cell);
  std::string quoted = "\"";
  for (char c : cell) {
    if (c == '"')
      quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// Takes a cell off \p text up to its comma or line end.
static std::string takeCell(std::string_view &text) {
  std::string cell;
  bool isQuoted = false;
  size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      if (isQuoted && i + 1 < text.size() && text[i + 1] == '"')
        cell += text[++i];
      else if (isQuoted || cell.empty())
        isQuoted = !isQuoted;
      else
        cell += c; // a quote inside a bare cell
    } else if (!isQuoted && (c == ',' || c == '\n' || c == '\r')) {
      break;
    } else {
      cell += c;
    }
  }
  text.remove_prefix(i);
  return cell;
}

bool npu::dump::takeCsvRow(std::string_view &text,
                           std::vector<std::string> &cells) {
  cells.clear();
  while (text.starts_with('\n') || text.starts_with('\r'))
    text.remove_prefix(1);
  if (text.empty())
    return false;
  while (true) {
    cells.push_back(takeCell(text));
    if (!text.starts_with(','))
      break;
    text.remove_prefix(1);
  }
  if (text.starts_with('\r'))
    text.remove_prefix(1);
  if (text.starts_with('\n'))
    text.remove_prefix(1);
  return true;
}

bool CsvFileReader::takeRow(std::vector<std::string> &cells) {
  constexpr size_t step = size_t(4) << 20; // a multiple of any page
  const bool isRow = takeCsvRow(rest, cells);
  if (offset() - released >= 2 * step) {
    ::madvise(const_cast<std::byte *>(bytes.data()) + released, step,
              MADV_DONTNEED);
    released += step;
  }
  return isRow;
}
