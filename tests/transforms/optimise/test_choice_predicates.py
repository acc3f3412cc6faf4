"""What a minimum or maximum takes is recorded in place of its operands, where nothing else needs these."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient


def shortest(d):
    d = d.copy()
    for k in range(d.shape[0]):
        d[:] = np.minimum(d[:], np.add.outer(d[:, k], d[k, :]))
    return np.sum(d * d)


def shortest_by_elements(d):
    d = d.copy()
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, k] + d[k, j], d[i, j])
    return np.sum(d)


def shortest_by_new_arrays(d):
    for k in range(d.shape[0]):
        d = np.fmin(d, d[:, k, None] + d[None, k])
    return np.sum(d)


def ratchet(x, n):
    top, s = x[0], 0.0
    for t in range(n):
        top = max(0.9 * top, x[t], 0.25)
        s += np.fmax(top * x[0], x[t]) * top
        if s > 9.0:
            break
    return s


def swept(x):
    y = x.copy()
    for _ in range(3):
        for i in range(x.size - 2, -1, -1):
            y[i] = np.maximum(y[i + 1] - 0.4, 0.0) + np.minimum(y[i], x[i] * x[i + 1])
    return np.sum(y * x)


def clamped(x):
    y = np.zeros_like(x)
    for i in range(x.size):
        y[i] = np.minimum(np.maximum(x[i], 0.3), 0.8) * x[i]
        x[i] = y[i]
    return np.sum(y) + np.sum(x * x)


RNG = np.random.default_rng(8)
D, X = RNG.uniform(0.1, 1.0, (4, 4)), RNG.uniform(0.1, 1.0, 6)
CASES = [
    (shortest, (D[:3, :3],)),
    pytest.param(shortest, (np.asfortranarray(D)[:1, :1],), marks=pytest.mark.nightly),
    (shortest_by_elements, (D[2::-1, 2::-1],)),
    pytest.param(shortest_by_new_arrays, (D[:3, :3],), marks=pytest.mark.nightly),
    (ratchet, (X, 6)),
    pytest.param(ratchet, (X, 0), marks=pytest.mark.nightly),
    (swept, (X[::-2],)),
    pytest.param(clamped, (X,), marks=pytest.mark.nightly),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda value: getattr(value, "__name__", None))
def test_gradients(f, args):
    assert_gradient(f, *args, modes=("loops", "gradient"))


@pytest.mark.parametrize("f", [shortest, shortest_by_elements])
def test_truth_values_are_recorded_and_nothing_else(f):
    text = srcad.source(f, args=(D,))
    assert text.count("_trace = ") == 1
    assert "np.bool_" in text


def ties(x):
    s, y = 0.0, x[0]
    for t in range(x.size):
        y = np.minimum(y, x[t])
        s += y * np.maximum(0.0, x[t] - 1.0)
    return s


def test_ties_go_to_the_same_side_with_the_pass_and_without_it():
    x = np.array([1.0, 1.0, 3.0, 1.0])
    found = [srcad.grad(ties, jit=False, without=each)(x) for each in ((), "choice_predicates")]
    np.testing.assert_array_equal(*found)


@pytest.mark.compiled
def test_compiled_gradients():
    found = srcad.grad(shortest)
    for n in (4, 1, 0):
        np.testing.assert_allclose(found(D[:n, :n]), srcad.grad(shortest, jit=False)(D[:n, :n]), rtol=1e-14)
