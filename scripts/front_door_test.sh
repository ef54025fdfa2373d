#!/bin/bash
# Usage: front_door_test.sh
# The Makefile, prepare.sh and build.sh, driven in a tree whose program takes no time to build, in a path with spaces:
# its messages and exit codes when all is well, when something is missing, and when build/ cannot be used.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
tree="$work/a tree"
failures=0

# --- the tree, and what it would need of this machine

mkdir -p "$tree"/{scripts,cmake,harness,grader,datasets,labs/vecadd} "$work/bin"
cp Makefile CMakePresets.json "$tree"
cp scripts/{build,prepare,progress}.sh "$tree/scripts"
cat > "$tree/CMakeLists.txt" << 'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES C)
option(LANEWISE_TESTS "" OFF)
add_custom_command(OUTPUT slow COMMAND sh "${CMAKE_SOURCE_DIR}/slow.sh" VERBATIM)
add_custom_target(slowly DEPENDS slow)
add_executable(lanewise grader/main.c)
CMAKE
program() { printf '#include <stdio.h>\nint main(void) { puts("%s"); return 0; }\n' "$1" > "$tree/grader/main.c"; }
program first
printf "touch slow; sleep \"\${SLOW:-0}\"\n" > "$tree/slow.sh"
touch "$tree/labs/vecadd/vecadd.cu"
cp labs/vecadd/Makefile "$tree/labs/vecadd"
for_students=$PWD/grader/release/for_students
stub() { printf '#!/bin/sh\n%s\n' "$2" > "$work/bin/$1" && chmod +x "$work/bin/$1"; }
stub nvcc 'exit 0'
# shellcheck disable=SC2016  # what a stub expands
stub dpkg-query 'shift 2; for p; do echo "$p installed"; done'
export PATH="$work/bin:$PATH" CUDA_HOME=/nowhere
unset MAKEFLAGS MAKELEVEL MFLAGS

# --- running and expecting

# run COMMAND ...: its words go to $said, its exit code to $code.
run() { said=$("$@" 2>&1 < /dev/null) && code=0 || code=$?; }
in_tree() { (cd "$tree" && "$@"); }
wrong() {
  echo "FAILED: $1; exit code $code, said:"
  printf '%s\n' "$said" | sed 's/^/  | /'
  failures=$((failures + 1))
}
expect() { # WHAT CODE PART-OF-WHAT-IS-SAID ...
  local what=$1 part
  [ "$code" = "$2" ] || wrong "$what: the exit code is not $2"
  for part in "${@:3}"; do
    [[ $said == *"$part"* ]] || wrong "$what: '$part' is not said"
  done
}
never() { # WHAT PART ...
  local part
  for part in "${@:2}"; do
    [[ $said != *"$part"* ]] || wrong "$1: '$part' is said"
  done
}
last_line_is() { [[ ${said##*$'\n'} == *"$2"* ]] || wrong "$1: the last line is not '$2'"; }
builds() { stat -c %Y.%Z "$tree/build/build.log"; } # changes with every run of ninja
check() { run in_tree make check; }
wait_until() {
  for ((i = 0; i < 300; i++)); do
    "$@" && return
    sleep 0.1
  done
}
held() { ! flock -n "$1" true; }

# --- make, and a first check

run in_tree make
expect "make alone" 0 "make check [LAB=vecadd]" "is not built"
read -ra targets < <(sed -n 's/^\.PHONY: //p' Makefile)
for target in "${targets[@]}"; do
  case $target in help | prepared) ;; *) expect "make alone" 0 "make $target " ;; esac
done
run make -j 4 -C "$tree" check
expect "make -j -C" 0 first
run make -C "$tree/labs/vecadd"
expect "make in a lab's folder" 0 first
run make -n -C "$tree/labs/vecadd" check
expect "make check in a lab's folder" 0 "build/lanewise check vecadd"
for misspelt in lab Lab LABS; do
  for makefile in Makefile "$for_students/Makefile"; do
    run in_tree make -f "$makefile" check $misspelt=vecadd
    expect "$misspelt=vecadd" 2 "there is no variable '$misspelt'; did you mean LAB=vecadd?"
    never "$misspelt=vecadd" first
  done
done
run in_tree make check LAB=vecadd CUDA_HOME=/nowhere
expect "variables that mean something" 0 first
before=$(builds)
check
expect "nothing changed" 0 first
never "nothing changed" lanewise: '['
echo "// mine" > "$tree/labs/vecadd/vecadd.cu"
check
expect "a lab's file changed" 0 first
[ "$(builds)" = "$before" ] || wrong "a program that is as its sources are was built again"
run in_tree make
expect "make alone" 0 "build/lanewise is built"

program second
run in_tree make
expect "make alone" 0 "is out of date"
check
expect "a source changed" 0 second

cp "$tree/grader/main.c" "$work/main.c"
program other
cmake --build "$tree/build" > /dev/null
cp "$work/main.c" "$tree/grader/main.c"
check
expect "built from other sources behind its back" 0 second

run in_tree scripts/build.sh -DLANEWISE_TESTS=ON
expect "a choice" 0
grep -q LANEWISE_TESTS:BOOL=ON "$tree/build/CMakeCache.txt" || wrong "the choice was not made"

# --- copied, moved, tools gone

cp -r "$tree" "$work/a copy"
before=$(stat -c %Y.%Z "$work/a copy/build/build.log")
program third
check
run make -C "$work/a copy" check
expect "a copy" 0 second
[ "$(stat -c %Y.%Z "$work/a copy/build/build.log")" = "$before" ] || wrong "a copy was built again"
mv "$tree" "$work/elsewhere"
tree="$work/elsewhere"
check
expect "moved" 0 third
never "moved" lanewise:
program fourth
check
expect "moved, then changed" 0 "build/ was made in $work/a tree: configuring again" fourth
never "moved, then changed" CMake
grep -q LANEWISE_TESTS:BOOL=ON "$tree/build/CMakeCache.txt" || wrong "a choice was forgotten"
check
never "once it is configured again" lanewise:
echo "CUDAToolkit_NVCC_EXECUTABLE:FILEPATH=CUDAToolkit_NVCC_EXECUTABLE-NOTFOUND" >> "$tree/build/CMakeCache.txt"
check
never "without a toolkit" lanewise:
sed -i "s|^CMAKE_C_COMPILER:.*|CMAKE_C_COMPILER:FILEPATH=/gone/cc|" "$tree/build/CMakeCache.txt"
check
expect "a compiler that is gone" 0 "build/ was made with /gone/cc, which is gone: configuring again" fourth

# --- interrupted and damaged

program fifth
head -c 700 "$tree/build/build.ninja" > "$work/half" && cp "$work/half" "$tree/build/build.ninja"
check
expect "half a build.ninja" 0 fifth
program sixth
head -c 40 "$tree/build/.ninja_log" > "$work/half" && cp "$work/half" "$tree/build/.ninja_log"
head -c 20 "$tree/build/.ninja_deps" > "$work/half" && cp "$work/half" "$tree/build/.ninja_deps"
check
expect "half a log" 0 sixth
rm "$tree/build/build.ninja"
program seventh
check
expect "interrupted while configuring" 0 "build/ was left half-configured: configuring again" seventh

set -m # a job with signals of its own
(cd "$tree" && SLOW=30 exec scripts/build.sh slowly > "$work/slowly" 2>&1) &
set +m
wait_until test -e "$tree/build/slow"
kill -INT -- -$!
wait $! && code=0 || code=$?
said=$(cat "$work/slowly")
expect "Ctrl-C" 130 "stopped; the next make resumes from here"
[ ! -e "$tree/build/slow" ] || wrong "Ctrl-C left half a file"
(SLOW=4 in_tree scripts/build.sh slowly > "$work/slowly" 2>&1) &
wait_until held "$tree/build/.lock"
check
expect "two at a time" 0 "waiting for another build in this folder" seventh
wait
[ -e "$tree/build/slow" ] || wrong "the other build did not end: $(cat "$work/slowly")"

# --- builds that fail

echo "int main(void) { return nothing; }" > "$tree/grader/main.c"
run in_tree scripts/build.sh lanewise
expect "a mistake" 3 "grader/main.c:1:25: error: " "FAILED: "
[ "$(grep -c FAILED: <<< "$said")" = 1 ] || wrong "a mistake: FAILED is not said once"
never "a mistake" " -o " "ninja: "
last_line_is "a mistake" "lanewise: the build failed: the compiler's messages are above"
check
expect "a mistake, again" 2 "error: "
program eighth
check
expect "fixed" 0 eighth

echo "message(FATAL_ERROR \"libfoo was not found: install it\")" >> "$tree/CMakeLists.txt"
run in_tree scripts/build.sh lanewise
expect "a library is missing" 3 "libfoo was not found: install it"
last_line_is "a library is missing" "lanewise: "
rm -r "$tree/build"
run in_tree scripts/build.sh lanewise
expect "a library is missing from the start" 3 "libfoo was not found: install it"
last_line_is "a library is missing from the start" "lanewise: configuring failed; build/configure.log has CMake's full output"
sed -i '$d' "$tree/CMakeLists.txt"
check
expect "the library is there" 0 eighth

# $work/bin comes first: a compiler that says what real ones say.
compiler() { # WORDS
  stub cc "case \"\$*\" in *main.c*) echo '$1' >&2; exit 1 ;; esac; exec /usr/bin/cc \"\$@\""
  rm -rf "$tree/build"
  run in_tree scripts/build.sh lanewise
  rm "$work/bin/cc"
}
compiler "fatal error: error writing to /tmp/x.s: No space left on device"
expect "a full disk" 3 "fatal error"
last_line_is "a full disk" "the disk that holds build/ is full: free some space and run the same command again"
compiler "cc: fatal error: Killed signal terminated program cc1plus"
last_line_is "no memory" "memory ran out: run the same command again with  CMAKE_BUILD_PARALLEL_LEVEL=1"
check
expect "the compiler is gone again" 0 "build/ was made with $work/bin/cc, which is gone" eighth

# --- what is missing, in one sentence

one_sentence() { # WHAT PART COMMAND ...
  run in_tree "${@:3}"
  expect "$1" 3 "$2"
  [ "$(grep -c . <<< "$said")" = 1 ] || wrong "$1: not one sentence"
}
bare=$work/bare # every program of this machine but some
mkdir "$bare"
IFS=: read -ra folders <<< "$PATH"
for folder in "${folders[@]:1}"; do ln -s "$folder"/* "$bare" 2> /dev/null; done
rm -f "$bare"/{nvcc,sudo,cmake}
ln -s "$(command -v cmake)" "$work/bin/cmake"
export PATH="$work/bin:$bare"

stub dpkg-query 'echo cmake installed; echo chromium deinstalled'
stub apt-get 'echo "$@" >> '"$work/apt-get; echo 'pmstatus:curl:50.1:Installing curl'; [ ! -e $work/unreachable ] || { echo 'E: no network'; exit 100; }"
stub id 'echo 1000'
one_sentence "neither root nor sudo" "only root can install them: " scripts/prepare.sh build
never "neither root nor sudo" " cmake" chromium
stub sudo 'exit 1'
one_sentence "sudo that asks, without a terminal" "Ask for:  apt-get install " scripts/prepare.sh build test
[ ! -e "$work/apt-get" ] || wrong "something was installed"
stub id 'echo 0'
run in_tree scripts/prepare.sh build test-all
expect "packages are missing" 0 "lanewise: installing: "
never "packages are missing" pmstatus clang
mv "$work/bin/nvcc" "$work/nvcc"
run in_tree scripts/prepare.sh build
expect "no nvcc" 0 "lanewise: installing: " " clang-19 "
mv "$work/nvcc" "$work/bin/nvcc"
grep -q "install .* ninja-build" "$work/apt-get" || wrong "nothing was installed"
grep -q "install .* chromium" "$work/apt-get" || wrong "what is not there any more was not installed"
touch "$work/unreachable"
run in_tree scripts/prepare.sh build
expect "no network" 3 "E: no network"
last_line_is "no network" "by hand to see why"
rm "$work/unreachable"
if [ "$(dpkg --print-architecture)" = amd64 ] && grep -q '^ID=debian$' /etc/os-release; then
  # shellcheck disable=SC2016  # the stub's own
  stub dpkg '[ "$1" != --print-architecture ] || echo amd64; [ "$1" != --add-architecture ] || echo "$2" > '"$work/architecture"
  run in_tree scripts/prepare.sh arm
  expect "libraries for Arm" 0 "dpkg is told of that architecture"
  grep -qx arm64 "$work/architecture" || wrong "the architecture of the libraries was not added"
  grep -q "install .* libzstd-dev:arm64" "$work/apt-get" || wrong "libraries for Arm were not installed"
fi
run in_tree scripts/prepare.sh everything
expect "no such group" 3 "there is no group of packages 'everything'"

rm -rf "$tree/build" "$work/bin/cmake"
one_sentence "no cmake" "cmake was not found: install CMake 3.25 or newer" scripts/build.sh lanewise
stub cmake 'echo "cmake version 3.18.4"'
one_sentence "an old cmake" "is CMake 3.18.4, and Lanewise needs 3.25 or newer" scripts/build.sh lanewise
rm "$work/bin/cmake"

as_somebody() { if [ "$(command id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"; else "$@"; fi; }
chmod -R a+rX,a-w "$work"
one_sentence "a tree that cannot be written to" "you cannot write to it: copy the tree to a folder of your own" as_somebody scripts/build.sh lanewise
chmod -R u+w "$work"

# --- what is shown meanwhile

cat > "$work/show" << 'SHOW'
#!/bin/bash
. scripts/progress.sh
steps() { for i in 1 2 3; do echo "[$i/3] Building CXX object harness/lab/part_$i.cpp.o"; sleep 1.2; done; }
{ echo "a warning"; steps; } | progress building
SHOW
chmod +x "$work/show"
run in_tree "$work/show"
expect "progress in a log" 0 "a warning" "lanewise: building"
[ "$(wc -l <<< "$said")" = 2 ] || wrong "progress in a log: more than a line for a few seconds"
run in_tree env SHELL=/bin/sh script -qec "$work/show" /dev/null
expect "progress on a terminal" 0 "a warning" " [1/3]  part_1.cpp" " [3/3]  part_3.cpp" $'\r\033[Kbuilding 0:0'
# Which seconds are shown depends on how busy the machine is; that time goes on does not.
(($(grep -o "building 0:[0-9]*" <<< "$said" | sort -u | wc -l) >= 3)) || wrong "progress on a terminal: its time stands still"

if [ $failures -gt 0 ]; then
  echo "front_door_test: $failures failures"
  exit 1
fi
echo "front_door_test: all messages are as expected"
