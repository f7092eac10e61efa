#!/usr/bin/env bash
# The sweep times the naive solver and the optimised one over a range of sizes
# and verifies both. It prints a table of times and speedups, keeps every number
# as CSV and, if matplotlib is installed, draws them.
#
#   ./run.sh [--sizes N,N,...] [--kernels NAME,NAME] [--out DIR] [--again] [-- ARG...]
#
#   --sizes     numbers of vertices [1000,2500,5000,7500,10000, or without a GPU
#               200,500,1000,1500]; 1000:5000:500 is a range START:STOP:STEP (also
#               --n). "" measures nothing, but collects and prints the results
#               that DIR holds
#   --kernels   kernels to measure [ref,apsp] (./apsp --list-kernels names all;
#               also --kernel)
#   --out       DIR, the folder of results [sweep/ beside this script].
#               DIR/points/ gets one file for each size and kernel, DIR/sweep.csv
#               the rows of all files, DIR/sweep.svg and .png the picture
#   --again     measure these sizes and kernels anew, and replace what DIR holds
#   -- ARG...   arguments for ./apsp, such as --family, --reps or --device
#
# The script does not repeat a measurement that is in DIR/points already, if the
# build and the options are the same. Therefore an interrupted sweep continues
# if you run it again. Points that another process is measuring are left to it.
# SIGINT and SIGTERM abandon only the current point, and print the others; a
# second signal does not wait until ./apsp ends. The environment variable APSP
# names another ./apsp.
#
# Exit codes: 0 all points of this sweep, or with --sizes "" of DIR, are there and
# right; 1 some are missing or wrong, and their names are printed; 2 wrong usage;
# 6 DIR cannot be written; 130 or 143 interrupted; 75 interrupted in a Slurm job.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
apsp=${APSP:-$root/apsp}
kernels=ref,apsp
out=$root/sweep
again=()

# shellcheck source=scripts/sizes.sh
source "$root/scripts/sizes.sh"

usage() { echo "run.sh: $1 (./run.sh --help tells more)" >&2; exit 2; }

while (($#)); do
  case $1 in
    --) shift; break ;;
    --sizes=* | --n=* | --kernels=* | --kernel=* | --out=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    --sizes | --n | --kernels | --kernel | --out)
      (($# > 1)) || usage "$1 needs a value"
      case $1 in --sizes | --n) sizes=$2 ;; --out) out=$2 ;; *) kernels=$2 ;; esac
      shift 2 ;;
    --again) again=(--again); shift ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    *) usage "what is '$1'? Arguments for ./apsp go after --" ;;
  esac
done

points=$out/points failed='' wrong='' measuring='' solver='' interrupted=''
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

# Whether that folder can be written, or made.
writable() {
  local place=$1
  until [[ -e $place ]]; do place=$(dirname "$place"); done
  [[ -d $place && -w $place ]]
}
if ! writable "$out" || ! writable "$points"; then
  echo "run.sh: $out: cannot be written: write elsewhere, for example: ./run.sh --out /tmp/sweep" >&2
  exit 6
fi

[[ -x $apsp ]] || make -C "$root" -j"$(nproc)" apsp

if [[ ! -v sizes ]]; then
  # Only ./apsp can tell whether there is a GPU that it can use.
  if "$apsp" --n 1 --device gpu --quiet "$@" &> /dev/null; then
    sizes=1000,2500,5000,7500,10000
  else
    sizes=200,500,1000,1500
  fi
fi
[[ " $* " == *' --verify'* ]] || set -- --verify "$@"

sizes=$(with_commas "$sizes")
report=("$apsp" report "$points")
if [[ $sizes ]]; then
  # What an earlier sweep planned and did not measure is no matter of this one.
  report+=(--planned-since "$(date -u +%FT%TZ)")
  "$apsp" --n "$sizes" --kernel "$kernels" --record "$points" --plan "$@" || exit
fi

# Prints what was measured until a signal came, and ends.
stopped() {
  echo
  "${report[@]}" 2> /dev/null || true # it fails, because points are missing
  echo "run.sh: interrupted; the same command measures what is missing" >&2
  exit "$interrupted"
}

# Prints the points of a size, as find's further arguments choose them, as dots.
points_of() { find "$points" -maxdepth 1 -name "*-n$1-*.csv" "${@:2}" -printf .; }

measuring=yes
for n in $(sizes_of "$sizes"); do
  # bash runs a trap only between commands, therefore ./apsp runs in the background.
  "$apsp" --n "$n" --kernel "$kernels" --record "$points" --quiet "${again[@]}" "$@" & solver=$!
  [[ ! $interrupted ]] || kill "$solver"
  code=0
  wait "$solver" || code=$?
  while kill -0 "$solver" 2> /dev/null; do # a signal has ended `wait`, but ./apsp still runs
    wait "$solver" || code=$?
  done
  [[ ! $interrupted ]] || stopped
  case $code in
    0)
      if [[ $(points_of "$n" -newer "$points/.plan") ]]; then
        echo "n = $n: measured"
      elif [[ $(points_of "$n") ]]; then
        echo "n = $n: kept"
      else
        echo "n = $n: left to another process"
      fi ;;
    1) wrong+=" $n" ;;
    2) exit 2 ;; # wrong at every size
    75 | 130 | 143) interrupted=$code; stopped ;;
    *) failed+=" $n (exit $code)" ;;
  esac
done
trap - INT TERM

echo
code=0
"${report[@]}" --csv "$out/sweep.csv" || code=$?
((code <= 1)) || exit "$code"
echo
kept=''
[[ ! $sizes ]] || kept=$(find "$points" -maxdepth 1 -name '*.csv' ! -newer "$points/.plan" -printf .)
[[ ! $kept ]] || echo "Measured before this run: ${#kept} of these results (--again measures anew)"
echo "All numbers: $out/sweep.csv"

if said=$("$apsp" report "$out/sweep.csv" --plot "$out/sweep" 2>&1); then
  echo "Their picture: $out/sweep.svg"
else
  said=${said##*$'\n'}
  echo "No picture: ${said##*plot.py: }"
fi

if [[ $wrong ]]; then
  echo "run.sh: no right result at n =$wrong; the messages above say why" >&2
  code=1
fi
if [[ $failed ]]; then
  echo "run.sh: failed at n =$failed; run it again to measure only these" >&2
  code=1
fi
exit "$code"
