#!/bin/sh
# Prepares a Gradescope container, once, as root: the CUDA Toolkit, the tools that build Lanewise, and Lanewise itself.
# Needs Ubuntu 24.04, Debian 12 or newer as the base image, and lanewise.tar.gz beside this file.
set -eu

autograder=${AUTOGRADER:-/autograder}
archive=$autograder/source/lanewise.tar.gz
lanewise=$autograder/lanewise
runs_as=${RUNS_AS:-lanewise}
export CUDA_HOME="${CUDA_HOME:-/usr/local/cuda}" DEBIAN_FRONTEND=noninteractive
export PATH="$PATH:$CUDA_HOME/bin"

stop() { echo "setup.sh: $*" >&2; exit 3; }

[ -f "$archive" ] || stop "$archive is missing: make it with  git archive --format=tar.gz -o lanewise.tar.gz HEAD"

if ! command -v nvcc > /dev/null; then
  # shellcheck source=/dev/null
  . /etc/os-release
  repository=https://developer.download.nvidia.com/compute/cuda/repos/$ID$(echo "$VERSION_ID" | tr -d .)/x86_64
  apt-get update -q
  apt-get install -y -q --no-install-recommends ca-certificates curl
  curl -fsSL --retry 3 -o /tmp/cuda-keyring.deb "$repository/cuda-keyring_1.1-1_all.deb" ||
    stop "NVIDIA has no packages for $PRETTY_NAME at $repository: take another base image"
  dpkg -i /tmp/cuda-keyring.deb
  rm /tmp/cuda-keyring.deb
  apt-get update -q
  apt-get install -y -q --no-install-recommends cuda-toolkit-13-0
fi

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
scripts/build.sh lanewise

# Submissions run as somebody who may not write results, and whose processes can be told from all others.
id "$runs_as" > /dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin "$runs_as"
mkdir -p build/cache
chown -R "$runs_as" build/cache
echo "Lanewise is ready in $lanewise"
