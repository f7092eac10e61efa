#!/usr/bin/env python3
"""Times questions smaller than all distances beside SciPy, igraph and RoutingKit, in one process.

  scripts/compare_queries.py --data FOLDER -o results/cpu/queries.csv

FOLDER has rome99.gr, luxembourg.gr.gz and p2p-Gnutella31.txt.gz. Each row is one question, answered by
somebody else's calls and by ours. The answers are compared. Times are medians of some runs. Where
another program would take too long, it answers for some vertices only, as the column `sampled` says, and
its time is multiplied. `all_pairs_s` is our time for the eccentricities of all vertices, which take all
distances. RoutingKit has our order of elimination, because it needs places on a map to find one of its
own. Its calls are those of the package routingkit_cch, one for each pair. Needs what compare_python.py
needs, and routingkit_cch; what is missing is left out, as it says.
"""
import importlib
import os
import platform

import numpy as np
from scipy.sparse import csgraph

import apsp
from compare_python import compare, median, read_gr, read_snap, version

SAMPLES, PAIRS, NEAREST = 100, 100_000, 5


def row(graph, n, solve_s, question, other, sampled, other_s, apsp_s, threads=len(os.sched_getaffinity(0))):
    factor = other_s / apsp_s
    print(f"{graph}, {question}: {other} {other_s:.4g} s, apsp {apsp_s:.4g} s, {factor:.2f} times", flush=True)
    return {"graph": graph, "n": n, "question": question, "other": f"{other} {version(other)}",
            "sampled": sampled, "other_s": f"{other_s:.6g}", "apsp_s": f"{apsp_s:.6g}",
            "factor": f"{factor:.2f}", "all_pairs_s": f"{solve_s:.6g}", "threads": threads,
            "python": platform.python_version()}


def within(graph, sources):
    """The distances up to a limit that one pair in a hundred keeps. SciPy's rows are dense."""
    n = graph.shape[0]
    rows = csgraph.dijkstra(graph, indices=sources)
    limit = float(np.quantile(rows[np.isfinite(rows)], 0.01))
    ours_s, ours = median(lambda: apsp.within(graph, limit))
    seconds, theirs = median(lambda: csgraph.dijkstra(graph, indices=sources, limit=limit))
    counted = (ours[[source]].nnz for source in sources)
    assert list(counted) == (np.isfinite(theirs).sum(axis=1) - 1).tolist()
    yield f"pairs within {limit:.0f} (1 %)", "scipy", len(sources), seconds * n / len(sources), ours_s


def nearest(graph, targets):
    """The nearest of some targets. SciPy searches from all targets, against the edges."""
    ours_s, ours = median(lambda: apsp.nearest(graph, NEAREST, targets=targets))
    backwards = graph.T.tocsr()

    def theirs():
        rows = csgraph.dijkstra(backwards, indices=targets)
        return np.sort(np.partition(rows, NEAREST - 1, axis=0)[:NEAREST], axis=0)
    seconds, found = median(theirs)
    others = np.setdiff1d(np.arange(graph.shape[0]), targets)  # a target is not its own neighbour in ours
    farthest = np.where(np.isfinite(found), found, 0)[:, others].max(axis=0)  # of those there are
    np.testing.assert_array_equal(ours[others].max(axis=1).toarray().ravel(), farthest)
    yield f"{NEAREST} nearest of {len(targets)} targets", "scipy", "", seconds, ours_s


def farthest(graph, sources):
    """Diameter, radius and who has them. SciPy solves all rows."""
    ours_s, ours = median(lambda: apsp.extremes(graph))
    seconds, rows = median(lambda: csgraph.dijkstra(graph, indices=sources))
    assert rows[np.isfinite(rows)].max() <= ours["diameter"]
    yield "diameter and radius", "scipy", len(sources), seconds * graph.shape[0] / len(sources), ours_s


def between(graph, sources):
    """Exact weighted betweenness. igraph takes no weight of 0: here it is 1."""
    if version("igraph") is None:
        return
    graph = graph.copy()
    graph.data = np.maximum(graph.data, 1)
    igraph, coo, n = importlib.import_module("igraph"), graph.tocoo(), graph.shape[0]
    theirs = igraph.Graph(n, list(zip(coo.row, coo.col)), directed=True)
    weights = coo.data.astype(int).tolist()
    ours_s, ours = median(lambda: apsp.betweenness(graph, directed=True, normalized=False))
    if len(sources) == n:
        seconds, found = median(lambda: theirs.betweenness(weights=weights))
        np.testing.assert_allclose(ours, found, rtol=1e-8, atol=1e-6)
    else:
        seconds, _ = median(lambda: theirs.betweenness(weights=weights, sources=sources))
    yield "betweenness", "igraph", "" if len(sources) == n else len(sources), seconds * n / len(sources), ours_s


def pairs(graph):
    """Distances of single pairs, one after the other, on one core."""
    if version("routingkit_cch") is None:
        return
    routing, coo, n = importlib.import_module("routingkit_cch"), graph.tocoo(), graph.shape[0]
    tails, heads, weights = (array.astype(int).tolist() for array in (coo.row, coo.col, coo.data))
    ends = np.random.default_rng(1).integers(0, n, (2, PAIRS))
    asked = list(zip(*ends.tolist()))
    made_s, made = median(lambda: apsp.Pairs(graph, threads=1))
    ours_s, ours = median(lambda: made(*ends))

    def prepare():
        order = apsp.plan(graph, threads=1).order().tolist()
        hierarchy = routing.CCH(order, tails, heads, False)
        return hierarchy, routing.CCHMetric(hierarchy, weights)
    seconds, (_, metric) = median(prepare)
    yield "prepare for pairs", "routingkit_cch", "", seconds, made_s, 1
    query = routing.CCHQuery(metric)
    seconds, found = median(lambda: [query.run(*pair).distance for pair in asked])
    infinity = apsp.infinity(ours.dtype)
    assert [infinity if distance is None else distance for distance in found] == ours.tolist()
    yield f"{PAIRS} pairs", "routingkit_cch", "", seconds, ours_s, 1


def rows(name, graph, asked):
    """asked: gives the questions about a graph, and of some vertices."""
    graph = graph.astype(np.int32)
    n = graph.shape[0]
    solve_s, _ = median(lambda: apsp.solve(graph).eccentricity())
    some = np.linspace(0, n - 1, SAMPLES).astype(int).tolist()
    for question in asked(graph, some):
        for found in question:
            yield row(name, n, solve_s, *found)


def of_roads(whole):
    """The questions about roads. whole: betweenness from all vertices by the other program, too."""
    def asked(graph, some):
        return (within(graph, some), nearest(graph, some), farthest(graph, some),
                between(graph, list(range(graph.shape[0])) if whole else some), pairs(graph))
    return asked


def all_rows(data):
    yield from rows("Rome", read_gr(data / "rome99.gr"), of_roads(True))
    yield from rows("Luxembourg", read_gr(data / "luxembourg.gr.gz"), of_roads(False))
    yield from rows("Gnutella", read_snap(data / "p2p-Gnutella31.txt.gz"),
                    lambda graph, some: (farthest(graph, some),))


if __name__ == "__main__":
    compare(__doc__, all_rows)
