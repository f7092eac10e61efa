"""Answers that are smaller than all distances, as a user asks for them: `python3 tests/queries_test.py`. Each is compared
with plain loops in this file.
"""
import array
import csv
import itertools
import os
import random
import subprocess
import unittest
import zipfile

from harness import APSP, Case, Suite, needs_gpu, table

SCIPY = 'import scipy.sparse, sys; m = scipy.sparse.load_npz(sys.argv[1]).tocoo(); print(m.shape, *zip(m.row, m.col, m.data))'
GRAPH = "0 1 3\n1 2 4\n0 2 9\n2 0 1\n3 0 2\n"  # 4 vertices; nothing leads to 3
ANN = "Ann Bob 3\nBob Carl 4\n"


def random_graph(n, edges, heaviest, seed, least=0):
    draw = random.Random(seed)
    lightest = {}
    for _ in range(edges):
        u, v, w = draw.randrange(n), draw.randrange(n), draw.randint(least, heaviest)
        if u != v:
            lightest[u, v] = min(w, lightest.get((u, v), w))
    return lightest


def text_of(graph):
    return "".join(f"{u} {v} {w}\n" for (u, v), w in graph.items())


def all_distances(n, graph):
    d = [[0 if i == j else graph.get((i, j)) for j in range(n)] for i in range(n)]
    for k, i, j in itertools.product(range(n), repeat=3):
        if d[i][k] is not None and d[k][j] is not None and (d[i][j] is None or d[i][k] + d[k][j] < d[i][j]):
            d[i][j] = d[i][k] + d[k][j]
    return d


def lines(path, separator="\t"):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter=separator))


class Questions(Suite):
    N = 60

    def setUp(self):
        super().setUp()
        self.graph = random_graph(self.N, 240, 20, 5, least=1)
        self.put("g.el", text_of(self.graph))
        self.distances = all_distances(self.N, self.graph)
        self.options = f"g.el --vertices {self.N} --quiet"

    def right(self, limit=None, sources=None, targets=None):
        return {(u, v): d for u in sources or range(self.N) for v in targets or range(self.N)
                if u != v and (d := self.distances[u][v]) is not None and (limit is None or d <= limit)}

    def test_limit_in_each_format(self):
        for limit in ("0", "7", "12.5", "1e6", "inf"):
            for name in ("d.tsv", "d.mtx"):
                (self.dir / name).unlink(missing_ok=True)
            expected = self.right(float(limit))
            self.apsp(f"{self.options} --limit {limit} -o d.tsv", left="d.tsv")
            got = {(int(r["from"]), int(r["to"])): int(r["distance"]) for r in lines(self.dir / "d.tsv")}
            self.assertEqual(got, expected)
            self.apsp(f"{self.options} --limit {limit} -o d.mtx", left="d.mtx")
            head, shape, *entries = (self.dir / "d.mtx").read_text().splitlines()
            self.assertEqual(head, "%%MatrixMarket matrix coordinate integer general")
            self.assertEqual(shape.split(), [str(self.N), str(self.N), str(len(expected))])
            self.assertEqual({(int(i) - 1, int(j) - 1): int(d) for i, j, d in map(str.split, entries)}, expected)

    @needs_gpu
    def test_limit_on_the_gpu(self):
        for weights, limit, some in itertools.product(
                ("i32", "f32", "i64", "f64"), ("7", "inf"), ("", "--targets 9,1,8", "--sources 0-30 --targets 3,5")):
            found = [self.apsp(f"g.el --vertices {self.N} --dtype {weights} --limit {limit} {some} -o - --device {device}")
                     for device in ("cpu", "gpu")]
            self.assertEqual(*found, (weights, limit, some))
        self.apsp("g.el --limit 12 --device gpu", out=r"ms, on the GPU\n")
        self.assertNotIn("GPU", self.apsp("g.el --limit 12"), "the graph is so small that nobody looks for one")

    def test_archive_has_ascending_columns(self):
        for question, expected in (("--limit 12", lambda u: self.near(u, limit=12)), ("--nearest 4", lambda u: self.near(u)[:4])):
            self.apsp(f"{self.options} {question} -o d.npz", left="d.npz")
            with zipfile.ZipFile(self.dir / "d.npz") as archive:
                starts, columns, distances = (array.array("i", archive.read(f"{name}.npy")[-4 * count:]) for name, count in (
                    ("indptr", self.N + 1), *((name, sum(len(expected(u)) for u in range(self.N))) for name in ("indices", "data"))))
            for u in range(self.N):
                row = slice(starts[u], starts[u + 1])
                self.assertEqual(list(zip(columns[row], distances[row])), sorted((v, d) for d, v in expected(u)))

    def near(self, source, limit=None):
        return sorted((d, v) for (_, v), d in self.right(limit, [source]).items())

    def test_scipy_reads_the_matrix(self):
        self.apsp(f"{self.options} --limit 9 --sources 4,2 --targets 9,1,8 -o d.npz", left="d.npz")
        run = subprocess.run(["/usr/bin/python3", "-c", SCIPY, self.dir / "d.npz"], capture_output=True, text=True)
        if "ModuleNotFoundError" in run.stderr:
            self.skipTest("there is no SciPy")
        expected = [(i, j, d) for (i, u), (j, v) in itertools.product(enumerate((4, 2)), enumerate((9, 1, 8)))
                    if (d := self.distances[u][v]) is not None and d <= 9 and u != v]
        self.assertEqual(run.stdout.split("\n")[0], " ".join(map(str, [(2, 3), *expected])).replace("'", ""))

    def test_nearest_with_paths(self):
        targets = [3, 50, 7, 21, 8]
        for k in (0, 1, 3, 5):
            self.apsp(f"{self.options} --nearest {k} --targets 3,50,7,21,8 --paths -o d.csv", left="d.csv")
            got = [(int(r["from"]), int(r["to"]), int(r["distance"])) for r in lines(self.dir / "d.csv", ",")]
            expected = []
            for u in range(self.N):
                near = sorted((d, j) for j, v in enumerate(targets) if v != u and (d := self.distances[u][v]) is not None)
                expected += [(u, targets[j], d) for d, j in near[:k]]
            self.assertEqual(got, expected)
            for row in lines(self.dir / "d.csv", ","):
                path = list(map(int, row["path"].split()))
                self.assertEqual([path[0], path[-1]], [int(row["from"]), int(row["to"])])
                self.assertEqual(sum(self.graph[edge] for edge in zip(path, path[1:])), int(row["distance"]))

    def test_nearest_with_paths_of_reals(self):
        self.put("r.el", "".join(f"{u} {v} {w / 10 + 0.01}\n" for (u, v), w in self.graph.items()))
        self.apsp(f"r.el --vertices {self.N} --quiet --nearest 1 --targets 9,33 --paths -o d.tsv", left="d.tsv")
        for row in lines(self.dir / "d.tsv"):
            path = list(map(int, row["path"].split()))
            length = sum(self.graph[edge] / 10 + 0.01 for edge in zip(path, path[1:]))
            self.assertAlmostEqual(length, float(row["distance"]), places=9)

    def test_farthest(self):
        self.apsp(f"g.el --vertices {self.N} --farthest -o f.csv", left="f.csv", out=r"diameter  \d+, the largest distance where there is a path\n")
        eccentricities = [max((d for d in row if d), default=0) for row in self.distances]
        rows = lines(self.dir / "f.csv", ",")
        periphery = [int(r["vertex"]) for r in rows if r["part"] == "periphery"]
        self.assertEqual(periphery, [v for v in range(self.N) if eccentricities[v] == max(eccentricities)])
        center = {v: eccentricities[v] for v in range(self.N) if None not in self.distances[v]}
        self.assertEqual([int(r["vertex"]) for r in rows if r["part"] == "center"],
                         [v for v, e in center.items() if e == min(center.values())])
        for row in rows:
            self.assertEqual(self.distances[int(row["vertex"])][int(row["farthest"])], int(row["distance"]))

    def test_farthest_holds_few_rows(self):
        n = 20000  # a ring, whose vertices are all alike: bounds do not help
        for name, weight in (("equal", lambda v: 1), ("other", lambda v: 1 + v % 2)):
            self.put(f"{name}.el", "".join(f"{v} {(v + 1) % n} {weight(v)}\n{(v + 1) % n} {v} {weight(v)}\n" for v in range(n)))
            base = self.peak("--n 3 --device cpu --quiet".split())[2]
            code, said, peak = self.peak(f"{name}.el --farthest --threads 2 --quiet -o {name}.csv".split())
            self.assertEqual((code, said), (0, ""))
            self.assertLess(peak - base, 0.5 * 4 * n * n)
            self.assertEqual({int(row["distance"]) for row in lines(self.dir / f"{name}.csv", ",")}, {sum(map(weight, range(n))) // 2})
            self.assertEqual(len(lines(self.dir / f"{name}.csv", ",")), 2 * n)

    def test_centrality(self):
        d, count = self.distances, [[0] * self.N for _ in range(self.N)]
        for s in range(self.N):
            count[s][s] = 1
            for v in sorted((v for v in range(self.N) if d[s][v]), key=lambda v: d[s][v]):
                count[s][v] = sum(count[s][u] for (u, to), w in self.graph.items()
                                  if to == v and d[s][u] is not None and d[s][u] + w == d[s][v])
        def on(s, t, a, w, b):
            return None not in (d[s][a], d[b][t], d[s][t]) and d[s][a] + w + d[b][t] == d[s][t]
        pairs = list(itertools.permutations(range(self.N), 2))
        self.apsp(f"{self.options} --centrality betweenness -o b.csv", left="b.csv")
        for row in lines(self.dir / "b.csv", ","):
            v = int(row["vertex"])
            expected = sum(count[s][v] * count[v][t] / count[s][t] for s, t in pairs if v not in (s, t) and on(s, t, v, 0, v))
            self.assertAlmostEqual(float(row["betweenness"]), expected, places=8)
            self.assertAlmostEqual(float(row["normalized"]), expected / ((self.N - 1) * (self.N - 2)), places=10)
        self.apsp(f"{self.options} --centrality edge-betweenness -o e.csv", left="e.csv")
        found = {(int(r["from"]), int(r["to"])): float(r["betweenness"]) for r in lines(self.dir / "e.csv", ",")}
        self.assertEqual(set(found), set(self.graph))
        for (a, b), w in list(self.graph.items())[::9]:
            expected = sum(count[s][a] * count[b][t] / count[s][t] for s, t in pairs if on(s, t, a, w, b))
            self.assertAlmostEqual(found[a, b], expected, places=8)

    def test_closeness_and_harmonic_beside_betweenness(self):
        self.apsp(f"{self.options} --centrality harmonic,betweenness,closeness,harmonic -o c.csv", left="c.csv")
        self.apsp(f"{self.options} --centrality betweenness -o b.csv", left="b.csv")
        self.apsp(f"{self.options} --device cpu --summary s.csv", left="s.csv")
        found = lines(self.dir / "c.csv", ",")
        self.assertEqual(list(found[0]), ["vertex", "harmonic", "betweenness", "normalized", "closeness"])
        for row, alone, summary in itertools.zip_longest(found, lines(self.dir / "b.csv", ","), lines(self.dir / "s.csv", ",")):
            self.assertEqual({key: row[key] for key in alone}, alone)
            self.assertEqual(row["closeness"], summary["networkx_closeness"])
            self.assertAlmostEqual(float(row["harmonic"]), float(summary["networkx_harmonic"]), places=9)
            v = int(row["vertex"])
            to = [d for u in range(self.N) if u != v and (d := self.distances[u][v]) is not None]
            self.assertAlmostEqual(float(row["closeness"]), len(to) / (self.N - 1) * len(to) / sum(to) if to else 0, places=12)
            self.assertAlmostEqual(float(row["harmonic"]), sum(1 / d for d in to), places=9)
        self.apsp(f"g.el --vertices {self.N} --centrality closeness -o c.csv", left="c.csv", out=r"solve     \S+ ms, all distances\n")
        self.assertEqual(list(lines(self.dir / "c.csv", ",")[0]), ["vertex", "closeness"])

    def test_a_sample_says_how_many(self):
        self.apsp(f"g.el --vertices {self.N} --centrality betweenness --samples 7 -o b.csv", left="b.csv", out="7 of 60 sources, directed")
        self.apsp(f"g.el --vertices {self.N} --centrality betweenness --error 0.5 -o b.csv", left="b.csv", out="15 of 60 sources")

    def test_an_undirected_pair_counts_once(self):
        self.put("u.el", "0 1 1\n1 0 1\n1 2 1\n2 1 1\n")
        for options, value, normalized in (("", "1", "1"), ("--directed", "2", "1")):
            self.apsp(f"u.el {options} --quiet --centrality betweenness -o b.csv", left="b.csv")
            self.assertEqual(lines(self.dir / "b.csv", ",")[1], {"vertex": "1", "betweenness": value, "normalized": normalized})


class Stream(Suite):
    def test_an_answer_comes_before_the_next_question(self):
        self.put("g.el", GRAPH)
        with subprocess.Popen([APSP, "path", "g.el", "--queries", "-"], cwd=self.dir, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as run:
            for pair, answer in (("0 2", "0\t2\t7\n"), ("2,1", "2\t1\t4\n"), ("1 3", "1\t3\tinf\n")):
                run.stdin.write(pair + "\n")
                run.stdin.flush()
                self.assertEqual(run.stdout.readline(), answer)
            run.stdin.close()
            self.assertEqual(run.wait(), 0)

    def test_a_road_is_climbed(self):
        side, draw = 30, random.Random(3)
        graph = {}
        for v in range(side * side):
            for u in ([v + 1] if v % side + 1 < side else []) + ([v + side] if v + side < side * side else []):
                graph[v, u], graph[u, v] = draw.randint(0, 9), draw.randint(0, 9)
        self.put("g.el", text_of(graph))
        out = {}
        for v in (0, 417, 899):
            distance, order = {v: 0}, [v]
            for u in order:  # a queue of what changed
                for w in (u - 1, u + 1, u - side, u + side):
                    if (u, w) in graph and distance[u] + graph[u, w] < distance.get(w, 10**9):
                        distance[w] = distance[u] + graph[u, w]
                        order.append(w)
            out[v] = distance
        pairs = [(u, v) for u in out for v in range(0, side * side, 7)]
        run = subprocess.run([APSP, "path", "g.el", "--queries", "-"], cwd=self.dir, capture_output=True, text=True,
                             input="".join(f"{u} {v}\n" for u, v in pairs))
        self.assertEqual(run.stdout.splitlines(), [f"{u}\t{v}\t{out[u][v]}" for u, v in pairs])
        run = subprocess.run([APSP, "path", "g.el", "--queries", "-", "--paths"], cwd=self.dir, capture_output=True, text=True,
                             input="".join(f"{u} {v}\n" for u, v in pairs))
        for (u, v), line in zip(pairs, run.stdout.splitlines(), strict=True):
            *ends, path = line.split("\t")
            self.assertEqual(ends, [str(u), str(v), str(out[u][v])])
            path = list(map(int, path.split()))
            self.assertEqual([path[0], path[-1]], [u, v])
            self.assertEqual(len(path), len(set(path)))
            self.assertEqual(sum(graph[edge] for edge in zip(path, path[1:])), out[u][v])


@table(
    Case("a limit on standard output", "g.el --limit 4 -o -", files={"g.el": GRAPH},
         out=r"\Afrom\tto\tdistance\n0\t1\t3\n1\t2\t4\n2\t0\t1\n2\t1\t4\n3\t0\t2\n\Z"),
    Case("names", "g.el --labels --nearest 1 --paths -o -", files={"g.el": ANN},
         out=r"\Afrom\tto\tdistance\tpath\nAnn\tBob\t3\tAnn Bob\nBob\tCarl\t4\tBob Carl\n\Z"),
    Case("what was found", "g.el --limit 4", files={"g.el": GRAPH}, out=r"found     5 distances, 31.2 % of all pairs\n"),
    Case("generated", "--n 50 --limit 10", out="found "),
    Case("a stream with errors", "path g.el --queries -", 3, files={"g.el": GRAPH}, stdin=b"0 2\n\n# x\nx 1\n1\n9 0\n2 0", err="-: 3 lines have no answer, the first is line 4",
         out=r"\A0\t2\t7\nerror\tline 4: vertex 'x'.*\nerror\tline 5: expected FROM TO.*\nerror\tline 6: vertex '9'.*\n2\t0\t1\n\Z"),
    Case("a stream with names and paths", "path g.el --labels --queries q --paths", files={"g.el": ANN, "q": "Ann\tCarl\r\nBob Ann\n"},
         out=r"\AAnn\tCarl\t7\tAnn Bob Carl\nBob\tAnn\tinf\n\Z"),
    Case("distances beyond int32", "path g.el --queries -", files={"g.el": "0 1 1000000000\n1 2 1000000000\n"}, stdin=b"0 2\n",
         out=r"\A0\t2\t2000000000\n\Z"),
)
class Commands(Suite):
    pass


if __name__ == "__main__":
    unittest.main()
