"""NetworkX's functions for shortest paths, solved by `apsp`.

>>> import networkx as nx
>>> G = nx.path_graph(4)
>>> nx.diameter(G, backend="apsp")
3

`nx.config.backend_priority = ["apsp"]`, or the environment variable
`NETWORKX_BACKEND_PRIORITY=apsp`, takes it wherever it pays, without a change of the program.
"""
