#!/bin/bash
# Usage: class_on_gpu.sh [STUDENTS] [OPTION ...]
# Grades a made-up class, checking on the virtual GPU and timing on this machine's GPU, and says how many submissions a minute
# that makes and how busy the GPU was. Every sixth submission is wrong, the others are steps of ladders. OPTIONS are those of
# `lanewise grade`.
set -euo pipefail
cd "$(dirname "$0")/.."

students=${1:-60}
[ $# -eq 0 ] || shift
labs=(scan matmul spmv merge bfs)
folder=$(mktemp -d)
trap 'rm -rf "$folder"; kill "$watch" 2> /dev/null || true' EXIT

for ((i = 0; i < students; i++)); do
  lab=${labs[i % ${#labs[@]}]}
  steps=(solutions/"$lab"/[0-9]*_*.cu)
  wrong=(solutions/"$lab"/wrong/*.cu)
  source=${steps[i / ${#labs[@]} % ${#steps[@]}]}
  [ $((i % 6)) -ne 5 ] || source=${wrong[i / 6 % ${#wrong[@]}]}
  mkdir -p "$folder/submitted/s$i"
  { cat "$source" && echo "// $i"; } > "$folder/submitted/s$i/$lab.cu"
done

export LANEWISE_CACHE=$folder/cache
mkdir "$LANEWISE_CACHE"
while :; do # this lock gives the GPU to one submission at a time
  taken=0
  for lock in "$LANEWISE_CACHE"/timing-*.lock; do
    [ ! -e "$lock" ] || flock -n "$lock" true || taken=1
  done
  echo "$taken $(nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits)"
  sleep 0.2
done > "$folder/busy" &
watch=$!
begin=$(date +%s.%N)
build/lanewise grade "${labs[@]}" --submissions "$folder/submitted" --out "$folder/grades" --backend both "$@" | tail -n 3
end=$(date +%s.%N)
kill "$watch"
awk -v n="$students" -v s="$(awk "BEGIN { print $end - $begin }")" '{ taken += $1; busy += $2 } $2 > 0 { some++ } END {
  printf "%d submissions in %.1f s: %.1f a minute\n", n, s, 60 * n / s
  printf "the GPU was timing one of them for %.0f %% of that time; kernels ran in %.0f %% of the samples, mean utilisation %.0f %%\n",
         100 * taken / NR, 100 * some / NR, busy / NR }' "$folder/busy"
