//===- DumpConfigTest.cpp - The options of a dump -------------------------===//

#include "npu/Dump/DumpConfig.h"

#include "TestSupport.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;
using namespace npu::dump::test;

using Options = std::vector<DumpOption>;
using Faults = std::vector<std::string>;

static Faults faultsOf(const Options &options) {
  return parseDumpOptions(options).faults;
}

static const std::string pathRule =
    ", expected a folder with read and write permission";

TEST(DumpConfig, DefaultsAreThoseOfTheDocuments) {
  const ParsedDumpConfig parsed = parseDumpOptions({});
  EXPECT_EQ(parsed.faults, Faults());
  const DumpConfig &config = parsed.config;
  EXPECT_FALSE(config.enableDump || config.enableDumpDebug);
  EXPECT_TRUE(config.steps.all());
  EXPECT_EQ(config.mode, DumpMode::Output);
  EXPECT_EQ(config.data, DumpData::Tensor);
  EXPECT_EQ(config.debugMode, DumpDebugMode::All);
  EXPECT_FALSE(config.wantsInputs());
  EXPECT_TRUE(config.wantsOutputs());
}

TEST(DumpConfig, EveryOptionInBothSpellings) {
  TempDir dir;
  const std::string path = std::filesystem::canonical(dir.path()).string();
  const ParsedDumpConfig parsed =
      parseDumpOptions(Options{{"enable-dump", "1"},
                               {"dump_path", dir.path()},
                               {"dump-step", "0|3-5"},
                               {"dump_mode", "all"},
                               {"dump-data", "stats"},
                               {"dump_layer", " a/b  c\td "},
                               {"enable_dump_debug", "0"},
                               {"dump-debug-mode", "atomic_overflow"}});
  EXPECT_EQ(parsed.faults, Faults());
  const DumpConfig &config = parsed.config;
  EXPECT_TRUE(config.enableDump);
  EXPECT_EQ(config.dumpPath, path);
  EXPECT_TRUE(config.steps.contains(4));
  EXPECT_FALSE(config.steps.contains(6));
  EXPECT_EQ(config.mode, DumpMode::All);
  EXPECT_EQ(config.data, DumpData::Stats);
  EXPECT_EQ(config.layers, (Faults{"a/b", "c", "d"}));
  EXPECT_EQ(config.debugMode, DumpDebugMode::AtomicOverflow);
}

TEST(DumpConfig, OverflowDumpsHaveBothSides) {
  TempDir dir;
  const ParsedDumpConfig parsed = parseDumpOptions(
      Options{{"enable_dump_debug", "1"}, {"dump_path", dir.path()}});
  EXPECT_EQ(parsed.faults, Faults());
  EXPECT_TRUE(parsed.config.wantsInputs());
  EXPECT_TRUE(parsed.config.wantsOutputs());
}

TEST(DumpConfig, OneLineForEachFault) {
  TempDir dir;
  const std::string &path = dir.path();
  EXPECT_EQ(faultsOf({{"enable_dump", "1"},
                      {"enable_dump_debug", "1"},
                      {"dump_path", path}}),
            Faults{"enable_dump='1' and enable_dump_debug='1': expected at "
                   "most one of them to be 1"});
  EXPECT_EQ(faultsOf({{"enable_dump", "1"}}),
            Faults{"dump_path is not set" + pathRule});
  EXPECT_EQ(faultsOf({{"enable_dump", "1"}, {"dump_path", path + "/none"}}),
            Faults{"dump_path='" + path +
                   "/none': not a folder: No such file or directory" +
                   pathRule});
  writeText(path + "/file", "x");
  EXPECT_EQ(faultsOf({{"enable_dump", "1"}, {"dump_path", path + "/file"}}),
            Faults{"dump_path='" + path + "/file': not a folder" + pathRule});
  EXPECT_EQ(faultsOf({{"enable_dump", "True"}}),
            Faults{"enable_dump='True': expected 0 or 1"});
  EXPECT_EQ(faultsOf({{"dump_mode", "both"}}),
            Faults{"dump_mode='both': expected input, output or all"});
  EXPECT_EQ(faultsOf({{"dump_data", "all"}}),
            Faults{"dump_data='all': expected tensor or stats"});
  EXPECT_EQ(faultsOf({{"dump_debug_mode", "aicore"}}),
            Faults{"dump_debug_mode='aicore': expected aicore_overflow, "
                   "atomic_overflow or all"});
  EXPECT_EQ(faultsOf({{"dump_step", "5-3"}}),
            Faults{"dump_step='5-3': dump_step item 1 '5-3' at character 1: "
                   "the start must be smaller than the end"});
  EXPECT_EQ(faultsOf({{"dump_mode", "all"}, {"dump-mode", "all"}}),
            Faults{"dump_mode='all': given more than once"});
  EXPECT_EQ(faultsOf({{"dump_pth", "x"}}),
            Faults{"unknown option 'dump_pth', expected one of enable_dump "
                   "dump_path dump_step dump_mode dump_data dump_layer "
                   "dump_debug_mode enable_dump_debug"});
  EXPECT_EQ(faultsOf({{"dump_mode", "a\nb"}, {"enable_dump", ""}}).size(), 2u);
  EXPECT_EQ(faultsOf({{"dump_mode", "a\nb"}}),
            Faults{"dump_mode='a?b': expected input, output or all"});
}

/// What parseDumpOptions says to a user who is not root.
static std::string faultWithoutRights(const std::string &path) {
  int pipes[2];
  if (::pipe(pipes) != 0)
    return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0)
      ::_exit(1);
    const Faults faults = faultsOf({{"enable_dump", "1"}, {"dump_path", path}});
    const std::string text = faults.empty() ? "" : faults[0];
    const bool sent = ::write(pipes[1], text.data(), text.size()) ==
                      static_cast<ssize_t>(text.size());
    ::_exit(sent ? 0 : 1);
  }
  ::close(pipes[1]);
  char text[1024];
  const ssize_t size = ::read(pipes[0], text, sizeof(text));
  ::close(pipes[0]);
  int status;
  ::waitpid(child, &status, 0);
  return std::string(text, static_cast<size_t>(std::max<ssize_t>(size, 0)));
}

TEST(DumpConfig, FolderWithoutPermission) {
  TempDir dir;
  const std::string path = dir.path() + "/locked";
  ASSERT_EQ(::mkdir(path.c_str(), 0500), 0);
  ASSERT_EQ(::chmod(dir.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0555), 0);
  EXPECT_EQ(faultWithoutRights(path),
            "dump_path='" + path + "': no permission" + pathRule);
}

TEST(DumpConfig, AnyFolderNameWorksAndRelativePathsResolve) {
  TempDir dir;
  const std::string odd = dir.path() + "/abc++ 数据 (1)";
  ASSERT_TRUE(std::filesystem::create_directories(odd + "/out"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(odd);
  const ParsedDumpConfig parsed = parseDumpOptions(
      Options{{"enable_dump", "1"}, {"dump_path", "./out/../out"}});
  std::filesystem::current_path(before);
  EXPECT_EQ(parsed.faults, Faults());
  EXPECT_EQ(parsed.config.dumpPath,
            std::filesystem::canonical(odd + "/out").string());
  EXPECT_EQ(faultsOf({{"enable_dump", "1"}, {"dump_path", {"a\0b", 3}}}),
            Faults{"dump_path='a?b': has a NUL character" + pathRule});
}

TEST(DumpConfig, MissingFolderIsMadeOnRequest) {
  TempDir dir;
  const std::string path = dir.path() + "/a/b";
  const Options options{{"enable_dump", "1"}, {"dump_path", path}};
  EXPECT_EQ(parseDumpOptions(options, MissingPath::Create).faults, Faults());
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Parses an acl "dump" object that also has the path \p path.
static ParsedDumpConfig parseAcl(const std::string &path,
                                 const std::string &rest) {
  return parseDumpJson("{\"dump\":{\"dump_path\":\"" + path + "\"," + rest +
                       "},\"profiler\":{\"switch\":\"off\"}}");
}

TEST(DumpConfig, AclJson) {
  TempDir dir;
  const ParsedDumpConfig parsed =
      parseAcl(dir.path(),
               R"("dump_mode":"input","dump_data":"stats","dump_level":"op",
         "dump_step":"5-5","dump_stats":["Max","Negative Inf"],
         "dump_kernel_data":"all",
         "dump_list":[{"model_name":"m","layer":["a","b"],
           "optype_blacklist":[{"name":"Conv2D","pos":["input0","output12"]}],
           "opname_range":[{"begin":"x","end":"y"}]},{}])");
  EXPECT_EQ(parsed.faults, Faults());
  const DumpConfig &config = parsed.config;
  EXPECT_TRUE(config.enableDump);
  EXPECT_EQ(config.mode, DumpMode::Input);
  EXPECT_EQ(config.data, DumpData::Stats);
  EXPECT_EQ(config.level, DumpLevel::Op);
  EXPECT_TRUE(config.steps.contains(5));
  EXPECT_FALSE(config.steps.contains(4));
  EXPECT_EQ(config.stats, (Faults{"Max", "Negative Inf"}));
  ASSERT_EQ(config.list.size(), 2u);
  EXPECT_EQ(config.list[0].modelName, "m");
  EXPECT_EQ(config.list[0].layers, (Faults{"a", "b"}));
  ASSERT_EQ(config.list[0].typeBlacklist.size(), 1u);
  EXPECT_EQ(config.list[0].typeBlacklist[0].name, "Conv2D");
  EXPECT_EQ(config.list[0].typeBlacklist[0].positions,
            (Faults{"input0", "output12"}));
  ASSERT_EQ(config.list[0].ranges.size(), 1u);
  EXPECT_EQ(config.list[0].ranges[0].begin, "x");
  EXPECT_EQ(config.list[0].ranges[0].end, "y");
  EXPECT_FALSE(config.list[1].modelName);
}

TEST(DumpConfig, AclEmptyListMeansEverything) {
  TempDir dir;
  const ParsedDumpConfig parsed = parseAcl(dir.path(), R"("dump_list":[])");
  EXPECT_EQ(parsed.faults, Faults());
  EXPECT_TRUE(parsed.config.enableDump);
  ASSERT_EQ(parsed.config.list.size(), 1u);
}

TEST(DumpConfig, AclOverflowDump) {
  TempDir dir;
  const ParsedDumpConfig parsed = parseAcl(dir.path(), R"("dump_debug":"on")");
  EXPECT_EQ(parsed.faults, Faults());
  EXPECT_TRUE(parsed.config.enableDumpDebug);
  EXPECT_FALSE(parsed.config.enableDump);
}

TEST(DumpConfig, AclFaults) {
  TempDir dir;
  auto faults = [&](const std::string &rest) {
    return parseAcl(dir.path(), rest).faults;
  };
  EXPECT_EQ(faults(R"("dump_mode":"x","dump_list":[])"),
            Faults{"dump_mode='x': expected input, output or all"});
  EXPECT_EQ(faults(R"("dump_mode":1,"dump_list":[])"),
            Faults{"dump_mode='1': expected a string"});
  EXPECT_EQ(faults(R"("dump_op_switch":"on","dump_debug":"on")"),
            Faults{"dump_debug='on' and dump_op_switch='on': expected at most "
                   "one of them to be on"});
  EXPECT_EQ(faults(R"("dump_debug":"on","dump_list":[{}])"),
            Faults{"dump_debug='on' with a dump_list: expected no dump_list"});
  EXPECT_EQ(faults(R"("dump_mode":"all")"),
            Faults{"nothing is dumped, expected a dump_list, or "
                   "dump_op_switch or dump_debug to be on"});
  EXPECT_EQ(faults(R"("dump_stats":["Max"],"dump_list":[])"),
            Faults{"dump_stats is given with dump_data='tensor', expected "
                   "dump_data='stats'"});
  EXPECT_EQ(faults(R"("dump_data":"stats","dump_stats":["Median"],
                      "dump_list":[])"),
            Faults{"dump_stats='Median': expected one of Max, Min, Avg, Nan, "
                   "Negative Inf, Positive Inf, L2norm"});
  EXPECT_EQ(faults(R"("dump_list":[{"layer":[]}])"),
            Faults{"dump_list[0].layer is empty, expected names of operators"});
  EXPECT_EQ(faults(R"("dump_list":[{"model_name":""}])"),
            Faults{"dump_list[0].model_name='': expected a name"});
  EXPECT_EQ(faults(R"("dump_list":[{"opname_blacklist":[{"name":"a"}]}])"),
            Faults{"dump_list[0].opname_blacklist is given, expected "
                   "dump_level='op' with it"});
  EXPECT_EQ(faults(R"("dump_level":"op","dump_list":[{"opname_blacklist":
                      [{"name":"a","pos":["in0","input"]}]}])"),
            (Faults{"dump_list[0].opname_blacklist.pos='in0': expected inputN "
                    "or outputN",
                    "dump_list[0].opname_blacklist.pos='input': expected "
                    "inputN or outputN"}));
  EXPECT_EQ(faults(R"("dump_level":"op","dump_list":[{"model_name":"m",
                      "opname_range":[{"begin":"a"}]}])"),
            Faults{"dump_list[0].opname_range='{\"begin\":\"a\"}': expected "
                   "both begin and end"});
  EXPECT_EQ(faults(R"("dump_lvl":"op","dump_list":[])"),
            Faults{"unknown key 'dump_lvl' in dump, expected one of dump_path, "
                   "dump_mode, dump_data, dump_level, dump_op_switch, "
                   "dump_debug, dump_step, dump_stats, dump_scene, dump_list, "
                   "dump_kernel_data"});
}

TEST(DumpConfig, JsonOfPlainOptions) {
  TempDir dir;
  const ParsedDumpConfig parsed =
      parseDumpJson(R"({"enable_dump":"1","dump-step":"1|2","dump_path":")" +
                    dir.path() + "\"}");
  EXPECT_EQ(parsed.faults, Faults());
  EXPECT_TRUE(parsed.config.enableDump);
  EXPECT_TRUE(parsed.config.steps.contains(2));
  EXPECT_EQ(parseDumpJson(R"({"enable_dump":true})").faults,
            Faults{"enable_dump='true': expected a string"});
}

TEST(DumpConfig, BrokenJson) {
  const Faults noObject{"the dump configuration is not a JSON object"};
  for (const char *text : {"", "{", "[]", "1", "{\"dump\":{}", "\xff"})
    EXPECT_EQ(parseDumpJson(text).faults, noObject) << text;
  EXPECT_EQ(parseDumpJson("{\"dump\":" + std::string(1000000, '[')).faults,
            Faults{"the dump configuration is nested more than 10 levels "
                   "deep"});
  EXPECT_EQ(parseDumpJson("{\"dump\":[]}").faults,
            Faults{"dump='[]': expected an object"});
}
