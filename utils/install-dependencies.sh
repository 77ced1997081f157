#!/usr/bin/env bash
# Installs what building and testing need, on Debian 12. Does nothing, and needs
# no network, when everything is there.
set -euo pipefail

packages=(
  # LLVM and MLIR 22, with the tools of their tests.
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools llvm-22
  # Compiler and linker; libclang-rt has sanitizers and libFuzzer.
  clang-22 lld-22 libclang-rt-22-dev
  cmake ninja-build ccache git
  # Libraries.
  protobuf-compiler libprotobuf-dev libdeflate-dev libhwy-dev nlohmann-json3-dev
  # Tests.
  libgtest-dev python3 python3-numpy python3-psutil python3-protobuf
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || {
    echo "error: cannot install ${missing[*]}: run this as root" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "Installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}"
