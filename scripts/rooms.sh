#!/bin/sh
# Usage: rooms.sh [LIST]
# Checks that no file includes a header of a room that its own may not know (LIST, default: scripts/rooms.txt), that every
# line of the list is needed, and that no rooms know each other in a circle. Prints what is wrong; the exit code is then 1.
set -eu
cd "$(dirname "$0")/.."
list=${1:-scripts/rooms.txt}

# A line "room: other" for each pair that the list allows.
allowed() { awk '/^#/ || NF == 0 { next } /^[^ ]/ { room = $1; $1 = "" } { for (i = 1; i <= NF; ++i) if ($i != "") print room, $i }' "$list"; }

# The same for each include, with the place that it is in.
included() {
  find datasets grader harness labs -type f \( -name '*.cpp' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) |
    grep -Ev '_test\.|/test_|/testing/|/tests?/|/fuzz/' | xargs awk '
      function room(path,    part, n) {
        n = split(path, part, "/")
        if (part[1] != "grader" && part[1] != "harness") return part[1]
        return part[1] "/" part[2] ((part[2] == "vgpu" || part[2] == "runner") && n > 3 ? "/" part[3] : "")
      }
      match($0, /^#include "(datasets|grader|harness|labs)\//) {
        split($0, quoted, "\"")
        if (room(FILENAME) != room(quoted[2])) print room(FILENAME) ":", room(quoted[2]), FILENAME ":" FNR
      }'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
allowed > "$work/allowed"
included > "$work/included"
failed=0
awk -v list="$list" '
  NR == FNR { allowed[$1 " " $2] = 1; next }
  { used[$1 " " $2] = 1 }
  !(($1 " " $2) in allowed) {
    printf "%s includes a header of %s, which %s does not allow %s\n", $3, $2, list, substr($1, 1, length($1) - 1)
    found = 1
  }
  END {
    for (pair in allowed) if (!(pair in used)) { printf "%s: \"%s\" is not needed any more\n", list, pair; found = 1 }
    exit found
  }' "$work/allowed" "$work/included" || failed=1
sed 's/:/ /' "$work/allowed" | tsort > "$work/order" 2> "$work/circles" || { # unlike the list, it has no circle
  echo "$list: these rooms know each other in a circle:"
  sed -n 's/^tsort: \([a-z].*\/.*\|labs\|datasets\)$/  \1/p' "$work/circles"
  failed=1
}
exit "$failed"
