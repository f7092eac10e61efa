#!/usr/bin/env bash
# Profiles kernels and prints Markdown tables: on a GPU with Nsight Compute (ncu), on a CPU
# with perf. The metrics of ncu are those that course report B read with nvprof, and others
# that show what limits a kernel. Those of perf are counters of the processor, and the
# functions that take the most time.
#
#   scripts/profile.sh [KERNEL ...] [--n N] [-o FILE.csv] [--device gpu|cpu]
#
#   KERNEL      a kernel of ./apsp --list-kernels, or a file such as ./mine.cpp. Default:
#               b1, report B's; on a CPU apsp
#   --n         vertices of the graph. Default: 1000, as in report B
#   -o          also writes the mean of each metric over the launches as CSV; on a GPU only
#   --device    where. Default: the GPU, the CPU if ./apsp finds no GPU
#
# On a GPU 12 consecutive launches of each kernel are profiled. That is three rounds of a solver
# with four CUDA kernels, or four rounds of one with three. On a CPU the whole run is
# profiled: all calls, and what the program does around them. The variables NCU, PERF
# and APSP name the programs if they are not ncu, perf and ./apsp. Exit: 0 done, 1 ncu or
# perf failed, 2 usage or no ncu or perf, 4 no GPU, or only root may read the counters, 6
# not written.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
table=$root/scripts/ncu_table.py
rungs=() n=1000 out='' device=''
own=2 # ./apsp launches two kernels before the solver, which generate the graph and hash it
count=12

stop() { echo "profile.sh: $2" >&2; exit "$1"; }

while (($#)); do
  case $1 in
    --n=*) set -- --n "${1#*=}" "${@:2}" ;;
    --device=*) set -- --device "${1#*=}" "${@:2}" ;;
    -o | --n | --device)
      (($# > 1)) || stop 2 "$1 needs a value"
      case $1 in -o) out=$2 ;; --n) n=$2 ;; *) device=$2 ;; esac
      shift 2 ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    -*) stop 2 "unknown argument '$1' (--help lists them)" ;;
    *) rungs+=("$1"); shift ;;
  esac
done

[[ $device == @(|gpu|cpu) ]] || stop 2 "--device is gpu or cpu, not '$device'"
apsp=${APSP:-$root/apsp}
[[ -x $apsp ]] || make -C "$root" -j"$(nproc)" apsp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The table of counters that perf wrote: value, unit, event, …
counters() {
  printf '| counter | count |\n|---|---:|\n'
  awk -F, '$3 != "" { print "| " $3 " | " ($1 ~ /^</ ? "–" : $1 ($2 == "" ? "" : " " $2)) " |" }' "$1"
}

# The functions that take at least 1 % of the time.
functions() {
  printf '| time | function |\n|---:|---|\n'
  "$perf" report -i "$1" --stdio --no-children --percent-limit 1 -s symbol 2> /dev/null |
    sed -nE 's/( +-)* *$//; s/(\(anonymous namespace\)|engine):://g; s/^ *([0-9.]+%) +\[.\] (.{1,60}).*$/| \1 | `\2` |/p'
}

profile_on_cpu() {
  [[ -z $out ]] || stop 2 "-o writes the metrics of a GPU: leave it out, or give --device gpu"
  perf=${PERF:-$(command -v perf || true)}
  [[ -x $perf ]] || stop 2 "no perf: install linux-perf (Debian) or linux-tools-generic (Ubuntu), or give its path with PERF=…"
  local rung solve failed events=task-clock,cycles,instructions,branches,branch-misses,cache-references,cache-misses
  for rung in "${rungs[@]:-apsp}"; do
    solve=("$apsp" --n "$n" --kernel "$rung" --device cpu --quiet)
    "${solve[@]}" || exit # ./apsp says why
    echo "profile.sh: $rung" >&2
    failed=0
    "$perf" stat -x, -e $events -o "$tmp/stat" "${solve[@]}" 2> "$tmp/log" || failed=$?
    ((failed)) || "$perf" record -q -F 999 -o "$tmp/data" "${solve[@]}" 2>> "$tmp/log" || failed=$?
    if grep -q perf_event_paranoid "$tmp/log"; then
      stop 4 "only root may read the counters: run as root, or sysctl kernel.perf_event_paranoid=1"
    fi
    ((failed == 0)) || stop 1 "$rung: $perf failed ($failed): $(head -n1 "$tmp/log")"
    printf '## %s, n = %s\n\n' "$rung" "$n"
    counters "$tmp/stat"
    echo
    functions "$tmp/data"
    echo
  done
}

if [[ -z $device ]] && ! "$apsp" --n 2 --kernel ref --device gpu --quiet 2> /dev/null; then device=cpu; fi
if [[ $device == cpu ]]; then profile_on_cpu; exit; fi

ncu=${NCU:-$(command -v ncu || echo /usr/local/cuda/bin/ncu)}
[[ -x $ncu ]] || stop 2 "no ncu: install Nsight Compute (part of CUDA), or give its path with NCU=…"

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
