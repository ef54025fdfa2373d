#!/bin/sh
# Usage: lint.sh [--format | --quick]
# Checks that sources are as clang-format would have them, and runs clang-tidy over them (--quick: over the 8
# that were changed last). --format formats instead of checking.
set -eu
cd "$(dirname "$0")/.."

sources() { git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' '*.js' '*.mjs' | grep -v '\.in$'; }

if [ "${1:-}" = "--format" ]; then
  sources | xargs clang-format -i
  exit 0
fi

sources | xargs clang-format --dry-run -Werror

[ -f build/compile_commands.json ] || cmake --preset release > /dev/null
everything() { git ls-files '*.cpp' | grep -v '/fuzz/'; }
if [ "${1:-}" = "--quick" ]; then
  files=$(git log --format= --name-only -- '*.cpp' | awk '!seen[$0]++' | grep -Fx "$(everything)" | head -n 8)
else
  files=$(everything)
fi
[ -z "$files" ] || printf '%s\n' "$files" | xargs -P "$(nproc)" -n 4 clang-tidy -p build --quiet --warnings-as-errors='*'
