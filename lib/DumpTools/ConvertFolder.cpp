//===- ConvertFolder.cpp - Converts all dump files of folders -------------===//

#include "npu/Dump/Folder.h"
#include "npu/DumpTools/Convert.h"
#include "npu/DumpTools/DumpInput.h"
#include "npu/DumpTools/InOrder.h"

#include <atomic>
#include <cerrno>
#include <map>
#include <set>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;

static std::string getOutputFolder(const ConvertOptions &options,
                                   const InputFile &input) {
  return input.subfolder.empty() ? options.folder
                                 : options.folder + "/" + input.subfolder;
}

/// Makes the folders that the files go to.
static Status makeFolders(const ConvertOptions &options,
                          const std::vector<InputFile> &inputs) {
  std::set<std::string> folders = {options.folder};
  for (const InputFile &input : inputs)
    folders.insert(getOutputFolder(options, input));
  for (const std::string &folder : folders)
    if (!openFolder(folder))
      return errnoStatus(ErrorKind::Incomplete, folder, errno);
  return Status();
}

/// Leaves the list of \p failed files, or none where all is well.
static Status writeFailedList(const std::string &folder,
                              const std::string &failed) {
  const std::string path = folder + "/convert_failed_file_list.txt";
  if (failed.empty()) {
    ::unlink(path.c_str()); // that of an earlier run
    return Status();
  }
  const ByteView bytes = asBytes(failed);
  return writeFile(path, {&bytes, 1});
}

/// Whether the disk of \p folder is full: then it is to all other files as
/// well.
static bool isFull(const std::string &folder) {
  struct statvfs info;
  return ::statvfs(folder.c_str(), &info) == 0 &&
         (info.f_bavail == 0 || (info.f_files != 0 && info.f_favail == 0));
}

Expected<ConvertSummary>
npu::dump::convertDumps(std::span<const std::string> paths,
                        const ConvertOptions &options,
                        const ConvertObserver &observer) {
  Expected<std::vector<InputFile>> inputs =
      collectInput(paths, /*recursive=*/!options.compat, observer.warning);
  if (!inputs)
    return inputs.takeStatus();
  if (Status status = makeFolders(options, *inputs); !status)
    return status;

  ConvertSummary summary;
  summary.numFiles = inputs->size();
  std::string failed;
  std::map<std::string, ShortNames> shortNames;
  std::atomic<bool> diskIsFull = false;
  runInOrder(
      inputs->size(), options.numThreads,
      [&](size_t i) {
        ConvertedFile file;
        file.isSkipped = diskIsFull;
        if (file.isSkipped)
          return file;
        file = convertFile((*inputs)[i].file,
                           getOutputFolder(options, (*inputs)[i]), options);
        if (file.incomplete && isFull(options.folder))
          diskIsFull = true;
        return file;
      },
      [&](size_t i, ConvertedFile &file) {
        summary.numWritten += file.numWritten;
        summary.numKept += file.numKept;
        summary.incomplete |= file.incomplete;
        summary.numSkipped += file.isSkipped;
        if (!file.faults.empty() || file.isSkipped) {
          ++summary.numFailed;
          failed += (*inputs)[i].file.path.string() + "\n";
        }
        if (!file.shortNames.empty()) {
          ShortNames &names =
              shortNames[getOutputFolder(options, (*inputs)[i])];
          names.insert(names.end(), file.shortNames.begin(),
                       file.shortNames.end());
        }
        observer.fileDone(file, i + 1, inputs->size());
      });
  for (const auto &[folder, names] : shortNames)
    if (Status status = addToMapping(folder, names); !status)
      return status;
  if (Status status = writeFailedList(options.folder, failed);
      !status && !diskIsFull)
    return status;
  return summary;
}
