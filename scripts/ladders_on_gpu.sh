#!/bin/sh
# Usage: ladders_on_gpu.sh [--only check|times|race|sanitizer] [LAB|TASK ...]
# On a machine with an NVIDIA GPU: checks that every step of every ladder is right there; peers are run as well, and may
# have a different result. Builds, then
#   check      grades all of solutions/ on the check cases,
#   times      times and judges steps and peers (lanewise bench), and writes roofs.toml, measured.toml and pages in solutions/,
#   race       grades steps and peers on the race cases, as submissions are graded,
#   sanitizer  runs them under the four tools of compute-sanitizer, with the case that their table counts and one that no
#              tile size divides.
# The last two run in parallel. Prints one line per file; exit code 1 if anything differs. Missing header-only libraries
# can be put into .headers/.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"
only=""
if [ "${1:-}" = "--only" ]; then
  only=${2:-}
  case $only in
    check | times | race | sanitizer) shift 2 ;;
    *)
      sed -n 's/^# \(Usage: .*\)/\1/p' "$0" >&2
      exit 2
      ;;
  esac
fi
if ! nvidia-smi -L > /dev/null 2>&1; then
  echo "ladders_on_gpu.sh: there is no NVIDIA GPU here (nvidia-smi -L finds none); 'lanewise verify' grades the ladders on the virtual one" >&2
  exit 3
fi
wanted() { [ -z "$only" ] || [ "$only" = "$1" ]; }
begin=$(date +%s)
section() { echo "== $1 ($(($(date +%s) - begin)) s)"; }
different=0
work=build/sanitized

# One file under all four tools. Writes NAME.verdict: "clean", or the tools that reported something.
write_sanitize_script() {
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
    verdict="$verdict $tool (not finished after two minutes)"
  elif [ "$code" != 0 ] || ! grep -Eq 'SUMMARY: 0 (errors|hazards)' "$log"; then
    verdict="$verdict $tool"
  fi
done
echo "${verdict:- clean}" > "$work/$name.verdict"
SCRIPT
}

# 0 if everything is clean.
sanitize_all() {
  rm -rf "$work"
  build/lanewise bench --backend gpu --write-calls "$work" "$@" || return 1
  write_sanitize_script
  # Each keeps a GPU context and about two cores busy.
  tr '\n' '\0' < "$work/calls" | xargs -0 -P "$((($(nproc) + 1) / 2))" -n 1 sh "$work/sanitize.sh" "$work"
  clean=0
  total=0
  while IFS="$(printf '\t')" read -r name _; do
    verdict=$(cat "$work/$name.verdict" 2> /dev/null || echo " not run")
    total=$((total + 1))
    [ "$verdict" != " clean" ] || clean=$((clean + 1))
    printf '  %-50s %s\n' "$name" "${verdict# }"
    for tool in memcheck initcheck racecheck synccheck; do
      case $verdict in *"$tool"*) grep -E '^=========' "$work/$name.$tool.log" | sed -n '2,6p' ;; esac
    done
  done < "$work/calls"
  echo "$clean of $total steps and peers are clean under compute-sanitizer"
  [ "$clean" = "$total" ]
}

section "build"
mkdir -p build
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANEWISE_HEADERS="$PWD/.headers" -DLANEWISE_TESTS=OFF > build/build.log 2>&1 ||
  { cat build/build.log; exit 3; }
ninja -C build lanewise > build/build.log 2>&1 || { tail -30 build/build.log; exit 3; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

if wanted check; then
  section "all of solutions/ on the check cases"
  build/lanewise verify --backend gpu "$@" || different=1
fi

if wanted times; then  # alone, with nothing else running on the machine
  section "times, on the race cases, the ladders' own cases and by size"
  build/lanewise bench --backend gpu "$@" || different=1
fi

racing=""
if wanted race; then
  build/lanewise verify --backend gpu --cases race --out build/verify_race "$@" > build/race.txt 2>&1 &
  racing=$!
fi
if wanted sanitizer; then
  section "steps and peers under compute-sanitizer"
  sanitize_all "$@" || different=1
fi
if [ -n "$racing" ]; then
  wait "$racing" || different=1
  section "steps and peers on the race cases"
  cat build/race.txt
fi
section "done"
exit $different
