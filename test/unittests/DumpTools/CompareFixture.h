//===- CompareFixture.h - Folders to compare and the result -----*- C++ -*-===//

#ifndef NPU_TEST_DUMPTOOLS_COMPAREFIXTURE_H
#define NPU_TEST_DUMPTOOLS_COMPAREFIXTURE_H

#include "npu/DumpTools/Compare.h"

#include "TestSupport.h"

#include "npu/Dump/CsvText.h"

namespace npu::dump::test {

/// Rows of a result, by the names of the columns.
using Row = std::map<std::string, std::string>;

class CompareTest : public testing::Test {
protected:
  CompareTest() {
    for (const std::string &folder : {mine(), golden()})
      std::filesystem::create_directory(folder);
    options.mine = mine();
    options.golden = golden();
    options.folder = dir.path() + "/out";
    options.numThreads = 2;
  }
  std::string mine() const { return dir.path() + "/mine"; }
  std::string golden() const { return dir.path() + "/golden"; }

  /// A dump file with one output.
  static void write(const std::string &folder, const std::string &name,
                    const std::string &opName, DumpTensor output) {
    std::filesystem::create_directories(folder);
    DumpRecord record;
    record.opName = opName;
    record.outputs = {std::move(output)};
    std::string bytes = serializeHeader(record);
    record.forEachPart([&](ByteView data) {
      bytes.append(reinterpret_cast<const char *>(data.data()), data.size());
    });
    writeText(folder + "/" + name, bytes);
  }
  static void writeFloats(const std::string &folder, const std::string &name,
                          const std::string &opName,
                          const std::vector<float> &values) {
    write(folder, name, opName,
          makeTensor(DataType::Float, {static_cast<int64_t>(values.size())},
                     std::as_bytes(std::span(values))));
  }

  std::vector<Row> compare() {
    CompareObserver observer;
    observer.fileDone = [](size_t, size_t) {};
    observer.warning = [](const std::string &) {};
    Expected<CompareSummary> made = compareDumps(options, observer);
    EXPECT_TRUE(made.ok()) << made.status().message();
    if (!made)
      return {};
    summary = *made;
    return readRows(summary.path);
  }

  static std::vector<Row> readRows(const std::string &path) {
    const std::string text = readText(path);
    std::string_view rest = text;
    std::vector<std::string> header, cells;
    std::vector<Row> rows;
    takeCsvRow(rest, header);
    while (takeCsvRow(rest, cells)) {
      EXPECT_EQ(cells.size(), header.size());
      Row &row = rows.emplace_back();
      for (size_t i = 0; i < std::min(cells.size(), header.size()); ++i)
        row.emplace(header[i], cells[i]);
    }
    return rows;
  }

  TempDir dir;
  CompareOptions options;
  CompareSummary summary;
};

} // namespace npu::dump::test

#endif // NPU_TEST_DUMPTOOLS_COMPAREFIXTURE_H
