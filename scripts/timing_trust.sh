#!/bin/sh
# Usage: timing_trust.sh [OPTION ...]
# On a machine with an NVIDIA GPU: builds timing_trust and runs it. It times one entry ten times, identical entries beside
# each other, and one that moves 2 % more bytes, and prints three figures against their bars (about two minutes; options
# are those of `build/timing_trust --help`). Exit code 1 if a bar is missed. A package that is missing can lie in
# .headers/ (header-only libraries).
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"
if ! nvidia-smi -L > /dev/null 2>&1; then
  echo "timing_trust.sh: there is no NVIDIA GPU here (nvidia-smi -L finds none), and nothing to time" >&2
  exit 3
fi
mkdir -p build
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANEWISE_HEADERS="$PWD/.headers" -DLANEWISE_TESTS=OFF > build/build.log 2>&1 ||
  { cat build/build.log; exit 3; }
ninja -C build timing_trust > build/build.log 2>&1 || { tail -30 build/build.log; exit 3; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
build/timing_trust "$@"
