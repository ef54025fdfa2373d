#!/bin/sh
# Usage: isa_objects_test.sh OBJECT...
# An object compiled for a newer processor must not define functions that the linker may take for everybody's (weak symbols): on
# an older one they would be illegal instructions. Only the reference to the exception personality routine is allowed.
shared=$(nm -C --defined-only "$@" | grep -E ' [WVu] ' | grep -v 'DW.ref.__gxx_personality_v0')
[ -z "$shared" ] && exit 0
echo "these functions would be shared with code for other processors:"
echo "$shared" | sort -u
exit 1
