//===- Compare.cpp - Two dumps against each other -------------------------===//

#include "npu/DumpTools/Compare.h"

#include "CompareRow.h"
#include "GoldenIndex.h"
#include "TensorFile.h"

#include "npu/Dump/CsvText.h"
#include "npu/Dump/Folder.h"
#include "npu/Dump/Info.h"
#include "npu/DumpTools/InOrder.h"
#include "npu/Support/Npy.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <set>
#include <unistd.h>

using namespace npu;
using namespace npu::dump;

namespace {

/// A dump file of mine.
struct MineFile {
  ListedFile file;
  std::string name; ///< below the folder that was named
  std::string folder;
  std::optional<DumpName> parsed;
  size_t occurrence = 0; ///< among the dumps of its operator in its folder
};

/// What is read of a golden tensor. The tensor's data is in one of the files.
struct GoldenTensor {
  std::string name;
  DumpTensor tensor;
  bool isArray = false;
  std::optional<DumpFile> dump;
  std::optional<NpyFile> array;
};

class Comparer {
public:
  Comparer(const CompareOptions &options, const CompareObserver &observer,
           GoldenIndex golden)
      : options(options), observer(observer), golden(std::move(golden)) {}

  Expected<CompareSummary> run(std::vector<MineFile> files);

private:
  std::vector<CompareRow> compareFile(const MineFile &file) const;
  CompareRow compareOne(const MineFile &file, const DumpRecord &record,
                        bool isInput, size_t index) const;
  GoldenPlace findGolden(const MineFile &file, const DumpRecord &record,
                         bool isInput, size_t index) const;
  static Expected<GoldenTensor> readGolden(const GoldenPlace &place);
  Expected<off_t> readEarlier(const std::string &header,
                              std::set<std::string> &done);
  Status openOutput(std::set<std::string> &done);
  Status append(const std::string &text);

  const CompareOptions &options;
  const CompareObserver &observer;
  GoldenIndex golden;
  FileDescriptor output;
  CompareSummary summary;
  uint64_t numRows = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// What the original graph calls output \p index of the operator.
static std::optional<OriginalOutput>
getOriginalOutput(const OriginalGraph *graph, const DumpRecord &record,
                  size_t index) {
  if (graph) {
    if (auto op = graph->outputs.find(record.opName);
        op != graph->outputs.end() && index < op->second.size() &&
        !op->second[index].name.empty())
      return op->second[index];
    if (auto op = graph->fusedNames.find(record.opName);
        op != graph->fusedNames.end() && !op->second.empty())
      return OriginalOutput{op->second.back(), static_cast<uint32_t>(index)};
  }
  const std::optional<OriginalOp> &original = record.outputs[index].originalOp;
  if (!original || original->name.empty())
    return std::nullopt;
  const bool isKnown = original->outputIndex != UINT32_MAX;
  return OriginalOutput{original->name, isKnown ? original->outputIndex
                                                : static_cast<uint32_t>(index)};
}

GoldenPlace Comparer::findGolden(const MineFile &file, const DumpRecord &record,
                                 bool isInput, size_t index) const {
  TensorKey key{file.folder, replaceNameCharacters(record.opName), isInput,
                index};
  GoldenPlace place = golden.find(key, file.occurrence);
  if (place.file || isInput)
    return place;
  std::optional<OriginalOutput> original =
      getOriginalOutput(options.graph, record, index);
  if (!original)
    return place;
  key.opName = replaceNameCharacters(original->name);
  key.index = original->index;
  return golden.find(key, file.occurrence);
}

Expected<GoldenTensor> Comparer::readGolden(const GoldenPlace &place) {
  GoldenTensor golden;
  const std::string path = place.file->path.string();
  golden.name = place.file->fullName;
  golden.isArray = place.isArray;
  if (place.isArray) {
    Expected<NpyFile> array = readNpy(path);
    if (!array)
      return array.takeStatus();
    golden.array = std::move(*array);
    golden.tensor.dtype = golden.array->array.dtype;
    golden.tensor.shape = golden.array->array.shape;
    golden.tensor.data = golden.array->array.data;
    return golden;
  }
  Expected<DumpFile> dump = DumpFile::open(path);
  if (!dump)
    return dump.takeStatus();
  golden.dump = std::move(*dump);
  const DumpRecord &record = golden.dump->record();
  const auto &tensors = place.isInput ? record.inputs : record.outputs;
  if (place.index >= tensors.size())
    return Status::error(path + ": has no " +
                         (place.isInput ? "input " : "output ") +
                         std::to_string(place.index));
  golden.tensor = tensors[place.index];
  return golden;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// "float16", or the name of the graph where NumPy has none.
static std::string getTypeName(DataType dtype) {
  if (!getNpyDescr(dtype).empty())
    return getNumpyName(dtype);
  std::string name(getName(dtype).substr(3));
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return name;
}

static double toDouble(const Scalar &scalar) {
  if (const double *value = std::get_if<double>(&scalar))
    return *value;
  if (const int64_t *value = std::get_if<int64_t>(&scalar))
    return static_cast<double>(*value);
  if (const uint64_t *value = std::get_if<uint64_t>(&scalar))
    return static_cast<double>(*value);
  return NAN;
}

/// The ranges of the inputs of an operator with an output that is not finite:
/// they tell a fault of the operator from a bad input.
static std::string describeInputs(const DumpRecord &record) {
  if (record.inputs.empty())
    return "inputs not dumped";
  std::string text;
  for (size_t i = 0; i < record.inputs.size(); ++i) {
    const DumpTensor &input = record.inputs[i];
    text += (i ? "; " : "") + std::to_string(i) + ": ";
    std::optional<ValueRange> range = getValueRange(input.dtype, input.data);
    if (!range) {
      text += std::string(getName(input.dtype));
      continue;
    }
    char numbers[64];
    std::snprintf(numbers, sizeof(numbers), "%.9g to %.9g",
                  toDouble(range->minimum), toDouble(range->maximum));
    text += numbers;
    if (range->nans != 0)
      text += ", " + std::to_string(range->nans) + " nan";
  }
  return text;
}

CompareRow Comparer::compareOne(const MineFile &file, const DumpRecord &record,
                                bool isInput, size_t index) const {
  const DumpTensor &tensor = (isInput ? record.inputs : record.outputs)[index];
  CompareRow row;
  row.opType = file.parsed ? file.parsed->opType : std::string();
  row.opName = record.opName;
  row.mineName = file.name;
  if (options.compat)
    row.opName = row.mineName = file.parsed ? file.parsed->opName : file.name;
  row.mineType = getTypeName(tensor.dtype);
  row.mineAddress = tensor.address;
  row.isInput = isInput;
  row.index = index;
  row.mineShape = row.result.shape = tensor.shape;
  if (options.overflowColumn && tensor.dtype == DataType::Float16)
    if (std::optional<ValueRange> range =
            getValueRange(tensor.dtype, tensor.data))
      row.overflow = toDouble(range->maximum) >= 65504 ||
                     toDouble(range->minimum) <= -65504;
  const GoldenPlace place = findGolden(file, record, isInput, index);
  if (!place.file) {
    row.result.verdict = Verdict::Missing;
    row.result.reason = "no golden tensor";
    return row;
  }
  Expected<GoldenTensor> golden = readGolden(place);
  if (!golden) {
    row.goldenName = place.file->fullName;
    row.result.verdict = Verdict::Error;
    row.result.reason = golden.status().message();
    return row;
  }
  row.goldenName = golden->name;
  if (options.compat)
    if (std::optional<DumpName> name = parseFileName(golden->name))
      row.goldenName = name->opName;
  row.goldenType = getTypeName(golden->tensor.dtype);
  if (!golden->isArray)
    row.goldenAddress = golden->tensor.address;
  row.result = compareTensors(tensor, golden->tensor, options);
  if (!isInput && row.result.metrics && row.result.metrics->mine.any())
    row.inputRanges = describeInputs(record);
  return row;
}

std::vector<CompareRow> Comparer::compareFile(const MineFile &file) const {
  std::vector<CompareRow> rows;
  Expected<DumpFile> dump = DumpFile::open(file.file.path.string());
  if (!dump) {
    CompareRow &row = rows.emplace_back();
    row.mineName = file.name;
    row.result.verdict = Verdict::Error;
    row.result.reason = dump.status().message();
    return rows;
  }
  const DumpRecord &record = dump->record();
  for (size_t i = 0; i < record.inputs.size(); ++i)
    rows.push_back(compareOne(file, record, true, i));
  for (size_t i = 0; i < record.outputs.size(); ++i)
    rows.push_back(compareOne(file, record, false, i));
  return rows;
}

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

static Verdict parseVerdict(std::string_view name) {
  for (Verdict verdict :
       {Verdict::Pass, Verdict::Fail, Verdict::Skip, Verdict::Missing})
    if (getName(verdict) == name)
      return verdict;
  return Verdict::Error;
}

Status Comparer::append(const std::string &text) {
  if (int error = writeAll(output.get(), asBytes(text)))
    return errnoStatus(ErrorKind::Incomplete, summary.path, error);
  return Status();
}

/// Reads the rows of an earlier run. Returns the bytes up to the last file
/// whose rows are certainly all there: those of another follow. \p done gets
/// these files.
Expected<off_t> Comparer::readEarlier(const std::string &header,
                                      std::set<std::string> &done) {
  Expected<MappedFile> file = MappedFile::open(summary.path);
  if (!file)
    return file.takeStatus();
  std::string_view text(reinterpret_cast<const char *>(file->bytes().data()),
                        file->bytes().size());
  if (!text.starts_with(header))
    return Status::error(summary.path +
                         ": not a result with the same columns, expected one "
                         "to go on with");
  const char *start = text.data();
  std::vector<std::string> names, cells;
  takeCsvRow(text, names);
  auto getColumn = [&](std::string_view name) {
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) -
                               names.begin());
  };
  const size_t fileColumn = getColumn("NPUDump");
  const size_t verdictColumn = getColumn("Verdict");
  auto keep = static_cast<off_t>(header.size());
  std::string current;
  std::vector<Verdict> verdicts;
  while (true) {
    const auto offset = static_cast<off_t>(text.data() - start);
    if (!takeCsvRow(text, cells) || cells.size() != names.size())
      break;
    if (cells[fileColumn] != current) {
      if (!current.empty())
        done.insert(current);
      for (Verdict verdict : verdicts)
        ++summary.numTensors[verdict];
      numRows += verdicts.size();
      verdicts.clear();
      current = cells[fileColumn];
      keep = offset;
    }
    verdicts.push_back(parseVerdict(cells[verdictColumn]));
  }
  summary.numResumed = numRows;
  return keep;
}

/// Opens the CSV file: a new one, or one to go on with, whose files \p done
/// gets.
Status Comparer::openOutput(std::set<std::string> &done) {
  if (!openFolder(options.folder))
    return errnoStatus(ErrorKind::Incomplete, options.folder, errno);
  summary.path = options.folder + "/" +
                 (options.compat ? "result_" + options.time : "compare") +
                 ".csv";
  const std::string header = getCompareHeader(options, golden.hasArrays());
  off_t keep = 0;
  if (options.resume && ::access(summary.path.c_str(), F_OK) == 0) {
    Expected<off_t> end = readEarlier(header, done);
    if (!end)
      return end.takeStatus();
    keep = *end;
  }
  output = FileDescriptor(::open(
      summary.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0600));
  if (!output || ::ftruncate(output.get(), keep) != 0)
    return errnoStatus(ErrorKind::Incomplete, summary.path, errno);
  return keep == 0 ? append(header) : Status();
}

Expected<CompareSummary> Comparer::run(std::vector<MineFile> files) {
  std::set<std::string> done;
  if (Status status = openOutput(done); !status)
    return status;
  if (!done.empty())
    std::erase_if(
        files, [&](const MineFile &file) { return done.contains(file.name); });
  Status failure;
  runInOrder(
      files.size(), options.numThreads,
      [&](size_t i) { return compareFile(files[i]); },
      [&](size_t i, const std::vector<CompareRow> &rows) {
        std::string text;
        for (const CompareRow &row : rows) {
          text += toCsv(row, numRows++, options, golden.hasArrays());
          ++summary.numTensors[row.result.verdict];
        }
        if (failure.ok())
          failure = append(text);
        observer.fileDone(i + 1, files.size());
      });
  if (!failure)
    return failure;
  summary.numGoldenUnused = golden.numUnused();
  return summary;
}

/// The dump files of mine, in the order in which they were written.
static Expected<std::vector<MineFile>>
collectMine(const CompareOptions &options, const CompareObserver &observer) {
  Expected<std::vector<InputFile>> inputs =
      collectInput({&options.mine, 1}, /*recursive=*/true, observer.warning);
  if (!inputs)
    return inputs.takeStatus();
  std::vector<MineFile> files;
  for (InputFile &input : *inputs) {
    if (input.file.path.extension() == ".npy")
      continue;
    MineFile &file = files.emplace_back();
    file.parsed = parseFileName(input.file.fullName);
    file.folder = getDataIndexFolder(input.subfolder);
    file.name = (input.subfolder.empty() ? "" : input.subfolder + "/") +
                input.file.fullName;
    file.file = std::move(input.file);
  }
  auto order = [](const MineFile &file) {
    return std::tuple(file.folder.size(), std::string_view(file.folder),
                      file.parsed ? file.parsed->timestamp : 0,
                      std::string_view(file.name));
  };
  std::sort(files.begin(), files.end(),
            [&](const MineFile &left, const MineFile &right) {
              return order(left) < order(right);
            });
  std::map<std::pair<std::string_view, std::string_view>, size_t> seen;
  for (MineFile &file : files)
    if (file.parsed)
      file.occurrence = seen[{file.folder, file.parsed->opName}]++;
  return files;
}

Expected<CompareSummary>
npu::dump::compareDumps(const CompareOptions &options,
                        const CompareObserver &observer) {
  Expected<std::vector<MineFile>> files = collectMine(options, observer);
  if (!files)
    return files.takeStatus();
  Expected<GoldenIndex> golden =
      GoldenIndex::create(options.golden, observer.warning);
  if (!golden)
    return golden.takeStatus();
  return Comparer(options, observer, std::move(*golden)).run(std::move(*files));
}
