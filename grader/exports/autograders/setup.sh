#!/bin/sh
# Prepares a container or a machine that grades for @platform@, once, as root: Lanewise, the packages that build it, and clang
# if there is no nvcc. Needs Ubuntu 24.04, Debian 12 or newer, and lanewise.tar.gz beside this file.
set -eu

autograder=${AUTOGRADER:-/autograder}
archive=$autograder/source/lanewise.tar.gz
lanewise=$autograder/lanewise
runs_as=${RUNS_AS:-lanewise}
export CUDA_HOME="${CUDA_HOME:-/usr/local/cuda}" DEBIAN_FRONTEND=noninteractive
export PATH="$PATH:$CUDA_HOME/bin"

stop() { echo "setup.sh: $*" >&2; exit 3; }

[ -f "$archive" ] || stop "$archive is missing: make it with  git archive --format=tar.gz -o lanewise.tar.gz HEAD"

# The archive may hold the tree as it is, or in one folder.
rm -rf "$lanewise" "$lanewise.new"
mkdir -p "$lanewise.new"
tar -xzf "$archive" --no-same-owner -C "$lanewise.new"
tree=$(find "$lanewise.new" -maxdepth 2 -name CMakePresets.json -exec dirname {} \; | head -n 1)
[ -n "$tree" ] || stop "$archive holds no Lanewise: there is no CMakePresets.json in it"
mv "$tree" "$lanewise"
rm -rf "$lanewise.new"

cd "$lanewise"
scripts/prepare.sh build
# Several files compiled together, on every processor, need more than a small container has.
limit=$(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2> /dev/null | head -n 1 || true)
small=""
[ "${limit:-max}" = max ] || [ "$limit" -ge 4000000000 ] || small=-DCMAKE_UNITY_BUILD_BATCH_SIZE=4
[ -z "$small" ] || export CMAKE_BUILD_PARALLEL_LEVEL=1
# shellcheck disable=SC2086  # one option or none
scripts/build.sh $small lanewise

# Submissions run as a user who may not write results, and whose processes can be told from all others.
id "$runs_as" > /dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin "$runs_as"
mkdir -p build/cache
chown -R "$runs_as" build/cache
echo "Lanewise is ready in $lanewise"
