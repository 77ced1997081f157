#!/bin/sh
# Builds StatusBench against the libraries of a build folder and runs it.
#
#   run.sh BUILD_DIR
set -eu
if [ $# -ne 1 ]; then
  echo "usage: $0 BUILD_DIR" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=$1/StatusBench
"${CXX:-c++}" -std=c++20 -O3 -DNDEBUG -ffp-contract=off -Wno-psabi \
  -I"$root/include" -I"$1/include" -I"$here" "$here/StatusBench.cpp" \
  "$1/lib/Kernels/libNpuKernels.a" "$1/lib/Numerics/libNpuNumerics.a" \
  "$1/lib/Support/libNpuSupport.a" -lhwy -pthread -o "$out"
"$out"
