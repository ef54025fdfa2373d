#!/bin/sh
# Usage: ladders_on_gpu.sh [LAB|TASK ...]
# On a machine with an NVIDIA GPU: shows that every step of every ladder, and every peer, is right there. Builds, then
#   1. grades all of solutions/ at the check cases, and steps and peers at the race cases,
#   2. times steps and peers at the race cases (lanewise bench), which writes solutions/*/measured.toml,
#   3. runs steps and peers under the four tools of compute-sanitizer, with the case that their table counts and one that
#      no tile size divides.
# A line a file; exit code 1 if anything differs. A package that is missing can lie in .headers/ (header-only libraries).
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"
different=0
elapsed() { echo "== $1 ($(($(date +%s) - begin)) s)"; }
begin=$(date +%s)

elapsed "build"
mkdir -p build
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANEWISE_HEADERS="$PWD/.headers" -DLANEWISE_TESTS=OFF > build/build.log 2>&1 ||
  { cat build/build.log; exit 3; }
ninja -C build lanewise > build/build.log 2>&1 || { tail -30 build/build.log; exit 3; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

elapsed "solutions at the check cases"
build/lanewise demo --backend gpu "$@" || different=1

elapsed "steps and peers at the race cases"
build/lanewise demo --backend gpu --cases race --out build/demo_race "$@" || different=1

elapsed "times at the race cases"
build/lanewise bench --backend gpu "$@" || different=1

elapsed "compute-sanitizer"
work=build/sanitized
rm -rf "$work"
build/lanewise bench --backend gpu --write-calls "$work" "$@"

# sanitize NAME COMMAND: NAME.verdict holds "clean", or the tools that reported something.
cat > "$work/sanitize.sh" << 'SCRIPT'
#!/bin/sh
work=$1
name=$(echo "$2" | cut -f 1)
command=$(echo "$2" | cut -f 2)
verdict=""
for tool in memcheck initcheck racecheck synccheck; do
  leaks=""
  [ "$tool" != memcheck ] || leaks="--leak-check no"
  log="$work/$name.$tool.log"
  # shellcheck disable=SC2086  # options and the command are meant to be split
  timeout 120 compute-sanitizer --tool "$tool" $leaks --error-exitcode 9 --print-limit 10 $command > "$log" 2>&1
  code=$?
  if [ "$code" = 124 ]; then
    verdict="$verdict $tool (not done after two minutes)"
  elif [ "$code" != 0 ] || ! grep -Eq 'SUMMARY: 0 (errors|hazards)' "$log"; then
    verdict="$verdict $tool"
  fi
done
echo "${verdict:- clean}" > "$work/$name.verdict"
SCRIPT
# Each file keeps one GPU context and a few cores busy; half the cores make the machine as fast as it gets.
at_a_time=$((($(nproc) + 1) / 2))
tr '\n' '\0' < "$work/calls" | xargs -0 -P "$at_a_time" -n 1 sh "$work/sanitize.sh" "$work"

clean=0
total=0
while IFS="$(printf '\t')" read -r name _; do
  verdict=$(cat "$work/$name.verdict" 2> /dev/null || echo " not run")
  total=$((total + 1))
  case $verdict in
    " clean") clean=$((clean + 1)) ;;
    *) different=1 ;;
  esac
  printf '  %-50s %s\n' "$name" "${verdict# }"
  for tool in memcheck initcheck racecheck synccheck; do
    case $verdict in *"$tool"*) grep -E '^=========' "$work/$name.$tool.log" | sed -n '2,6p' ;; esac
  done
done < "$work/calls"
echo "$clean of $total steps and peers are clean under compute-sanitizer"
elapsed "done"
exit $different
