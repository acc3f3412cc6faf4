"""The generated functions as things to call: for arrays that fit as they are first, for all once a call needs that."""

import re

import numba
import numpy as np
import pytest

import srcad
from srcad.driver import user_exceptions
from srcad.driver.compiled_routines import written_arguments
from srcad.driver.version import Request, Version
from srcad.errors import NotDifferentiable
from srcad.runtime.jit.dispatchers import TypedDispatcher


def layer(w, b, x):
    h = np.tanh(x * w + b)
    return np.sum(h * h)


W, X = np.linspace(0.1, 1.0, 4), np.linspace(-1.0, 1.0, 4)
WIDE, NARROW = np.full(4, 0.3), np.array([0.3])


def by_hand(b):
    h = np.tanh(X * W + b)
    bar = 2.0 * h * (1.0 - h * h)
    return bar * X, bar if b.size == 4 else np.array([np.sum(bar)])


def assert_right(found, b):
    for own, expected in zip(found, by_hand(b), strict=True):
        assert own.shape == expected.shape
        np.testing.assert_allclose(own, expected, rtol=1e-14)


@pytest.mark.compiled
@pytest.mark.parametrize("order", [(WIDE, NARROW, WIDE), (NARROW, WIDE)], ids=["wide first", "narrow first"])
def test_arrays_that_broadcast_are_differentiated_whenever_they_come(order):
    def same(w, b, x):
        return layer(w, b, x)

    slope = srcad.grad(same, wrt=("w", "b"))
    for b in order:
        assert_right(slope(W, b, X), b)


@pytest.mark.compiled
def test_a_pullback_outlives_the_functions_that_recorded_it():
    def same(w, b, x):
        return layer(w, b, x)

    _, first = srcad.vjp(same, W, WIDE, X, wrt=("w", "b"))
    _, second = srcad.vjp(same, W, NARROW, X, wrt=("w", "b"))
    for _ in range(2):
        assert_right(second(1.0), NARROW)
        assert_right(first(1.0), WIDE)


@pytest.mark.compiled
def test_compiled_callers_get_functions_for_all_arrays():
    slope = srcad.grad(layer, wrt=("w", "b"))
    assert_right(slope(W, WIDE, X), WIDE)

    @numba.njit
    def caller(w, b, x):
        return slope(w, b, x)

    assert_right(caller(W, NARROW, X), NARROW)
    assert_right(caller(W, WIDE, X), WIDE)


@pytest.mark.compiled
def test_shapes_that_do_not_fit_are_refused_as_numpy_refuses_them():
    def same(w, b, x):
        return layer(w, b, x)

    with pytest.raises(ValueError, match="could not be broadcast"):
        srcad.grad(same)(W, np.ones(3), X)


def test_a_function_that_prints_is_never_begun_twice():
    def noisy(w, x):
        print("once")
        return np.sum(w * x)

    def silent(w, x):
        return np.sum(w * x)

    assert "same_extent" in srcad.source(silent, signature="f8[:], f8[:]")
    assert "same_extent" not in srcad.source(noisy, signature="f8[:], f8[:]")


def picked(x, k):
    return x[k] * 2.0


def steps_of(x):
    if x[0] > 1.0:
        raise KeyError("deep")
    return picked(x, 10)


def total_of(x):
    return np.sum(x * x) + steps_of(x)


def test_an_exception_of_the_function_is_raised_as_itself_with_the_users_lines_in_a_note():
    with pytest.raises(IndexError) as caught:
        srcad.grad(total_of, jit=False)(np.zeros(3))
    (note,) = caught.value.__notes__
    shown = [line.partition("|")[2].strip() for line in note.splitlines() if "|" in line and "^" not in line]
    assert shown == ["return x[k] * 2.0", "return picked(x, 10)", "return np.sum(x * x) + steps_of(x)"]
    with pytest.raises(KeyError, match="deep") as caught:
        srcad.grad(total_of, jit=False)(np.ones(3) * 2.0)
    assert 'raise KeyError("deep")' in caught.value.__notes__[0]


def test_generated_code_names_file_and_line_of_what_raises_and_of_the_calls_that_led_there():
    text = srcad.source(total_of, signature="f8[:]")
    # The comment is cut where the page ends.
    assert re.search(r"# test_compiled_routines.py:\d+: raise KeyError\(\"deep\"\), called from test_compiled_", text)


def spread(a, b):
    scaled = 2.0 * a
    x = np.linalg.solve(scaled, b)
    return np.sum(x)


@pytest.mark.compiled
@pytest.mark.parametrize("derive", [srcad.grad, lambda f: lambda *args: srcad.vjp(f, *args)], ids=["grad", "vjp"])
def test_an_exception_of_compiled_code_has_the_users_line_in_a_note(derive):
    with pytest.raises(np.linalg.LinAlgError) as caught:
        derive(spread)(np.zeros((2, 2)), np.ones(2))
    (note,) = caught.value.__notes__
    assert "x = np.linalg.solve(scaled, b)" in note


def test_the_search_for_a_line_gives_up(monkeypatch):
    monkeypatch.setattr(user_exceptions, "_MOST_SECONDS", 0.0)
    with pytest.raises(np.linalg.LinAlgError) as caught:
        srcad.grad(spread, jit=False)(np.zeros((2, 2)), np.ones(2))
    (note,) = caught.value.__notes__
    assert note.startswith("at, or at a line like it")


@pytest.mark.compiled
def test_functions_that_cannot_raise_are_called_without_a_layer_in_between():
    slope = srcad.grad(lambda x, k: np.sin(x * k) if x > k else abs(x))
    slope(1.0, 2.0)
    assert isinstance(slope.__call__, TypedDispatcher)


SUBCLASSES = {"matrix": np.asmatrix, "masked": lambda x: np.ma.masked_array(x, x > 0.5)}


def squares(x):
    return np.sum(x * x)


def elements(x):
    return x * x


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("subclass", SUBCLASSES)
@pytest.mark.parametrize("function", [squares, elements])
def test_a_subclass_of_arrays_is_refused_after_an_array_too(function, subclass):
    x = np.ones((2, 2))
    bad = SUBCLASSES[subclass](x)
    makers = [srcad.function, srcad.jacobian] + ([srcad.grad, srcad.hessian] if function is squares else [])
    for make in makers:
        derivative = make(function)
        derivative(x)
        with pytest.raises(NotDifferentiable, match="the argument 'x'"):
            derivative(bad)
        with pytest.raises(NotDifferentiable, match="the argument 'x'"):
            derivative(x=bad)
        derivative(x)
    if function is squares:
        srcad.hvp(function)(x, x)
        with pytest.raises(NotDifferentiable, match="the argument 'x'"):
            srcad.hvp(function)(bad, x)
    srcad.vjp(function, x)
    with pytest.raises(NotDifferentiable, match="the argument 'x'"):
        srcad.vjp(function, bad)


@numba.njit
def countdown(x, k):
    if k > 100:
        return countdown(x, k - 1)
    return x[k]


def of_countdown(x, k):
    s = 0.0
    for i in range(2):
        s += countdown(x, k + i)
    return s


@pytest.mark.compiled
@pytest.mark.parametrize("derive", [srcad.function, srcad.grad, srcad.value_and_grad])
def test_an_index_out_of_range_in_a_helper_that_is_not_inlined_has_its_place(derive):
    derivative = derive(of_countdown)
    derivative(np.ones(3), 1)
    with pytest.raises(IndexError) as caught:
        derivative(np.ones(3), 2)
    (note,) = caught.value.__notes__
    assert re.search(r"at .*test_compiled_routines\.py:\d+:\d+\n.*return x\[k\]", note)
    assert "called from" in note


def by_view(x, k):
    part = x[1:]
    part += k
    k *= 2.0
    return np.sum(x) * k


def by_name(x, k):
    y = x
    y **= k
    return np.sum(x)


def not_at_all(x, k):
    y = x * 1.0
    y -= k
    return np.sum(y)


@pytest.mark.parametrize(("function", "places"), [(by_view, {0}), (by_name, {0}), (not_at_all, set())])
def test_arguments_that_are_changed_in_place_are_written_to(function, places):
    version = Version(function, Request("core", ()))
    kinds = [numba.float64[::1], numba.float64]
    assert written_arguments(version, kinds) == places
