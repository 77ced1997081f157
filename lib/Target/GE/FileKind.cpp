//===- FileKind.cpp - What a file that is no graph text looks like --------===//

#include "FileKind.h"

#include "TextReader.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace npu::ge;

namespace {
struct Prefix {
  StringLiteral text;
  StringLiteral meaning;
};
} // namespace

static constexpr Prefix prefixes[] = {
    {"version https://git-lfs.github.com/spec",
     "a Git LFS pointer (fetch the file itself with git lfs pull)"},
    {"<!doctype html", "an HTML page (a failed download?)"},
    {"<html", "an HTML page (a failed download?)"},
    {"<?xml", "XML"},
    {"ir_version", "another text protobuf: ONNX (that of GE, ge_onnx text, has "
                   "producer_name: \"GE\")"},
    {"producer_name", "another text protobuf: ONNX (that of GE, ge_onnx text, "
                      "has producer_name: \"GE\")"},
    {"node {", "another text protobuf: a TensorFlow GraphDef"},
    {"module", "MLIR (npu-opt reads it, and npu-translate --export-ge)"},
    {"builtin.module",
     "MLIR (npu-opt reads it, and npu-translate --export-ge)"},
    {"ml\xefR", "MLIR bytecode (npu-opt reads it, and npu-translate "
                "--export-ge)"},
    {"\x1f\x8b", "a gzip archive"},
    {"PK\x03\x04", "a zip archive"},
};

/// Whether the fields before the graph say that GE wrote the text.
static bool isFromGE(StringRef text) {
  TextReader reader(text);
  TextTree head;
  while (!reader.atEnd() && reader.peekName() != "graph")
    if (failed(reader.readField(head)))
      return false;
  for (uint32_t i = 0; i < head.size(); i = head[i].next)
    if (head[i].name == "producer_name" &&
        head[i].value.drop_front().drop_back() == "GE")
      return true;
  return false;
}

GraphForm npu::ge::getGraphForm(StringRef text) {
  StringRef start = text.ltrim();
  if (start.starts_with("{"))
    return GraphForm::Json;
  const bool isOnnx =
      start.starts_with("ir_version") || start.starts_with("producer_name");
  return isOnnx && isFromGE(text) ? GraphForm::Onnx : GraphForm::Text;
}

StringRef npu::ge::describeOtherFile(StringRef text) {
  StringRef start = text.ltrim();
  start.consume_front("\xef\xbb\xbf");
  if (start.empty())
    return "empty";
  if (getGraphForm(start) != GraphForm::Text)
    return "";
  for (const Prefix &prefix : prefixes)
    if (start.starts_with_insensitive(prefix.text))
      return prefix.meaning;
  // Strings and comments of a graph text may have any byte in them.
  StringRef syntax = text.take_front(64).take_until(
      [](char c) { return c == '"' || c == '\'' || c == '#'; });
  const bool binary = any_of(syntax, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' &&
           c != '\t' && c != '\f' && c != '\v';
  });
  return binary ? "binary, perhaps a binary protobuf (a .pb or .om file)" : "";
}
