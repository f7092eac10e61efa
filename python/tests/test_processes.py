"""Threads, signals, fork, spawn, and what an import does."""
import concurrent.futures
import multiprocessing
import os
import signal
import statistics
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import apsp
from apsp import csgraph
from support import fresh, oracle, road, seconds

LIMIT = 300     # seconds: a test that hangs fails instead


def run(program, **how):
    """The program's output, in an interpreter of its own."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True,
                          text=True, timeout=LIMIT, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout


def small_and_large():
    """Whether a process solves small and large graphs, in all ways, as it should."""
    rng = np.random.default_rng(3)
    right = apsp.solve([[0, 7], [3, 0]])[0, 1] == 7
    matrix = rng.integers(1, 1000, (700, 700)).astype("int32")
    right &= bool((np.asarray(apsp.solve(matrix)) == expected_of(matrix)).all())
    graph = apsp.edges(*road(rng, 60))
    one = np.asarray(apsp.solve(graph))
    right &= bool((one == np.asarray(apsp.solve(graph, method="filtered"))).all())
    return right and csgraph.dijkstra(matrix, indices=3)[3] == 0


def expected_of(matrix):
    """Floyd-Warshall in NumPy, a row of intermediate vertices at a time."""
    distance = matrix.astype("int64")
    np.fill_diagonal(distance, 0)
    for k in range(len(distance)):
        np.minimum(distance, distance[:, k, None] + distance[None, k], out=distance)
    return distance


def test_threads_on_different_graphs():
    """Eight threads with graphs of their own, many times."""
    rng = fresh()

    def work(seed):
        own = np.random.default_rng(seed)
        for _ in range(10):
            n, m = int(own.integers(2, 30)), int(own.integers(1, 90))
            tails, heads, weights = own.integers(0, n, m), own.integers(0, n, m), \
                own.integers(0, 50, m)
            exact = oracle(n, list(zip(tails.tolist(), heads.tolist(), weights.tolist())))
            found = apsp.solve(apsp.edges(n, tails, heads, weights)).matrix().tolist()
            none = apsp.infinity("int64")
            assert found == [[none if x == float("inf") else x for x in row] for row in exact]
        return True
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, rng.integers(0, 2**31, 8).tolist(), timeout=LIMIT))


@pytest.mark.parametrize("method", ["auto", "dense", "filtered", "sparse"])
def test_threads_on_the_same_graph(method):
    """One graph, one plan and one result are used by several threads at once."""
    rng = fresh()
    graph = apsp.edges(*road(rng, 25))
    expected = apsp.solve(graph)
    whole, before, kept = expected.matrix().copy(), expected.predecessors(), apsp.plan(graph)

    def work(_):
        distances = apsp.solve(graph, method=method)
        assert (distances.matrix() == whole).all() and (kept.solve(graph).matrix() == whole).all()
        assert (expected.predecessors() == before).all()
        return expected.path(0, 624) == expected.path(0, 624)
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(24), timeout=LIMIT))


def stamps_during_a_solve():
    """When another thread of Python counted during a solve: also when the solve began and ended."""
    weights = np.random.default_rng(0).random((3500, 3500))
    stamps, over = [], threading.Event()

    def count():
        while not over.is_set():
            stamps.append(time.perf_counter())
            time.sleep(0.001)
    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    apsp.solve(weights, method="dense", threads=1, device="cpu")
    end = time.perf_counter()
    over.set()
    thread.join()
    return [start, *(stamp for stamp in stamps if start < stamp < end), end]


def test_the_gil_is_released():
    """Another thread of Python goes on counting during a solve. If the solve held the lock, it
    would count once more before and once more after it."""
    assert len(stamps_during_a_solve()) > 2 + 3


@pytest.mark.soak
def test_the_gil_is_released_all_the_time():
    """No part of a solve holds the lock for long."""
    stamps = stamps_during_a_solve()
    took = stamps[-1] - stamps[0]
    assert len(stamps) > took / 0.05
    gap = np.diff(stamps).max()
    assert gap < 0.5 * took, f"for {gap:.2f} s it did not count"


INTERRUPTED = """
    import os, signal, sys, threading, time
    import numpy as np
    import apsp
    from apsp import csgraph

    rng = np.random.default_rng(0)
    {graph}
    sent = []

    def strike():
        time.sleep({after})
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    try:
        threading.Thread(target=strike).start()
        {solve}
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it may come later, on a fast machine
        said = "too short"
    except KeyboardInterrupt:
        said = time.perf_counter() - sent[0]
    print(said)
    assert apsp.solve([[0, 7], [3, 0]])[0, 1] == 7
    weights = np.ones((500, 500))
    assert np.asarray(apsp.solve(weights)).sum() == 500 * 499
"""
MATRIX = "graph = rng.random(({n}, {n}))"
ROADS = """import sys; sys.path.insert(0, {tests!r}); from support import road
    graph = apsp.edges(*road(rng, {n}))"""
RANDOM = "graph = apsp.edges({n}, *rng.integers(0, {n}, (2, {n} * 10)), rng.random({n} * 10))"


INTERRUPTIONS = pytest.mark.parametrize("graph,n,solve,after", [
    (MATRIX, 5000, "apsp.solve(graph, method='dense', threads=1)", 0.7),
    (MATRIX, 5000, "apsp.solve(graph, method='dense')", 0.7),
    (MATRIX, 5000, "csgraph.floyd_warshall(graph)", 0.25),
    (RANDOM, 12000, "apsp.solve(graph, method='filtered', threads=1)", 0.1),
    (RANDOM, 12000, "apsp.solve(graph, method='filtered', threads=1)", 3),
    (ROADS, 120, "apsp.solve(graph, method='sparse', threads=1)", 0.5),
    (RANDOM, 20000, "for _ in range(99): apsp.solve(graph, sources=range(500))", 0.5),
    (RANDOM, 9000, "apsp.solve(graph).predecessors()", 2.5),
    (RANDOM, 5000, "apsp.Pairs(graph).paths(*rng.integers(0, 5000, (2, 50000)))", 1),
    (MATRIX, 3500, "for _ in apsp.solve(graph).blocks(10**5): apsp.solve(graph)", 0.7),
], ids=["dense, 1 thread", "dense", "floyd_warshall", "filtered, begin", "filtered", "sparse",
        "search",
        "predecessors", "paths of pairs", "many"])


def seconds_to_interrupt(graph, n, solve, after):
    """From the signal to KeyboardInterrupt, in an interpreter that solves on."""
    program = INTERRUPTED.format(graph=graph.format(n=n, tests=os.path.dirname(__file__)),
                                 solve=solve, after=after)
    said = run(program).strip()
    if said == "too short":
        pytest.skip("the solve is over before the signal comes, on this machine")
    print("seconds to KeyboardInterrupt:", said)
    return float(said)


@INTERRUPTIONS
def test_ctrl_c(graph, n, solve, after):
    """KeyboardInterrupt comes, and the next solve is right. How soon depends on the machine's
    load."""
    seconds_to_interrupt(graph, n, solve, after)


@pytest.mark.soak
@INTERRUPTIONS
def test_ctrl_c_within_a_tenth_of_a_second(graph, n, solve, after):
    """In the long run a test has the machine for itself. Something else may disturb one of
    three."""
    assert statistics.median(seconds_to_interrupt(graph, n, solve, after) for _ in range(3)) < 0.1


def test_ctrl_c_in_the_middle_of_threads():
    """A signal while another thread solves: the main thread gets it, and the other one ends
    its solve."""
    program = """
        import os, signal, threading, time
        import numpy as np
        import apsp
        graph = np.random.default_rng(0).random((3000, 3000))
        done = []
        work = lambda: done.append(apsp.solve(graph, method="dense")[0, 0])
        thread = threading.Thread(target=work)
        thread.start()
        try:
            threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            pass
        thread.join()
        assert done == [0]
    """
    run(program)


def seconds_to_another_signal():
    """From the signal to its handler, and to the end of the solve during which it comes."""
    program = """
        import os, signal, threading, time
        import numpy as np
        import apsp
        graph = np.random.default_rng(0).random((3500, 3500))
        sent, seen = [], []
        signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.perf_counter()))

        def strike():
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGUSR1)

        threading.Timer(0.2, strike).start()
        assert apsp.solve(graph, method="dense", threads=1, device="cpu")[0, 0] == 0
        end = time.perf_counter()
        while not seen:
            time.sleep(0.01)
        print(seen[0] - sent[0], end - sent[0])
    """
    return map(float, run(program).split())


def test_another_signal_is_handled_during_a_solve():
    """A handler of Python runs, and the solve ends with its distances."""
    seconds_to_another_signal()


@pytest.mark.soak
def test_another_signal_is_handled_at_once():
    """It does not wait for the end of the solve."""
    handled, ended = seconds_to_another_signal()
    assert handled < 0.2 < ended


def test_a_plan_in_its_own_progress():
    """A callback that solves with the plan that calls it: an error or distances, but no waiting
    for ever."""
    program = """
        import faulthandler
        import numpy as np
        import apsp
        faulthandler.dump_traceback_later(290, exit=True)
        kept = None
        weights = np.random.default_rng(0).random((2500, 2500))
        kept = apsp.plan(weights, method="dense", progress=lambda *_: kept and kept.solve(weights))
        try:
            kept.solve(weights)
        except (RuntimeError, RecursionError):
            pass
    """
    run(program)


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_processes(start):
    """The parent has solved large graphs; children solve small and large ones and do not hang."""
    assert small_and_large()
    context = multiprocessing.get_context(start)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        tasks = [pool.submit(small_and_large) for _ in range(3)]
        try:
            assert all(task.result(timeout=LIMIT) for task in tasks)
        except concurrent.futures.TimeoutError:
            for process in list(pool._processes.values()):
                process.kill()
            raise
    assert small_and_large()


def test_fork_while_a_thread_solves():
    """The child of a process in whose other thread a solve is going on."""
    weights = np.random.default_rng(0).random((3500, 3500))
    thread = threading.Thread(target=lambda: apsp.solve(weights, method="dense"))
    thread.start()
    time.sleep(0.05)
    child = os.fork()
    if child == 0:
        os._exit(0 if small_and_large() else 1)
    thread.join(LIMIT)
    end = time.time() + LIMIT
    while time.time() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def test_results_after_a_fork():
    """A child reads the distances that its parent has found."""
    distances = apsp.solve(apsp.edges(*road(np.random.default_rng(3), 30)), device="cpu")
    expected, path = distances.matrix().sum(), distances.path(0, 899)
    child = os.fork()
    if child == 0:
        right = distances.matrix().sum() == expected and distances.path(0, 899) == path
        os._exit(0 if right and distances[0, 0] == 0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_an_error_comes_through_a_pool():
    """A NegativeCycleError of a child process reaches the parent with its cycle."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        task = pool.submit(apsp.solve, np.array([[0, -1.0], [-1, 0]]))
        with pytest.raises(apsp.NegativeCycleError) as caught:
            task.result(timeout=LIMIT)
    assert sorted(caught.value.cycle) == [0, 1]


def seconds_to_import():
    """How long an import of the package takes after NumPy's. It looks at what else it does."""
    program = """
        import os, signal, sys, time
        import numpy
        environment, handler = dict(os.environ), signal.getsignal(signal.SIGINT)
        threads = len(os.listdir("/proc/self/task"))
        start = time.perf_counter()
        import apsp
        took = time.perf_counter() - start
        assert len(os.listdir("/proc/self/task")) == threads, "threads"
        assert dict(os.environ) == environment and signal.getsignal(signal.SIGINT) is handler
        loaded = {"scipy", "networkx", "pandas", "torch", "cupy", "jax"} & set(sys.modules)
        assert not loaded, loaded
        print(took)
    """
    return float(run(program))


def test_import_does_nothing_else():
    """It starts no thread, loads none of the packages that are optional, and leaves signals and
    the environment alone."""
    seconds_to_import()


@pytest.mark.soak
def test_import_is_quick():
    """Of three, because something else may disturb one."""
    assert min(seconds_to_import() for _ in range(3)) < 0.2


@pytest.mark.soak
def test_small_solves_are_quick():
    """A call on three vertices takes less than a millisecond: no threads are made for it."""
    matrix = np.ones((3, 3))
    apsp.solve(matrix)
    assert min(seconds(lambda: apsp.solve(matrix)) for _ in range(200)) < 1e-3
