//===- FileKind.cpp - What a file that is no graph text looks like --------===//

#include "FileKind.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

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
    {"ir_version", "another text protobuf: ONNX or ge_onnx text"},
    {"producer_name", "another text protobuf: ONNX or ge_onnx text"},
    {"node {", "another text protobuf: a TensorFlow GraphDef"},
    {"module", "MLIR (npu-opt reads it, and npu-translate --export-ge)"},
    {"builtin.module",
     "MLIR (npu-opt reads it, and npu-translate --export-ge)"},
    {"ml\xefR", "MLIR bytecode (npu-opt reads it, and npu-translate "
                "--export-ge)"},
    {"\x1f\x8b", "a gzip archive"},
    {"PK\x03\x04", "a zip archive"},
};

StringRef npu::ge::describeOtherFile(StringRef text) {
  StringRef start = text.ltrim();
  start.consume_front("\xef\xbb\xbf");
  if (start.empty())
    return "empty";
  for (const Prefix &prefix : prefixes)
    if (start.starts_with_insensitive(prefix.text))
      return prefix.meaning;
  if (start.starts_with("{"))
    return "JSON";
  // Strings and comments of a graph text may have any byte in them.
  StringRef syntax = text.take_front(64).take_until(
      [](char c) { return c == '"' || c == '\'' || c == '#'; });
  const bool binary = any_of(syntax, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' &&
           c != '\t' && c != '\f' && c != '\v';
  });
  return binary ? "binary, perhaps a binary protobuf (a .pb or .om file)" : "";
}
