#!/usr/bin/env bash
# Measures the whole ladder on this GPU. It times and verifies every step of the course
# reports and of the reduction, profiles some of them, draws the pictures and writes the
# page with all tables.
#
#   scripts/ladder.sh [-o DIR] [--page FILE]
#
#   -o          the folder for the results. Default: results/DEVICE in the repository
#               (h100, ...). ladder.csv and reduce.csv are written after all results are
#               measured and right, profile.csv only if users may read the GPU's
#               counters, and the pictures only if Python has matplotlib
#   --page      the page, made from src/course/ladder/findings.md and DIR. Default:
#               src/course/ladder/README.md in the repository
#
# The variables APSP and NCU name the programs if they are not ./apsp and ncu. Exit:
# 0 done, 1 a result was wrong, 2 usage, 3 the results lack a number on the page,
# otherwise the exit code of ./apsp or of the script that failed.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
profiled=(a1 a2 a3 a4 a5 a7 a8-2x2 a8-6x6 b1 c1 d1 d2 d3 d4 --n 10000) # findings.md quotes their profiles
out='' page=$root/src/course/ladder/README.md

stop() { echo "ladder.sh: $2" >&2; exit "$1"; }

while (($#)); do
  case $1 in
    --page=*) set -- --page "${1#*=}" "${@:2}" ;;
    -o | --page)
      (($# > 1)) || stop 2 "$1 needs a value"
      case $1 in -o) out=$2 ;; *) page=$2 ;; esac
      shift 2 ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    *) stop 2 "unknown argument '$1' (--help lists them)" ;;
  esac
done

export APSP=${APSP:-$root/apsp}
[[ -x $APSP ]] || make -C "$root" -j"$(nproc)" apsp
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

short=$("$APSP" --n 1 --reps 1 --device gpu --json - | sed -n 's/^ *"device_short": "\(.*\)",$/\1/p') || exit
out=${out:-$root/results/$short}
mkdir -p "$out"

"$APSP" ladder --csv "$tmp/ladder.csv"
"$APSP" reduce --csv "$tmp/reduce.csv"
code=0
"$root/scripts/profile.sh" "${profiled[@]}" -o "$tmp/profile.csv" > /dev/null || code=$?
case $code in
  0) ;;
  2 | 4) echo "ladder.sh: no profile, for the reason above: ${out}/profile.csv is unchanged" >&2 ;;
  *) exit "$code" ;;
esac

for file in ladder.csv reduce.csv profile.csv; do
  [[ -e $tmp/$file ]] || continue
  cp "$tmp/$file" "$out/.$file.new" # beside its target, so that the renaming is atomic
  mv "$out/.$file.new" "$out/$file"
  echo "$out/$file"
done

python=python3
python3 -c 'import matplotlib' 2> /dev/null || python=/usr/bin/python3 # it may have matplotlib although the first Python in PATH has not
if "$python" -c 'import matplotlib' 2> /dev/null; then
  for name in ladder reduce; do "$python" "$root/scripts/plot.py" "$out/$name.csv" -o "$out/$name"; done
else
  echo "ladder.sh: no pictures, because there is no matplotlib: run scripts/install_deps.sh --plots, then" >&2
  echo "  scripts/plot.py $out/ladder.csv -o $out/ladder; scripts/plot.py $out/reduce.csv -o $out/reduce" >&2
fi
"$root/scripts/ladder_page.py" --results "$out" --page "$page"
