//===- CompareReport.cpp - The result of compare for people ---------------===//

#include "CompareReport.h"

#include "npu/Dump/CsvText.h"
#include "npu/Dump/DumpName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace npu;
using llvm::StringRef;

namespace {

/// The cells of a row by the names in the header.
class Row {
public:
  Row(llvm::ArrayRef<std::string> header, llvm::ArrayRef<std::string> cells)
      : header(header), cells(cells) {}

  StringRef operator[](StringRef name) const {
    const auto *it = llvm::find(header, name);
    return it == header.end()
               ? StringRef()
               : StringRef(cells[static_cast<size_t>(it - header.begin())]);
  }

private:
  llvm::ArrayRef<std::string> header;
  llvm::ArrayRef<std::string> cells;
};

/// A row of the table with what it is ordered by.
struct BadRow {
  int severity = 0;
  double distance = 0;
  uint64_t position = 0;
  std::string line;

  bool operator<(const BadRow &other) const {
    return std::tuple(-severity, -distance, position) <
           std::tuple(-other.severity, -other.distance, other.position);
  }
};

} // namespace

static double toNumber(StringRef text) {
  double value = 0;
  return text.getAsDouble(value) || std::isnan(value) ? HUGE_VAL : value;
}

/// The line of a row that is bad; none where all is well.
static std::optional<BadRow> judge(const Row &row, uint64_t position) {
  const StringRef verdict = row["Verdict"];
  if (verdict != "FAIL" && verdict != "ERROR")
    return std::nullopt;
  const bool hasMetrics = !row["MismatchRatio"].empty();
  const bool hasStatistics = !row["StatisticsDistance"].empty();
  BadRow bad;
  bad.severity = verdict == "ERROR" ? 2 : hasMetrics || hasStatistics ? 0 : 1;
  bad.distance = toNumber(
      row[hasStatistics ? "StatisticsDistance" : "RelativeEuclideanDistance"]);
  bad.position = position;
  llvm::raw_string_ostream os(bad.line);
  os << verdict << "  "
     << (row["TensorIndex"].starts_with(":") ? row["NPUDump"]
                                             : row["TensorIndex"]);
  if (hasMetrics) {
    os << "  ";
    for (auto [name, column] :
         {std::pair("cosine ", "CosineSimilarity"),
          std::pair("distance ", "RelativeEuclideanDistance")})
      if (!row[column].empty())
        os << name << row[column] << ", ";
    os << row["Mismatches"] << " differ, first " << row["FirstDifference"];
  }
  if (!row["CompareFailReason"].empty())
    os << "  " << row["CompareFailReason"];
  return bad;
}

/// Keeps the \p limit worst rows.
static void keepWorst(std::vector<BadRow> &worst, BadRow row, size_t limit) {
  worst.insert(llvm::upper_bound(worst, row), std::move(row));
  if (worst.size() > limit)
    worst.pop_back();
}

/// Finds the first output that differs.
class FirstDifference {
public:
  void add(const Row &row) {
    if (row["Verdict"] != "FAIL" || !row["TensorIndex"].contains(":output:"))
      return;
    std::optional<dump::DumpName> name =
        dump::parseFileName(row["NPUDump"].str());
    if (!name)
      return;
    ++count;
    if (count == 1 || name->timestamp < time) {
      time = name->timestamp;
      tensor = row["TensorIndex"].str();
    }
  }
  std::string describe() const {
    if (count < 2)
      return "";
    return "first output that differs: " + tensor + "; " +
           std::to_string(count - 1) + " follow";
  }

private:
  uint64_t count = 0, time = 0;
  std::string tensor;
};

static void writeSummary(llvm::json::OStream &json,
                         const dump::CompareSummary &summary) {
  json.attributeObject("summary", [&] {
    for (const auto &[verdict, number] : summary.numTensors)
      json.attribute(StringRef(getName(verdict)), static_cast<int64_t>(number));
    json.attribute("golden_files_unused",
                   static_cast<int64_t>(summary.numGoldenUnused));
  });
}

Expected<CompareReport>
npu::makeCompareReport(const dump::CompareSummary &summary, size_t numWorst,
                       const std::string &jsonPath) {
  Expected<MappedFile> file = MappedFile::open(summary.path);
  if (!file)
    return file.takeStatus();
  dump::CsvFileReader reader(*file);
  std::unique_ptr<llvm::raw_fd_ostream> stream;
  std::optional<llvm::json::OStream> json;
  if (!jsonPath.empty()) {
    std::error_code error;
    stream = std::make_unique<llvm::raw_fd_ostream>(jsonPath, error);
    if (error)
      return Status::error(ErrorKind::Incomplete,
                           jsonPath + ": " + error.message());
    json.emplace(*stream, 1);
    json->objectBegin();
    writeSummary(*json, summary);
    json->attributeBegin("tensors");
    json->arrayBegin();
  }

  CompareReport report;
  std::vector<std::string> header, cells;
  std::vector<BadRow> worst;
  FirstDifference first;
  reader.takeRow(header);
  for (uint64_t position = 0; reader.takeRow(cells); ++position) {
    if (cells.size() != header.size())
      continue; // never of this tool's writing
    const Row row(header, cells);
    if (std::optional<BadRow> bad = judge(row, position))
      keepWorst(worst, std::move(*bad), numWorst);
    first.add(row);
    if (report.firstNonFinite.empty() && !row["InputRanges"].empty())
      report.firstNonFinite = llvm::formatv(
          "first output that is not finite: {0}: {1} ({2}{3})",
          row["TensorIndex"], row["NonFinite"],
          row["InputRanges"].starts_with("inputs") ? "" : "inputs ",
          row["InputRanges"]);
    report.plot.add(row["MaxAbsoluteError"], row["NonFinite"]);
    if (json)
      json->object([&] {
        for (auto [name, cell] : llvm::zip(header, cells))
          json->attribute(name, cell);
      });
  }
  if (json) {
    json->arrayEnd();
    json->attributeEnd();
    json->objectEnd();
    *stream << '\n';
    stream->close();
    if (stream->has_error()) {
      const std::string reason = stream->error().message();
      stream->clear_error();
      return Status::error(ErrorKind::Incomplete, jsonPath + ": " + reason);
    }
  }
  report.firstDifference = first.describe();
  for (const BadRow &row : worst)
    report.table += row.line + "\n";
  return report;
}
