#!/bin/sh
# Lists the calls that cross from a program to its devices: every function that the runtime's sources define as VGPU_API.
#   make_calls.sh calls SOURCE ...             CALL(name) and the function's declaration, in an order of their own
#   make_calls.sh stubs SOURCE ... own=1 OWN ...  the program's side of each, but for those that the sources OWN define
set -eu
what=$1
shift
awk -v what="$what" '
  function trimmed(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
  # "const void* from" has a name, "void*" and "unsigned" have none.
  function name_of(parameter, count,   words, n) {
    n = split(parameter, words, /[ *]+/)
    if (parameter ~ /\*$/ || n < 2 || words[n] ~ /^(int|long|unsigned|char)?$/) return "unnamed" count
    return words[n]
  }
  function stub(head,   name, parameters, all, n, i, p, list, names) {
    name = head; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
    if (!(name in seen)) { seen[name] = 1; order[++calls] = name }
    parameters = head; sub(/^[^(]*\(/, "", parameters); sub(/\)[ \t]*$/, "", parameters)
    if (trimmed(parameters) == "void") parameters = ""
    n = split(parameters, all, ",")
    for (i = 1; i <= n; ++i) {
      p = trimmed(all[i])
      if (name_of(p, i) ~ /^unnamed/) p = p " " name_of(p, i)
      list = list (i > 1 ? ", " : "") p
      names = names (i > 1 ? ", " : "") name_of(p, i)
    }
    sub(/\(.*/, "", head)
    declarations[name] = "extern \"C\" " substr(head, 10) "(" list ");"
    stubs[name] = head "(" list ") {\n  VGPU_HOST_CALL();\n  return remote<Call::" name ", &" name ">(" names ");\n}\n"
  }
  /^VGPU_API / { head = ""; inside = 1 }
  inside {
    line = $0; sub(/\/\/.*/, "", line)
    ends = index(line, "{")
    head = head " " (ends ? substr(line, 1, ends - 1) : line)
    if (!ends) next
    inside = 0
    head = trimmed(head); gsub(/[ \t]+/, " ", head)
    if (own) { name = head; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); mine[name] = 1 } else stub(head)
  }
  END {
    if (what == "calls") {
      print "// Made by make_calls.sh.\n#ifdef CALL"
      for (i = 1; i <= calls; ++i) print "CALL(" order[i] ")"
      print "#else\n// NOLINTBEGIN(readability-redundant-declaration): some are in the toolkit\x27s headers"
      for (i = 1; i <= calls; ++i) print declarations[order[i]]
      print "// NOLINTEND(readability-redundant-declaration)\n#endif"
      exit
    }
    print "// Made by make_calls.sh.\n#include \"harness/vgpu/link/remote_call.h\"\n\nusing namespace vgpu::link;\n"
    for (i = 1; i <= calls; ++i) if (!(order[i] in mine)) print stubs[order[i]]
  }' "$@"
