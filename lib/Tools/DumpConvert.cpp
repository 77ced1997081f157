//===- DumpConvert.cpp - npu-dump convert ---------------------------------===//

#include "CommandLine.h"
#include "DumpCommands.h"

#include "npu/DumpTools/Convert.h"

using namespace npu;
namespace cl = llvm::cl;

/// Reads the value of -s: "3,18".
static Expected<Shape> parseShape(const std::string &text) {
  Shape shape;
  for (llvm::StringRef part : llvm::split(text, ',')) {
    int64_t dim = 0;
    if (part.trim().getAsInteger(10, dim) || dim <= 0)
      return Status::error("-s " + text +
                           ": expected dimensions from 1 on, as in 3,18");
    shape.push_back(dim);
  }
  return shape;
}

namespace {

class ConvertCommand : public DumpCommand {
public:
  ConvertCommand()
      : DumpCommand("convert", "Make files for NumPy and others of dumps") {}

  int run() override;

private:
  Expected<dump::ConvertOptions> readOptions() const;

  cl::opt<std::string> path{"d", cl::Required, cl::value_desc("PATH,..."),
                            cl::desc("Dump files, or folders with them"),
                            cl::sub(subcommand)};
  cl::alias pathName{"dump-file", cl::desc("Same as -d"), cl::aliasopt(path)};
  cl::opt<std::string> output{"out", cl::init("."), cl::value_desc("FOLDER"),
                              cl::desc("Where the files go"),
                              cl::sub(subcommand)};
  cl::alias outputName{"output", cl::desc("Same as -out"),
                       cl::aliasopt(output)};
  cl::opt<std::string> format{
      "f", cl::value_desc("FORMAT"),
      cl::desc("Lay tensors out as NCHW, NHWC, HWCN, ND..."),
      cl::sub(subcommand)};
  cl::alias formatName{"format", cl::desc("Same as -f"), cl::aliasopt(format)};
  cl::opt<std::string> shape{
      "s", cl::value_desc("N,N,..."),
      cl::desc("The original shape, for dumps without one"),
      cl::sub(subcommand)};
  cl::alias shapeName{"shape", cl::desc("Same as -s"), cl::aliasopt(shape)};
  cl::opt<unsigned> outputTensor{"o", cl::value_desc("INDEX"),
                                 cl::desc("Only this output"),
                                 cl::sub(subcommand)};
  cl::alias outputTensorName{"output-tensor", cl::desc("Same as -o"),
                             cl::aliasopt(outputTensor)};
  cl::opt<unsigned> inputTensor{"i", cl::value_desc("INDEX"),
                                cl::desc("Only this input"),
                                cl::sub(subcommand)};
  cl::alias inputTensorName{"input-tensor", cl::desc("Same as -i"),
                            cl::aliasopt(inputTensor)};
  cl::opt<dump::ConvertType> type{
      "t", cl::desc("Kind of the files:"), cl::init(dump::ConvertType::Npy),
      cl::values(
          clEnumValN(dump::ConvertType::Npy, "npy", "NumPy arrays (default)"),
          clEnumValN(dump::ConvertType::Bin, "bin", "the elements alone"),
          clEnumValN(dump::ConvertType::Text, "txt", "numbers in words"),
          clEnumValN(dump::ConvertType::MsNpy, "msnpy",
                     "NumPy arrays, named as by MindSpore")),
      cl::sub(subcommand)};
  cl::alias typeName{"type", cl::desc("Same as -t"), cl::aliasopt(type)};
  cl::opt<std::string> script{"c", cl::Hidden,
                              cl::desc("Custom scripts: not supported"),
                              cl::sub(subcommand)};
  cl::alias scriptName{"custom-script-path", cl::Hidden, cl::desc("Same as -c"),
                       cl::aliasopt(script)};
  cl::opt<unsigned> version{
      "v", cl::init(2), cl::value_desc("1|2"),
      cl::desc("Version of the dump files; 1 is read as 2"),
      cl::sub(subcommand)};
  cl::alias versionName{"dump-version", cl::desc("Same as -v"),
                        cl::aliasopt(version)};
  cl::opt<bool> resume{"resume", cl::desc("Keep what an earlier run has made"),
                       cl::sub(subcommand)};
  cl::opt<bool> compat{"compat", cl::desc("Behave as msaccucmp convert"),
                       cl::sub(subcommand)};
  cl::opt<unsigned> threads{"threads", cl::init(0), cl::value_desc("N"),
                            cl::desc("Threads; 0: one for each processor"),
                            cl::sub(subcommand)};
};

} // namespace

Expected<dump::ConvertOptions> ConvertCommand::readOptions() const {
  if (script.getNumOccurrences() > 0)
    return Status::error("-c " + script +
                         ": custom scripts are not run; expected -f with one "
                         "of the formats of the dump documents");
  if (Status status = checkThreads(threads); !status)
    return status;
  if (Status status = checkOutputFolder(output.getValue(), splitAtCommas(path));
      !status)
    return status;
  if (version != 1 && version != 2)
    return Status::error("-v " + std::to_string(version) + ": expected 1 or 2");
  dump::ConvertOptions options;
  options.folder = output;
  options.type = type;
  options.resume = resume;
  options.compat = compat;
  options.numThreads = threads;
  if (format.getNumOccurrences() > 0) {
    options.format = parseFormat(format);
    if (!options.format)
      return Status::error("-f " + format +
                           ": unknown, expected a format such as NCHW or ND");
  }
  if (shape.getNumOccurrences() > 0) {
    Expected<Shape> parsed = parseShape(shape);
    if (!parsed)
      return parsed.takeStatus();
    if (!options.format)
      return Status::error("-s " + shape + ": expected with -f");
    options.originalShape = std::move(*parsed);
  }
  if (inputTensor.getNumOccurrences() > 0)
    options.input = inputTensor;
  if (outputTensor.getNumOccurrences() > 0)
    options.output = outputTensor;
  if (options.input && options.output)
    return Status::error("-i and -o: expected one of them");
  return options;
}

int ConvertCommand::run() {
  Expected<dump::ConvertOptions> options = readOptions();
  if (!options)
    return reportFailure(options.status());
  if (version == 1)
    llvm::errs() << "warning: -v 1: no device writes that form any more, the "
                    "files are read as version 2\n";
  FileProgress progress;
  dump::ConvertObserver observer;
  observer.warning = [](const std::string &text) {
    llvm::errs() << "warning: " << text << '\n';
  };
  observer.fileDone = [&](const dump::ConvertedFile &file, size_t numDone,
                          size_t numFiles) {
    if (!file.notes.empty() || !file.faults.empty())
      progress.clear();
    for (const std::string &note : file.notes)
      llvm::errs() << "warning: " << file.name << ": " << note << '\n';
    for (const std::string &fault : file.faults)
      llvm::errs() << "error: " << file.name << ": " << fault << '\n';
    progress.draw(numDone, numFiles);
  };
  Expected<dump::ConvertSummary> summary =
      dump::convertDumps(splitAtCommas(path), *options, observer);
  progress.clear();
  if (!summary)
    return reportFailure(summary.status());
  llvm::outs() << "converted " << summary->numFiles - summary->numFailed
               << " of " << summary->numFiles << " dump files into "
               << summary->numWritten << " files";
  if (summary->numKept != 0)
    llvm::outs() << ", kept " << summary->numKept;
  llvm::outs() << '\n';
  if (summary->numSkipped != 0)
    llvm::errs() << "error: " << output << ": no room, " << summary->numSkipped
                 << " dump files were not converted; --resume goes on\n";
  if (summary->incomplete)
    return static_cast<int>(ErrorKind::Incomplete);
  return summary->numFailed != 0 ? 1 : 0;
}

std::unique_ptr<DumpCommand> npu::makeConvertCommand() {
  return std::make_unique<ConvertCommand>();
}
