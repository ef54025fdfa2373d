#!/bin/sh
# Usage: report_picture.sh OUTPUT.png
# Makes the READMEs' picture of a run's costs: the page for a transpose that writes columns, as a browser shows it.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"
output=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -std=c++17 -lineinfo -cudart shared -arch=sm_90 -o "$work/transpose" harness/vgpu/report/figures/transpose.cu
"${LANEWISE:-build/lanewise}" run --html "$work" -- "$work/transpose" 2> /dev/null
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --user-data-dir="$work/profile" \
  --window-size=1240,1350 --screenshot="$output" "file://$work/index.html" > /dev/null 2>&1
