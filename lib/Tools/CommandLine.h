//===- CommandLine.h - Shared pieces of the command lines ------*- C++ -*-===//

#ifndef NPU_LIB_TOOLS_COMMANDLINE_H
#define NPU_LIB_TOOLS_COMMANDLINE_H

#include "npu/Support/Status.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace npu {

/// The arguments with '_' for '-' in option names undone: the Ascend documents
/// write dump_path, command lines --dump-path; both are accepted. Values are
/// left alone.
class NormalizedArguments {
public:
  NormalizedArguments(int argc, char **argv);

  int count() const { return static_cast<int>(pointers.size()); }
  char **data() { return pointers.data(); }

private:
  std::vector<std::string> storage;
  std::vector<char *> pointers;
};

/// Prints `error: MESSAGE` and returns the exit code of \p status. An empty
/// message has been printed already.
int reportFailure(const Status &status);

/// Fails on more threads than any machine has: each costs memory before it does
/// anything.
Status checkThreads(unsigned threads);

/// Fails where results would go to \p output, one of the folders \p inputs.
Status checkOutputFolder(llvm::StringRef output,
                         llvm::ArrayRef<std::string> inputs);

/// Reads NAME=FILE pairs of the option \p option into \p files. A name that
/// occurs again has several files, in their order.
Status parseFileMap(llvm::StringRef option,
                    llvm::ArrayRef<std::string> arguments,
                    llvm::StringMap<std::vector<std::string>> &files);

} // namespace npu

#endif // NPU_LIB_TOOLS_COMMANDLINE_H
