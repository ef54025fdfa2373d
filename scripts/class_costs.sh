#!/bin/bash
# Usage: class_costs.sh > grader/trial/costs.toml
# Measures what build/class_forecast computes with: processor time to compile and to check the reference of every task, the start of a
# job on a Slurm site of this machine, merging, and operations on the shared folder (needs strace, Slurm and munge). What only a GPU
# can tell is passed on from the file as it is.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
site=grader/executors/testing/slurm_site.sh
trap '"$site" stop "$folder/site" > /dev/null 2>&1 || true; rm -rf "$folder"' EXIT
export LANEWISE_CACHE=$folder/cache
TIMEFORMAT='%U %S'

processor_time() { # COMMAND ...: seconds
  { time "$@" > /dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
check() { # TASK SOURCE SEED
  build/lanewise check "$1" --submission "$2" --seed "$3" --backend vgpu --cases grade --html "$folder/pages"
}

printf '# Written by scripts/class_costs.sh on %s, apart from what follows from a GPU. Seconds.\n' "$(date +%F)"
printf '# %s, 2 of its processors.\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
grep -E '^# GPU|^(turn|right) ' grader/trial/costs.toml

# A submission of which nothing is compiled: Slurm, and opening what grading takes.
mkdir -p "$folder"/{submitted/s0,site}
echo 'not a program' > "$folder/submitted/s0/scan.cu"
until_waiting() { until [ -n "$(ls "$folder/grades/work/waiting" 2> /dev/null)" ]; do sleep 0.05; done; }
"$site" start "$folder/site" $$ > "$folder/environment"
export "$(cat "$folder/environment")"
build/lanewise grade inclusive_scan --submissions "$folder/submitted" --out "$folder/grades" --executor external > "$folder/log" 2>&1 &
until_waiting
begin=$(date +%s.%N)
sbatch --wait --output=/dev/null --wrap "$PWD/build/lanewise worker $folder/grades/work --chunks 1" > /dev/null
printf 'job_start = %.1f          # of a job: sbatch until its worker has ended, over a source that does not compile\n' \
  "$(awk "BEGIN { print $(date +%s.%N) - $begin }")"
wait %1 || true

# A whole verdict, and what becomes of it.
cp solutions/scan/5_reduce_then_scan.cu "$folder/submitted/s0/scan.cu"
build/lanewise grade inclusive_scan --submissions "$folder/submitted" --out "$folder/grades" --backend vgpu > "$folder/log" 2>&1
build/class_forecast --costs grader/trial/costs.toml --measure-merging "$folder/grades/students/s0/results.json" |
  sed 's/$/         # of a result, in the process that merges/'

# Calls that name something in the folder of a chunk, by all who touch it, for 8 submissions in one chunk and in 8.
operations() { # CHUNK_SIZE
  rm -rf "$folder/grades" "$folder/submitted"
  for i in 1 2 3 4 5 6 7 8; do
    mkdir -p "$folder/submitted/s$i"
    echo "not a program: $i" > "$folder/submitted/s$i/scan.cu" # what becomes of it is another matter
  done
  printf '[slurm]\nchunk = %s\n' "$1" > "$folder/course.toml"
  strace -f -qq -o "$folder/of_grade" -e trace=%file,fsync build/lanewise grade inclusive_scan --submissions "$folder/submitted" \
    --out "$folder/grades" --executor external --course "$folder/course.toml" --backend vgpu --no-sandbox > "$folder/log" 2>&1 &
  local grade=$!
  until_waiting
  strace -f -qq -o "$folder/of_worker" -e trace=%file,fsync build/lanewise worker "$folder/grades/work" > "$folder/log" 2>&1
  wait "$grade"
  cat "$folder"/of_{grade,worker} | grep -cE 'work/(new|waiting|claimed|finished)/[^"]*1-0|fsync'
}
one=$(operations 8)
eight=$(operations 1)
awk -v one="$one" -v eight="$eight" 'BEGIN {
  chunk = (eight - one) / 7
  printf "operations = %.0f          # on files of a chunk: for a submission\n", (one - chunk) / 8
  printf "chunk_operations = %.0f    # and for the chunk\n", chunk }'

for lab in labs/*/lab.toml; do
  awk -F'"' '/^name = / { name = $2 } /^reference = / { print name, $2 }' "$lab" | while read -r task reference; do
    file=solutions/$(basename "$(dirname "$lab")")/$reference
    [ -f "$file" ] || file=${file%/*}/$task/$reference
    for copy in 1 2; do { cat "$file" && echo "// $copy"; } > "$folder/$copy.cu"; done
    check "$task" "$folder/1.cu" 1 > /dev/null 2>&1 || true # compiles what is compiled once
    both=$(processor_time check "$task" "$folder/2.cu" 1)
    again=$(processor_time check "$task" "$folder/2.cu" 2)
    awk -v task="$task" -v both="$both" -v again="$again" 'BEGIN {
      printf "\n[[task]]\nname = \"%s\"\ncompile = %.2f\ncheck = %.2f\n", task, both - again, again }'
  done
done
