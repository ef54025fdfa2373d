#!/bin/sh
# Usage: timeline_test.sh
# timeline.cu runs with the solutions' last steps, and copies overlap in it. Needs build/lanewise (or LANEWISE_BUILD) and
# clang; exits with 77 without clang.
set -eu
cd "$(dirname "$0")/../.."
lanewise=$(cd "${LANEWISE_BUILD:-build}" && pwd)/lanewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset COLUMNS
export LC_ALL=C.UTF-8 LANEWISE_TOOLCHAIN=clang
status=0
"$lanewise" nvcc -O2 -I labs/overlap -o "$work/timeline" labs/overlap/timeline.cu solutions/overlap/stretch/4_pool.cu \
  solutions/overlap/evolve/3_graph.cu > "$work/log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
  cat "$work/log"
  [ "$status" -ne 3 ] || [ -n "${CI:-}" ] || exit 77
  exit 1
fi

"$lanewise" run --html "$work/timeline.html" -- "$work/timeline" > "$work/printed" 2> "$work/said"
cat "$work/printed" "$work/said"
grep -qx 'no error' "$work/printed"
tr '\n' ' ' < "$work/said" | tr -s ' ' | grep -q 'hidden behind these: [0-9.]* µs of copies'
grep -q 'copy in' "$work/timeline.html"
