#!/bin/bash
# Usage: prepare.sh [build] [lint] [sanitizers] [docs] [test] [test-all] [arm] [slides] [package]
# Checks that everything Lanewise is built with is on this machine; on Debian and its derivatives, installs what is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/progress.sh
. scripts/progress.sh

declare -A packages
packages[build]="g++ cmake ninja-build make pkg-config nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libfmt-dev libstb-dev libzstd-dev libasmjit-dev"
if [ -d solutions ]; then # a release for students grades no class and has no tests
  packages[build]+=" libarchive-dev libgtest-dev libmpfr-dev libseccomp-dev libsqlite3-dev libsqlitecpp-dev libcpp-httplib-dev bubblewrap similarity-tester"
fi
packages[package]="binutils libbz2-dev liblzma-dev nettle-dev zlib1g-dev" # libraries that are linked statically
packages[lint]="clang-format clang-tidy libclang-dev llvm-dev"
packages[sanitizers]="clang libclang-rt-dev"
packages[docs]="doxygen graphviz"
packages[test]="clang-19 curl libxml2-utils python3-jsonschema shellcheck sqlite3"
# On some machines Node comes from elsewhere, with npm, and conflicts with Debian's packages.
node=""
command -v node > /dev/null || node=" nodejs"
command -v npm > /dev/null || node+=" npm"
# Large ones, which only the second tier of tests needs.
packages[test-all]="ccache chromium gnumeric munge slurm-client slurmctld slurmd wapiti$node"
# What cross-compiles for 64-bit Arm, and what runs that here: on Debian for x86-64 alone, whose mirrors have both.
packages[arm]="g++-aarch64-linux-gnu qemu-user-static libfmt-dev:arm64 libgtest-dev:arm64 libmpfr-dev:arm64 libseccomp-dev:arm64 libstdc++6:arm64
  libtomlplusplus-dev:arm64 libzstd-dev:arm64"
# Slides are measured in these fonts, which have the same widths as Arial and Menlo; WenQuanYi Micro Hei is a light one for Chinese.
packages[slides]="aspell aspell-en chromium fonts-dejavu-core fonts-liberation fonts-wqy-microhei$node"

# One of two compilers of CUDA is enough.
if ! command -v nvcc > /dev/null && ! [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then packages[build]+=" clang-19"; fi

architecture=$(dpkg --print-architecture 2> /dev/null || true)
wanted=""
for group in "${@:-build}"; do
  [ -n "${packages[$group]:-}" ] || stop "prepare.sh: there is no group of packages '$group'"
  [ "$group" != arm ] || { [ "$architecture" = amd64 ] && grep -qs '^ID=debian$' /etc/os-release; } || continue
  wanted="$wanted ${packages[$group]}"
done

# On other systems, CMake reports what it does not find.
command -v apt-get > /dev/null && command -v dpkg-query > /dev/null || exit 0

# shellcheck disable=SC2086  # the list is meant to be split
missing=$(comm -23 <(printf '%s\n' $wanted | sort -u) \
  <(dpkg-query -W -f='${Package}:${Architecture} ${db:Status-Status}\n' $wanted 2> /dev/null |
    sed -n "s/:\(all\|$architecture\) / /; s/ installed$//p" | sort -u) | tr '\n' ' ')
missing=${missing% }
[ -n "$missing" ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  # Without a terminal, sudo could not ask for the password.
  if ! command -v sudo > /dev/null || ! { sudo -n true 2> /dev/null || [ -t 0 ]; }; then
      stop "these packages are missing, and only root can install them: $missing. Ask for:  apt-get install $missing"
  fi
  sudo -v || stop "these packages are missing, and sudo does not let you install them: $missing. Ask for:  apt-get install $missing"
  as_root=(sudo)
fi

# Runs apt-get; its output other than progress goes into the log.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { # WHAT OPTION ...
  local what=$1
  shift
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o APT::Status-Fd=1 "$@" 2>&1 < /dev/null |
    (
      trap '' INT
      exec sed -u -n -e "w $log" -e 's/^\(dl\|pm\)status:[^:]*:\([0-9]*\)[^:]*:\(.*\)/[\2\/100] \3/p'
    ) | progress "$what"
}

say "installing: $missing"
if [[ $missing == *:arm64* ]] && ! dpkg --print-foreign-architectures | grep -qx arm64; then
  say "packages for arm64 are libraries to cross-compile with: dpkg is told of that architecture (dpkg --add-architecture arm64)"
  "${as_root[@]}" dpkg --add-architecture arm64
fi
apt "reading Debian's list of packages" update || say "the list of packages could not be updated; trying the existing one"
# shellcheck disable=SC2086
apt installing install -y --no-install-recommends $missing || {
  grep '^E: ' "$log" || tail -n 3 "$log"
  stop "apt-get could not install: $missing. Run  apt-get install $missing  by hand to see why"
}
