"""The functions of NetworkX that are solved here.

NetworkX reads this list whenever it is imported, so nothing is imported here.
"""

# By how much of the graph a call needs: a "pair", all targets of a "source", "all" pairs, or
# "all paths", each of which becomes a list.
# name: (what runs it, in paths.py or measures.py; what it is called with beside the arguments)
_ANY_SIGN = {"negative": True}
_TABLE = {
    "pair": {
        "has_path": ("has_path", {}),
        "bidirectional_shortest_path": ("paths", {"strict": True}),
        "bidirectional_dijkstra": ("both", {"strict": True}),
        "dijkstra_path": ("paths", {}),
        "dijkstra_path_length": ("lengths", {}),
        "bellman_ford_path": ("paths", _ANY_SIGN),
        "bellman_ford_path_length": ("lengths", _ANY_SIGN),
    },
    "source": {
        "single_source_shortest_path": ("paths", {"levels": True}),
        "single_source_shortest_path_length": ("lengths", {"levels": True}),
        "single_target_shortest_path": ("paths", {"levels": True}),
        "single_target_shortest_path_length": ("lengths", {"levels": True}),
        "single_source_dijkstra": ("both", {}),
        "single_source_dijkstra_path": ("paths", {}),
        "single_source_dijkstra_path_length": ("lengths", {}),
        "multi_source_dijkstra": ("both", {}),
        "multi_source_dijkstra_path": ("paths", {}),
        "multi_source_dijkstra_path_length": ("lengths", {}),
        "single_source_bellman_ford": ("both", _ANY_SIGN),
        "single_source_bellman_ford_path": ("paths", _ANY_SIGN),
        "single_source_bellman_ford_path_length": ("lengths", _ANY_SIGN),
        "goldberg_radzik": ("predecessors_and_lengths", _ANY_SIGN),
    },
    "all paths": {
        "shortest_path": ("any_method", {"what": "paths"}),
        "all_pairs_shortest_path": ("paths", {"levels": True}),
        "all_pairs_dijkstra": ("both", {}),
        "all_pairs_dijkstra_path": ("paths", {}),
        "all_pairs_bellman_ford_path": ("paths", _ANY_SIGN),
    },
    "all": {
        "shortest_path_length": ("any_method", {"what": "lengths"}),
        "all_pairs_shortest_path_length": ("lengths", {"levels": True}),
        "all_pairs_dijkstra_path_length": ("lengths", {}),
        "all_pairs_bellman_ford_path_length": ("lengths", _ANY_SIGN),
        "johnson": ("path_table", _ANY_SIGN),
        "floyd_warshall": ("length_table", _ANY_SIGN),
        "floyd_warshall_numpy": ("matrix", _ANY_SIGN),
        "floyd_warshall_predecessor_and_distance": ("predecessor_and_length_tables", _ANY_SIGN),
        "floyd_warshall_tree": ("predecessor_and_length_tables", _ANY_SIGN),
        "eccentricity": ("eccentricity", {}),
        "diameter": ("extreme", {"choose": max}),
        "radius": ("extreme", {"choose": min}),
        "periphery": ("extreme", {"choose": max, "nodes": True}),
        "center": ("extreme", {"choose": min, "nodes": True}),
        "centroid": ("centroid", {}),
        "barycenter": ("centroid", {}),  # its name before NetworkX 3.7
        "harmonic_diameter": ("harmonic_diameter", {}),
        "closeness_centrality": ("closeness_centrality", {}),
        "harmonic_centrality": ("harmonic_centrality", {}),
        "betweenness_centrality": ("betweenness_centrality", {}),
        "edge_betweenness_centrality": ("edge_betweenness_centrality", {}),
        "average_shortest_path_length": ("average_shortest_path_length", {}),
        "wiener_index": ("wiener_index", {}),
        "hyper_wiener_index": ("hyper_wiener_index", {}),
        "global_efficiency": ("global_efficiency", {}),
    },
}
FUNCTIONS = {name: (kind, run, options) for kind, rows in _TABLE.items()
             for name, (run, options) in rows.items()}

_OTHER_PATHS = "If several paths are shortest, another one may be returned."
_NOTES = {"pair": _OTHER_PATHS, "source": _OTHER_PATHS, "all paths": _OTHER_PATHS,
          "all": _OTHER_PATHS + " A dict of dicts is a read-only mapping here: its dicts are made "
                                "when they are read."}


def get_info():
    """What NetworkX shows in the documentation of its functions."""
    return {
        "backend_name": "apsp",
        "project": "apsp",
        "package": "nx_apsp",
        "short_summary": "All-pairs shortest paths on all cores and on NVIDIA GPUs.",
        "functions": {name: {"additional_docs": _NOTES[kind]}
                      for name, (kind, _, _) in FUNCTIONS.items()},
    }
