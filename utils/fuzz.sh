#!/usr/bin/env bash
# Builds the fuzz targets with AddressSanitizer and UndefinedBehaviorSanitizer
# and runs them, starting from the project's own files.
#
#     utils/fuzz.sh [LIBFUZZER-OPTION...]
#
# -max_total_time=600 is a campaign of ten minutes a target, -runs=100000
# -seed=1 a check that finds the same thing each time. An input that fails is
# left in build-asan/. The tests must have run: their dump files are seeds.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Without debug information, which would take most of the time and space.
cmake --preset asan -DCMAKE_BUILD_TYPE=Release -DNPU_BUILD_FUZZERS=ON \
  "-DNPU_SANITIZE=address;undefined;fuzzer-no-link" &&
  cmake --build --preset asan \
    --target NpuGraphTextFuzzer NpuDumpReaderFuzzer || exit

failed=0
# fuzz TARGET SEED...: starts from copies of the seeds.
fuzz() {
  local target=$1 corpus i=0 seed
  shift
  corpus=$(mktemp -d)
  for seed in "$@"; do
    cp "$seed" "$corpus/seed$((i++))"
  done
  ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0 \
    "build-asan/fuzz/$target" -timeout=20 -max_len=8192 -rss_limit_mb=4096 \
    -verbosity=0 -print_final_stats=1 -artifact_prefix=build-asan/ \
    "${options[@]}" "$corpus" || {
    echo "FAILED: $target"
    failed=1
  }
  rm -rf "$corpus"
}

options=("$@")
mapfile -t texts < <(find test/Target/GE -name '*.pbtxt' | sort)
fuzz NpuGraphTextFuzzer "${texts[@]}"
mapfile -t dumps < <(find build/test -type f -size -64k \
  -regextype posix-extended -regex '.*/[^/]+\.[0-9]+\.[0-9]+\.[0-9]{16}' |
  sort | head -n 100)
fuzz NpuDumpReaderFuzzer "${dumps[@]}"
exit $failed
