#!/usr/bin/python3
"""Graphs of fifty structures, to see which method solves which one fastest.

  scripts/structures.py NAME N OUTPUT.npz [--weights int|real|equal] [--seed S]
  scripts/structures.py --list

Writes the matrix as SciPy stores it. Needs NumPy and SciPy.
"""
import argparse
import sys

import numpy as np


def both(tails, heads):
    """The edges in both directions."""
    return np.concatenate((tails, heads)), np.concatenate((heads, tails))


def steps(n, *widths):
    """From each vertex to those so much further on."""
    pairs = [(np.arange(n - width), np.arange(width, n)) for width in widths if width < n]
    return tuple(np.concatenate(side) for side in zip(*pairs)) if pairs else (np.array([], int),) * 2


def drawn(random, n, degree):
    return random.integers(0, n, n * degree), random.integers(0, n, n * degree)


def ascending(tails, heads):
    return np.minimum(tails, heads), np.maximum(tails, heads)


def renamed(random, n, edges):
    names = random.permutation(n)
    return names[edges[0]], names[edges[1]]


def mesh(sides, wraps=False):
    """A grid of any dimension."""
    places = np.arange(int(np.prod(sides))).reshape(sides)
    tails, heads = [], []
    for axis, side in enumerate(sides):
        step = np.roll(places, -1, axis)
        keep = slice(None) if wraps else slice(0, side - 1)
        tails.append(places.take(range(side)[keep], axis).ravel())
        heads.append(step.take(range(side)[keep], axis).ravel())
    return both(np.concatenate(tails), np.concatenate(heads))


def clique(vertices):
    tails, heads = np.meshgrid(vertices, vertices)
    return tails.ravel(), heads.ravel()


def joined(*parts):
    return tuple(np.concatenate(side) for side in zip(*parts))


def cliques(n, size):
    return joined(*(clique(np.arange(first, min(first + size, n))) for first in range(0, n, size)))


def ring_of_cliques(n, size):
    firsts = np.arange(0, n, size)
    return joined(cliques(n, size), both(firsts, np.roll(firsts, 1)))


def geometric(random, n, degree):
    from scipy.spatial import cKDTree
    pairs = cKDTree(random.random((n, 2))).query_pairs((degree / (np.pi * n)) ** 0.5, output_type="ndarray")
    return both(pairs[:, 0], pairs[:, 1])


def preferential(random, n, degree):
    heads = (np.repeat(np.arange(n), degree) * random.random(n * degree) ** 2).astype(int)
    return np.repeat(np.arange(n), degree), heads


def hubs(random, n, count):
    count = min(count, n // 3)
    others = np.arange(count, n)
    return joined(both(np.repeat(others, 3), random.integers(0, count, 3 * len(others))), clique(np.arange(count)))


def layered(random, n, layers, degree):
    width = max(1, n // layers)
    tails = np.repeat(np.arange(n - width), degree)
    heads = (tails // width + 1) * width + random.integers(0, width, len(tails))
    return tails[heads < n], heads[heads < n]


def bipartite(n):
    tails, heads = np.meshgrid(np.arange(n // 2), np.arange(n // 2, n))
    return both(tails.ravel(), heads.ravel())


def barbell(n):
    third = n // 3
    return joined(clique(np.arange(third)), both(*steps(n, 1)), clique(np.arange(n - third, n)))


def tree(random, n):
    return both(np.arange(1, n), (random.random(n - 1) * np.arange(1, n)).astype(int))


def bow_tie(random, n):
    third = n // 3
    core = moved(third, drawn(random, third, 5))
    into = random.integers(0, third, 3 * third), random.integers(third, 2 * third, 3 * third)
    out = random.integers(third, 2 * third, 3 * third), random.integers(2 * third, n, 3 * third)
    return joined(core, into, out)


def torn_mesh(random, n):
    side = int(n ** 0.5)
    tails, heads = mesh((side, side))
    keep = random.random(len(tails)) < 0.8
    return tails[keep], heads[keep]


def moved(by, edges):
    return edges[0] + by, edges[1] + by


def caterpillar(n, legs):
    """A path, and `legs` - 1 vertices at each of its vertices."""
    vertices = np.arange(1, n)
    return both(vertices, np.where(vertices % legs == 0, vertices - legs, vertices // legs * legs))


def side_of(n, dimensions):
    return max(1, round(n ** (1 / dimensions)))


def on_first(n, part, make):
    """A structure on a part of the vertices; no edge joins the others."""
    return make(max(2, int(n * part)))


STRUCTURES = {
    "dag": lambda r, n: ascending(*drawn(r, n, 5)),
    "dag renamed": lambda r, n: renamed(r, n, ascending(*drawn(r, n, 5))),
    "dag degree 50": lambda r, n: ascending(*drawn(r, n, 50)),
    "tournament without cycles": lambda r, n: np.triu_indices(n, 1),
    "layers": lambda r, n: layered(r, n, 30, 8),
    "few wide layers": lambda r, n: layered(r, n, 4, 8),
    "band 5": lambda r, n: both(*steps(n, 1, 2, 3, 4, 5)),
    "band 50": lambda r, n: both(*steps(n, *range(1, 51))),
    "band one way": lambda r, n: steps(n, 1, 2, 3, 4, 5),
    "band renamed": lambda r, n: renamed(r, n, both(*steps(n, 1, 2, 3, 4, 5))),
    "ring of 30-cliques": lambda r, n: ring_of_cliques(n, 30),
    "ring of 100-cliques": lambda r, n: ring_of_cliques(n, 100),
    "star of cliques": lambda r, n: joined(cliques(n, 30), both(np.zeros(n // 30, int), np.arange(n // 30) * 30)),
    "cliques apart": lambda r, n: cliques(n, 300),
    "complete bipartite": lambda r, n: bipartite(n),
    "bipartite degree 8": lambda r, n: both(r.integers(0, n // 2, 4 * n), r.integers(n // 2, n, 4 * n)),
    "barbell": lambda r, n: barbell(n),
    "kite": lambda r, n: joined(clique(np.arange(n // 4)), both(*steps(n, 1))),
    "geometric degree 8": lambda r, n: geometric(r, n, 8),
    "geometric degree 60": lambda r, n: geometric(r, n, 60),
    "20 hubs": lambda r, n: hubs(r, n, 20),
    "200 hubs": lambda r, n: hubs(r, n, 200),
    "small world": lambda r, n: joined(both(*steps(n, 1, 2)), both(*drawn(r, n, 1))),
    "path": lambda r, n: both(*steps(n, 1)),
    "path backwards": lambda r, n: steps(n, 1)[::-1],
    "cycle": lambda r, n: both(np.arange(n), (np.arange(n) + 1) % n),
    "cycle one way": lambda r, n: (np.arange(n), (np.arange(n) + 1) % n),
    "star": lambda r, n: both(np.zeros(n - 1, int), np.arange(1, n)),
    "wheel": lambda r, n: joined(both(np.zeros(n - 1, int), np.arange(1, n)), both(np.arange(1, n), np.arange(1, n) % (n - 1) + 1)),
    "random tree": tree,
    "binary tree": lambda r, n: both(np.arange(1, n), np.arange(n - 1) // 2),
    "caterpillar": lambda r, n: caterpillar(n, 5),
    "grid": lambda r, n: mesh((side_of(n, 2),) * 2),
    "torus": lambda r, n: mesh((side_of(n, 2),) * 2, True),
    "grid in space": lambda r, n: mesh((side_of(n, 3),) * 3),
    "hypercube": lambda r, n: mesh((2,) * int(np.log2(n))),
    "torn grid": torn_mesh,
    "power law": lambda r, n: both(*preferential(r, n, 4)),
    "power law one way": lambda r, n: preferential(r, n, 4),
    "random degree 3": lambda r, n: drawn(r, n, 3),
    "random degree 8": lambda r, n: drawn(r, n, 8),
    "random degree 32": lambda r, n: drawn(r, n, 32),
    "random degree 128": lambda r, n: drawn(r, n, 128),
    "random both ways": lambda r, n: both(*drawn(r, n, 3)),
    "complete": lambda r, n: clique(np.arange(n)),
    "ten components": lambda r, n: joined(*(moved(k * (n // 10), drawn(r, n // 10, 6)) for k in range(10))),
    "most isolated": lambda r, n: on_first(n, 0.1, lambda k: drawn(r, k, 8)),
    "bow tie": bow_tie,
    "path and random": lambda r, n: joined(steps(n, 1), moved(n // 2, drawn(r, n // 2, 8))),
    "two grids": lambda r, n: joined(mesh((side_of(n / 2, 2),) * 2), moved(side_of(n / 2, 2) ** 2, mesh((side_of(n / 2, 2),) * 2))),
}


MESHES = "grid", "torus", "grid in space", "hypercube", "torn grid", "two grids"  # which have a little more or less vertices
WEIGHTS = {"int": lambda r, m: r.integers(1, 1000, m).astype(np.int32),
           "real": lambda r, m: r.random(m).astype(np.float32) + np.float32(0.01),
           "equal": lambda r, m: np.ones(m, np.int32)}


def graph(name, n, weights="int", seed=1):
    """The matrix of weights, in SciPy's CSR. Its number of vertices may be a little less than n."""
    from scipy.sparse import csr_matrix
    random = np.random.default_rng(seed)
    tails, heads = STRUCTURES[name](random, n)
    vertices = int(max(tails.max(), heads.max())) + 1 if name in MESHES else n
    lengths = WEIGHTS[weights](random, len(tails))
    _, first = np.unique(tails.astype(np.int64) * vertices + heads, return_index=True)
    first = first[tails[first] != heads[first]]
    return csr_matrix((lengths[first], (tails[first], heads[first])), (vertices, vertices))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=STRUCTURES, metavar="NAME")
    parser.add_argument("n", nargs="?", type=int, metavar="N")
    parser.add_argument("output", nargs="?", metavar="OUTPUT.npz")
    parser.add_argument("--weights", default="int", choices=WEIGHTS, help="[%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="[%(default)s]")
    parser.add_argument("--list", action="store_true", help="print the names")
    args = parser.parse_args()
    if args.list:
        print("\n".join(STRUCTURES))
        return
    if args.output is None:
        parser.error("expected NAME N OUTPUT.npz, or --list")
    from scipy.sparse import save_npz
    save_npz(args.output, graph(args.name, args.n, args.weights, args.seed), compressed=False)


if __name__ == "__main__":
    sys.exit(main())
