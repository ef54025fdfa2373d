#!/bin/sh
# Usage: figures.sh [--check]
# Draws the slides' figures run_*.svg from what the virtual GPU counts today and from the measured times in solutions/,
# and writes run_*.txt, what `lanewise run` and `lanewise check` print today. --check does so elsewhere and compares.
# Needs build/lanewise (or LANEWISE_BUILD), nvcc and node.
set -eu
cd "$(dirname "$0")/.."
lanewise=$(cd "${LANEWISE_BUILD:-build}" && pwd)/lanewise
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"
for tool in "$lanewise" nvcc node; do
  command -v "$tool" > /dev/null || { echo "figures.sh: $tool is not there; run  make test  once, or scripts/prepare.sh build slides" >&2; exit 3; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=slides/decks
[ "${1:-}" != "--check" ] || out=$work/decks
parallel=$out/02_data_parallelism
images=$out/03_grids_and_images
warps=$out/04_warps_and_occupancy
memory=$out/05_memory_and_tiling
banks=$out/06_coalescing_and_banks
measuring=$out/07_measuring
atomics=$out/08_atomics_and_privatisation
reduction=$out/09_reduction
scan=$out/10_prefix_sum
pass=$out/11_single_pass_scan
merge=$out/12_merge
mkdir -p "$parallel" "$images" "$warps" "$memory" "$banks" "$measuring" "$atomics" "$reduction" "$scan" "$pass" "$merge"

# run NAME SOURCE OPTION -- ARGUMENT ...: the report of a program on the virtual GPU, as $work/NAME.json
run() {
  name=$1 source=$2 option=$3
  shift 4
  nvcc -std=c++17 -cudart shared -lineinfo -I labs/matmul "$option" -o "$work/$name" "slides/figures/$source"
  "$lanewise" run --monitor counters --report "$work/$name.json" -- "$work/$name" "$@" > "$work/$name.log" 2>&1 ||
    { cat "$work/$name.log" >&2; exit 1; }
}

# prints DECK PROGRAM NAME EDIT [OPTION ...]: what the virtual GPU says of a deck's program, after this edit of its source,
# run with these options; it may end with any exit code
prints() {
  deck=$1 program=$2 name=$3 edit=$4
  shift 4
  mkdir "$work/$name"
  sed "$edit" "slides/decks/$deck/$program.cu" > "$work/$name/$program.cu"
  (cd "$work/$name" && nvcc -lineinfo -cudart shared -o "$program" "$program.cu")
  (cd "$work/$name" && "$lanewise" run "$@" -- "./$program") > "$out/$deck/run_$name.txt" 2>&1 || true
}

prints 02_data_parallelism fahrenheit fahrenheit ""
prints 02_data_parallelism fahrenheit without_test "s/  if (i < n) {/  {/"
prints 04_warps_and_occupancy set warp_rows ""
prints 04_warps_and_occupancy set warp_squares "s/kBlockX = 32, kBlockY = 8/kBlockX = 8, kBlockY = 32/"
prints 06_coalescing_and_banks turn turn ""
prints 06_coalescing_and_banks turn padded "s/kPitch = 32/kPitch = 33/"
prints 07_measuring stopwatch stopwatch ""
prints 07_measuring stopwatch too_many "s/kThreads = 256/kThreads = 2048/"
prints 08_atomics_and_privatisation tally tally ""
prints 08_atomics_and_privatisation tally lost "s/atomicAdd(&bins\[v\], 1u);/bins[v]++;/"

prints 11_single_pass_scan chain relaxed "s/memory_order_release/memory_order_relaxed/"
prints 11_single_pass_scan chain no_ticket "s/const unsigned tile = .*/const unsigned tile = blockIdx.x;/" --schedule-seed 3
prints 12_merge pieces pieces ""
prints 12_merge pieces one_output "s/kOutputs = 8/kOutputs = 1/"

run rows picture_copy.cu -DALONG_ROWS --
run columns picture_copy.cu -DALONG_COLUMNS --
run 1_naive matmul_step.cu "-DSTEP=\"$PWD/solutions/matmul/1_naive.cu\"" -- 256

node slides/figures/access_picture.mjs "$work/rows.json" "= in[" \
  "Each lane of a warp loads one byte of a grey picture: threadIdx.x counts along a row" > "$images/run_access_rows.svg"
node slides/figures/access_picture.mjs "$work/columns.json" "= in[" \
  "Each lane of a warp loads one byte of a grey picture: threadIdx.x counts down a column" > "$images/run_access_columns.svg"
node slides/figures/access_picture.mjs "$work/1_naive.json" "left = a[" \
  "Each lane of a warp loads an A(row, p) of 4 bytes: another row of A for each lane" > "$memory/run_access_strided.svg"
node slides/figures/roofline_picture.mjs > "$memory/run_roofline.svg"

# Lecture 09: what pi.cu prints, for more and more rectangles, and in other orders of blocks and warps; what the warps of a
# block of trees.cu do.
nvcc -std=c++17 -arch=sm_90 -cudart shared -lineinfo -o "$work/pi" slides/decks/09_reduction/pi.cu
pi() {
  "$lanewise" run --monitor none --schedule-seed "$2" -- "$work/pi" "$3" > "$work/pi_$1.log" 2>&1 || { cat "$work/pi_$1.log" >&2; exit 1; }
}
for exponent in 16 20 22 24 26; do pi "size_$exponent" 0 "$exponent"; done
for seed in 0 1 2 3 4; do pi "order_$seed" "$seed" 16; done
node slides/figures/pi_picture.mjs sizes "$work"/pi_size_*.log > "$reduction/run_sizes.svg"
node slides/figures/pi_picture.mjs orders "$work"/pi_order_*.log > "$reduction/run_orders.svg"
"$lanewise" run --schedules 5 -- "$work/pi" 16 > "$reduction/run_schedules.txt" 2>&1 || true
run trees ../decks/09_reduction/trees.cu -arch=sm_90 --
node slides/figures/timeline_picture.mjs "$work/trees.json" interleaved "interleaved tree" sequential "sequential tree" > "$reduction/run_timeline.svg"
node slides/figures/ladder_picture.mjs sum > "$reduction/run_ladder.svg"
node slides/figures/ladder_picture.mjs histogram_bytes > "$atomics/run_ladder.svg"

# The first line says how long it took.
"$lanewise" check scan --backend vgpu --fresh --submission solutions/scan/wrong/kogge_stone_in_place.cu \
  --case eight --case "warp + 1" 2> "$work/log" | sed 1d > "$scan/run_in_place.txt"

[ "${1:-}" = "--check" ] || exit 0
stale=0
for figure in "$out"/*/run_*; do
  kept=slides/decks/${figure#"$out"/}
  cmp -s "$figure" "$kept" || { echo "$kept is not what the virtual GPU and solutions/ say today; run  slides/figures.sh" >&2; stale=1; }
done
exit "$stale"
