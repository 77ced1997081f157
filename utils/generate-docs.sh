#!/bin/sh
# Generates the pages of the documentation that describe dialects and passes.
#
#   utils/generate-docs.sh [MLIR_TBLGEN [DOCS]]
#
# MLIR_TBLGEN is the program to generate with, by default that of Debian's
# packages; DOCS the folder to write to, by default docs.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
tblgen=${1:-/usr/lib/llvm-22/bin/mlir-tblgen}
docs=${2:-$root/docs}

if ! command -v "$tblgen" > /dev/null; then
  echo "error: $tblgen: not found; expected mlir-tblgen of LLVM 22" >&2
  exit 1
fi
mlir_include=$(dirname "$(command -v "$tblgen")")/../include

generate() { # PAGE GENERATOR DESCRIPTION OPTION...
  page=$1
  generator=$2
  description=$3
  shift 3
  mkdir -p "$(dirname "$docs/$page")"
  (cd "$root" && "$tblgen" "$generator" "$@" "$description" \
    -I include -I dialects/include -I "$mlir_include" -o "$docs/$page")
}

dialects=dialects/include/npu/Dialect
generate Passes.md -gen-pass-doc include/npu/Transforms/Passes.td
generate Dialects/GE.md -gen-dialect-doc $dialects/GE/IR/GEOps.td -dialect=ge
generate Dialects/Instr.md -gen-dialect-doc $dialects/Instr/IR/InstrOps.td \
  -dialect=instr
