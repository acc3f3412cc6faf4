"""`srcad.vmap` gives what a loop over the elements gives."""

import dataclasses
import pickle
from typing import NamedTuple

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, BadType, PerformanceWarning

X = np.random.default_rng(0).normal(size=(5, 3))
A = np.array([4.0, 9.0, 0.25, 1e6])
SHIFT = np.array([1.0, 2.0, 3.0])
POWER = 2.0
SEEN: list[float] = []


def root(a, start=1.0):
    x = start
    while abs(x * x - a) > 1e-12 * a:
        x = 0.5 * (x + a / x)
    return x


def loss(params, x, y):
    return np.sum((np.tanh(params["w"] @ x + params["b"]) - y) ** 2)


def pair(x, k=2.0):
    if x[0] > 0.0:
        return np.sin(x) * k, x.sum()
    return np.cos(x) * k, x[0]


def inplace(x, k):
    k[0] += 1.0
    x[0] = k[0]
    return x


def captured(x):
    return x**POWER + SHIFT


def ragged(n):
    return np.ones(n)


def only_python(x):
    return float(np.format_float_positional(x)) * 2.0


def pole(x):
    if x < 0.0:
        raise ValueError("negative")
    return x


class Sums(NamedTuple):
    all: float
    first: float


def sums(x):
    return Sums(x.sum(), 2.0 * x[0])


def seen(x):
    SEEN.append(x)
    return x * x


def noisy(x, generator):
    return x + generator.normal()


@dataclasses.dataclass
class Point:
    x: np.ndarray
    label: str = "p"


PARAMS = {"w": np.random.default_rng(1).normal(size=(2, 3)), "b": np.zeros(2)}
Y = X[:, :2] * 2.0


def assert_each(found, function, elements, rtol=1e-13):
    for k, element in enumerate(elements):
        np.testing.assert_allclose(found[k], function(*element), rtol=rtol)


def test_elements_take_their_own_number_of_iterations():
    found = srcad.vmap(root, (0, None), jit=False)(A, 1.0)
    np.testing.assert_allclose(found, np.sqrt(A), rtol=1e-12)
    slopes = srcad.vmap(srcad.grad(root, jit=False), jit=False)(A)
    np.testing.assert_allclose(slopes, 0.5 / np.sqrt(A), rtol=1e-9)


def test_compiled_loops_give_what_uncompiled_ones_give():
    # Few functions, each compiled once, and shared by threads.
    many = np.abs(np.random.default_rng(2).normal(size=20_000)) + 0.1
    mapped = srcad.vmap(root)
    found = mapped(many)
    np.testing.assert_allclose(found, np.sqrt(many), rtol=1e-11)
    assert np.array_equal(mapped(many), found)
    assert np.array_equal(mapped(many[:3]), found[:3])
    assert np.array_equal(mapped(a=many[:3]), found[:3])
    grads = srcad.vmap(srcad.grad(loss), (None, 0, 0))(PARAMS, X, Y)
    expected = srcad.vmap(srcad.grad(loss), (None, 0, 0), jit=False)(PARAMS, X, Y)
    for name in PARAMS:
        np.testing.assert_allclose(grads[name], expected[name], rtol=1e-12)


def test_compiled_functions_write_to_copies():
    x, k = X.copy(), np.zeros(2)
    for jit in (True, False):
        found = srcad.vmap(inplace, (0, None), jit=jit)(x, k)
        assert np.array_equal(x, X)
        assert np.array_equal(k, np.zeros(2))
        assert np.array_equal(found[:, 0], np.ones(5))
        assert np.array_equal(found[:, 1:], X[:, 1:])


def test_whole_arrays_are_written_to_in_copies_too():
    def grown(x, y):
        x *= 2.0
        part = y[:]
        part += x
        return np.sum(part * x)

    xs, y = np.arange(6.0).reshape(3, 2), np.ones(2)
    expected = [grown(each.copy(), y.copy()) for each in xs]
    np.testing.assert_allclose(srcad.vmap(grown, in_axes=(0, None))(xs, y), expected)
    assert (xs.tolist(), y.tolist()) == ([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], [1.0, 1.0])


def test_captured_values_are_those_of_the_call(monkeypatch):
    for jit in (True, False):
        mapped = srcad.vmap(captured, jit=jit)
        np.testing.assert_allclose(mapped(X), X**2.0 + SHIFT)
        with monkeypatch.context() as patch:
            patch.setitem(globals(), "SHIFT", np.array([5.0, 6.0, 7.0]))
            patch.setitem(globals(), "POWER", 3.0)
            np.testing.assert_allclose(mapped(X), X**3.0 + np.array([5.0, 6.0, 7.0]))


def test_the_first_element_that_raises_is_told():
    many = np.ones(50_000)
    many[[40_000, 20_000]] = -1.0, -2.0
    mapped = srcad.vmap(pole)
    np.testing.assert_array_equal(mapped(np.ones(3)), np.ones(3))
    with pytest.raises(ValueError, match="negative"):
        mapped(many)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axes_of_arguments_and_results(axis):
    found, sums = srcad.vmap(pair, axis, (1, 0), jit=False)(X)
    rows = np.moveaxis(X, axis, 0)
    assert_each(np.moveaxis(found, 1, 0), lambda x: pair(x)[0], [(row,) for row in rows])
    assert_each(sums, lambda x: pair(x)[1], [(row,) for row in rows])


def test_parts_of_structures_are_mapped():
    both = {"w": np.stack([PARAMS["w"], 2.0 * PARAMS["w"]]), "b": PARAMS["b"]}
    found = srcad.vmap(loss, ({"w": 0, "b": None}, None, None), jit=False)(both, X[0], Y[0])
    one, two = (loss({"w": w, "b": both["b"]}, X[0], Y[0]) for w in both["w"])
    np.testing.assert_allclose(found, [one, two])


def test_results_have_the_structure_of_one():
    def split(p):
        return {"a": p.x * 2.0, "b": [p.x.sum(), p.x[:2]]}

    found = srcad.vmap(split, in_axes=({"x": 0, "label": None},), jit=False)(Point(X))
    np.testing.assert_allclose(found["a"], 2.0 * X)
    np.testing.assert_allclose(found["b"][0], X.sum(axis=1))
    np.testing.assert_allclose(found["b"][1], X[:, :2])


def test_gradients_of_what_has_none_stay_none():
    def power(p):
        return p["x"] ** p["n"]

    found = srcad.vmap(srcad.grad(power, jit=False), ({"x": 0, "n": None},), jit=False)({"x": A, "n": 3})
    np.testing.assert_allclose(found["x"], 3.0 * A**2)
    assert found["n"] is None


@pytest.mark.parametrize("transform", [srcad.jacobian, srcad.hessian])
def test_all_derivatives_can_be_mapped(transform):
    def cubes(x):
        return np.sum(x**3) if transform is srcad.hessian else x**3

    found = srcad.vmap(transform(cubes, jit=False), jit=False)(X)
    slopes = 6.0 * X if transform is srcad.hessian else 3.0 * X**2
    np.testing.assert_allclose(found, slopes[:, :, None] * np.eye(3))


def test_integers_and_truth_values_are_kept():
    assert srcad.vmap(lambda n: n // 2, jit=False)(np.array([4, 7])).dtype == np.int64
    assert srcad.vmap(lambda n: n > 5, jit=False)(np.array([4, 7])).tolist() == [False, True]


def test_what_is_mapped_can_be_differentiated():
    mapped = srcad.vmap(pair, (0,), jit=False)

    def total(x):
        waves, sums = mapped(x)
        return np.sum(waves * waves) + np.sum(sums)

    found = srcad.grad(total, jit=False)(X)
    expected = np.where(X[:, :1] > 0.0, 4.0 * np.sin(2.0 * X) + 1.0, -4.0 * np.sin(2.0 * X))
    expected[X[:, 0] <= 0.0, 0] += 1.0
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    with srcad.GradientTape() as tape:
        a = srcad.Variable(A)
        y = srcad.vmap(root, (0,), jit=False)(a)
    np.testing.assert_allclose(tape.gradient(y, a), 0.5 / np.sqrt(A), rtol=1e-9)


def test_maps_of_maps():
    nested = srcad.vmap(srcad.vmap(root, jit=False), jit=False)
    np.testing.assert_allclose(nested(A.reshape(2, 2)), np.sqrt(A).reshape(2, 2), rtol=1e-12)
    inner = srcad.vmap(root)
    with pytest.raises(BadArgument, match="parameters with defaults"):
        srcad.grad(lambda x: np.sum(inner(x)), jit=False)(A)


def test_a_written_argument_is_a_copy_where_it_is_differentiated():
    mapped = srcad.vmap(inplace, (0, None), jit=False)

    def total(x, k):
        rows = mapped(x, k)
        return np.sum(rows * rows) + np.sum(k) + np.sum(x)

    x_bar, k_bar = srcad.grad(total, (0, 1), jit=False)(X, np.array([0.5, 0.0]))
    expected = 2.0 * X + 1.0
    expected[:, 0] = 1.0
    np.testing.assert_allclose(x_bar, expected)
    np.testing.assert_allclose(k_bar, [2.0 * 1.5 * 5 + 1.0, 1.0])


def test_named_tuples_are_returned():
    for jit in (True, False):
        found = srcad.vmap(sums, jit=jit)(X)
        assert type(found) is Sums
        np.testing.assert_allclose(found.all, X.sum(axis=1))
        np.testing.assert_allclose(found.first, 2.0 * X[:, 0])


def test_random_numbers_are_drawn_in_the_order_of_the_elements():
    generator, again = np.random.default_rng(3), np.random.default_rng(3)
    with pytest.warns(PerformanceWarning, match="draws random numbers"):
        found = srcad.vmap(noisy, (0, None))(np.zeros(500), generator)
    np.testing.assert_array_equal(found, again.normal(size=500))


def test_effects_are_in_the_order_of_the_elements():
    SEEN.clear()
    np.testing.assert_array_equal(srcad.vmap(seen)(np.arange(50.0)), np.arange(50.0) ** 2)
    assert list(range(50)) == SEEN


def test_functions_that_do_not_compile_run_in_python():
    with pytest.warns(PerformanceWarning, match="only_python"):
        found = srcad.vmap(only_python)(A)
    np.testing.assert_array_equal(found, 2.0 * A)


def test_it_can_be_pickled():
    again = pickle.loads(pickle.dumps(srcad.vmap(root, (0, None), jit=False)))
    np.testing.assert_allclose(again(A, 1.0), np.sqrt(A), rtol=1e-12)
    assert repr(again) == "<srcad vmap of root with in_axes=(0, None)>"


@pytest.mark.parametrize(
    ("in_axes", "args", "text"),
    [
        ((0, 0), (X[:, 0], np.ones(4)), "different sizes: 5 in 'a', 4 in 'start'"),
        ((0,), (np.ones(0),), "batch is empty"),
        ((2,), (A,), "axis 2, but has the shape"),
        ((0,), (A, 1.0), "in_axes has 1 entries, the call 2 arguments"),
        ((None,), (A,), "no argument is mapped"),
        (0, (4.0,), "but is or has a float"),
        (("x",), (A,), "in_axes of 'a' is 'x'"),
        (({"x": 0},), ({"y": A},), "has the parts"),
    ],
)
@pytest.mark.parametrize("jit", [False, True])
def test_wrong_axes_are_told(in_axes, args, text, jit):
    with pytest.raises(BadArgument, match=text):
        srcad.vmap(root, in_axes, jit=jit)(*args)


def test_results_of_different_shapes_are_refused():
    for jit in (False, True):
        with pytest.raises(BadArgument, match="element 1 has another shape"):
            srcad.vmap(ragged, jit=jit)(np.array([1, 2]))
    with pytest.raises(BadArgument, match="out_axes is 3"):
        srcad.vmap(root, out_axes=3, jit=False)(A)
    with pytest.raises(BadType, match="given a float"):
        srcad.vmap(1.0)
