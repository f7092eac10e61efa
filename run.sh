#!/usr/bin/env bash
# The sweep: times the naive solver and the optimised one over a range of sizes,
# verifies both, prints the table of speedups and keeps every number as CSV.
#
#   ./run.sh [--sizes "N N ..."] [--kernels NAME,NAME] [--out DIR] [-- ARG...]
#
#   --sizes     default: 1000 2500 5000 7500 10000; without a GPU 200 500 1000
#               1500. "" measures nothing: it merges and prints what there is
#   --kernels   default: ref,apsp (./apsp --list-kernels names them all)
#   --out       default: sweep/ beside this script. DIR/points/ gets one file a
#               point and kernel, DIR/sweep.csv the rows of all of them
#   -- ARG...   goes to ./apsp as it is: --family, --reps, --device, ...
#
# What is in DIR/points already, from the same build with the same options, is
# not measured again: a sweep that was cut off goes on where it stopped. APSP
# names another ./apsp. Exit: 0 all points are there and right, or
# in another process's hands, 1 some are not
# (it names them), 2 usage, 75, 130 or 143 interrupted.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
apsp=${APSP:-$root/apsp}
kernels=ref,apsp
out=$root/sweep

usage() { echo "run.sh: $1 (./run.sh --help tells more)" >&2; exit 2; }

while (($#)); do
  case $1 in
    --) shift; break ;;
    --sizes=* | --kernels=* | --out=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    --sizes | --kernels | --out)
      (($# > 1)) || usage "$1 needs a value"
      declare "${1#--}=$2"
      shift 2 ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    *) usage "what is '$1'? Arguments for ./apsp go after --" ;;
  esac
done

[[ -x $apsp ]] || make -C "$root" -j"$(nproc)" apsp

if [[ ! -v sizes ]]; then
  # ./apsp itself knows best whether there is a GPU that it can use.
  if "$apsp" --n 1 --device gpu --quiet "$@" &> /dev/null; then
    sizes='1000 2500 5000 7500 10000'
  else
    sizes='200 500 1000 1500'
  fi
fi
[[ " $* " == *' --verify'* ]] || set -- --verify "$@"

points=$out/points failed=''
for n in ${sizes//,/ }; do
  echo "n = $n" # ./apsp draws its progress below, and wipes it out again
  code=0
  "$apsp" --n "$n" --kernel "$kernels" --record "$points" --quiet "$@" ||
    code=$?
  case $code in
    0) ;;
    2 | 75 | 130 | 143) exit "$code" ;; # wrong at every size; or told to stop
    *) failed+=" $n (exit $code)" ;;
  esac
done

echo
"$apsp" report "$points" --csv "$out/sweep.csv"
echo
echo "All numbers: $out/sweep.csv"

if [[ $failed ]]; then
  echo "run.sh: failed at n =$failed; run it again to measure only these" >&2
  exit 1
fi
