#!/bin/sh
# Usage: make_refused_calls.sh LIBRARY|HEADER OUTPUT OBJECT...
# Writes one function for every call that the LIBRARY exports (libcudart or libcuda), or the HEADER declares, and the
# objects do not define; each refuses by name.
set -eu
library=$1 output=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $library in
  *.h) sed -n 's/^cudaError_t \(cuda[A-Za-z0-9_]*\)(.*/\1/p' "$library" ;;
  *) nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | grep -E '^((__)?cuda|cu[A-Z])' ;;
esac | sort -u > "$work/all"
nm -g --defined-only "$@" | awk '$2 == "T" { print $3 }' | sort -u > "$work/ours"
{
  echo '// Generated: calls of CUDA that the virtual GPU does not have yet.'
  echo 'extern "C" int vgpuRefuseCall(const char* name);'
  comm -23 "$work/all" "$work/ours" | while read -r name; do
    echo "extern \"C\" __attribute__((visibility(\"default\"))) int $name() { return vgpuRefuseCall(\"$name\"); }"
  done
} > "$output.tmp"
mv "$output.tmp" "$output"
