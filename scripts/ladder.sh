#!/usr/bin/env bash
# The ladder on this GPU, whole: times every rung and every step of the reduction,
# verifies each result, profiles, draws the pictures and makes the page.
#
#   scripts/ladder.sh [-o DIR] [--page FILE]
#
#   -o          default: results/DEVICE (h100, ...). DIR gets ladder.csv and reduce.csv,
#               when all is measured and right, or not at all, profile.csv where the GPU's
#               counters may be read, and the pictures where there is matplotlib
#   --page      default: ladder/README.md, made of ladder/findings.md and of DIR
#
# APSP names another program than ./apsp, NCU another than ncu. Exit: 0 done, 1 a result
# was wrong, 2 usage, 3 the page lacks a number, otherwise as ./apsp or the script that
# stopped it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
profiled=(a1 a2 a3 a4 a5 a7 a8-2x2 a8-6x6 b1 c1 d1 d2 d3 d4 --n 10000) # what findings.md cites the profiles of
out='' page=$root/ladder/README.md

stop() { echo "ladder.sh: $2" >&2; exit "$1"; }

while (($#)); do
  case $1 in
    --page=*) set -- --page "${1#*=}" "${@:2}" ;;
    -o | --page)
      (($# > 1)) || stop 2 "$1 needs a value"
      case $1 in -o) out=$2 ;; *) page=$2 ;; esac
      shift 2 ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;;
    *) stop 2 "what is '$1'? (--help tells more)" ;;
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
  2 | 4) echo "ladder.sh: no profile (above): ${out}/profile.csv stays as it is" >&2 ;;
  *) exit "$code" ;;
esac

for file in ladder.csv reduce.csv profile.csv; do
  [[ -e $tmp/$file ]] || continue
  cp "$tmp/$file" "$out/.$file.new" # beside its target: the renaming is atomic
  mv "$out/.$file.new" "$out/$file"
  echo "$out/$file"
done

python=python3
python3 -c 'import matplotlib' 2> /dev/null || python=/usr/bin/python3 # the distribution's may have it
if "$python" -c 'import matplotlib' 2> /dev/null; then
  for name in ladder reduce; do "$python" "$root/scripts/plot.py" "$out/$name.csv" -o "$out/$name"; done
else
  echo "ladder.sh: no pictures: install matplotlib (scripts/install_deps.sh --plots), then run" >&2
  echo "  scripts/plot.py $out/ladder.csv -o $out/ladder; scripts/plot.py $out/reduce.csv -o $out/reduce" >&2
fi
"$root/scripts/ladder_page.py" --results "$out" --page "$page"
