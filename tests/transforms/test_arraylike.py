"""Lists given to functions that take arrays."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.4, 0.8, 0.6])


def reduced(x):
    pair, triple = [x[0], x[1] * x[2]], (x[0], x[1], x[2])
    s = np.mean(pair) + np.sum(triple) ** 2 + np.var(triple) + np.std(pair) + np.max(pair) + np.min(triple)
    s += np.prod(triple) + np.median(triple) + np.linalg.norm(pair) + np.mean([pair, [x[2], 1.0]], axis=0)[0] ** 2
    return s + np.ptp(pair) + x[np.argmax(triple)] + (x[0] if np.all([x[0] > 0, x[1] > 0]) else 0.0)


def multiplied(x):
    pair = [x[0], x[1]]
    s = np.dot(pair, [x[1], 2.0]) + np.dot(x[:2], (x[1], x[2])) + np.outer(pair, x)[1, 0] ** 2 + np.inner(pair, pair)
    s += np.linalg.solve([[2.0 + x[0], 1.0], [1.0, 3.0]], [x[1], x[2]])[0] + np.linalg.det([[2.0 + x[0], x[1]], pair])
    s += (np.array([[1.0, 2.0], [x[0], 1.0]]) @ pair)[1] + np.convolve(pair, [x[1], 1.0])[1]
    return s + np.cross([x[0], 1.0, x[1]], x)[0]


def element_by_element(x):
    pair = [x[0], -x[1]]
    s = np.sum(np.sin(pair)) + np.abs(pair)[1] ** 2 + np.where([True, False], pair, [1.0, x[1]])[1] ** 2
    s += np.maximum(pair, [x[1], x[2]])[0] + np.clip(pair, 0.0, 0.5)[0] + np.hypot(pair, x[1])[0]
    return s + np.sum((x[:2] - [x[1], 2.0]) ** 2) + np.sum(([1.0, x[0], 2.0] + x) / (1.0, 2.0, 3.0))


def moved(x):
    pair = [x[0], x[1]]
    s = np.sort([x[1], x[0], x[2]])[1] + np.cumsum(pair)[1] ** 2 + np.sum(np.diff(x[:1] + pair) ** 2) + np.flip(pair)[0]
    s += np.repeat(pair, 2)[2] ** 2 + np.roll(pair, 1)[0] + np.linalg.inv(np.diag(pair))[0, 0]
    s += np.column_stack((pair, [x[1], 2.0]))[0, 1] ** 2 + np.concatenate((pair, x))[0] + np.append(pair, x)[0] ** 2
    return (
        s
        + np.ravel([pair, pair])[0]
        + x[0] ** np.size(pair)
        + x[0] ** np.shape(pair)[0]
        + np.interp(x[0], [0.0, 1.0], pair)
    )


def stored(x):
    """Without arrays made of them, derivatives did not get through."""
    y = np.zeros((3, 2))
    for i, v in enumerate(x):
        y[i] = v * v, x[0]
    y[1] += (x[0] * x[1], 2.0)
    y[1:, 1] = [x[1], x[0]]
    y[:, 0] -= [1, x[0], x[1]]
    np.add.at(y, [0, 2], ((x[0], x[1]), (x[1], 2.0)))
    z = np.zeros(2)
    np.copyto(z, (x[1], x[2] ** 2))
    z += (x[0], 1.0)
    return np.sum(y**3) + z @ z + np.sum(np.tile([x[0], x[1]], 2) ** 2)


@pytest.mark.parametrize("function", [reduced, multiplied, element_by_element, moved, stored])
def test_lists_are_arrays_where_numpy_takes_arrays(function):
    assert_gradient(function, X, modes=["arrays", "gradient"])


def test_a_list_times_something_unknown_is_refused():
    with pytest.raises(UnsupportedSyntax, match="arithmetic with a list"):
        srcad.grad(lambda x: (x * [1.0, 2.0, 3.0])[1], jit=False)(X)


def test_einsum_with_lists_of_axes_is_refused():
    with pytest.raises(UnsupportedSyntax, match="give the subscripts as a text"):
        srcad.grad(lambda x: np.sum(np.sin(np.einsum(np.outer(x, x), (1, 0)))), jit=False)(X)


def test_ranges_are_arrays_to_numpy():
    """Numba takes a range for a number: compiled, one of several contributions was there."""

    def filled(a, n):
        return np.sum(np.full_like(range(n), 2.0, dtype=float) * a) + np.sum(np.zeros_like(range(n)) * a)

    assert srcad.grad(filled)(0.6, 3) == 6.0
    assert srcad.grad(filled, jit=False)(0.6, 3) == 6.0
