"""What is kept for arguments of one form: functions among the leaves are known while compiling."""

import functools

import numpy as np
import pytest
from numba import njit

import srcad
import srcad.driver.memoisation
from srcad.api.pytree_specialisation import _MOST_CONSTANTS, shaped
from srcad.api.wrt import Path
from srcad.errors import NotDifferentiable, UnsupportedSyntax

pytest.importorskip("optree")

X, W = np.array([1.0, 2.0]), np.array([0.5, 0.25])
grad = functools.partial(srcad.grad, jit=False)
scale = 2.0


def total(x, f):
    return np.sum(f(x))


def cubed(v):
    return v * v * v


def scaled(v):
    return v * v * scale


def modelled(v, w, k=1.0):
    return v * w * k


class Model:
    def __init__(self):
        self.w, self.k = W, 2.0

    def call(self, v):
        return v * v * self.w * self.k


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (np.sin, np.cos(X)),
        (cubed, 3.0 * X * X),
        (njit(cubed), 3.0 * X * X),
        (lambda v: v * v, 2.0 * X),
        (functools.partial(modelled, w=W, k=3.0), 3.0 * W),
        (functools.partial(functools.partial(modelled, k=3.0), w=W), 3.0 * W),
        (Model().call, 4.0 * X * W),
    ],
    ids=["ufunc", "function", "njit", "lambda", "partial", "partials", "method"],
)
def test_functions_are_arguments(function, slope):
    np.testing.assert_allclose(grad(total)(X, function), slope)
    np.testing.assert_allclose(grad(total)(X, f=function), slope)


def test_functions_are_arguments_of_all_transforms():
    assert srcad.vjp(total, X, cubed, jit=False)[1](1.0)[1] is None
    assert srcad.jvp(total, (X, cubed), (X, None), jit=False) == (9.0, 27.0)
    np.testing.assert_allclose(srcad.hessian(total, jit=False)(X, cubed), np.diag(6.0 * X))
    np.testing.assert_allclose(srcad.jacobian(lambda x, f: f(x), jit=False)(X, np.sin), np.diag(np.cos(X)))
    assert srcad.grad(srcad.grad(lambda x, f: f(x), jit=False), jit=False)(2.0, cubed) == 12.0
    np.testing.assert_allclose(srcad.jacobian(srcad.grad(total, jit=False), jit=False)(X, cubed), np.diag(6.0 * X))
    srcad.check_grads(total, (X, functools.partial(modelled, w=W)), jit=False)
    variable = srcad.Variable(X)
    with srcad.GradientTape() as tape:
        y = srcad.function(total, jit=False)(variable, cubed)
    np.testing.assert_allclose(tape.gradient(y, variable), 3.0 * X * X)


def test_defaults_and_lists_hold_functions():
    def composed(x, functions=(np.sin, cubed)):
        for each in functions:
            x = each(x)
        return x

    assert np.isclose(grad(composed)(0.3), 3.0 * np.sin(0.3) ** 2 * np.cos(0.3))
    assert np.isclose(grad(composed)(0.3, [cubed, np.exp]), np.exp(0.027) * 0.27)


def test_one_function_after_another_each_with_what_it_captures_now(monkeypatch):
    gradient = grad(total)
    np.testing.assert_allclose(gradient(X, scaled), 4.0 * X)
    monkeypatch.setitem(globals(), "scale", 3.0)
    np.testing.assert_allclose(gradient(X, scaled), 6.0 * X)
    for k in (1.0, 2.0):
        np.testing.assert_allclose(gradient(X, lambda v, k=k: v * v * k), 2.0 * k * X)
        np.testing.assert_allclose(gradient(X, lambda v: v * v * k), 2.0 * k * X)  # noqa: B023
    model = Model()
    np.testing.assert_allclose(gradient(X, model.call), 4.0 * X * W)
    model.k = 3.0
    np.testing.assert_allclose(gradient(X, model.call), 6.0 * X * W)


def test_a_gradient_by_a_partial_is_one_of_what_it_holds():
    found = grad(total, wrt="f")(X, functools.partial(modelled, w=W, k=4.0))
    np.testing.assert_allclose(found.keywords["w"], 4.0 * X)
    np.testing.assert_allclose(grad(total, wrt="f.keywords['w']")(X, functools.partial(modelled, w=W)), X)


def test_a_gradient_by_a_function_is_refused():
    with pytest.raises(NotDifferentiable, match="holds nothing that can have a derivative"):
        grad(total, wrt="f")(X, cubed)


def test_functions_whose_types_alone_are_known_are_refused():
    with pytest.raises(UnsupportedSyntax, match="pass the function itself as an argument"):
        srcad.source(total, signature="f8[:], f8")


def test_lambdas_made_in_a_loop_do_not_pile_up():
    def own(x, f):
        return f(x)

    for k in range(_MOST_CONSTANTS + 5):
        shape, values = shaped(own, (1.0, lambda v: v * k))  # noqa: B023
    assert len(srcad.driver.memoisation.remembered(own, "shapes", dict)) == _MOST_CONSTANTS
    assert values == [1.0]
    assert shape.parameters[1].places == (None,)


def test_one_method_is_one_shape_and_texts_are_told_apart():
    model = Model()
    assert shaped(total, (X, model.call))[0] is shaped(total, (X, model.call))[0]
    assert shaped(total, (X, model.call))[0] is not shaped(total, (X, Model().call))[0]
    assert shaped(total, ("a", cubed))[0] is not shaped(total, ("b", cubed))[0]


def test_the_leaves_of_a_part():
    shape, _ = shaped(total, ({"a": 1.0, "b": (2, W)}, np.sin))
    assert shape.wrt((Path(0, (("key", "b"),)),)) == (2,)
    assert shape.part(Path(0, (("key", "b"), ("key", 0)))).places == (1,)
    assert shape.packed((Path(0, (("key", "b"),)),), False, [W], [1.0, 2, W]) == (None, W)
