#!/bin/sh
# Usage: programs_test.sh [--write]
# What `lanewise run` says of each program in faults/ is what lies beside it, and all twenty solutions in one file earn all
# points. --write writes the reports anew. Needs build/lanewise (or LANEWISE_BUILD) and clang; exits with 77 without clang.
set -eu
cd "$(dirname "$0")/../.."
lanewise=$(cd "${LANEWISE_BUILD:-build}" && pwd)/lanewise
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset COLUMNS
export LC_ALL=C.UTF-8 LANEWISE_TOOLCHAIN=clang
status=0
"$lanewise" nvcc labs/puzzles/faults/2_smooth.cu -o "$work/program" > "$work/log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
  cat "$work/log"
  [ "$status" -ne 3 ] || [ -n "${CI:-}" ] || exit 77
  exit 1
fi

failed=0
for program in labs/puzzles/faults/*.cu; do
  report=${program%.cu}.report.txt
  (cd labs/puzzles/faults && "$lanewise" nvcc "${program##*/}" -o "$work/program")
  "$lanewise" run --profile h200 -- "$work/program" > "$work/printed" 2> "$work/said"
  cat "$work/printed" "$work/said" > "$work/report"
  [ "${1:-}" != "--write" ] || cp "$work/report" "$report"
  diff -u "$report" "$work/report" || { echo "$report is stale: labs/puzzles/programs_test.sh --write" >&2; failed=1; }
done

[ "${1:-}" = "--write" ] || "$lanewise" check puzzles --submission solutions/puzzles/all_twenty.cu --backend vgpu \
  --html "$work/pages" --require-full > "$work/log" || { cat "$work/log"; failed=1; }
exit "$failed"
