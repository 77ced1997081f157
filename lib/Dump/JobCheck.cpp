//===- JobCheck.cpp - What can become a dump file -------------------------===//

#include "JobCheck.h"

using namespace npu;
using namespace npu::dump;

/// Whether \p text is UTF-8 as Unicode defines it: shortest forms, no
/// surrogates, nothing above U+10FFFF.
static bool isUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80)
      continue;
    const unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || text.size() - i < more)
      return false;
    uint32_t point = lead & (0x3fu >> more);
    for (unsigned k = 0; k < more; ++k) {
      const auto next = static_cast<unsigned char>(text[i++]);
      if ((next & 0xc0) != 0x80)
        return false;
      point = point << 6 | (next & 0x3f);
    }
    if ((more == 2 && point < 0x800) || (more == 3 && point < 0x10000) ||
        (point >= 0xd800 && point < 0xe000) || point > 0x10ffff)
      return false;
  }
  return true;
}

static Status checkName(const char *what, const std::string &name) {
  // The manifest is JSON and the header protobuf: both take UTF-8 only.
  const char *fault = nullptr;
  if (name.empty())
    fault = "is empty";
  else if (name.find('\0') != std::string::npos)
    fault = "has a NUL character";
  else if (!isUtf8(name))
    fault = "is not UTF-8";
  if (!fault)
    return Status();
  return Status::error(std::string("the ") + what + " " + fault);
}

static Status checkTensors(const char *kind,
                           const std::vector<DumpTensor> &tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const DumpTensor &tensor = tensors[i];
    std::optional<uint64_t> need =
        getCheckedByteSize(tensor.dtype, tensor.shape);
    const bool anySize = getBitWidth(tensor.dtype) == 0;
    if (need && (anySize || *need == tensor.data.size()))
      continue;
    return Status::error(
        std::string(kind) + " " + std::to_string(i) + ": " +
        std::string(getName(tensor.dtype)) + " " + toString(tensor.shape) +
        " has " + std::to_string(tensor.data.size()) + " bytes, expected " +
        (need ? std::to_string(*need) : "known dimensions that fit in memory"));
  }
  return Status();
}

Status npu::dump::checkJob(const DumpJob &job) {
  Status status = checkName("op type", job.opType);
  if (status)
    status = checkName("op name", job.record.opName);
  if (status && !job.nameInFile.empty())
    status = checkName("name in the file's name", job.nameInFile);
  if (status && job.modelName)
    status = checkName("model name", *job.modelName);
  if (status)
    status = checkTensors("input", job.record.inputs);
  if (status)
    status = checkTensors("output", job.record.outputs);
  return std::move(status).withContext("dump of " + job.record.opName);
}
