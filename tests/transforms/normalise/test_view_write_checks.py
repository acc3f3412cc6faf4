"""Writes that meet a view which generated code does not have are refused: gradients without them were wrong."""

import numpy as np
import pytest

import srcad
from srcad.errors import MayOverlap, SrcadError
from tests.checking import assert_gradient

X = np.array([0.7, 1.3, 0.4, 0.9])
Z = X + 1j * X[::-1]


def imaginary_part_read_later(z):
    w = z.copy()
    v = w.imag
    w[0] = 1.0
    return np.sum(v * v)


def half_written(x):
    w = x.copy()
    half = np.hsplit(w, 2)[1]
    half[0] = 3.0
    return np.sum(w * w)


def window_written(x):
    w = x.copy()
    windows = np.lib.stride_tricks.sliding_window_view(w, 2)
    w[1] = 3.0 * x[0]
    return np.sum(windows**3)


def conjugate_written(x):
    w = x.copy()
    v = w.conj()  # of real numbers the array itself
    v[0] = 3.0
    return np.sum(w * w)


def test_parts_of_an_array_are_followed():
    assert_gradient(half_written, X, modes=("arrays", "tangent"))


@pytest.mark.parametrize(
    ("function", "at"),
    [(imaginary_part_read_later, Z), (conjugate_written, X)],
)
def test_views_that_cannot_be_followed_are_refused(function, at):
    for derivative in (srcad.grad(function, jit=False), lambda x: srcad.jvp(function, (x,), (x,), jit=False)):
        with pytest.raises(MayOverlap, match="may be a view") as caught:
            derivative(at)
        assert "test_view_write_checks.py" in str(caught.value)
        assert ".copy()" in str(caught.value)


def test_windows_of_what_is_written_are_followed_forward_and_refused_in_reverse():
    with pytest.raises(MayOverlap, match="may be a view"):
        srcad.grad(window_written, jit=False)(X)
    assert_gradient(window_written, X, modes=("tangent",))


@pytest.mark.parametrize(
    "written",
    [
        lambda w: np.array(w, copy=False),
        lambda w: w.astype(float, copy=False),
        lambda w: np.einsum("i->i", w),
        lambda w: np.diff(w, 0),
        lambda w: np.real(w)[0:],
        lambda w: w.real[1:],
    ],
)
def test_functions_that_give_their_argument(written):
    def f(x):
        w = x.copy()
        v = written(w)
        v[0] = x[1] * x[2]
        w[2] = w[0] * 2.0
        return np.sum(w**3) + np.sum(v)

    assert_gradient(f, X, modes=["arrays"])
    assert_gradient(f, X, modes=["tangent"])


def test_nothing_else_is_copied_where_numpy_copies_not():
    with pytest.raises(SrcadError, match="copy=False"):
        srcad.grad(lambda x: np.sum(np.nan_to_num(x, copy=False)), jit=False)(X)
    assert_gradient(lambda x: np.sum(np.array(x, copy=True) ** 2), X, modes=["arrays"])


def test_copies_of_another_type_are_no_views():
    def widened(x):
        v = np.asarray(x, dtype=np.float64)
        x[0] = x[1]
        return np.sum(v * v) + x[0]

    found = srcad.grad(widened, jit=False)(X.astype(np.float32))
    assert np.allclose(found, 2.0 * X + np.array([0.0, 1.0, 0.0, 0.0]))


def element_changed_in_place(x):
    v = x[0, ...]
    w = v
    w += x[1]
    return x[0] * v


def element_written_later(x):
    y = x.copy()
    v = y[0, ...]
    y[0] = 3.0 * x[1]
    return v * x[0]


def element_written_before(x):
    y = x.copy()
    y[0] = 3.0 * x[1]
    return y[0, ...] * x[2, ...]


@pytest.mark.parametrize("program", [element_changed_in_place, element_written_later])
def test_views_of_one_element_are_not_written_into(program):
    with pytest.raises(SrcadError):
        srcad.grad(program, jit=False)(X)
    assert_gradient(element_written_before, X, modes=("arrays", "gradient"))
