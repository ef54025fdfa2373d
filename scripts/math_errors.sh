#!/bin/sh
# Usage: math_errors.sh
# Measures the errors of the virtual GPU's mathematical functions and writes their section of harness/vgpu/FIDELITY.md.
set -eu
cd "$(dirname "$0")/.."

table=$(mktemp)
trap 'rm -f "$table"' EXIT
scripts/build.sh -DLANEWISE_TESTS=ON vgpu_device_math_test
LANEWISE_TEST_MATH_TABLE="$table" build/tests/vgpu_device_math_test --gtest_brief=1 --gtest_filter='DeviceMathErrors.*'
{
  cat << END
## The mathematical functions compared with what the CUDA guide allows

Made by \`scripts/math_errors.sh\` with $(getconf GNU_LIBC_VERSION) on $(uname -m).
These are the functions that a program compiled by clang calls; nvcc's programs bring their own. *found* is the largest
error against GNU MPFR over the samples: bit patterns spread over all numbers, an interval where most can go wrong, what
surrounds the zeros there, and pairs of special numbers. *allowed* is what the CUDA Programming Guide states (13.1, 5.5.7 and
5.5.8). Both count units in the last place from the correctly rounded result, or are the absolute difference from the exact
one. Another version of the C library may err elsewhere; a test allows it no more than the guide does.

END
  cat "$table"
} | scripts/replace_section.sh harness/vgpu/FIDELITY.md "mathematical functions"
