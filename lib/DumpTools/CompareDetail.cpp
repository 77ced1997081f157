//===- CompareDetail.cpp - The largest errors of a tensor, as files -------===//

#include "CompareDetail.h"

#include "npu/Dump/DumpName.h"
#include "npu/Dump/Folder.h"
#include "npu/DumpTools/DumpInput.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>

using namespace npu;
using namespace npu::dump;

static std::string toText(double value) {
  if (std::isnan(value))
    return "nan";
  char text[32];
  return {text, std::to_chars(text, std::end(text), value).ptr};
}

/// "0 2 1": where the number \p index of \p shape is.
static std::string toPosition(uint64_t index, const Shape &shape) {
  std::string text = toIndexText(index, shape);
  text = text.substr(1, text.size() - 2);
  std::replace(text.begin(), text.end(), ',', ' ');
  return text;
}

static std::string makeTable(const std::vector<Difference> &pairs,
                             const Shape &shape) {
  std::string text =
      "Index,Position,NPUDump,GroundTruth,AbsoluteError,RelativeError\n";
  for (const Difference &pair : pairs) {
    const std::optional<double> relative = getRelativeError(pair);
    text += std::to_string(pair.index) + "," + toPosition(pair.index, shape) +
            "," + toText(pair.mine) + "," + toText(pair.golden) + "," +
            toText(getAbsoluteError(pair)) + "," +
            (relative ? toText(*relative) : "-") + "\n";
  }
  return text;
}

Status npu::dump::writeDetail(const CompareRow &row,
                              const std::string &dataIndex, size_t occurrence,
                              const CompareOptions &options) {
  if (!row.result.metrics)
    return {};
  std::string folder = options.folder;
  if (!dataIndex.empty()) {
    folder += "/" + dataIndex;
    if (!openFolder(folder))
      return errnoStatus(ErrorKind::Incomplete, folder, errno);
  }
  std::string name = replaceNameCharacters(row.opName) +
                     (row.isInput ? "_input_" : "_output_") +
                     std::to_string(row.index);
  if (occurrence != 0)
    name += "." + std::to_string(occurrence);
  ShortNames shortNames;
  for (auto [kind, pairs] :
       {std::pair("_absolute", &row.result.worst.absolute),
        std::pair("_relative", &row.result.worst.relative)}) {
    const std::string file = shortenName(name + kind + "_error_topn.csv",
                                         MaxFileNameBytes, shortNames);
    const std::string text = makeTable(*pairs, row.result.shape);
    const ByteView bytes = asBytes(text);
    if (Status status = writeFile(folder + "/" + file, {&bytes, 1}); !status)
      return status;
  }
  return addToMapping(folder, shortNames);
}
