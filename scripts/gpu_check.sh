#!/bin/sh
# Usage: gpu_check.sh [--record] [PROGRAM.cu ...]
# On a machine with an NVIDIA GPU: checks the virtual GPU's results against the hardware. Builds, then
#   1. runs the whole programs of harness/vgpu/programs with NVIDIA's runtime and compares what they print with NAME.expected
#      (--record writes those files instead),
#   2. builds each lab's reference submission once and grades the same submission.so on the virtual GPU and on the GPU,
#   3. grades all ladders and wrong/ files on the GPU,
#   4. compares the checkers with compute-sanitizer and the counters with Nsight Compute (fidelity.sh and
#      counters_fidelity.sh, which write harness/vgpu/FIDELITY.md),
#   5. compiles each PROGRAM.cu and compares what it prints under `lanewise run` with what it prints on the GPU.
# Missing header-only libraries can be put into .headers/.
set -eu
cd "$(dirname "$0")/.."
export PATH="$PATH:${CUDA_HOME:-/usr/local/cuda}/bin"

record=""
if [ "${1:-}" = "--record" ]; then
  record=yes
  shift
fi

echo "== build"
mkdir -p build
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DLANEWISE_HEADERS="$PWD/.headers" -DLANEWISE_TESTS=OFF > build/build.log 2>&1 ||
  { cat build/build.log; exit 3; }
ninja -C build lanewise vgpu_programs vgpu_library_programs vgpu_counter_fidelity > build/build.log 2>&1 || { tail -30 build/build.log; exit 3; }
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader

echo "== programs with NVIDIA's runtime"
different=0
for expected in harness/vgpu/programs/*.expected; do  # a new program begins with an empty one
  name=$(basename "$expected" .expected)
  if [ "$name" = devices ] && [ "$(nvidia-smi -L | wc -l)" -lt 2 ]; then
    echo "skipped   $name (it needs two GPUs)"
    continue
  fi
  code=0
  build/programs/"$name" > "build/programs/$name.out" 2> /dev/null || code=$?
  if [ "$code" = 77 ]; then
    echo "skipped   $name: $(cat "build/programs/$name.out")"
  elif [ -n "$record" ]; then
    cp "build/programs/$name.out" "$expected"
    echo "recorded $name"
  elif cmp -s "build/programs/$name.out" "$expected"; then
    echo "same      $name"
  else
    echo "DIFFERENT $name"
    diff "build/programs/$name.out" "$expected" | head -20
    different=1
  fi
done

echo "== the same submission.so on the virtual GPU and on the GPU"
# As lab.toml names them: "solutions/LAB/TASK/FILE", or "solutions/LAB/FILE" in a lab with one task.
references() {
  for file in labs/*/lab.toml; do
    lab=$(basename "$(dirname "$file")")
    awk '/^\[\[task\]\]/ { task = "" } /^name = / && task == "" { split($0, part, "\""); task = part[2] }
         /^reference = / { split($0, part, "\""); print task, part[2] }' "$file" |
      while read -r task reference; do
        submission=solutions/$lab/$task/$reference
        [ -f "$submission" ] || submission=solutions/$lab/$reference
        echo "$lab $task $submission"
      done
  done
}
references > build/references
while read -r lab task submission; do
  rm -rf build/cache
  build/lanewise check "$task" --submission "$submission" --backend vgpu --json build/vgpu.json > build/vgpu.txt < /dev/null
  first=$(find build/cache -name submission.so -exec sha256sum {} +)
  build/lanewise check "$task" --submission "$submission" --backend gpu --json build/gpu.json > build/gpu.txt < /dev/null
  second=$(find build/cache -name submission.so -exec sha256sum {} +)
  echo "$lab $task: $(echo "$first" | cut -c1-16) then $(echo "$second" | cut -c1-16)"
  grep -h -A1 "$task" build/vgpu.txt | head -2
  grep -h -A1 "$task" build/gpu.txt | head -2
  [ "$first" = "$second" ] || { echo "NOT THE SAME BINARY"; different=1; }
done < build/references

echo "== ladders and wrong/ files on the GPU"
build/lanewise verify --backend gpu || different=1

echo "== the checkers beside compute-sanitizer"
scripts/fidelity.sh

echo "== the counters beside Nsight Compute"
scripts/counters_fidelity.sh || different=1

for source in "$@"; do
  echo "== $source"
  program=build/programs/$(basename "$source" .cu)-given
  nvcc -std=c++17 -lineinfo -cudart shared -gencode arch=compute_90,code=[compute_90,sm_90] -o "$program" "$source"
  "$program" > "$program.gpu" 2> /dev/null || echo "it ended with an error on the GPU"
  build/lanewise run -- "$program" > "$program.vgpu" 2> /dev/null || echo "it ended with an error on the virtual GPU"
  if diff "$program.gpu" "$program.vgpu"; then
    echo "same $(wc -l < "$program.gpu") lines"
  else
    different=1
  fi
done
exit $different
