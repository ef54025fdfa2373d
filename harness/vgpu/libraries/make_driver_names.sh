#!/bin/sh
# Usage: make_driver_names.sh CUDA_H ERRORS RENAMED
# Writes rows of tables from the toolkit's header: the driver's errors with their names, and the functions that programs
# write by one name and call by another.
set -eu
header=$1
sed -n '/^typedef enum cudaError_enum/,/^} CUresult/s/^ *\(CUDA_[A-Z0-9_]*\) *= *\([0-9]*\).*/{\2, "\1"},/p' "$header" > "$2"
sed -n 's/^ *#define \(cu[A-Z][A-Za-z0-9]*\)  *\(__CUDA_API_PT[DS][SZ](\)\{0,1\}\(cu[A-Za-z0-9_]*\))\{0,1\} *$/{"\1", "\3"},/p' \
  "$header" > "$3"
test -s "$2" && test -s "$3"
