#!/bin/sh
# Usage: fidelity.sh
# On a machine with an NVIDIA GPU, where vgpu_programs and vgpu_cudart are built (by gpu_check.sh): compares the checkers
# with compute-sanitizer on the patterns of harness/vgpu/programs (small programs, about half of them with one planted
# mistake) and writes its section of harness/vgpu/FIDELITY.md. A pattern with a mistake is run under the tool for that
# mistake, one without under all tools.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"

programs="checked_patterns memory_patterns uninitialised_patterns"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lines of the report that concern a source file, "12 13", or "-".
lines_of() { sort -nu "$1" | tr '\n' ' ' | sed 's/ $//; s/^$/-/'; }

# ours PROGRAM PATTERN: "TOOL: LINES" of every tool that reported, or "-"
ours() {
  report="$work/$2.json"
  LD_LIBRARY_PATH="$PWD/build/vgpu" LANEWISE_VGPU_REPORT="$report" build/programs/"$1" "$2" > /dev/null 2>&1 || true
  [ -s "$report" ] || { echo "failed"; return; }
  tr '{' '\n' < "$report" | sed -n 's/.*"tool":"\([a-z]*\)".*"line":\([0-9]*\).*/\1 \2/p' | sort -u > "$work/$2.ours"
  [ -s "$work/$2.ours" ] || { echo "-"; return; }
  for tool in $(cut -d' ' -f1 "$work/$2.ours" | sort -u); do
    sed -n "s/^$tool //p" "$work/$2.ours" > "$work/$2.lines"
    printf '%s: %s ' "$tool" "$(lines_of "$work/$2.lines")"
  done
}

# theirs PROGRAM PATTERN TOOL: "TOOL: LINES", "TOOL: somewhere", or "-"
theirs() {
  log="$work/$2.$3.log"
  timeout 120 compute-sanitizer --tool "$3" --print-limit 20 --target-processes all build/programs/"$1" "$2" > "$log" 2>&1 || true
  grep -Eq '(ERROR|RACECHECK) SUMMARY' "$log" || { printf '%s: failed ' "$3"; return; }
  grep -Eq '(ERROR SUMMARY: 0 errors|RACECHECK SUMMARY: 0 hazards)' "$log" && { echo "-"; return; }
  sed -n "s/.*$1\.cu:\([0-9]*\).*/\1/p" "$log" > "$work/$2.$3.lines"
  if [ -s "$work/$2.$3.lines" ]; then printf '%s: %s ' "$3" "$(lines_of "$work/$2.$3.lines")"; else printf '%s: somewhere ' "$3"; fi
}

# row PROGRAM PATTERN: one line of the table
row() {
  planted=$(sed -n "s/.*  \/\/ \([a-z]*check\): $2\$/\1/p" "harness/vgpu/programs/$1.cu" | head -n 1)
  grep -n "  // [a-z]*check: $2\$" "harness/vgpu/programs/$1.cu" | cut -d: -f1 > "$work/$2.planted" || true
  where="-"
  [ -z "$planted" ] || where="$planted: $(lines_of "$work/$2.planted")"
  other=""
  for tool in ${planted:-memcheck initcheck racecheck synccheck}; do
    found=$(theirs "$1" "$2" "$tool")
    [ "$found" = "-" ] || other="$other$found"
  done
  printf '| %s | %s | %s | %s |\n' "$2" "$where" "$(ours "$1" "$2" | sed 's/ $//')" "$(echo "${other:--}" | sed 's/ $//')"
}

table="$work/table"
for program in $programs; do
  build/programs/"$program" > "$work/names" 2> /dev/null
  echo "$program: $(wc -l < "$work/names") patterns" >&2
  printf '\n### [programs/%s.cu](programs/%s.cu)\n\n| pattern | planted | Lanewise | compute-sanitizer |\n|---|---|---|---|\n' "$program" "$program" >> "$table"
  started=0
  while read -r pattern; do  # eight at a time
    row "$program" "$pattern" > "$work/$pattern.row" < /dev/null &
    started=$((started + 1))
    [ $((started % 8)) -ne 0 ] || wait
  done < "$work/names"
  wait
  while read -r pattern; do cat "$work/$pattern.row"; done < "$work/names" >> "$table"
done

# count PLANTED COLUMN REPORTED: rows whose second column is (not) "-" and whose column COLUMN is (not) "-"
count() {
  awk -F'|' -v planted="$1" -v column="$2" -v reported="$3" '
    NF == 6 && $2 !~ /pattern|---/ { p = ($3 !~ /^ - $/); r = ($column !~ /^ - $/); if (p == planted && r == reported) n++ }
    END { print n + 0 }' "$table"
}
if grep -q ' failed ' "$table"; then
  echo "fidelity.sh: a program failed or was stopped; FIDELITY.md is unchanged:" >&2
  grep ' failed ' "$table" >&2
  exit 1
fi
wrong=$(awk -F'|' 'NF == 6 && $2 !~ /pattern|---/ && $3 !~ /^ - $/' "$table" | wc -l)
right=$(awk -F'|' 'NF == 6 && $2 !~ /pattern|---/ && $3 ~ /^ - $/' "$table" | wc -l)
{
  echo "## The checkers compared with compute-sanitizer"
  echo
  echo "Made by \`scripts/fidelity.sh\` on an $(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1) (driver $(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1), $(compute-sanitizer --version | grep -o 'Version.*' | head -n 1 | tr 'V' 'v'), CUDA $(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')) on $(date +%Y-%m-%d)."
  echo "Each pattern is a small program. *planted* is its mistake, with the lines; a tool's column shows what it reported and"
  echo "where. Lanewise runs all its checkers; compute-sanitizer runs the tool for that mistake, or all four if there is none."
  echo
  echo "| | Lanewise | compute-sanitizer |"
  echo "|---|---|---|"
  echo "| reported, of $wrong patterns with a mistake | $(count 1 4 1) | $(count 1 5 1) |"
  echo "| reported, of $right patterns without one | $(count 0 4 1) | $(count 0 5 1) |"
  cat "$table"
} > "$work/section"
scripts/replace_section.sh harness/vgpu/FIDELITY.md checkers < "$work/section"
sed -n '7,10p' "$work/section"
