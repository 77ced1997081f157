//===- DumpConfig.cpp - Options given by name -----------------------------===//

#include "npu/Dump/DumpConfig.h"

#include "ConfigBuilder.h"

#include "npu/Support/File.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;

//===----------------------------------------------------------------------===//
// Checks of both forms
//===----------------------------------------------------------------------===//

std::string npu::dump::inQuotes(std::string_view text) {
  constexpr size_t limit = 512;
  std::string result = "'";
  for (char c : text.substr(0, limit))
    result += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
  result += text.size() > limit ? "...'" : "'";
  return result;
}

void ConfigBuilder::fault(std::string_view option, std::string_view value,
                          const std::string &expected) {
  fault(std::string(option) + "=" + inQuotes(value) + ": " + expected);
}

void ConfigBuilder::setMode(std::string_view text) {
  static constexpr Choice<DumpMode> choices[] = {{"input", DumpMode::Input},
                                                 {"output", DumpMode::Output},
                                                 {"all", DumpMode::All}};
  choose("dump_mode", text, choices, config().mode);
}

void ConfigBuilder::setData(std::string_view text) {
  static constexpr Choice<DumpData> choices[] = {{"tensor", DumpData::Tensor},
                                                 {"stats", DumpData::Stats}};
  choose("dump_data", text, choices, config().data);
}

void ConfigBuilder::setSteps(std::string_view text, StepSyntax syntax) {
  Expected<DumpSteps> steps = DumpSteps::parse(text, syntax);
  if (!steps)
    return fault("dump_step", text, steps.status().message());
  config().steps = std::move(*steps);
}

void ConfigBuilder::setPath(std::string_view text, MissingPath missing) {
  const std::string expected =
      ", expected a folder with read and write permission";
  if (text.empty())
    return fault("dump_path is not set" + expected);
  if (text.find('\0') != std::string_view::npos)
    return fault("dump_path", text, "has a NUL character" + expected);
  const std::string path(text);
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == EACCES)
      return fault("dump_path", text, "no permission" + expected);
    if (errno != ENOENT || missing == MissingPath::Fault)
      return fault(errnoStatus(ErrorKind::Usage,
                               "dump_path=" + inQuotes(text) + ": not a folder",
                               errno)
                       .message() +
                   expected);
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error)
      return fault("dump_path", text,
                   "cannot be created: " + error.message() + expected);
  } else if (!S_ISDIR(info.st_mode)) {
    return fault("dump_path", text, "not a folder" + expected);
  }
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) != 0)
    return fault("dump_path", text, "no permission" + expected);
  char *resolved = ::realpath(path.c_str(), nullptr);
  if (!resolved)
    return fault("dump_path", text, "cannot be resolved" + expected);
  config().dumpPath = resolved;
  std::free(resolved);
}

//===----------------------------------------------------------------------===//
// Options by name
//===----------------------------------------------------------------------===//

static constexpr std::string_view optionNames[] = {
    "enable_dump", "dump_path",  "dump_step",       "dump_mode",
    "dump_data",   "dump_layer", "dump_debug_mode", "enable_dump_debug",
};

static std::vector<std::string> splitWords(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  std::vector<std::string> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (text.empty())
      return words;
    const size_t end = std::min(text.find_first_of(blanks), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

ParsedDumpConfig
npu::dump::parseDumpOptions(std::span<const DumpOption> options,
                            MissingPath missing) {
  ConfigBuilder builder;
  std::map<std::string_view, std::string_view> values;
  for (const auto &[key, value] : options) {
    std::string spelled = key;
    std::replace(spelled.begin(), spelled.end(), '-', '_');
    const auto *known =
        std::find(std::begin(optionNames), std::end(optionNames), spelled);
    if (known == std::end(optionNames)) {
      std::string line =
          "unknown option " + inQuotes(key) + ", expected one of";
      for (std::string_view name : optionNames)
        line += " " + std::string(name);
      builder.fault(std::move(line));
    } else if (!values.emplace(*known, value).second) {
      builder.fault(*known, value, "given more than once");
    }
  }

  static constexpr ConfigBuilder::Choice<bool> onOff[] = {{"0", false},
                                                          {"1", true}};
  static constexpr ConfigBuilder::Choice<DumpDebugMode> debugModes[] = {
      {"aicore_overflow", DumpDebugMode::AicoreOverflow},
      {"atomic_overflow", DumpDebugMode::AtomicOverflow},
      {"all", DumpDebugMode::All}};
  DumpConfig &config = builder.config();
  for (const auto &[name, value] : values) {
    if (name == "enable_dump")
      builder.choose(name, value, onOff, config.enableDump);
    else if (name == "enable_dump_debug")
      builder.choose(name, value, onOff, config.enableDumpDebug);
    else if (name == "dump_step")
      builder.setSteps(value, StepSyntax::Option);
    else if (name == "dump_mode")
      builder.setMode(value);
    else if (name == "dump_data")
      builder.setData(value);
    else if (name == "dump_debug_mode")
      builder.choose(name, value, debugModes, config.debugMode);
    else if (name == "dump_layer")
      config.layers = splitWords(value);
  }
  if (config.enableDump && config.enableDumpDebug)
    builder.fault("enable_dump='1' and enable_dump_debug='1': expected at most "
                  "one of them to be 1");
  if (config.enableDump || config.enableDumpDebug)
    builder.setPath(values["dump_path"], missing);
  return builder.take();
}
