//===- Compare.cpp - Two dumps against each other -------------------------===//

#include "npu/DumpTools/Compare.h"

#include "CompareDetail.h"
#include "CompareRow.h"
#include "CompareStatistics.h"
#include "MineFiles.h"
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

/// What is read of a golden tensor: a tensor, whose data is in one of the
/// files, or its statistics.
struct GoldenTensor {
  std::string name;
  DumpTensor tensor;
  std::optional<TensorSummary> summary;
  std::optional<DumpFile> dump;
  std::optional<NpyFile> array;

  /// The statistics, made of the tensor where there is one.
  TensorSummary summarize() const {
    return summary ? *summary : npu::dump::summarize(tensor);
  }
};

class Comparer {
public:
  Comparer(const CompareOptions &options, const CompareObserver &observer,
           GoldenIndex golden);

  Expected<CompareSummary> run(std::vector<MineFile> files);

private:
  std::vector<CompareRow> compareFile(const MineFile &file) const;
  std::vector<CompareRow> compareStatisticsFile(const MineFile &file) const;
  std::vector<CompareRow> compareArray(const MineFile &file) const;
  CompareRow compareOne(const MineFile &file, const DumpRecord &record,
                        const DumpTensor &tensor, bool isInput,
                        size_t index) const;
  CompareRow compareRow(const MineFile &file, const StatisticsFile &statistics,
                        const StatisticsRow &mine) const;
  GoldenPlace findGolden(const MineFile &file, const std::string &opName,
                         bool isInput, size_t index,
                         const std::optional<OriginalOp> &original) const;
  std::optional<OriginalOutput>
  getOriginalOutput(const std::string &opName, size_t index,
                    const std::optional<OriginalOp> &original) const;
  /// Whether a tensor of the operators that are looked at is wanted.
  bool isSelected(bool isInput, size_t index) const {
    const auto &[opName, input, output, numWorst] = options.selection;
    if (!input && !output)
      return true;
    return isInput ? input == index : output == index;
  }
  static Expected<GoldenTensor> readGolden(const GoldenPlace &place);
  std::optional<GoldenTensor> useGolden(const GoldenPlace &place,
                                        CompareRow &row) const;
  Expected<off_t> readEarlier(const std::string &header,
                              std::set<std::string> &done);
  Status openOutput(std::set<std::string> &done);
  Status append(const std::string &text);

  const CompareOptions &options;
  const CompareObserver &observer;
  GoldenIndex golden;
  /// Operators of the graph by their names with replaced characters, which is
  /// all that statistics tell.
  std::map<std::string, std::string> graphNames;
  FileDescriptor output;
  CompareSummary summary;
  uint64_t numRows = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

Comparer::Comparer(const CompareOptions &options,
                   const CompareObserver &observer, GoldenIndex golden)
    : options(options), observer(observer), golden(std::move(golden)) {
  if (!options.graph)
    return;
  for (const auto &[name, outputs] : options.graph->outputs)
    graphNames.emplace(replaceNameCharacters(name), name);
  for (const auto &[name, fused] : options.graph->fusedNames)
    graphNames.emplace(replaceNameCharacters(name), name);
}

/// What the original graph calls output \p index of the operator. \p original
/// is what the dump says.
std::optional<OriginalOutput>
Comparer::getOriginalOutput(const std::string &opName, size_t index,
                            const std::optional<OriginalOp> &original) const {
  if (const OriginalGraph *graph = options.graph) {
    if (auto op = graph->outputs.find(opName); op != graph->outputs.end() &&
                                               index < op->second.size() &&
                                               !op->second[index].name.empty())
      return op->second[index];
    if (auto op = graph->fusedNames.find(opName);
        op != graph->fusedNames.end() && !op->second.empty())
      return OriginalOutput{op->second.back(), static_cast<uint32_t>(index)};
  }
  if (!original || original->name.empty())
    return std::nullopt;
  const bool isKnown = original->outputIndex != UINT32_MAX;
  return OriginalOutput{original->name, isKnown ? original->outputIndex
                                                : static_cast<uint32_t>(index)};
}

GoldenPlace
Comparer::findGolden(const MineFile &file, const std::string &opName,
                     bool isInput, size_t index,
                     const std::optional<OriginalOp> &original) const {
  auto find = [&](const std::string &name, size_t at) {
    TensorKey key{file.folder, replaceNameCharacters(name), isInput, at};
    const bool isStatistics = file.file.isStatistics();
    GoldenPlace place = golden.find(key, file.occurrence, isStatistics);
    if (place.file || !file.folder.empty())
      return place;
    key.folder = file.ownFolder; // mine is of one iteration, golden of several
    return golden.find(key, file.occurrence, isStatistics);
  };
  GoldenPlace place = find(opName, index);
  if (!place.file && file.parsed) // the header may say it in another way
    place = find(file.parsed->opName, index);
  if (!place.file && file.array && file.isOneFile)
    place = golden.onlyArray();
  if (place.file || isInput)
    return place;
  std::optional<OriginalOutput> output =
      getOriginalOutput(opName, index, original);
  return output ? find(output->name, output->index) : place;
}

static Status missingTensor(const GoldenPlace &place) {
  return Status::error(place.file->path.string() + ": has no " +
                       (place.isInput ? "input " : "output ") +
                       std::to_string(place.index));
}

Expected<GoldenTensor> Comparer::readGolden(const GoldenPlace &place) {
  GoldenTensor golden;
  const std::string path = place.file->path.string();
  golden.name = place.file->fullName;
  if (place.kind == GoldenKind::Statistics) {
    Expected<StatisticsFile> file = StatisticsFile::open(path);
    if (!file)
      return file.takeStatus();
    const StatisticsRow *row = file->find(place.isInput, place.index);
    if (!row)
      return missingTensor(place);
    golden.summary = TensorSummary{*row, file->hasSixDigits};
    return golden;
  }
  if (place.kind == GoldenKind::Array) {
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
    return missingTensor(place);
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

/// The same, of statistics.
static std::string describeInputs(const StatisticsFile &file) {
  std::string text;
  for (const StatisticsRow &row : file.rows) {
    if (!isInput(row))
      continue;
    auto cell = [&](StatisticsColumn column) {
      return row[column] && !row[column]->empty() ? *row[column]
                                                  : std::string("?");
    };
    text += (text.empty() ? "" : "; ") + cell(StatisticsColumn::Index) + ": " +
            cell(StatisticsColumn::Min) + " to " + cell(StatisticsColumn::Max);
    if (const uint64_t nans = getNonFinite(row).nans)
      text += ", " + std::to_string(nans) + " nan";
  }
  return text.empty() ? "inputs not dumped" : text;
}

/// Whether float16 with these extremes has values that overflowed.
static bool reachesLimit(double minimum, double maximum) {
  return maximum >= 65504 || minimum <= -65504;
}

/// Reads the golden tensor and says in \p row which it is, or why there is
/// none.
std::optional<GoldenTensor> Comparer::useGolden(const GoldenPlace &place,
                                                CompareRow &row) const {
  if (!place.file) {
    row.result.verdict = Verdict::Missing;
    row.result.reason = "no golden tensor";
    return std::nullopt;
  }
  row.goldenName = place.file->fullName;
  Expected<GoldenTensor> golden = readGolden(place);
  if (!golden) {
    row.result.verdict = Verdict::Error;
    row.result.reason = golden.status().message();
    return std::nullopt;
  }
  if (options.compat)
    if (std::optional<DumpName> name = place.file->parseName())
      row.goldenName = name->opName;
  const std::optional<DataType> type = golden->summary
                                           ? getDataType(golden->summary->row)
                                           : golden->tensor.dtype;
  row.goldenType = type ? getTypeName(*type) : std::string();
  if (golden->dump)
    row.goldenAddress = golden->tensor.address;
  return std::move(*golden);
}

CompareRow Comparer::compareOne(const MineFile &file, const DumpRecord &record,
                                const DumpTensor &tensor, bool isInput,
                                size_t index) const {
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
      row.overflow =
          reachesLimit(toDouble(range->minimum), toDouble(range->maximum));
  const std::optional<GoldenTensor> golden =
      useGolden(findGolden(file, record.opName, isInput, index,
                           isInput ? std::nullopt : tensor.originalOp),
                row);
  if (!golden)
    return row;
  if (golden->summary)
    row.result = compareStatistics(summarize(tensor), *golden->summary,
                                   options.tolerance);
  else
    row.result = compareTensors(tensor, golden->tensor, options);
  if (!isInput && row.result.isNotFinite())
    row.inputRanges = describeInputs(record);
  return row;
}

CompareRow Comparer::compareRow(const MineFile &file,
                                const StatisticsFile &statistics,
                                const StatisticsRow &mine) const {
  CompareRow row;
  if (file.parsed) {
    row.opType = file.parsed->opType;
    auto name = graphNames.find(file.parsed->opName);
    row.opName = name == graphNames.end() ? file.parsed->opName : name->second;
  }
  row.mineName = file.name;
  const std::optional<DataType> type = getDataType(mine);
  row.mineType = type ? getTypeName(*type) : std::string();
  row.isInput = isInput(mine);
  row.index = *getIndex(mine);
  row.mineShape = row.result.shape = getShape(mine);
  if (options.overflowColumn && type == DataType::Float16)
    row.overflow = reachesLimit(getNumber(mine, StatisticsColumn::Min),
                                getNumber(mine, StatisticsColumn::Max));
  const std::optional<GoldenTensor> golden = useGolden(
      findGolden(file, row.opName, row.isInput, row.index, std::nullopt), row);
  if (!golden)
    return row;
  row.result = compareStatistics({mine, statistics.hasSixDigits},
                                 golden->summarize(), options.tolerance);
  if (!row.isInput && row.result.isNotFinite())
    row.inputRanges = describeInputs(statistics);
  return row;
}

static CompareRow makeFaultyRow(const MineFile &file, const Status &fault) {
  CompareRow row;
  row.mineName = file.name;
  row.result.verdict = Verdict::Error;
  row.result.reason = fault.message();
  return row;
}

std::vector<CompareRow>
Comparer::compareStatisticsFile(const MineFile &file) const {
  std::vector<CompareRow> rows;
  Expected<StatisticsFile> statistics =
      StatisticsFile::open(file.file.path.string());
  if (!statistics)
    return {makeFaultyRow(file, statistics.status())};
  for (const StatisticsRow &row : statistics->rows)
    if (isSelected(isInput(row), *getIndex(row)))
      rows.push_back(compareRow(file, *statistics, row));
  return rows;
}

/// An array is compared as a dump of its tensor alone would be.
std::vector<CompareRow> Comparer::compareArray(const MineFile &file) const {
  Expected<NpyFile> array = readNpy(file.file.path.string());
  if (!array)
    return {makeFaultyRow(file, array.status())};
  DumpRecord record;
  record.opName = file.array->opName;
  const size_t index = file.array->index;
  if (!isSelected(file.array->isInput, index))
    return {};
  auto &tensors = file.array->isInput ? record.inputs : record.outputs;
  DumpTensor tensor;
  tensor.dtype = array->array.dtype;
  tensor.shape = array->array.shape;
  tensor.data = array->array.data;
  tensors.push_back(std::move(tensor));
  return {
      compareOne(file, record, tensors.front(), file.array->isInput, index)};
}

std::vector<CompareRow> Comparer::compareFile(const MineFile &file) const {
  if (file.file.isStatistics())
    return compareStatisticsFile(file);
  if (file.array)
    return compareArray(file);
  std::vector<CompareRow> rows;
  Expected<DumpFile> dump = DumpFile::open(file.file.path.string());
  if (!dump)
    return {makeFaultyRow(file, dump.status())};
  const DumpRecord &record = dump->record();
  for (size_t i = 0; i < record.inputs.size(); ++i)
    if (isSelected(true, i))
      rows.push_back(compareOne(file, record, record.inputs[i], true, i));
  for (size_t i = 0; i < record.outputs.size(); ++i)
    if (isSelected(false, i))
      rows.push_back(compareOne(file, record, record.outputs[i], false, i));
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
  const ByteView start =
      file->bytes().first(std::min(file->bytes().size(), header.size()));
  if (!std::ranges::equal(start, asBytes(header)))
    return Status::error(summary.path +
                         ": not a result with the same columns, expected one "
                         "to go on with");
  CsvFileReader reader(*file);
  std::vector<std::string> names, cells;
  reader.takeRow(names);
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
    const auto offset = static_cast<off_t>(reader.offset());
    if (!reader.takeRow(cells) || cells.size() != names.size())
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
          if (failure.ok() && options.selection.numWorst != 0)
            failure =
                writeDetail(row, files[i].folder, files[i].occurrence, options);
          text += toCsv(row, numRows++, options, golden.hasArrays());
          ++summary.numTensors[row.result.verdict];
        }
        if (failure.ok())
          failure = append(text);
        observer.fileDone(i + 1, files.size());
      });
  if (!failure)
    return failure;
  // Which golden files earlier rows had is not known.
  if (done.empty() && options.selection.opName.empty())
    summary.numGoldenUnused = golden.numUnused();
  return summary;
}

Expected<CompareSummary>
npu::dump::compareDumps(const CompareOptions &options,
                        const CompareObserver &observer) {
  Expected<std::vector<MineFile>> files =
      collectMine(options, observer.warning);
  if (!files)
    return files.takeStatus();
  Expected<GoldenIndex> golden =
      GoldenIndex::create(options.golden, observer.warning);
  if (!golden)
    return golden.takeStatus();
  return Comparer(options, observer, std::move(*golden)).run(std::move(*files));
}
