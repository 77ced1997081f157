#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. The last line
# is `N passed, N failed`; the exit code is not 0 if one failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash utils/install-dependencies.sh
results=$PWD/build/test-results.json
rm -f "$results"
# Without results the summary counts one failure.
cmake --preset release &&
  cmake --build --preset release &&
  LIT_OPTS="${LIT_OPTS:-} --output $results" \
    cmake --build --preset release --target check-npu || true
python3 utils/test-summary.py "$results"
