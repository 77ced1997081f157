//===- RunOptions.cpp - The command line of npu-run -----------------------===//

#include "RunOptions.h"

#include "CommandLine.h"

#include "npu/Dump/DumpStep.h"
#include "npu/Numerics/SimdTarget.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <limits>
#include <thread>

using namespace npu;

//===----------------------------------------------------------------------===//
// Dumps
//===----------------------------------------------------------------------===//

/// The dump options that were given, as the Ascend documents call them.
static std::vector<dump::DumpOption> getDumpOptions(const RunOptions &options) {
  std::vector<dump::DumpOption> given;
  auto add = [&](const char *name, const llvm::cl::opt<std::string> &option) {
    if (option.getNumOccurrences() > 0)
      given.emplace_back(name, option);
  };
  auto addSwitch = [&](const char *name,
                       const llvm::cl::opt<std::string> &option) {
    if (option.getNumOccurrences() > 0)
      given.emplace_back(name, option.empty() ? "1" : option.getValue());
  };
  addSwitch("enable_dump", options.enableDump);
  addSwitch("enable_dump_debug", options.enableDumpDebug);
  add("dump_path", options.dumpPath);
  add("dump_step", options.dumpStep);
  add("dump_mode", options.dumpMode);
  add("dump_data", options.dumpData);
  add("dump_layer", options.dumpLayer);
  add("dump_debug_mode", options.dumpDebugMode);
  return given;
}

/// What a dump configuration may ask of a device and this tool does not do.
static Status checkSupported(const dump::DumpConfig &config) {
  auto fault = [](const char *what, const char *expected) {
    return Status::error(std::string(what) + ": not supported by npu-run; " +
                         "expected " + expected);
  };
  if (config.singleOps)
    return fault("dump_op_switch='on'", "a dump_list");
  for (const dump::DumpListEntry &entry : config.list)
    if (!entry.typeBlacklist.empty() || !entry.nameBlacklist.empty() ||
        !entry.ranges.empty())
      return fault("optype_blacklist, opname_blacklist and opname_range",
                   "the layers to dump");
  return {};
}

/// The option that the Ascend documents call \p name.
static std::string spell(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

static Expected<dump::DumpConfig> readDumpConfig(const RunOptions &options) {
  std::vector<dump::DumpOption> given = getDumpOptions(options);
  dump::ParsedDumpConfig parsed;
  std::string where;
  if (options.dumpConfig.empty()) {
    if (!given.empty() && options.enableDump.getNumOccurrences() == 0 &&
        options.enableDumpDebug.getNumOccurrences() == 0)
      llvm::errs() << "warning: --" << spell(given[0].first)
                   << " without --enable-dump or --enable-dump-debug: nothing "
                      "is dumped\n";
    parsed = dump::parseDumpOptions(given);
  } else {
    where = options.dumpConfig + ": ";
    if (!given.empty())
      return Status::error(
          "--dump-config and --" + spell(given[0].first) +
          " are both given; expected one way to say what is dumped");
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
        llvm::MemoryBuffer::getFile(options.dumpConfig);
    if (!file)
      return Status::error(where + "cannot read: " + file.getError().message());
    llvm::StringRef text = (*file)->getBuffer();
    parsed = dump::parseDumpJson({text.data(), text.size()});
  }
  if (parsed.faults.empty()) {
    if (Status status = checkSupported(parsed.config); !status)
      return status;
    return std::move(parsed.config);
  }
  // One line a fault; the caller prints the last one.
  for (size_t i = 0; i + 1 < parsed.faults.size(); ++i)
    llvm::errs() << "error: " << where << parsed.faults[i] << '\n';
  return Status::error(where + parsed.faults.back());
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Status readNumericConfig(const RunOptions &options,
                                RunSettings &settings) {
  std::optional<Soc> soc = parseSoc(options.soc);
  if (!soc)
    return Status::error("--soc " + options.soc +
                         ": expected Ascend310, Ascend310P, Ascend910A or "
                         "Ascend910B");
  NumericConfig config = NumericConfig::forSoc(*soc);
  if (options.soc.getNumOccurrences() == 0)
    settings.assumptions.push_back("SoC " + options.soc + ", without --soc");
  if (options.overflowMode.getNumOccurrences() == 0) {
    settings.assumptions.push_back(
        "overflow mode " + std::string(getName(config.overflow)) +
        ", the default of the SoC, without --overflow-mode");
  } else {
    std::optional<OverflowMode> mode = parseOverflowMode(options.overflowMode);
    if (!mode)
      return Status::error("--overflow-mode " + options.overflowMode +
                           ": expected saturate or infnan");
    config.overflow = *mode;
  }
  config.flushDenormals = options.flushDenormals;
  settings.session.config = config;
  return {};
}

static Status selectSimdTarget(llvm::StringRef name) {
  if (name.empty())
    return {};
  std::string supported;
  for (numerics::SimdTarget target : numerics::getSupportedTargets()) {
    if (name == llvm::StringRef(getName(target))) {
      numerics::setTargetForTest(target);
      return {};
    }
    supported += (supported.empty() ? "" : ", ") + std::string(getName(target));
  }
  return Status::error("--simd " + name.str() +
                       ": expected one of this processor's: " + supported);
}

static Expected<std::optional<uint64_t>> readSeed(llvm::StringRef init) {
  if (init == "fail")
    return std::optional<uint64_t>();
  uint64_t seed = 0;
  llvm::StringRef digits = init;
  if (!digits.consume_front("random:") || digits.getAsInteger(10, seed))
    return Status::error("--init " + init.str() +
                         ": expected fail or random:SEED with a number");
  return std::optional<uint64_t>(seed);
}

/// Adds "x:1,3,8,8;y:4", as atc takes it, to \p shapes; names may have colons
/// of their own. A name that occurs again has several shapes.
static Status readInputShapes(llvm::StringRef text,
                              llvm::StringMap<std::vector<Shape>> &shapes) {
  llvm::SmallVector<llvm::StringRef> entries;
  text.split(entries, ';', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef entry : entries) {
    auto fault = [&](const char *why) {
      return Status::error("--input-shape " + entry.str() + ": " + why +
                           "; expected NAME:DIM,DIM with dimensions of at "
                           "least 0, and ';' between inputs");
    };
    if (!entry.contains(':'))
      return fault("no shape");
    auto [name, dims] = entry.rsplit(':');
    Shape shape;
    llvm::SmallVector<llvm::StringRef> parts;
    if (!dims.trim().empty()) // a scalar has none
      dims.split(parts, ',');
    for (llvm::StringRef part : parts) {
      int64_t dim = 0;
      if (part.trim().getAsInteger(10, dim) || dim < 0)
        return fault("a dimension is no number");
      shape.push_back(dim);
    }
    if (!getCheckedByteSize(DataType::Int8, shape))
      return fault("more elements than 64 bits count");
    shapes[name.trim()].push_back(std::move(shape));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Overflow
//===----------------------------------------------------------------------===//

/// The position of \p option's value in \p choices; the first by default.
static Expected<unsigned> readChoice(const llvm::cl::opt<std::string> &option,
                                     llvm::ArrayRef<llvm::StringRef> choices) {
  if (option.empty())
    return 0u;
  const auto *it = llvm::find(choices, llvm::StringRef(option));
  if (it != choices.end())
    return static_cast<unsigned>(it - choices.begin());
  return Status::error("--" + option.ArgStr.str() + " " + option +
                       ": expected " + llvm::join(choices, " or "));
}

static Status readOverflowSettings(const RunOptions &options,
                                   RunSettings &settings) {
  OverflowSettings &overflow = settings.overflow;
  overflow.record = settings.dump.enableDumpDebug;
  if (!options.statusMask.empty() &&
      llvm::StringRef(options.statusMask)
          .getAsInteger(0, overflow.recorder.mask))
    return Status::error("--status-mask " + options.statusMask +
                         ": expected a number such as 0x120");
  Expected<unsigned> padding =
      readChoice(options.overflowPadding, {"count", "ignore"});
  if (!padding)
    return padding.takeStatus();
  overflow.recorder.countPadding = *padding == 0;
  Expected<unsigned> layout =
      readChoice(options.overflowLayout, {"guide", "current"});
  if (!layout)
    return layout.takeStatus();
  settings.modelNameInFolder = !overflow.record || *layout == 1;
  if (options.failOnOverflow.getNumOccurrences() > 0) {
    Expected<unsigned> failOn =
        readChoice(options.failOnOverflow, {"any", "persistent"});
    if (!failOn)
      return failOn.takeStatus();
    overflow.failOn =
        *failOn == 0 ? FailOnOverflow::Any : FailOnOverflow::Persistent;
  }
  if (!options.lossScale.empty()) {
    Expected<LossScale> scale = parseLossScale(options.lossScale.getValue());
    if (!scale)
      return scale.takeStatus().withContext("--loss-scale");
    overflow.lossScale = *scale;
  }
  overflow.analyse = overflow.record || options.checkOverflow ||
                     overflow.failOn != FailOnOverflow::Never ||
                     overflow.lossScale.has_value();
  if (options.halfRisk.getNumOccurrences() > 0) {
    double threshold = 50000;
    if (!options.halfRisk.empty() &&
        llvm::StringRef(options.halfRisk).getAsDouble(threshold))
      return Status::error("--half-risk " + options.halfRisk +
                           ": expected a number");
    overflow.halfRiskThreshold = threshold;
  }
  if (!options.suspiciousValues.empty()) {
    Expected<std::vector<double>> values =
        parseValueList(options.suspiciousValues.getValue());
    if (!values)
      return values.takeStatus().withContext("--suspicious-values");
    overflow.suspiciousValues = std::move(*values);
  }
  overflow.halfRiskList = options.halfRiskList;
  if (!overflow.halfRiskList.empty() && !overflow.halfRiskThreshold)
    return Status::error("--half-risk-list needs --half-risk");
  if (!overflow.halfRiskList.empty() && options.graphs.size() > 1)
    return Status::error("--half-risk-list: expected one graph, as the names "
                         "of several may be the same");
  return {};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Status npu::checkNoInput(const std::string &path,
                         llvm::ArrayRef<std::string> inputFiles) {
  for (const std::string &input : inputFiles)
    if (llvm::sys::fs::equivalent(path, input))
      return Status::error(path + ": would overwrite the input file " + input +
                           "; expected another place for results");
  return {};
}

/// Whether \p path, the value of \p option, can be written later.
static Status checkResult(const std::string &option, const std::string &path,
                          llvm::ArrayRef<std::string> inputFiles) {
  if (path.empty())
    return {};
  const std::string where = "--" + option + " " + path;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (llvm::sys::fs::is_directory(path))
    return Status::error(where + ": a folder; expected a file");
  bool isOther = false; // a pipe or device
  if (!llvm::sys::fs::is_other(path, isOther) && isOther)
    return {};
  if (!llvm::sys::fs::is_directory(folder))
    return Status::error(where + ": no folder " + folder.str());
  if (!llvm::sys::fs::can_write(folder))
    return Status::error(where + ": no permission to write to " + folder.str());
  return checkNoInput(path, inputFiles);
}

/// Whether the folder for outputs is one, or can become one.
static Status checkOutputDir(llvm::StringRef option, llvm::StringRef path) {
  // What does not exist is made; the first that exists must be a folder.
  llvm::StringRef folder = path;
  while (!folder.empty() && !llvm::sys::fs::exists(folder))
    folder = llvm::sys::path::parent_path(folder);
  if (path.empty() || folder.empty())
    return {};
  if (!llvm::sys::fs::is_directory(folder))
    return Status::error(option.str() + " " + path.str() + ": " + folder.str() +
                         " is not a folder");
  if (!llvm::sys::fs::can_write(folder))
    return Status::error(option.str() + " " + path.str() +
                         ": no permission to write to " + folder.str());
  return {};
}

/// Whether no file that the run reads lies in a folder of \p path, where a
/// replay makes one for each node.
static Status checkNoInputBelow(const std::string &path,
                                llvm::ArrayRef<std::string> inputFiles) {
  for (const std::string &input : inputFiles) {
    llvm::SmallString<128> real;
    if (llvm::sys::fs::real_path(input, real))
      continue;
    llvm::StringRef folder = llvm::sys::path::parent_path(real);
    if (llvm::sys::fs::equivalent(path, llvm::sys::path::parent_path(folder)))
      return Status::error("--replay-dir " + path +
                           ": could overwrite the input file " + input +
                           "; expected another place for results");
  }
  return {};
}

static Expected<std::optional<ReplayOptions>>
readReplay(const RunOptions &options, llvm::ArrayRef<std::string> inputFiles) {
  if (options.replay.empty()) {
    for (const llvm::cl::Option *option :
         {static_cast<const llvm::cl::Option *>(&options.replayRtol),
          static_cast<const llvm::cl::Option *>(&options.replayAtol),
          static_cast<const llvm::cl::Option *>(&options.replayDir)})
      if (option->getNumOccurrences() != 0)
        return Status::error("--" + option->ArgStr.str() +
                             ": expected --replay=DIR beside it");
    return std::optional<ReplayOptions>();
  }
  if (!(options.replayRtol >= 0) || !(options.replayAtol >= 0))
    return Status::error(
        "--replay-rtol, --replay-atol: expected numbers from 0 "
        "on");
  if (Status status =
          checkOutputDir("--replay-dir", options.replayDir.getValue());
      !status)
    return status;
  if (Status status = checkNoInputBelow(options.replayDir, inputFiles); !status)
    return status;
  ReplayOptions replay;
  replay.folder = options.replay;
  replay.tolerance = {options.replayRtol, options.replayAtol};
  replay.exportFolder = options.replayDir;
  return std::optional(std::move(replay));
}

/// How often each graph runs, and from which number on.
static Status readIterations(const RunOptions &options, RunSettings &settings) {
  std::vector<uint64_t> &iterations = settings.iterations;
  iterations.assign(options.iterations.begin(), options.iterations.end());
  if (iterations.empty())
    iterations.push_back(1);
  if (llvm::is_contained(iterations, 0u))
    return Status::error("--iterations 0: expected at least 1");
  if (iterations.size() != 1 && iterations.size() != options.graphs.size())
    return Status::error("--iterations: " + std::to_string(iterations.size()) +
                         " numbers for " +
                         std::to_string(options.graphs.size()) +
                         " graphs, expected one or as many");
  if (options.loopCond > options.iterationsPerLoop)
    return Status::error("--loop-cond " + std::to_string(options.loopCond) +
                         ": expected at most the value of "
                         "--iterations-per-loop, " +
                         std::to_string(options.iterationsPerLoop));
  // A product of two such numbers, and as many iterations, can be counted.
  constexpr uint64_t most = std::numeric_limits<int32_t>::max();
  for (const auto *option :
       {&options.stepId, &options.iterationsPerLoop, &options.loopCond})
    if (*option > most)
      return Status::error("--" + option->ArgStr.str() + " " +
                           std::to_string(*option) + ": expected at most " +
                           std::to_string(most));
  settings.firstIteration = dump::getDataIndex(
      options.stepId, options.iterationsPerLoop, options.loopCond);
  return {};
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

Expected<RunSettings> npu::readRunOptions(const RunOptions &options) {
  RunSettings settings;
  llvm::append_range(settings.inputFiles, options.graphs);
  for (const auto *option : {&options.fusionSource, &options.dumpConfig})
    if (!option->empty())
      settings.inputFiles.push_back(*option);
  if (options.assumeQuant.getNumOccurrences() != 0) {
    settings.quant = parseQuantAssumption(options.assumeQuant);
    if (!settings.quant)
      return Status::error("--assume-quant " + options.assumeQuant +
                           ": expected SCALE,OFFSET, two numbers");
  }
  SessionOptions &session = settings.session;
  for (auto [name, given, files] :
       {std::tuple("input", &options.inputs, &session.inputs),
        std::tuple("bind", &options.bindings, &session.bindings),
        std::tuple("fallback", &options.fallbacks, &session.fallbacks)}) {
    if (Status status = parseFileMap(name, *given, *files); !status)
      return status;
    for (const auto &entry : *files)
      llvm::append_range(settings.inputFiles, entry.second);
  }

  if (Status status = readNumericConfig(options, settings); !status)
    return status;
  if (Status status = selectSimdTarget(options.simd.getValue()); !status)
    return status;
  Expected<std::optional<uint64_t>> seed = readSeed(options.init.getValue());
  if (!seed)
    return seed.takeStatus();
  session.randomSeed = *seed;
  if (options.seed.getNumOccurrences() && options.seed == 0)
    return Status::error(
        "--seed 0: expected a number above 0, which stands for no seed");
  if (Status status = readIterations(options, settings); !status)
    return status;
  if (Status status = checkThreads(options.threads); !status)
    return status;
  session.threads = options.threads
                        ? options.threads.getValue()
                        : std::max(1u, std::thread::hardware_concurrency());

  Expected<dump::DumpConfig> dump = readDumpConfig(options);
  if (!dump)
    return dump.takeStatus();
  settings.dump = std::move(*dump);
  if (Status status = readOverflowSettings(options, settings); !status)
    return status;
  if (options.dumpBudget.getNumOccurrences() != 0) {
    Expected<DumpLimit> limit = parseDumpLimit(options.dumpBudget.getValue());
    if (!limit)
      return limit.takeStatus().withContext("--dump-budget");
    settings.dumpLimit = *limit;
  }
  for (const std::string &shapes : options.inputShapes)
    if (Status status = readInputShapes(shapes, settings.inputShapes); !status)
      return status;
  for (const auto *option : {&options.report, &options.listShapes})
    if (Status status =
            checkResult(option->ArgStr.str(), *option, settings.inputFiles);
        !status)
      return status;
  if (Status status =
          checkOutputDir("--output-dir", options.outputDir.getValue());
      !status)
    return status;
  Expected<std::optional<ReplayOptions>> replay =
      readReplay(options, settings.inputFiles);
  if (!replay)
    return replay.takeStatus();
  settings.replay = std::move(*replay);
  return settings;
}
