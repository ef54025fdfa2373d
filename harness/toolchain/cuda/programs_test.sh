#!/bin/bash
# Usage: programs_test.sh CLANG TOOLKIT SOURCE RUNTIME
# With CLANG, the folder TOOLKIT and no compiler or header of NVIDIA's: the CUDA programs of the tree SOURCE print on the
# virtual GPU, whose libcudart is in the folder RUNTIME, what they print on a GPU; every lab's skeleton and every step of its
# ladder compiles without a warning; and every function of the device's library that clang may call is there. What asks for
# a library of NVIDIA's is left out.
# shellcheck disable=SC2001,SC2013,SC2016,SC2317  # names have no blanks; functions are called by name
set -uo pipefail
clang=$1 toolkit=$2 source=$3 runtime=$4
command -v "$clang" > /dev/null || { echo "skipped: there is no $clang"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export clang toolkit source runtime work
libraries='include <(cub|thrust|cublas|cusparse|npp)'

compile() { "$clang" "--config=$toolkit/clang.cfg" -Werror "$@" > "$work/said" 2>&1 || { head -5 "$work/said"; return 1; }; }

run_program() {
  work=$work/$1 && mkdir "$work"
  cd "$source/harness/vgpu/programs" || return
  compile -Wno-deprecated-declarations -c "$1.cu" -o "$work/object" || { echo "✗ $1 does not compile"; return 1; }
  c++ "$work/object" -o "$work/program" "$runtime/libcudart.so.13" "-Wl,-rpath,$runtime" || return
  [ "$1" != devices ] || export LANEWISE_VGPU_DEVICES=2
  LANEWISE_VGPU_REPORT=$work/report "$work/program" > "$work/printed" 2> "$work/errors"
  cmp -s "$work/printed" "$1.expected" && return
  echo "✗ $1 prints something else:"
  cat "$work/errors"
  diff "$work/printed" "$1.expected" | head -5
  return 1
}
compile_step() {
  work=$(mktemp -d -p "$work")
  # `lanewise verify` also makes code of it.
  compile "-I$source/labs/$(echo "${1#"$source"/}" | cut -d/ -f2)" -fsyntax-only "$1" || { echo "✗ $1 does not compile"; return 1; }
}
export -f compile run_program compile_step

# What no header defines, the virtual GPU has to have: a table of all functions leaves those undefined in the PTX.
check_library() {
  local declared=__clang_cuda_libdevice_declares.h
  declared=$("$clang" -print-resource-dir)/include/$declared
  {
    echo '__device__ const void* functions[] = {'
    grep -oE '\<__nv_[a-z0-9_A-Z]+' "$declared" | sort -u | sed 's/.*/    reinterpret_cast<const void*>(\&&),/'
    echo '};'
  } > "$work/library.cu"
  compile --cuda-device-only -S "$work/library.cu" -o "$work/library.ptx" || return
  local offered=$source/harness/vgpu/machine/device_math.cpp missing=0 name
  for name in $(grep -E '^\.extern \.func' "$work/library.ptx" | grep -oE '__nv_[a-z0-9_A-Z]+' | sort -u | grep -v _param_); do
    grep -qE "\"$name\"|VGPU_MATH\\(\"$(echo "${name#__nv_}" | sed 's/f$//')f?\"" "$offered" && continue
    echo "✗ $name is neither in a header nor in device_math.cpp"
    missing=1
  done
  return $missing
}

# Managed variables: each file of a program has its own, also where the devices are in a process of their own; zeros take no
# room in the object.
check_managed() {
  local folder=$work/managed file
  mkdir "$folder" && cd "$folder" || return
  for file in 1 2; do
    echo "static __managed__ int own = $file, zeros[1 << 20];
          static __global__ void raise() { own += 10; zeros[5] = own; }
          int raised_$file() { raise<<<1, 1>>>(); cudaDeviceSynchronize(); return own + zeros[5]; }" > $file.cu
    compile -c $file.cu -o $file.o || return
  done
  echo 'int raised_1(), raised_2(); int main() { return raised_1() == 22 && raised_2() == 24 ? 0 : 1; }' > main.cpp
  c++ main.cpp 1.o 2.o -o program "$runtime/libcudart.so.13" "-Wl,-rpath,$runtime" || return
  ./program || { echo "✗ a file's managed variables have other values"; return 1; }
  LD_PRELOAD=$runtime/program/libcudart.so.13 LANEWISE_VGPU_DEVICE_PROGRAM=$runtime/../libexec/lanewise-device ./program ||
    { echo "✗ managed variables have other values where the devices are apart"; return 1; }
  [ "$(stat -c %s 1.o)" -lt 100000 ] || { echo "✗ zeros take room in the object"; return 1; }
  echo 'void f() { __managed__ int local; }' > local.cu
  if compile -c local.cu -o local.o > /dev/null || ! grep -q '__managed__ are not allowed on non-static local' "$work/said"; then
    echo "✗ a local managed variable is not refused by that name"
    return 1
  fi
}

cd "$source/harness/vgpu/programs" || exit
programs=()
for expected in *.expected; do
  name=${expected%.expected}
  case $name in dynamic_parallelism | separate_compilation) continue ;; esac  # with -rdc=true, which nvcc has
  [ "$name" = clusters ] && continue  # our cooperative_groups.h has no clusters
  grep -qE "$libraries" "$name.cu" || programs+=("$name")
done
mapfile -t steps < <(find "$source/labs" "$source/solutions" -name '*.cu' -not -path '*/wrong/*' -print0 | xargs -0 grep -LE "$libraries")
code=0
check_library || code=1
(check_managed) || code=1
printf '%s\0' "${programs[@]}" | xargs -0 -P "$(nproc)" -I{} bash -c 'run_program "$1"' _ {} || code=1
printf '%s\0' "${steps[@]}" | xargs -0 -P "$(nproc)" -I{} bash -c 'compile_step "$1"' _ {} || code=1
echo "${#programs[@]} programs, ${#steps[@]} steps and skeletons"
exit $code
