#!/bin/sh
# Usage: programs.sh
# Builds every program that lies beside a deck, as slides show it, and those that handouts tell students to run, and runs
# them on the virtual GPU under all checkers: each must end with 0 and without a finding. Needs build/lanewise (or
# LANEWISE_BUILD) and nvcc.
set -eu
cd "$(dirname "$0")/.."
lanewise=$(cd "${LANEWISE_BUILD:-build}" && pwd)/lanewise
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for program in slides/decks/*/*.cu labs/matmul/tensor_cores.cu labs/nbody/devices.cu labs/spmv/formats.cu labs/measure/*.cu; do
  [ -e "$program" ] || continue
  echo "slides: $program"
  devices=1
  [ "$program" != labs/nbody/devices.cu ] || devices=4
  if ! nvcc -std=c++17 -arch=sm_90 -cudart shared -lineinfo -o "$work/program" "$program" ||
    ! "$lanewise" run --devices "$devices" --error-exitcode 1 -- "$work/program" > "$work/log" 2>&1; then
    cat "$work/log" 2> /dev/null || true
    echo "$program does not run without a finding" >&2
    failed=1
  fi
done
exit "$failed"
