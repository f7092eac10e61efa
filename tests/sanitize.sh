#!/usr/bin/env bash
# The tests of the host code in a program under sanitizers; `make sanitize` calls it.
#
#   tests/sanitize.sh BUILD [K/N]    what was built so, for example build/nocuda-address-undefined; K/N: one of N shares
#                                    of the tests, K from 0 on
#
# Left to make test: what needs the memory's real size, submissions that crash by themselves, and what spends its time in
# the compiler, in hundreds of checks, or in the same code for one more instruction set, format, family or size.
set -f # these are patterns of tests, and not of files
left=(Submissions.* Sandbox.Is* Sandbox.Keeps* Compiler.* Building.* Check* Diagnosis/* Devices/* Seam.ASolverWithoutAMatrix*
  BySources.IsRightOnEveryFamily ByLevels.IsRightOnEveryFamily FilteredOnCpus.IsRightForEverySize* SparseRun.Streams*
  Simd/*/avx2 Table/*ByRows/bin)
GTEST_FILTER=-$(IFS=:; echo "${left[*]}") exec python3 "$(dirname "$0")/run.py" --unit "$1/tests/run" --apsp "$1/apsp" --share "${2:-0/1}" \
  --suites faults_test cli_test.CommandLine cli_test.Formats cli_test.CpuResults cli_test.RealWeights ranks_test.WithoutMpi
