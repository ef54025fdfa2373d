#!/bin/sh
# Usage: timing_on_gpu.sh trust|attacks|verdicts [OPTION ...]
# On a machine with an NVIDIA GPU: builds a program and runs it with these options (see its --help).
#   trust    times one entry ten times, identical entries beside each other, and one that moves 2 % more bytes; prints
#            three figures against their bars (two or three minutes); exit code 1 if a bar is missed
#   attacks  grades every file of grader/attacks/timing with `lanewise check`, times it beside an honest twin and prints
#            one line each: verdict, points, whether it gained, its time as a multiple of the twin's (a few minutes;
#            --only-times skips the grading); exit code 1 if one of them gains
#   verdicts grades every file of grader/attacks/grading with `lanewise check`, and an honest one last; exit code 1 if one
#            of them gains, or harms the honest one
# Missing header-only libraries can be put into .headers/.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"
case "${1:-}" in
  trust | attacks)
    program=timing_$1
    shift
    ;;
  verdicts)
    program=timing_attacks
    shift
    set -- --folder grader/attacks/grading --only-grades "$@"
    ;;
  *)
    sed -n 's/^# \(Usage: .*\)/\1/p' "$0" >&2
    exit 2
    ;;
esac
if ! nvidia-smi -L > /dev/null 2>&1; then
  echo "timing_on_gpu.sh: there is no NVIDIA GPU here (nvidia-smi -L finds none), so nothing can be timed" >&2
  exit 3
fi
mkdir -p build
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANEWISE_HEADERS="$PWD/.headers" -DLANEWISE_TESTS=OFF > build/build.log 2>&1 ||
  { cat build/build.log; exit 3; }
ninja -C build "$program" > build/build.log 2>&1 || { tail -30 build/build.log; exit 3; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
"build/$program" "$@"
