#!/usr/bin/env bash
# What Gradescope calls once, when it builds the image of the autograder: builds apsp from the
# source that lies beside this file in a folder apsp.
set -euo pipefail
cp -R "${AUTOGRADER:-/autograder}/source/apsp" /opt/apsp
cd /opt/apsp
scripts/install_deps.sh
make CUDA=no MPI=no apsp
