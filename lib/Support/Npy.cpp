//===- Npy.cpp - NumPy array files ----------------------------------------===//

#include "npu/Support/Npy.h"

#include "npu/Support/SmallFloat.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

using namespace npu;

namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

struct Descr {
  std::string_view text;
  DataType dtype;
};

constexpr Descr descrs[] = {
    {"<f2", DataType::Float16},   {"<f4", DataType::Float},
    {"<f8", DataType::Double},    {"|i1", DataType::Int8},
    {"<i2", DataType::Int16},     {"<i4", DataType::Int32},
    {"<i8", DataType::Int64},     {"|u1", DataType::UInt8},
    {"<u2", DataType::UInt16},    {"<u4", DataType::UInt32},
    {"<u8", DataType::UInt64},    {"|b1", DataType::Bool},
    {"<c8", DataType::Complex64}, {"<c16", DataType::Complex128},
};

/// Reads the header dictionary, the few Python literals that occur in it.
class HeaderParser {
public:
  HeaderParser(std::string_view text) : rest(text) {}

  Status parse(NpyView &array) {
    if (!take('{'))
      return malformed("'{'");
    bool seen[3] = {};
    while (!take('}')) {
      std::optional<std::string_view> key = string();
      if (!key || !take(':'))
        return malformed("a quoted key and ':'");
      const int index = *key == "descr"           ? 0
                        : *key == "fortran_order" ? 1
                        : *key == "shape"         ? 2
                                                  : -1;
      if (index < 0 || seen[index])
        return malformed("descr, fortran_order and shape, each once");
      seen[index] = true;
      Status status = index == 0   ? descr(array)
                      : index == 1 ? order()
                                   : shape(array);
      if (!status)
        return status;
      if (!take(',') && !peek('}'))
        return malformed("',' or '}'");
    }
    if (!seen[0] || !seen[1] || !seen[2])
      return malformed("descr, fortran_order and shape");
    return Status();
  }

  bool isFortranOrder = false; ///< as parse found it

private:
  static Status malformed(const std::string &expected) {
    return Status::error("the .npy header is malformed, expected " + expected);
  }
  void skipSpace() {
    rest.remove_prefix(
        std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  }
  bool peek(char c) {
    skipSpace();
    return rest.starts_with(c);
  }
  bool take(char c) {
    if (!peek(c))
      return false;
    rest.remove_prefix(1);
    return true;
  }
  bool word(std::string_view text) {
    skipSpace();
    if (!rest.starts_with(text))
      return false;
    rest.remove_prefix(text.size());
    return true;
  }
  std::optional<std::string_view> string() {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    const size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string_view text = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return text;
  }

  Status descr(NpyView &array) {
    std::optional<std::string_view> text = string();
    if (text)
      for (const Descr &descr : descrs)
        if (descr.text == *text) {
          array.dtype = descr.dtype;
          return Status();
        }
    return Status::error(
        "the .npy type " + std::string(text ? *text : "of a structured array") +
        " is not supported, expected little-endian f2 f4 f8 i1..i8 u1..u8 b1 "
        "c8 c16");
  }
  Status order() {
    if (word("False"))
      return Status();
    if (word("True")) {
      isFortranOrder = true;
      return Status();
    }
    return malformed("True or False");
  }
  Status shape(NpyView &array) {
    if (!take('('))
      return malformed("'('");
    while (!take(')')) {
      skipSpace();
      int64_t dim;
      const char *end = rest.data() + rest.size();
      auto [next, error] = std::from_chars(rest.data(), end, dim);
      if (error != std::errc() || dim < 0)
        return malformed("a dimension from 0 to 2^63-1");
      rest.remove_prefix(static_cast<size_t>(next - rest.data()));
      array.shape.push_back(dim);
      if (!take(',') && !peek(')'))
        return malformed("',' or ')'");
    }
    return Status();
  }

  std::string_view rest;
};

Status checkSize(const NpyView &array) {
  std::optional<uint64_t> need = getCheckedByteSize(array.dtype, array.shape);
  if (need == array.data.size())
    return Status();
  return Status::error("array data of shape " + toString(array.shape) +
                       ": have " + std::to_string(array.data.size()) +
                       " bytes, need " +
                       (need ? std::to_string(*need) : "more than 2^61"));
}

std::string makeHeader(std::string_view descr, const Shape &shape) {
  std::string dictionary = "{'descr': '" + std::string(descr) +
                           "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i) {
    dictionary += (i ? " " : "") + std::to_string(shape[i]);
    if (i + 1 < shape.size() || shape.size() == 1)
      dictionary += ',';
  }
  dictionary += "), }";
  // Magic, version, length, dictionary, blanks and a line end: a multiple of
  // 64 bytes, which keeps the data aligned in memory.
  const bool wide = dictionary.size() > 0xff00;
  const size_t prefix = magic.size() + 2 + (wide ? 4 : 2);
  const size_t total = (prefix + dictionary.size() + 1 + 63) / 64 * 64;
  dictionary.resize(total - prefix - 1, ' ');
  dictionary += '\n';
  std::string header(magic);
  header += wide ? '\2' : '\1';
  header += '\0';
  for (size_t i = 0, length = dictionary.size(); i < (wide ? 4 : 2); ++i)
    header += static_cast<char>(length >> 8 * i & 0xff);
  return header + dictionary;
}

/// Reads the array in \p bytes, in either order.
Expected<NpyView> parse(ByteView bytes, bool &isFortranOrder) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (!text.starts_with(magic) || text.size() < 10)
    return Status::error("not a .npy file, expected \\x93NUMPY in front");
  const unsigned major = static_cast<uint8_t>(text[6]);
  if (major < 1 || major > 3)
    return Status::error(".npy version " + std::to_string(major) +
                         " is not supported, expected 1, 2 or 3");
  const size_t lengthBytes = major == 1 ? 2 : 4;
  const size_t prefix = magic.size() + 2 + lengthBytes;
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes && 8 + i < text.size(); ++i)
    length |= static_cast<size_t>(static_cast<uint8_t>(text[8 + i])) << 8 * i;
  if (text.size() < prefix || text.size() - prefix < length)
    return Status::error("the .npy header is cut: have " +
                         std::to_string(text.size()) + " bytes, need " +
                         std::to_string(prefix + length));
  NpyView array;
  HeaderParser parser(text.substr(prefix, length));
  if (Status status = parser.parse(array); !status)
    return status;
  isFortranOrder = parser.isFortranOrder;
  array.data = bytes.subspan(prefix + length);
  if (Status status = checkSize(array); !status)
    return status;
  return array;
}

/// The bytes of \p array, whose first dimension runs fastest, in C order.
std::vector<std::byte> toCOrder(const NpyView &array) {
  const size_t rank = array.shape.size();
  const size_t size = getBitWidth(array.dtype) / 8;
  std::vector<size_t> steps(rank, size);
  for (size_t i = 1; i < rank; ++i)
    steps[i] = steps[i - 1] * static_cast<size_t>(array.shape[i - 1]);
  std::vector<std::byte> result(array.data.size());
  std::vector<int64_t> index(rank);
  size_t from = 0;
  for (size_t to = 0; to < result.size(); to += size) {
    std::memcpy(result.data() + to, array.data.data() + from, size);
    for (size_t i = rank; i-- > 0;) {
      from += steps[i];
      if (++index[i] < array.shape[i])
        break;
      from -= steps[i] * static_cast<size_t>(array.shape[i]);
      index[i] = 0;
    }
  }
  return result;
}

} // namespace

Expected<NpyView> npu::parseNpy(ByteView bytes) {
  bool isFortranOrder = false;
  Expected<NpyView> array = parse(bytes, isFortranOrder);
  if (array && isFortranOrder)
    return Status::error("the .npy array is in Fortran order, expected C order "
                         "(numpy.ascontiguousarray)");
  return array;
}

Expected<NpyFile> npu::readNpy(const std::string &path) {
  Expected<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.takeStatus();
  bool isFortranOrder = false;
  Expected<NpyView> array = parse(file->bytes(), isFortranOrder);
  if (!array)
    return array.takeStatus().withContext(path);
  NpyFile result{std::move(*file), std::move(*array)};
  if (isFortranOrder) {
    result.reordered = toCOrder(result.array);
    result.array.data = result.reordered;
  }
  return result;
}

std::string_view npu::getNpyDescr(DataType dtype) {
  for (const Descr &descr : descrs)
    if (descr.dtype == dtype)
      return descr.text;
  return {};
}

Expected<std::string> npu::makeNpyHeader(DataType dtype, const Shape &shape) {
  const std::string_view descr = getNpyDescr(dtype);
  if (descr.empty())
    return Status::error("NumPy has no type for " +
                         std::string(getName(dtype)));
  return makeHeader(descr, shape);
}

Status npu::writeNpy(const std::string &path, const NpyView &array) {
  const bool widen = array.dtype == DataType::BFloat16;
  Expected<std::string> header =
      makeNpyHeader(widen ? DataType::Float : array.dtype, array.shape);
  if (!header)
    return header.takeStatus().withContext(path);
  if (Status status = checkSize(array); !status)
    return std::move(status).withContext(path);
  std::vector<float> wide(widen ? array.data.size() / 2 : 0);
  for (size_t i = 0; i < wide.size(); ++i) {
    uint16_t bits;
    std::memcpy(&bits, array.data.data() + 2 * i, sizeof(bits));
    wide[i] = bfloat16ToFloat(bits);
  }
  const ByteView parts[] = {
      asBytes(*header), widen ? std::as_bytes(std::span(wide)) : array.data};
  return writeFile(path, parts);
}
