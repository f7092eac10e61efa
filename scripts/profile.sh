#!/usr/bin/env bash
# Profiles kernels with Nsight Compute and prints, as Markdown, what report B asked
# nvprof for, in today's metrics, and what limits the kernels besides.
#
#   scripts/profile.sh [RUNG ...] [--n N] [-o FILE.csv]
#
#   RUNG        default: b1 (./apsp --list-kernels names them all)
#   --n         vertices, default: 1000, as in report B
#   -o          also writes each metric's mean over the launches, by rung and kernel
#
# Of each rung 12 launches in a row are profiled: three rounds of four kernels, four
# of three. NCU and APSP name other programs than ncu and ./apsp. Exit: 0 done, 1 ncu
# failed, 2 usage or no ncu, 4 no GPU, or its counters are not for every user, 6 not
# written.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
table=$root/scripts/ncu_table.py
rungs=() n=1000 out=''
own=2 # launches of ./apsp before the solver's: it makes the graph and hashes it
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
    -*) stop 2 "what is '$1'? (--help tells more)" ;;
    *) rungs+=("$1"); shift ;;
  esac
done

ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
[[ -x $ncu ]] || stop 2 "no ncu: install Nsight Compute (it comes with CUDA), or name it by NCU=…"
apsp=${APSP:-$root/apsp}
[[ -x $apsp ]] || make -C "$root" -j"$(nproc)" apsp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

metrics=$("$table" --metrics)
rungs=("${rungs[@]:-b1}")
for rung in "${rungs[@]}"; do
  solve=("$apsp" --n "$n" --kernel "$rung" --device gpu --warmup 0 --reps 1 --quiet)
  "${solve[@]}" || exit # it says why: no such rung, no GPU
  echo "profile.sh: $rung" >&2
  code=0
  # Clocks and caches are left as they are in a plain run.
  "$ncu" --csv --page raw --print-units base --clock-control none --cache-control none --metrics "$metrics" \
    --launch-skip $own --launch-count $count "${solve[@]}" &> "$tmp/$rung.csv" || code=$?
  if grep -q ERR_NVGPUCTRPERM "$tmp/$rung.csv"; then
    stop 4 "the GPU's counters are for root alone: run as root (in a container with CAP_SYS_ADMIN), \
or load the driver with NVreg_RestrictProfilingToAdminUsers=0"
  fi
  ((code == 0)) ||
    stop 1 "$rung: $ncu failed ($code): $(grep -m1 '^==ERROR==' "$tmp/$rung.csv" || tail -n1 "$tmp/$rung.csv")"
done
rungs=("${rungs[@]/#/$tmp/}")
"$table" --n "$n" ${out:+-o "$out"} "${rungs[@]/%/.csv}"
