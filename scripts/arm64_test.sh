#!/bin/bash
# Usage: arm64_test.sh build|units|check
# Tests Lanewise for 64-bit Arm, cross-compiled and run in qemu-user: that it builds; tests of what processors do differently; and
# whole checks, whose verdicts have to be those of the program in build/. Exit code 77: this system compiles or
# runs nothing for Arm.
set -euo pipefail
cd "$(dirname "$0")/.."
arm=build/arm64
for tool in aarch64-linux-gnu-g++ qemu-aarch64-static; do
  command -v $tool > /dev/null || { echo "skipped: there is no $tool; on Debian for x86-64, scripts/prepare.sh arm installs it"; exit 77; }
done

# Rounding, NaN and conversions of each format; memory between threads and processes; and the filters of system calls, for which
# the kernel's part is played: qemu-user installs none.
units="vgpu_(arithmetic|atomics|bits|convert|device_math|float|half|machine|move|narrow_types|protocol_fuzz|serving_only|warp_sync)_test"
units+="|call_filter_test|worker_test"

# A step of a ladder, a kernel that memcheck finds fault with, and host code that crashes.
submissions=(vec_add_device/4_streaming_hints vec_add_device/wrong/no_bounds_test vec_add/wrong/device_pointer_on_host)

# All that a program finds out about a submission, but for how long that took, a hash in which the compilers are, and what qemu
# says when a program crashes.
verdict() { # SUBMISSION PROGRAM
  local submission=solutions/vecadd/$1.cu
  shift
  "$@" check vecadd --submission "$submission" --backend vgpu --toolchain clang --html "$work/page" --json "$work/json" > "$work/text" ||
    { local code=$?; cat "$work/text"; return $code; }
  sed -E '/"(seconds|execution_time|source_hash|output_bytes)": /d; s/"output": "qemu: [^"]*"/"output": ""/' "$work/json"
}

case ${1:-} in
  build)
    cmake --preset arm64 -DLANEWISE_TESTS=ON
    cmake --build $arm --target vgpu_opcode_tests vgpu_machine_tests vgpu_device_math_test vgpu_link_tests worker_test call_filter_test \
      lanewise-for-students lanewise-worker lanewise-device lanewise_toolkit vgpu_program
    ;;
  units) scripts/with_arm64.sh ctest --preset arm64 -j "$(nproc)" -R "^($units)\$" ;;
  check)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cp $arm/libexec/lanewise-for-students $arm # where it finds the other programs
    for submission in "${submissions[@]}"; do
      LANEWISE_CACHE=$work/here verdict "$submission" build/lanewise > "$work/expected"
      LANEWISE_CACHE=$work/arm CXX=$(command -v aarch64-linux-gnu-g++) \
        verdict "$submission" scripts/with_arm64.sh $arm/lanewise-for-students > "$work/got" || exit $?
      grep -m 1 ' total ' "$work/text" | sed "s|^|$submission |"
      diff "$work/expected" "$work/got"
    done
    ;;
  *)
    sed -n 's/^# \(Usage: .*\)/\1/p' "$0" >&2
    exit 2
    ;;
esac
