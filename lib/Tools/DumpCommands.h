//===- DumpCommands.h - The subcommands of npu-dump ------------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_DUMPCOMMANDS_H
#define NPU_LIB_TOOLS_DUMPCOMMANDS_H

#include "npu/Support/Status.h"

#include "llvm/Support/CommandLine.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace npu {

/// A subcommand with its options, which live as long as it does.
class DumpCommand {
public:
  DumpCommand(llvm::StringRef name, llvm::StringRef description)
      : subcommand(name, description) {}
  virtual ~DumpCommand() = default;

  /// Whether the command line names it.
  bool isChosen() const { return static_cast<bool>(subcommand); }
  void addOptionsTo(llvm::cl::OptionCategory &category) {
    for (auto &entry : subcommand.OptionsMap)
      entry.second->addCategory(category);
  }
  /// Does what it is for and returns the exit code of the process.
  virtual int run() = 0;

protected:
  llvm::cl::SubCommand subcommand;
};

std::unique_ptr<DumpCommand> makeInfoCommand();
std::unique_ptr<DumpCommand> makeConvertCommand();
std::unique_ptr<DumpCommand> makeCompareCommand();
std::unique_ptr<DumpCommand> makeOverflowCommand();
std::unique_ptr<DumpCommand> makeFindCommand();
std::unique_ptr<DumpCommand> makeStatsCommand();

/// The parts of "a,b,c".
std::vector<std::string> splitAtCommas(const std::string &text);

/// One line on the standard error that says how many files are done, drawn anew
/// a few times a second; nothing where it is no terminal.
class FileProgress {
public:
  FileProgress();
  ~FileProgress() { clear(); }

  void draw(size_t numDone, size_t numFiles);
  /// Removes the line; what is printed next starts a line.
  void clear();

private:
  const bool isWanted;
  bool isDrawn = false;
  std::chrono::steady_clock::time_point lastDrawn;
};

} // namespace npu

#endif // NPU_LIB_TOOLS_DUMPCOMMANDS_H
