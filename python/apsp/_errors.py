"""Errors that Python has no class for."""
import functools
import importlib


@functools.cache
def negative_cycle_error():
    """The class `apsp.NegativeCycleError`.

    It is made when it is first asked for, because its base is SciPy's class of that name if
    SciPy is installed, and importing SciPy takes time.
    """
    try:
        base = importlib.import_module("scipy.sparse.csgraph").NegativeCycleError
    except ImportError:
        base = ValueError

    class NegativeCycleError(base):
        """The graph has a cycle whose weights add up to less than 0: no path is shortest.

        Attributes
        ----------
        cycle : list of int
            The vertices of such a cycle. Each has an edge to the next one, the last to the first.
        """

        __module__, __qualname__ = "apsp", "NegativeCycleError"  # where pickle finds it

        def __init__(self, message="", cycle=()):
            super().__init__(message)
            self.cycle = list(cycle)

        def __str__(self):
            return str(self.args[0])

    return NegativeCycleError


def raise_negative_cycle(message, cycle):
    """Called by the engine."""
    raise negative_cycle_error()(message, cycle)
