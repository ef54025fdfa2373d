#!/bin/bash
# Usage: try_package.sh [SUITE ...]
# Installs the packages from scripts/package.sh in root file systems of Debian (bookworm and trixie, or each SUITE), and uses
# them there as an ordinary user: the .deb, the archive unpacked in a folder whose name has a space, and what students
# receive. The CUDA Toolkit is this machine's. Needs mmdebstrap and bubblewrap; LANEWISE_ROOTS keeps the file systems for
# the next time.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/progress.sh
. scripts/progress.sh

package=build/package
step=solutions/vecadd/vec_add_device/2_float4.cu # has full marks
most_seconds=15                                  # until a student's first verdict
toolkit=$(realpath "${CUDA_HOME:-/usr/local/cuda}")
roots=${LANEWISE_ROOTS:-}
if [ -z "$roots" ]; then
  roots=$(mktemp -d)
  trap 'chmod -R u+w "$roots"; rm -rf "$roots"' EXIT
fi
for tool in mmdebstrap bwrap; do
  command -v $tool > /dev/null || stop "$tool was not found: apt-get install mmdebstrap bubblewrap"
done
deb=$(echo $package/lanewise_*.deb) archive=$(echo $package/lanewise-*.tar.gz)
for file in "$deb" "$archive"; do
  [ -f "$file" ] || stop "there is no package to try: run make package first"
done

# For installing. Nothing else is ever written outside /home.
in_root() { bwrap --bind "$root" / --dev /dev --proc /proc --unshare-user --uid 0 --gid 0 --clearenv --setenv PATH /usr/sbin:/usr/bin:/sbin:/bin "$@"; }
as_student() { # SHELL COMMANDS, in the course's folder
  bwrap --ro-bind "$root" / --bind "$root/home" /home --ro-bind "$toolkit" /usr/local/cuda --dev /dev --proc /proc --tmpfs /tmp \
    --unshare-user --unshare-pid --die-with-parent --uid 1000 --gid 1000 --chdir "/home/my course" \
    --clearenv --setenv PATH /usr/bin:/bin --setenv HOME "/home/my course" --setenv LANG C.UTF-8 sh -euc "$1"
}
expect() { # WHAT WORDS SHELL COMMANDS
  local begin=$SECONDS words
  words=$(as_student "$3" 2>&1) || { printf '%s\n' "$words"; stop "$suite: $1 failed"; }
  grep -qF -- "$2" <<< "$words" || { printf '%s\n' "$words"; stop "$suite: $1 did not print '$2'"; }
  took=$((SECONDS - begin))
  printf '%-10s %-58s %3d s\n' "$suite" "$1" "$took"
}

[ $# -gt 0 ] || set -- bookworm trixie
for suite; do
  root=$roots/$suite
  [ -d "$root/usr" ] ||
    mmdebstrap --quiet --variant=minbase --include=g++,make "$suite" "$root" > "$roots/$suite.log" 2>&1 ||
    { tail -n 5 "$roots/$suite.log"; stop "$suite: no root file system could be created"; }
  rm -rf "$root/home/my course" "$root/home/my tools"
  mkdir -p "$root/home/my course" "$root/home/my tools" "$root/usr/local/cuda"
  cp "$deb" "$root/tmp/lanewise.deb"
  in_root dpkg -i /tmp/lanewise.deb > /dev/null || stop "$suite: the .deb cannot be installed"
  tar -xzf "$archive" -C "$root/home/my tools" --strip-components=1
  cp $step "$root/home/my course/vecadd.cu"
  check="check vec_add_device --backend vgpu --require-full --submission vecadd.cu"
  expect "the installed program gives full marks" correct "lanewise $check"
  expect "once more, from the cache" unchanged "lanewise $check"
  expect "so does the unpacked one" correct "LANEWISE_CACHE=/tmp/cache '/home/my tools/bin/lanewise' $check"
  expect "one's own labs are checked" "not started" "cp -r /usr/lib/lanewise/labs . && lanewise check vecadd; rm -r labs"
  expect "a submission is graded" index.html \
    "mkdir in && tar -czf in/ada.tar.gz vecadd.cu && lanewise grade vec_add_device --submissions in --out out --backend vgpu --no-sandbox"
  expect "the students' archive is made" vecadd "lanewise release vecadd --out labs.tar.gz && tar -xzf labs.tar.gz"
  expect "make check in it" "not started" "cd lanewise && make check LAB=vecadd"
  expect "first verdict in it, nothing cached" correct \
    "rm -r ~/.cache && cp vecadd.cu lanewise/labs/vecadd && cd lanewise && bin/lanewise check vec_add_device --require-full"
  ((took <= most_seconds)) || stop "$suite: a student waits $took s for the first verdict"
  in_root dpkg -r lanewise > /dev/null
  [ ! -e "$root/usr/lib/lanewise" ] || stop "$suite: files are left after the package was removed"
done
