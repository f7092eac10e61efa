"""Arrays of PyTorch, CuPy and JAX in a GPU's memory, and results that stay there."""
import os

import numpy as np
import pytest

import apsp
from apsp import csgraph
from support import dense, fresh, peak_of

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")    # JAX leaves room for others
TYPES = ["int32", "int64", "float32", "float64"]

@pytest.fixture(autouse=True)
def gpu():
    """Not when tests are collected: other tests fork, and CUDA serves no child."""
    if not apsp._engine.gpu()[0]:
        pytest.skip("needs a GPU")


@pytest.fixture
def torch(gpu):
    module = pytest.importorskip("torch")
    if not module.cuda.is_available():
        pytest.skip("PyTorch sees no GPU")
    return module


@pytest.fixture
def cupy(gpu):
    return pytest.importorskip("cupy", exc_type=ImportError)


def weights_of(n, dtype, density=0.2):
    """A random matrix with infinity where there is no edge, and 0 on the diagonal."""
    drawn = dense(fresh(), n, density)
    weights = drawn.astype(dtype)
    weights[drawn == 0] = apsp.infinity(dtype)
    np.fill_diagonal(weights, 0)
    return weights


def distances_of(weights):
    """Floyd-Warshall in NumPy on float64, which holds these distances exactly."""
    none = apsp.infinity(weights.dtype)
    distance = weights.astype(float)
    distance[weights == none] = np.inf
    for k in range(len(distance)):
        np.minimum(distance, distance[:, k, None] + distance[None, k], out=distance)
    far = np.isinf(distance)
    distance[far] = 0
    found = distance.astype(weights.dtype)
    found[far] = none
    return found


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", ["C", "F", "strides"])
@pytest.mark.parametrize("n", [1, 7, 130, 700])
def test_torch(torch, dtype, order, n):
    """A tensor of each type in any order of rows and columns. It stays as it is, and so do the
    distances after those that own them are gone. Whole numbers of 64 bits are computed in int32,
    and lie in host memory then."""
    weights = weights_of(n, dtype)
    given = torch.from_numpy(weights).cuda()
    if order == "F":
        given = given.t().contiguous().t()
    elif order == "strides":
        given = given.repeat_interleave(2, 0).repeat_interleave(3, 1)[::2, ::3]
    solved = apsp.solve(given)
    assert solved.dtype == dtype and solved.device == apsp._engine.gpu()[1]
    one, two = torch.from_dlpack(solved), torch.from_dlpack(solved)
    if solved.computed == solved.dtype:
        assert solved.__dlpack_device__() == (2, given.get_device()) and one.device == given.device
        assert one.data_ptr() == two.data_ptr()
    else:
        assert solved.computed == "int32" and solved.__dlpack_device__() == (1, 0)
    expected = distances_of(weights)
    np.testing.assert_array_equal(one.cpu().numpy(), expected)
    np.testing.assert_array_equal(given.cpu().numpy(), weights)
    np.testing.assert_array_equal(np.asarray(solved), expected)
    del solved, two
    junk = [torch.full_like(given, 9) for _ in range(20)]
    junk.append(apsp.solve(junk[0]))
    np.testing.assert_array_equal(one.cpu().numpy(), expected)
    assert len(junk) == 21


def test_what_dlpack_is_asked(torch):
    """Whoever asks for host memory gets a copy there. The GPU's memory is handed out as it is."""
    weights = weights_of(60, "float32")
    solved = apsp.solve(torch.from_numpy(weights).cuda())
    assert solved.__dlpack_device__()[0] == 2
    in_host = np.from_dlpack(solved, device="cpu")
    np.testing.assert_array_equal(in_host, distances_of(weights))
    with pytest.raises(BufferError, match="copy the array that from_dlpack"):
        solved.__dlpack__(copy=True)


def test_a_cpu_may_solve_it(torch):
    """A tensor on the GPU, on the CPU: it is copied."""
    weights = weights_of(60, "int32")
    solved = apsp.solve(torch.from_numpy(weights).cuda(), device="cpu")
    assert solved.device == "cpu"
    np.testing.assert_array_equal(np.asarray(solved), distances_of(weights))


def test_scipys_functions(torch):
    """They take a tensor whose zeros are no edges, and return arrays in host memory."""
    drawn = dense(fresh(), 200, 0.1)
    found = csgraph.floyd_warshall(torch.from_numpy(drawn).cuda())
    np.testing.assert_array_equal(found, csgraph.floyd_warshall(drawn, device="cpu"))


@pytest.mark.parametrize("dtype", TYPES)
def test_cupy(cupy, dtype):
    """An array of CuPy, also one that has nothing but CUDA's array interface."""
    weights = weights_of(150, dtype)
    expected = distances_of(weights)
    given = cupy.asarray(weights)

    class OnlyInterface:
        shape, dtype, ndim = given.shape, given.dtype, given.ndim
        __cuda_array_interface__ = given.__cuda_array_interface__

    for source in (given, given.T.copy().T, OnlyInterface()):
        solved = apsp.solve(source)
        np.testing.assert_array_equal(np.asarray(solved), expected)
        if solved.computed == solved.dtype:
            found = cupy.from_dlpack(solved)
            assert isinstance(found, cupy.ndarray) and found.dtype == dtype
            np.testing.assert_array_equal(cupy.asnumpy(found), expected)
    np.testing.assert_array_equal(cupy.asnumpy(given), weights)


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_jax(dtype):
    jax, dlpack = pytest.importorskip("jax"), pytest.importorskip("jax.dlpack")
    gpus = [device for device in jax.devices() if device.platform == "gpu"]
    if not gpus:
        pytest.skip("JAX sees no GPU")
    weights = weights_of(150, dtype)
    given = jax.device_put(weights, gpus[0])
    solved = apsp.solve(given)
    np.testing.assert_array_equal(np.asarray(solved), distances_of(weights))
    found = dlpack.from_dlpack(solved)
    np.testing.assert_array_equal(np.asarray(found), distances_of(weights))


@pytest.mark.parametrize("n", [5, 400])
def test_a_solve_waits_for_other_streams(torch, n):
    """The weights are still being written, on a stream that waits for no other one."""
    weights = weights_of(n, "float32")
    right = torch.from_numpy(weights).cuda()
    late = torch.full_like(right, 1000)
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(2_000_000_000)    # cycles of the GPU: a second
        late.copy_(right)
    assert not side.query(), "nothing is left to wait for"
    solved = apsp.solve(late)
    with torch.cuda.stream(side):         # nor does this stream wait for the one that solved
        copy = torch.from_dlpack(solved).cpu()
    np.testing.assert_array_equal(copy.numpy(), distances_of(weights))


def test_a_batch_waits_for_other_streams(torch):
    """It is solved in place, and whoever reads it afterwards sees the distances."""
    rng = fresh()
    weights = np.stack([dense(rng, 20, 0.3) for _ in range(500)]).astype("float32")
    weights[weights == 0] = np.inf
    weights[:, range(20), range(20)] = 0
    expected = np.asarray(apsp.batch(weights, device="cpu"))
    right = torch.from_numpy(weights).cuda()
    late = torch.zeros_like(right)
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        torch.cuda._sleep(2_000_000_000)
        late.copy_(right)
    assert not side.query(), "nothing is left to wait for"
    assert apsp.batch(late, overwrite=True) is late
    with torch.cuda.stream(side):
        copy = late.cpu()
    np.testing.assert_array_equal(copy.numpy(), expected)


@pytest.mark.parametrize("dtype", TYPES)
def test_weights_of_a_kept_graph_may_change(torch, dtype):
    """A graph is the array where it lies: it is read anew by each solve, and may need other bits."""
    weights = weights_of(120, dtype)
    given = torch.from_numpy(weights).cuda()
    graph = apsp.matrix(given)
    plan = apsp.plan(graph)
    for change in range(3):
        given[0, 1:] = 1 + change * (2**33 if np.dtype(dtype).itemsize == 8 else 1)
        expected = distances_of(given.cpu().numpy())
        np.testing.assert_array_equal(np.asarray(apsp.solve(graph)), expected)
        np.testing.assert_array_equal(np.asarray(plan.solve(graph)), expected)


def test_what_a_matrix_on_the_gpu_is_asked(torch):
    """The same answers as of a matrix in host memory."""
    weights = weights_of(90, "float64", 0.05)
    here, there = apsp.solve(weights, device="cpu"), apsp.solve(torch.from_numpy(weights).cuda())
    np.testing.assert_array_equal(there.eccentricity(), here.eccentricity())
    np.testing.assert_array_equal(there.closeness(), here.closeness())
    np.testing.assert_array_equal(there.rows(3, 9), here.rows(3, 9))
    np.testing.assert_array_equal(there.within(20).toarray(), here.within(20).toarray())
    assert there[3].tolist() == here[3].tolist() and there[3, 4] == here[3, 4]
    for target in range(0, 90, 7):
        path = there.path(2, target)
        steps = [weights[step] for step in zip(path, path[1:])]
        assert sum(steps) == here[2, target] if path else np.isinf(here[2, target])


def test_no_path_through_the_host(torch):
    """A tensor of 400 MB is solved, and the result handed on, without its bytes in host memory."""
    given = torch.rand(10_000, 10_000, device="cuda")
    apsp.solve(given[:3000, :3000].contiguous())
    found, taken = peak_of(lambda: torch.from_dlpack(apsp.solve(given)))
    assert found.shape == given.shape and taken < 100e6, f"{taken / 1e6:.0f} MB"


def test_a_child_solves_on_the_cpu(torch):
    """CUDA serves no process that was forked after its parent had used the GPU."""
    assert apsp.solve(torch.ones((300, 300), device="cuda"))[0, 1] == 1
    child = os.fork()
    if child == 0:
        status = 1
        try:
            found = apsp.solve(weights_of(300, "int32"))
            right = (np.asarray(found) == distances_of(weights_of(300, "int32"))).all()
            status = 2 if right and found.device == "cpu" else 3
            apsp.solve(np.ones((3, 3)), device="cuda")
        except RuntimeError as error:
            if status == 2 and "no GPU: the GPU serves no process" in str(error):
                status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_memory_of_the_gpu_returns(torch):
    """Results of 64 MB each, which would not all fit: 3000 of them are 192 GB."""
    given = torch.rand(4000, 4000, device="cuda")
    for _ in range(3000):
        found = torch.from_dlpack(apsp.solve(given))
    assert found.shape == given.shape


@pytest.mark.parametrize("dtype", TYPES)
def test_host_arrays_are_solved_on_the_gpu(dtype):
    """Matrices, SciPy's functions and batches."""
    weights = weights_of(300, dtype)
    solved = apsp.solve(weights, device="cuda", method="dense")
    assert solved.device == apsp._engine.gpu()[1]
    np.testing.assert_array_equal(np.asarray(solved), distances_of(weights))
    drawn = dense(fresh(), 300, 0.1)
    np.testing.assert_array_equal(csgraph.dijkstra(drawn, device="cuda"),
                                  csgraph.dijkstra(drawn, device="cpu"))
    many = np.stack([weights[at:at + 30, at:at + 30] for at in range(200)])
    np.testing.assert_array_equal(apsp.batch(many, device="cuda"), apsp.batch(many, device="cpu"))


def test_what_is_refused(torch):
    """Each error is one line that says what to do."""
    given = torch.zeros((4, 4), device="cuda")
    for call, error in (
            (lambda: apsp.solve(given.half()), "float16: convert it to int32"),
            (lambda: apsp.solve(given, dtype="float64"), "is float32: convert it to float64"),
            (lambda: apsp.batch(given[None]), "copy it, and say overwrite=True"),
            (lambda: apsp.edges(2, torch.zeros(1, device="cuda"), [1]), "copy them to the host"),
            (lambda: apsp.edges(2, [0], [1], given[0, :1]), "copy them to the host"),
            (lambda: csgraph.dijkstra(given, directed=False), "directed and has weights")):
        with pytest.raises((ValueError, TypeError), match=error) as caught:
            call()
        assert "\n" not in str(caught.value)
