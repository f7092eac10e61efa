#!/usr/bin/env bash
# Profiles kernels with Nsight Compute (ncu) and prints a Markdown table for each. The
# metrics are those that course report B read with nvprof, and others that show what
# limits a kernel.
#
#   scripts/profile.sh [KERNEL ...] [--n N] [-o FILE.csv]
#
#   KERNEL      a kernel of ./apsp --list-kernels. Default: b1, report B's
#   --n         vertices of the graph. Default: 1000, as in report B
#   -o          also writes the mean of each metric over the launches as CSV
#
# 12 consecutive launches of each kernel are profiled. That is three rounds of a solver
# with four CUDA kernels, or four rounds of one with three. The variables NCU and APSP
# name the programs if they are not ncu and ./apsp. Exit: 0 done, 1 ncu failed, 2 usage
# or no ncu, 4 no GPU, or only root may read its counters, 6 not written.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
table=$root/scripts/ncu_table.py
rungs=() n=1000 out=''
own=2 # ./apsp launches two kernels before the solver, which generate the graph and hash it
count=12

stop() { echo "profile.sh: $2" >&2; exit "$1"; }

while (($#)); do
  case $1 in
    --n=*) set -- --n "${1#*=}" "${@:2}" ;;
    -o | --n)
      (($# > 1)) || stop 2 "$1 needs a value"
      case $1 in -o) out=$2 ;; *) n=$2 ;; esac
      shift 2 ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    -*) stop 2 "unknown argument '$1' (--help lists them)" ;;
    *) rungs+=("$1"); shift ;;
  esac
done

ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
[[ -x $ncu ]] || stop 2 "no ncu: install Nsight Compute (part of CUDA), or give its path with NCU=…"
apsp=${APSP:-$root/apsp}
[[ -x $apsp ]] || make -C "$root" -j"$(nproc)" apsp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

metrics=$("$table" --metrics)
rungs=("${rungs[@]:-b1}")
for rung in "${rungs[@]}"; do
  solve=("$apsp" --n "$n" --kernel "$rung" --device gpu --warmup 0 --reps 1 --quiet)
  "${solve[@]}" || exit # ./apsp says why: no such kernel, no GPU
  echo "profile.sh: $rung" >&2
  code=0
  # ncu leaves clocks and caches alone, as in a run without it.
  "$ncu" --csv --page raw --print-units base --clock-control none --cache-control none --metrics "$metrics" \
    --launch-skip $own --launch-count $count "${solve[@]}" &> "$tmp/$rung.csv" || code=$?
  if grep -q ERR_NVGPUCTRPERM "$tmp/$rung.csv"; then
    stop 4 "only root may read the GPU's counters: run as root (in a container with CAP_SYS_ADMIN), \
or load the driver with NVreg_RestrictProfilingToAdminUsers=0"
  fi
  ((code == 0)) ||
    stop 1 "$rung: $ncu failed ($code): $(grep -m1 '^==ERROR==' "$tmp/$rung.csv" || tail -n1 "$tmp/$rung.csv")"
done
rungs=("${rungs[@]/#/$tmp/}")
"$table" --n "$n" ${out:+-o "$out"} "${rungs[@]/%/.csv}"
