#!/bin/sh
# Usage: counters_fidelity.sh [--only PATTERN | --without-gpu | --check]
# Compares the virtual GPU's counters with Nsight Compute's on the programs harness/vgpu/programs/counter_*.cu and on every
# step of the ladders, and writes its section of harness/vgpu/FIDELITY.md. It needs what scripts/gpu_check.sh builds:
# lanewise, vgpu_programs and vgpu_counter_fidelity.
# On a machine with an NVIDIA GPU, it profiles them and keeps the measurements in harness/vgpu/fidelity/h200.csv, one row
# per kernel; --only profiles again whatever has a name that matches the pattern (counter_global,
# radix_sort.1_one_bit, ...; a regular expression for grep -E). --without-gpu uses the kept measurements and runs
# only the virtual GPU; --check does the same, writes nothing, and exits with 1 if a counter exceeds its tolerance.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"
export LC_ALL=C

build=${LANEWISE_BUILD:-build}
jobs=$(nproc)
work=$build/counters_fidelity
profiles=harness/vgpu/fidelity/h200.csv
only=.
what=all
case "${1:-}" in
  --only)
    only=${2:?which names?}
    what=only
    [ -f "$profiles" ] || { echo "counters_fidelity.sh: there is no $profiles for --only to add to; run without --only" >&2; exit 2; }
    ;;
  --without-gpu | --check) what=$1 ;;
  "") ;;
  *)
    sed -n 's/^# \(Usage: .*\)/\1/p' "$0" >&2
    exit 2
    ;;
esac
rm -rf "$work"
mkdir -p "$work/ladder"

# --- the runs: lines "NAME COMMAND"; the programs' names are the processes' names

# The steps, not the peers, with the case that their table counts and one that no tile size divides. Each step has a copy
# of lanewise-call-task under its own name.
ladder_runs() {
  "$build/lanewise" bench --write-calls "$work/ladder" > "$work/ladder.log" || { cat "$work/ladder.log" >&2; return 1; }
  grep -v '^[a-z0-9_.]*\.library_' "$work/ladder/calls" | while IFS="$(printf '\t')" read -r name command; do
    lab=${name%%.*}
    step=${name##*.}
    task=${name#*.}
    task=${task%.*}
    [ ! -d "solutions/$lab/$task" ] || lab=$lab.$task
    cp "${command%% *}" "$work/ladder/$lab.$step"
    echo "$lab.$step $work/ladder/$lab.$step ${command#* }"
  done
}

program_runs() {
  for source in harness/vgpu/programs/counter_*.cu; do
    name=$(basename "$source" .cu)
    echo "$name $build/programs/$name"
  done
}

# --- the virtual GPU

# Profiling a launch takes half a second: steps that launch more kernels than this run without the second case, and steps
# that still launch three times as many are left out.
most_launches=32

launches_of() { grep -oE '"launches": *[0-9]+' "$work/$1.json" | awk -F: '{ sum += $2 } END { print sum + 0 }'; }

# Counts steps with many launches again, with only their first case.
leave_out_second_cases() {
  cp "$work/runs" "$work/all_runs"
  while read -r name command; do
    case $command in
      *" --problem "*" --problem "*) [ "$(launches_of "$name")" -le "$most_launches" ] || command=${command% --problem *} ;;
    esac
    echo "$name $command"
  done < "$work/all_runs" > "$work/runs"
  grep -vxFf "$work/all_runs" "$work/runs" > "$work/shorter_runs" || return 0
  run_vgpu "$work/shorter_runs" json 0
}

leave_out() { # NAME WHY
  echo "$1 is left out: $2" >&2
  echo "$1 ($2)" >> "$work/left_out"
  rm -f "$work/$1".*
}

leave_out_long_steps() {
  cp "$work/runs" "$work/all_runs"
  while read -r name command; do
    launches=$(launches_of "$name")
    case $command in
      *" --problem "*)
        if [ "$launches" -gt $((3 * most_launches)) ]; then
          leave_out "$name" "$launches launches"
          continue
        fi
        ;;
    esac
    echo "$name $command"
  done < "$work/all_runs" > "$work/runs"
}

leave_out_unmeasured() {
  cp "$work/runs" "$work/all_runs"
  while read -r name command; do
    if grep -qF ",\"$name\"," "$profiles"; then echo "$name $command"; else leave_out "$name" "not profiled yet"; fi
  done < "$work/all_runs" > "$work/runs"
}

# Runs a file of runs, each with a report of that kind, and with LANEWISE_VGPU_SEED as given. In its own shell: nothing
# else must see the virtual GPU.
run_vgpu() ( # RUNS KIND SEED
  LD_LIBRARY_PATH=$(cd "$build/vgpu" && pwd)
  export LD_LIBRARY_PATH LANEWISE_VGPU_MONITORS=counters LANEWISE_VGPU_SEED="$3"
  for name in $(cut -d' ' -f1 "$1"); do rm -f "$work/$name.$2"; done  # a program that fails leaves none
  sed "s,--runtime [^ ]*,--runtime $LD_LIBRARY_PATH/libcudart.so.13," "$1" | while read -r name command; do
    echo "LANEWISE_VGPU_REPORT=$work/$name.$2 $command > $work/$name.vgpu 2> $work/$name.errors || echo $name failed"
  done | tr '\n' '\0' | xargs -0 -P "$jobs" -n 1 sh -c
)

# Once more, in another order of blocks and warps, what is beyond its tolerance: steps may sort by arrival.
run_what_exceeds_reordered() {
  sed -n 's/: a counter exceeds its tolerance.*/ /p' "$work/exceeding" > "$work/names"
  grep -Ff "$work/names" "$work/runs" > "$work/reordered_runs" || return 0
  run_vgpu "$work/reordered_runs" reordered 1
}

# --- Nsight Compute

metrics="launch__registers_per_thread
launch__occupancy_limit_blocks
launch__occupancy_limit_registers
launch__occupancy_limit_shared_mem
launch__occupancy_limit_warps
smsp__inst_executed.sum
smsp__thread_inst_executed.sum
smsp__inst_executed_op_global_ld_pred_on_any.sum
smsp__inst_executed_op_global_st_pred_on_any.sum
smsp__sass_inst_executed_op_global_atom.sum
smsp__inst_executed_op_global_red_pred_on_any.sum
smsp__inst_executed_op_local_ld_pred_on_any.sum
smsp__inst_executed_op_local_st_pred_on_any.sum
smsp__inst_executed_op_shared_ld_pred_on_any.sum
smsp__inst_executed_op_shared_st_pred_on_any.sum
smsp__inst_executed_op_shared_atom.sum
l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum
l1tex__t_requests_pipe_lsu_mem_global_op_red.sum
l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum
l1tex__t_requests_pipe_lsu_mem_local_op_st.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum
l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum
l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum
lts__t_sectors_op_read.sum
lts__t_sectors_op_write.sum
lts__t_sectors_srcunit_tex_lookup_hit.sum
lts__t_sectors_srcunit_tex_lookup_miss.sum
dram__bytes_read.sum
dram__bytes_write.sum"

# The metrics that this GPU has, as one comma-separated list.
available() {
  echo "$metrics" | while read -r metric; do
    case $metric in
      launch__*) echo "$metric" ;;  # ncu does not list these
      *) if grep -qx "${metric%.sum}" "$work/listed"; then echo "$metric"; else echo "no $metric here" >&2; fi ;;
    esac
  done | paste -sd, -
}

# Profiles the runs in a file.
run_ncu() {
  ncu --query-metrics 2> /dev/null | awk '{ print $1 }' | sort -u > "$work/listed"
  [ "$(wc -l < "$work/listed")" -ge 100 ] || { echo "ncu lists no metrics" >&2; return 1; }
  while read -r name command; do
    echo "$command > $work/$name.printed 2> $work/$name.printed_errors"
  done < "$1" > "$work/run_all.sh"
  ncu --target-processes all --clock-control none --section SourceCounters --metrics "$(available)" -f -o "$work/ncu" sh "$work/run_all.sh" \
    > "$work/ncu.log" 2>&1 || { tail -n 5 "$work/ncu.log"; echo "ncu failed: $work/ncu.log"; } >&2  # what it measured before that counts
  ncu --import "$work/ncu.ncu-rep" --csv --page raw --print-kernel-base mangled --print-units base > "$work/ncu.csv.all"
  # A file a program, each with the two rows of headings.
  awk -F'","' -v work="$work" '
    NR <= 2 { headings = headings $0 "\n"; next }
    { file = work "/" $3 ".csv"; if (!(file in begun)) { begun[file] = 1; printf "%s", headings > file } print > file }' "$work/ncu.csv.all"
}

# The machine and versions that profiles were made with.
machine() {
  printf '%s (driver %s), ' "$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)" \
    "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
  printf 'Nsight Compute %s, CUDA %s, on %s\n' "$(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')" \
    "$(nvcc --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')" "$(date +%Y-%m-%d)"
}

# Profiles of two machines do not mix.
is_same_machine() { [ "$(machine | sed 's/, on .*//')" = "$(head -n 1 "$profiles" | sed 's/, on .*//')" ]; }

# The profiles of a lab or program are saved before the next one is profiled: an interrupted run continues with --only.
profile_all() {
  if [ "$what" = only ]; then
    is_same_machine ||
      { echo "counters_fidelity.sh: $profiles is from: $(head -n 1 "$profiles"). This machine is: $(machine). Run without --only" >&2; return 1; }
    set -- "$profiles"
  fi
  cut -d' ' -f1 "$work/profiled_runs" | cut -d. -f1 | sort -u > "$work/groups"
  while read -r group; do
    echo "profiling $group" >&2
    rm -f "$work"/*.csv
    grep "^${group}[. ]" "$work/profiled_runs" > "$work/group_runs"
    run_ncu "$work/group_runs"
    { machine; "$build/bin/vgpu_counter_fidelity" --profiles "$work" "$@"; } > "$work/profiles"
    cp "$work/profiles" "$profiles"
    set -- "$profiles"
  done < "$work/groups"
}

# --- the section

section() {
  echo "## The counters compared with Nsight Compute"
  echo
  echo "Made by \`scripts/counters_fidelity.sh\` on an $(head -n 1 "$profiles")."
  cat << 'TEXT'
The virtual GPU counts PTX, Nsight Compute the machine code that ptxas makes of it. A field has one number if both agree,
otherwise "ours / theirs (ours divided by theirs)". It is bold if the difference exceeds the tolerance, and in italics if
it does and Nsight Compute also counted more or fewer instructions than PTX has: ptxas joined, split or repeated
accesses, or (`dram_transpose_tile`) its count differs from run to run. The last column gives both numbers of
instructions. CUB's scan and sort also reread what they wait for, as often as the timing happens to require. Differences
of up to 5 %, or within what orders make of the count and a tenth of that more, are also in italics, with a note in the
last column, if the count here changes when the virtual GPU runs blocks and warps in another order: there the order of
arrival decides which bank or sector a value goes to. Wavefronts in
shared memory and bank conflicts, which are excess wavefronts, come from instrumented machine code
(`smsp__sass_l1tex_data_pipe_lsu_wavefronts_...`, `derived__memory_l1_wavefronts_shared_excessive`). The conflicts that
the unit itself counts (`l1tex__data_bank_conflicts_...`) are shown beside them: under load they include conflicts with
other traffic, which vary from run to run. Bytes of device memory are judged only if a kernel moves at least four times
the size of the L2 cache. Threads per instruction, and everything else without a tolerance, are shown for information.

TEXT
  if [ -s "$work/left_out" ]; then
    echo "Left out (profiling a launch takes half a second): $(sort "$work/left_out" | paste -sd, - | sed 's/,/, /g')."
    echo
  fi
  # Titles lead to the sources: "counter_global" is a program here, "image.blur" the ladder of a task.
  sed -E -e 's,^### (counter_.*),### [programs/\1.cu](programs/\1.cu),' \
    -e 's,^### ([a-z_]+)\.([a-z_]+)$,### [solutions/\1/\2](../../solutions/\1/\2),' \
    -e 's,^### ([a-z_]+)$,### [solutions/\1](../../solutions/\1),' "$work/tables"
}

ladder_runs > "$work/ladder_runs"
{ program_runs; cat "$work/ladder_runs"; } > "$work/runs"
case $what in --*) leave_out_unmeasured ;; esac
run_vgpu "$work/runs" json 0
leave_out_second_cases
leave_out_long_steps
case $what in
  all | only)
    grep -E "^[^ ]*($only)[^ ]* " "$work/runs" > "$work/profiled_runs" ||
      { echo "counters_fidelity.sh: no program and no step has a name that matches $only" >&2; exit 2; }
    profile_all
    leave_out_unmeasured
    ;;
esac
for name in $(cut -d' ' -f1 "$work/runs"); do
  [ -s "$work/$name.json" ] ||
    { echo "counters_fidelity.sh: $name failed: $work/$name.errors; FIDELITY.md is unchanged" >&2; exit 1; }
done
compare() { "$build/bin/vgpu_counter_fidelity" "$work" "$profiles" > "$work/tables"; }
code=0
if ! compare 2> "$work/exceeding"; then
  run_what_exceeds_reordered
  compare || code=$?
fi
[ "$code" -le 1 ] || exit "$code"
sed -n '/^| metric/,/^$/p' "$work/tables"
if [ "$what" = --check ]; then
  [ "$code" -eq 0 ] ||
    { echo "counters_fidelity.sh: if a kernel has changed, profile it again on a GPU (--only NAME), or remove its rows from $profiles" >&2; exit 1; }
else
  section | scripts/replace_section.sh harness/vgpu/FIDELITY.md counters
fi
