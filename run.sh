#!/usr/bin/env bash
# The sweep: times the naive solver and the optimised one over a range of sizes,
# verifies both, prints the table of speedups and what is missing, keeps every
# number as CSV and, where there is matplotlib, draws them.
#
#   ./run.sh [--sizes "N N ..."] [--kernels NAME,NAME] [--out DIR] [-- ARG...]
#
#   --sizes     default: 1000 2500 5000 7500 10000; without a GPU 200 500 1000
#               1500. "" measures nothing: it merges and prints what there is
#   --kernels   default: ref,apsp (./apsp --list-kernels names them all)
#   --out       default: sweep/ beside this script. DIR/points/ gets one file a
#               point and kernel, DIR/sweep.csv the rows of all of them,
#               DIR/sweep.svg and .png their picture
#   -- ARG...   goes to ./apsp as it is: --family, --reps, --device, ...
#
# What is in DIR/points already, from the same build with the same options, is
# not measured again: a sweep that was cut off goes on where it stopped. What is
# in another process's hands is left to it. SIGINT and SIGTERM drop the point in
# hand, and no other; a second one does not wait for ./apsp to end. APSP names
# another ./apsp. Exit: 0 all points of DIR are there and right, 1 some are not
# (it names them), 2 usage, 130 or 143 interrupted, 75 so in a Slurm job.
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

points=$out/points failed='' measuring='' solver='' interrupted=''
# shellcheck disable=SC2317 # the traps call it
interrupt() {
  if [[ $interrupted ]]; then
    kill -KILL "$solver" 2> /dev/null || true
    exit "$interrupted"
  fi
  interrupted=${SLURM_JOB_ID:+75}
  interrupted=${interrupted:-$1}
  [[ $measuring ]] || exit "$interrupted"
  kill "$solver" 2> /dev/null || true
}
trap 'interrupt 130' INT
trap 'interrupt 143' TERM

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

for n in ${sizes//,/ }; do
  "$apsp" --n "$n" --kernel "$kernels" --record "$points" --plan "$@" || exit
done

measuring=yes
for n in ${sizes//,/ }; do
  echo "n = $n" # ./apsp draws its progress below, and wipes it out again
  # bash runs a trap only between commands: so ./apsp is in the background.
  "$apsp" --n "$n" --kernel "$kernels" --record "$points" --quiet "$@" & solver=$!
  [[ ! $interrupted ]] || kill "$solver"
  code=0
  wait "$solver" || code=$?
  while kill -0 "$solver" 2> /dev/null; do # a signal ended `wait`, but not yet ./apsp
    wait "$solver" || code=$?
  done
  [[ ! $interrupted ]] || exit "$interrupted"
  case $code in
    0) ;;
    2 | 75 | 130 | 143) exit "$code" ;; # wrong at every size; or told to stop
    *) failed+=" $n (exit $code)" ;;
  esac
done
trap - INT TERM

echo
code=0
"$apsp" report "$points" --csv "$out/sweep.csv" || code=$?
((code <= 1)) || exit "$code"
echo
echo "All numbers: $out/sweep.csv"

if said=$("$apsp" report "$out/sweep.csv" --plot "$out/sweep" 2>&1); then
  echo "Their picture: $out/sweep.svg"
else
  echo "No picture: ${said##*$'\n'}"
fi

if [[ $failed ]]; then
  echo "run.sh: failed at n =$failed; run it again to measure only these" >&2
  code=1
fi
exit "$code"
