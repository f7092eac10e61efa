#!/usr/bin/env bash
# The benchmark of several GPUs. It solves large graphs on 1, 2, 4 ... GPUs of this
# machine, verifies rows of every result, and appends the records to one table.
#
#   scripts/bench_scale.sh [-o DIR] [--gpus N,N,...] [--sizes N,N,...] [--mpi]
#                          [--device gpu|cpu]
#
#   -o          the folder for scale.csv. Default: results/DEVICE in the repository
#   --gpus      numbers of GPUs; those that the machine has not are left out.
#               Default: 1,2,4,8
#   --sizes     numbers of vertices (also --n). Default: 10000,20000,50000,100000
#   --mpi       start a process for each GPU by mpirun. Default: threads
#   --device    cpu: processes on CPUs, to try this script. Default: gpu
#
# A size that does not fit is left out, and a message says so. `scripts/scale_model.py
# --check scale.csv` compares the table with a model of the solver. The variable APSP
# names the program if it is not ./apsp. Exit: 0 done, 1 a run failed or nothing was
# measured, 2 usage, 4 no GPU.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
gpus=1,2,4,8 sizes=10000,20000,50000,100000 mpi='' device=gpu out=''
often=20000 # up to this n a graph is solved five times, a larger one once

stop() { echo "bench_scale.sh: $2" >&2; exit "$1"; }

while (($#)); do
  case $1 in
    --gpus=* | --sizes=* | --n=* | --device=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    --mpi) mpi=yes; shift ;;
    -o | --gpus | --sizes | --n | --device)
      (($# > 1)) || stop 2 "$1 needs a value"
      case $1 in -o) out=$2 ;; --gpus) gpus=$2 ;; --device) device=$2 ;; *) sizes=$2 ;; esac
      shift 2 ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    *) stop 2 "unknown argument '$1' (--help lists them)" ;;
  esac
done
[[ $gpus,$sizes =~ ^[0-9]+(,[0-9]+)*$ ]] || stop 2 "expected numbers with commas between them: $gpus, $sizes"

apsp=$(realpath -m -- "${APSP:-$root/apsp}")
[[ -x $apsp ]] || make -C "$root" -j"$(nproc)" apsp
present=$(nvidia-smi -L 2> /dev/null | grep -c . || true)
if [[ $device == cpu ]]; then present=$(nproc) mpi=yes; fi
record=$("$apsp" --n 1 --reps 1 --device "$device" --json -) || exit
out=$(realpath -m -- "${out:-$root/results/$(sed -n 's/^ *"device_short": "\(.*\)",$/\1/p' <<< "$record")}")
mkdir -p "$out"

precisions=(32 16)
[[ $device == gpu ]] || precisions=(auto)
measured=0
for n in ${sizes//,/ }; do
  for precision in "${precisions[@]}"; do
    for count in ${gpus//,/ }; do
      ((count <= present)) || continue
      words=(--n "$n" --family uniform --method dense --device "$device" --verify=bellman:16)
      [[ $precision == auto ]] || words+=(--precision "$precision")
      if ((n <= often)); then words+=(--reps 5); else words+=(--warmup 0 --reps 1); fi
      echo "$count: ${words[*]}"
      start=()
      if [[ $mpi && $count != 1 ]]; then
        start=(mpirun -n "$count")
      elif ((count > 1)); then
        words+=(--gpus "$count")
      fi
      code=0
      NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0} "${start[@]}" "$apsp" "${words[@]}" --quiet --csv "$out/scale.csv" || code=$?
      case $code in
        0) measured=$((measured + 1)) ;;
        5) echo 'left out' >&2 ;;
        *) stop 1 "n = $n on $count: exit code $code" ;;
      esac
    done
  done
done
((measured > 0)) || stop 1 'nothing was measured'
echo "$out/scale.csv"
