#!/bin/sh
# Usage: verdict_picture.sh OUTPUT.png
# Makes the README's picture: the report of a submission that swaps rows and columns, as a browser shows it.
set -eu
cd "$(dirname "$0")/.."
output=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/lanewise check grayscale --submission solutions/image/grayscale/wrong/transposed.cu --html "$work" > /dev/null
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 --user-data-dir="$work/profile" \
  --window-size=980,1000 --screenshot="$output" "file://$work/image/report.html" > /dev/null 2>&1
