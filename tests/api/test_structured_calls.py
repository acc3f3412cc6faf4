"""Arguments and results that are tuples, lists, dictionaries, dataclasses and objects, in every part of the API."""

import copy
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from numba.typed import List

import srcad
from srcad.errors import BadArgument, MayOverlap, NotDifferentiable, UnsupportedSyntax

pytest.importorskip("optree")

Weights = namedtuple("Weights", "w b")
X = np.array([0.3, -0.7, 1.2])


@dataclass
class Cell:
    w: object
    b: object
    name: str = "cell"
    steps: int = 3

    def loss(self, x):
        h = x
        for _ in range(self.steps):
            h = np.tanh(self.w * h + self.b)
        return np.sum(h * h)


class Network:
    GAIN = 1.5

    def __init__(self, layers, act):
        self.layers = layers
        self.act = act
        self.rate = 0.5

    @property
    def depth(self):
        return len(self.layers)

    def __call__(self, x):
        h = x
        for i, (w, b) in enumerate(self.layers):
            h = w @ h + b
            if i < self.depth - 1:
                h = self.act(h)
        return np.sum(h) * self.rate * self.GAIN


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


def affine(p, x):
    return np.sum(np.tanh(x * p["w"] + p["b"]))


def by_attribute(p, x):
    return np.sum(np.tanh(x * p.w + p.b))


def by_unpacking(p, x):
    w, b = p
    return np.sum(np.tanh(x * w + b))


def in_order(p, x):
    h = x
    for w in p.values():
        h = np.tanh(w @ h)
    return np.sum(h)


def nested(p, x):
    h = p["in"]["scale"] * x
    for layer in p["layers"]:
        for w, b in zip(layer["ws"], layer["bs"]):  # noqa: B905
            h = np.tanh(w @ h + b)
    return np.sum(h * p["out"][0]) * p["out"][1].a


def network_parameters(rng):
    layers = [
        {"ws": [rng.normal(size=(4, 3)), rng.normal(size=(2, 4))], "bs": [rng.normal(size=4), 0.5]},
        {"ws": (rng.normal(size=(3, 2)),), "bs": (rng.normal(size=3),)},
    ]
    return {"in": {"scale": 1.3}, "layers": layers, "out": (rng.normal(size=3), Slotted(0.7, None))}


def leaves_of(value):
    """Paths and values of all floats and float arrays: written apart from what srcad uses."""
    if isinstance(value, dict):
        return [(f"[{k!r}]{path}", leaf) for k in value for path, leaf in leaves_of(value[k])]
    if isinstance(value, (tuple, list)):
        return [(f"[{k}]{path}", leaf) for k, each in enumerate(value) for path, leaf in leaves_of(each)]
    if isinstance(value, (float, np.ndarray)):
        return [("", value)]
    if isinstance(value, (str, int, np.ufunc, type(None))):
        return []
    names = [*getattr(type(value), "__slots__", ()), *getattr(value, "__dict__", ())]
    return [(f".{k}{path}", leaf) for k in names for path, leaf in leaves_of(getattr(value, k))]


def assert_gradient(function, *args, wrt=0, jit=False):
    """The gradient has the form of its argument, and agrees with central differences at every leaf."""
    gradient = srcad.grad(function, wrt, jit=jit)(*args)
    assert type(gradient) is type(args[wrt])
    found = dict(leaves_of(gradient))
    expected = leaves_of(args[wrt])
    assert list(found) == [path for path, _ in expected]
    for path, leaf in expected:
        for index in np.ndindex(np.shape(leaf)):
            slope = difference(function, args, wrt, path, index)
            assert np.asarray(found[path])[index] == pytest.approx(slope, rel=1e-6, abs=1e-8), path
    return gradient


def difference(function, args, wrt, path, index):
    values = []
    for step in (1e-5, -1e-5):
        given = [copy.deepcopy(each) for each in args]
        given[wrt] = moved(given[wrt], "", path, index, step)
        values.append(function(*given))
    return (values[0] - values[1]) / 2e-5


def moved(value, here, path, index, step):
    """The same structure with one element of the leaf at `path` changed."""
    if isinstance(value, (str, int, np.ufunc, type(None))):
        return value
    if isinstance(value, (float, np.ndarray)):
        if here != path:
            return value
        changed = np.array(value)
        changed[index] += step
        return changed if isinstance(value, np.ndarray) else float(changed)
    if isinstance(value, dict):
        return type(value)((k, moved(each, f"{here}[{k!r}]", path, index, step)) for k, each in value.items())
    if isinstance(value, (tuple, list)):
        parts = [moved(each, f"{here}[{k}]", path, index, step) for k, each in enumerate(value)]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    names = [*getattr(type(value), "__slots__", ()), *getattr(value, "__dict__", ())]
    for name in names:
        setattr(value, name, moved(getattr(value, name), f"{here}.{name}", path, index, step))
    return value


SMALL = [
    (affine, {"w": 2.0, "b": X}),
    (affine, OrderedDict(b=X, w=-0.4)),
    (by_attribute, Weights(X, 0.3)),
    (by_attribute, Cell(X, 0.3)),
    (by_attribute, SimpleNamespace(b=0.1, w=X)),
    (by_unpacking, (X, 0.3)),
    (by_unpacking, [0.5, X]),
    (by_unpacking, Weights(0.5, X)),
]


@pytest.mark.parametrize(("function", "p"), SMALL)
def test_gradient_has_the_structure_of_its_argument(function, p):
    assert_gradient(function, p, X)


@pytest.mark.compiled
@pytest.mark.parametrize(("function", "p"), SMALL[::3])
def test_compiled_gradient_has_the_structure_of_its_argument(function, p):
    assert_gradient(function, p, X, jit=True)


def test_nested_structures():
    assert_gradient(nested, network_parameters(np.random.default_rng(0)), X)


def test_dictionaries_keep_the_order_of_their_keys():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    one, other = {"z": a, "a": b}, {"a": b, "z": a}
    gradient = srcad.grad(in_order, jit=False)
    first, second = gradient(one, X), gradient(other, X)
    assert list(first) == ["z", "a"]
    assert list(second) == ["a", "z"]
    assert not np.allclose(first["a"], second["a"])
    assert_gradient(in_order, one, X)
    assert_gradient(in_order, other, X)


def test_what_has_no_derivative_is_none():
    gradient = srcad.grad(lambda p: p["x"] * p["n"] * (2.0 if p["on"] else 1.0), jit=False)
    assert gradient({"x": 3.0, "n": 2, "on": True, "name": "p", "none": None, "f": np.sin}) == {
        "x": 4.0, "n": None, "on": None, "name": None, "none": None, "f": None
    }  # fmt: skip


def test_methods_of_an_argument_are_differentiated():
    gradient = assert_gradient(lambda cell, x: cell.loss(x), Cell(X, 0.4), X)
    assert (gradient.name, gradient.steps) == (None, None)


def test_an_object_that_is_called_with_functions_among_its_attributes():
    rng = np.random.default_rng(2)
    layers = [(rng.normal(size=(2, 3)), rng.normal(size=2)), (rng.normal(size=(1, 2)), rng.normal(size=1))]
    run = lambda net, x: net(x)  # noqa: E731
    tanh = assert_gradient(run, Network(layers, np.tanh), X)
    sine = assert_gradient(run, Network(layers, np.sin), X)
    assert not np.allclose(tanh.layers[0][0], sine.layers[0][0])


def test_texts_among_the_arguments_choose_what_is_compiled():
    def f(p, x):
        return np.sum(x) * p["k"] if p["kind"] == "sum" else np.prod(x) * p["k"]

    gradient = srcad.grad(f, jit=False)
    assert gradient({"k": 2.0, "kind": "sum"}, X)["k"] == pytest.approx(np.sum(X))
    assert gradient({"k": 2.0, "kind": "prod"}, X)["k"] == pytest.approx(np.prod(X))


def test_one_gradient_serves_plain_and_structured_arguments():
    double = srcad.grad(lambda p: p[0] * p[0] * p[1], jit=False)
    assert double(np.array([3.0, 2.0])).tolist() == [12.0, 9.0]
    assert double((3.0, 2.0)) == (12.0, 9.0)
    assert double(np.array([3.0, 1.0])).tolist() == [6.0, 9.0]
    assert double([1.0, 2.0]) == [4.0, 1.0]


@pytest.mark.compiled
def test_one_compiled_gradient_serves_plain_and_structured_arguments():
    double = srcad.grad(lambda p, k=2.0: p[0] * p[0] * p[1] * k)
    assert double(np.array([3.0, 2.0]), 1.0).tolist() == [12.0, 9.0]
    assert double((3.0, 2.0)) == (24.0, 18.0)
    assert double({0: 3.0, 1: 2.0}, k=1.0) == {0: 12.0, 1: 9.0}
    assert double(np.array([3.0, 1.0])).tolist() == [12.0, 18.0]


def test_several_arguments_and_the_value():
    value, (by_x, by_p) = srcad.value_and_grad(affine, (1, "p"), jit=False)({"w": 2.0, "b": X}, X)
    assert value == pytest.approx(affine({"w": 2.0, "b": X}, X))
    assert np.allclose(by_x, 2.0 * by_p["b"])
    assert by_p["w"] == pytest.approx(np.sum(by_p["b"] * X))


def test_entries_and_elements_may_be_written():
    def f(p, x):
        p["w"] = p["w"] * 2.0
        p["list"][0] = p["list"][0] + p["w"]
        p["list"].append(p["w"])
        p["b"][0] = x[0] * p["w"]
        return sum(p["list"]) * np.sum(p["b"])

    p = {"w": 2.0, "b": X.copy(), "list": [1.5, 0.5]}
    gradient = srcad.grad(f, jit=False)(p, X)
    assert p["w"] == 2.0
    assert p["list"] == [1.5, 0.5]
    assert np.array_equal(p["b"], X)
    total, rest = (1.5 + 4.0) + 0.5 + 4.0, X[0] * 4.0 + X[1] + X[2]
    assert gradient["w"] == pytest.approx(4.0 * rest + total * 2.0 * X[0])
    assert gradient["list"] == pytest.approx([rest, rest])
    assert gradient["b"] == pytest.approx([0.0, total, total])


def test_a_changed_list_at_two_places_is_refused():
    def f(p):
        p[0][0] = p[0][0] * 2.0
        return p[1][0] * p[0][1]

    shared = [1.0, 2.0]
    gradient = srcad.grad(f, jit=False)
    assert gradient(([1.0, 2.0], [1.0, 2.0])) == ([0.0, 1.0], [2.0, 0.0])
    with pytest.raises(MayOverlap):
        gradient((shared, shared))


def stats(x, k):
    return {"double": 2.0 * x, "both": [np.sum(x * x) * k, Weights(k * k, None)], "name": "stats"}


def test_results_are_structures_and_so_are_cotangents():
    value, pull = srcad.vjp(stats, X, 2.0, jit=False)
    assert value["name"] == "stats"
    assert value["both"][0] == pytest.approx(2.0 * np.sum(X * X))
    assert value["both"][1] == Weights(4.0, None)
    bar = {"name": None, "both": [1.0, Weights(3.0, None)], "double": np.array([1.0, 0.0, 0.0])}
    by_x, by_k = pull(bar)
    assert by_x == pytest.approx(4.0 * X + [2.0, 0.0, 0.0])
    assert by_k == pytest.approx(np.sum(X * X) + 12.0)
    with pytest.raises(BadArgument, match="another form"):
        pull({"both": 1.0})


def test_vjp_gives_one_entry_for_each_argument():
    value, pull = srcad.vjp(lambda p, n, x: x * p["w"] ** n, {"w": 3.0, "n": 1}, 2, 0.5, jit=False)
    assert (value, pull(1.0)) == (4.5, ({"w": 3.0, "n": None}, None, 9.0))
    assert srcad.vjp(affine, {"w": 1.0, "b": X}, X, wrt="p", jit=False)[1](0.0)["w"] == 0.0


def test_tangents_have_the_structure_of_the_arguments():
    p = {"w": 2.0, "b": X}
    bars = srcad.grad(affine, jit=False)(p, X)
    for direction in ({"w": 1.5, "b": X * 2.0}, {"w": None, "b": X * 2.0}):
        _, change = srcad.jvp(affine, (p, X), (direction, None), jit=False)
        assert change == pytest.approx(bars["w"] * (direction["w"] or 0.0) + np.sum(bars["b"] * direction["b"]))
    value, dot = srcad.jvp(stats, (X, 2.0), (X, None), jit=False)
    assert dot["both"][0] == pytest.approx(2.0 * value["both"][0])
    with pytest.raises(BadArgument, match="form"):
        srcad.jvp(affine, (p, X), ({"b": X}, None), jit=False)


def test_second_derivatives():
    p = {"w": 2.0, "b": X}
    direction = {"w": 0.5, "b": X[::-1].copy()}
    product = srcad.hvp(affine, jit=False)(p, X, direction)
    gradient = srcad.grad(affine, jit=False)
    ahead, behind = (gradient({k: p[k] + step * direction[k] for k in p}, X) for step in (1e-5, -1e-5))
    for key in p:
        assert product[key] == pytest.approx((ahead[key] - behind[key]) / 2e-5, rel=1e-6)
    hessian = srcad.hessian(affine, jit=False)(p, X)
    assert hessian["b"]["b"].shape == (3, 3)
    for key in p:
        found = hessian[key]["w"] * direction["w"] + hessian[key]["b"] @ direction["b"]
        assert found == pytest.approx(product[key])


def test_jacobians_have_both_structures():
    found = srcad.jacobian(lambda p: {"y": p["a"] * p["b"], "z": p["a"] ** 2}, jit=False)({"a": 3.0, "b": X})
    assert found["y"]["a"] == pytest.approx(X)
    assert found["y"]["b"] == pytest.approx(3.0 * np.eye(3))
    assert (found["z"]["a"], found["z"]["b"].tolist()) == (6.0, [0.0] * 3)


def test_check_grads_takes_structures():
    srcad.check_grads(nested, (network_parameters(np.random.default_rng(3)), X), jit=False)
    srcad.check_grads(stats, (X, 2.0), jit=False)


def test_a_tape_sees_the_leaves():
    model = srcad.function(affine, jit=False)
    p = {"w": srcad.Variable(2.0), "b": srcad.Variable(X)}
    with srcad.GradientTape() as tape:
        loss = model(p, X) * 2.0
    found = tape.gradient(loss, p)
    expected = srcad.grad(affine, jit=False)({"w": 2.0, "b": X}, X)
    assert float(found["w"]) == pytest.approx(2.0 * expected["w"])
    assert found["b"].numpy() == pytest.approx(2.0 * expected["b"])


def test_a_tape_sees_the_leaves_of_results_and_of_objects():
    results, x = srcad.function(stats, jit=False), srcad.Variable(X)
    with srcad.GradientTape() as tape:
        y = results(x, 2.0)["both"][0]
    assert tape.gradient(y, x).numpy() == pytest.approx(4.0 * X)
    model = srcad.function(lambda cell, x: cell.loss(x), jit=False)
    cell = Cell(srcad.Variable(X), srcad.Variable(0.4))
    with srcad.GradientTape() as tape:
        y = model(cell, X)
    by_w, by_b = tape.gradient(y, [cell.w, cell.b])
    expected = srcad.grad(lambda cell, x: cell.loss(x), jit=False)(Cell(X, 0.4), X)
    assert by_w.numpy() == pytest.approx(expected.w)
    assert float(by_b) == pytest.approx(expected.b)


def test_source_names_the_leaves():
    text = srcad.source(affine, args=({"w": 2.0, "b": X}, X))
    assert "def affine_grad(p_w, p_b, x)" in text


def test_what_cannot_be_right_is_refused():
    with pytest.raises(NotDifferentiable, match="nothing that can have a derivative"):
        srcad.grad(lambda p, x: x * p["n"], jit=False)({"n": 2}, 1.0)
    with pytest.raises(UnsupportedSyntax, match="no key 'v'"):
        srcad.grad(lambda p: p["v"], jit=False)({"w": 2.0})
    with pytest.raises(UnsupportedSyntax, match="no attribute `v`"):
        srcad.grad(lambda p: p.v, jit=False)(Cell(1.0, 2.0))
    with pytest.raises(UnsupportedSyntax, match="index 2 is out of range"):
        srcad.grad(lambda p: p[2], jit=False)((1.0, 2.0))


RECORDS = np.array([(1.0, 2.0), (3.0, 4.0)], dtype=[("a", "f8"), ("b", "f8")])


def test_records_may_be_read():
    def f(x, r):
        total = 0.0
        for i in range(r.shape[0]):
            total += x * r[i]["a"] * r["b"][i]
        return total

    assert srcad.grad(f, jit=False)(2.0, RECORDS) == 14.0


def write_field(x, r):
    r["a"][0] = x
    return r["a"][0] * 2.0


def write_record(x, r):
    r[0]["a"] = x
    return r[0]["a"] * 2.0


def write_through_a_view(x, r):
    v = r["a"]
    w = v[1:]
    w[0] = x * x
    return np.sum(r["a"])


@pytest.mark.parametrize(("function", "expected"), [(write_field, 2), (write_record, 2), (write_through_a_view, 4)])
def test_records_may_be_written_into(function, expected):
    assert srcad.grad(function, jit=False)(2.0, RECORDS.copy()) == expected


def test_captured_records_that_are_written_into_are_refused():
    kept = RECORDS.copy()

    def f(x):
        kept["a"][0] = x
        return kept["a"][0] * 2.0

    with pytest.raises(NotDifferentiable, match="writes to a record"):
        srcad.grad(f, jit=False)(2.0)


def test_a_list_where_an_array_is_needed_is_refused_with_the_cure():
    with pytest.raises(UnsupportedSyntax, match=r"no attribute `shape`(?s:.*)np\.asarray"):
        srcad.grad(lambda x: x[0] * x.shape[0], jit=False)([1.0, 2.0])


@pytest.mark.slow
def test_lists_of_numba_are_lists():
    def loss(arrays, rates):
        rates[0] = rates[1] * 2.0
        total = 0.0
        for k, a in enumerate(arrays):
            total += np.sum(a * a) * rates[k]
        return total

    arrays, rates = List([X, X[:2]]), List([1.0, 3.0])
    by_arrays, by_rates = srcad.grad(loss, wrt=(0, 1), jit=False)(arrays, rates)
    assert isinstance(by_arrays, List)
    assert isinstance(by_rates, List)
    np.testing.assert_allclose(np.concatenate(list(by_arrays)), np.concatenate([12.0 * X, 6.0 * X[:2]]))
    np.testing.assert_allclose(list(by_rates), [0.0, 2.0 * X @ X + X[:2] @ X[:2]])
    assert list(rates) == [1.0, 3.0]
