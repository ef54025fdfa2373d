#!/bin/sh
# Usage: test.sh OUT
# The press's own tests; then all decks built as HTML into OUT, and checked; then the numbers in all texts. Exits with 77 if something for that is
# missing, 1 in CI: scripts/prepare.sh slides installs it.
set -eu
out=$1
cd "$(dirname "$0")"

missing() {
  [ -z "${CI:-}" ] || { echo "$1"; exit 1; }
  echo "skipped: $1"
  exit 77
}
for tool in chromium node npm aspell; do
  command -v "$tool" > /dev/null || missing "$tool is not there; scripts/prepare.sh slides installs it"
done
./install.sh || missing "the packages of slides/package-lock.json could not be installed"

node --test press/*.test.mjs
node press/press.mjs build --format html --out "$out"
node press/press.mjs check
node press/press.mjs numbers
