#!/bin/sh
# Usage: abi_test.sh COMPILER OURS THEIRS
# Every value, size and offset in driver_types.h of the folder OURS is what the toolkit's headers in THEIRS say.
set -eu
compiler=$1 ours=$2 theirs=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
  printf '#include <cuda_runtime_api.h>\n#include <cstddef>\n#include <cstdio>\n'
  printf '%s\n' '#define SHOW(what, value) std::printf("%s %lld\n", what, static_cast<long long>(value));'
  echo 'int main() {'
  # Enumerators and constants, then structures with their members; those within unions and nested structures are left out.
  grep -oE '\bcuda[A-Za-z0-9]+ = -?[0-9a-fx]+|^#define cuda[A-Za-z0-9]+ \(?-?[0-9][0-9a-fx]*' "$ours/driver_types.h" |
    sed -E 's/^#define //; s/^([A-Za-z0-9]+).*/  SHOW("\1", \1)/'
  awk '/^(struct|union) cuda[A-Za-z0-9_]* \{/ { name = $2; printf "  SHOW(\"%s\", sizeof(%s))\n", name, name }
       name != "" && /^  [^ }].*;$/ { sub(/(\[[0-9]*\])?;$/, ""); member = $NF
                                      printf "  SHOW(\"%s.%s\", offsetof(%s, %s))\n", name, member, name, member }
       /^};/ { name = "" }' "$ours/driver_types.h"
  echo '}'
} > "$work/show.cpp"
show_with() {
  "$compiler" -std=c++17 -Wno-deprecated-declarations "-I$1" "$work/show.cpp" -o "$work/show"
  "$work/show"
}
show_with "$ours" > "$work/ours.txt"
show_with "$theirs" > "$work/theirs.txt"
diff "$work/ours.txt" "$work/theirs.txt" && echo "$(wc -l < "$work/ours.txt") values, sizes and offsets agree"
