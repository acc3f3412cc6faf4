"""Of tables of minima, what passes on the adjoint of an element is skipped where that is zero."""

import numpy as np
import pytest

import srcad
from tests.agreement import compared
from tests.checking import generated

RNG = np.random.default_rng(3)
X, Y = RNG.normal(size=5), RNG.normal(size=6)


def aligned(x, y):
    """Local alignment with affine gaps: three tables, each of which adds to the others."""
    n, m = x.size, y.size
    h, e, f = np.zeros((n + 1, m + 1)), np.full((n + 1, m + 1), -9.0), np.full((n + 1, m + 1), -9.0)
    best = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            e[i, j] = max(h[i, j - 1] - 0.3, e[i, j - 1] - 0.1 * x[i - 1] ** 2)
            f[i, j] = max(h[i - 1, j] - 0.3, f[i - 1, j] - 0.1 * y[j - 1] ** 2)
            h[i, j] = max(0.0, h[i - 1, j - 1] + x[i - 1] * y[j - 1], e[i, j], f[i, j])
            best = max(best, h[i, j])
    return best


def edited(x, y):
    d = np.zeros((x.size + 1, y.size + 1))
    for i in range(1, x.size + 1):
        d[i, 0] = d[i - 1, 0] + abs(x[i - 1])
    for j in range(1, y.size + 1):
        d[0, j] = d[0, j - 1] + abs(y[j - 1])
    for i in range(1, x.size + 1):
        for j in range(1, y.size + 1):
            change = d[i - 1, j - 1] + (x[i - 1] - y[j - 1]) ** 2
            d[i, j] = min(change, d[i - 1, j] + 0.4 * x[i - 1] ** 2, d[i, j - 1] + 0.4)
    return d[x.size, y.size] ** 2


def twice_over(x, y):
    """An element that is read behind the stretch, and numbers that go on behind it."""
    d, total = np.zeros(y.size + 2), 0.0
    for i in range(x.size):
        for j in range(1, y.size):
            a = max(d[j - 1] + x[i], d[j])
            b = max(a, d[j + 1] * y[j])
            d[j] = max(b, 0.1 * a)
            total += 0.01 * a
    return d[2] + total


def clipped(x, y):
    """No recurrence: half of the elements have no slope, and the loop is one for vector instructions."""
    z = np.zeros(x.size)
    for i in range(x.size):
        z[i] = max(min(x[i], 0.5), -0.5) * y[0]
    total = 0.0
    for i in range(x.size):
        total += max(z[i], 0.1)
    return total


@pytest.mark.slow
@pytest.mark.parametrize(("f", "count"), [(aligned, 3), (edited, 1), (twice_over, None), (clipped, 0)])
def test_elements_without_an_adjoint_pass_on_nothing(f, count):
    text = generated(f, (X, Y), "grad", (0, 1), True)[2]
    assert count is None or text.count("_bar != 0.0:") == count
    assert compared(f, (X, Y))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(0, 3), (1, 1), (3, 0), (2, 7)])
def test_tables_of_all_sizes(sizes):
    assert compared(aligned, tuple(map(RNG.normal, (0.0, 0.0), (1.0, 1.0), sizes)))


def test_ties_go_to_the_first():
    x, y = np.array([1.0, -1.0]), np.array([1.0, 1.0])
    with_it, without = (srcad.grad(aligned, wrt=(0, 1), jit=False, without=each)(x, y) for each in ((), "zero_guards"))
    for ours, theirs in zip(with_it, without, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.compiled
def test_compiled_it_is_the_same():
    found, expected = srcad.grad(aligned, wrt=(0, 1))(X, Y), srcad.grad(aligned, wrt=(0, 1), jit=False)(X, Y)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14)
