"""Many small graphs in one call, against SciPy and against one graph at a time."""
import numpy as np
import pytest

import apsp
from support import fresh

scipy_sparse = pytest.importorskip("scipy.sparse")
from scipy.sparse import csgraph  # noqa: E402


def graphs_of(rng, count, n, dtype, density=0.4):
    """Random matrices, with infinity where there is no edge."""
    weights = rng.integers(1, 100, (count, n, n)).astype(dtype)
    weights[rng.random(weights.shape) > density] = apsp.infinity(dtype)
    weights[:, range(n), range(n)] = 0
    return weights


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("n", [1, 2, 7, 16, 33, 128, 140])
def test_as_one_at_a_time(n, dtype):
    weights = graphs_of(fresh(), 9, n, dtype)
    before = weights.copy()
    solved = apsp.batch(weights)
    np.testing.assert_array_equal(weights, before)  # it was copied
    for one, distances in zip(weights, solved):
        np.testing.assert_array_equal(apsp.solve(apsp.matrix(one)).matrix(), distances)
    assert apsp.batch(weights, overwrite=True) is weights
    np.testing.assert_array_equal(weights, solved)


def test_lists_of_different_sizes():
    rng = fresh()
    graphs = [scipy_sparse.random_array((n, n), density=0.3, rng=rng, format="csr")
              for n in rng.integers(1, 40, 60)]
    expected = [csgraph.shortest_path(one) for one in graphs]
    for found in (apsp.batch(graphs),
                  apsp.batch(scipy_sparse.block_diag(graphs, format="csr"),
                             sizes=[one.shape[0] for one in graphs])):
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected):
            np.testing.assert_allclose(ours, theirs)
    assert apsp.batch([]) == []
    mixed = apsp.batch([np.array([[0, 5], [2, 0]]), np.zeros((0, 0), int), [[0]]])
    assert [m.tolist() for m in mixed] == [[[0, 5], [2, 0]], [], [[0]]]


def test_other_types_and_orders():
    weights = graphs_of(fresh(), 5, 6, "int32", density=1)
    solved = apsp.batch(weights)
    for other in (weights.astype("int16"), weights.astype(">i4"), np.asfortranarray(weights),
                  weights[::1, ::-1, ::-1][:, ::-1, ::-1]):
        np.testing.assert_array_equal(apsp.batch(other), solved)
    assert apsp.batch(weights, dtype="float64").dtype == np.float64
    assert apsp.batch(np.zeros((0, 4, 4))).shape == (0, 4, 4)
    assert apsp.batch(np.zeros((4, 0, 0))).shape == (4, 0, 0)


@pytest.mark.parametrize("call,message", [
    (lambda: apsp.batch(np.zeros((3, 4))), r"\(3, 4\), not \(count, n, n\)"),
    (lambda: apsp.batch(np.zeros((3, 4, 5))), "not"),
    (lambda: apsp.batch(np.full((2, 2, 2), -1.0)), r"matrices\[0\]\[0\]\[1\] is -1"),
    (lambda: apsp.batch([np.zeros((2, 3))]), "matrix 0 has the shape"),
    (lambda: apsp.batch(scipy_sparse.eye_array(4), sizes=[1, 2]), "add up to the 4 rows"),
    (lambda: apsp.batch(scipy_sparse.csr_array(np.ones((4, 4))), sizes=[2, 2]), "leads out"),
    (lambda: apsp.batch(np.zeros((2, 2, 2)), device="tpu"), "device"),
    (lambda: apsp.batch(np.zeros((2, 2, 2)), dtype="int8"), "int8"),
    (lambda: apsp.batch(np.zeros((2, 2, 2), complex)), "complex"),
])
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
