//===- TensorFile.cpp - The file of one tensor ----------------------------===//

#include "TensorFile.h"

#include "npu/DumpTools/OutputFile.h"
#include "npu/Support/Npy.h"
#include "npu/Support/SmallFloat.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace npu;
using namespace npu::dump;

/// Elements that are decoded at a time; a multiple of 8, so that every piece
/// starts at a byte.
static constexpr uint64_t pieceSize = uint64_t(1) << 16;

/// Calls \p visit(bytes, count) for the decoded elements in order, until it
/// fails.
template <typename Visitor>
static Status forEachPiece(const TensorContent &content, Visitor visit) {
  const ElementDecoder &decoder = content.decoder;
  const auto count = static_cast<uint64_t>(getNumElements(content.shape));
  if (decoder.isCopy())
    return visit(content.data.first(getByteSize(decoder.arrayType(), count)),
                 count);
  std::vector<std::byte> buffer(
      getByteSize(decoder.arrayType(), std::min(count, pieceSize)));
  for (uint64_t i = 0; i < count; i += pieceSize) {
    const uint64_t n = std::min(pieceSize, count - i);
    decoder.decode(content.data.data() + getByteSize(decoder.storedType(), i),
                   n, buffer.data());
    if (Status status = visit(
            ByteView(buffer).first(getByteSize(decoder.arrayType(), n)), n);
        !status)
      return status;
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Appends the shortest text that reads back as the same value.
template <typename T>
static void appendNumber(std::string &text, T value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
}

template <typename T>
static T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
static void appendComplex(std::string &text, const std::byte *from) {
  appendNumber(text, load<T>(from));
  std::string imaginary;
  appendNumber(imaginary, load<T>(from + sizeof(T)));
  if (!imaginary.starts_with('-'))
    text += '+';
  text += imaginary + 'j';
}

static void appendElement(std::string &text, DataType dtype,
                          const std::byte *from) {
  switch (dtype) {
  case DataType::Float16:
    return appendNumber(text, halfToFloat(load<uint16_t>(from)));
  case DataType::Float:
    return appendNumber(text, load<float>(from));
  case DataType::Double:
    return appendNumber(text, load<double>(from));
  case DataType::Int8:
    return appendNumber(text, load<int8_t>(from));
  case DataType::Int16:
    return appendNumber(text, load<int16_t>(from));
  case DataType::Int32:
    return appendNumber(text, load<int32_t>(from));
  case DataType::Int64:
    return appendNumber(text, load<int64_t>(from));
  case DataType::UInt16:
    return appendNumber(text, load<uint16_t>(from));
  case DataType::UInt32:
    return appendNumber(text, load<uint32_t>(from));
  case DataType::UInt64:
    return appendNumber(text, load<uint64_t>(from));
  case DataType::Bool:
    text += load<uint8_t>(from) != 0 ? '1' : '0';
    return;
  case DataType::Complex64:
    return appendComplex<float>(text, from);
  case DataType::Complex128:
    return appendComplex<double>(text, from);
  default:
    return appendNumber(text, load<uint8_t>(from));
  }
}

static Status writeText(OutputFile &file, const TensorContent &content) {
  const DataType dtype = content.decoder.arrayType();
  const uint64_t size = getByteSize(dtype, 1);
  const uint64_t rowLength =
      content.shape.empty() ? 1 : static_cast<uint64_t>(content.shape.back());
  std::string text = "# " + std::string(getName(content.decoder.storedType())) +
                     " " + toString(content.shape) + " " +
                     std::string(getName(content.format)) + "\n";
  uint64_t column = 0;
  Status status =
      forEachPiece(content, [&](ByteView bytes, uint64_t count) -> Status {
        for (uint64_t i = 0; i < count; ++i) {
          appendElement(text, dtype, bytes.data() + i * size);
          const bool isLast = ++column == rowLength;
          text += isLast ? '\n' : ' ';
          if (isLast)
            column = 0;
          if (text.size() < pieceSize)
            continue;
          if (Status status = file.write(asBytes(text)); !status)
            return status;
          text.clear();
        }
        return Status();
      });
  return status ? file.write(asBytes(text)) : std::move(status);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

Status npu::dump::writeTensorFile(const std::string &path,
                                  const TensorContent &content,
                                  ConvertType type) {
  Expected<OutputFile> file = OutputFile::create(path);
  if (!file)
    return file.takeStatus();
  Status status;
  if (type == ConvertType::Text) {
    status = writeText(*file, content);
  } else {
    if (type != ConvertType::Bin) {
      Expected<std::string> header =
          makeNpyHeader(content.decoder.arrayType(), content.shape);
      status = header ? file->write(asBytes(*header)) : header.takeStatus();
    }
    if (status)
      status = forEachPiece(content, [&](ByteView bytes, uint64_t) {
        return file->write(bytes);
      });
  }
  return status ? file->commit() : std::move(status);
}

std::string npu::dump::getNumpyName(DataType dtype) {
  const std::string_view descr = getNpyDescr(dtype);
  if (dtype == DataType::Bool)
    return "bool";
  const char *kind = descr[1] == 'f'   ? "float"
                     : descr[1] == 'i' ? "int"
                     : descr[1] == 'u' ? "uint"
                                       : "complex";
  return kind + std::to_string(getBitWidth(dtype));
}
