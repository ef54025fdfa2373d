#!/usr/bin/env bash
# Says which links of the Markdown files lead to no file of the tree. Lectures have a check of their own (slides/press),
# and what grader/release keeps for others is read in other places.
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files -z '*.md' ':!slides/decks' ':!grader/release' | xargs -0 awk '
  { gsub(/`[^`]*`/, "")
    while (match($0, /\]\([^)# \t]+/)) {
      print FILENAME "\t" substr($0, RSTART + 2, RLENGTH - 2)
      $0 = substr($0, RSTART + RLENGTH)
    } }' | {
  code=0
  while IFS=$'\t' read -r file to; do
    [[ $file == */* ]] && folder=${file%/*} || folder=.
    [[ $to == *://* || -e $folder/$to ]] && continue
    echo "$file: there is no $to"
    code=1
  done
  exit "$code"
}
