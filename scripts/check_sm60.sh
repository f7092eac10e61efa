#!/usr/bin/env bash
# Proves that the CUDA sources compile for sm_60 (Tesla P100), which nvcc 13 no longer targets.
#
#   scripts/check_sm60.sh [--front nvcc|clang|both] [FILE.cu ...]   default: nvcc, all there are
#
# nvcc:  the real nvcc 12.4, host and device, to an object file that holds the sm_60 cubin. Where it
#        cannot be fetched, clang takes over.
# clang: clang 19 as the CUDA front end on the same CUDA 12.4 headers and ptxas, cubin and host.
#
# The toolchain is fetched once into build/sm60 (or $SM60_CACHE); later runs are offline. nvcc comes
# out of Debian 13's package (Debian 12's is CUDA 11.8), ptxas, libdevice and headers of the same
# release out of NVIDIA's wheels. Nothing is installed on the machine, but clang-19 where it is
# wanted, missing, and we are root. NVCC_CCBIN names another host compiler (gcc 6 to 13).
# Exit: 0 all compile, 1 one does not, 2 usage, 77 skipped: the toolchain cannot be had here.
set -euo pipefail

readonly kNvccDeb='nvidia-cuda-toolkit=12.4.131*' kNvccSuite=trixie
readonly kWheels=(nvidia-cuda-nvcc-cu12==12.4.131 nvidia-cuda-runtime-cu12==12.4.127
  nvidia-cuda-cccl-cu12==12.4.127.post1)
readonly kFlags=(-std=c++17 -O3 -I. -Iinclude -Isrc/engine -Isrc/harness -Isrc/course
                 '-DAPSP_NCCL_LIBRARY="libnccl.so.2"')

say() { printf 'check_sm60: %s\n' "$*" >&2; }
skip() { say "skipped: $*"; exit 77; }
usage() { say "$*"; say 'usage: check_sm60.sh [--front nvcc|clang|both] [FILE.cu ...]'; exit 2; }

# A python3 that has pip: pyenv's and Debian's may both be there, and only one of them fit.
pip_python() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -m pip --version > /dev/null && { echo "$python"; return; }
  done
  python3 -m venv "$tmp/venv" > /dev/null && echo "$tmp/venv/bin/python3"
}

# The fetch_* functions run as conditions, where `set -e` is off: every step says `|| return`. What
# they print goes to a log, which tells why one failed.

# $root: ptxas, libdevice and headers. `pip download`, for Debian's Python refuses `pip install`.
fetch_wheels() {
  local python wheel tree=$tmp/cuda
  python=$(pip_python) || return
  "$python" -m pip download --quiet --disable-pip-version-check --retries 1 --timeout 30 --no-deps \
    --only-binary=:all: --dest "$tmp/wheels" "${kWheels[@]}" || return
  mkdir -p "$tree" || return
  for wheel in "$tmp"/wheels/*.whl; do
    "$python" -m zipfile -e "$wheel" "$tmp/unzipped" || return
  done
  cp -r "$tmp"/unzipped/nvidia/cuda_*/{bin,include,nvvm} "$tree" || return
  chmod +x "$tree/bin/ptxas" || return  # zipfile drops the mode
  rm -rf "$root" && mv "$tree" "$root"
}

# $root/bin/nvcc and the passes that it runs. The packages of another Debian release and section
# get lists of their own, so that apt's on this machine stay as they are; the mirror is its own.
fetch_nvcc() {
  local apt=$tmp/apt mirror
  mirror=$(apt-get --print-uris update | sed -n "s|^'\(.*/debian\)/dists/.*|\1|p") || return
  mirror=${mirror%%$'\n'*}
  [[ $mirror ]] || { echo 'no Debian mirror in the sources of apt'; return 1; }
  local options=(-q -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=
    -o APT::Update::Error-Mode=any)  # Sandbox: $apt is not open to the user _apt
  mkdir -p "$apt"/lists/partial "$apt"/cache/archives/partial || return
  local keys=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb [signed-by=$keys] $mirror $kNvccSuite non-free" > "$apt/sources.list" || return
  apt-get "${options[@]}" update || return
  (cd "$apt" && apt-get "${options[@]}" download "$kNvccDeb") || return
  dpkg-deb -x "$apt"/*.deb "$apt/tree" || return

  local lib=$apt/tree/usr/lib/nvidia-cuda-toolkit
  mkdir -p "$root/nvvm/bin" || return
  cp "$lib/bin/cicc" "$root/nvvm/bin" || return
  cp "$apt"/tree/usr/bin/{cudafe++,fatbinary} "$root/bin" || return
  cat > "$root/bin/nvcc.profile" << 'END' || return
TOP = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES += "-I$(TOP)/include"
END
  mv "$lib/bin/nvcc" "$root/bin/nvcc"  # last: it says that all of them are there
}

fetch_clang() {
  local options=(-q -o DPkg::Lock::Timeout=300)
  ((EUID == 0)) || { echo 'not root'; return 1; }
  apt-get "${options[@]}" update || return
  DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install -y --no-install-recommends clang-19
}

# Compiles one file; everything that the compilers print goes to standard output.
compile() {  # front, file, stem of the outputs
  if [[ $1 == nvcc ]]; then
    "$root/bin/nvcc" "${kFlags[@]}" --expt-relaxed-constexpr -arch=sm_60 -Xptxas=-v \
      -Xcompiler=-Wall,-Wextra -c "$2" -o "$3.o" 2>&1
  else
    # Two passes: the bundling of cubin and host object wants `fatbinary`, which no wheel holds.
    local flags=("${kFlags[@]}" -x cuda --cuda-path="$root" --cuda-gpu-arch=sm_60 -c
      -Wall -Wextra -Wno-unknown-cuda-version)
    clang++-19 "${flags[@]}" --cuda-device-only -Xcuda-ptxas -v "$2" -o "$3.cubin" 2>&1 &&
      clang++-19 "${flags[@]}" --cuda-host-only "$2" -o "$3.o" 2>&1
  fi
}

# "kernels: 3, max 48 registers, …" out of what `ptxas -v` printed; fails where it printed nothing.
summarise() {  # log
  awk '
    / warning[ :#]/ { ++warnings }
    /^ptxas info/ { ran = 1 }
    /Compiling entry function/ { ++kernels; if (!/sm_60/) other = 1 }
    { for (i = 2; i <= NF; ++i) {
        if ($i == "registers," && $(i-1) > registers) registers = $(i-1)
        if ($i == "smem," && $(i-2) > shared) shared = $(i-2)
        if ($i == "spill") spilled += $(i-2) } }
    END {
      if (!ran || other) exit 1
      printf "kernels: %d, max %d registers, max %d B shared, %d B of spills, %d warnings\n",
        kernels, registers, shared, spilled, warnings }' "$1"
}

front=nvcc
while [[ ${1-} == -* ]]; do
  case $1 in
    --front) front=${2-}; shift 2 || usage '--front wants a value' ;;
    *) usage "unknown option $1" ;;
  esac
done
[[ $front =~ ^(nvcc|clang|both)$ ]] || usage "unknown front end '$front'"

files=()
for file; do files+=("$(realpath -- "$file")"); done
cd "$(dirname "$(realpath "$0")")/.."
shopt -s nullglob
((${#files[@]})) || files=(*.cu src/*/*/*.cu)
((${#files[@]})) || usage 'no .cu files'

cache=$(realpath -m -- "${SM60_CACHE:-build/sm60}")
root=$cache/cuda-12.4
mkdir -p "$cache/out"
exec 9> "$cache/lock" && flock 9  # one run at a time fetches, or writes out/
tmp=$(mktemp -d "$cache/tmp.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

[[ -x $root/bin/ptxas ]] || fetch_wheels &> "$cache/fetch_wheels.log" ||
  skip "CUDA 12.4 cannot be fetched ($cache/fetch_wheels.log)"
fronts=()
if [[ $front != clang ]]; then
  if [[ -x $root/bin/nvcc ]] || fetch_nvcc &> "$cache/fetch_nvcc.log"; then
    fronts+=(nvcc)
  else
    say "nvcc 12.4 cannot be fetched ($cache/fetch_nvcc.log): clang instead"
    front=clang
  fi
fi
if [[ $front != nvcc ]]; then
  if command -v clang++-19 > /dev/null || fetch_clang &> "$cache/fetch_clang.log"; then
    fronts+=(clang)
  else
    say "clang 19 cannot be installed ($cache/fetch_clang.log)"
  fi
fi
((${#fronts[@]})) || skip 'no CUDA front end that knows sm_60'

ptxas=$("$root/bin/ptxas" --version | sed -n 's/.* V//p')
demangle=$(command -v c++filt || echo cat)
status=0 summary=()
for front in "${fronts[@]}"; do
  case $front in
    nvcc) version=$("$root/bin/nvcc" --version | sed -n 's/.* V//p') ;;
    clang) version=$(clang++-19 -dumpversion) ;;
  esac
  for file in "${files[@]}"; do
    name=${file#"$PWD/"}
    stem=$cache/out/$front.${name//\//_}
    rm -f "$stem".{o,cubin}
    printf -- '--- %s, sm_60, %s %s\n' "$name" "$front" "$version"
    mark='✗' text='does not compile'
    if compile "$front" "$name" "$stem" > "$stem.log" && [[ -s $stem.o ]]; then
      if text=$(summarise "$stem.log"); then mark='✓'; else text='ptxas did not run for sm_60'; fi
    fi
    [[ $mark == '✓' ]] || status=1
    "$demangle" < "$stem.log"
    summary+=("$mark $name  sm_60  $front $version, ptxas $ptxas  $text")
  done
done
printf '\n'
printf '%s\n' "${summary[@]}"
exit "$status"
