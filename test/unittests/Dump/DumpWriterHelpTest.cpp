//===- DumpWriterHelpTest.cpp - Dumps written by threads of the run -------===//

#include "npu/Dump/DumpWriter.h"

#include "TestSupport.h"

#include "npu/Support/ThreadPool.h"

#include <atomic>
#include <thread>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

static DumpWriterOptions makeHelpedOptions(const std::string &path) {
  DumpWriterOptions options = makeOptions(path);
  options.bytesInFlightLimit = 800;
  options.isHelped = true;
  return options;
}

/// Options whose writes note the threads that do them.
static DumpWriterOptions noteWriters(DumpWriterOptions options,
                                     std::vector<std::thread::id> &writers) {
  options.write = [&writers](int fd, const iovec *parts, int count) {
    writers.push_back(std::this_thread::get_id());
    return ::writev(fd, parts, count);
  };
  return options;
}

TEST(DumpWriterHelp, WhatIsQueuedWaitsForHelp) {
  TempDir dir;
  std::vector<std::thread::id> writers;
  auto writer = makeWriter(noteWriters(makeHelpedOptions(dir.path()), writers));
  ASSERT_TRUE(writer->enqueue(makeJob("a", 40)).ok());
  ASSERT_TRUE(writer->enqueue(makeJob("b", 40)).ok());
  EXPECT_TRUE(writer->help());
  EXPECT_EQ(listDumps(dir.path()).size(), 1u);
  EXPECT_TRUE(writer->help());
  EXPECT_EQ(listDumps(dir.path()).size(), 2u);
  EXPECT_FALSE(writer->help());
  const std::vector<std::thread::id> expected(2, std::this_thread::get_id());
  EXPECT_EQ(writers, expected);
  EXPECT_TRUE(writer->finish().ok());
  EXPECT_FALSE(writer->help());
}

TEST(DumpWriterHelp, FinishWritesTheRest) {
  TempDir dir;
  auto writer = makeWriter(makeHelpedOptions(dir.path()));
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(writer->enqueue(makeJob("op", 10)).ok());
  EXPECT_TRUE(writer->help());
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(listDumps(dir.path()).size(), 3u);
}

TEST(DumpWriterHelp, TheWriterDoesNotWaitForHelpWhenMuchIsQueued) {
  // Nobody helps: more than the limit goes through, and so does a job that is
  // larger than it.
  TempDir dir;
  auto writer = makeWriter(makeHelpedOptions(dir.path()));
  for (int i = 0; i < 50; ++i)
    ASSERT_TRUE(writer->enqueue(makeJob("op", 90)).ok());
  DumpJob large = makeJob("large", 5000);
  large.copy = true;
  ASSERT_TRUE(writer->enqueue(std::move(large)).ok());
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(listDumps(dir.path()).size(), 51u);
}

/// Waits for \p condition, but not for ever.
template <typename Condition>
static bool waitFor(Condition condition) {
  for (int i = 0; i < 10'000 && !condition(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return condition();
}

TEST(DumpWriterHelp, EachHelperWritesAFileOfItsOwn) {
  TempDir dir;
  DumpWriterOptions options = makeHelpedOptions(dir.path());
  std::atomic<int> inside = 0;
  options.write = [&](int fd, const iovec *parts, int count) {
    ++inside;
    EXPECT_TRUE(waitFor([&] { return inside == 2; }));
    return ::writev(fd, parts, count);
  };
  auto writer = makeWriter(std::move(options));
  ASSERT_TRUE(writer->enqueue(makeJob("a", 40)).ok());
  ASSERT_TRUE(writer->enqueue(makeJob("b", 40)).ok());
  std::thread other([&] { EXPECT_TRUE(writer->help()); });
  EXPECT_TRUE(writer->help());
  other.join();
  EXPECT_EQ(listDumps(dir.path()).size(), 2u);
  EXPECT_TRUE(writer->finish().ok());
}

TEST(DumpWriterHelp, TheManifestListsJobsInTheirOrder) {
  // The first of three is written last.
  TempDir dir;
  DumpWriterOptions options = makeHelpedOptions(dir.path());
  std::atomic<bool> isFirst = true, isLast = false;
  options.write = [&](int fd, const iovec *parts, int count) {
    if (isFirst.exchange(false)) {
      EXPECT_TRUE(waitFor([&] { return isLast.load(); }));
    }
    return ::writev(fd, parts, count);
  };
  auto writer = makeWriter(std::move(options));
  for (const char *name : {"a", "b", "c"})
    ASSERT_TRUE(writer->enqueue(makeJob(name, 10)).ok());
  std::thread other([&] { EXPECT_TRUE(writer->help()); });
  ASSERT_TRUE(waitFor([&] { return !isFirst; }));
  EXPECT_TRUE(writer->help());
  EXPECT_TRUE(writer->help());
  isLast = true;
  other.join();
  ASSERT_TRUE(writer->finish().ok());
  std::vector<std::string> names;
  uint64_t before = 0;
  const auto manifest = readManifest(*writer);
  for (const auto &file : manifest["files"]) {
    names.push_back(file["op_name"]);
    EXPECT_GT(file["timestamp"], before);
    before = file["timestamp"];
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(DumpWriterHelp, IdleWorkersOfAPoolHelp) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  options.isHelped = true;
  options.write = [](int fd, const iovec *parts, int count) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return ::writev(fd, parts, count);
  };
  auto writer = makeWriter(std::move(options));
  ThreadPool pool(3);
  std::atomic<int> helped = 0;
  pool.setIdleWork([&] {
    const bool wrote = writer->help();
    helped += wrote;
    return wrote;
  });
  std::atomic<int64_t> sum = 0;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(writer->enqueue(makeJob("op", 1000)).ok());
    pool.parallelFor(10, 1, [&](int64_t begin, int64_t, int64_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      sum += begin;
    });
  }
  ASSERT_TRUE(writer->finish().ok());
  pool.setIdleWork(nullptr);
  EXPECT_EQ(sum, 50 * 45);
  EXPECT_GT(helped, 0);
  EXPECT_EQ(listDumps(dir.path()).size(), 50u);
}
