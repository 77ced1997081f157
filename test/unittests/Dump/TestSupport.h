//===- TestSupport.h - Folders and tensors for the dump tests --*- C++ -*-===//

#ifndef NPU_TEST_DUMP_TESTSUPPORT_H
#define NPU_TEST_DUMP_TESTSUPPORT_H

#include "npu/Dump/DumpWriter.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace npu::dump::test {

/// A folder that goes away with the object.
class TempDir {
public:
  TempDir() {
    std::string name =
        (std::filesystem::temp_directory_path() / "npu-dump-XXXXXX").string();
    root = ::mkdtemp(name.data());
  }
  ~TempDir() {
    std::error_code error;
    std::filesystem::remove_all(root, error);
  }
  const std::string &path() const { return root; }

private:
  std::string root;
};

inline std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The paths of all files below \p folder, relative to it, in order.
inline std::vector<std::string> listFiles(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder))
    if (!entry.is_directory())
      files.push_back(entry.path().lexically_relative(folder).string());
  std::sort(files.begin(), files.end());
  return files;
}

/// The files of listFiles that a reader takes for dump files.
inline std::vector<std::string> listDumps(const std::string &folder) {
  std::vector<std::string> files;
  for (const std::string &file : listFiles(folder)) {
    const std::string name = std::filesystem::path(file).filename().string();
    if (!name.starts_with('.') && !name.ends_with(".csv") &&
        !name.ends_with(".json"))
      files.push_back(file);
  }
  return files;
}

/// A tensor of \p data, which must outlive it.
inline DumpTensor makeTensor(DataType dtype, Shape shape, ByteView data) {
  DumpTensor tensor;
  tensor.dtype = dtype;
  tensor.shape = tensor.originalShape = std::move(shape);
  tensor.data = data;
  tensor.size = data.size();
  return tensor;
}

/// A job with one output of \p size bytes, all \p value, that it owns.
inline DumpJob makeJob(const std::string &opName, size_t size = 4,
                       uint8_t value = 1) {
  auto bytes = std::make_shared<std::vector<std::byte>>(size, std::byte(value));
  DumpJob job;
  job.opType = "Add";
  job.taskId = 3;
  job.streamId = 7;
  job.modelName = "net";
  job.modelId = 1;
  job.dataIndex = 0;
  job.record.opName = opName;
  job.record.outputs.push_back(
      makeTensor(DataType::UInt8, {static_cast<int64_t>(size)}, *bytes));
  job.owners.push_back(bytes);
  return job;
}

/// 2020-08-08 16:35:59, the day of the documents, and one second a call later.
inline std::tm makeLocalTime(int second) {
  std::tm time{};
  time.tm_year = 120;
  time.tm_mon = 7;
  time.tm_mday = 8;
  time.tm_hour = 16;
  time.tm_min = 35 + second / 60;
  time.tm_sec = second % 60;
  return time;
}

/// Options with a clock that stands still.
inline DumpWriterOptions makeOptions(const std::string &path,
                                     uint64_t microseconds = 1717171717123456) {
  DumpWriterOptions options;
  options.dumpPath = path;
  options.clock.microseconds = [=] { return microseconds; };
  options.clock.localTime = [] { return makeLocalTime(59); };
  return options;
}

/// The {time} folder of makeOptions.
constexpr const char *frozenTime = "20200808163559";

inline std::unique_ptr<DumpWriter> makeWriter(DumpWriterOptions options) {
  Expected<std::unique_ptr<DumpWriter>> writer =
      DumpWriter::create(std::move(options));
  EXPECT_TRUE(writer.ok()) << writer.status().message();
  return writer ? std::move(*writer) : nullptr;
}

inline nlohmann::json
readManifest(const DumpWriter &writer,
             const std::string &name = "manifest.0.json") {
  return nlohmann::json::parse(readText(writer.timeFolder() + "/" + name),
                               nullptr, false);
}

/// Checks that the file at \p path is one dump, whole and alone.
inline void expectWhole(const std::string &path) {
  Expected<DumpFile> file = DumpFile::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  uint64_t size = file->payloadOffset();
  file->record().forEachPart([&](ByteView data) { size += data.size(); });
  EXPECT_EQ(size, std::filesystem::file_size(path)) << path;
  EXPECT_EQ(file->trailingBytes(), 0u) << path;
}

/// CRC-32 of ISO 3309, bit by bit.
inline uint32_t crcOf(const std::string &bytes) {
  uint32_t crc = ~0u;
  for (char c : bytes) {
    crc ^= static_cast<uint8_t>(c);
    for (int i = 0; i < 8; ++i)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

} // namespace npu::dump::test

#endif // NPU_TEST_DUMP_TESTSUPPORT_H
