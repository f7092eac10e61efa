"""Answers that are smaller than all distances: those of all distances, and NetworkX's."""
import math

import numpy as np
import pytest

import apsp
from support import fresh, oracle, road, walk


def graph_and_rows(n=40, edges=140):
    rng = fresh()
    ends = rng.integers(0, n, (2, edges))
    graph = apsp.edges(n, *ends, rng.integers(0, 9, edges))
    return graph, apsp.solve(graph).matrix()


def test_within_and_nearest_are_those_of_all_distances():
    pytest.importorskip("scipy")
    graph, rows = graph_and_rows()
    none = apsp.infinity(rows.dtype)
    for limit in (0, 3, 7.5, math.inf):
        found = apsp.within(graph, limit)
        for i, row in enumerate(rows):
            expected = {j: d for j, d in enumerate(row.tolist())
                        if j != i and d <= limit and d != none}
            a, b = found.indptr[i:i + 2]
            assert dict(zip(found.indices[a:b].tolist(), found.data[a:b].tolist())) == expected
    found = apsp.nearest(graph, 2, sources=[5, 6], targets=[9, 1, 7])
    for i, u in enumerate((5, 6)):
        near = sorted((rows[u, v], j) for j, v in enumerate((9, 1, 7)) if rows[u, v] != none)[:2]
        a, b = found.indptr[i:i + 2]
        assert sorted(zip(found.data[a:b].tolist(), found.indices[a:b].tolist())) == near
    some = {"sources": [30, 5, 6], "targets": [39, 9, 1, 7, 0]}
    result = apsp.solve(graph, **some)
    for found in (apsp.within(graph, math.inf, **some), apsp.nearest(graph, 3, **some),
                  apsp.within(graph, 9), apsp.nearest(graph, 3), apsp.edge_betweenness(graph),
                  result.within(9), result.nearest(3)):
        assert found.nnz > 0 and found.has_sorted_indices
    for wrong in (lambda: apsp.within(graph, -1), lambda: apsp.within(graph, math.nan),
                  lambda: apsp.nearest(graph, 41), lambda: apsp.nearest(graph, -1),
                  lambda: apsp.nearest(graph, 1, targets=[3, 3])):
        with pytest.raises(ValueError):
            wrong()


def test_pairs_and_extremes():
    graph, rows = graph_and_rows()
    pairs = apsp.Pairs(graph)
    u, v = np.divmod(np.arange(rows.size), len(rows))
    assert (pairs(u, v).reshape(rows.shape) == rows).all()
    with pytest.raises(ValueError):
        pairs([0], [40])
    reached = np.where(rows == apsp.infinity(rows.dtype), -1, rows)
    found = apsp.extremes(graph)
    assert found["diameter"] == reached.max()
    assert found["periphery"] == np.flatnonzero(reached.max(axis=1) == reached.max()).tolist()


@pytest.mark.parametrize("paths", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_paths_of_pairs(paths, dtype):
    """Each leads along edges and is as long as the distance, also of a vertex and itself."""
    rng = fresh()
    streets = road(rng, 9, dtype=dtype)
    sparse = (60, *rng.integers(0, 60, (2, 90)), rng.integers(0, 9, 90).astype(dtype))
    for n, *arrays in (streets, sparse):
        edges = list(zip(*(array.tolist() for array in arrays)))
        exact = oracle(n, edges)
        pairs = apsp.Pairs(apsp.edges(n, *arrays), paths=paths)
        u, v = np.divmod(np.arange(n * n), n)
        found = pairs.paths(u, v)
        assert len(found) == n * n and {path.dtype for path in found} == {np.dtype("int32")}
        for start, end, path in zip(u.tolist(), v.tolist(), found):
            if exact[start][end] == math.inf:
                assert path.size == 0
                continue
            assert path[0] == start and path[-1] == end and len(set(path.tolist())) == path.size
            assert walk(edges, path.tolist()) == exact[start][end]


def test_paths_of_pairs_have_any_length():
    """More vertices than one array has room for at first, and none."""
    n = 5000
    pairs = apsp.Pairs(apsp.edges(n, range(n - 1), range(1, n)), paths=True)
    sources, targets = [0, 9, 9, -1, 17], [-1, 9, 8, 0, 4999]
    assert [path.tolist() for path in pairs.paths(sources, targets)] == [
        list(range(n)), [9], [], [], list(range(17, n))]
    assert [path.tolist() for path in pairs.paths(3, 5)] == [[3, 4, 5]]


def test_pairs_refuse_what_is_none():
    graph, _ = graph_and_rows()
    for pairs in (apsp.Pairs(graph), apsp.Pairs(graph, paths=True)):
        for wrong, what in ((([0], [40]), r"targets\[0\] is 40"),
                            (([0, -41], [1, 1]), r"sources\[1\] is -41"),
                            (([0, 1], [1]), "differ in length"), (([0.5], [1]), "sources")):
            for asked in (pairs, pairs.paths):
                with pytest.raises(ValueError, match=what):
                    asked(*wrong)
    far = apsp.edges(3, [0, 1], [1, 2], [3e38, 3e38], dtype="float32")
    with pytest.raises(OverflowError, match="does not hold"):
        apsp.Pairs(far, paths=True).paths([0, 0], [1, 2])


def test_pairs_keep_names():
    pandas = pytest.importorskip("pandas")
    streets = pandas.DataFrame({"source": ["Porto", "Lisbon"], "target": ["Lisbon", "Faro"]})
    pairs = apsp.Pairs(streets)
    names = list(pairs.nodes)
    path, = pairs.paths([names.index("Porto")], [names.index("Faro")])
    assert [names[vertex] for vertex in path] == ["Porto", "Lisbon", "Faro"]
    assert apsp.Pairs(apsp.edges(2, [0], [1])).nodes is None


def networkx_graph(nx, directed):
    """A random graph of 30 nodes, of which many paths are equally long."""
    rng = fresh()
    graph = (nx.DiGraph if directed else nx.Graph)()
    graph.add_nodes_from(range(30))
    for u, v in rng.integers(0, 30, (90, 2)).tolist():
        if u != v:
            graph.add_edge(u, v, weight=int(rng.integers(1, 5)))
    return graph


@pytest.mark.parametrize("directed", [False, True])
def test_betweenness_is_networkxs(directed):
    nx = pytest.importorskip("networkx")
    graph = networkx_graph(nx, directed)
    for normalized in (True, False):
        expected = nx.betweenness_centrality(graph, weight="weight", normalized=normalized)
        found = apsp.betweenness(graph, normalized=normalized, directed=directed)
        np.testing.assert_allclose(found, list(expected.values()), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("directed", [False, True])
def test_betweenness_of_edges_is_networkxs(directed):
    nx = pytest.importorskip("networkx")
    pytest.importorskip("scipy")
    graph = networkx_graph(nx, directed)
    for normalized in (True, False):
        expected = nx.edge_betweenness_centrality(graph, weight="weight", normalized=normalized)
        found = apsp.edge_betweenness(graph, normalized=normalized, directed=directed)
        assert found.nnz == len(expected) * (1 if directed else 2)
        for (u, v), value in expected.items():
            assert found[u, v] == pytest.approx(value, rel=1e-12, abs=1e-12)
            assert directed or found[v, u] == found[u, v]


def test_betweenness_of_edges_counts_pairs_once_or_twice():
    pytest.importorskip("scipy")
    path = apsp.edges(3, [0, 1, 1, 2, 1, 1], [1, 0, 2, 1, 1, 2], [1.0, 1.0, 1.0, 1.0, 5.0, 7.0])
    expected = np.array([[0, 2, 0], [2, 0, 2], [0, 2, 0]])
    for directed, pairs in ((False, 3), (True, 6)):
        found = apsp.edge_betweenness(path, directed=directed)
        assert (found.toarray() == expected / pairs).all()
        assert found.nnz == 4
        found = apsp.edge_betweenness(path, directed=directed, normalized=False)
        assert (found.toarray() == expected).all()
    matrix = np.where(expected > 0, 1.0, np.inf)
    assert (apsp.edge_betweenness(matrix).toarray() == expected / 3).all()
    some = apsp.edge_betweenness(path, samples=1, seed=3, normalized=False)
    assert some.nnz == 4 and 0 < some.sum() < 12
    assert apsp.edge_betweenness(apsp.edges(1, [], [])).shape == (1, 1)


def test_betweenness_refuses_real_weights_of_0():
    for asked in (apsp.betweenness, apsp.edge_betweenness):
        with pytest.raises(ValueError, match="above 0"):
            asked(apsp.edges(2, [0], [1], [0.0]))
