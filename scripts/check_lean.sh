#!/usr/bin/env bash
# Proves that the program without the course, and the library alone, lack nothing. `make lean` builds the first and calls
# this.
#
#   scripts/check_lean.sh PROGRAM [CMAKE_OPTION...]      the library is built with these options beside the program
#
# Exit: 0 all is there, 1 something is missing, 2 usage.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] && [ -x "$1" ] || { echo "usage: check_lean.sh PROGRAM [CMAKE_OPTION...]" >&2; exit 2; }
readonly program=$(realpath "$1") library=$(dirname "$(realpath "$1")")/library
shift
fail() { echo "check_lean: $*" >&2; exit 1; }

"$program" --n 60 --kernel ref,apsp --verify
help=$("$program" --help)
for command in check grade ladder reduce; do
  grep -qE "^  $command " <<< "$help" && fail "--help names $command"
  said=$("$program" "$command" 2>&1) && fail "$command runs"
  grep -q "neither a file nor a subcommand" <<< "$said" || fail "$command: $said"
done
grep -E -- "--time-limit|--unsandboxed|--cxxflags|\.cpp" <<< "$help" && fail "--help tells of files that it does not run"
said=$("$program" --n 60 --kernel ./mine.cpp 2>&1) && fail "a file runs as a kernel"
grep -q "^[^ ].*built without the course" <<< "$said" || fail "it does not say why ./mine.cpp cannot run: $said"

started=$SECONDS
cmake -S . -B "$library" -DAPSP_PROGRAM=OFF -DAPSP_CUDA=OFF "$@" > "$library.log" 2>&1 || { cat "$library.log" >&2; exit 1; }
cmake --build "$library" --parallel "$(nproc)" >> "$library.log" 2>&1 || { tail -n 30 "$library.log" >&2; exit 1; }
cc -std=c11 -Iinclude examples/towns.c -L"$library" -lapsp -Wl,-rpath,"$library" -o "$library/towns"
grep -q "Bergen -> Oslo -> Trondheim -> Bodo" <<< "$("$library/towns")" || fail "examples/towns.c finds another way"
[ ! -e "$library/apsp" ] || fail "the program was built with the library"
echo "the program runs without the course; the library alone was built in $((SECONDS - started)) s"
