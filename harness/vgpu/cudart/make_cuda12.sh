#!/bin/sh
# Usage: make_cuda12.sh LINKER OBJCOPY NAMES OUTPUT OBJECT...
# Puts the objects of libcudart.so.13 and those of cuda12.cpp into one whose calls have the NAMES of libcudart.so.12.
set -eu
linker=$1 objcopy=$2 names=$3 output=$4
shift 4
"$linker" -r -o "$output.tmp" "$@"
grep '^cuda' "$names" > "$output.names"
"$objcopy" --redefine-syms="$output.names" "$output.tmp" "$output"
rm "$output.tmp" "$output.names"
