#!/bin/sh
# Usage: course_map.sh
# Rewrites the course map in labs/README.md from each lab's lab.toml. all_labs_test fails if it is stale.
set -eu
cd "$(dirname "$0")/.."
build=${LANEWISE_BUILD:-build}
ninja -C "$build" course_map > /dev/null
"$build/bin/course_map" labs > "$build/course_map.md"
scripts/replace_section.sh labs/README.md "course map" < "$build/course_map.md"
