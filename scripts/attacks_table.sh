#!/bin/sh
# Usage: attacks_table.sh [--check]
# Rewrites the table of all attacks in grader/attacks/README.md from the first lines of their files. With --check, it
# writes nothing; the exit code is 1 if the table is stale.
set -eu
cd "$(dirname "$0")/.."
readme=grader/attacks/README.md

cell() { sed 's/\\/&&/g; s/&/\&amp;/g; s/</\&lt;/g; s/|/\\|/g'; }

# What a file says of itself: "tries|becomes".
of_grading() { awk 'NR == 1 { sub(/^\/\/ expect: [a-z_]*: /, ""); becomes = $0 }
                    sub(/^\/\/ tries: /, "") { tries = $0 }
                    sub(/^\/\/ says: /, "") { becomes = becomes ": \"" $0 "\"" }
                    END { print tries "\t" becomes }' "$1"; }
of_sandbox() { awk 'NR == 1 { sub(/^\/\/ tries: /, ""); tries = $0 }
                    NR == 2 { sub(/^\/\/ outcome: /, ""); print tries "\t" $0 }' "$1"; }
# The first sentence of the comment below the two declarations.
of_timing() { awk 'NR == 1 { sub(/^\/\/ expect: [a-z_]*: /, ""); becomes = $0 }
                   NR == 2 { sub(/^\/\/ /, ""); becomes = becomes "; " $0 }
                   NR > 2 && !/^\/\// { exit }
                   NR > 2 { sub(/^\/\/ /, ""); tries = tries (tries == "" ? "" : " ") $0 }
                   END { sub(/\. .*/, ".", tries); sub(/\.$/, "", tries); print tries "\t" becomes }' "$1"; }
of_hand_ins() { awk 'sub(/^tries = "/, "") { sub(/"$/, ""); tries = $0 }
                     sub(/^graded = /, "") { becomes = $0 " graded" }
                     sub(/^says = ./, "") { sub(/.$/, ""); becomes = becomes ": \"" $0 "\"" }
                     END { print tries "\t" becomes }' "$1"; }

rows() {
  for file in grader/attacks/"$1"/*."$2"; do
    name=$(basename "$file" ."$2")
    [ "$name" = honest ] && continue
    "of_$1" "$file" | cell | awk -F '\t' -v link="[$name]($1/$name.$2)" '{ print "| " link " | " $1 " | " $2 " |" }'
  done
}

table() {
  for folder in "hand_ins toml" "grading cu" "sandbox cu" "timing cu"; do
    # shellcheck disable=SC2086  # a folder and the extension of its files
    rows $folder
  done > "$work/rows"
  printf '%s attacks.\n\n| file | aim | outcome |\n|---|---|---|\n' "$(grep -c . "$work/rows")"
  cat "$work/rows"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
table > "$work/table"
cp "$readme" "$work/README.md"
scripts/replace_section.sh "$work/README.md" "table of all attacks" < "$work/table"
if [ "${1:-}" != "--check" ]; then
  cp "$work/README.md" "$readme"
elif ! diff "$readme" "$work/README.md" >&2; then
  echo "$readme: the table of all attacks is stale; run scripts/attacks_table.sh" >&2
  exit 1
fi
