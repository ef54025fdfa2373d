#!/bin/sh
# Usage: make_error_table.sh HEADER
# Writes error_table.cpp without the CUDA Toolkit: the codes are the HEADER's, and their descriptions the words of their names.
set -eu
sed -n 's/^  \(cudaSuccess\|cudaError[A-Za-z0-9]*\) = \([0-9]*\),\{0,1\}$/\2 \1/p' "$1" | awk '
  BEGIN { print "#include \"harness/vgpu/cudart/error_table.h\"\n\nnamespace vgpu::cudart {\n\nconst ErrorRow kErrors[] = {" }
  {
    words = $2
    sub(/^cudaError/, "", words)
    if (words == "cudaSuccess") words = "NoError"
    while (match(words, /[a-z0-9][A-Z]/)) words = substr(words, 1, RSTART) " " substr(words, RSTART + 1)
    printf "    {%d, \"%s\", \"%s\"},\n", $1, $2, tolower(words)
  }
  END { printf "};\nconst unsigned long kErrorCount = %d;\n\n}  // namespace vgpu::cudart\n", NR }'
