"""Answers that are smaller than all distances: those of all distances, and NetworkX's."""
import math

import numpy as np
import pytest

import apsp
from support import fresh


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
