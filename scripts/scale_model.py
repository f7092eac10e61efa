#!/usr/bin/env python3
"""A model of src/engine/several/: how long a dense solve on several GPUs takes, by arithmetic.

  scripts/scale_model.py [--n N] [--tier int32|uint16] [--gpus G,G,...]    predicts
  scripts/scale_model.py --check FILE    compares every row of a scale.csv with its prediction

The ranks, one for each GPU, form a grid of P × Q (grid.h), and the solve has rounds of `depth` pivots (part_gpu.cu).
The model goes through all rounds on all ranks, as rounds.cpp does, and adds up seconds. On one rank, a round is

    arithmetic   =========== updates, and all that stands below ============= idle |
    ahead        next row, next column | close | row panel | column panel | send -> |

The rank begins the next round when both are done, and when it has the panels of other ranks.

Arithmetic. An update of a tile takes t = tile + depth · pivot seconds of one multiprocessor: the tile is loaded and
stored once, and takes all pivots in between. At the end of the round some multiprocessors idle, because the last
blocks of threads are not done: for half a block on the average. A block has up to four tiles (kernels.cu). Bands may
differ by a block of pivots; the others wait for the largest.

Ahead, the critical path. Closing a pivot of d vertices takes the longer of two times: d times that of one vertex, or
that of d³ relaxations on a quarter of the GPU. Each kernel waits until blocks of the rest have left, half a block on
the average, and the last blocks of a product run for another half. If all of this and the messages take less time
than the arithmetic, they are hidden. Otherwise the round is that much longer. Nothing hides them before the first
round.

Messages. A broadcast takes latency · log2(ranks) + bytes / bandwidth. Within one process the root sends a copy to
every other rank (channel.cu), so its bandwidth is divided among them. NCCL, which connects several nodes, passes a
message on from rank to rank. A group of ranks on several nodes has the bandwidth of the network.

Where the numbers come from. Nothing is fitted to a solve on more than one GPU.

    pivot, tile     two measurements on one GPU. The solver of apsp.cu takes 128 pivots for each load and store of a
                    tile: the rows of scale.csv with one rank, which are fitted by a · n³ + b · n², give
                    tile + 128 · pivot. `bench/rounds_bench` gives the seconds of four rounds with 2048 pivots:
                    results/h100/rounds.json. An H200 computes as fast as an H100 of the same clock
    one GPU         a · n³ + b · n² of the same fit. This is apsp.cu, not the distributed solver on one rank
    closing         results/h100/dense.csv: the smallest graph that tiles solve is bound by its critical path
    memory          the bandwidth of `copy` in results/h100/ceilings.json
    link, latency   seen on two H200s of one host: copies between them, and the shortest broadcasts
    network, node   an assumption: eight GPUs a node, and an adapter of 400 Gbit/s for each of them

What it leaves out: messages between the hosts' threads, starts of kernels, and what the first call of a process does
once, such as loading kernels and reserving memory. Predictions are therefore too short, by a few milliseconds in
16 bits and by some tens in a first call. It also leaves out links that several groups of ranks share, and the
multiprocessors that NCCL takes.

Exit: 0 done, 1 with --check: a run on several GPUs is off by more than 5 %, or sent other messages than the model,
2 usage, 3 a file cannot be used.
"""
import argparse
import dataclasses
import itertools
import math
import pathlib
import sys

from csv_files import read_benchmarks, read_csv, stop

ROOT = pathlib.Path(__file__).resolve().parent.parent
H100 = ROOT / "results/h100"
SCALE = ROOT / "results/h200/scale.csv"

LINK = 389e9      # bytes/s from GPU to GPU
LATENCY = 40e-6   # seconds; 0.25 MB took 47 µs, 6.4 MB took 36
NETWORK = 45e9    # bytes/s from node to node for each GPU; the adapter has 50
NODE = 8          # GPUs
LIMIT = 5         # percent that a prediction may be off
UP_TO_1024 = [2**i for i in range(11)]

IN_REGISTERS = 1024  # kRegistersTo: up to this n another kernel solves int32
TILE = 128        # kUnit
SQUARE_FROM = 17  # kSquareFrom
FEW_BLOCKS = 4    # kFewBlocks
MOST_PER_BLOCK, WAVES = 4, 8  # kMostPerBlock, kWaves
CLOSE_SHARE = 4   # kCloseShare
BENCH_ROUNDS = 4  # which rounds_bench times: three whole ones, and the last


@dataclasses.dataclass(frozen=True)
class Tier:
    """An arithmetic."""
    pack: int      # weights in a word
    resident: int  # blocks of threads on a multiprocessor
    around: int    # bytes for each weight that are read and written before and after the rounds


TIERS = {"int32": Tier(1, 1, 4),     # a look for missing edges
         "uint16": Tier(2, 2, 26)}   # that, two bounds, the copy to 16 bits and back, and a look for long distances


@dataclasses.dataclass(frozen=True)
class Rates:
    """Seconds of one tier on one GPU."""
    pivot: float   # of one multiprocessor, for a tile and one pivot
    tile: float    # of one multiprocessor, to load and store a tile
    vertex: float  # of the critical path, to close one vertex
    cube: float    # of apsp.cu: cube · n³ + square · n²
    square: float


@dataclasses.dataclass(frozen=True)
class Machine:
    processors: int
    memory: float
    rates: dict    # by tier
    link: float = LINK
    latency: float = LATENCY
    network: float = NETWORK
    node: int = NODE

    def broadcast(self, size, group, ranks):
        """Seconds of a message to a group among so many ranks, given by their numbers."""
        if len(group) == 1:
            return 0.0
        bandwidth = self.link
        if group[0] // self.node != group[-1] // self.node:
            bandwidth = self.network
        elif ranks <= self.node:
            bandwidth /= len(group) - 1
        return self.latency * math.log2(len(group)) + size / bandwidth


# ---- grid.h and part_gpu.cu

def ceil_div(a, b):
    return -(-a // b)


def default_grid(ranks):
    if ranks < SQUARE_FROM:
        return ranks, 1
    columns = max(q for q in range(1, math.isqrt(ranks) + 1) if ranks % q == 0)
    return ranks // columns, columns


def share_of(blocks, parts, i):
    return range(blocks * i // parts, blocks * (i + 1) // parts)


def depth_on_gpu(n, grid):
    """The pivots of a round."""
    wanted = 256 if n < 4000 else 512 if n < 8000 else 1024 if n < 30000 else 2048
    fair = n // (FEW_BLOCKS * max(grid)) // TILE * TILE
    best = min(max(fair, TILE), wanted)

    def largest(depth):
        return math.prod(min(n, ceil_div(ceil_div(n, depth), parts) * depth) for parts in grid)
    return min(range(best, ceil_div(best, 2) - 1, -TILE), key=largest)  # the first of equals


# ---- the rounds

class Rank:
    """A rank in a round. Seconds."""

    def __init__(self, begin):
        self.begin = begin
        self.ahead = begin  # when the work ahead is done
        self.work = 0.0     # of the whole GPU, also for the work ahead
        self.idle = 0.0     # at the end of the round
        self.block = 0.0    # how long a block of threads of the rest runs
        self.wait = 0.0     # of the next kernel ahead, for blocks of the rest to leave

    def run(self, seconds, alone=0.0):
        """A kernel ahead, whose last blocks run alone for a while. In the meantime the rest goes on."""
        self.ahead += self.wait + seconds + alone
        self.work += seconds
        self.wait = self.block / 2

    def end(self):
        return max(self.ahead, self.begin + self.work + self.idle)


class Solve:
    """A solve on a grid of ranks."""

    def __init__(self, n, grid, tier, machine):
        self.n, self.grid, self.machine = n, grid, machine
        self.tier, self.rates = TIERS[tier], machine.rates[tier]
        self.depth = depth_on_gpu(n, grid)
        self.blocks = ceil_div(n, self.depth)
        rows, columns = grid
        self.row_blocks = [share_of(self.blocks, rows, i) for i in range(rows)]
        self.column_blocks = [share_of(self.blocks, columns, j) for j in range(columns)]
        self.row_tiles = [self.tiles_in(blocks) for blocks in self.row_blocks]
        self.column_tiles = [self.tiles_in(blocks) for blocks in self.column_blocks]

    def tiles_in(self, blocks):
        vertices = min(self.n, blocks.stop * self.depth) - min(self.n, blocks.start * self.depth)
        return ceil_div(vertices, TILE)

    def tiles_of(self, k, blocks):
        """Tiles across block k, if it is in a band."""
        return self.tiles_in(range(k, k + 1)) if k in blocks else 0

    def pivots(self, k):
        return min(self.depth, self.n - k * self.depth)

    def update_seconds(self, k):
        """Of a tile, in round k."""
        return self.rates.tile + self.pivots(k) * self.rates.pivot

    # -- what is computed

    def multiply(self, rank, k, tiles):
        """Updates of tiles in round k, ahead."""
        seconds = self.update_seconds(k)
        if tiles > 0:
            rank.run(tiles * seconds / self.machine.processors, self.tier.resident * seconds / 2)

    def copy(self, rank, tiles, to_bytes):
        """Packs tiles; to_bytes: of a packed weight."""
        rank.run(tiles * TILE**2 * (4 / self.tier.pack + to_bytes) / self.machine.memory)

    def close(self, rank, k):
        d = self.pivots(k)
        work = self.rates.cube * d**3
        share = CLOSE_SHARE if rank.block > 0 else 1
        rank.run(work, max(0.0, d * self.rates.vertex - work, (share - 1) * work))

    def update(self, k, row, column, begin):
        """The updates of round k, on the rank at this row and column of the grid."""
        rows, columns = self.row_tiles[row], self.column_tiles[column]
        next_rows = self.tiles_of(k + 1, self.row_blocks[row])
        next_columns = self.tiles_of(k + 1, self.column_blocks[column])
        others = rows - self.tiles_of(k, self.row_blocks[row]) - next_rows
        rest, seconds = others * (columns - next_columns), self.update_seconds(k)
        rank = Rank(begin)
        if rest > 0:
            running = self.machine.processors * self.tier.resident
            per_block = min(max(rest // (running * WAVES), 1), MOST_PER_BLOCK)
            rank.block = per_block * seconds * self.tier.resident
            rank.idle = per_block * seconds / 2
            rank.work = rest * seconds / self.machine.processors
        self.multiply(rank, k, next_rows * columns)
        self.multiply(rank, k, others * next_columns)
        return rank

    # -- what is sent

    def panel_bytes(self, tiles, words):
        """Of a panel of so many lines of tiles, which have so many words; each tile has a flag."""
        return tiles * (self.depth // TILE) * (words + 1) * 4

    def pivot_bytes(self):
        return self.panel_bytes(self.depth // TILE, TILE**2)

    def row_panel_bytes(self, column):
        return self.panel_bytes(self.column_tiles[column], TILE**2 // self.tier.pack)

    def column_panel_bytes(self, row):
        return self.panel_bytes(self.row_tiles[row], TILE**2)

    def message_bytes(self):
        """Of all messages, counted on every rank that sends or receives one."""
        rows, columns = self.grid
        down = rows * sum(map(self.row_panel_bytes, range(columns))) if rows > 1 else 0
        across = columns * (self.pivot_bytes() + sum(map(self.column_panel_bytes, range(rows)))) if columns > 1 else 0
        return self.blocks * (down + across)

    def send_along(self, row, size):
        rows, columns = self.grid
        return self.machine.broadcast(size, range(row * columns, (row + 1) * columns), rows * columns)

    def send_down(self, column, size):
        rows, columns = self.grid
        return self.machine.broadcast(size, range(column, rows * columns, columns), rows * columns)

    # -- when

    def start(self, k, ranks):
        """The panels of round k: returns when each rank has them."""
        rows, columns = self.grid
        row = next(i for i in range(rows) if k in self.row_blocks[i])
        column = next(j for j in range(columns) if k in self.column_blocks[j])
        owner = ranks[row, column]
        self.close(owner, k)
        self.copy(owner, (self.depth // TILE)**2, 4)
        closed = owner.ahead + self.send_along(row, self.pivot_bytes())
        for j, tiles in enumerate(self.column_tiles):
            rank, tiles = ranks[row, j], tiles * self.tiles_of(k, self.row_blocks[row])
            rank.ahead = max(rank.ahead, closed)
            self.copy(rank, tiles, 4 / self.tier.pack)
            self.multiply(rank, k, tiles)
        for i, tiles in enumerate(self.row_tiles):
            self.copy(ranks[i, column], tiles * self.tiles_of(k, self.column_blocks[column]), 4)
        down = [ranks[row, j].ahead + self.send_down(j, self.row_panel_bytes(j)) for j in range(columns)]
        along = [self.send_along(i, self.column_panel_bytes(i)) for i in range(rows)]
        return {(i, j): max(down[j], ranks[i, column].ahead) + along[i] for i, j in ranks}

    def rounds(self, first=0):
        """Seconds of the rounds from the first one on."""
        ranks = {at: Rank(0.0) for at in itertools.product(*map(range, self.grid))}
        for k in range(first, self.blocks):
            arrived = self.start(k, ranks)
            ranks = {at: self.update(k, *at, max(rank.end(), arrived[at])) for at, rank in ranks.items()}
        return max(rank.end() for rank in ranks.values())

    def around(self):
        """Seconds before the first round and after the last one."""
        weights = max(self.row_tiles) * max(self.column_tiles) * TILE**2
        return weights * self.tier.around / self.machine.memory


def padded(n):
    return ceil_div(n, TILE) * TILE


def one_gpu(n, rates):
    """Seconds of apsp.cu."""
    return rates.cube * padded(n)**3 + rates.square * padded(n)**2


def predict(n, ranks, tier, machine):
    """Seconds."""
    if ranks == 1:
        return one_gpu(n, machine.rates[tier])
    solve = Solve(n, default_grid(ranks), tier, machine)
    return solve.rounds() + solve.around()


# ---- what was measured

def runs_of(path):
    """The rows of a scale.csv that the model is about. The last of equal ones counts."""
    runs = {}
    for row in read_csv(path):
        if (row.get("device") == "gpu" and row.get("ranks") and row["kernel"] == "apsp" and row["solved_by"] == "dense"
                and row["tier"] in TIERS):
            runs[int(row["n"]), row["tier"], int(row["ranks"])] = row
    return [runs[key] for key in sorted(runs)] or stop(3, f"{path}: it has no dense solve of one or more GPUs")


def seconds_of(row):
    return float(row["median_ms"]) / 1000


def by_one_gpu(row):
    """Whether apsp.cu solved it. If a matrix streams through one GPU, its row has the times of a rank."""
    return row["ranks"] == "1" and row["rank_compute_ms"] == ""


def line_through(points):
    """(a, b) of the line a + b · x with the least squares; b = 0 for a single point."""
    xs, ys = zip(*points)
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((each - x)**2 for each in xs)
    b = sum((u - x) * (v - y) for u, v in points) / spread if spread > 0 else 0.0
    return y - b * x, b


def vertex_seconds(tier):
    """Of the smallest graph in dense.csv that was solved in this tier by tiles. Smaller ones stay in registers."""
    rows = [row for row in read_csv(H100 / "dense.csv") if row["kernel"] == "apsp" and row["tier"] == tier]
    rows = [row for row in rows if int(row["n"]) > IN_REGISTERS] or rows
    row = min(rows, key=lambda row: int(row["n"]))
    return seconds_of(row) / int(row["n"])


def rates_of(tier, runs, machine):
    """The rates of a tier, from runs on one GPU."""
    alone = [(padded(int(row["n"])), seconds_of(row)) for row in runs if row["tier"] == tier]
    cube, square = line_through([(1 / n, seconds / n**3) for n, seconds in alone])
    name, bench = next((name, each) for name, each in read_benchmarks(H100 / "rounds.json").items()
                       if name.startswith(f"in_core/{tier}/"))
    update = cube * TILE**3 * machine.processors  # seconds of a tile with 128 pivots
    pivot = update / TILE
    for _ in range(8):  # each step makes the difference to the benchmark about ten times smaller
        rates = Rates(pivot, update - TILE * pivot, vertex_seconds(tier), cube, square)
        solve = Solve(int(name.split("/")[2]), (1, 1), tier, dataclasses.replace(machine, rates={tier: rates}))
        pivot *= bench["real_time"] / 1000 / solve.rounds(solve.blocks - BENCH_ROUNDS)
    return rates


def machine_of(path, **links):
    """The machine that a scale.csv was measured on."""
    runs = runs_of(path)
    copy = read_benchmarks(H100 / "ceilings.json")["copy/manual_time"]["bytes_per_second"]
    machine = Machine(int(runs[0]["units"]), copy, {}, **links)
    alone = list(filter(by_one_gpu, runs))
    rates = {tier: rates_of(tier, alone, machine) for tier in {row["tier"] for row in alone}}
    for tier in {row["tier"] for row in runs} - rates.keys():
        stop(3, f"{path}: it has no row with one GPU and {tier}")
    return dataclasses.replace(machine, rates=rates)


@dataclasses.dataclass
class Comparison:
    """A row of a scale.csv and its prediction. Milliseconds."""
    row: dict
    predicted: float
    rounds: float           # predicted, 0 on one GPU
    right_messages: bool

    def measured(self):
        return seconds_of(self.row) * 1000

    def measured_rounds(self):
        """Of the rank that computed and waited longest."""
        both = zip(self.row["rank_compute_ms"].split(), self.row["rank_wait_ms"].split())
        return max(float(compute) + float(wait) for compute, wait in both)

    def several(self):
        return self.row["ranks"] != "1"

    def percent(self):
        """The prediction is so much longer."""
        return 100 * (self.predicted / self.measured() - 1)

    def trouble(self):
        """What is wrong with the prediction, if anything."""
        if not self.right_messages:
            return "other messages"
        return f"off by more than {LIMIT} %" if self.several() and abs(self.percent()) > LIMIT else ""

    def cells(self):
        rounds = [f"{self.measured_rounds():.1f}", f"{self.rounds:.1f}"] if self.several() else ["", ""]
        return [self.row["n"], self.row["tier"], self.row["ranks"], f"{self.measured():.1f}",
                f"{self.predicted:.1f}", f"{self.percent():+.1f}", *rounds]


HEADS = ["n", "arithmetic", "GPUs", "measured ms", "predicted ms", "error %",
         "rounds measured ms", "rounds predicted ms"]


def compare(row, machine):
    n, tier = int(row["n"]), row["tier"]
    solve = Solve(n, tuple(map(int, row["grid"].split("x"))), tier, machine)
    right_messages = int(row["message_bytes"]) == solve.message_bytes()
    if by_one_gpu(row):
        return Comparison(row, 1000 * one_gpu(n, machine.rates[tier]), 0, right_messages)
    rounds = solve.rounds()
    return Comparison(row, 1000 * (rounds + solve.around()), 1000 * rounds, right_messages)


def comparisons(path):
    """Of the rows of a scale.csv, but for matrices that stream through one GPU."""
    machine = machine_of(path)
    return [compare(row, machine) for row in runs_of(path) if by_one_gpu(row) or row["ranks"] != "1"]


# ---- commands

def show(rows):
    """Prints rows of text in columns."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(text.rjust(width) for text, width in zip(row, widths)).rstrip())


def check(path):
    rows = comparisons(path)
    show([[*HEADS, ""], *([*row.cells(), row.trouble()] for row in rows)])
    return 1 if any(row.trouble() for row in rows) else 0


def predictions(n, tier, gpus, machine):
    alone = predict(n, 1, tier, machine)
    rows = [["GPUs", "grid", "pivots", "rounds", "seconds", "times as fast", "% of that"]]
    for count in gpus:
        solve = Solve(n, default_grid(count), tier, machine)
        seconds = predict(n, count, tier, machine)
        rows.append([str(count), "{}x{}".format(*solve.grid), str(solve.depth), str(solve.blocks), f"{seconds:.4g}",
                     f"{alone / seconds:.2f}", f"{100 * alone / seconds / count:.1f}"])
    return rows


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def positives(text):
    return list(map(positive, text.split(",")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=positive, default=100000, help="vertices [%(default)s]")
    parser.add_argument("--tier", choices=TIERS, default="int32", help="the arithmetic [%(default)s]")
    parser.add_argument("--gpus", type=positives, default=UP_TO_1024, metavar="G,G,...",
                        help="numbers of GPUs [1,2,4 ... 1024]")
    parser.add_argument("--link", type=float, default=LINK / 1e9, metavar="GB/s",
                        help="from GPU to GPU in a node [%(default)g]")
    parser.add_argument("--network", type=float, default=NETWORK / 1e9, metavar="GB/s",
                        help="from node to node for each GPU [%(default)g]")
    parser.add_argument("--latency", type=float, default=LATENCY * 1e6, metavar="µs",
                        help="of a broadcast to one other rank [%(default)g]")
    parser.add_argument("--node", type=positive, default=NODE, metavar="G", help="GPUs in a node [%(default)s]")
    parser.add_argument("--check", type=pathlib.Path, metavar="FILE", help="a scale.csv (scripts/bench_scale.sh)")
    arguments = parser.parse_args()
    if arguments.check:
        return check(arguments.check)
    machine = machine_of(SCALE, link=arguments.link * 1e9, network=arguments.network * 1e9,
                         latency=arguments.latency * 1e-6, node=arguments.node)
    show(predictions(arguments.n, arguments.tier, arguments.gpus, machine))
    return 0


if __name__ == "__main__":
    sys.exit(main())
