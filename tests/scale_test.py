"""The model of scripts/scale_model.py: its arithmetic on machines where the answer is known by hand, its constants, and
its commands. The tables of docs/scale.md are here, too.
"""
import csv, math, re, sys, unittest

from harness import ROOT, Suite

sys.path.insert(0, str(ROOT / "scripts"))
import scale_model
from scale_model import Machine, Rates, Solve

MEASURED = ROOT / "results/h200/scale.csv"
TILE_BYTES = (128**2 + 1) * 4  # of a message: its words and a flag


def costs(pivot=0, vertex=0, cube=0):
    return {"int32": Rates(pivot, 0, vertex, cube, 0)}


def solve(n, grid, rates=costs(pivot=1), link=math.inf, latency=0, network=math.inf, node=8):
    """On GPUs of one multiprocessor, which takes a second to update a tile by a pivot; nothing else takes time."""
    return Solve(n, grid, "int32", Machine(1, math.inf, rates, link, latency, network, node))


class Arithmetic(unittest.TestCase):
    def test_one_rank(self):
        self.assertEqual(solve(128, (1, 1)).rounds(), 128 + 64)  # the row panel, and half a block of threads
        # Four rounds of 4 × 4 tiles; half a block for the first row panel and at the end of each round.
        self.assertEqual(solve(512, (1, 1)).rounds(), (4 * 16 + 5 / 2) * 128)

    def test_one_rank_sends_nothing(self):
        alone = solve(512, (1, 1), link=1, network=1, latency=1e6)
        self.assertEqual(alone.message_bytes(), 0)
        self.assertEqual(alone.rounds(), solve(512, (1, 1)).rounds())

    def test_ranks_share_the_work(self):
        tiles, depth, rounds = 160, 1024, 20
        alone = solve(20480, (1, 1)).rounds()
        work = tiles**2 * depth * rounds
        self.assertLess(work, alone)
        self.assertLess(alone, 1.001 * work)
        for grid in ((2, 1), (5, 1), (2, 2)):
            row_panel = 8 * tiles / grid[1] * depth  # before the first round, all others wait for it
            seconds = solve(20480, grid).rounds()
            self.assertLess(work / math.prod(grid), seconds)
            self.assertLess(seconds, 1.005 * work / math.prod(grid) + row_panel)

    def test_the_largest_band_decides(self):
        even, uneven = (solve(n, (2, 1), costs(pivot=1)) for n in (1024, 1024 + 128))
        self.assertEqual((even.row_tiles, uneven.row_tiles), ([4, 4], [4, 5]))
        self.assertLess(5 * 9 * 9 * 128, uneven.rounds())  # 9 rounds of 5 × 9 tiles

    def test_closing_is_bound_by_its_path_or_by_its_work(self):
        self.assertEqual(solve(128, (1, 1), costs(vertex=2, cube=1e-9)).rounds(), 2 * 128)
        self.assertEqual(solve(128, (1, 1), costs(vertex=1e-9, cube=2)).rounds(), 2 * 128**3)

    def test_a_slow_link_decides(self):
        panel = 8 * TILE_BYTES
        for links in ({"link": 10}, {"network": 10, "node": 1}):
            slow = solve(1024, (2, 1), costs(), latency=3, **links)
            self.assertEqual(slow.message_bytes(), 8 * 2 * panel)
            self.assertAlmostEqual(slow.rounds(), 8 * (3 + panel / 10))
        slow = solve(1024, (2, 1), costs(pivot=1e-6), network=10, node=1)
        self.assertAlmostEqual(slow.rounds() / (8 * panel / 10), 1, delta=1e-6)

    def test_a_fast_link_is_hidden(self):
        without, fast = (solve(2048, (2, 1), link=link).rounds() for link in (math.inf, 10 * TILE_BYTES))
        self.assertAlmostEqual(fast, without + 16 * 2 / 10)  # but for the first panel, of 16 × 2 tiles

    def test_a_grid_sends_along_rows_and_down_columns(self):
        square = solve(512, (2, 2), costs(), link=1)
        pivot, panel = TILE_BYTES, 2 * TILE_BYTES
        self.assertEqual(square.message_bytes(), 4 * 2 * (pivot + 2 * panel + 2 * panel))  # 4 rounds, 2 ranks each
        self.assertEqual(square.rounds(), 4 * (pivot + panel + panel))  # one after the other

    def test_broadcasts(self):
        machine = Machine(1, 1, {}, link=100, latency=1, network=10, node=4)
        self.assertEqual(machine.broadcast(300, range(1), 1), 0)
        self.assertEqual(machine.broadcast(300, range(4), 4), 2 + 3 * 3)     # one process: the root sends three copies
        self.assertEqual(machine.broadcast(300, range(4), 8), 2 + 3)         # several nodes: NCCL, here within a node
        self.assertEqual(machine.broadcast(300, range(0, 8, 2), 8), 2 + 30)  # between nodes

    def test_grids_and_depths(self):
        for ranks, grid in ((1, (1, 1)), (2, (2, 1)), (16, (16, 1)), (17, (17, 1)), (18, (6, 3)), (1024, (32, 32))):
            self.assertEqual(scale_model.default_grid(ranks), grid)
        for n, grid, depth in ((128, (1, 1), 128), (10000, (2, 1), 1024), (50000, (2, 1), 1792), (40000, (1, 1), 2048),
                               (20000, (32, 32), 128)):
            self.assertEqual(scale_model.depth_on_gpu(n, grid), depth)

    def test_the_constants_are_those_of_the_solver(self):
        folder = ROOT / "src/engine"
        files = "ranks/grid.h", "several/kernels.h", "several/kernels.cu", "several/part_gpu.cu"
        text = "".join((folder / name).read_text() for name in files)
        text += (ROOT / "bench/rounds_bench.cpp").read_text()
        values = dict(re.findall(r"constexpr int (\w+) = (\d+);", text))
        ours = {"kUnit": scale_model.TILE, "kSquareFrom": scale_model.SQUARE_FROM, "kFewBlocks": scale_model.FEW_BLOCKS,
                "kMostPerBlock": scale_model.MOST_PER_BLOCK, "kWaves": scale_model.WAVES,
                "kCloseShare": scale_model.CLOSE_SHARE, "kRounds": scale_model.BENCH_ROUNDS - 1}
        self.assertEqual({name: values[name] for name in ours}, {name: str(value) for name, value in ours.items()})


class Commands(Suite):
    def put_rows(self, change):
        """A copy of the measurements in which rows are changed or, with False, left out."""
        with open(MEASURED, newline="") as file:
            rows = [row for row in csv.DictReader(file) if change(row) is not False]
        with open(self.dir / "scale.csv", "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)

    def test_the_runs_on_two_gpus_are_predicted(self):
        printed = self.script("scale_model.py", f"--check {MEASURED}")
        self.assertRegex(printed, r"(?m)^ *50000 +int32 +2 +[\d.]+ +[\d.]+ +[-+][\d.]+ +[\d.]+ +[\d.]+$")
        self.assertNotIn("off by", printed)

    def planted(self, column, change):
        def plant(row):
            if (row["n"], row["tier"], row["ranks"]) == ("20000", "int32", "2"):
                row[column] = str(change(float(row[column])))
        return plant

    def test_a_wrong_time_is_found(self):
        for factor in (0.9, 1.1):
            self.put_rows(self.planted("median_ms", lambda ms: factor * ms))
            printed = self.script("scale_model.py", "--check scale.csv", 1)
            self.assertEqual(re.findall(r"(?m)^ *(\d+) +(\S+) +(\d) .*off by more than 5 %$", printed),
                             [("20000", "int32", "2")])

    def test_other_messages_are_found(self):
        self.put_rows(self.planted("message_bytes", lambda count: int(count) + 4))
        printed = self.script("scale_model.py", "--check scale.csv", 1)
        self.assertRegex(printed, r"(?m)^ *20000 +int32 +2 .*other messages$")

    def test_nothing_is_fitted_to_several_gpus(self):
        def twice_as_long(row):
            if row["ranks"] != "1":
                row["median_ms"] = str(2 * float(row["median_ms"]))
        self.put_rows(twice_as_long)
        self.assertEqual(scale_model.machine_of(self.dir / "scale.csv"), scale_model.machine_of(MEASURED))

    def test_the_last_of_equal_rows_counts(self):
        last = MEASURED.read_text().splitlines()[-1]
        milliseconds = last.split(",")[15]
        self.put("scale.csv", MEASURED.read_text() + last.replace(milliseconds, "7") + "\n")
        before, after = (scale_model.runs_of(path) for path in (MEASURED, self.dir / "scale.csv"))
        self.assertEqual(len(before), len(after))
        self.assertEqual([row["median_ms"] for row in after].count("7"), 1)

    def test_predictions(self):
        printed = self.script("scale_model.py", "--n 20000 --tier uint16 --gpus 1,2,18")
        self.assertEqual(re.findall(r"(?m)^ *(\d+) +(\d+x\d+) +\d+ +\d+ +[\d.]+ +[\d.]+ +[\d.]+$", printed),
                         [("1", "1x1"), ("2", "2x1"), ("18", "6x3")])
        self.assertEqual(len(self.script("scale_model.py", "").splitlines()), 12)

    def test_links_are_parameters(self):
        def seconds(options):
            return float(self.script("scale_model.py", f"--n 20000 --gpus 16 {options}").split()[-3])
        self.assertLess(2 * seconds(""), seconds("--network 10"))
        self.assertLess(seconds("--node 16 --link 9000"), seconds(""))
        self.assertLess(seconds("--latency 1"), seconds(""))

    def test_what_cannot_be_predicted(self):
        self.script("scale_model.py", "--gpus 0", 2, err="--gpus")
        self.script("scale_model.py", "--n many", 2, err="--n")
        self.script("scale_model.py", "--check nosuch.csv", 3, err="nosuch.csv: No such file")
        self.script("scale_model.py", f"--check {ROOT}/results/h100/sparse.csv", 3, err="no dense solve")
        self.put_rows(lambda row: row["ranks"] == "2")
        self.script("scale_model.py", "--check scale.csv", 3, err="no row with one GPU and (int32|uint16)")


class Tables(Suite):
    def tables(self, *files):
        """The tables of a page with these files, as lists of rows of cells."""
        self.put("page.md", "".join(f"<!-- table: {file} -->\n<!-- end -->\n" for file in files))
        self.script("readme_tables.py", "--readme page.md")
        text = (self.dir / "page.md").read_text()
        tables = re.findall(r"(?m)^\| .* \|\n\| -.*\|\n((?:\| .* \|\n)+)", text)
        return [[line.strip("| ").split(" | ") for line in table.splitlines()] for table in tables]

    def test_one_gpu_beside_several(self):
        gpus, = self.tables(f"{MEASURED}#gpus")
        for n, _, one, two, faster, verified in gpus:
            self.assertAlmostEqual(float(one) / float(two), float(faster), delta=0.01)
            self.assertEqual(verified, "yes")
        self.assertEqual([row[:2] for row in gpus[:3]], [["10000", "int32"], ["10000", "uint16"], ["20000", "int32"]])

    def test_model_and_forecast(self):
        model, forecast = self.tables(f"{MEASURED}#model", f"{MEASURED}#forecast")
        for _, _, gpus, measured, predicted, error, *_ in model:
            self.assertNotEqual(gpus, "1")
            self.assertAlmostEqual(100 * (float(predicted) / float(measured) - 1), float(error), delta=0.4)
        self.assertEqual([row[0] for row in forecast], [str(2**i) for i in range(11)])
        self.assertEqual(forecast[0][3::2], ["100.0"] * 4)

    def test_in_memory_and_streamed(self):
        rounds, = self.tables(ROOT / "results/h100/rounds.json")
        for _, _, there, _, streamed, _, longer in rounds:
            self.assertAlmostEqual(float(streamed) / float(there), float(longer), delta=0.01)

    def test_what_is_no_table(self):
        self.put("text.json", "no JSON")
        for file, message in ((f"{MEASURED}#wrong", "what is #wrong"), ("none.json", "none.json: No such file"),
                              ("text.json", "text.json: not a file of benchmarks")):
            self.put("page.md", f"<!-- table: {file} -->\n<!-- end -->\n")
            self.script("readme_tables.py", "--readme page.md", 3, err=message)


if __name__ == "__main__":
    unittest.main()
