"""The order of elimination that --order keeps in a file: `python3 tests/order_test.py`. The tests are in the order of the
promises: a second run need not find it, other weights may use it, another graph may not, and no order changes a distance.
"""
import json
import random
import subprocess
import unittest

from harness import APSP, CPU, Suite, npy

SIDE = 12
N = SIDE * SIDE
FIRST = "apsp order of elimination, version 1\n"


def grid(seed, heaviest=50):
    """A grid with streets in both directions, as an edge list."""
    draw = random.Random(seed)
    joined = [(v, v + step) for v in range(N) for step in (1, SIDE) if (v + 1) % SIDE or step > 1 if v + step < N]
    return "".join(f"{a} {b} {draw.randint(1, heaviest)}\n{b} {a} {draw.randint(1, heaviest)}\n" for a, b in joined)


class Orders(Suite):
    def setUp(self):
        super().setUp()
        self.put("g.el", grid(1))

    def solved(self, options, graph="g.el", name="d.tsv", **expected):
        """The distances, as text."""
        self.apsp(f"{graph} {CPU} --vertices {N} -o {name} --force {options}", left=None, **expected)
        return (self.dir / name).read_text()

    def order(self):
        return (self.dir / "g.order").read_text().splitlines()

    def test_is_found_once_and_read_afterwards(self):
        right = self.solved("--method dense")
        self.assertEqual(right, self.solved("--order g.order", out="was found, and written to g.order"))
        lines = self.order()
        self.assertEqual(FIRST, lines[0] + "\n")
        self.assertEqual(list(range(N)), sorted(int(line) for line in lines[2:]))
        self.assertEqual(right, self.solved("--order g.order", out="was read from g.order"))
        self.assertEqual(lines, self.order())

    def test_serves_other_weights_directions_and_types(self):
        self.solved("--order g.order")
        self.put("other.el", grid(2, 10 ** 6))
        self.put("reals.el", "".join(f"{line}.25\n" for line in grid(3).splitlines()))
        self.put("turned.el", "".join("{1} {0} {2}\n".format(*line.split()) for line in grid(4).splitlines()))
        for graph in ("other.el", "reals.el", "turned.el"):
            for options in ("", "--dtype f32", "--negative", "--sources 3,7,100 --targets 0-9"):
                with self.subTest(graph=graph, options=options):
                    if options.startswith("--dtype") and graph != "reals.el":
                        continue
                    right = self.solved(f"--method dense {options}", graph, "right.tsv")
                    self.assertEqual(right, self.solved(f"--order g.order {options}", graph, out="was read from"))

    def test_any_order_gives_the_same_distances(self):
        right = self.solved("--order g.order")
        head, vertices = self.order()[:2], self.order()[2:]
        for seed in range(5):
            random.Random(seed).shuffle(vertices)
            self.put("g.order", "\n".join(head + vertices) + "\n")
            self.assertEqual(right, self.solved("--order g.order --verify"))

    def test_the_record_says_so(self):
        self.apsp(f"g.el {CPU} --vertices {N} --order g.order --json r.json --verify", left=None)
        self.apsp(f"g.el {CPU} --vertices {N} --json s.json", left=None)
        given, own = (json.loads((self.dir / name).read_text())[0] for name in ("r.json", "s.json"))
        self.assertEqual(("given", "sparse", "sparse"), tuple(given[key] for key in ("order", "method", "solved_by")))
        self.assertFalse(own["order"])

    def test_of_a_generated_graph(self):
        for _ in range(2):
            self.apsp(f"--n 400 --family grid --seed 3 {CPU} --order g.order --verify", left=None, out=r"(?m)^apsp .* (bellman|ref)")
        self.apsp(f"--n 441 --family grid --seed 3 {CPU} --order g.order", code=3, err="an order for a graph with other edges")

    def test_another_graph_is_refused(self):
        self.solved("--order g.order")
        before = self.order()
        self.put("more.el", grid(1) + f"0 {N - 1} 5\n")
        self.apsp(f"more.el {CPU} --order g.order", code=3,
                  err="g.order: is an order for a graph with other edges: name another file, or remove this one")
        self.assertEqual(before, self.order())

    def test_what_is_no_order(self):
        self.solved("--order g.order")
        head, vertices = self.order()[:2], self.order()[2:]
        for text, error in (("0 1 2\n", "is no order of elimination"), ("", "is empty"),
                            ("\n".join(head), f"has 0 of {N} vertices: it was cut off"),
                            ("\n".join(head + vertices[:-1]), f"has {N - 1} of {N} vertices"),
                            ("\n".join(head + vertices[:-1] + vertices[:1]), "is there twice"),
                            ("\n".join(head + vertices + ["1"]), "is there twice"),
                            ("\n".join(head + vertices[:-1] + [str(N)]), f"{N}"), ("\n".join(head + ["-1"]), "-1"),
                            ("\n".join(head + ["x"]), "x")):
            with self.subTest(error=error):
                self.put("g.order", text)
                self.apsp(f"g.el {CPU} --vertices {N} --order g.order", code=3, err=f"g.order.*{error}")
                self.assertEqual(text, (self.dir / "g.order").read_text())

    def test_serves_a_stream_of_pairs(self):
        def answers(options=""):
            pairs = "".join(f"{u} {v}\n" for u in (0, 77, N - 1) for v in range(N))
            run = subprocess.run([APSP, *f"path g.el --vertices {N} --queries - {options}".split()], cwd=self.dir, capture_output=True,
                                 text=True, input=pairs)
            self.assertEqual(("", 0), (run.stderr, run.returncode))
            return run.stdout
        right = answers()
        self.assertEqual(3 * N, len(right.splitlines()))
        self.assertEqual(right, answers("--order g.order"))
        before = self.order()
        self.assertEqual(list(range(N)), sorted(map(int, before[2:])))
        self.assertEqual(right, answers("--order g.order"))
        self.put("g.order", "\n".join(before[:2] + before[:1:-1]) + "\n")  # backwards
        self.assertEqual(right, answers("--order g.order"))
        self.assertEqual(before[:1:-1], self.order()[2:], "it is read and left as it is")
        ends = [line.rsplit("\t", 1)[0] if line.count("\t") > 2 else line for line in answers("--order g.order --paths").splitlines()]
        self.assertEqual(right.splitlines(), ends)
        self.put("other.el", grid(1) + f"0 {N - 1} 5\n")
        self.apsp(f"path other.el --vertices {N} --queries - --order g.order", code=3, err="an order for a graph with other edges")

    def test_with_what_it_cannot_serve(self):
        self.put("g.npy", npy("<i4", "<4i", 0, 1, 1, 0))
        for options, error in (("g.npy --queries q", "this one is a matrix"), ("g.el 0 1", "--queries")):
            with self.subTest(options=options):
                self.apsp(f"path {options} --order g.order", code=2, err=error)
        self.apsp("path g.el --queries q --order -", code=2, err="--order is kept in a file: leave out standard output")
        for options, error in (("--method dense", "another --method"), ("--vary", "--vary"), ("--kernel ref", "--kernel"),
                               ("--record r", "--record")):
            with self.subTest(options=options):
                self.apsp(f"g.el {CPU} --order g.order {options}", code=2, err=error)
        self.apsp(f"--n 100,200 --family grid {CPU} --order g.order", code=2, err="further sizes")
        self.apsp(f"g.el {CPU} --order -", code=2, err="standard output")
        self.apsp(f"g.el {CPU} --order g.el", code=2, err="g.el")
        self.apsp(f"g.el {CPU} --order missing/g.order", code=6, err="missing")
        self.apsp(f"--n 50 --family uniform {CPU} --order g.order", code=2, err="this one is a matrix")


if __name__ == "__main__":
    unittest.main()
