"""All-pairs shortest paths, fast and exact, on CPUs and NVIDIA GPUs.

>>> import numpy as np, apsp
>>> weights = np.array([[0, 7, 20], [np.inf, 0, 5], [1, np.inf, 0]])
>>> distances = apsp.solve(weights)
>>> distances[0, 2]
12.0
>>> distances.path(0, 2)
[0, 1, 2]

`apsp.csgraph` has SciPy's functions for shortest paths: in a script that uses
`scipy.sparse.csgraph`, replace the import.
"""
from . import csgraph
from ._engine import version as __version__
from .batches import batch
from .csgraph import bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path
from .distances import Distances, Plan, plan, show_config, solve
from .graphs import Graph, csr, edges, graph, infinity, matrix
from .questions import Pairs, betweenness, edge_betweenness, extremes, nearest, within

__all__ = [
    "Distances", "Graph", "NegativeCycleError", "Pairs", "Plan", "batch", "bellman_ford",
    "betweenness", "csgraph", "csr", "dijkstra", "edge_betweenness", "edges", "extremes",
    "floyd_warshall", "graph", "infinity", "johnson", "matrix", "nearest", "plan", "shortest_path",
    "show_config", "solve", "within",
]


def __getattr__(name):
    if name == "NegativeCycleError":
        from ._errors import negative_cycle_error
        return negative_cycle_error()
    raise AttributeError(f"module 'apsp' has no attribute {name!r}")
