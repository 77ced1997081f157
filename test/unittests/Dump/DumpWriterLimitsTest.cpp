//===- DumpWriterLimitsTest.cpp - Bounded memory, and disks that fail -----===//

#include "npu/Dump/DumpWriter.h"

#include "TestSupport.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

using Json = nlohmann::json;

//===----------------------------------------------------------------------===//
// Memory and order
//===----------------------------------------------------------------------===//

namespace {
/// Counts the bytes that jobs keep alive.
struct LiveBytes {
  std::atomic<uint64_t> now{0}, peak{0};

  DumpJob makeJob(const std::string &name, size_t size) {
    DumpJob job = test::makeJob(name, 0);
    now += size;
    peak = std::max<uint64_t>(peak, now);
    std::shared_ptr<std::byte[]> data(new std::byte[size](),
                                      [this, size](std::byte *bytes) {
                                        delete[] bytes;
                                        now -= size;
                                      });
    job.record.outputs[0].shape = {static_cast<int64_t>(size)};
    job.record.outputs[0].data = {data.get(), size};
    job.owners = {data};
    return job;
  }
};
} // namespace

/// Writes at about 200 MB/s, at most 64 KiB at once.
static ssize_t writeSlowly(int fd, const iovec *parts, int) {
  std::this_thread::sleep_for(std::chrono::microseconds(300));
  return ::write(fd, parts->iov_base, std::min(parts->iov_len, size_t(65536)));
}

TEST(DumpWriter, SlowDiskBoundsMemory) {
  TempDir dir;
  LiveBytes live;
  DumpWriterOptions options = makeOptions(dir.path());
  options.bytesInFlightLimit = 4 << 20;
  options.write = writeSlowly;
  uint64_t lastWritten = 0, maxQueued = 0, lastQueued = 1;
  options.progress = [&](uint64_t written, uint64_t queued) {
    EXPECT_GT(written, lastWritten);
    lastWritten = written;
    lastQueued = queued;
    maxQueued = std::max(maxQueued, queued);
  };
  auto writer = makeWriter(std::move(options));
  for (int i = 0; i < 20; ++i)
    ASSERT_TRUE(
        writer->enqueue(live.makeJob("op" + std::to_string(i), 1 << 20)).ok());
  ASSERT_TRUE(writer->enqueue(live.makeJob("large", 10 << 20)).ok());
  ASSERT_TRUE(writer->enqueue(live.makeJob("last", 1 << 20)).ok());
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(live.now, 0u);
  // What waits, and the one that the caller holds while it waits itself.
  EXPECT_LE(live.peak, (4u + 10u) << 20);
  EXPECT_LE(maxQueued, 10u << 20);
  EXPECT_EQ(lastQueued, 0u);
  uint64_t total = 0;
  for (const std::string &file : listDumps(dir.path())) {
    expectWhole(dir.path() + "/" + file);
    total += std::filesystem::file_size(dir.path() + "/" + file);
  }
  EXPECT_EQ(total, lastWritten);
  EXPECT_EQ(listDumps(dir.path()).size(), 22u);
}

TEST(DumpWriter, CopiedBytesMayChangeAtOnce) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  options.write = writeSlowly;
  options.bytesInFlightLimit = 100;
  auto writer = makeWriter(std::move(options));
  std::vector<std::byte> buffer(1000);
  // Below the limit it is copied; above it, enqueue returns when it is written.
  for (size_t size : {10, 90, 1000, 50}) {
    for (uint8_t value : {1, 2}) {
      std::memset(buffer.data(), value, buffer.size());
      DumpJob job = makeJob("op", 0);
      job.record.outputs[0] =
          makeTensor(DataType::UInt8, {static_cast<int64_t>(size)},
                     ByteView(buffer).first(size));
      job.copy = true;
      job.owners.clear();
      ASSERT_TRUE(writer->enqueue(std::move(job)).ok());
    }
  }
  ASSERT_TRUE(writer->finish().ok());
  const std::vector<std::string> dumps = listDumps(writer->timeFolder());
  ASSERT_EQ(dumps.size(), 8u);
  for (size_t i = 0; i < dumps.size(); ++i) {
    Expected<DumpFile> file =
        DumpFile::open(writer->timeFolder() + "/" + dumps[i]);
    ASSERT_TRUE(file.ok());
    for (std::byte value : file->record().outputs[0].data)
      ASSERT_EQ(value, std::byte(1 + i % 2));
  }
}

TEST(DumpWriter, ManyCallers) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  options.bytesInFlightLimit = 1000;
  auto writer = makeWriter(std::move(options));
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        DumpJob job = makeJob("op" + std::to_string(t), 400);
        job.copy = i % 2 == 0;
        EXPECT_TRUE(writer->enqueue(std::move(job)).ok());
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(listDumps(dir.path()).size(), 400u);
}

TEST(DumpWriter, LargeAndFragmentedPayloads) {
  TempDir dir;
  auto writer = makeWriter(makeOptions(dir.path()));
  // More parts than one writev takes, and parts across pieces of 1 MiB.
  DumpJob job = makeJob("op", 0);
  auto bytes = std::make_shared<std::vector<std::byte>>(3000007);
  for (size_t i = 0; i < bytes->size(); ++i)
    (*bytes)[i] = std::byte(i * 7 + i / 251);
  ByteView rest(*bytes);
  job.record.outputs.clear();
  while (!rest.empty()) {
    const size_t size = std::min<size_t>(
        rest.size(), job.record.outputs.size() < 2000 ? 17 : 1500000);
    job.record.outputs.push_back(makeTensor(
        DataType::UInt8, {static_cast<int64_t>(size)}, rest.first(size)));
    rest = rest.subspan(size);
  }
  job.owners = {bytes};
  ASSERT_TRUE(writer->enqueue(std::move(job)).ok());
  ASSERT_TRUE(writer->finish().ok());
  const std::string path =
      writer->timeFolder() + "/0/net/1/0/Add.op.3.7.1717171717123456";
  expectWhole(path);
  const std::string file = readText(path);
  EXPECT_EQ(std::memcmp(file.data() + file.size() - bytes->size(),
                        bytes->data(), bytes->size()),
            0);
  char crc[9];
  std::snprintf(crc, sizeof(crc), "%08x", crcOf(file));
  EXPECT_EQ(readManifest(*writer)["files"][0]["crc32"], crc);
}

//===----------------------------------------------------------------------===//
// Faults of the disk
//===----------------------------------------------------------------------===//

TEST(DumpWriter, FullDisk) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  options.bytesInFlightLimit = 100000;
  auto room = std::make_shared<std::atomic<int64_t>>(100000);
  options.write = [=](int fd, const iovec *parts, int) -> ssize_t {
    const auto size = static_cast<int64_t>(parts->iov_len);
    const int64_t taken = std::min<int64_t>(size, *room);
    if (taken == 0) {
      errno = ENOSPC;
      return -1;
    }
    *room -= taken;
    return ::write(fd, parts->iov_base, static_cast<size_t>(taken));
  };
  auto writer = makeWriter(std::move(options));
  Status status;
  int taken = 0;
  while (status.ok() && taken < 1000)
    if (status = writer->enqueue(makeJob("op" + std::to_string(taken), 40000));
        status.ok())
      ++taken;
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.kind(), ErrorKind::Incomplete);
  const std::string reason = writer->timeFolder() +
                             "/0/net/1/0/Add.op2.3.7.1717171717123458: No "
                             "space left on device";
  EXPECT_EQ(status.message(), reason);
  EXPECT_EQ(writer->enqueue(makeJob("later")).message(), reason);
  EXPECT_EQ(writer->finish().message(), reason);
  EXPECT_EQ(listFiles(writer->timeFolder()),
            (std::vector<std::string>{"0/net/1/0/Add.op0.3.7.1717171717123456",
                                      "0/net/1/0/Add.op1.3.7.1717171717123457",
                                      "manifest.0.json"}));
  const Json manifest = readManifest(*writer);
  EXPECT_EQ(manifest["status"], "incomplete");
  EXPECT_EQ(manifest["reason"], reason);
  EXPECT_EQ(manifest["files"].size(), 2u);
  // op2 and what waited behind it, the refused one, and "later".
  std::vector<std::string> missing;
  for (const Json &job : manifest["missing"])
    missing.push_back(job["op_name"]);
  std::sort(missing.begin(), missing.end());
  std::vector<std::string> expected = {"later"};
  for (int i = 2; i <= taken; ++i)
    expected.push_back("op" + std::to_string(i));
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(missing, expected);
}

TEST(DumpWriter, FileSizeLimitOfTheSystem) {
  TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{50000, 50000};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
      ::_exit(2);
    auto writer = makeWriter(makeOptions(dir.path()));
    bool good = writer->enqueue(makeJob("small", 1000)).ok();
    good &= writer->enqueue(makeJob("large", 100000)).ok();
    const Status status = writer->finish();
    good &= !status.ok() && status.message().ends_with("File too large");
    ::_exit(good ? 0 : 1);
  }
  int status;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(
      listFiles(dir.path() + "/" + frozenTime),
      (std::vector<std::string>{"0/net/1/0/Add.small.3.7.1717171717123456",
                                "manifest.0.json"}));
}

TEST(DumpWriter, SinkThatTakesNothing) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  options.write = [](int, const iovec *, int) -> ssize_t { return 0; };
  auto writer = makeWriter(std::move(options));
  ASSERT_TRUE(writer->enqueue(makeJob("op")).ok());
  EXPECT_TRUE(writer->finish().message().ends_with("Input/output error"));
}

TEST(DumpWriter, InterruptedWritesGoOn) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  auto calls = std::make_shared<int>(0);
  options.write = [=](int fd, const iovec *parts, int) -> ssize_t {
    if (++*calls % 2 == 1) {
      errno = EINTR;
      return -1;
    }
    return ::write(fd, parts->iov_base, std::min<size_t>(3, parts->iov_len));
  };
  auto writer = makeWriter(std::move(options));
  ASSERT_TRUE(writer->enqueue(makeJob("op", 10)).ok());
  ASSERT_TRUE(writer->finish().ok());
  expectWhole(writer->timeFolder() + "/0/net/1/0/Add.op.3.7.1717171717123456");
}

TEST(DumpWriter, FolderThatCannotBeMade) {
  TempDir dir;
  writeText(dir.path() + "/" + frozenTime, "a file where a folder belongs");
  auto writer = makeWriter(makeOptions(dir.path()));
  ASSERT_TRUE(writer->enqueue(makeJob("op")).ok());
  const Status status = writer->finish();
  EXPECT_EQ(status.message(),
            writer->timeFolder() + "/0/net/1/0: Not a directory");
}
