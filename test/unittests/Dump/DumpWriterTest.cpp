//===- DumpWriterTest.cpp - Writes dump files in the background -----------===//

#include "npu/Dump/DumpWriter.h"

#include "TestSupport.h"

#include <nlohmann/json.hpp>

#include <csignal>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

using Json = nlohmann::json;

static mode_t modeOf(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
}

TEST(DumpWriter, OneJobOneFile) {
  TempDir dir;
  auto writer = makeWriter(makeOptions(dir.path()));
  DumpJob job = makeJob("res/conv1.relu");
  job.modelName = "net.a";
  job.dataIndex = 24;
  const std::string input = "in";
  job.record.inputs.push_back(
      makeTensor(DataType::Float16, {1}, asBytes(input)));
  ASSERT_TRUE(writer->enqueue(std::move(job)).ok());
  ASSERT_TRUE(writer->finish().ok());

  const std::string relative =
      "0/net_a/1/24/Add.res_conv1_relu.3.7.1717171717123456";
  EXPECT_EQ(writer->timeFolder(), dir.path() + "/" + frozenTime);
  EXPECT_EQ(listFiles(writer->timeFolder()),
            (std::vector<std::string>{relative, "manifest.0.json"}));
  const std::string path = writer->timeFolder() + "/" + relative;
  expectWhole(path);
  Expected<DumpFile> file = DumpFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->record().opName, "res/conv1.relu");
  EXPECT_EQ(file->record().dumpTime, 1717171717123456u);
  const std::string bytes = readText(path);
  EXPECT_EQ(bytes.substr(bytes.size() - 6), "in\1\1\1\1"); // inputs first
  EXPECT_EQ(modeOf(path), 0600u);
  EXPECT_EQ(modeOf(writer->timeFolder()), 0700u);
  EXPECT_EQ(modeOf(writer->timeFolder() + "/0/net_a/1/24"), 0700u);

  const Json manifest = readManifest(*writer);
  EXPECT_EQ(manifest["format"], "npu-dump-manifest");
  EXPECT_EQ(manifest["version"], 1);
  EXPECT_EQ(manifest["time"], frozenTime);
  EXPECT_EQ(manifest["device"], 0);
  EXPECT_EQ(manifest["status"], "complete");
  EXPECT_EQ(manifest["missing"], Json::array());
  char crc[9];
  std::snprintf(crc, sizeof(crc), "%08x", crcOf(bytes));
  const uint64_t offset = bytes.size() - 6;
  const Json expected = {{"path", relative},
                         {"op_type", "Add"},
                         {"op_name", "res/conv1.relu"},
                         {"model_name", "net.a"},
                         {"model_id", 1},
                         {"task_id", 3},
                         {"stream_id", 7},
                         {"data_index", 24},
                         {"timestamp", 1717171717123456},
                         {"size", bytes.size()},
                         {"crc32", crc},
                         {"tensors",
                          {{{"io", "input"},
                            {"index", 0},
                            {"dtype", "DT_FLOAT16"},
                            {"format", "ND"},
                            {"sub_format", 0},
                            {"shape", {1}},
                            {"original_shape", {1}},
                            {"size", 2},
                            {"offset", offset}},
                           {{"io", "output"},
                            {"index", 0},
                            {"dtype", "DT_UINT8"},
                            {"format", "ND"},
                            {"sub_format", 0},
                            {"shape", {4}},
                            {"original_shape", {4}},
                            {"size", 4},
                            {"offset", offset + 2}}}}};
  EXPECT_EQ(manifest["files"], Json::array({expected}));
}

TEST(DumpWriter, LevelsFollowTheJob) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  options.deviceId = 5;
  options.modelNameInFolder = false;
  auto writer = makeWriter(std::move(options));
  ASSERT_TRUE(writer->enqueue(makeJob("a")).ok());
  DumpJob single = makeJob("b");
  single.modelName.reset();
  single.modelId.reset();
  single.dataIndex.reset();
  ASSERT_TRUE(writer->enqueue(std::move(single)).ok());
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(listFiles(writer->timeFolder()),
            (std::vector<std::string>{"5/1/0/Add.a.3.7.1717171717123456",
                                      "5/Add.b.3.7.1717171717123457",
                                      "manifest.5.json"}));
}

TEST(DumpWriter, NamesThatCollideAfterReplacement) {
  TempDir dir;
  auto writer = makeWriter(makeOptions(dir.path()));
  DumpJob first = makeJob("x/y", 4, 1), second = makeJob("x.y", 4, 2);
  second.taskId = 4;
  ASSERT_TRUE(writer->enqueue(std::move(first)).ok());
  ASSERT_TRUE(writer->enqueue(std::move(second)).ok());
  ASSERT_TRUE(
      writer->enqueue(makeJob("x y", 4, 3)).ok()); // and the task of x/y
  DumpJob other = makeJob("x/y");
  other.modelName = "n.t";
  ASSERT_TRUE(writer->enqueue(std::move(other)).ok());
  other = makeJob("x/y");
  other.modelName = "n/t";
  const Status clash = writer->enqueue(std::move(other));
  ASSERT_FALSE(clash.ok());
  EXPECT_EQ(clash.kind(), ErrorKind::Usage);
  EXPECT_EQ(clash.message(), "the models 'n.t' and 'n/t' have the same dump "
                             "folder 0/n_t/1, expected different model ids");
  other = makeJob("x/y");
  other.modelName = "n/t";
  other.modelId = 2;
  ASSERT_TRUE(writer->enqueue(std::move(other)).ok());
  ASSERT_TRUE(writer->finish().ok());

  const Json manifest = readManifest(*writer);
  ASSERT_EQ(manifest["files"].size(), 5u);
  std::vector<std::pair<std::string, std::string>> names;
  for (const Json &file : manifest["files"])
    names.emplace_back(file["path"], file["op_name"]);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"0/net/1/0/Add.x_y.3.7.1717171717123456", "x/y"},
      {"0/net/1/0/Add.x_y.4.7.1717171717123457", "x.y"},
      {"0/net/1/0/Add.x_y.3.7.1717171717123458", "x y"},
      {"0/n_t/1/0/Add.x_y.3.7.1717171717123459", "x/y"},
      {"0/n_t/2/0/Add.x_y.3.7.1717171717123460", "x/y"}};
  EXPECT_EQ(names, expected);
}

TEST(DumpWriter, NamesOverTheLimit) {
  TempDir dir;
  auto writer = makeWriter(makeOptions(dir.path()));
  // "Add." + name + ".3.7.1717171717123456" is 25 bytes longer than the name.
  std::string letters;
  for (int i = 0; i < 100; ++i)
    letters += "数";
  const std::vector<std::string> names = {
      std::string(229, 'a'), std::string(230, 'b'), std::string(231, 'c'),
      letters, std::string(240, 'd') + ",\""};
  for (const std::string &name : names)
    ASSERT_TRUE(writer->enqueue(makeJob(name)).ok());
  ASSERT_TRUE(writer->finish().ok());

  const std::string folder = writer->timeFolder() + "/0/net/1/0";
  std::vector<std::string> longNames;
  for (size_t i = 2; i < names.size(); ++i)
    longNames.push_back("Add." + names[i] + ".3.7." +
                        std::to_string(1717171717123456 + i));
  size_t kept = 0, replaced = 0;
  Expected<std::map<std::string, std::string>> mapping = readMapping(folder);
  ASSERT_TRUE(mapping.ok());
  for (const std::string &file : listDumps(folder)) {
    expectWhole(folder + "/" + file);
    if (!isShortName(file)) {
      ++kept;
      EXPECT_EQ(file, file.size() == 254
                          ? "Add." + names[0] + ".3.7.1717171717123456"
                          : "Add." + names[1] + ".3.7.1717171717123457");
      continue;
    }
    ++replaced;
    ASSERT_TRUE(mapping->contains(file));
    EXPECT_EQ(std::count(longNames.begin(), longNames.end(), (*mapping)[file]),
              1);
  }
  EXPECT_EQ(kept, 2u);
  EXPECT_EQ(replaced, 3u);
  EXPECT_EQ(mapping->size(), 3u);
  // One row for each, no header; the last quoted.
  const std::string text = readText(folder + "/mapping.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_TRUE(text.ends_with(",\"Add." + std::string(240, 'd') +
                             ",\"\".3.7.1717171717123460\"\n"));
  EXPECT_EQ(modeOf(folder + "/mapping.csv"), 0600u);
  EXPECT_EQ(readManifest(*writer)["files"][2]["original_name"], longNames[0]);
}

TEST(DumpWriter, OneTimeFolderForARun) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  auto second = std::make_shared<int>(59);
  options.clock.localTime = [=] { return makeLocalTime((*second)++); };
  auto writer = makeWriter(std::move(options));
  ASSERT_TRUE(writer->enqueue(makeJob("a")).ok());
  DumpJob other = makeJob("b");
  other.modelName = "second";
  other.modelId = 2;
  ASSERT_TRUE(writer->enqueue(std::move(other)).ok());
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_EQ(*second, 60); // asked once
  for (const std::string &file : listFiles(dir.path()))
    EXPECT_TRUE(file.starts_with("20200808163559/")) << file;
  EXPECT_EQ(listDumps(dir.path()).size(), 2u);
}

TEST(DumpWriter, TwoRunsInOneFolder) {
  TempDir dir;
  for (uint8_t run = 0; run < 3; ++run) {
    auto writer = makeWriter(makeOptions(dir.path()));
    ASSERT_TRUE(writer->enqueue(makeJob("a", 4, run)).ok());
    ASSERT_TRUE(writer->enqueue(makeJob(std::string(300, 'n'), 4, run)).ok());
    ASSERT_TRUE(writer->finish().ok());
  }
  const std::string root = dir.path() + "/" + frozenTime;
  const std::vector<std::string> dumps = listDumps(root);
  EXPECT_EQ(dumps.size(), 6u);
  std::vector<std::string> shortOnes;
  for (const std::string &file : dumps) {
    expectWhole(root + "/" + file);
    Expected<DumpFile> read = DumpFile::open(root + "/" + file);
    ASSERT_TRUE(read.ok());
    if (read->record().opName == "a") {
      // The header has the time of the name; each run kept its own bytes.
      const uint64_t run = read->record().dumpTime - 1717171717123456;
      EXPECT_EQ(file, "0/net/1/0/Add.a.3.7." +
                          std::to_string(read->record().dumpTime));
      EXPECT_EQ(read->record().outputs[0].data[0], std::byte(run));
    }
  }
  for (const char *name :
       {"manifest.0.json", "manifest.0.1.json", "manifest.0.2.json"})
    EXPECT_TRUE(std::filesystem::exists(root + "/" + name)) << name;
}

TEST(DumpWriter, TwoProcessesAtOnce) {
  TempDir dir;
  constexpr int files = 200;
  pid_t children[2];
  for (pid_t &child : children) {
    child = ::fork();
    if (child != 0)
      continue;
    auto writer = makeWriter(makeOptions(dir.path()));
    bool good = true;
    for (int i = 0; i < files; ++i)
      good &= writer->enqueue(makeJob("a")).ok();
    good &= writer->finish().ok();
    ::_exit(good ? 0 : 1);
  }
  for (pid_t child : children) {
    int status;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const std::vector<std::string> dumps = listDumps(dir.path());
  EXPECT_EQ(dumps.size(), 2u * files);
  for (const std::string &file : dumps)
    expectWhole(dir.path() + "/" + file);
}

TEST(DumpWriter, TimeStampsRiseWithinARun) {
  TempDir dir;
  DumpWriterOptions options = makeOptions(dir.path());
  auto now = std::make_shared<uint64_t>(5000);
  options.clock.microseconds = [=] { return (*now)--; }; // a clock set back
  auto writer = makeWriter(std::move(options));
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(writer->enqueue(makeJob("add1", 4, uint8_t(i + 1))).ok());
  ASSERT_TRUE(writer->finish().ok());
  const std::string folder = writer->timeFolder() + "/0/net/1/0/";
  for (int i = 0; i < 3; ++i) {
    Expected<DumpFile> file =
        DumpFile::open(folder + "Add.add1.3.7." + std::to_string(5000 + i));
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(file->record().outputs[0].data[0], std::byte(i + 1));
  }
}

TEST(DumpWriter, SuccessMeansThatEveryFileIsThere) {
  TempDir dir;
  auto writer = makeWriter(makeOptions(dir.path()));
  for (int i = 0; i < 500; ++i)
    ASSERT_TRUE(writer->enqueue(makeJob("op" + std::to_string(i))).ok());
  ASSERT_TRUE(writer->enqueue(makeJob("nothing", 0)).ok());
  ASSERT_TRUE(writer->finish().ok());
  const Json manifest = readManifest(*writer);
  ASSERT_EQ(manifest["files"].size(), 500u);
  for (const Json &file : manifest["files"]) {
    const std::string path =
        writer->timeFolder() + "/" + file["path"].get<std::string>();
    expectWhole(path);
    EXPECT_EQ(file["size"], std::filesystem::file_size(path));
  }
  EXPECT_EQ(listFiles(dir.path()).size(), 501u);
}

TEST(DumpWriter, KilledProcessLeavesWholeFiles) {
  TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = makeWriter(makeOptions(dir.path()));
    for (int i = 0;; ++i)
      if (!writer->enqueue(makeJob("op" + std::to_string(i), 100000)).ok())
        ::_exit(1);
  }
  while (listDumps(dir.path()).size() < 50)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ::kill(child, SIGKILL);
  int status;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  size_t hidden = 0;
  for (const std::string &file : listFiles(dir.path())) {
    EXPECT_EQ(file.find("manifest"), std::string::npos) << file;
    if (std::filesystem::path(file).filename().string().starts_with('.'))
      ++hidden;
  }
  EXPECT_LE(hidden, 2u); // the file being written, and the manifest
  for (const std::string &file : listDumps(dir.path()))
    expectWhole(dir.path() + "/" + file);
}

TEST(DumpWriter, NoFilesLeaveNothing) {
  TempDir dir;
  auto writer = makeWriter(makeOptions(dir.path()));
  ASSERT_TRUE(writer->enqueue(makeJob("empty", 0)).ok());
  ASSERT_TRUE(writer->finish().ok());
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(DumpWriter, EmptyTensorBesideAnother) {
  TempDir dir;
  auto writer = makeWriter(makeOptions(dir.path()));
  DumpJob job = makeJob("a");
  job.record.inputs.push_back(makeTensor(DataType::Float16, {0, 4}, {}));
  ASSERT_TRUE(writer->enqueue(std::move(job)).ok());
  ASSERT_TRUE(writer->finish().ok());
  Expected<DumpFile> file = DumpFile::open(
      writer->timeFolder() + "/0/net/1/0/Add.a.3.7.1717171717123456");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->record().inputs[0].size, 0u);
  EXPECT_EQ(file->record().inputs[0].shape, (Shape{0, 4}));
}

TEST(DumpWriter, AbortedRun) {
  TempDir dir;
  auto writer = makeWriter(makeOptions(dir.path()));
  ASSERT_TRUE(writer->enqueue(makeJob("op1")).ok());
  ASSERT_TRUE(writer->enqueue(makeJob("op2")).ok());
  writer->abort("stopped at op3: axis 7 of a tensor of rank 2");
  EXPECT_TRUE(writer->finish().ok());
  const Json manifest = readManifest(*writer);
  EXPECT_EQ(manifest["status"], "incomplete");
  EXPECT_EQ(manifest["reason"], "stopped at op3: axis 7 of a tensor of rank 2");
  EXPECT_EQ(manifest["files"].size(), 2u);
}

TEST(DumpWriter, ForgottenFinish) {
  TempDir dir;
  {
    auto writer = makeWriter(makeOptions(dir.path()));
    ASSERT_TRUE(writer->enqueue(makeJob("op1")).ok());
  }
  const Json manifest =
      Json::parse(readText(dir.path() + "/" + frozenTime + "/manifest.0.json"),
                  nullptr, false);
  EXPECT_EQ(manifest["status"], "incomplete");
  EXPECT_EQ(manifest["reason"], "the run ended before the dump was finished");
  EXPECT_EQ(manifest["files"].size(), 1u);
}

TEST(DumpWriter, JobsThatCannotBeFiles) {
  TempDir dir;
  auto writer = makeWriter(makeOptions(dir.path()));
  auto fault = [&](DumpJob job) {
    Status status = writer->enqueue(std::move(job));
    return status ? "taken" : status.message();
  };
  EXPECT_EQ(fault(makeJob("")), "dump of : the op name is empty");
  EXPECT_EQ(fault(makeJob("a\xff")), "dump of a\xff: the op name is not UTF-8");
  EXPECT_EQ(fault(makeJob("\xed\xa0\x80")), // a surrogate
            "dump of \xed\xa0\x80: the op name is not UTF-8");
  DumpJob job = makeJob("a");
  job.opType = std::string("A\0b", 3);
  EXPECT_EQ(fault(std::move(job)),
            "dump of a: the op type has a NUL character");
  job = makeJob("a");
  job.modelName = "";
  EXPECT_EQ(fault(std::move(job)), "dump of a: the model name is empty");
  job = makeJob("a");
  job.record.outputs[0].dtype = DataType::Float;
  EXPECT_EQ(fault(std::move(job)),
            "dump of a: output 0: DT_FLOAT 4 has 4 bytes, expected 16");
  job = makeJob("a");
  job.record.outputs[0].shape = {-1};
  EXPECT_EQ(fault(std::move(job)),
            "dump of a: output 0: DT_UINT8 -1 has 4 bytes, expected known "
            "dimensions that fit in memory");
  EXPECT_EQ(fault(makeJob("a")), "taken"); // the writer goes on
  EXPECT_TRUE(writer->finish().ok());
  EXPECT_EQ(fault(makeJob("a")),
            "dump job a: the dump has already been finished");
}

TEST(DumpWriter, NoFolder) {
  TempDir dir;
  EXPECT_EQ(
      DumpWriter::create(makeOptions(dir.path() + "/none")).status().message(),
      "dump path '" + dir.path() + "/none': No such file or directory");
  writeText(dir.path() + "/file", "");
  EXPECT_EQ(
      DumpWriter::create(makeOptions(dir.path() + "/file")).status().message(),
      "dump path '" + dir.path() +
          "/file': expected a folder that can be written to");
}
