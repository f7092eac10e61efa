"""What the tests share: an oracle that shares no code with the package, and random graphs."""
import ctypes
import math
import os
import sys
import time

import numpy as np
import pytest


def fresh():
    """A generator that draws the same in every run, or something else for each APSP_TEST_SEED."""
    return np.random.default_rng(int(os.environ.get("APSP_TEST_SEED") or 1))


def number(value):
    """The exact Python number: an int stays one, so that 64 bits are enough."""
    return value.item() if isinstance(value, np.generic) else value


def oracle(n, edges):
    """Floyd-Warshall on Python's numbers, which are exact: a list of lists. edges: (u, v, weight).

    No path is math.inf. It raises ValueError if there is a negative cycle.
    """
    distance = [[math.inf] * n for _ in range(n)]
    for u in range(n):
        distance[u][u] = 0
    for u, v, weight in edges:
        distance[u][v] = min(distance[u][v], number(weight))
    for k in range(n):
        through = distance[k]
        for row in distance:
            first = row[k]
            if first != math.inf:
                for j in range(n):
                    if through[j] != math.inf and first + through[j] < row[j]:
                        row[j] = first + through[j]
    if any(distance[u][u] < 0 for u in range(n)):
        raise ValueError("a negative cycle")
    return distance


def edges_of(matrix, none=0):
    """The edges of a dense matrix. `none`, infinity and NaN stand for no edge."""
    matrix = np.asarray(matrix)
    return [(i, j, matrix[i, j]) for i in range(len(matrix)) for j in range(len(matrix))
            if i != j and matrix[i, j] != none and not math.isinf(matrix[i, j])
            and not math.isnan(matrix[i, j])]


def both_ways(edges):
    return edges + [(v, u, weight) for u, v, weight in edges]


def exactly(found, expected, none=math.inf):
    """Whether an array holds exactly these Python numbers. `none` stands for infinity in it."""
    found = np.asarray(found).tolist()
    expected = [[none if value == math.inf else value for value in row] for row in expected]
    return found == expected


def dense(rng, n, density=0.3, low=1, high=30, dtype=np.float64):
    """A random matrix of whole numbers as SciPy takes it: 0 is no edge, nor is the diagonal one."""
    weights = rng.integers(low, high, (n, n)) * (rng.random((n, n)) < density)
    np.fill_diagonal(weights, 0)
    return weights.astype(dtype)


def with_negatives(rng, n, density=0.3):
    """The same with some weights below 0, but no negative cycle: of a potential."""
    weights = dense(rng, n, density)
    potential = rng.integers(0, 40, n).astype(float)
    shifted = weights + potential[:, None] - potential[None, :]
    shifted[(weights != 0) & (shifted == 0)] = 1    # it must not become "no edge"
    return np.where(weights != 0, shifted, 0)


def road(rng, side, low=1, high=100, dtype=np.int32):
    """A grid of streets in both directions: n, tails, heads, weights."""
    at = np.arange(side * side).reshape(side, side)
    one = np.concatenate([at[:, :-1].ravel(), at[:-1].ravel()])
    two = np.concatenate([at[:, 1:].ravel(), at[1:].ravel()])
    weights = rng.integers(low, high, 2 * one.size).astype(dtype)
    return side * side, np.concatenate([one, two]), np.concatenate([two, one]), weights


def walk(edges, path):
    """What the path weighs by its lightest edges; a KeyError if an edge of it does not exist."""
    lightest = {}
    for u, v, weight in edges:
        lightest[u, v] = min(number(weight), lightest.get((u, v), math.inf))
    return sum(lightest[step] for step in zip(path, path[1:]))


def tree_is_right(edges, distances, predecessors, sources):
    """Raises AssertionError unless each predecessor is on a shortest path from the row's source."""
    lightest = {}
    for u, v, weight in edges:
        lightest[u, v] = min(number(weight), lightest.get((u, v), math.inf))
    for source, distance, before in zip(sources, distances, predecessors):
        for vertex in range(len(distance)):
            if vertex == source or math.isinf(distance[vertex]):
                assert before[vertex] == -9999, (source, vertex)
                continue
            last = int(before[vertex])
            assert (last, vertex) in lightest, (source, vertex, last)
            assert math.isclose(distance[last] + lightest[last, vertex], distance[vertex],
                                abs_tol=1e-9), (source, vertex, last)
            steps = 0
            while vertex != source:     # no circle of zeros
                vertex, steps = int(before[vertex]), steps + 1
                assert vertex >= 0 and steps <= len(distance), (source, vertex)


def resident():
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class _MallocInfo(ctypes.Structure):
    """What malloc says of itself: struct mallinfo2 of malloc.h."""
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
        "fordblks", "keepcost")]


def in_use():
    """Bytes that malloc has given away and did not get back, and about those of Python's objects.
    Unlike resident memory, they do not depend on what the allocators keep for later."""
    try:
        look = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("this C library has no mallinfo2")
    look.restype = _MallocInfo
    info = look()
    return info.uordblks + info.hblkhd + 64 * sys.getallocatedblocks()


def peak_of(call):
    """What the call returns, and by how many bytes the memory in use rose at most during it."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")     # the peak starts anew
    before = resident()
    result = call()
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) * 1024
    return result, peak - before


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
