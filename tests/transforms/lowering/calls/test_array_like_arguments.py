"""Lists given to functions that take arrays."""

import warnings

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.signal
import scipy.spatial
import scipy.stats

import srcad
from srcad.errors import PerformanceWarning, UnsupportedSyntax
from tests.checking import assert_gradient
from tests.lowering import assert_same

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


@pytest.mark.slow
@pytest.mark.parametrize("function", [reduced, multiplied, element_by_element, moved, stored])
def test_lists_are_arrays_where_numpy_takes_arrays(function):
    assert_gradient(function, X, modes=["arrays", "gradient"])


DISPLAYS = {
    "roots": lambda x: np.sum(np.roots([1.0, -3.0 - x[0], x[1]]).real ** 2),
    "a tuple": lambda x: np.sum(np.roots((1.0, -3.0 - x[0], x[1])).real ** 2),
    "polynomials": lambda x: np.sum(np.poly([x[0], x[1]])) + np.sum(np.polyder([x[0], x[1], 1.0]) ** 2),
    "division": lambda x: np.sum(np.polydiv([1.0, x[0], x[1]], [x[2], 0.5])[0]),
    "powers": lambda x: np.polynomial.polynomial.polyval(0.3, [x[0], x[1], 1.0]) ** 2,
    "a series": lambda x: np.polynomial.chebyshev.chebval(x[2], [x[0], x[1], 1.0]),
    "differences": lambda x: np.sum(np.gradient([x[0], x[1], x[2] ** 2]) ** 2) + np.diff(x, append=[x[0] ** 2])[-1],
    "a row for each": lambda x: np.sum(np.full((2, 2), [x[0], x[1] ** 2])),
    "rows": lambda x: np.sum(scipy.linalg.expm([[0.0, x[0]], [x[1], 0.0]])),
    "densities": lambda x: np.sum(scipy.stats.norm.pdf([x[0], x[1]], scale=x[2])),
    "counts": lambda x: np.sum(scipy.stats.poisson.logpmf([1, 2, 3], x[0])),
    "a covariance": lambda x: scipy.stats.multivariate_normal.logpdf(x[:2], [0.0, x[0]], [[2.0, x[1]], [x[1], 3.0]]),
    "samples": lambda x: scipy.integrate.simpson([x[0], x[1], x[0] * x[2]], dx=0.1),
    "signals": lambda x: np.sum(scipy.signal.convolve([x[0], x[1]], x) ** 2),
    "points": lambda x: scipy.spatial.distance.cdist([[x[0], x[1]]], [[0.0, 1.0]])[0, 0],
    "vectors": lambda x: scipy.spatial.distance.cosine([x[0], x[1]], (1.0, x[2])),
}


@pytest.mark.parametrize("name", DISPLAYS)
def test_lists_are_arrays_where_a_definition_takes_arrays(name):
    srcad.check_grads(DISPLAYS[name], (X,), jit=False)


def test_a_list_times_something_unknown_is_refused():
    with pytest.raises(UnsupportedSyntax, match="arithmetic with a list"):
        srcad.grad(lambda x: (x * [1.0, 2.0, 3.0])[1], jit=False)(X)


def axes_in_lists(x):
    a = np.outer(x, x + 1.0)
    return np.einsum(a, [1, 0]), np.einsum(a, [0, 1], x, [1], [0]), np.einsum(a, [0, ...], x, [0], [...])


def many_operands(x):
    a = np.outer(x, x + 1.0)
    return (
        np.einsum("ij,jk,kl,l->i", a, a, a, x),
        np.einsum("...i,ij,j,jk", a, a, x, a),
        np.einsum("i,i,i,i,i", x, x, x, x, x),
        np.einsum("...ij,...j->...i", np.stack((a, a)), x),
    )


@pytest.mark.parametrize("function", [axes_in_lists, many_operands])
def test_einsum_takes_lists_of_axes_and_many_operands(function):
    assert_same(function, X)
    srcad.check_grads(lambda x: sum([np.sum(np.sin(each)) for each in function(x)]), (X,), jit=False)


def test_einsum_with_lists_of_computed_axes_is_refused():
    with pytest.raises(UnsupportedSyntax, match="give the subscripts as a string"):
        srcad.grad(lambda x, k: np.sum(np.einsum(x, [k], x, [k])), jit=False)(X, 0.0)


@pytest.mark.slow
def test_ranges_are_arrays_to_numpy():
    """Numba takes a range for a number: compiled, one of several contributions was there."""

    def filled(a, n):
        return np.sum(np.full_like(range(n), 2.0, dtype=float) * a) + np.sum(np.zeros_like(range(n)) * a)

    assert srcad.grad(filled)(0.6, 3) == 6.0
    assert srcad.grad(filled, jit=False)(0.6, 3) == 6.0


TUPLES = {
    "shapes and tuples are joined": lambda x: len(x.shape + (1,)) + len((2, 3) + x.shape) + (x.shape[:-1] + (7, 1))[0],
    "two shapes": lambda x: len(x.shape + x.shape),
    "repeated": lambda x: len(x.shape * 2) + 10 * len(2 * x.shape),
    "equal": lambda x: (x.shape == (3,)) + 2 * ((1, 2) == x.shape) + 4 * (x.shape + () != (3, 1)),  # noqa: SIM300
    "in order": lambda x: (x.shape < (4,)) + 2 * ((3, 0) > x.shape) + 4 * (x.shape >= (3, 1)),  # noqa: SIM300
    "a list is no tuple": lambda x: (x.shape == [3]) + 2 * ((x[0], 1) == [x[0], 1]) + 4 * (((1,), x[0]) != ([1], x[0])),
    "a tuple is no number": lambda x: ((x[0], 1) == 3) + 2 * ((x[0], 1) != None),  # noqa: E711
    "a shape beside an array": lambda x: np.sum(x.shape + x) - np.sum(x) + np.sum(x * x.shape / x),
    "an array beside a tuple": lambda x: (np.array(x.shape) + (1,))[0] + len(np.array(x.shape) + (1, 2)),
    "a number of NumPy's beside a tuple": lambda x: len(x[0] + (1, 2)) + len(x[0] - [1, 2, 3]),
    "in what a helper returns": lambda x: 2.0 * (3 in _with_one(x)) + (5 not in _with_one(x)) + sum(_with_one(x)),
}


def _with_one(x):
    return x.shape + (1,)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
@pytest.mark.parametrize("name", TUPLES)
def test_a_tuple_beside_what_only_types_tell_is_what_python_takes_it_for(name, jit):
    number = TUPLES[name]

    def f(x):
        return float(number(x)) * np.sum(x * x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        value, gradient = srcad.value_and_grad(f, jit=jit)(X)
        assert srcad.function(f, jit=jit)(X) == pytest.approx(f(X))
        assert srcad.jvp(f, (X,), (np.ones(3),), jit=jit) == pytest.approx((f(X), 2.0 * number(X) * np.sum(X)))
    assert value == pytest.approx(f(X))
    assert gradient == pytest.approx(2.0 * number(X) * X)


@pytest.mark.parametrize(
    "number",
    [
        lambda x: len(x.shape + [1]),
        lambda x: len([1] + x.shape),
        lambda x: len((1, 2) + 1),
        lambda x: len(x.shape - (1,)),
        lambda x: x.shape < [4],
        lambda x: (x[0], 2) < [x[0], 4],
    ],
)
def test_what_is_no_operation_on_tuples_in_python_raises(number):
    with pytest.raises((TypeError, UnsupportedSyntax)):
        srcad.grad(lambda x: number(x) * x[0], jit=False)(X)


def test_a_tuple_that_grows_in_a_loop_is_read_where_its_length_is_of_no_account():
    def f(x):
        s = 2 * x.shape
        for _ in range(2):
            s = s + s[1:]
        return np.sum(x * x) * (len(s) + s[-1])

    assert srcad.value_and_grad(f, jit=False)(X)[0] == pytest.approx(f(X))
    assert srcad.value_and_grad(f, jit=False)(X)[1] == pytest.approx(16.0 * X)


def test_a_whole_tuple_of_differentiated_values_is_refused_in_both_modes():
    def f(x):
        s = x.shape + (x[0], x[1] * x[2])
        return s[1]

    with pytest.raises(UnsupportedSyntax, match="cannot be taken apart while compiling"):
        srcad.jvp(f, (X,), (np.ones(3),), jit=False)
    with pytest.raises(UnsupportedSyntax, match="cannot be taken apart while compiling"):
        srcad.grad(f, jit=False)(X)
