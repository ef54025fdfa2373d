#!/bin/sh
# Usage: run.sh SAMPLE_PAGES FOLDER [TEST]
# Has SAMPLE_PAGES write its pages into the folder, and TEST (page.test.mjs) open them in Debian's Chromium. Exits with 77
# if something for that is missing: scripts/prepare.sh test-all installs it.
set -eu
sample_pages=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
test=${3:-$here/page.test.mjs}

for tool in chromium node npm; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is not there; scripts/prepare.sh test-all installs it"; exit 77; }
done

mkdir -p "$folder"
"$sample_pages" "$folder/pages" > /dev/null
cp "$here/package.json" "$folder"
cp "$test" "$folder/page.test.mjs"
if ! cmp -s "$here/package-lock.json" "$folder/package-lock.json" || ! [ -d "$folder/node_modules/playwright-core" ]; then
  cp "$here/package-lock.json" "$folder"
  if ! (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error); then
    rm -f "$folder/package-lock.json"
    [ -z "${CI:-}" ] || exit 1
    echo "skipped: npm could not install playwright-core; it needs the network once"
    exit 77
  fi
fi
cd "$folder"
SAMPLE_PAGES="$folder/pages" CHROMIUM="$(command -v chromium)" node --test page.test.mjs
