#!/usr/bin/env bash
# Every path of the optimised solver once, then the whole program with every kernel, under compute-sanitizer; `make
# gpu-sanitize` calls it.
#
#   tests/gpu_sanitize.sh BUILD TOOLKIT    what was built, for example build/cuda, and the folder of nvcc
#
# racecheck and synccheck do not follow barriers of some warps beside barriers of all: they report a kernel of 20 lines
# that has no race (docs/tuning.md). They leave out the kernel that keeps matrices in registers, which has both. At
# n = 520 there are more rounds than places for their panels (kRing), even with tiles of 128. racecheck is slow: it looks
# at smaller graphs.
#
# All blocks of the kernel that explores (bfs) wait for each other within one launch. No tool leaves it out, because all
# threads of a block come to each of its barriers, and blocks wait by such barriers and by atomics. racecheck looks at
# shared memory only. This kernel has none, so what racecheck sees of this method is the kernel that widens. What warps
# hand each other in global memory is up to the tests that compare distances. The same holds for the rounds of an
# elimination, whose blocks wait for each other, and for pruning, whose warps wait for marks. Exit: 0 if nothing was found.
set -uo pipefail
build=$1 sanitizer=$2/compute-sanitizer
[[ -x $sanitizer ]] || sanitizer=compute-sanitizer
kernels=$("$build/apsp" --list-kernels | awk '$2 == "gpu" { print $1 }' | paste -sd,)
unit=("$build/tests/run" --gtest_brief=1)
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

check() { # tool, what is run: all run at the same time, each with its output in a file
  local tool=$1 log=$logs/$#.$RANDOM except=()
  shift
  [[ $tool == memcheck ]] || except=(--kernel-name-exclude kernel_substring=solveInRegisters)
  "$sanitizer" --error-exitcode 1 --tool "$tool" "${except[@]}" "$@" &> "$log"
  local code=$?
  printf '\n%s %s\n' "$tool" "$*"
  cat "$log"
  return $code
}

running=()
for tool in memcheck racecheck synccheck; do
  more=520 n=130 filter=GivesUpWithoutDamage levels=AllTypes*:Bfs/GpuLevels.Bands*
  [[ $tool == racecheck ]] && more=264 n=66 filter=SettlesInEveryPlace levels=Small*
  for command in "$build/tests/undelayed 1 200" "$build/tests/undelayed 1 $more" \
    "$build/apsp --n $n --family sparse --warmup 0 --reps 1 --verify --kernel $kernels" \
    "${unit[*]} --gtest_filter=*DistributedOnGpu.AddsFloats*:*DistributedOnGpu.Leaves*" \
    "${unit[*]} --gtest_filter=GpuRelaxation.$filter" "$build/apsp reduce --n 200,200000 --warmup 0 --reps 1" \
    "${unit[*]} --gtest_filter=Bfs/GpuLevels.$levels:Devices/SmallRowsOn.*/gpu:NearOnGpu.RowsOfAny*" \
    "$build/apsp --n ${n}0 --family sparse --range 1 --device gpu --method bfs --warmup 0 --reps 1 --verify" \
    "$build/apsp --n ${n}0 --family grid --device gpu --method sparse --warmup 0 --reps 1 --verify"; do
    set -f
    check $tool $command &
    set +f
    running+=($!)
  done
done
status=0
for process in "${running[@]}"; do wait "$process" || status=1; done
exit $status
