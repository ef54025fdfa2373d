#!/bin/sh
# Usage: install.sh
# Installs the packages that slides/package-lock.json names into slides/node_modules, unless they are there.
set -eu
cd "$(dirname "$0")"
cmp -s package-lock.json node_modules/.installed-lock.json && exit 0
echo "slides: npm ci (Marp and what it needs, half a minute; it needs the network once)"
PUPPETEER_SKIP_DOWNLOAD=1 npm ci --no-audit --no-fund --loglevel=error || {
  echo "slides: npm could not install what slides/package-lock.json names; run  cd slides && npm ci  to see why" >&2
  exit 3
}
cp package-lock.json node_modules/.installed-lock.json
