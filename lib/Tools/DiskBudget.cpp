//===- DiskBudget.cpp - Whether the dumps of a run find room --------------===//

#include "DiskBudget.h"

#include "GraphRun.h"

#include "npu/Support/File.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <sys/statvfs.h>

using namespace npu;

/// Bytes for the folders and what else is not a dump.
static constexpr uint64_t reserve = uint64_t(64) << 10;

Expected<DumpLimit> npu::parseDumpLimit(llvm::StringRef text) {
  if (text == "any")
    return DumpLimit{true, std::nullopt};
  constexpr llvm::StringLiteral units = "KMGT";
  llvm::StringRef digits = text;
  uint64_t factor = 1;
  if (const size_t unit = units.find(text.empty() ? ' ' : text.back());
      unit != llvm::StringRef::npos) {
    digits = text.drop_back();
    for (size_t i = 0; i <= unit; ++i)
      factor *= 1000;
  }
  uint64_t bytes = 0;
  if (digits.getAsInteger(10, bytes))
    return Status::error("'" + text.str() +
                         "', expected any, or bytes such as 500M (K, M, G, T)");
  return DumpLimit{false, llvm::SaturatingMultiply(bytes, factor)};
}

Expected<DiskBudget> DiskBudget::create(const std::string &folder,
                                        const DumpLimit &limit) {
  struct statvfs info;
  if (::statvfs(folder.c_str(), &info) != 0)
    return errnoStatus(ErrorKind::Usage, "dump path '" + folder + "'", errno);
  DiskBudget budget;
  budget.folder = folder;
  budget.limit = limit;
  budget.blockSize = std::max<uint64_t>(info.f_frsize, 1);
  budget.freeBytes =
      llvm::SaturatingMultiply<uint64_t>(info.f_bavail, budget.blockSize);
  if (info.f_files != 0) // some file systems make files as they need them
    budget.freeFiles = info.f_favail;
  return budget;
}

/// "4096 bytes", "12.3 MB".
static std::string toText(uint64_t bytes) {
  if (bytes < 10000)
    return std::to_string(bytes) + " bytes";
  const char *units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 999.95 && unit + 1 != std::size(units); ++unit)
    value /= 1000;
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f ", value) << units[unit];
  return text;
}

Status DiskBudget::check() const {
  if (total.files == 0)
    return {};
  const char *atMost = total.isBound ? "at most " : "";
  if (isOfOverflows)
    llvm::outs() << "overflow records and dumps: at most "
                 << countText(total.files, "file") << ", ";
  else
    llvm::outs() << "dump: " << countText(total.files, "file") << ", "
                 << atMost;
  llvm::outs() << toText(total.bytes);
  if (numIterations > 1)
    llvm::outs() << " (" << toText(largest.bytes) << " an iteration)";
  if (isOfOverflows)
    llvm::outs() << ", if every node overflows";
  if (total.isGuess)
    llvm::outs() << ", each branch and loop counted once";
  llvm::outs() << "; " << toText(freeBytes) << " free in " << folder << '\n';
  llvm::outs().flush();

  std::string fault;
  const uint64_t need = llvm::SaturatingAdd(total.bytes, reserve);
  if (limit.bytes && total.bytes > *limit.bytes)
    fault = std::string("--dump-budget: the dumps ") +
            (isOfOverflows ? "may take " : "take ") + toText(total.bytes) +
            ", expected at most " + toText(*limit.bytes);
  else if (isOfOverflows)
    return {};
  else if (need > freeBytes)
    fault = "the dumps take " + toText(need) + ", but " + folder + " has " +
            toText(freeBytes) + " free";
  else if (freeFiles && total.files > *freeFiles)
    fault = "the dumps are " + countText(total.files, "file") + ", but " +
            folder + " has room for " + std::to_string(*freeFiles);
  if (fault.empty())
    return {};
  if (limit.isIgnored) {
    llvm::errs() << "warning: " << fault << '\n';
    return {};
  }
  return Status::error(fault + "; less with --dump-step" +
                       (isOfOverflows ? " or --dump-layer"
                                      : ", --dump-layer or --dump-data=stats") +
                       ", or --dump-budget=any to try all the same");
}
