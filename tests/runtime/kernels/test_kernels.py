"""Kernels, and the NumPy functions that srcad teaches Numba, give in Numba what they give in Python."""

from __future__ import annotations

import warnings

import numba
import numpy as np
import pytest

from srcad.errors import MayOverlap
from srcad.runtime import kernels
from tests.night import by_day

X = np.random.default_rng(5).normal(size=(2, 3, 4))
M = X[0]
S = M[:, :3] + 3.0 * np.eye(3)
V = M[0]
ROWS = np.array([0, 2, 2])
F = np.asfortranarray(M)

FORMS = ("{}, 0", "{}, axis=-1", "{}, axis=(0, 2)", "{}, axis=1, keepdims=True", "{}, keepdims=True")
REDUCTIONS = [
    f"np.{name}({form.format(x)})"
    for name, x in (
        ("sum", "x"),
        ("mean", "x"),
        ("max", "x"),
        ("min", "x"),
        ("prod", "x"),
        ("any", "x > 1"),
        ("all", "x > -2"),
    )
    for form in FORMS
]
EXPRESSIONS = [
    *((text, (X,)) for text in REDUCTIONS),
    *(
        (text, (np.ones((0, 3)),))
        for text in ("np.sum(x, axis=0, keepdims=True)", "np.prod(x, axis=1)", "np.mean(x, 1)")
    ),
    ("np.mean(x, axis=0)", (M.astype(np.float32),)),
    ("np.mean(x, axis=0)", (np.arange(6).reshape(2, 3),)),
    ("np.linalg.norm(x, axis=1)", (M,)),
    ("np.cumprod(x, axis=0)", (M,)),
    ("np.squeeze(x, 1)", (X[:, :1],)),
    ("np.squeeze(x, axis=(0, 1))", (X[:1, :1],)),
    ("np.sum(x, axis=None, keepdims=False)", (M,)),
    ("np.mean(x, axis=None)", (M,)),
    ("np.max(x, axis=1, keepdims=False)", (M,)),
    ("np.inner(x, x)", (M,)),
    ("np.inner(x, x[0])", (M,)),
    ("np.tile(x, 3)", (V,)),
    ("np.flip(x, 1)", (X,)),
    ("np.roll(x, -1, 1)", (X,)),
    ("np.diagonal(x, 1)", (M,)),
    ("np.astype(x, np.float32)", (M,)),
    ("abs(x)", (M,)),
    ("np.ndim(x)", (M,)),
    ("kernels.ratio(x, x)", (np.array([0.0, 2.0]),)),
    ("kernels.ratio(x, 0.0)", (1.0,)),
    ("kernels.root(x)", (np.array([0.0, 2.0]),)),
    ("kernels.power_slope(x, 2)", (V,)),
    ("kernels.power_slope(x, 0.0)", (0.0,)),
    ("kernels.power_bend(x, 0.0, -1.0)", (0.0,)),
    ("kernels.power_bend(x, x, 2.5)", (np.abs(V),)),
    ("kernels.power_log(x, x)", (np.abs(V),)),
    ("kernels.power_log(x, x)", (np.array([-2.0, 0.0, 3.0]),)),
    ("kernels.power_log(x, y)", (-8.0, -2.0)),
    ("kernels.power_log(x, y)", (1.0 + 2.0j, -2.0)),
    ("kernels.power_log_slope(x, x)", (np.array([-2.0, 0.0, 3.0]),)),
    ("kernels.power_log_slope(x, y)", (-8.0, -2.0)),
    ("kernels.sinc_slope(x)", (np.array([0.0, 1e-4, 0.3]),)),
    ("kernels.polygamma(1, x)", (2.3,)),
    ("kernels.is_below(x, 0.0, None)", (V,)),
    ("kernels.is_above(x, None, x + 1)", (V,)),
    ("kernels.is_below(x, y, 1.0)", (0.3, 0.5)),
    ("kernels.unbroadcast(x, y)", (X, V)),
    ("kernels.unbroadcast(x, y)", (X, M[:, :1])),
    ("kernels.unbroadcast(x, y)", (X, 1.0)),
    ("kernels.unbroadcast(x, y)", (F, M)),
    ("kernels.unbroadcast(x, y)", (np.ones((0, 4)), V)),
    ("kernels.spread(x, y.shape)", (1.5, M)),
    ("kernels.spread(x, y.shape, 1)", (X[:, 0], X)),
    ("kernels.spread(x, y.shape, (0, -1))", (X[0, :, 0], X)),
    ("kernels.spread(x, y.shape, 1, True)", (X[:, :1], X)),
    ("kernels.reduced_size(x.shape, (0, -1))", (X,)),
    ("kernels.broadcast_shape(x.shape, y.shape)", (X, V)),
    ("kernels.shares(np.max(x), x)", (np.array([1.0, 3.0, 3.0]),)),
    ("kernels.largest(x) - kernels.smallest(x)", (np.array([[2.0, -3.0], [5.0, 4.0]])[:, ::-1],)),
    ("kernels.largest(x) + kernels.smallest(y)", (np.array([1.0, np.nan, 2.0]), np.array([3, 2, 7]))),
    ("kernels.outer(x, y)", (V, 1j * V[:2])),
    ("kernels.shares(np.max(x, axis=1), x, 1)", (X,)),
    ("kernels.shares(np.min(x, axis=1, keepdims=True), x, 1, True)", (X,)),
    ("kernels.others(x)", (M,)),
    ("kernels.others(x, 1)", (X,)),
    ("kernels.others_adjoint(x, y, 1)", (X, X + 1.0)),
    ("kernels.cumsum_adjoint(x, y.shape)", (X.ravel(), X)),
    ("kernels.cumsum_adjoint(x, y.shape, 1)", (X, X)),
    ("kernels.cumprod_adjoint(x, y)", (V, V)),
    ("kernels.cumprod_adjoint(x, y, 1)", (X, X)),
    ("kernels.cumprod_tangent(x, y, 0)", (X, X)),
    ("kernels.cumprod_bend(x, y, x + 1, 1)", (X, X)),
    ("kernels.cumprod_tangent(x, y)", (X, X)),
    ("kernels.sort_adjoint(x, y)", (X, X)),
    ("kernels.sort_adjoint(x, y, None)", (X.ravel(), X)),
    ("kernels.sort_tangent(x, y, 0)", (X, X)),
    ("kernels.unconcatenate(x, (y, y[:1]), 0)", (np.ones((4, 4)), M)),
    ("kernels.unconcatenate(x, (y, y), -1)", (np.ones((3, 8)), M)),
    ("kernels.unconcatenate(x, (y, y[0]), None)", (np.arange(16.0), M)),
    ("kernels.unstack(x, (y, y), 1)", (np.ones((3, 2, 4)), M)),
    ("kernels.unvstack(x, (y, y[0]))", (np.ones((4, 4)), M)),
    ("kernels.unhstack(x, (y, y))", (np.ones(8), V)),
    ("kernels.uncolumn_stack(x, (y, y[:, 0]))", (np.ones((3, 5)), M)),
    ("kernels.unarray(x, ((1.0, 2), (3.0, 4.0)))", (np.ones((2, 2)),)),
    ("kernels.untranspose(x, (1, 2, 0))", (X,)),
    ("kernels.repeat_adjoint(x, y.shape, 2)", (np.arange(8.0), V)),
    ("kernels.repeat_adjoint(x, y.shape, 0)", (np.zeros(0), M)),
    ("kernels.tile_adjoint(x, y.shape, 2)", (np.arange(8.0), V)),
    ("kernels.diag_adjoint(x, (5, 5), 1)", (V,)),
    ("kernels.diag_adjoint(x, (3,))", (S,)),
    ("kernels.trace_adjoint(x, (3, 4), 1)", (1.5,)),
    ("kernels.take_adjoint(x, (5,), y)", (V[:3], ROWS)),
    ("kernels.diff_adjoint(x, 2)", (V,)),
    ("kernels.weights((4,), False)", ()),
    ("kernels.times(x, y)", (M, V)),
    ("kernels.times_transpose(x, y)", (F, M)),
    ("kernels.transpose_times(x, y)", (F, M)),
    ("kernels.transpose_times(x, y)", (M, V[:3])),
    ("kernels.cofactors(x, y)", (S, np.linalg.det(S))),
    ("kernels.cofactors(x, 0.0)", (np.outer(V, V),)),
    ("kernels.cofactors(x, 0.0)", (np.diag([2.0, 0.0, -1.0]) + 1j * np.eye(3, k=1),)),
    ("kernels.cofactors(x[:1, :1], y)", (S, S[0, 0])),
    ("kernels.cholesky_adjoint(x, y)", (S, np.linalg.cholesky(S @ S.T))),
    ("kernels.scatter(x, (3, 4), y)", (M, ROWS)),
    ("kernels.scatter(x, (3, 4), (1, y))", (V[:3], ROWS)),
    ("kernels.scatter(x, (3, 4), (slice(None), y))", (M[:, :3], ROWS)),
    ("kernels.scatter(x, (3,), 1)", (1.5,)),
    ("kernels.scatter(x, (3, 4), y)", (np.arange(1.0, 1.0 + np.sum(M > 0)), M > 0)),
    ("kernels.scatter(x, (3, 4), y)", (2.0, M > 0)),
    ("kernels.scatter(x, (3, 4), y)", (M[:2], np.array([True, False, True]))),
]


def compare(one, other):
    if isinstance(one, tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            compare(a, b)
    else:
        assert np.asarray(one).dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
        assert np.shape(one) == np.shape(other)


# Those that take Numba longest are compiled at night only, as are three quarters of all. All reductions have one
# implementation: by day each function and each form of arguments once.
LONG = {"kernels.others_adjoint(x, y, 1)", "kernels.shares(np.min(x, axis=1, keepdims=True), x, 1, True)"}
SHORT = {*REDUCTIONS[:: len(FORMS) + 1], *(text for text, _ in EXPRESSIONS[len(REDUCTIONS) :: 4])} - LONG
CASES = [pytest.param(*each, id=each[0]) for each in EXPRESSIONS]


@pytest.mark.compiled
@pytest.mark.parametrize(("text", "args"), by_day(CASES, lambda text, args: text in SHORT))
def test_compiled_like_interpreted(text, args):
    space = {"np": np, "kernels": kernels}
    exec(f"def f({', '.join(['x', 'y'][: len(args)])}): return {text}", space)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Mean of empty slice")
        warnings.filterwarnings("ignore", message="invalid value", category=RuntimeWarning)
        compare(numba.njit(space["f"])(*args), space["f"](*args))


OVERLAPS = [
    (lambda x: (x[1:], x[:-1]), True),
    (lambda x: (x[::2], x[1::2]), False),
    (lambda x: (x[:5], x[5:]), False),
    (lambda x: (x, x.copy()), False),
    (lambda x: (x, x), True),
    (lambda x: (x[::-1], x[:2]), True),
    (lambda x: (x.reshape(3, 4)[:, :2], x.reshape(3, 4)[:, 2:]), False),
    (lambda x: (x.reshape(3, 4)[:, :3], x.reshape(3, 4)[:, 2:]), True),
    (lambda x: (x.reshape(3, 4)[:, 0], x.reshape(3, 4)[:, 3]), False),
    (lambda x: (x[:0], x), False),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("views", "shared"), OVERLAPS)
def test_overlap_is_refused_and_neighbours_are_not(views, shared):
    a, b = views(np.arange(12.0))

    def check(a, b):
        kernels.refuse_overlap(a, b)

    for function in (check, numba.njit(check)):
        if shared:
            with pytest.raises(MayOverlap, match="share memory"):
                function(a, b)
        else:
            function(a, b)


@pytest.mark.parametrize(
    ("x", "expected"), [(1e-5, -100000.5772), (1.0, -0.57721566490153286), (-0.5, 0.03648997397857652)]
)
def test_digamma(x, expected):
    assert kernels.polygamma(0, x) == pytest.approx(expected, rel=1e-9)


def test_polygamma_is_the_derivative_of_the_one_before():
    for n in range(5):
        slope = (kernels.polygamma(n, 2.7 + 1e-6) - kernels.polygamma(n, 2.7 - 1e-6)) / 2e-6
        assert kernels.polygamma(n + 1, 2.7) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("tilt", [1.0, 1e-3, 1e-9, 0.0])
def test_cofactors_are_the_same_near_and_far_from_singular_matrices(tilt):
    a = np.array([[1.0, 2.0, 0.5], [2.0, 4.0, 1.0 + tilt], [0.3, -1.0 * tilt, 2.0]])
    minors = [
        [(-1.0) ** (i + j) * np.linalg.det(np.delete(np.delete(a, i, 0), j, 1)) for j in range(3)] for i in range(3)
    ]
    np.testing.assert_allclose(kernels.cofactors(a, np.linalg.det(a)), minors, atol=1e-9)


def _lines(x):
    high, low = np.max(x, axis=1), np.min(x, axis=-1, keepdims=True)
    shared = kernels.shares(high, x, 1), kernels.shares(low, x, -1, True)
    return high, low, shared, np.any(x > 1, 1), np.all(x > 1, axis=0), np.prod(x, 0), np.mean(x, axis=0)


def _columns(x):
    high, low = np.max(x, axis=0), np.min(x, axis=-2, keepdims=True)
    return high, low, kernels.shares(high, x, 0), kernels.shares(low, x, 0, True), np.sum(x, 0)


@pytest.mark.compiled
def test_lines_and_columns_of_matrices_compiled_like_interpreted():
    lines, columns = numba.njit(_lines), numba.njit(_columns)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # means of nothing
        compare(lines(M), _lines(M))
        compare(columns(M), _columns(M))
        compare(lines(M[:0]), _lines(M[:0]))
    with pytest.raises(ValueError, match="zero-size"):
        columns(M[:0])


@pytest.mark.parametrize(
    "x", [np.array([0.5, 2.0]), np.array([-0.5, 2.0]), np.array([0.5, np.nan]), np.array([0.5 + 0.3j, 2.0])]
)
def test_the_slope_of_sinc_of_a_vector_is_that_of_its_numbers(x):
    found = kernels.sinc_slope(x)
    np.testing.assert_allclose(found, [kernels.sinc_slope(each) for each in x], rtol=1e-12)
    np.testing.assert_allclose(found, (np.cos(np.pi * x) - np.sinc(x)) / x, rtol=1e-12)


def test_the_slope_of_sinc_has_the_dtype_of_its_argument():
    x = np.linspace(0.1, 0.9, 5)
    single = kernels.sinc_slope(x.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, kernels.sinc_slope(x), rtol=1e-4)
