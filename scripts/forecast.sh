#!/bin/bash
# Usage: forecast.sh [--check]
# Writes the tables in grader/executors/FORECAST.md, by simulation from grader/trial/costs.toml. --check only says whether they are as
# they would be written.
set -euo pipefail
cd "$(dirname "$0")/.."

page=$(mktemp)
trap 'rm -f "$page" "$page.new"' EXIT
cp grader/executors/FORECAST.md "$page"
"${LANEWISE_BUILD:-build}"/class_forecast --costs grader/trial/costs.toml | scripts/replace_section.sh "$page" forecast
if [ "${1:-}" = --check ]; then
  diff -u grader/executors/FORECAST.md "$page"
else
  cp "$page" grader/executors/FORECAST.md
fi
