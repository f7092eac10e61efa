"""Distances beside exact sums: `python3 tests/rational_test.py`. Small random graphs are solved in f64, f32 and i64
through the program, and by Floyd and Warshall's algorithm on Python's fractions, which round nothing. Whole numbers and
sums that fit are the same. Others are within the bound that docs/numbers.md proves. Another APSP_TEST_SEED draws others.
"""
import itertools
import math
import os
import random
import struct
import unittest
from fractions import Fraction

from harness import CPU, Suite, read_npy

SEED = os.environ.get("APSP_TEST_SEED") or "1"
GRAPHS = 40  # of each kind
LARGEST = 12  # vertices
ROUNDING = {"f32": Fraction(1, 2**24), "f64": Fraction(1, 2**53)}  # u of docs/numbers.md
DIGITS = {"f32": 24, "f64": 53}
LOWEST, HIGHEST = {"f32": -149, "f64": -1074}, {"f32": 127, "f64": 1023}  # exponents
NO_PATH = {"f32": math.inf, "f64": math.inf, "i64": 2**62 - 1}
WAYS = ("", "--method dense", "--method filtered", "--method sparse", "--kernel ref")


def exact_distances(n, edges):
    """Floyd and Warshall's algorithm on fractions; None where there is no path. edges: (u, v) → weight."""
    distance = [[Fraction(0) if u == v else None for v in range(n)] for u in range(n)]
    for (u, v), weight in edges.items():
        distance[u][v] = Fraction(weight)
    for k, u, v in itertools.product(range(n), repeat=3):
        first, second = distance[u][k], distance[k][v]
        if first is not None and second is not None and (distance[u][v] is None or first + second < distance[u][v]):
            distance[u][v] = first + second
    return distance


def bound(edges, dtype):
    """How far a sum along so many edges may be off, divided by it: by a rounding less."""
    error = max(0, edges - 1) * ROUNDING[dtype]
    return error / (1 - error)


def edges_of(distance, n, lightest, dtype):
    """The most edges above 0 of a path that may be behind a distance. lightest: the least weight above 0."""
    two = 2 * (n - 1) * ROUNDING[dtype]
    return min(n - 1, math.floor(distance * (1 + two / (1 - two))**2 / lightest))


def as_float32(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


class Rationals(Suite):
    what = "made by hand"  # the graph that is looked at

    def graphs(self, kind, weigh):
        """For each graph: a generator, the number of vertices, and its edges. weigh(draw) → a function that makes weights."""
        for number in range(GRAPHS):
            draw = random.Random(f"{SEED} {kind} {number}")
            n = draw.randint(2, LARGEST)
            pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
            some = draw.sample(pairs, draw.randint(1, len(pairs)) if number % 2 else min(len(pairs), 2 * n))
            weight = weigh(draw)
            self.what = f"{kind}, graph {number}, APSP_TEST_SEED={SEED}"
            yield draw, n, {pair: weight() for pair in some}

    def solved(self, draw, n, edges, dtype, more=""):
        """The distances that the program finds in a way that is drawn."""
        self.put("g.el", "".join(f"{u} {v} {weight!r}\n" for (u, v), weight in edges.items()))
        way = draw.choice(WAYS[:-1] if more else WAYS)
        if dtype != "f32" and "ref" not in way:
            way += draw.choice(("", " --precision 64"))  # otherwise it may be narrowed
        self.apsp(f"g.el {CPU} --dtype {dtype} --vertices {n} {way} {more} --quiet --force -o d.npy", left=None)
        return read_npy(self.dir / "d.npy")

    def expect_exact(self, draw, n, edges, dtype, more=""):
        found = self.solved(draw, n, edges, dtype, more)
        for got, right in zip(found, exact_distances(n, edges)):
            self.assertEqual([None if x == NO_PATH[dtype] else Fraction(x) for x in got], right, self.what)

    def test_whole_numbers(self):
        for most in (9, 2**31, (2**62 - 2) // (LARGEST - 1)):
            for draw, n, edges in self.graphs(f"whole {most}", lambda draw: lambda: draw.randint(0, most)):
                self.expect_exact(draw, n, edges, "i64")

    def test_whole_numbers_below_0(self):
        """Potentials make some weights negative, and no cycle."""
        for most in (50, 2**40):
            for draw, n, edges in self.graphs(f"negative {most}", lambda draw: lambda: draw.randint(0, most)):
                at = [draw.randint(0, most) for _ in range(n)]
                shifted = {(u, v): weight + at[u] - at[v] for (u, v), weight in edges.items()}
                self.expect_exact(draw, n, shifted, "i64", "--negative")

    def test_the_largest_sum(self):
        draw = random.Random(SEED)
        most = 2**62 - 2
        for first in (1, 2**31, most // 2, most - 1):
            self.expect_exact(draw, 3, {(0, 1): first, (1, 2): most - first}, "i64")
            self.put("g.el", f"0 1 {first}\n1 2 {most - first + 1}\n")
            self.apsp(f"g.el {CPU} --dtype i64 -o e.npy", 3, left=None, err="1 pair is .* the first pair 0 -> 2")

    def test_sums_that_fit(self):
        """Whole numbers times a power of two, whose sums have no more bits than the type: subnormal and huge ones, too."""
        for dtype, bits in DIGITS.items():
            def weigh(draw, bits=bits, dtype=dtype):
                most = 2**draw.randint(1, bits - 4)     # a path has less than 2⁴ edges
                lowest, highest = LOWEST[dtype], HIGHEST[dtype] - bits
                exponent = draw.choice((lowest, lowest + 1, 0, -1, highest, draw.randint(lowest, highest)))
                return lambda: math.ldexp(draw.randint(0, most), exponent)
            for draw, n, edges in self.graphs(f"dyadic {dtype}", weigh):
                self.expect_exact(draw, n, edges, dtype)

    def test_sums_that_are_rounded(self):
        """They are off by no more than is proved. Some are off, or the test would show nothing."""
        for dtype, bits in DIGITS.items():
            off = 0

            def weigh(draw, bits=bits, dtype=dtype):
                spread = draw.choice((0, 3, bits))  # weights of one size, and of very different ones
                def weight():
                    number = math.ldexp(draw.random(), draw.randint(-spread, spread))
                    return as_float32(number) if dtype == "f32" else number
                return weight
            for draw, n, edges in self.graphs(f"real {dtype}", weigh):
                lightest = min((Fraction(weight) for weight in edges.values() if weight > 0), default=1)
                for got, right in zip(self.solved(draw, n, edges, dtype), exact_distances(n, edges)):
                    for x, exact in zip(got, right):
                        if exact is None:
                            self.assertEqual(x, math.inf, self.what)
                            continue
                        most = bound(edges_of(exact, n, lightest, dtype), dtype)
                        self.assertLessEqual(abs(Fraction(x) - exact), most * exact, self.what)
                        off += Fraction(x) != exact
            self.assertGreater(off, 0)


if __name__ == "__main__":
    unittest.main()
