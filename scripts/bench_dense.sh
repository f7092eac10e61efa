#!/usr/bin/env bash
# The dense benchmark. It measures the peak of this GPU (bench/ceilings), times the
# naive solver and --method dense for several sizes, graphs, types and options,
# verifies every result, and writes one table with all times, also as percentages of
# the peak.
#
#   scripts/bench_dense.sh [-o DIR] [--sizes N,N,...] [--device gpu|cpu]
#
#   -o          the folder for dense.csv and, with a GPU, ceilings.json. They are
#               written anew after each size. Default: results/DEVICE in the repository
#               (h100, cpu, ...)
#   --sizes     numbers of vertices, or ranges START:STOP:STEP (also --n). Default:
#               1000,1100,2500,5000,7500,9999,10000,10001,40000; on a CPU 200,500,1000
#   --device    default: the GPU if there is one
#
# A size that does not fit into memory is left out, and a message says so. The variables
# APSP and CEILINGS name the programs if they are not ./apsp and
# build/cuda/bench/ceilings. Exit: 0 done, 1 a run failed or nothing was measured,
# 2 usage, 4 no GPU.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
naive=10001 # the naive solver is not used for a larger n, because it would take too long
device=auto out='' sizes=''

# shellcheck source=scripts/sizes.sh
source "$root/scripts/sizes.sh"

stop() { echo "bench_dense.sh: $2" >&2; exit "$1"; }

while (($#)); do
  case $1 in
    --sizes=* | --n=* | --device=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    -o | --sizes | --n | --device)
      (($# > 1)) || stop 2 "$1 needs a value"
      case $1 in -o) out=$2 ;; --sizes | --n) sizes=$(with_commas "$2") ;; *) device=$2 ;; esac
      shift 2 ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    *) stop 2 "unknown argument '$1' (--help lists them)" ;;
  esac
done

apsp=$(realpath -m -- "${APSP:-$root/apsp}")
ceilings=$(realpath -m -- "${CEILINGS:-$root/build/cuda/bench/ceilings}")
[[ -x $apsp ]] || make -C "$root" -j"$(nproc)" apsp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
[[ ! $sizes ]] || "$apsp" --n "$sizes" --record "$tmp/plan" --plan || exit # says if the sizes are wrong

# ./apsp says which device it uses and the name of the device's folder in results/.
record=$("$apsp" --n 1 --reps 1 --device "$device" --json -) || exit
field() { sed -n "s/^ *\"$1\": \"\(.*\)\",\$/\1/p" <<< "$record"; }
device=$(field device) short=$(field device_short)
out=$(realpath -m -- "${out:-$root/results/$short}")
mkdir -p "$out" "$tmp/results/$short"
cd "$tmp"
export APSP_RESULTS=$tmp/results # percentages are of the peak that is measured now

if [[ $device == gpu ]]; then
  : "${sizes:=1000,1100,2500,5000,7500,9999,10000,10001,40000}"
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

# One table of all records so far.
write_table() {
  python3 - << 'END' > dense.csv
import csv, sys

COLUMNS = ("device n family kernel precision tier dtype median_ms min_ms max_ms reps relax_per_s "
           "pct_of_peak verified").split()


def dense(row):
    """A record with these columns. The options are part of the family and of the kernel."""
    family = [word for word in row["input"].split() if not word.startswith(("n=", "seed=", "range="))]
    kernel = [row["kernel"]] + [f"--no-{name}" for name in ("symmetry", "skip") if row[name] == "no"]
    return {**row, "device": row["device_name"], "family": " ".join(family),
            "kernel": " ".join(kernel)}


rows = [dense(row) for row in csv.DictReader(open("runs.csv", newline=""))]
out = csv.DictWriter(sys.stdout, COLUMNS, extrasaction="ignore", lineterminator="\n")
out.writeheader()
out.writerows(rows)
END
  for file in "results/$short/ceilings.json" dense.csv; do
    [[ -e $file ]] || continue
    cp "$file" "$out/.${file##*/}.new" # beside its target: so that the renaming is atomic
    mv "$out/.${file##*/}.new" "$out/${file##*/}"
  done
}

for n in $(sizes_of "${sizes:-200,500,1000}"); do
  checks=(--verify=ref)
  ((n <= naive)) || checks=(--verify=dijkstra:16 --reps 3)
  for run in "${runs[@]}"; do
    [[ $run == *'--kernel ref'* ]] && ((n > naive)) && continue
    [[ $device == cpu && $run =~ --(precision|no-) ]] && continue # options of the GPU's kernel
    echo "--n $n $run"
    read -ra words <<< "$run"
    code=0
    [[ $run == *'--kernel ref'* ]] || words+=(--method dense)
    "$apsp" --n "$n" "${words[@]}" "${checks[@]}" --device "$device" --quiet --csv runs.csv || code=$?
    case $code in
      0) ;;
      5) echo 'left out' >&2 ;;
      *) stop 1 "--n $n $run: exit code $code" ;;
    esac
  done
  [[ ! -e runs.csv ]] || write_table
done
[[ -e runs.csv ]] || stop 1 'nothing was measured'
for file in ceilings.json dense.csv; do [[ ! -e results/$short/$file && ! -e $file ]] || echo "$out/$file"; done
