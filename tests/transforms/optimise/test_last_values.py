"""What a loop keeps of one iteration is computed again from that iteration alone."""

import numba
import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

RNG = np.random.default_rng(6)
A, B = RNG.standard_normal((7, 5)), RNG.standard_normal((6, 5))
V, W = RNG.standard_normal(9), RNG.standard_normal(9)


def hausdorff(a, b):
    most = 0.0
    for i in range(a.shape[0]):
        least = np.inf
        for j in range(b.shape[0]):
            d = 0.0
            for k in range(a.shape[1]):
                d += (a[i, k] - b[j, k]) ** 2
            least = min(least, d)
        most = max(least, most)
    return np.sqrt(most)


def nearest_entry(a, b):
    best, row, column = 1e30, -1, -1
    for j in range(b.shape[0]):
        for k in range(b.shape[1]):
            d = (a[1, k] - b[j, k]) ** 2
            if d < best:
                best, row, column = d, j, k
    return np.sqrt(best) * (1 + row) + column


def nearest_row(a, b):
    best = 1e9
    for i in range(a.shape[0]):
        d = a[i] - b[2]
        s = d @ d
        best = min(best, s)
    return best


def first_match(v, w):
    y = w[0] * 2
    for i in range(v.size):
        if v[i] > 0.5:
            y = v[i] ** 2 * w[i]
            break
    return y * v[0]


def down_in_steps(v, w):
    y = w[0] * 2
    for i in range(v.size - 1, -1, -2):
        if v[i] * w[i] > 0:
            y = np.sin(v[i]) * w[i]
    return y


def never(v, w):
    y = w[1]
    for i in range(v.size):
        if v[i] > 100:
            y = v[i]
    return y * v[2]


def no_trip(v, w):
    y = w[1]
    for i in range(3, 3):
        if v[i] > 0:
            y = v[i]
    return y * v[2]


def range_of_values(v, w):
    low, high = 1e9, -1e9
    for i in range(v.size):
        if w[i] < -1.0:
            continue
        t = v[i] * w[i]
        if t < low:  # noqa: PLR1730 - a branch on purpose
            low = t
        if t > high:  # noqa: PLR1730
            high = t
    return high - low


def several_kept(v, w):
    best, left, right = -1e9, 0.0, 0j
    for i in range(v.size):
        s = v[i] + w[i]
        if s > best:
            best, left, right = s, v[i] * 2, complex(v[i], w[i]) ** 2
    return left * right.imag


def scratch_array(v, w):
    best = 1e9
    for i in range(v.size - 3):
        t = np.zeros(3)
        for k in range(3):
            t[k] = v[i + k] * w[k]
        s = np.sum(t)
        best = np.minimum(best, s)
    return best


def best_path(a, v):
    s = v[:5].copy()
    for t in range(a.shape[0]):
        new = np.empty(5)
        for j in range(5):
            m = -1e9
            for i in range(5):
                q = s[i] + a[t, j] * a[t, i]
                m = np.fmax(q, m)
            new[j] = m
        s = new
    m = -1e9
    for i in range(5):
        m = max(m, s[i])
    return m


def in_a_while_loop(v, w):
    x, n = v[0], 0
    while n < 6 and abs(x) < 50:
        d = 1e9
        for i in range(w.size):
            e = abs(x - w[i]) + 0.1
            d = min(d, e)
        x = x * 1.3 + d * v[1]
        n += 1
    return x


def beside_a_sum(v, w):
    m, s = 1e9, 0.0
    for i in range(v.size):
        t = v[i] * w[i]
        s += t * t
        if t < m:  # noqa: PLR1730
            m = t
    return s * m


def kept_integer(v, w):
    m, turn = 1e9, 0
    for i in range(v.size):
        turn = 2 * turn % 7 + 1
        if v[i] < m:
            m = v[i] * turn
    return m


# What is not computed again, as another iteration has a part in it, or as the loop has other uses of it.


def sum_so_far(v, w):
    s, m = 0.0, -1e9
    for i in range(v.size):
        s += v[i] * w[i]
        m = max(m, s)
    return m


def every_step(v, w):
    m, out = -1e9, np.zeros(v.size)
    for i in range(v.size):
        if v[i] * w[i] > m:  # noqa: PLR1730
            m = v[i] * w[i]
        out[i] = m
    return np.sum(out)


def changed_array(v, w):
    x, m = v.copy(), 1e9
    for i in range(v.size):
        x[i] = x[i] * w[i]
        if x[i] < m:
            m = x[i] + x[0]
    return m


def product_so_far(v, w):
    m = 1.0
    for i in range(v.size):
        if v[i] > m * 0.1:
            m = m * v[i] + w[i]
    return m


def running_maximum(v, w):
    m, s = -1e9, 0.0
    for i in range(v.size):
        m = max(m, v[i] * w[i])
        s += m
    return m * w[0] + s


def two_arms(v, w):
    m = 1e9
    for i in range(v.size):
        if v[i] < m:
            m = v[i]
        elif w[i] < m:
            m = w[i] * v[i]
    return m


def replaced_by_an_inner_loop(v, w):
    m = 1e9
    for i in range(v.size):
        if v[i] < m:
            m = v[i] * w[i]
        for j in range(i % 2):
            m = w[j]
    return m


def replaced_in_a_branch(v, w):
    m = 1e9
    for i in range(v.size):
        m = min(m, v[i])
        if w[i] > 0.5:
            m = w[i] * 2.0
    return m


def handed_on(v, w):
    m, last, s = 1e9, 0.0, 0.0
    for i in range(v.size):
        if v[i] < m:
            m = v[i] * w[i]
        s += last * w[i]
        last = m
    return m + s


AGAIN = [first_match, down_in_steps, never, no_trip, range_of_values, several_kept, scratch_array, in_a_while_loop]
AGAIN += [beside_a_sum, kept_integer]
NOT_AGAIN = [sum_so_far, every_step, running_maximum, changed_array, product_so_far, two_arms]
NOT_AGAIN += [replaced_by_an_inner_loop, replaced_in_a_branch, handed_on]
OF_MATRICES = [(hausdorff, A, B), (nearest_entry, A, B), (nearest_row, A, B), (best_path, A, V)]


@pytest.mark.parametrize("function", [*AGAIN, *NOT_AGAIN])
def test_gradients_are_those_of_differences(function):
    assert_gradient(function, V, W, wrt=(0, 1))


@pytest.mark.parametrize(("function", "a", "b"), OF_MATRICES)
def test_gradients_of_functions_of_matrices_are_those_of_differences(function, a, b):
    assert_gradient(function, a, b, wrt=(0, 1))


def is_again(function, *args):
    """Whether the pass changes the gradient of a function."""
    return srcad.source(function, args=args) != srcad.source(function, args=args, without="last_values")


def test_what_one_iteration_gives_is_computed_again_and_nothing_else():
    assert [each.__name__ for each in AGAIN if not is_again(each, V, W)] == []
    assert [each.__name__ for each, a, b in OF_MATRICES if not is_again(each, a, b)] == []
    assert [each.__name__ for each in NOT_AGAIN if is_again(each, V, W)] == []


def test_nothing_is_recorded_for_a_search():
    assert "trace" not in srcad.source(hausdorff, args=(A, B))


@numba.njit
def largest(x):
    m = x[0]
    for i in range(1, x.size):
        m = np.maximum(m, x[i])
    return m


@numba.njit
def smallest_number(x):
    m = np.inf
    for i in range(x.size):
        m = np.fmin(x[i], m)
    return m


def largest_that_python_keeps(x):
    m = x[0]
    for i in range(1, x.size):
        m = max(x[i], m)
    return m


def smallest_that_python_keeps(x):
    m = x[0]
    for i in range(1, x.size):
        m = min(m, x[i])
    return m


@pytest.mark.parametrize("nans", [(), (0,), (3,), (8,), (0, 3, 8)])
@pytest.mark.parametrize("function", [largest, smallest_number, largest_that_python_keeps, smallest_that_python_keeps])
def test_a_nan_stays_or_is_ignored_as_in_the_function(function, nans):
    x = np.where(np.isin(np.arange(9), nans), np.nan, V)
    value, gradient = srcad.value_and_grad(function)(x)
    np.testing.assert_array_equal(value, function(x))
    assert np.sum(gradient) == 1.0 or np.isnan(value)


def test_of_equal_numbers_the_first_operand_has_the_derivative():
    def last_of_equal(x):
        m = 0.0
        for i in range(x.size):
            m = max(x[i], m)
        return m

    def first_of_equal(x):
        m = 0.0
        for i in range(x.size):
            m = max(m, x[i])
        return m

    x = np.array([1.0, 2.0, 2.0, 1.0])
    for function, place in ((last_of_equal, 2), (first_of_equal, 1)):
        for without in ((), "last_values"):
            np.testing.assert_array_equal(srcad.grad(function, without=without)(x), np.arange(4) == place)
