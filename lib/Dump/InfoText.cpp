//===- InfoText.cpp - Dump files as a table and as JSON -------------------===//

#include "npu/Dump/Info.h"

#include "Json.h"

#include <charconv>
#include <cmath>

using namespace npu;
using namespace npu::dump;

/// The shortest text that reads back as the same value.
static std::string toText(const Scalar &scalar) {
  if (std::holds_alternative<std::monostate>(scalar))
    return "-";
  char text[32];
  char *end = std::visit(
      [&](auto value) -> char * {
        if constexpr (std::is_same_v<decltype(value), std::monostate>)
          return text;
        else
          return std::to_chars(text, std::end(text), value).ptr;
      },
      scalar);
  return std::string(text, static_cast<size_t>(end - text));
}

static std::string describeTensor(const TensorInfo &info) {
  const DumpTensor &tensor = info.tensor;
  std::string line = info.isInput ? "  input " : "  output ";
  line += std::to_string(info.index) + ": ";
  line += getTypeName(tensor) + " " + toString(tensor.shape) + " " +
          std::string(getName(tensor.format));
  if (tensor.subFormat != 0)
    line += ":" + std::to_string(tensor.subFormat);
  if (tensor.originalShape != tensor.shape)
    line += " of " + toString(tensor.originalShape);
  line += ", " + std::to_string(tensor.size) + " bytes";
  if (const std::optional<ValueRange> &range = info.range) {
    line +=
        ", min " + toText(range->minimum) + ", max " + toText(range->maximum);
    if (range->nans != 0)
      line += ", " + std::to_string(range->nans) + " nan";
    if (range->positiveInfs != 0)
      line += ", " + std::to_string(range->positiveInfs) + " inf";
    if (range->negativeInfs != 0)
      line += ", " + std::to_string(range->negativeInfs) + " -inf";
  }
  return line + "\n";
}

std::string npu::dump::toTable(const std::vector<FileInfo> &files) {
  std::string text;
  for (const FileInfo &file : files) {
    if (!file.fault.empty()) {
      text += "error: " + file.fault + "\n";
      continue;
    }
    text += file.path + "\n";
    if (file.name)
      text += "  " + file.name->opType + " ";
    else
      text += "  ";
    text += file.opName + " at " + std::to_string(file.dumpTime);
    if (file.trailingBytes != 0)
      text += ", followed by " + std::to_string(file.trailingBytes) +
              " unexpected bytes";
    text += "\n";
    if (file.opDebug) {
      text += "  " + toString(*file.opDebug) + "\n";
      continue; // the bytes of the record say nothing as a tensor
    }
    for (const TensorInfo &tensor : file.tensors)
      text += describeTensor(tensor);
  }
  return text;
}

static Json toJson(const Scalar &scalar) {
  if (const double *value = std::get_if<double>(&scalar))
    return std::isfinite(*value) ? Json(*value) : Json(toText(scalar));
  if (const int64_t *value = std::get_if<int64_t>(&scalar))
    return *value;
  if (const uint64_t *value = std::get_if<uint64_t>(&scalar))
    return *value;
  return nullptr;
}

static Json toJson(const TensorInfo &info) {
  const DumpTensor &tensor = info.tensor;
  Json json = {{"io", info.isInput ? "input" : "output"},
               {"index", info.index},
               {"dtype", getTypeName(tensor)},
               {"format", getName(tensor.format)},
               {"sub_format", tensor.subFormat},
               {"shape", tensor.shape},
               {"original_shape", tensor.originalShape},
               {"size", tensor.size},
               {"offset", info.fileOffset},
               {"address", tensor.address}};
  if (const std::optional<OriginalOp> &op = tensor.originalOp)
    json["original_op"] = {{"name", op->name},
                           {"output_index", op->outputIndex},
                           {"data_type", op->dtypeRuntimeNumber},
                           {"format", op->format}};
  if (const std::optional<ValueRange> &range = info.range) {
    json["count"] = range->count;
    json["min"] = toJson(range->minimum);
    json["max"] = toJson(range->maximum);
    json["nan_count"] = range->nans;
    json["inf_count"] = range->positiveInfs;
    json["negative_inf_count"] = range->negativeInfs;
  }
  return json;
}

std::string npu::dump::toJson(const std::vector<FileInfo> &files) {
  Json array = Json::array();
  for (const FileInfo &file : files) {
    Json json = {{"path", file.path}, {"file_name", file.fileName}};
    if (!file.fault.empty()) {
      json["fault"] = file.fault;
      array.push_back(std::move(json));
      continue;
    }
    if (file.name) {
      json["op_type"] = file.name->opType;
      json["task_id"] = file.name->taskId;
      if (file.name->streamId)
        json["stream_id"] = *file.name->streamId;
      json["timestamp"] = file.name->timestamp;
    }
    json["op_name"] = file.opName;
    json["dump_time"] = file.dumpTime;
    json["trailing_bytes"] = file.trailingBytes;
    if (file.opDebug) {
      json["overflow"] = Json::parse(toJson(*file.opDebug));
      json["overflow_text"] = toString(*file.opDebug);
    }
    json["tensors"] = Json::array();
    for (const TensorInfo &tensor : file.tensors)
      json["tensors"].push_back(::toJson(tensor));
    array.push_back(std::move(json));
  }
  return toText(array, 2) + "\n";
}
