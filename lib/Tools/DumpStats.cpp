//===- DumpStats.cpp - npu-dump stats -------------------------------------===//

#include "CommandLine.h"
#include "DumpCommands.h"

#include "npu/Dump/DumpName.h"
#include "npu/Dump/Folder.h"
#include "npu/DumpTools/DumpInput.h"
#include "npu/DumpTools/InOrder.h"
#include "npu/DumpTools/OutputFile.h"
#include "npu/DumpTools/StatisticsCsv.h"

using namespace npu;
namespace cl = llvm::cl;

namespace {

/// The statistics of one dump file, or why there are none.
struct FileStatistics {
  std::string text;
  Status status;
  dump::ShortNames shortNames;
};

/// npu-dump stats: what dump_data=stats would have written of dump files.
class StatsCommand : public DumpCommand {
public:
  StatsCommand()
      : DumpCommand("stats", "Write the statistics of dump files as CSV") {}

  int run() override;

private:
  Expected<dump::StatisticsFormat> readFormat() const;
  std::string getFolder(const dump::InputFile &input) const {
    return input.subfolder.empty() ? output.getValue()
                                   : output + "/" + input.subfolder;
  }
  FileStatistics summarize(const dump::InputFile &input,
                           const dump::StatisticsFormat &format) const;
  Status write(const dump::InputFile &input, FileStatistics &file) const;

  cl::opt<std::string> path{"d", cl::Required, cl::value_desc("PATH,..."),
                            cl::desc("Dump files, or folders with them"),
                            cl::sub(subcommand)};
  cl::opt<std::string> output{
      "out", cl::value_desc("FOLDER"),
      cl::desc("Where the CSV files go; to the standard output without"),
      cl::sub(subcommand)};
  cl::opt<dump::StatisticsWriter> writer{
      "stats-writer", cl::desc("Whose columns:"),
      cl::init(dump::StatisticsWriter::Aicpu),
      cl::values(clEnumValN(dump::StatisticsWriter::Aicpu, "aicpu",
                            "13 columns (default)"),
                 clEnumValN(dump::StatisticsWriter::Kfc, "kfc",
                            "a choice of statistics")),
      cl::sub(subcommand)};
  cl::opt<std::string> statistics{
      "stats", cl::value_desc("NAME,..."),
      cl::desc("Max, Min, Avg, Nan, Negative Inf, Positive Inf, L2norm"),
      cl::sub(subcommand)};
  cl::opt<bool> compat{"compat", cl::desc("Print what a device prints"),
                       cl::sub(subcommand)};
  cl::opt<unsigned> threads{"threads", cl::init(0), cl::value_desc("N"),
                            cl::desc("Threads; 0: one for each processor"),
                            cl::sub(subcommand)};
};

} // namespace

Expected<dump::StatisticsFormat> StatsCommand::readFormat() const {
  dump::StatisticsFormat format;
  format.writer = writer;
  format.asDevice = compat;
  if (Status status = checkThreads(threads); !status)
    return status;
  if (output.getNumOccurrences() > 0)
    if (Status status =
            checkOutputFolder(output.getValue(), splitAtCommas(path));
        !status)
      return status;
  if (!statistics.empty())
    format.statistics = splitAtCommas(statistics);
  if (Status status = check(format); !status)
    return std::move(status).withContext("--stats");
  return format;
}

Status StatsCommand::write(const dump::InputFile &input,
                           FileStatistics &file) const {
  const std::string folder = getFolder(input);
  std::string name = input.file.fullName + ".csv";
  if (name.size() > dump::MaxFileNameBytes) { // digits, as on a device
    std::string shortName = dump::makeShortName(folder + "/" + name);
    file.shortNames.emplace_back(shortName, name);
    name = std::move(shortName);
  }
  Expected<dump::OutputFile> csv =
      dump::OutputFile::create(folder + "/" + name);
  if (!csv)
    return csv.takeStatus();
  if (Status status = csv->write(asBytes(file.text)); !status)
    return status;
  return csv->commit();
}

FileStatistics
StatsCommand::summarize(const dump::InputFile &input,
                        const dump::StatisticsFormat &format) const {
  FileStatistics result;
  Expected<dump::DumpFile> file =
      dump::DumpFile::open(input.file.path.string());
  if (!file) {
    result.status = file.takeStatus();
    return result;
  }
  result.text = dump::writeStatistics(file->record(), format);
  if (!output.empty())
    result.status = write(input, result);
  return result;
}

int StatsCommand::run() {
  Expected<dump::StatisticsFormat> format = readFormat();
  if (!format)
    return reportFailure(format.status());
  Expected<std::vector<dump::InputFile>> inputs = dump::collectInput(
      splitAtCommas(path), /*recursive=*/true, [](const std::string &text) {
        llvm::errs() << "warning: " << text << '\n';
      });
  if (!inputs)
    return reportFailure(inputs.status());
  std::map<std::string, dump::ShortNames> shortNames;
  if (!output.empty())
    for (const dump::InputFile &input : *inputs)
      if (shortNames.try_emplace(getFolder(input)).second &&
          !dump::openFolder(getFolder(input)))
        return reportFailure(
            errnoStatus(ErrorKind::Incomplete, getFolder(input), errno));

  int exitCode = 0;
  FileProgress progress;
  dump::runInOrder(
      inputs->size(), threads,
      [&](size_t i) { return summarize((*inputs)[i], *format); },
      [&](size_t i, const FileStatistics &file) {
        if (!file.status) {
          progress.clear();
          exitCode = std::max(exitCode, reportFailure(file.status));
        } else if (output.empty()) {
          llvm::outs() << dump::describeFile((*inputs)[i].file) << ":\n"
                       << file.text;
        }
        if (!output.empty())
          progress.draw(i + 1, inputs->size());
        for (const auto &name : file.shortNames)
          shortNames[getFolder((*inputs)[i])].push_back(name);
      });
  for (const auto &[folder, names] : shortNames)
    if (Status status = dump::addToMapping(folder, names); !status)
      return reportFailure(status);
  return exitCode;
}

std::unique_ptr<DumpCommand> npu::makeStatsCommand() {
  return std::make_unique<StatsCommand>();
}
