"""NumPy's functions in less of Python: their results are NumPy's, bit by bit, in shape and dtype."""

import numpy as np
import pytest

from srcad.runtime.rulebook.registry import find
from srcad.runtime.support.fast_numpy import swift
from srcad.runtime.tape.reverse.eager_rules import pullback_function
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors

V, W = np.array([0.3, -0.0, np.nan, 2.0]), np.array([1.0, 2.0, 4.0, 8.0])
M = np.arange(12.0).reshape(3, 4)
T = np.arange(24.0).reshape(2, 3, 4)
CALLS = {
    "sum": [(M,), (M, 0), (T, (0, -1)), (M > 3.0, 1), (2.5,), (np.float64(2.5),), (V.astype("float32"),)],
    "reshape": [(M, (4, 3)), (M, -1), (2.0, (1, 1))],
    "transpose": [(M,), (T, (1, -1, 0)), ([[1.0, 2.0]],)],
    "outer": [(V, W), (M, V), (V, 2.0), (V[:0], W)],
    "roll": [
        (V, 1),
        (V, -6),
        (M, 2),
        (M, 1, 1),
        (T, -1, -2),
        (M, (1, 2), (0, 1)),
        (V[:0], 3),
        (V, np.int64(2)),
        (V, 0),
    ],
    "moveaxis": [(T, 0, 2), (T, -1, 0), (T, 1, -1), (T, (0, 1), (1, 0)), (M, 0, 0)],
    "tril": [(M,), (M, 1), (M, -2), (T, 1), (M.astype(int), 9), (np.outer(V, W),), (V,), (np.float32(M), -9)],
    "triu": [(M,), (M, 1), (M, -2), (T, 1), (M.astype(int), 9), (np.outer(V, W),), (V,), (np.float32(M), -9)],
    "cross": [(V[:3], W[1:]), (T[..., :3], T[..., 1:]), (T[..., :3], W[:3]), (M[:, 0], np.arange(3)), (V[:2], W[1:])],
    "cos": [(V,)],
    "max": [(V,), (W,), (M,), (T, (0, -1)), (M.T, 1), (np.float32(M),), (M.astype(int),), (2.5,)],
    "min": [(V,), (W,), (M,), (T, (0, -1)), (M.T, 1), (np.float32(M),), (M.astype(int),), (2.5,)],
    "matmul": [(M, W), (W, M.T), (W, W), (M, M.T), (T, M.T), (T, W), (np.float32(M), M.T), (M[:, :0], M.T[:0])],
    "searchsorted": [(W, 4.0), (W, V, "right"), (W, M), ([1.0, 2.0], 1.5)],
    "real": [(V,), (V + 2.0j,), (np.complex128(2.0 + 1.0j),)],
    "expand_dims": [(V, 0), (M, -1), (np.float64(2.0), 0), (np.float64(2.0), -1), (2.0, 0)],
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:Arrays of 2-dimensional vectors:DeprecationWarning")
def test_results_are_numpys(name):
    for arguments in CALLS[name]:
        found, expected = getattr(swift, name)(*arguments), getattr(np, name)(*arguments)
        assert (type(found), found.dtype, found.shape) == (type(expected), expected.dtype, expected.shape), arguments
        np.testing.assert_array_equal(found, expected)


def test_axes_are_counted_of_numbers_and_lists_too():
    given = (V, 2.0, np.float64(1.0), [[1.0]], 3)
    assert [swift.ndim(each) for each in given] == [np.ndim(each) for each in given]


def test_axes_that_there_are_not_are_refused():
    with pytest.raises((ValueError, IndexError)):
        swift.roll(M, 1, 2)
    with pytest.raises(ValueError, match="axes"):
        swift.transpose(M, (0, 0, 1))


def test_tensors_see_numpy_itself():
    run = pullback_function(find(np.roll), ("a",))
    assert run.__globals__["np"] is swift
    assert on_tensors(run).__globals__["np"] is np
