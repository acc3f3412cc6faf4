"""What `wrt` names: parameters and parts of them."""

import functools
from collections import namedtuple
from types import SimpleNamespace

import numpy as np
import pytest

import srcad
from srcad.api.wrt import Path, among_arguments, positions, text_of, with_receiver
from srcad.errors import BadArgument, NotDifferentiable

pytest.importorskip("optree")

Weights = namedtuple("Weights", "w b")
X, W = np.array([1.0, 2.0]), np.array([0.5, 0.25])
grad = functools.partial(srcad.grad, jit=False)


def linear(p, x):
    return np.sum(p.w * x) + p.b


def keyed(p, x):
    return np.sum(p["w"] * x) * p["layers"][1]["b"]


DATA = {"w": W, "layers": [3, {"b": 2.0}], "name": "text"}


class Part:
    def __init__(self):
        self.gain = 2.0

    def act(self, v):
        return np.tanh(self.gain * v)


class Model:
    def __init__(self):
        self.w, self.part, self.steps, self.out = W, Part(), 3, np.sin

    def loss(self, x):
        h = x
        for _ in range(self.steps):
            h = self.part.act(h) * self.w
        return np.sum(self.out(h))

    def __call__(self, x):
        return 2.0 * self.loss(x)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("p.w", (("attribute", "w"),)),
        (" p['w'] [-1].b ", (("key", "w"), ("key", -1), ("attribute", "b"))),
        ("p[(0, 'a')]", (("key", (0, "a")),)),
    ],
)
def test_paths_are_attributes_and_constant_keys(text, steps):
    (found,), many = positions(linear, text)
    assert found == Path(0, steps)
    assert not many
    assert positions(linear, text_of(["p", "x"], found))[0] == (found,)


@pytest.mark.parametrize("text", ["p[x]", "p[", "p.w()", "p[[1]]", "p[0:1]"])
def test_what_is_no_path_is_refused(text):
    with pytest.raises(BadArgument, match="which is no path"):
        positions(linear, text)


def test_gradients_by_parts_of_arguments():
    for p in (Weights(W, 1.0), SimpleNamespace(w=W, b=1.0)):
        by_w, by_x, by_b = grad(linear, wrt=("p.w", 1, "p.b"))(p, X)
        np.testing.assert_allclose(by_w, X)
        np.testing.assert_allclose(by_x, W)
        assert by_b == 1.0
    np.testing.assert_allclose(grad(linear, wrt="p[-2]")(Weights(W, 1.0), X), X)
    assert grad(keyed, wrt="p['layers']")(DATA, X) == [None, {"b": 1.0}]
    np.testing.assert_allclose(srcad.vjp(keyed, DATA, X, wrt="p['w']", jit=False)[1](1.0), 2.0 * X)
    np.testing.assert_allclose(srcad.jacobian(lambda p: p["w"] ** 2, wrt="p['w']", jit=False)(DATA), np.diag(2.0 * W))
    np.testing.assert_allclose(
        srcad.hessian(lambda p: np.sum(p["w"] ** 3), wrt="p['w']", jit=False)(DATA), np.diag(6.0 * W)
    )
    np.testing.assert_allclose(srcad.hvp(lambda p: np.sum(p["w"] ** 3), wrt="p['w']", jit=False)(DATA, X), 6.0 * W * X)
    srcad.check_grads(keyed, (DATA, X), wrt=("p['w']", "x"), jit=False)


@pytest.mark.parametrize(
    ("wrt", "arguments", "kind", "message"),
    [
        ("p.c", (Weights(W, 1.0), X), BadArgument, r"names p\.c.*\nhint: it has \.w, \.b"),
        ("p['w']", (SimpleNamespace(w=W), X), BadArgument, "`p` is no structure that has parts of this kind"),
        ("p.w.real", (Weights(W, 1.0), X), BadArgument, "`p.w` is no structure"),
        ("p[2]", (Weights(W, 1.0), X), BadArgument, r"it has \[0\], \[1\]"),
        (("p", "p.w"), (Weights(W, 1.0), X), BadArgument, "a part of an argument twice"),
        ("x[0]", (Weights(W, 1.0), X), BadArgument, "`x` is no structure"),
    ],
)
def test_parts_that_are_not_there_are_refused(wrt, arguments, kind, message):
    with pytest.raises(kind, match=message):
        grad(linear, wrt=wrt)(*arguments)


def test_parts_without_a_derivative_are_refused():
    with pytest.raises(NotDifferentiable, match="int64"):
        grad(keyed, wrt="p['layers'][0]")(DATA, X)
    with pytest.raises(NotDifferentiable, match="holds nothing"):
        grad(keyed, wrt="p['name']")(DATA, X)


def test_parts_of_plain_arguments_are_refused_everywhere():
    def total(x):
        return np.sum(x)

    acts = (
        lambda: grad(total, wrt="x[0]")(X),
        lambda: srcad.jacobian(total, wrt="x[0]")(X),
        lambda: srcad.hessian(total, wrt="x[0]")(X),
        lambda: srcad.vjp(total, X, wrt="x[0]"),
        lambda: srcad.source(total, wrt="x[0]", args=(X,)),
        lambda: srcad.check_grads(total, (X,), wrt="x[0]"),
    )
    for act in acts:
        with pytest.raises(BadArgument, match="the argument 'x' of total is no structure"):
            act()


def test_the_object_of_a_method_comes_first_where_wrt_asks_for_it():
    model = Model()
    function, wrt, receiver = with_receiver(model.loss, ("self.w", 0, -1, "x"))
    assert function is Model.loss
    assert wrt == ("self.w", 1, -1, "x")
    assert receiver is model
    assert with_receiver(model.loss, ("x", 0)) is None
    assert with_receiver(Model.loss, "self.w") is None
    assert among_arguments(model, "self.w", (X,))[2] == (model, X)


@pytest.mark.parametrize("method", [Model().loss, srcad.function(Model().loss, jit=False)])
def test_gradients_by_attributes_of_the_object_of_a_method(method):
    found = grad(method, wrt=("self.w", "self.part.gain", 0))(X)
    expected = grad(Model.loss, wrt=("self.w", "self.part.gain", "x"))(Model(), X)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    srcad.check_grads(method, (X,), wrt=("self.w", "self.part.gain"), jit=False)


def test_the_object_itself_and_callable_objects():
    model = Model()
    found = grad(model.loss, wrt="self")(X)
    assert type(found) is Model
    assert found.steps is None
    np.testing.assert_allclose(grad(model, wrt="self.w")(X), 2.0 * found.w)
    before = found.w
    model.w = 3.0 * W  # the object is read at each call
    assert not np.allclose(grad(model.loss, wrt="self.w")(X), before)


def test_argnums_is_another_name_of_wrt():
    def f(x, k):
        return x * x * k

    assert srcad.grad(f, argnums=1, jit=False)(3.0, 2.0) == 9.0
    assert srcad.value_and_grad(f, argnums=(0, "k"), jit=False)(3.0, 2.0) == (18.0, (12.0, 9.0))
    with pytest.raises(srcad.BadArgument, match="both `wrt` and `argnums`"):
        srcad.hessian(f, 1, argnums=0)
    with pytest.raises(srcad.BadArgument, match="no option `holomorphic`"):
        srcad.grad(f, holomorphic=True)
    assert srcad.grad(f, holomorphic=False, jit=False)(3.0, 2.0) == 12.0
