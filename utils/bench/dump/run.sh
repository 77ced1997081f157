#!/bin/bash
# run.sh NPU_DUMP [FOLDER]: npu-dump against Ascend's tool and cp.
#
# 200 dump files of 1 MiB float16 in NC1HWC0 lie in FOLDER, which should be a
# memory file system (/dev/shm). Every command runs ROUNDS times, in turns with
# the others, into a new folder each time; the fastest round counts. Without
# msaccucmp its columns are empty.
#
#   MSACCUCMP  command that runs msaccucmp.py
#   PYTHON     interpreter with numpy
#   ROUNDS     3 by default
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
npu_dump=$(realpath "$1")
python=${PYTHON:-/usr/bin/python3}
msaccucmp=${MSACCUCMP:-$here/../../../../shared/tools/msaccucmp.sh}
rounds=${ROUNDS:-3}
work=$(mktemp -d "${2:-/dev/shm}/npu-dump-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$python" "$here/make-dumps.py" "$work/a" 200 0
"$python" "$here/make-dumps.py" "$work/b" 200 1
cp -r "$work/b" "$work/warm" && rm -rf "$work/warm" # pages that were used before

declare -A best
# measure KEY COMMAND...: keeps the seconds of the fastest round.
measure() {
  local key=$1 start seconds
  shift
  rm -rf "$work/out"
  start=$(date +%s.%N)
  # compare exits with 2 where something differs.
  "$@" >"$work/log" 2>&1 || [[ $? == 2 ]] || { cat "$work/log"; exit 1; }
  seconds=$(echo "$(date +%s.%N) - $start" | bc)
  if [[ -z ${best[$key]:-} || $(echo "$seconds < ${best[$key]}" | bc) == 1 ]]
  then
    best[$key]=$seconds
  fi
}

has_peer=1
"$msaccucmp" -h >/dev/null 2>&1 || [[ $? != 77 ]] || has_peer=
for _ in $(seq "$rounds"); do
  measure cp cp -r "$work/a" "$work/out"
  measure convert "$npu_dump" convert -d "$work/a" -out "$work/out"
  measure nchw "$npu_dump" convert -d "$work/a" -f NCHW -out "$work/out"
  measure compare "$npu_dump" compare -m "$work/a" -g "$work/b" -out "$work/out"
  measure stats "$npu_dump" stats -d "$work/a" -out "$work/out"
  if [[ $has_peer ]]; then
    measure peer-convert "$msaccucmp" convert -d "$work/a" -out "$work/out"
    measure peer-nchw "$msaccucmp" convert -d "$work/a" -f NCHW -out "$work/out"
    measure peer-compare "$msaccucmp" compare -m "$work/a" -g "$work/b" -out "$work/out"
  fi
done

row() { # LABEL OURS PEER
  local peer="" ratio="" copies
  copies=$(echo "scale=2; ${best[$2]} / ${best[cp]}" | bc)
  if [[ -n ${3:-} && -n ${best[$3]:-} ]]; then
    peer=$(LC_ALL=C printf %.3f "${best[$3]}")
    ratio=$(echo "scale=1; ${best[$3]} / ${best[$2]}" | bc)
  fi
  LC_ALL=C printf '%-22s %9.3f s %9s s %7s x %8s x\n' "$1" "${best[$2]}" \
    "$peer" "$ratio" "$copies"
}
printf '%-22s %11s %11s %9s %10s\n' "200 files of 1 MiB" npu-dump msaccucmp \
  faster "of cp -r"
row "convert to npy" convert peer-convert
row "convert -f NCHW" nchw peer-nchw
row "compare" compare peer-compare
row "stats" stats
LC_ALL=C printf 'cp -r %.3f s; stats, whole command: %.2f GB/s\n' "${best[cp]}" \
  "$(echo "scale=3; 200 * 1048576 / ${best[stats]} / 1000000000" | bc)"
