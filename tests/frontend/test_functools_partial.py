"""functools.partial as a function: what it holds by position is captured, what it holds by name is a default."""

import functools
import inspect

import gast
import numpy as np
import pytest
from numba import njit

import srcad
from srcad.errors import BadArgument
from srcad.frontend.functools_partial import left_open, partial_in, without_held
from srcad.frontend.load_source import load
from tests.checking import assert_gradient

X = np.array([1.0, 2.0])
partial = functools.partial


def weighted(a, x, k=2.0):
    a = a * 2.0
    k += 1.0
    return np.sum(a * x) * k


def powered(a, x, n):
    return x if n == 0 else powered(a, x * a, n - 1)


class Model:
    def __init__(self, rate):
        self.rate = rate

    def loss(self, x, k):
        return np.sum(self.rate * x) * k


@pytest.mark.parametrize(
    ("held", "left"),
    [
        (partial(weighted, 1.0), "(x, k=2.0)"),
        (partial(weighted, x=1.0), "(a, *, x=1.0, k=2.0)"),
        (partial(partial(weighted, 1.0), k=3.0), "(x, *, k=3.0)"),
        (partial(Model(1.0).loss, X), "(k)"),
    ],
)
def test_the_parameters_left_open_are_those_python_sees(held, left):
    assert str(srcad.frontend.load_source.signature_of(held)) == left == str(inspect.signature(held))


@pytest.mark.parametrize("held", [partial(weighted, 1.0, 2.0, 3.0, 4.0), partial(weighted, rate=1.0)])
def test_arguments_that_the_function_does_not_take_are_refused(held):
    with pytest.raises(BadArgument, match="its parameters are a, x, k"):
        srcad.grad(held)
    with pytest.raises(BadArgument):
        left_open(held, inspect.signature(weighted))


def test_what_is_held_becomes_a_free_name_and_keeps_its_own_where_it_is_assigned():
    tree, owners = without_held(load(weighted).tree, {}, partial(weighted, X), False)
    assert [each.id for each in tree.args.args] == ["x", "k"]
    assert gast.unparse(tree.body[0]) == "a = a_held"
    assert owners["a_held"]["a_held"] is X
    tree, owners = without_held(load(powered).tree, {}, partial(powered, 2.0, n=3), False)
    assert [each.id for each in tree.args.args], [each.id for each in tree.args.kwonlyargs] == (["x"], ["n"])
    assert owners["a"] == {"a": 2.0}


def test_a_partial_is_found_inside_objects_of_ours():
    held = partial(weighted, 1.0)
    assert partial_in(srcad.function(held, jit=False)) is held
    assert partial_in(weighted) is None


def test_gradients_of_partials():
    w = np.array([0.5, 0.25])
    gradient = srcad.grad(partial(weighted, w, k=4.0), wrt=("x", "k"), jit=False)
    for _ in range(2):
        found = gradient(X)
        np.testing.assert_allclose(found[0], 10.0 * w)
        np.testing.assert_allclose(found[1], 2.0 * np.sum(w * X))
        w[0] = 5.0  # what is held is read at each call
    np.testing.assert_allclose(gradient(X, k=1.0)[0], 4.0 * w)
    srcad.check_grads(partial(weighted, w, k=4.0), (X,), jit=False)
    np.testing.assert_allclose(srcad.grad(partial(Model(w).loss, k=3.0), jit=False)(X), 3.0 * w)
    np.testing.assert_allclose(srcad.grad(partial(njit(weighted), 1.0), jit=False)(X), [6.0, 6.0])


def test_a_function_that_calls_itself_whole_is_another_one_than_the_partial():
    assert srcad.grad(partial(powered, 2.0), jit=False)(3.0, 3) == 8.0


@pytest.mark.compiled
def test_compiled_partials_read_what_they_hold_at_each_call():
    w = np.array([0.5, 0.25])
    gradient = srcad.grad(partial(weighted, w))
    np.testing.assert_allclose(gradient(X), 6.0 * w)
    w[:] = 2.0
    np.testing.assert_allclose(gradient(X), 6.0 * w)


def gathering(x, *rest, **options):
    return np.sum(x * x) * options.get("a", 1.0) * options.get("b", 1.0) * (rest[0] if rest else 1.0)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_what_a_partial_holds_for_starred_parameters_is_put_before_what_the_call_gives(jit):
    """It was left out without a word."""
    np.testing.assert_allclose(srcad.grad(partial(gathering, a=3.0), jit=jit)(X), 6.0 * X)
    np.testing.assert_allclose(srcad.grad(partial(gathering, a=3.0), jit=jit)(X, b=2.0), 12.0 * X)
    np.testing.assert_allclose(srcad.grad(partial(gathering, a=3.0), jit=jit)(X, a=5.0), 10.0 * X)
    np.testing.assert_allclose(srcad.grad(partial(gathering, a=3.0), jit=jit)(X, 2.0), 12.0 * X)
    found = srcad.grad(partial(gathering, X, 3.0), jit=jit)(2.0)  # which comes after what is held, and is not used
    assert found == 0.0
    assert srcad.function(partial(gathering, X, 3.0), jit=jit)(2.0) == 3.0 * np.sum(X * X)


def test_arrays_that_a_partial_holds_for_starred_parameters_are_read_at_each_call():
    w = np.array([0.5, 0.25])
    gradient = srcad.grad(partial(lambda x, **held: np.sum(held["w"] * x), w=w), jit=False)
    np.testing.assert_allclose(gradient(X), w)
    w[0] = 5.0
    np.testing.assert_allclose(gradient(X), w)


def defined_in_loops(x):
    made, i = [], 0
    for k in range(2):

        def scaled(v, by=x[k], *, shift=x[k] * x[k]):
            return v * by + shift

        made.append(scaled)
    while i < 2:

        def scaled_later(v, by=[x[i]]):  # noqa: B006 - it belongs to one of the functions
            by.append(v)
            return v * by[0] * len(by)

        made.append(scaled_later)
        i += 1
    return made[0](x[1]) * made[1](x[0], x[2], shift=x[1]) + made[2](x[2]) * made[3](x[0]) + made[2](x[1])


def one_of_two(x):
    a = x[0]
    if x[1] > x[0]:

        def scaled(v, by=2.0 * a):
            return v * by
    else:

        def scaled(v, by=3.0 * a):
            return v + by

    a = x[1]
    return scaled(x[2]) * scaled(x[2], a)


@pytest.mark.parametrize("f", [defined_in_loops, one_of_two])
def test_computed_defaults_belong_to_the_function_that_is_defined(f):
    for x in (np.array([0.7, 1.3, 0.4]), np.array([1.7, 1.3, 0.4])):
        assert_gradient(f, x, modes=("loops",))


def test_functions_that_a_loop_defines_again_keep_the_defaults_of_their_definition():
    def f(x):
        held = []
        for i in range(3):

            def scaled(v, n=2, *, k=i * x):
                return v * k * n

            held.append(scaled)
        other = lambda v, k=held[1](x), n=3: v * k * n  # noqa: B008, E731
        x = 2.0 * x
        return held[0](x) + held[1](x, n=5) + held[2](x, k=7.0) + other(x)

    for x in (1.5, -0.5):
        # The inner function reads nothing of x but its default: x * k = x * x, and so on.
        assert srcad.function(f, jit=False)(x) == pytest.approx(f(x))
        assert srcad.grad(f, jit=False)(x) == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6)
