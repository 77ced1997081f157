#!/usr/bin/env bash
# Installs what is missing, builds the tools, and runs the sample graph with
# every tensor dumped. What it leaves behind is in build/sample.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash utils/install-dependencies.sh
cmake --preset release
cmake --build --preset release --target npu-run npu-dump

out=build/sample
rm -rf "$out"
mkdir -p "$out/dump"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

show build/bin/npu-run test/Inputs/sample-cnn.txt \
  --input image=test/Inputs/sample-cnn-input.npy \
  --enable-dump --dump-mode=all --dump-path="$out/dump" \
  --output-dir="$out/outputs" --report="$out/report.json"

printf '\nThe dump folder:\n'
find "$out/dump" -type f | sort

# The file of the fused node conv1conv1_relu.
fused=$(find "$out/dump" -type f -name 'Conv2D.conv1conv1_relu.*' | head -n 1)
show build/bin/npu-dump info "$fused"

printf '\nThe report, %s:\n' "$out/report.json"
cat "$out/report.json"
