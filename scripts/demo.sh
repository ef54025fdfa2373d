#!/bin/sh
# Usage: demo.sh [OPTION ...]
# Makes the submissions of a made-up class, as listed in grader/demo/hand_ins.txt, and grades them as an instructor would.
# Options are added to those of `lanewise grade`. Everything is under build/demo; a second run grades only what changed.
# The tests set other folders with LANEWISE_BUILD and LANEWISE_DEMO.
set -eu
cd "$(dirname "$0")/.."
build=${LANEWISE_BUILD:-build}
demo=${LANEWISE_DEMO:-$build/demo}
submitted=$demo/submitted
grades=$demo/grades

# Our files begin with comments that no student would write. A skeleton stays as it was handed out.
content_of() {
  case $1 in
    labs/*) cat "$1" ;;
    *.toml) sed '/^# Marked by hand/,$d' "$1" ;;
    renamed:*)
      content_of "${1#renamed:}" | sed -E '/^ *\/\/ /d; s/ +\/\/ .*//; s/kTileItems/kBlockSize/g; s/scan_tiles/block_scan/g
        s/add_sums/add_previous/g; s/\bs\[/buffer[/g; s/\bt\b/id/g; s/\bleft\b/before/g; s/\bsums\b/totals/g; s/\btile(s?)\b/block\1/g'
      ;;
    *) sed '1,/^#include/{/^\/\//d;/^$/d;}' "$1" ;;
  esac
}

hand_in() {  # NAME SOURCE[+ANSWERS]
  case $1 in
    *.tar.gz)
      lab=${1##*_}
      lab=${lab%.tar.gz}
      mkdir -p "$demo/packed/$lab"
      content_of "${2%+*}" > "$demo/packed/$lab/$lab.cu"
      content_of "${2#*+}" > "$demo/packed/$lab/answers.toml"
      tar -czf "$submitted/$1" -C "$demo/packed" "$lab"
      ;;
    *) content_of "$2" > "$submitted/$1" ;;
  esac
}

rm -rf "$submitted"
mkdir -p "$submitted"
grep -v '^#' grader/demo/hand_ins.txt > "$demo/recipe"
while read -r name made_of _; do hand_in "$name" "$made_of"; done < "$demo/recipe"
rm -rf "$demo/packed"

echo "A made-up class of $(($(wc -l < grader/demo/roster.csv) - 1)) has made $(wc -l < "$demo/recipe") submissions for four labs."
echo "They are in $submitted, in the form of a download from Canvas."
echo
set -- vec_add_device grayscale histogram_bytes scan --submissions "$submitted" --out "$grades" --roster grader/demo/roster.csv --course grader/demo/course.toml \
  --seed-file grader/demo/seed.toml --backend vgpu "$@"  # so that it is as quick, and gives the same results, everywhere
printf '$ %s/lanewise grade' "$build"
for word in "$@"; do
  case $word in
    --*) printf ' \\\n    %s' "$word" ;;
    *) printf ' %s' "$word" ;;
  esac
done
printf '\n\n'
code=0
"$build/lanewise" grade "$@" || code=$?
if [ "$code" = 3 ]; then
  echo "demo.sh: trying once more with --no-sandbox: this class's submissions are our own code" >&2
  code=0
  "$build/lanewise" grade "$@" --no-sandbox || code=$?
fi
[ "$code" = 0 ] || exit "$code"

# Points by student and lab, from the gradebook for Canvas, beside what each submission was chosen to show.
echo
tr -d '\r' < "$grades/canvas.csv" | awk -F, '
  FILENAME != "-" { if (split($0, word, " +") > 2) { split(word[1], part, "_"); n = part[2] == "LATE" ? part[3] : part[2]
                    shows[n] = substr($0, index($0, word[2]) + length(word[2])); sub(/^ +/, "", shows[n]) } next }
  FNR == 1 { printf "  %-8s", "student"; for (i = 6; i <= NF; ++i) { lab = $i; gsub(/^.*\(|\).*$/, "", lab); printf "%11s", lab } print "   what to see"; next }
  FNR > 2 { printf "  %-8s", $3; for (i = 6; i <= NF; ++i) printf "%11s", $i; print "   " ($2 in shows ? shows[$2] : "nothing was submitted") }
' "$demo/recipe" -

two_columns() { printf '  %-50s %s\n' "$@"; }
printf '\nOpen in a browser:\n'
two_columns "$grades/index.html" "the class: points, common mistakes, what to review" \
  "$grades/students/priya/index.html" "rows and columns swapped, in pictures" \
  "$grades/students/yuki/index.html" "right only in one order of warps" \
  "$grades/similar/01.html" "near-identical submissions, side by side"
printf '\nThen try:\n'
two_columns "make demo" "again: nothing is graded twice" \
  "make check LAB=vecadd" "what a student sees, once labs/vecadd/vecadd.cu is filled in" \
  "$build/lanewise regrade --out $grades" "whose grade changes if you change grader/demo/course.toml" \
  "grader/README.md" "how to grade your own class"
