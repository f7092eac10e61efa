"""What NetworkX asks a backend: its functions, whether it can run a call, and whether it should."""
import functools
import inspect

import networkx as nx

from . import measures, paths
from .functions import FUNCTIONS, get_info
from .graph import Graph, convert_from_nx, convert_to_nx, numbers, weight_list

__all__ = ["BackendInterface", "get_info"]

# Of arguments that leave nothing to solve, or that ask for NetworkX's own way.
REFUSED = {
    "sp": "the distances are given",
    "e": "the eccentricities are given",
    "attr": "attributes of nodes are to be written",
    "k": "some sources are to be drawn, for which NetworkX has a generator of its own",
    "endpoints": "the ends of a path are to count, too",
    "usebounds": "bounds are asked for, which NetworkX finds from few sources",
}

# From this number of nodes on, a call takes less time here, with the conversion, measured on two
# CPU cores with random graphs of 2.5 edges a node. None: it never does.
FEWEST = {
    # 1.6 times as fast, down to the last dict; 2 times with weights. From there on it grows.
    "all": {"unweighted": 50, "dijkstra": 20, "bellman-ford": 20},
    # To make lists of n² paths takes as long as NetworkX's whole search without weights.
    "all paths": {"unweighted": None, "dijkstra": 20, "bellman-ford": 20},
    # One search takes NetworkX as long as the conversion if it counts levels. Dijkstra's algorithm
    # is slower: 1.0 to 1.8 times as fast here. Bellman and Ford's is the slowest: 1.9 times.
    "source": {"unweighted": None, "dijkstra": 10_000, "bellman-ford": 1000},
    # NetworkX stops at the target, but for Bellman and Ford's algorithm.
    "pair": {"unweighted": None, "dijkstra": None, "bellman-ford": 1000},
}

# Of NetworkX's own tests, those that cannot pass, and why. They are run on this backend by
#   NETWORKX_TEST_BACKEND=apsp NETWORKX_FALLBACK_TO_NX=True pytest --pyargs networkx
ANOTHER_PATH = "it wants one of several paths that are shortest, which decides where cycles begin"
ANOTHER_ORDER = "it wants the last bit of sums that NetworkX adds in another order"
EXCEPTIONS = {
    "test_betweenness_centrality_subset.py::test_equivalence_non_subset": ANOTHER_ORDER,
    "test_centrality.py::TestBipartiteCentrality::test_betweenness_centrality": ANOTHER_ORDER,
    "test_cycles.py::TestMinimumCycleBasis::test_unweighted_diamond": ANOTHER_PATH,
    "test_cycles.py::TestMinimumCycleBasis::test_weighted_diamond": ANOTHER_PATH,
    "test_cycles.py::TestMinimumCycleBasis::test_petersen_graph": ANOTHER_PATH,
    "test_cycles.py::TestMinimumCycleBasis::test_gh6787_and_edge_attribute_names": ANOTHER_PATH,
}


@functools.cache
def _signature(name):
    return inspect.signature(getattr(nx, name))


def _arguments(name, args, kwargs):
    """The arguments of a call by their names, with NetworkX's defaults."""
    bound = _signature(name).bind(*args, **kwargs)
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    del arguments["backend"]
    if unknown := arguments.pop("backend_kwargs"):
        raise TypeError(f"{name} has no argument {next(iter(unknown))}")
    return arguments


def _function(name, run, options):
    """What NetworkX calls as `name`."""
    run = getattr(paths, run, None) or getattr(measures, run)

    def call(*args, **kwargs):
        arguments = {key: value for key, value in _arguments(name, args, kwargs).items()
                     if key not in REFUSED}
        graph = arguments.pop("G")
        if len(graph) == 0:  # nothing to solve, but errors to raise
            return getattr(nx, name).orig_func(graph.nx, **arguments)
        return run(graph, **arguments, **options)
    call.__name__ = call.__qualname__ = name
    return call


def _weight(arguments):
    return arguments.get("weight", arguments.get("distance"))


def _no_weights(graph, weight):
    """Why these weights cannot be taken, or None. Those that are converted already are known."""
    if weight is None or callable(weight) or isinstance(graph, Graph):
        return None
    kept = (getattr(graph, "__networkx_cache__", None) or {}).get("backends", {}).get("apsp", {})
    if any(isinstance(found, Graph) and weight in found.read for found in kept.values()):
        return None
    try:
        numbers(weight_list(graph._adj.values(), graph.is_multigraph(), weight), len(graph))
    except NotImplementedError as error:
        return str(error)
    return None


def can_run(name, args, kwargs):
    """True, or why NetworkX itself has to run this call."""
    try:
        arguments = _arguments(name, args, kwargs)
    except TypeError as error:
        return str(error)
    graph, weight, kind = arguments["G"], _weight(arguments), FUNCTIONS[name][0]
    for key, reason in REFUSED.items():
        if (value := arguments.get(key)) is not None and value is not False:
            return reason
    if name == "centroid" and "weight" not in arguments:
        return "it is a function of trees before NetworkX 3.7"
    for key, parameter in _signature(name).parameters.items():
        if parameter.default is parameter.empty and key in arguments and arguments[key] is None:
            return "None is no node"
    if callable(weight) and (name == "floyd_warshall_numpy" or "betweenness" in name):
        return "the weight is a function, which NetworkX takes for a name, or which may hide edges"
    # Looking at all weights takes as long as a search, so this is left to the conversion if
    # the function is one search.
    return (kind.startswith("all") and _no_weights(graph, weight)) or True


def should_run(name, args, kwargs):
    """True, or why NetworkX itself is faster."""
    arguments = _arguments(name, args, kwargs)
    graph, weight = arguments["G"], _weight(arguments)
    if name in ("center", "centroid") and weight is None and not graph.is_directed() \
            and graph.number_of_edges() == len(graph) - 1:
        return "the graph is a tree, of which NetworkX takes linear time, or disconnected"
    kind, _, options = FUNCTIONS[name]
    if kind.startswith("all"):
        ends = [arguments.get(key) in graph for key in ("source", "target", "u", "v")]
        kind = (kind, "source", "pair")[sum(ends)]
    method = ("unweighted" if weight is None else
              "bellman-ford" if "negative" in options or arguments.get("method") == "bellman-ford"
              else "dijkstra")
    fewest = FEWEST[kind][method]
    if fewest is None:
        return "NetworkX's search takes less time than the conversion and the lists of paths"
    return len(graph) >= fewest or f"the graph has less than {fewest} nodes"


def on_start_tests(items):
    """Marks those of NetworkX's tests that cannot pass."""
    import pytest
    for item in items:
        test = f"{item.path.name}::{item.nodeid.partition('::')[2]}"
        if test in EXCEPTIONS:
            item.add_marker(pytest.mark.xfail(reason=EXCEPTIONS[test]))


BackendInterface = type("BackendInterface", (), {
    "__doc__": "NetworkX calls this; users need it for nothing.",
    **{function.__name__: staticmethod(function) for function in (
        convert_from_nx, convert_to_nx, can_run, should_run, on_start_tests)},
    **{name: staticmethod(_function(name, run, options))
       for name, (_, run, options) in FUNCTIONS.items() if hasattr(nx, name)},
})
