#!/bin/bash
# Usage: build.sh [TARGET ...]
# Builds what is out of date under build/ (everything if no target is named), with a progress line; says nothing when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build
if ! [ -f build/build.ninja ]; then
  echo "lanewise: configuring"
  cmake --preset release > build/configure.log || { cat build/configure.log; exit 3; }
fi

# On a terminal each step overwrites the one before; elsewhere each has its line.
columns=0
[ -t 1 ] && columns=$(tput cols 2> /dev/null || echo 80)
cmake --build build ${1:+--target "$@"} | awk -v columns="$columns" '
  /Re-checking globbed|Re-running CMake|no work to do|^-- / { next }
  !said { said = 1; print "lanewise: building (a few minutes the first time)" }
  columns > 0 && /^\[/ { printf "\r\033[K%s", substr($0, 1, columns - 1); fflush(); open = 1; next }
  { if (open) print ""; open = 0; print; fflush() }
  END { if (open) printf "\r\033[K" }'
