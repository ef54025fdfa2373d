#!/bin/sh
# Usage: make_refused_functions.sh LIBRARY NAMES OUTPUT OBJECT...
# Writes one function for every name in the file NAMES that the objects do not define; each says that Lanewise's LIBRARY
# does not have it, and ends the program: a status might not be looked at.
set -eu
library=$1 names=$2 output=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sort -u "$names" > "$work/all"
nm -g --defined-only "$@" | awk '$2 == "T" { print $3 }' | sort -u > "$work/ours"
{
  echo "// Generated: functions of NVIDIA's $library that Lanewise's does not have."
  echo '#include "harness/vgpu/libraries/device_work.h"'
  comm -23 "$work/all" "$work/ours" | while read -r name; do
    echo "VGPU_LIBRARY_API void $name() { vgpu::libraries::refuse_function(\"$library\", \"$name\"); }"
  done
} > "$output.tmp"
mv "$output.tmp" "$output"
