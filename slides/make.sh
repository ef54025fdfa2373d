#!/bin/sh
# Usage: make.sh
# All decks in all formats, into build/slides: what `make slides` does once the packages are there.
set -eu
cd "$(dirname "$0")"
./install.sh
node press/press.mjs build --format html,pdf,pptx,handout
echo "slides: open build/slides/index.html"
