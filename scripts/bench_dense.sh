#!/usr/bin/env bash
# The dense benchmark: measures what this GPU can do at most (bench/ceilings), times
# the solvers over sizes, graphs, arithmetics and options, verifies every result, and
# keeps one table of it all, percentages of the wall included.
#
#   scripts/bench_dense.sh [-o DIR] [--sizes "N N ..."] [--device gpu|cpu]
#
#   -o          default: results/DEVICE (h100, cpu, ...). DIR gets dense.csv and, of a
#               GPU, ceilings.json: when all is measured, or not at all
#   --sizes     default: 1000 2500 5000 7500 9999 10000 10001 40000; of a CPU 200 500 1000
#   --device    default: the GPU, where there is one
#
# What does not fit into memory is left out, and named. APSP and CEILINGS name other
# programs than ./apsp and build/cuda/bench/ceilings. Exit: 0 done, 1 a run failed or
# nothing was measured, 2 usage, 4 no GPU.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
naive=10001 # the largest n that the naive solver is timed at and verifies in full
device=auto out='' sizes=''

stop() { echo "bench_dense.sh: $2" >&2; exit "$1"; }

while (($#)); do
  case $1 in
    --sizes=* | --device=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    -o | --sizes | --device)
      (($# > 1)) || stop 2 "$1 needs a value"
      case $1 in -o) out=$2 ;; --sizes) sizes=${2//,/ } ;; *) device=$2 ;; esac
      shift 2 ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    *) stop 2 "what is '$1'? (--help tells more)" ;;
  esac
done

[[ $sizes =~ ^[0-9\ ]*$ ]] || stop 2 "--sizes are numbers, not '$sizes'"

apsp=$(realpath -m -- "${APSP:-$root/apsp}")
[[ -x $apsp ]] || make -C "$root" -j"$(nproc)" apsp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# ./apsp itself knows best which device it will use, and in which folder its results lie.
record=$("$apsp" --n 1 --reps 1 --device "$device" --json -) || exit
field() { sed -n "s/^ *\"$1\": \"\(.*\)\",\$/\1/p" <<< "$record"; }
device=$(field device) short=$(field device_short)
out=$(realpath -m -- "${out:-$root/results/$short}")
mkdir -p "$out" "$tmp/results/$short"
cd "$tmp" # here ./apsp looks for results/DEVICE/ceilings.json

if [[ $device == gpu ]]; then
  : "${sizes:=1000 2500 5000 7500 9999 10000 10001 40000}"
  ceilings=${CEILINGS:-$root/build/cuda/bench/ceilings}
  [[ -x $ceilings ]] || make -C "$root" -j"$(nproc)" bench
  (exec -a ceilings "$ceilings" --benchmark_out="results/$short/ceilings.json") || stop 1 "$ceilings failed"
fi

course='--family course --range 100000'
runs=(
  "$course --kernel ref --reps 3"
  "$course --precision 32"
  "$course"
  "$course --dtype f32"
  "$course --undirected"
  "$course --undirected --no-symmetry"
  '--family grid'
  '--family grid --no-skip'
  '--family sparse --degree 1'
  '--family sparse --degree 1 --no-skip'
)

for n in ${sizes:-200 500 1000}; do
  checks=(--verify=ref)
  ((n <= naive)) || checks=(--verify=dijkstra:16 --reps 3)
  for run in "${runs[@]}"; do
    [[ $run == *'--kernel ref'* ]] && ((n > naive)) && continue
    echo "--n $n $run"
    read -ra words <<< "$run"
    code=0
    "$apsp" --n "$n" "${words[@]}" "${checks[@]}" --device "$device" --quiet --csv runs.csv || code=$?
    case $code in
      0) ;;
      5) echo 'left out' >&2 ;;
      *) stop 1 "--n $n $run: exit code $code" ;;
    esac
  done
done

python3 - << 'END' > dense.csv
import csv, sys

COLUMNS = ("device n family kernel precision tier dtype median_ms min_ms max_ms reps relax_per_s "
           "pct_of_wall verified").split()


def dense(row):
    """A record's row in these columns: family and kernel with the options that are theirs."""
    family = [word for word in row["input"].split() if not word.startswith(("n=", "seed=", "range="))]
    kernel = [row["kernel"]] + [f"--no-{name}" for name in ("symmetry", "skip") if row[name] == "no"]
    return {**row, "device": row["device_name"], "family": " ".join(family),
            "kernel": " ".join(kernel)}


try:
    rows = [dense(row) for row in csv.DictReader(open("runs.csv", newline=""))]
except OSError:
    rows = []
if not rows:
    sys.exit("bench_dense.sh: nothing was measured")
out = csv.DictWriter(sys.stdout, COLUMNS, extrasaction="ignore", lineterminator="\n")
out.writeheader()
out.writerows(rows)
if rows[0]["device_short"] != "cpu" and not any(row["pct_of_wall"] for row in rows):
    print("bench_dense.sh: no percentages: ./apsp was built without nlohmann-json", file=sys.stderr)
END

for file in "results/$short/ceilings.json" dense.csv; do
  [[ -e $file ]] || continue
  cp "$file" "$out/.${file##*/}.new" # beside its target: the renaming is atomic
  mv "$out/.${file##*/}.new" "$out/${file##*/}"
  echo "$out/${file##*/}"
done
