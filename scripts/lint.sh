#!/bin/bash
# Usage: lint.sh [--format]
# Checks that sources are formatted by clang-format, and runs clang-tidy over all of them as they are compiled: several files
# in one, since most of its work is in the headers that they share. --format formats instead of checking.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  "" | --format) ;;
  *) echo "lint.sh: unknown option '$1'; without one it checks, with --format it formats" >&2; exit 2 ;;
esac

sources() { git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' '*.js' '*.mjs' | grep -v '\.in$'; }

if [ "${1:-}" = "--format" ]; then
  sources | xargs clang-format -i
  exit 0
fi

sources | xargs clang-format --dry-run -Werror

# clang-tidy cannot detect these once several files are one: repeated includes, and unused aliases.
# shellcheck disable=SC2016  # awk's own
git ls-files '*.h' '*.cpp' | xargs awk '
  function tell() {
    for (name in alias)
      if (!used[name]) { printf "%s:%d: the alias %s is not used\n", last, alias[name], name; found = 1 }
  }
  FNR == 1 { tell(); split("", seen); split("", alias); split("", used); is_code = 0; last = FILENAME }
  /^[^#\/]/ { is_code = 1 }
  !is_code && /^#include/ && seen[$2]++ { printf "%s:%d: %s is included twice\n", FILENAME, FNR, $2; found = 1 }
  $1 == "namespace" && $3 == "=" { alias[$2] = FNR; next }
  /^using / && FILENAME ~ /\.cpp$/ && NF == 2 && sub(/;$/, "", $2) && sub(/.*::/, "", $2) { alias[$2] = FNR; next }
  { for (name in alias) if (!used[name] && match($0, "(^|[^A-Za-z0-9_])" name "($|[^A-Za-z0-9_])")) used[name] = 1 }
  END { tell(); exit found }'

[ -f build/compile_commands.json ] || cmake --preset release > /dev/null
rm -rf build/lint
mkdir -p build/lint

# The analyser checks only functions in the main file. So each unity file is written out, with the contents of the files that
# it includes in place of their names; a generated file that does not exist yet is not checked. The new compile_commands.json
# also says how to compile each file by itself.
awk -v build="$PWD/build" '
  function with(path, by) { at = index(line, path); return at ? substr(line, 1, at - 1) by substr(line, at + length(path)) : line }
  /"directory": / { directory = $0 }
  {
    line = $0
    sub(/ -Werror /, " ", line)  # only the checks of clang-tidy are wanted, not the warnings of Clang itself
    if (match(line, build "/[^ \"]*/Unity/unity_[^ \"]*")) {
      unity = substr(line, RSTART, RLENGTH)
      whole = substr(unity, length(build) + 2)
      gsub("/", "_", whole)
      whole = build "/lint/" whole ".cpp"
      print with(unity, whole)
    } else {
      print line
    }
  }
  /"command": / { command = line }
  /"file": / && unity != "" {
    while ((getline part < unity) > 0) {
      if (part !~ /^#include "\//) continue
      file = substr(part, 11, length(part) - 11)
      print "#line 1 \"" file "\"" > whole
      while ((getline text < file) > 0) print text > whole
      close(file)
      line = command
      printf "},\n{\n%s\n%s\n  \"file\": \"%s\"\n", directory, with(unity, file), file
    }
    close(unity)
    close(whole)
    unity = ""
  }' build/compile_commands.json > build/lint/compile_commands.json

# What the targets compile, once; then files that no target compiles, such as those that become part of submissions.
files() { git ls-files '*.cpp' | grep -v '/fuzz/\|only_own_code' | sed "s|^|$PWD/|"; }
units=$(grep -o '"file": "[^"]*"' build/lint/compile_commands.json | cut -d '"' -f 4 | sort -u)
whole=$(grep "^$PWD/build/lint/" <<< "$units" | grep -v 'lanewise-for-students')  # all of it is in lanewise as well
in_whole=$(sed -n 's/^#line 1 "\(.*\)"$/\1/p' build/lint/*.cpp)
alone=$(files | grep -vFx "$in_whole" | grep -Fx "$units")
never=$(files | grep -vFx "$in_whole" | grep -vFx "$units" || true)

# Lines of a written-out file are reported as lines of the original file.
own_lines() {
  awk 'match($0, /^[^ :]*\/build\/lint\/[^:]*:[0-9]+:/) {
      place = substr($0, 1, RLENGTH - 1)
      last = place
      sub(/:[0-9]*$/, "", place)
      sub(/.*:/, "", last)
      for (n = 1; n <= last + 0 && (getline text < place) > 0; ++n)
        if (text ~ /^#line 1 "/) { file = substr(text, 10, length(text) - 10); begin = n }
      close(place)
      $0 = file ":" last - begin substr($0, RLENGTH)
    }
    !/ warnings? (and [0-9]+ errors? )?generated\.$|^Suppressed |^Use -header-filter/'
}
failed=0

# Four fifths of what the checks look at would be declarations of system headers.
llvm=$(dirname "$(dirname "$(readlink -f "$(command -v clang-tidy)")")")
for header in clang/AST/ASTConsumer.h llvm/ADT/StringRef.h; do
  [ -f "$llvm/include/$header" ] || { echo "lint.sh: $llvm/include/$header is missing; install libclang-dev and llvm-dev" >&2; exit 3; }
done
c++ -std=c++17 -fno-rtti -fPIC -shared -isystem "$llvm/include" -o build/lint/only_own_code.so scripts/only_own_code.cpp

# All files, within minutes: the analyser does not follow nested calls, gives up on a function after 10,000 steps (75,000 take
# four times as long), and skips tests; templates that are not instantiated are not parsed; two checks that take as long as all
# others together are run only on the last changes. Tests may be slow, compare bytes, and truncate strings on purpose.
of_tests="-performance-*,-bugprone-exception-escape,-bugprone-misplaced-widening-cast"
of_tests+=",-bugprone-string-literal-with-embedded-nul,-bugprone-suspicious-memory-comparison"
of_parts="-readability-duplicate-include,-readability-redundant-declaration,-misc-unused-*"
of_all="$of_parts,-performance-unnecessary-value-param,-bugprone-stringview-nullptr"
sweep="--extra-arg=-fdelayed-template-parsing"
for how in mode=shallow max-nodes=10000; do
  sweep+=" --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=$how"
done
# shellcheck disable=SC2086,SC2317  # options; called by name
tidy() { # KIND FILE ...
  local kind=$1
  shift
  local how=(clang-tidy --quiet --load=build/lint/only_own_code.so --warnings-as-errors='*')
  case $kind in
    deep) "${how[@]}" -p build/lint "$@" ;;
    deep_test) "${how[@]}" -p build/lint --checks="$of_parts,$of_tests" "$@" ;;
    part) "${how[@]}" -p build/lint $sweep --checks="$of_all" "$@" ;;
    part_test) "${how[@]}" -p build/lint $sweep --checks="$of_all,$of_tests,-clang-analyzer-*" "$@" ;;
    never) "${how[@]}" "$@" -- -std=c++17 -I. ;;
  esac 2>&1
}
export -f tidy
export sweep of_all of_parts of_tests

is_test='_test|/testing/'
of_kind() { sed -E "/^$/d; s|^|$1 |; \\#$is_test#s|^[a-z]+|&_test|"; }
by_size() { sed "/^$/d" | xargs -r stat -c '%s %n' | sort -rn | cut -d ' ' -f 2-; }

# The last changes, as deeply as possible; then everything. One queue, the longest first: no processor waits for another.
recent=$(git log --format= --name-only -- '*.cpp' | sed "s|^|$PWD/|" | awk '!seen[$0]++' | grep -Fx "$(files)" | grep -vFx "$never" |
  awk 'NR <= 8')
{
  by_size <<< "$recent" | of_kind deep
  printf '%s\n' "$whole" "$alone" | by_size | of_kind part
  sed "/^$/d" <<< "$never" | xargs -r -n 4 echo never
} | xargs -P "$(nproc)" -L 1 bash -c 'tidy "$@"' tidy | own_lines || failed=1
exit "$failed"
