//===- DumpOverflow.cpp - npu-dump overflow -------------------------------===//

#include "CommandLine.h"
#include "DumpCommands.h"

#include "npu/Dump/Folder.h"
#include "npu/Dump/OverflowRecords.h"
#include "npu/DumpTools/Convert.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;
namespace cl = llvm::cl;

/// What a person needs to know of \p record, the \p number-th.
static std::string describeRecord(const dump::OverflowRecord &record,
                                  size_t number) {
  std::string text = std::to_string(number) + ". ";
  if (record.dataIndex)
    text += "data index " + std::to_string(*record.dataIndex) + ", ";
  text += "time " + std::to_string(record.file.name->timestamp) + "\n  ";
  if (!record.file.fault.empty())
    return text + "error: " + record.file.fault + "\n";
  text += toString(*record.file.opDebug) + "\n  " + record.file.path + "\n";
  if (!record.op)
    return text + "  the dump of the operator is not in the same folder\n";
  const std::string table = dump::toTable({*record.op});
  for (llvm::StringRef line : llvm::split(llvm::StringRef(table).rtrim(), '\n'))
    text += "  " + line.str() + "\n";
  return text;
}

namespace {

/// npu-dump overflow: the overflow records of a dump, the first one on top: the
/// others often follow from it.
class OverflowCommand : public DumpCommand {
public:
  OverflowCommand()
      : DumpCommand("overflow", "Show overflow records and their operators") {}

  int run() override;

private:
  Status writeFiles(llvm::ArrayRef<dump::OverflowRecord> records,
                    const std::string &text) const;

  cl::opt<std::string> path{"d", cl::Required, cl::value_desc("FOLDER"),
                            cl::desc("Folder with a dump of overflows"),
                            cl::sub(subcommand)};
  cl::alias pathName{"dump-path", cl::desc("Same as -d"), cl::aliasopt(path)};
  cl::opt<std::string> output{
      "out", cl::value_desc("FOLDER"),
      cl::desc("Where the summary, the records as JSON and the operators' "
               "tensors as .npy go"),
      cl::sub(subcommand)};
  cl::alias outputName{"output", cl::desc("Same as -out"),
                       cl::aliasopt(output)};
  cl::opt<unsigned> top{"n", cl::value_desc("N"),
                        cl::desc("Only the first N records"),
                        cl::sub(subcommand)};
  cl::alias topName{"top-n", cl::desc("Same as -n"), cl::aliasopt(top)};
};

} // namespace

/// Writes the summary, and what convert makes of the records and operators.
Status OverflowCommand::writeFiles(llvm::ArrayRef<dump::OverflowRecord> records,
                                   const std::string &text) const {
  if (!dump::openFolder(output))
    return errnoStatus(ErrorKind::Incomplete, output, errno);
  dump::ConvertOptions options;
  options.folder = output;
  for (const dump::OverflowRecord &record : records) {
    std::vector<const dump::FileInfo *> files = {&record.file};
    if (record.op)
      files.push_back(&*record.op);
    for (const dump::FileInfo *file : files) {
      const dump::ConvertedFile converted =
          dump::convertFile({file->path, file->fileName}, output, options);
      for (const std::string &fault : converted.faults)
        llvm::errs() << "error: " << converted.name << ": " << fault << '\n';
      if (converted.incomplete)
        return Status::error(ErrorKind::Incomplete, "");
    }
  }
  const ByteView bytes = asBytes(text);
  return writeFile(output + "/overflow_summary.txt", {&bytes, 1});
}

int OverflowCommand::run() {
  if (top.getNumOccurrences() > 0 && top == 0)
    return reportFailure(Status::error("-n 0: expected at least 1"));
  Expected<std::vector<dump::OverflowRecord>> records =
      dump::collectOverflowRecords(path);
  if (!records)
    return reportFailure(records.status());
  const size_t numAll = records->size();
  if (top != 0 && numAll > top)
    records->resize(top);
  std::string text;
  bool anyFault = false;
  for (size_t i = 0; i < records->size(); ++i) {
    text += describeRecord((*records)[i], i + 1);
    anyFault |= !(*records)[i].file.fault.empty();
  }
  if (numAll == 0)
    text = path + ": no overflow record\n";
  else if (numAll > records->size())
    text += std::to_string(numAll - records->size()) + " more\n";
  llvm::outs() << text;
  if (!output.empty() && numAll != 0)
    if (Status status = writeFiles(*records, text); !status)
      return reportFailure(status);
  return anyFault ? 1 : 0;
}

std::unique_ptr<DumpCommand> npu::makeOverflowCommand() {
  return std::make_unique<OverflowCommand>();
}
