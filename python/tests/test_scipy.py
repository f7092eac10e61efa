"""SciPy's own tests of shortest paths, run on this package's functions."""
import pytest

theirs = pytest.importorskip("scipy.sparse.csgraph.tests.test_shortest_path")
from scipy.sparse.csgraph.tests.test_shortest_path import *  # noqa: E402,F401,F403

import apsp.csgraph  # noqa: E402

pytestmark = pytest.mark.soak
OURS = ("shortest_path", "dijkstra", "johnson", "bellman_ford")


@pytest.fixture(autouse=True)
def on_our_functions(monkeypatch):
    """Their tests look up the functions in their own module."""
    for name in OURS:
        monkeypatch.setattr(theirs, name, getattr(apsp.csgraph, name))


def test_these_are_our_functions():
    for name in OURS:
        assert getattr(theirs, name).__module__ == "apsp.csgraph"


# Yen's algorithm for the k shortest paths is not here.
for name in [name for name in globals() if name.startswith("test_yen")]:
    del globals()[name]
