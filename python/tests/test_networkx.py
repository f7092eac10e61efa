"""The backend of NetworkX against NetworkX itself."""
import copy
import importlib.util
import json
import os
import pickle
import random
import subprocess
import sys

import pytest

nx = pytest.importorskip("networkx", minversion="3.4")
interface = pytest.importorskip("nx_apsp.interface")
np = pytest.importorskip("numpy")

from nx_apsp.functions import FUNCTIONS, get_info  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs")
BACKEND = interface.BackendInterface
SEED = int(os.environ.get("APSP_TEST_SEED") or 1)
HERE = [name for name in FUNCTIONS if hasattr(nx, name) and getattr(nx, name).name == name]
LATEST = tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 7)
KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
WEIGHTS = {  # of one edge
    "whole": lambda rng: rng.randrange(1, 50),
    "real": lambda rng: rng.uniform(0.1, 50),
    "zeros": lambda rng: rng.randrange(3),
    "mixed": lambda rng: rng.choice([rng.randrange(1, 50), rng.uniform(0.1, 50), True]),
    "often missing": lambda rng: rng.choice([None, None, 3, 1]),
    "55 bits": lambda rng: rng.randrange(1, 2**55),
}


def graph_of(kind, weights, connected=False, n=25, seed=0):
    """A random graph whose nodes have names of several types. It has loops."""
    rng = random.Random(SEED + seed)
    names = [(v, "tuple") if v % 3 == 0 else f"node {v}" if v % 3 == 1 else v for v in range(n)]
    rng.shuffle(names)
    graph = kind()
    graph.add_nodes_from(names)
    pairs = [(rng.choice(names), rng.choice(names)) for _ in range(2 * n)]
    for u, v in pairs + connected * list(zip(names, names[1:] + names[:1])):
        weight = WEIGHTS[weights](rng)
        graph.add_edge(u, v, **({} if weight is None else {"weight": weight}))
    return graph


def without_negative_cycle(kind, weights):
    """Some of its weights are below 0: potentials are added to weights that are not."""
    graph = graph_of(kind, weights)
    rng = random.Random(SEED)
    height = {node: rng.randrange(40) for node in graph}
    for u, v, data in graph.edges(data=True):
        data["weight"] = data.get("weight", 1) + height[u] - height[v]
    return graph


# How each function is called.
W = {"weight": "weight"}
CALLS = {
    "has_path": [lambda f, G, u, v: f(G, u, v)],
    "shortest_path": [
        lambda f, G, u, v: f(G, u, v), lambda f, G, u, v: f(G, u), lambda f, G, u, v: f(G),
        lambda f, G, u, v: f(G, target=v)],
    "shortest_path_length": [
        lambda f, G, u, v: f(G, u, v), lambda f, G, u, v: f(G, u, **W),
        lambda f, G, u, v: f(G, target=v, **W), lambda f, G, u, v: f(G, target=v),
        lambda f, G, u, v: f(G, **W), lambda f, G, u, v: f(G, u, v, "weight", "bellman-ford"),
        lambda f, G, u, v: f(G, target=u, method="bellman-ford", **W),
        lambda f, G, u, v: f(G, u, "nobody"), lambda f, G, u, v: f(G, u, "nobody", **W)],
    "single_source_dijkstra": [
        lambda f, G, u, v: f(G, u), lambda f, G, u, v: f(G, u, v), lambda f, G, u, v: f(G, u, u),
        lambda f, G, u, v: f(G, u, cutoff=40), lambda f, G, u, v: f(G, u, v, 20),
        lambda f, G, u, v: f(G, "nobody"), lambda f, G, u, v: f(G, u, "nobody")],
    "single_source_bellman_ford": [
        lambda f, G, u, v: f(G, u), lambda f, G, u, v: f(G, u, v),
        lambda f, G, u, v: f(G, "nobody"), lambda f, G, u, v: f(G, u, "nobody")],
    "floyd_warshall_numpy": [
        lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, list(G)[::-1]),
        lambda f, G, u, v: f(G, [u]), lambda f, G, u, v: f(G, ["nobody", *list(G)[1:]])],
    "eccentricity": [
        lambda f, G, u, v: f(G, **W), lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, u),
        lambda f, G, u, v: f(G, [u, v, "nobody"], **W), lambda f, G, u, v: f(G, "nobody")],
    "closeness_centrality": [
        lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, distance="weight"),
        lambda f, G, u, v: f(G, u, "weight", False), lambda f, G, u, v: f(G, "nobody")],
    "harmonic_centrality": [
        lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, distance="weight"),
        lambda f, G, u, v: f(G, [u, v], "weight"), lambda f, G, u, v: f(G, u, "weight", [v]),
        lambda f, G, u, v: f(G, sources=[u, v], distance="weight"),
        lambda f, G, u, v: f(G, [u], "weight", [u, v]), lambda f, G, u, v: f(G, [], "weight"),
        lambda f, G, u, v: f(G, sources=[])],
    "betweenness": [
        lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, **W),
        lambda f, G, u, v: f(G, normalized=False), lambda f, G, u, v: f(G, None, False, "weight")],
    "average_shortest_path_length": [
        lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, **W),
        lambda f, G, u, v: f(G, "weight", "unweighted"),
        lambda f, G, u, v: f(G, "weight", "floyd-warshall"), lambda f, G, u, v: f(G, method="?")],
    "harmonic_diameter": [
        lambda f, G, u, v: f(G), *([lambda f, G, u, v: f(G, **W)] if LATEST else [])],
    "global_efficiency": [lambda f, G, u, v: f(G)],
    "goldberg_radzik": [lambda f, G, u, v: f(G, u), lambda f, G, u, v: f(G, "nobody")],
}
BY_NAME = {  # of the other functions: the first one whose beginning fits
    "single_source_shortest": [
        lambda f, G, u, v: f(G, u), lambda f, G, u, v: f(G, u, 2), lambda f, G, u, v: f(G, u, 1.5),
        lambda f, G, u, v: f(G, u, -1), lambda f, G, u, v: f(G, "nobody")],
    "single_target": [lambda f, G, u, v: f(G, u), lambda f, G, u, v: f(G, u, 2)],
    "single_source_bellman": [lambda f, G, u, v: f(G, u), lambda f, G, u, v: f(G, "nobody")],
    "single_source": [lambda f, G, u, v: f(G, u), lambda f, G, u, v: f(G, u, 40.5),
                      lambda f, G, u, v: f(G, u, None, None)],
    "multi_source": [
        lambda f, G, u, v: f(G, {u, v}), lambda f, G, u, v: f(G, [u], cutoff=20),
        lambda f, G, u, v: f(G, {u, v}, cutoff=20), lambda f, G, u, v: f(G, {u, "nobody"}),
        lambda f, G, u, v: f(G, [])],
    "all_pairs_bellman": [lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, None)],
    "all_pairs": [lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, cutoff=1.5),
                  lambda f, G, u, v: f(G, 3)],
    ("bidirectional", "dijkstra", "bellman"): [
        lambda f, G, u, v: f(G, u, v), lambda f, G, u, v: f(G, u, u),
        lambda f, G, u, v: f(G, "nobody", v), lambda f, G, u, v: f(G, u, "nobody")],
    ("floyd", "johnson"): [lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, None)],
    "": [lambda f, G, u, v: f(G), lambda f, G, u, v: f(G, **W)],
}
# Where the paths of a call are measured without weights.
UNWEIGHTED = ("shortest_path", "bidirectional_shortest_path", "all_pairs_shortest_path",
              "single_source_shortest_path", "single_target_shortest_path")
WITHOUT = [("johnson", 1), ("all_pairs_bellman_ford_path", 1), ("single_source_dijkstra_path", 2)]
GENERATORS = [name for name in HERE if name.startswith("all_pairs")]


def calls(name):
    name = "betweenness" if "betweenness" in name else name
    return CALLS.get(name) or next(found for start, found in BY_NAME.items()
                                   if name.startswith(start))


def plain(found):
    """Lazy mappings and iterators as dicts, arrays as lists."""
    if hasattr(found, "items"):
        return {key: plain(value) for key, value in found.items()}
    if hasattr(found, "__next__"):
        return {key: plain(value) for key, value in found}
    if isinstance(found, np.ndarray):
        return {number: dict(enumerate(row.tolist())) for number, row in enumerate(found)}
    return tuple(map(plain, found)) if isinstance(found, tuple) else found


def outcome(name, backend, call, *args):
    """What a call gives, or the class of what it raises."""
    try:
        return plain(call(lambda *a, **k: getattr(nx, name)(*a, backend=backend, **k), *args))
    except (nx.NetworkXException, NotImplementedError, ValueError, TypeError, IndexError,
            ZeroDivisionError) as error:
        return type(error)


def length_of(graph, path, weight):
    """The length of a path in the graph. It must be one."""
    total = 0
    for u, v in zip(path, path[1:]):
        data = graph.get_edge_data(u, v)
        parallel = data.values() if graph.is_multigraph() else [data]
        total += min(1 if weight is None else one.get(weight, 1) for one in parallel)
    return total


def each_path(found, what):
    """The result with what(path) for each path."""
    if isinstance(found, dict):
        return {key: each_path(value, what) for key, value in found.items()}
    if isinstance(found, tuple):
        return tuple(each_path(value, what) for value in found)
    return what(found) if isinstance(found, list) else found


def same(ours, theirs, exact_types=True):
    """Whether results are equal, real ones within rounding."""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(
            same(ours[key], theirs[key], exact_types) for key in theirs)
    if isinstance(theirs, tuple):
        return isinstance(ours, tuple) and len(ours) == len(theirs) and all(
            same(mine, other, exact_types) for mine, other in zip(ours, theirs))
    if exact_types and type(ours) is not type(theirs) and theirs != 0:  # 0 is whole there
        return False
    if isinstance(theirs, float):
        return ours == pytest.approx(theirs, rel=1e-9, abs=1e-9, nan_ok=True)
    return ours == theirs


def compare(name, graph, weights, call, number):
    u, v = random.Random(SEED).choices(list(graph), k=2)
    ours, theirs = (outcome(name, backend, call, graph, u, v) for backend in ("apsp", "networkx"))
    run = FUNCTIONS[name][1]
    if ours is NotImplementedError and weights == "55 bits":
        return  # sums that are no doubles
    if ours is NotImplementedError and "betweenness" in run and weights == "zeros":
        return  # as NetworkX says, it does not count paths right either
    if run == "centroid" and isinstance(theirs, list):  # of trees, the order is another one
        ours, theirs = sorted(ours, key=repr), sorted(theirs, key=repr)
    if run in ("paths", "both", "path_table", "any_method"):
        weight = None if name in UNWEIGHTED or (name, number) in WITHOUT else "weight"
        several = name.startswith("multi")  # the nearest of them; which one, if it is a tie?
        ours, theirs = (each_path(found, lambda path: (
            path[0] in (u, v) if several else path[0], path[-1], length_of(graph, path, weight)))
            for found in (ours, theirs))
    elif run.startswith("predecessor"):  # predecessors: which nodes have one, and what they lead to
        if isinstance(theirs, tuple):
            assert ours[0].keys() == theirs[0].keys()
            assert all(not isinstance(row, dict) or row.keys() == theirs[0][node].keys()
                       for node, row in ours[0].items())
            if name == "floyd_warshall_tree":  # NetworkX leaves some infinite distances out
                theirs = theirs[0], {node: {**dict.fromkeys(graph, float("inf")), **row}
                                     for node, row in theirs[1].items()}
            ours, theirs = ours[1], theirs[1]
    elif isinstance(theirs, list) and weights in ("real", "mixed"):
        return  # there and back, sums are rounded differently: which end is farther?
    exact_types = weights != "mixed" and (LATEST or not name.startswith("floyd"))
    assert same(ours, theirs, exact_types), (name, number, SEED)


@pytest.mark.parametrize("connected", [False, True])
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_function(kind, weights, connected):
    graph = graph_of(kind, weights, connected)
    for name in HERE:
        for number, call in enumerate(calls(name)):
            compare(name, graph, weights, call, number)


@pytest.mark.parametrize("edges", [[], [(0, 0)], [(0, 1)], [(0, 1), (1, 1)], [(1, 2), (2, 0)]])
@pytest.mark.parametrize("kind", KINDS)
def test_tiny_graphs(kind, edges):
    graph = kind(edges)
    graph.add_node(0)
    for name in HERE:
        for number, call in enumerate(calls(name)):
            compare(name, graph, "tiny", call, number)


def test_the_graph_without_nodes():
    for name in HERE:
        for kind in KINDS:
            ours, theirs = (outcome(name, backend, calls(name)[0], kind(), 0, 1)
                            for backend in ("apsp", "networkx"))
            assert same(ours, theirs), name


@pytest.mark.parametrize("weights", ["whole", "real", "zeros"])
@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiDiGraph])
def test_negative_weights(kind, weights):
    graph = without_negative_cycle(kind, weights)
    for name in HERE:
        if FUNCTIONS[name][2].get("negative"):
            for number, call in enumerate(calls(name)):
                compare(name, graph, weights, call, number)
    with pytest.raises(NotImplementedError):  # NetworkX's own result depends on the order
        nx.single_source_dijkstra(graph, next(iter(graph)), backend="apsp")


def test_negative_cycles():
    """They count only if they can be reached."""
    graph = nx.DiGraph([("a", "b"), ("b", "c")])
    graph.add_weighted_edges_from([("x", "y", 1), ("y", "z", -3), ("z", "x", 1), ("z", "a", 1)])
    for backend in ("apsp", "networkx")[:1 + LATEST]:  # older ones miss some
        assert nx.single_source_bellman_ford_path_length(graph, "a", backend=backend)["c"] == 2
        for start in ("bellman_ford_path", "goldberg_radzik", "single_source_bellman_ford"):
            args = ("x", "c") if start == "bellman_ford_path" else ("x",)
            with pytest.raises(nx.NetworkXUnbounded):
                getattr(nx, start)(graph, *args, backend=backend)
        for name in ("johnson", "floyd_warshall", "floyd_warshall_numpy"):
            with pytest.raises(nx.NetworkXUnbounded):
                getattr(nx, name)(graph, backend=backend)
        with pytest.raises(nx.NetworkXUnbounded):
            list(nx.all_pairs_bellman_ford_path_length(graph, backend=backend))
    loop = nx.DiGraph()
    loop.add_edge(0, 0, weight=-1)
    with pytest.raises(nx.NetworkXUnbounded):
        nx.floyd_warshall(loop, backend="apsp")


def test_predecessors_lead_to_shortest_paths():
    graph = without_negative_cycle(nx.DiGraph, "whole")
    lengths = nx.floyd_warshall(graph, backend="networkx")
    for name in ("floyd_warshall_predecessor_and_distance", "floyd_warshall_tree"):
        if hasattr(nx, name):
            before, _ = getattr(nx, name)(graph, backend="apsp")
            for u, v in [(u, v) for u in before for v in before[u] if u != v]:
                assert length_of(graph, nx.reconstruct_path(u, v, before), "weight") \
                    == lengths[u][v]
    start = next(iter(graph))
    before, found = nx.goldberg_radzik(graph, start, backend="apsp")
    for node in found:
        path = [node]
        while before[path[-1]] is not None:
            path.append(before[path[-1]])
        assert path[-1] == start and length_of(graph, path[::-1], "weight") == lengths[start][node]


@pytest.mark.parametrize("kind", KINDS)
def test_weights_by_a_function(kind):
    """It hides edges, and differs with the direction of an edge."""
    order = {node: number for number, node in enumerate(graph_of(kind, "whole"))}
    called = []

    def weight(u, v, data):
        called.append((u, v))
        found = 1 + (3 * order[u] + 5 * order[v]) % 11
        return None if (order[u] + order[v]) % 7 == 0 else found
    graph = graph_of(kind, "whole", connected=True)
    first, *_, last = graph
    for name in HERE:
        run = FUNCTIONS[name][1]
        options = {"weight": weight} if "weight" in interface._signature(name).parameters else \
            {"distance": weight} if "distance" in interface._signature(name).parameters else None
        if options is None or name == "floyd_warshall_numpy" or run.startswith("predecessor") \
                or "betweenness" in run or FUNCTIONS[name][2].get("negative"):  # NetworkX adds None
            continue
        required = [first, last] if FUNCTIONS[name][0] == "pair" else \
            [[first, last]] if name.startswith("multi") else \
            [first] if FUNCTIONS[name][0] == "source" else []
        shapes = [{}, {"source": first}, {"target": last}] if name.startswith("shortest") else [{}]
        for shape in shapes:
            ours, theirs = (outcome(
                name, backend, lambda f: f(graph, *required, **shape, **options))
                for backend in ("apsp", "networkx"))
            if run in ("paths", "both", "any_method") and not name.endswith("length"):
                ours, theirs = (each_path(found, lambda path: (path[-1], path[0] in (first, last)))
                                for found in (ours, theirs))
            assert same(ours, theirs), (name, shape, SEED)
    called.clear()
    dict(nx.all_pairs_dijkstra_path_length(graph, weight=weight, backend="apsp"))
    assert len(called) == len(set(called)) == len(set(graph.to_directed().edges()))


def test_the_list_of_functions():
    assert len(HERE) >= 30
    assert set(get_info()["functions"]) == set(FUNCTIONS)
    graph = nx.cycle_graph(200)
    for name in HERE:
        assert callable(getattr(BACKEND, name))
        kind = FUNCTIONS[name][0]
        nodes = {"pair": (0, 1), "source": (0,)}.get(kind, ())
        nodes = ([0],) if name.startswith("multi") else nodes
        assert BACKEND.can_run(name, (graph, *nodes), {}) is True
        assert calls(name)


def test_reading_the_list_imports_no_engine():
    code = "import sys, networkx, nx_apsp.functions; print('numpy' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"


REASONS = {  # name, arguments, keywords: what the reason says
    "the distances are given": ("eccentricity", (), {"sp": {}}),
    "the eccentricities are given": ("radius", (), {"e": {0: 1}}),
    "bounds": ("diameter", (), {"usebounds": True}),
    "may hide edges": ("betweenness_centrality", (), {"weight": lambda u, v, data: 1}),
    "some sources": ("betweenness_centrality", (3,), {}),
    "the ends of a path": ("betweenness_centrality", (), {"endpoints": True}),
    "which NetworkX takes for a name": ("floyd_warshall_numpy", (), {"weight": lambda u, v, data: 1}),
    "None is no node": ("single_source_dijkstra", (None,), {}),
    "missing a required argument": ("dijkstra_path", (0,), {}),
    "has no argument": ("diameter", (), {"nobody": 1}),
    "a weight is a str": ("johnson", (), {"weight": "text"}),
    "a weight is a complex": ("diameter", (), {"weight": "complex"}),
    "64 bits": ("floyd_warshall", (), {"weight": "huge"}),
    "above 2**53": ("floyd_warshall", (), {"weight": "rounded"}),
    "not a number": ("wiener_index", (), {"weight": "nan"}),
}


@pytest.mark.parametrize("reason", REASONS)
def test_why_a_call_cannot_run(reason):
    graph = nx.cycle_graph(200)
    graph.edges[0, 1].update(text="1", complex=1j, huge=2**60, nan=float("nan"), rounded=2**53 + 1)
    graph.edges[1, 2]["rounded"] = 0.5
    name, args, kwargs = REASONS[reason]
    nx.diameter(graph, weight="known", backend="apsp")  # converted, but without these weights
    assert reason in BACKEND.can_run(name, (graph, *args), kwargs)
    if not {"missing", "has"} & set(reason.split()):
        with pytest.raises(NotImplementedError):
            getattr(nx, name)(graph, *args, backend="apsp", **kwargs)


def test_what_cannot_run_is_left_to_networkx():
    graph = nx.cycle_graph(200)
    graph.edges[0, 1]["weight"] = 2**70
    with nx.config(backend_priority=["apsp"]):
        assert nx.diameter(graph, weight="weight") == 199
        assert nx.single_source_dijkstra_path_length(graph, 0)[1] == 199
        graph.edges[0, 1]["weight"] = -1  # Dijkstra's algorithm
        assert nx.dijkstra_path_length(nx.DiGraph(graph), 199, 1) == 0
    assert "a tree" in BACKEND.should_run("center", (nx.path_graph(200),), {})
    assert BACKEND.should_run("center", (nx.cycle_graph(200),), {}) is True


SHOULD_RUN = {  # name, nodes, keywords: the numbers of nodes from which on it should
    ("diameter", (), ()): 50,
    ("diameter", (), ("weight",)): 20,
    ("floyd_warshall", (), ()): 20,
    ("shortest_path", (), ()): None,
    ("shortest_path", (), ("weight",)): 20,
    ("shortest_path_length", (), ()): 50,
    ("all_pairs_dijkstra_path", (), ()): 20,
    ("shortest_path", (0,), ()): None,
    ("shortest_path", (0,), ("weight",)): 10_000,
    ("shortest_path_length", (0, 1, "weight", "bellman-ford"), ()): 1000,
    ("closeness_centrality", (0,), ("distance",)): 10_000,
    ("single_source_dijkstra", (0,), ()): 10_000,
    ("single_source_bellman_ford", (0,), ()): 1000,
    ("dijkstra_path", (0, 1), ()): None,
    ("has_path", (0, 1), ()): None,
}


@pytest.mark.parametrize("call", SHOULD_RUN)
def test_small_graphs_are_left_to_networkx(call):
    name, nodes, keywords = call
    fewest = SHOULD_RUN[call]
    options = dict.fromkeys(keywords, "weight")
    small = nx.empty_graph((fewest or 20_000) - 1)
    assert isinstance(BACKEND.should_run(name, (small, *nodes), options), str)
    large = nx.empty_graph(len(small) + 1)
    assert (BACKEND.should_run(name, (large, *nodes), options) is True) == (fewest is not None)


def test_the_conversion_is_kept_until_the_graph_changes():
    graph = nx.path_graph(200)
    with nx.config(backend_priority=["apsp"]):
        assert nx.diameter(graph) == 199
        kept = graph.__networkx_cache__["backends"]["apsp"]
        found = list(kept.values())
        assert len(found) == 1
        assert nx.radius(graph) == 100 and list(kept.values()) == found
        graph.add_edge(0, 199)
        assert not graph.__networkx_cache__.get("backends")
        assert nx.diameter(graph) == 100


def test_a_converted_graph():
    graph = graph_of(nx.MultiDiGraph, "whole")
    converted = BACKEND.convert_from_nx(graph, edge_attrs={"weight": 1})
    assert BACKEND.convert_to_nx(converted) is graph
    assert nx.floyd_warshall(converted) == nx.floyd_warshall(graph, backend="networkx")
    with nx.config(fallback_to_nx=True):
        assert nx.number_of_nodes(graph) == len(converted)


def test_tables_are_mappings_of_dicts():
    graph = graph_of(nx.DiGraph, "whole", n=150)
    nodes = [node for node in graph if graph.out_degree(node)]
    before, lengths = nx.floyd_warshall_predecessor_and_distance(graph, backend="apsp")
    theirs = nx.floyd_warshall(graph, backend="networkx")
    assert lengths == theirs and theirs == lengths and lengths != {}
    others = dict.fromkeys(theirs, {})
    assert lengths != others and others != lengths and not lengths == others
    assert not lengths != theirs and not theirs != lengths
    assert list(lengths) == list(graph) and list(before) == nodes
    for table in (before, lengths, nx.johnson(graph, backend="apsp")):
        assert len(table) == len(list(table)) and table == dict(table)
        assert list(table.items()) == list(zip(table.keys(), table.values()))
        node = nodes[-1]
        assert node in table and type(table[node]) is dict and table[node] == dict(table)[node]
        assert table.get(node) is table[node]
        assert "nobody" not in table and table.get("nobody") is None
        with pytest.raises(KeyError):
            table["nobody"]
        again = pickle.loads(pickle.dumps(table))
        assert type(again) is dict and again == table == copy.copy(table)
        assert table.copy() == table | {} == {} | table == {**table} == dict(table)
        for change in (table.clear, table.popitem, lambda: table.pop(node),
                       lambda: table.update({node: {}}), lambda: table.__ior__({node: {}})):
            with pytest.raises(TypeError):
                change()
        assert "when they are read" in repr(table)


def test_rows_of_a_larger_graph():
    """They are dicts, in the order of the sources. From one source, the nearest come first."""
    graph = graph_of(nx.Graph, "whole", n=150)
    ours, theirs = (dict(nx.all_pairs_dijkstra_path_length(graph, backend=backend))
                    for backend in ("apsp", "networkx"))
    assert ours == theirs and list(ours) == list(theirs)
    assert all(type(row) is dict for row in ours.values())
    for node in ours:
        row = nx.single_source_dijkstra_path_length(graph, node, backend="apsp")
        assert next(iter(row)) == node and list(row.values()) == sorted(row.values())


def test_a_table_as_a_data_frame():
    pandas = pytest.importorskip("pandas")
    graph = graph_of(nx.Graph, "whole", connected=True)
    def rows(*args, **kwargs):
        return dict(nx.all_pairs_shortest_path_length(*args, **kwargs))
    for table in (nx.floyd_warshall, rows):
        ours, theirs = (pandas.DataFrame(table(graph, backend=backend)).loc[list(graph)]
                        for backend in ("apsp", "networkx"))
        assert ours.equals(theirs)


def test_a_table_as_json():
    graph = nx.cycle_graph(5)
    ours, theirs = (json.loads(json.dumps(nx.floyd_warshall(graph, backend=backend)))
                    for backend in ("apsp", "networkx"))
    assert ours == theirs != {}


def test_they_are_iterators():
    for name in GENERATORS:
        found = getattr(nx, name)(nx.cycle_graph(5), backend="apsp")
        assert next(found)[0] == 0 and len(list(found)) == 4


# The tests of all functions that docs/python.md names, and of those that call them.
NETWORKX_TESTS = ["networkx.algorithms.shortest_paths",
                  *(f"networkx.algorithms.tests.test_{name}" for name in (
                      "distance_measures", "wiener", "efficiency")),
                  *(f"networkx.algorithms.centrality.tests.test_{name}" for name in (
                      "closeness_centrality", "harmonic_centrality", "betweenness_centrality",
                      "betweenness_centrality_subset")),
                  "networkx.algorithms.bipartite.tests.test_centrality"]
NETWORKX_TESTS += [name for name in ("networkx.algorithms.tree.tests.test_distance_measures",)
                   if importlib.util.find_spec(name)]     # since NetworkX 3.6


@pytest.mark.soak
def test_networkx_own_tests_of_these_functions(tmp_path):
    """All that NetworkX has are run in the same way, which takes minutes."""
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--pyargs",
         *NETWORKX_TESTS], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "NETWORKX_TEST_BACKEND": "apsp", "NETWORKX_FALLBACK_TO_NX": "True"})
    assert found.returncode == 0, found.stdout[-3000:]
