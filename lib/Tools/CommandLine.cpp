//===- CommandLine.cpp - Shared pieces of the command lines ---------------===//

#include "CommandLine.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>

using namespace npu;

NormalizedArguments::NormalizedArguments(int argc, char **argv) {
  for (int i = 0; i < argc; ++i) {
    std::string argument = argv[i];
    if (i > 0 && argument.starts_with("-")) {
      auto end = std::find(argument.begin(), argument.end(), '=');
      std::replace(argument.begin(), end, '_', '-');
    }
    storage.push_back(std::move(argument));
  }
  for (std::string &argument : storage)
    pointers.push_back(argument.data());
}

int npu::reportFailure(const Status &status) {
  if (!status.message().empty())
    llvm::errs() << "error: " << status.message() << '\n';
  return static_cast<int>(status.kind());
}

Status npu::checkThreads(unsigned threads) {
  constexpr unsigned most = 1024;
  if (threads <= most)
    return {};
  return Status::error("--threads " + std::to_string(threads) +
                       ": expected at most " + std::to_string(most));
}

Status npu::checkOutputFolder(llvm::StringRef output,
                              llvm::ArrayRef<std::string> inputs) {
  if (output.empty())
    return Status::error("-out: an empty name, expected a folder");
  for (const std::string &input : inputs)
    if (llvm::sys::fs::is_directory(input) &&
        llvm::sys::fs::equivalent(input, output))
      return Status::error("-out " + output.str() +
                           ": the folder of the dumps, expected another one");
  return {};
}

Status npu::parseFileMap(llvm::StringRef option,
                         llvm::ArrayRef<std::string> arguments,
                         llvm::StringMap<std::vector<std::string>> &files) {
  for (const std::string &argument : arguments) {
    // Node names may have '=' in them, file names seldom do.
    auto [name, file] = llvm::StringRef(argument).rsplit('=');
    if (name.empty() || file.empty())
      return Status::error("--" + option.str() + " " + argument +
                           ": expected NAME=FILE.npy");
    files[name].push_back(file.str());
  }
  return {};
}
