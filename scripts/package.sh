#!/bin/bash
# Usage: package.sh [--release ARGUMENT ...]
# Builds portable programs for all supported systems in build/package, and packs them with the labs: a .deb and an archive
# that can be unpacked anywhere. With --release, it makes the archive that students receive instead, with
# `lanewise release ARGUMENT ...`.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/progress.sh
. scripts/progress.sh

folder=build/package
oldest_glibc=2.35 # of Ubuntu 22.04, the oldest supported system
programs="lanewise libexec/lanewise-worker libexec/lanewise-device libexec/lanewise-launcher libexec/lanewise-sandbox-probe
  libexec/lanewise-for-students vgpu/libcudart.so.12 vgpu/libcudart.so.13 vgpu/program/libcudart.so.12
  vgpu/program/libcudart.so.13 vgpu/libraries/lanewise-library-watch.so
  vgpu/libraries/libcublas.so.12 vgpu/libraries/libcublas.so.13 vgpu/libraries/libcufft.so.11 vgpu/libraries/libcufft.so.12
  vgpu/libraries/libcurand.so.10 vgpu/libraries/libcusparse.so.12 toolchain/cuda/bin/ptxas toolchain/cuda/bin/fatbinary"

# COMMAND's output goes into a log, its steps to the terminal.
logged() { # WHAT COMMAND ...
  local what=$1 log rc=0
  shift
  log=$folder/${what// /_}.log
  "$@" 2>&1 | tee "$log" | { grep --line-buffered -E '^\[[0-9]+/[0-9]+\]|error:|^CMake Error' || true; } | progress "$what" || rc=$?
  ((rc == 0)) || { tail -n 20 "$log"; stop "$what failed; $log has the full output"; }
}

# Checks for anything that keeps a program from running elsewhere, or reveals this machine.
check_program() {
  local file=$folder/$1 foreign newest
  foreign=$(objdump -p "$file" | awk '$1 == "NEEDED" && $2 !~ /^(lib(c|m|dl|rt|pthread)\.so\.[0-9]+|ld-linux-(x86-64\.so\.2|aarch64\.so\.1))$/ { print $2 }
                                      $1 ~ /^R(UN)?PATH$/ { print "the search path " $2 }')
  # shellcheck disable=SC2086  # on one line
  [ -z "$foreign" ] || stop "$file is not portable: it needs" $foreign
  newest=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
  [ "$(printf '%s\n' "GLIBC_$oldest_glibc" "$newest" | sort -V | tail -n 1)" = "GLIBC_$oldest_glibc" ] ||
    stop "$file does not run with glibc $oldest_glibc: it needs $newest for$(objdump -T "$file" | awk -v v="($newest)" '$0 ~ v { printf " %s", $NF }')"
  ! grep -qF "$PWD" "$file" || stop "$file reveals this machine: it contains the path $PWD"
}

mkdir -p $folder
touch $folder/begun
made_for=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' $folder/CMakeCache.txt 2> /dev/null || true)
[ "$made_for" -ef . ] || rm -rf $folder/CMakeCache.txt $folder/CMakeFiles # the tree has moved since
logged configuring cmake -S . -B $folder -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANEWISE_PORTABLE=ON -DLANEWISE_TESTS=OFF
logged building cmake --build $folder --target lanewise lanewise-for-students
[ ! -e $folder/vgpu/libraries/libcuda.so.1 ] || programs="$programs vgpu/libraries/libcuda.so.1" # only with the toolkit
for program in $programs; do check_program "$program"; done
mv $folder/begun $folder/finished # newer than any source that the programs were built from

if [ "${1:-}" = --release ]; then
  shift
  exec $folder/lanewise release "$@"
fi

# Packages contain the labs as they are here: nobody's own work must be in them.
changed=$(git status --porcelain -- labs datasets 2> /dev/null | head -n 1)
[ -z "$changed" ] || stop "${changed:3} differs from the last commit: commit or restore it first"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
export SOURCE_DATE_EPOCH
rm -f $folder/*.deb $folder/lanewise-*.tar.gz
(cd $folder && cpack > packing.log 2>&1) || { tail -n 20 $folder/packing.log; stop "packing failed"; }
du -h --apparent-size $folder/*.deb $folder/*.tar.gz
