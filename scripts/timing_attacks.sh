#!/bin/sh
# Usage: timing_attacks.sh [OPTION ...]
# On a machine with an NVIDIA GPU: builds timing_attacks and runs it. It grades every file of grader/attacks/timing with
# `lanewise check` and times it beside an honest twin, and prints a line each: verdict, points, whether it gained, and
# its time as a multiple of the twin's (a few minutes; --only-times leaves the grading out; options are those of
# `build/timing_attacks --help`). Exit code 1 if one of them gains. A package that is missing can lie in .headers/
# (header-only libraries).
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"
if ! nvidia-smi -L > /dev/null 2>&1; then
  echo "timing_attacks.sh: there is no NVIDIA GPU here (nvidia-smi -L finds none); timing_attacks_test shows what the virtual one can" >&2
  exit 3
fi
mkdir -p build
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANEWISE_HEADERS="$PWD/.headers" -DLANEWISE_TESTS=OFF > build/build.log 2>&1 ||
  { cat build/build.log; exit 3; }
ninja -C build timing_attacks > build/build.log 2>&1 || { tail -30 build/build.log; exit 3; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
build/timing_attacks "$@"
