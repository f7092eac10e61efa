#!/usr/bin/env bash
# Runs the CPU solvers and all else that is parallel on the host under ThreadSanitizer; `make races` calls it.
#
#   tests/races.sh APSP CALLERS    the program and tests/support/callers.cpp, which calls the library from several
#                                  threads, built with -fsanitize=thread by clang
#
# ThreadSanitizer knows C++'s own threads, with which the CPU solver runs. Archer tells it of OpenMP's barriers; without
# Archer every OpenMP loop would look like a race, so it must be there. libomp's own code is not checked. Exit codes:
# 0 no race, 66 a race, 1 no Archer or wrong distances.
set -euo pipefail
apsp=$1 callers=$2
# At its end a program waits for races of threads that still run, by default for a second.
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:atexit_sleep_ms=100 OMP_NUM_THREADS=4
cpu="--device cpu --kernel ref,apsp --warmup 0 --reps 2"

tools=$(OMP_TOOL_VERBOSE_INIT=stdout "$apsp" --n 10 $cpu)
grep -q 'libarcher.so\.\.\. Success' <<< "$tools" || { echo "libomp has no Archer: $tools"; exit 1; }

matrix() { # a dense file of real weights by columns, several tiles of 32 wide
  awk 'BEGIN { print "%%MatrixMarket matrix array real general\n" "150 150"
               for (i = 0; i < 150 * 150; ++i) print i * 7919 % 1009 / 8 }'
}
check() { echo "apsp $*"; "$apsp" "$@" > /dev/null; }
for graph in "--n 300" "--n 65 --family ring" "--n 300 --family sparse --undirected" "--n 300 --family grid --range 9"; do
  for type in i32 f32; do check $graph --dtype $type $cpu --verify; done
  check $graph $cpu --verify=dijkstra
done
matrix | check - --format mtx $cpu --verify
# Elimination in rounds, which is for graphs with few edges.
OMP_NUM_THREADS=6 check --n 4900 --family sparse --degree 2 --sources 0-99 --method sparse --device cpu --warmup 0 --reps 2 \
  --verify=dijkstra
# Equal weights, in batches of 64 searches and of 512.
check --n 600 --family sparse --range 1 --device cpu --method bfs --warmup 0 --reps 2 --verify
check --n 8300 --family sparse --range 1 --targets 0-99 --device cpu --method bfs --warmup 0 --reps 1 --verify=dijkstra
# Questions, which no kernel answers.
for question in "--limit 50000" "--nearest 5 --paths -o -" "--centrality betweenness,closeness -o -"; do
  check --n 600 --family sparse --device cpu $question
done
check --n 600 --family ring --device cpu --farthest

# Progress, asked for by a signal and at a terminal.
echo "apsp --n 600, SIGUSR1 and a terminal"
trap '' USR1 # the program inherits it: a signal that comes before its handler does no harm
"$apsp" --n 600 $cpu > /dev/null 2>&1 &
while kill -USR1 $! 2> /dev/null; do sleep 0.05; done
wait $!
TERM=xterm script -qec "'$apsp' --n 600 --device cpu --reps 3 --warmup 0 --kernel ref" /dev/null > /dev/null
matrix | check info - --format mtx

echo "threads that call the library"
"$callers"
