#!/usr/bin/env bash
# Installs what ./apsp, its tests and benchmarks need and this machine lacks.
#
#   scripts/install_deps.sh [--plots] [--mpi] [--python] [--tests] [--clang] [--slurm]
#                           [--browser]
#
#   --plots    matplotlib and Jinja too, for --plot and --html
#   --mpi      Open MPI too, to solve on several ranks
#   --python   what pip needs to build the Python package
#   --tests    plots and MPI, and what else make test needs: SciPy, NetworkX, igraph,
#              pytest, bubblewrap, pkg-config and groff
#   --clang    clang too, for make fuzz and make races
#   --slurm    Slurm too, for make soak
#   --browser  Chromium too, for make soak
#
# As root with apt it installs; elsewhere it names the packages and exits 1. A
# library is there if the compiler finds its header, so modules and Spack count.
# CUDA is optional: make looks for nvcc itself, and says whether it found it.
# Exit: 0 nothing is missing (any more), 1 something is, 2 usage.
set -euo pipefail

# what to look for, and its package for apt, dnf and Spack
needs=(
  'g++ g++ gcc-c++ gcc'
  'make make make gmake'
  'cmake cmake cmake cmake'
  'ninja ninja-build ninja-build ninja'
  'git git git git'
  'python3 python3 python3 python'
  '<CLI/CLI.hpp> libcli11-dev cli11-devel cli11'
  '<fmt/format.h> libfmt-dev fmt-devel fmt'
  '<zlib.h> zlib1g-dev zlib-devel zlib'
  '<lzma.h> liblzma-dev xz-devel xz'
  '<bzlib.h> libbz2-dev bzip2-devel bzip2'
  '<zstd.h> libzstd-dev libzstd-devel zstd'
  '<zip.h> libzip-dev libzip-devel libzip'
  '<pugixml.hpp> libpugixml-dev pugixml-devel pugixml'
  '<suitesparse/amd.h> libsuitesparse-dev suitesparse-devel suite-sparse'
  '<openssl/evp.h> libssl-dev openssl-devel openssl'
  '<seccomp.h> libseccomp-dev libseccomp-devel libseccomp'
  '<nlohmann/json.hpp> nlohmann-json3-dev json-devel nlohmann-json'
  '<gtest/gtest.h> libgtest-dev gtest-devel googletest'
  '<benchmark/benchmark.h> libbenchmark-dev google-benchmark-devel benchmark'
)
pages=(
  'matplotlib,jinja2 python3-matplotlib python3-matplotlib py-matplotlib' # in one Python
  'matplotlib,jinja2 python3-jinja2 python3-jinja2 py-jinja2'
)
mpi=(
  'mpicxx libopenmpi-dev openmpi-devel openmpi'
  'mpirun openmpi-bin openmpi openmpi'
)
package=(
  'Python.h python3-dev python3-devel python'
  'ensurepip python3-venv python3 py-pip'
)
for option; do
  case $option in
    --plots) needs+=("${pages[@]}") ;;
    --mpi) needs+=("${mpi[@]}") ;;
    --python) needs+=("${package[@]}") ;;
    --clang) needs+=(
      'clang++ clang clang llvm'
      '-fsanitize=fuzzer-no-link,address libclang-rt-dev compiler-rt llvm'
      '-fopenmp libomp-dev libomp-devel llvm-openmp'
    ) ;;
    --slurm) needs+=(
      'slurmctld slurm-wlm slurm-slurmctld slurm'
      'slurmd slurm-wlm slurm-slurmd slurm'
      'munged munge munge munge'
    ) ;;
    --tests) needs+=(
      "${pages[@]}" "${mpi[@]}"
      'scipy python3-scipy python3-scipy py-scipy'
      'scipy,pytest python3-pytest python3-pytest py-pytest'
      'networkx,igraph python3-networkx python3-networkx py-networkx' # in one Python
      'networkx,igraph python3-igraph python3-igraph py-igraph'
      'bwrap bubblewrap bubblewrap bubblewrap'
      'pkg-config pkg-config pkgconf pkgconf'
      'groff groff-base groff-base groff'
    ) ;;
    --browser)
      # Spack has no Chromium. Ubuntu has it only as a snap, which does not run in a container.
      if command -v apt-get > /dev/null && [[ $(cat /etc/os-release 2>&1) != *$'\nID=ubuntu'* ]]; then
        needs+=('chromium chromium chromium chromium')
      fi ;;
    *)
      usage=$(sed -n '2,/^set/s/^# \{0,1\}//p' "$0")
      [[ $* == --help || $* == -h ]] && echo "$usage" && exit
      echo "$usage" >&2
      exit 2 ;;
  esac
done

have() {
  local cxx=${CXX:-g++} python
  case $1 in
    g++) command -v "$cxx" ;;
    # -E stops before the parser: 0.1 s for a header and all that it includes
    '<'*) "$cxx" -std=c++17 -E -x c++ - -o /dev/null <<< "#include $1" ;;
    -f*) clang++ "$1" -x c++ - -o /dev/null <<< 'int main() {}' ;; # its runtime library is there
    matplotlib,jinja2 | networkx,igraph | scipy | scipy,pytest) # the distribution's Python need not be the first in PATH
      for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" && return
      done
      return 1 ;;
    ensurepip) python3 -c 'import ensurepip, venv' ;;
    Python.h) python3 -c 'import sysconfig; open(sysconfig.get_path("include") + "/Python.h")' ;;
    *) command -v "$1" ;;
  esac &> /dev/null
}

find_missing() {
  local need what apt_name dnf_name spack_name
  apt=() dnf=() spack=()
  for need in "${needs[@]}"; do
    read -r what apt_name dnf_name spack_name <<< "$need"
    have "$what" && continue
    apt+=("$apt_name") dnf+=("$dnf_name")
    [[ " ${spack[*]} " == *" $spack_name "* ]] || spack+=("$spack_name")
  done
}

find_missing
if ((${#apt[@]} == 0)); then
  echo 'Nothing is missing.'
  exit 0
fi

if ((EUID != 0)) || ! command -v apt-get > /dev/null; then
  # `spack load` sets no CPATH: a view gives everything one include folder.
  view="\$HOME/apsp-deps"
  cat << EOF
Some packages are missing. Install them with one of
  sudo apt-get install -y ${apt[*]}
  sudo dnf install -y ${dnf[*]}
  spack install ${spack[*]} && spack view symlink $view ${spack[*]}
After the last one, also give
  export PATH=$view/bin:\$PATH CPATH=$view/include
  export LIBRARY_PATH=$view/lib:$view/lib64 LD_LIBRARY_PATH=$view/lib:$view/lib64
CUDA is optional: make looks for nvcc itself, and says whether it found it.
EOF
  exit 1
fi

echo "Installing ${apt[*]}."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y --no-install-recommends "${apt[@]}" &>> "$log"; }
# Most often the package lists are there already; an update takes its time.
install || { apt-get update &>> "$log" && install; } || {
  cat "$log" >&2
  exit 1
}
find_missing
if ((${#apt[@]})); then
  echo "Installed, but ${CXX:-g++} does not find it: ${apt[*]}" >&2
  exit 1
fi
