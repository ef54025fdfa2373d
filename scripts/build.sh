#!/bin/bash
# Usage: build.sh [--state | --configure] [-DNAME=VALUE ...] [TARGET ...]
# Builds what is out of date under build/ (everything if no target is named) and shows progress; prints nothing if there
# is nothing to do. --configure stops before building; --state says whether `lanewise` is built. Exit code 3: it could not
# be built.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/progress.sh
. scripts/progress.sh

# Written once `lanewise` is completely built: hashes of its sources and of ninja's log at that time. They are the same in
# a copy of the tree, where all times differ.
built=build/.lanewise-built
sources() {
  find CMakeLists.txt CMakePresets.json cmake harness grader datasets labs -type f \
    ! \( -path 'labs/*' ! -name '*.cpp' ! -name '*.h' ! -name CMakeLists.txt \) \
    ! -name '*_test.cpp' ! -name '*.md' ! -name '*.png' ! -name '*.svg' ! -name '*.mtx' ! -name '*.jpg' -print0 |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
}
built_from() { echo "$1 $(cksum < build/.ninja_log)"; }
is_built() { [ -x build/lanewise ] && [ -f $built ] && [ "$(cat $built)" = "$(built_from "$1")" ]; }

# Values in CMake's cache.
declare -A cache=()
read_cache() {
  local name value
  cache=()
  [ -f build/CMakeCache.txt ] || return 0
  while IFS='=' read -r name value; do
    cache[${name%:*}]=$value
  done < <(grep -E '^(CMAKE_(HOME_DIRECTORY|CACHEFILE_DIR|GENERATOR|COMMAND|ROOT|MAKE_PROGRAM|C_COMPILER|CXX_COMPILER)|CUDAToolkit_NVCC_EXECUTABLE|LANEWISE_[A-Z]*):' build/CMakeCache.txt)
}

# Why that cannot be used any more; empty if it can.
gone_tool() {
  local name
  for name in CMAKE_COMMAND CMAKE_ROOT CMAKE_MAKE_PROGRAM CMAKE_C_COMPILER CMAKE_CXX_COMPILER CUDAToolkit_NVCC_EXECUTABLE; do
    [[ ${cache[$name]:-} =~ ^$|-NOTFOUND$ ]] || [ -e "${cache[$name]}" ] || { echo "build/ was made with ${cache[$name]}, which is gone"; return; }
  done
}
staleness() {
  if [ -z "${cache[CMAKE_HOME_DIRECTORY]:-}" ] || [ ! -f build/build.ninja ]; then
    echo "build/ was left half-configured"
  elif ! [ "${cache[CMAKE_HOME_DIRECTORY]}" -ef . ] || ! [ "${cache[CMAKE_CACHEFILE_DIR]:-}" -ef build ]; then
    echo "build/ was made in ${cache[CMAKE_HOME_DIRECTORY]}"
  elif [ "${cache[CMAKE_GENERATOR]:-}" != Ninja ]; then
    echo "build/ was made for ${cache[CMAKE_GENERATOR]:-another tool} instead of Ninja"
  else
    gone_tool
  fi
}

# Explains the failure that a tool wrote to a log, and exits.
give_up() { # LOG SENTENCE
  if [ "$(df -Pk build | awk 'NR == 2 { print $4 }')" -lt 4096 ] || grep -qs 'No space left on device' "$1"; then
    stop "the disk that holds build/ is full: free some space and run the same command again; it resumes from here"
  elif grep -qsE 'Killed signal|out of memory|Cannot allocate memory' "$1"; then
    stop "memory ran out: run the same command again with  CMAKE_BUILD_PARALLEL_LEVEL=1  in front of it; it resumes from here"
  fi
  stop "$2"
}

configure() {
  local version rc=0
  command -v cmake > /dev/null || stop "cmake was not found: install CMake 3.25 or newer"
  version=$(cmake --version | sed -n 's/^cmake version //p')
  [ "$(printf '%s\n' 3.25 "$version" | sort -V | head -n 1)" = 3.25 ] ||
    stop "$(command -v cmake) is CMake $version, and Lanewise needs 3.25 or newer: install one and put it first on the PATH"
  rm -f $built
  { cmake --preset release "$@" > build/configure.log 2>&1 || exit 1; } | progress configuring || rc=1
  if ((rc > 0)); then
    rm -f build/build.ninja
    sed -n '/^CMake Error/,/^-- Configuring incomplete/p' build/configure.log | sed '/^-- /d'
    give_up build/configure.log "configuring failed; build/configure.log has CMake's full output"
  fi
  read_cache
}

# From scratch, with the chosen options; compiled files that are still valid are kept.
configure_anew() {
  local name chosen=()
  for name in "${!cache[@]}"; do
    case $name:${cache[$name]} in LANEWISE_*:ON | LANEWISE_*:OFF) chosen+=("-D$name=${cache[$name]}") ;; esac
  done
  rm -rf build/CMakeCache.txt build/CMakeFiles build/build.ninja
  configure "${chosen[@]}" "${options[@]}"
}

# The compiler's messages are shown, its command lines stay in the log.
run_ninja() {
  "${cache[CMAKE_MAKE_PROGRAM]:-ninja}" -C build -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" "$@" 9>&- 2>&1 | tee -i build/build.log |
    (
      trap '' INT
      exec sed -u -e '/^ninja: /d; /^-- /d; /^\[[0-9/]*\] Re-checking globbed/d' -e '/^FAILED: /{n;d}'
    ) | progress building
}
is_damaged() { grep -E '^ninja: (error|fatal): ' build/build.log | grep -qv rebuilding; }

# --- arguments

mode=build
options=()
while [ $# -gt 0 ]; do
  case $1 in
    --state | --configure) mode=${1#--} ;;
    -D*=*) options+=("$1") ;;
    *) break ;;
  esac
  shift
done

read_cache
hash=""
if [ "$mode" = state ] || [ "$mode ${options[*]}$*" = "build lanewise" ]; then
  hash=$(sources)
  if is_built "$hash" && [ -z "$(gone_tool)" ]; then
    [ "$mode" = build ] || echo built
    exit 0
  fi
fi
if [ "$mode" = state ]; then
  [ -x build/lanewise ] && echo "out of date" || echo "not built"
  exit 0
fi

# --- the build folder

mkdir -p build 2> /dev/null || true
locked=$(find build -maxdepth 1 ! -writable \( -type d -o ! -uid "$EUID" \) -print -quit 2> /dev/null)
[ -d build ] || locked=.
[ -z "$locked" ] ||
  stop "$(realpath "$locked") belongs to $(stat -c %U "$locked"), and you cannot write to it: copy the tree to a folder of your own (cp -r), or have it built by $(stat -c %U "$locked")"
exec 9> build/.lock
flock -n 9 || { flock 9; } | progress "waiting for another build in this folder"

interrupted() {
  say "stopped; the next make resumes from here"
  exit 130
}
trap interrupted INT TERM HUP
begin=$SECONDS
read_cache
if [ ! -e build/CMakeCache.txt ] && [ ! -e build/CMakeFiles ]; then
  configure "${options[@]}"
elif why=$(staleness) && [ -n "$why" ]; then
  say "$why: configuring again"
  configure_anew
else
  for option in "${options[@]}"; do
    option=${option#-D}
    grep -qx "${option%%=*}:[A-Z]*=${option#*=}" build/CMakeCache.txt || { configure "${options[@]}"; break; }
  done
fi
[ "$mode" = build ] || exit 0

# --- building

[ -n "$hash" ] || hash=$(sources)
rm -f $built
rc=0
run_ninja "$@" || rc=$?
if ((rc > 0)) && is_damaged; then
  say "build/ is damaged: configuring again"
  rm -f build/.ninja_log build/.ninja_deps
  configure_anew
  rc=0
  run_ninja "$@" || rc=$?
fi
if ((rc > 0)); then
  ! grep -q "interrupted by user" build/build.log || interrupted
  sed -n 's/^ninja: error: /ninja: /p' build/build.log
  give_up build/build.log "the build failed: the compiler's messages are above, and with its command lines in build/build.log"
fi
case ${1:-lanewise} in lanewise | all) built_from "$hash" > $built ;; esac
((SECONDS - begin < 10)) || say "built in $(minutes $((SECONDS - begin)))"
