#!/bin/sh
# Usage: replace_section.sh FILE NAME < TEXT
# Puts the text between the lines "<!-- NAME -->" and "<!-- end of NAME -->" of a file that several scripts write parts of.
# A new section is appended.
set -eu
file=$1
begin="<!-- $2 -->"
end="<!-- end of $2 -->"
new=$(mktemp)
trap 'rm -f "$new"' EXIT
cat > "$new"
grep -qxF "$begin" "$file" || printf '\n%s\n%s\n' "$begin" "$end" >> "$file"
awk -v begin="$begin" -v end="$end" -v new="$new" '
  $0 == end { while ((getline line < new) > 0) print line; print ""; inside = 0 }
  !inside { print }
  $0 == begin { inside = 1; print "" }' "$file" > "$file.new"
mv "$file.new" "$file"
