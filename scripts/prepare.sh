#!/bin/sh
# Usage: prepare.sh [build] [lint] [docs] [test] [slides]
# Makes sure that what Lanewise is built with is on this machine; on Debian and its kin, installs what is missing.
set -eu

build_packages="g++ cmake ninja-build make pkg-config nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libfmt-dev libstb-dev libzstd-dev"
if [ -d "$(dirname "$0")/../solutions" ]; then # a release for students grades no class and has no tests
  build_packages="$build_packages libarchive-dev libgtest-dev libseccomp-dev libsqlite3-dev libsqlitecpp-dev bubblewrap similarity-tester"
fi
lint_packages="clang-format clang-tidy"
docs_packages="doxygen graphviz"
# Node comes from elsewhere on some machines, and then with npm; its packages do not go together with Debian's.
node_packages=""
command -v node > /dev/null || node_packages="$node_packages nodejs"
command -v npm > /dev/null || node_packages="$node_packages npm"
test_packages="ccache chromium curl gnumeric libvalijson-dev libxml2-utils shellcheck sqlite3$node_packages"
# Slides are measured in these fonts, which are as wide as Arial and Menlo are elsewhere.
slides_packages="aspell aspell-en chromium fonts-dejavu-core fonts-liberation$node_packages"

say() { printf 'lanewise: %s\n' "$*"; }
stop() { say "$*" >&2; exit 3; }

if [ "$*" != slides ] && ! command -v nvcc > /dev/null && ! [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]; then
  stop "nvcc was not found: install the CUDA Toolkit 13 from https://developer.nvidia.com/cuda-downloads (no GPU is needed), or point CUDA_HOME at it"
fi

wanted=""
for group in "${@:-build}"; do
  case $group in
    build) wanted="$wanted $build_packages" ;;
    lint) wanted="$wanted $lint_packages" ;;
    docs) wanted="$wanted $docs_packages" ;;
    test) wanted="$wanted $test_packages" ;;
    slides) wanted="$wanted $slides_packages" ;;
    *) stop "prepare.sh: there is no group of packages '$group'" ;;
  esac
done

# Elsewhere CMake names what it does not find.
command -v apt-get > /dev/null && command -v dpkg-query > /dev/null || exit 0

missing=""
for package in $wanted; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
  as_root="sudo"
elif command -v sudo > /dev/null && [ -t 0 ]; then
  as_root="sudo" # asks for the password
else
  stop "these packages are missing and only root can install them:$missing. Ask for:  apt-get install$missing"
fi

say "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q > /dev/null || say "the list of packages could not be updated; trying with the one there is"
# shellcheck disable=SC2086  # the list is meant to be split
$as_root apt-get install -y -q --no-install-recommends $missing > /dev/null ||
  stop "apt-get could not install:$missing. Run  apt-get install$missing  by hand to see why"
