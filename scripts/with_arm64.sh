#!/bin/bash
# Usage: with_arm64.sh COMMAND [ARGUMENT ...]
# Runs the command where programs for 64-bit Arm run, too: if need be, in namespaces of its own in which the kernel hands them to
# qemu-user, so that nothing changes outside. Exit code 77: this system cannot do that.
set -euo pipefail
formats=/proc/sys/fs/binfmt_misc
inside=(unshare --user --map-root-user --mount)

if [ "${1:-}" != --inside ]; then
  ! grep -qs '^enabled' $formats/qemu-aarch64 || exec "$@"
  "${inside[@]}" mount -t binfmt_misc none $formats 2> /dev/null || {
    echo "skipped: a user may not tell this system how to run programs for another processor, as from Linux 6.7 on"
    exit 77
  }
  exec "${inside[@]}" "$0" --inside "$@"
fi
shift
mount -t binfmt_misc none $formats
# An ELF file for 64-bit Arm by its first 20 bytes. F: the emulator is opened now, and is there in sandboxes, too.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
echo ":arm64:M::$magic:$mask:$(command -v qemu-aarch64-static):F" > $formats/register
exec "$@"
