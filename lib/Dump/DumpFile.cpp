//===- DumpFile.cpp - The bytes of a dump file ----------------------------===//

#include "npu/Dump/DumpFile.h"

#include "dump_data.pb.h"

#include <bit>
#include <climits>
#include <cstring>

using namespace npu;
using namespace npu::dump;

static_assert(std::endian::native == std::endian::little,
              "dump files are little-endian and read in place");

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void setShape(dumpdata::Shape *message, const Shape &shape) {
  for (int64_t dim : shape)
    message->add_dim(static_cast<uint64_t>(dim));
}

/// The fields that inputs and outputs share under different numbers.
template <typename Message>
static void setTensor(Message *message, const DumpTensor &tensor) {
  message->set_data_type(tensor.unknownType
                             ? tensor.unknownType
                             : static_cast<int32_t>(tensor.dtype));
  message->set_format(static_cast<int32_t>(tensor.format));
  message->set_sub_format(tensor.subFormat);
  // mutable_ makes the message present even when it has no dimensions.
  setShape(message->mutable_shape(), tensor.shape);
  setShape(message->mutable_original_shape(), tensor.originalShape);
  message->set_size(tensor.size);
  message->set_address(tensor.address);
  message->set_offset(tensor.offset);
}

std::string npu::dump::serializeHeader(const DumpRecord &record) {
  dumpdata::DumpData message;
  message.set_version(record.version);
  message.set_dump_time(record.dumpTime);
  message.set_op_name(record.opName);
  message.set_dfx_message(record.dfxMessage);
  for (const DumpTensor &tensor : record.inputs)
    setTensor(message.add_input(), tensor);
  for (const DumpTensor &tensor : record.outputs) {
    dumpdata::OpOutput *output = message.add_output();
    setTensor(output, tensor);
    if (const std::optional<OriginalOp> &original = tensor.originalOp) {
      dumpdata::OriginalOp *op = output->mutable_original_op();
      op->set_name(original->name);
      op->set_output_index(original->outputIndex);
      op->set_data_type(static_cast<int32_t>(original->dtypeRuntimeNumber));
      op->set_format(static_cast<int32_t>(original->format));
    }
    for (const DimRange &range : tensor.dimRanges) {
      dumpdata::DimRange *dimRange = output->add_dim_range();
      dimRange->set_dim_start(range.start);
      dimRange->set_dim_end(range.end);
    }
  }
  for (const DumpBlock &block : record.buffers) {
    dumpdata::OpBuffer *buffer = message.add_buffer();
    buffer->set_buffer_type(block.kind);
    buffer->set_size(block.size);
  }
  for (const DumpBlock &block : record.spaces) {
    dumpdata::Workspace *space = message.add_space();
    space->set_type(block.kind);
    space->set_size(block.size);
  }
  for (const DumpAttr &attr : record.attrs) {
    dumpdata::OpAttr *pair = message.add_attr();
    pair->set_name(attr.name);
    pair->set_value(attr.value);
  }
  const uint64_t length = message.ByteSizeLong();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  message.AppendToString(&bytes);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Hands out the payload part by part.
class PayloadReader {
public:
  PayloadReader(ByteView payload) : rest(payload) {}

  Status take(const char *kind, size_t index, uint64_t size, ByteView &data) {
    if (size > rest.size())
      return Status::error("data of " + std::string(kind) + " " +
                           std::to_string(index) + ": have " +
                           std::to_string(rest.size()) + " bytes, need " +
                           std::to_string(size));
    data = rest.first(size);
    rest = rest.subspan(size);
    return Status();
  }
  uint64_t left() const { return rest.size(); }

private:
  ByteView rest;
};

} // namespace

static Shape getShape(const dumpdata::Shape &message) {
  Shape shape;
  shape.reserve(static_cast<size_t>(message.dim_size()));
  for (uint64_t dim : message.dim())
    shape.push_back(static_cast<int64_t>(dim));
  return shape;
}

std::string npu::dump::getTypeName(const DumpTensor &tensor) {
  if (tensor.unknownType)
    return "data type " + std::to_string(tensor.unknownType);
  return std::string(getName(tensor.dtype));
}

template <typename Message>
static Status getTensor(const Message &message, const char *kind, size_t index,
                        PayloadReader &payload, DumpTensor &tensor) {
  std::optional<DataType> dtype = dataTypeFromProto(message.data_type());
  std::optional<Format> format = formatFromNumber(message.format());
  if (!format)
    return Status::error(std::string(kind) + " " + std::to_string(index) +
                         ": format " + std::to_string(message.format()) +
                         " is unknown, expected 0 to " +
                         std::to_string(NumFormats - 1));
  tensor.dtype = dtype.value_or(DataType::Undefined);
  if (!dtype) // of a later release: no reason to refuse the other tensors
    tensor.unknownType = message.data_type();
  tensor.format = *format;
  tensor.subFormat = message.sub_format();
  tensor.shape = getShape(message.shape());
  tensor.originalShape = getShape(message.original_shape());
  tensor.size = message.size();
  tensor.address = message.address();
  tensor.offset = message.offset();
  return payload.take(kind, index, tensor.size, tensor.data);
}

static Status getInputs(const dumpdata::DumpData &message,
                        PayloadReader &payload, DumpRecord &record) {
  for (const dumpdata::OpInput &input : message.input()) {
    DumpTensor &tensor = record.inputs.emplace_back();
    if (Status status = getTensor(input, "input", record.inputs.size() - 1,
                                  payload, tensor);
        !status)
      return status;
  }
  return Status();
}

static Status getOutputs(const dumpdata::DumpData &message,
                         PayloadReader &payload, DumpRecord &record) {
  for (const dumpdata::OpOutput &output : message.output()) {
    DumpTensor &tensor = record.outputs.emplace_back();
    if (Status status = getTensor(output, "output", record.outputs.size() - 1,
                                  payload, tensor);
        !status)
      return status;
    if (output.has_original_op())
      tensor.originalOp = {
          output.original_op().name(), output.original_op().output_index(),
          static_cast<uint32_t>(output.original_op().data_type()),
          static_cast<uint32_t>(output.original_op().format())};
    for (const dumpdata::DimRange &range : output.dim_range())
      tensor.dimRanges.push_back({range.dim_start(), range.dim_end()});
  }
  return Status();
}

static Status getBlocks(const dumpdata::DumpData &message,
                        PayloadReader &payload, DumpRecord &record) {
  for (const dumpdata::OpBuffer &buffer : message.buffer()) {
    DumpBlock &block = record.buffers.emplace_back();
    block.kind = buffer.buffer_type();
    block.size = buffer.size();
    if (Status status = payload.take("buffer", record.buffers.size() - 1,
                                     block.size, block.data);
        !status)
      return status;
  }
  for (const dumpdata::Workspace &space : message.space()) {
    DumpBlock &block = record.spaces.emplace_back();
    block.kind = space.type();
    block.size = space.size();
    if (Status status = payload.take("space", record.spaces.size() - 1,
                                     block.size, block.data);
        !status)
      return status;
  }
  return Status();
}

Expected<DumpFile> DumpFile::parse(ByteView bytes) {
  uint64_t length = 0;
  if (bytes.size() <= sizeof(length))
    return Status::error("not a dump file: have " +
                         std::to_string(bytes.size()) +
                         " bytes, need more than 8");
  std::memcpy(&length, bytes.data(), sizeof(length));
  bytes = bytes.subspan(sizeof(length));
  // The second limit is protobuf's; no device writes a header near it.
  if (length > bytes.size() || length > INT_MAX)
    return Status::error("header: have " + std::to_string(bytes.size()) +
                         " bytes, need " + std::to_string(length));
  dumpdata::DumpData message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(length)))
    return Status::error("header of " + std::to_string(length) +
                         " bytes is not a DumpData message");
  DumpFile file;
  file.offset = sizeof(length) + length;
  DumpRecord &record = file.contents;
  record.version = message.version();
  record.dumpTime = message.dump_time();
  record.opName = message.op_name();
  record.dfxMessage = message.dfx_message();
  for (const dumpdata::OpAttr &attr : message.attr())
    record.attrs.push_back({attr.name(), attr.value()});
  PayloadReader payload(bytes.subspan(length));
  for (auto *part : {getInputs, getOutputs, getBlocks})
    if (Status status = part(message, payload, record); !status)
      return status;
  file.trailing = payload.left();
  return file;
}

Expected<DumpFile> DumpFile::open(const std::string &path) {
  Expected<MappedFile> mapped = MappedFile::open(path);
  if (!mapped)
    return mapped.takeStatus();
  Expected<DumpFile> file = parse(mapped->bytes());
  if (!file)
    return file.takeStatus().withContext(path);
  file->file = std::move(*mapped);
  return file;
}
