//===- DumpConfig.h - The options of a dump --------------------*- C++ -*-===//
//
// Options come in two forms: key and value, named as in the Ascend documents
// (dump_path or dump-path), and the "dump" object of the acl JSON file. Both
// are checked completely before anything runs.
//
//===----------------------------------------------------------------------===//

#ifndef NPU_DUMP_DUMPCONFIG_H
#define NPU_DUMP_DUMPCONFIG_H

#include "npu/Dump/DumpStep.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace npu::dump {

enum class DumpMode : uint8_t { Input, Output, All };
enum class DumpData : uint8_t { Tensor, Stats };

/// Which overflows are looked for. The values are a bit mask.
enum class DumpDebugMode : uint8_t {
  AicoreOverflow = 1,
  AtomicOverflow = 2,
  All = 3,
};

/// Which tasks are dumped: operators, their kernels, or both.
enum class DumpLevel : uint8_t { All, Op, Kernel };

/// Tensors that are left out, of one operator or of one type of operators.
struct DumpBlacklistEntry {
  std::string name;
  std::vector<std::string> positions; ///< "input0", "output1"; none: all
};

/// The operators from begin to end in execution order, both included.
struct DumpOpRange {
  std::string begin;
  std::string end;
};

/// What one entry of the acl dump_list selects.
struct DumpListEntry {
  std::optional<std::string> modelName; ///< absent: every model
  std::vector<std::string> layers;      ///< empty: every operator
  std::vector<DumpBlacklistEntry> typeBlacklist;
  std::vector<DumpBlacklistEntry> nameBlacklist;
  std::vector<DumpOpRange> ranges;
};

/// Every option of data dump and overflow dump, with its default.
struct DumpConfig {
  bool enableDump = false;
  bool enableDumpDebug = false; ///< never together with enableDump
  std::string dumpPath;         ///< absolute; set if either switch is on
  DumpSteps steps;
  DumpMode mode = DumpMode::Output;
  DumpData data = DumpData::Tensor;
  std::vector<std::string> layers; ///< names of operators; empty: all
  DumpDebugMode debugMode = DumpDebugMode::All;

  // The acl form only.
  DumpLevel level = DumpLevel::All;
  bool singleOps = false;         ///< dump_op_switch
  std::vector<std::string> stats; ///< columns; empty: the first six
  std::vector<DumpListEntry> list;

  /// Overflow dumps have both sides whatever the mode.
  bool wantsInputs() const {
    return enableDumpDebug || mode != DumpMode::Output;
  }
  bool wantsOutputs() const {
    return enableDumpDebug || mode != DumpMode::Input;
  }
};

/// The options that could be read, and one line for each fault: the option,
/// its value, what is allowed. The options are usable only without faults.
struct ParsedDumpConfig {
  DumpConfig config;
  std::vector<std::string> faults;
};

/// What becomes of a dump_path that does not exist.
enum class MissingPath : uint8_t { Fault, Create };

using DumpOption = std::pair<std::string, std::string>;

/// Reads options by name, '-' and '_' being the same. Switches are 0 or 1. The
/// path must be a folder with read and write permission, by any name; a
/// relative one counts from the working directory.
ParsedDumpConfig parseDumpOptions(std::span<const DumpOption> options,
                                  MissingPath missing = MissingPath::Fault);

/// Reads a JSON text: {"dump": {...}} with the acl keys, or an object with the
/// keys of parseDumpOptions and strings for values.
ParsedDumpConfig parseDumpJson(std::string_view text,
                               MissingPath missing = MissingPath::Fault);

} // namespace npu::dump

#endif // NPU_DUMP_DUMPCONFIG_H
