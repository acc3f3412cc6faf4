"""What is known of arguments while compiling, and what functools.partial adds to them."""

import functools

import gast
import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend.call_arguments import completed, known, known_arguments
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.frontend.scope import Meaning, procedure_of
from srcad.printing.printer import print_function
from srcad.transforms.ir.build import dotted
from srcad.transforms.lowering.lowering_context import Draft
from srcad.transforms.lowering.structures.abstract_state import Callee, Memory

WEIGHTS = np.array([1.0, 2.0])


def expression(text):
    return gast.parse(text).body[0].value


def scaled(v, w, k=1.0):
    k = k * 2.0
    return np.sum(v * w) * k


@pytest.mark.parametrize(("text", "value"), [("3", 3), ("-2.5", -2.5), ("('a', (1, None))", ("a", (1, None)))])
def test_literals_are_known(text, value):
    assert known(expression(text), Memory(), {}).value == value


def test_variables_and_sums_are_not_known():
    assert known(expression("x"), Memory(), {}) is None
    assert known(expression("(1, x)"), Memory(), {}) is None
    assert known(expression("1 + 2"), Memory(), {}) is None


def test_a_name_that_holds_a_function_is_known():
    memory = Memory()
    memory.names["f"] = Callee(dotted("np.sin"))
    assert known(expression("f"), memory, {"np": np}).value is np.sin


def test_parameters_that_the_body_stores_are_variables():
    given = {"v": expression("x"), "w": expression("2.0"), "k": expression("3.0")}
    found = known_arguments(procedure_of(load(scaled)), given, Memory(), {})
    assert {name: meaning.value for name, meaning in found.items()} == {"w": 2.0}


def test_partial_adds_its_arguments_and_gives_way_to_keywords():
    node = completed(expression("p(x, k=5.0)"), Meaning(functools.partial(scaled, 2.0, k=3.0)), Draft(), None)
    assert [gast.dump(each) for each in node.args] == [
        gast.dump(expression("2.0")),
        gast.dump(expression("x")),
    ]
    assert [(each.arg, each.value.value) for each in node.keywords] == [("k", 5.0)]


def test_arrays_in_a_partial_are_captured():
    held = functools.partial(scaled, WEIGHTS)

    def caller(x):
        return held(x)

    unit = lower(load(caller))
    assert len(unit.hidden) == 1
    assert unit.hidden[0].read() is WEIGHTS


def test_gathered_arguments_are_taken_apart():
    def product(*values, **options):
        return values[0] * values[1] * options["k"]

    def caller(x, y):
        return product(x, y, k=2.0)

    text = print_function(lower(load(caller)).tree)
    assert "t1 * t2" in text
    assert "* 2.0" in text


def test_arguments_from_an_array_are_refused():
    def caller(x):
        return np.concatenate(*x)

    with pytest.raises(UnsupportedSyntax, match="whose number of elements is not known"):
        lower(load(caller))


def chosen(x, kind="tanh", callback=None, log=None):
    table = {"tanh": np.tanh, "square": lambda z: z * z}
    if callback is not None:
        callback(x)
    if log:
        with open(log) as file:  # which is refused
            file.read()
    return np.sum(table[kind](x))


@pytest.mark.compiled
@pytest.mark.parametrize("jit", [False, True])
def test_texts_and_none_are_constants_where_the_function_is_refused_otherwise(jit):
    x = np.array([0.5, -1.5])
    gradient = srcad.grad(chosen, jit=jit)
    smooth = 1 - np.tanh(x) ** 2
    assert gradient(x) == pytest.approx(smooth)
    assert gradient(x, "square") == pytest.approx(2 * x)
    assert gradient(x, kind="tanh", log="") == pytest.approx(smooth)
    value, slope = srcad.value_and_grad(chosen, jit=jit)(x, "square", None)
    assert value == pytest.approx(np.sum(x * x))
    assert slope == pytest.approx(2 * x)


def test_branches_that_are_taken_are_still_refused():
    x = np.ones(2)
    with pytest.raises(UnsupportedSyntax, match="`with`"):
        srcad.grad(chosen, jit=False)(x, log="file")
    with pytest.raises(UnsupportedSyntax, match="`with`"):  # a number decides nothing while compiling
        srcad.grad(chosen, jit=False)(x, log=1)


def layered(x, shape=(2, 3), bias=True, order=2):
    rows, columns = shape
    params = {f"w{k}": x[k * columns : (k + 1) * columns] for k in range(rows)}
    if bias:
        params["b"] = x[:1]
    total = 0.0
    for k in range(rows):
        total += np.sum(params[f"w{k}"] ** order) * (k + 1)
    return total + 3.0 * np.sum(params["b"]) if bias else total


@pytest.mark.compiled
def test_constants_that_are_integers_are_compiled():
    assert srcad.grad(layered)(np.arange(1.0, 7.0), bias=False) == pytest.approx([2, 4, 6, 16, 20, 24])


def test_integers_and_booleans_are_constants_where_the_function_is_refused_otherwise():
    x = np.arange(1.0, 7.0)
    weights = np.array([1.0, 1, 1, 2, 2, 2])
    gradient = srcad.grad(layered, jit=False)
    assert gradient(x) == pytest.approx(2 * x * weights + 3.0 * (np.arange(6) == 0))
    assert gradient(x, bias=False, order=3) == pytest.approx(3 * x**2 * weights)
    assert gradient(x, [3, 2], False) == pytest.approx(2 * x * np.array([1, 1, 2, 2, 3, 3]))


def test_integers_that_are_differentiated_are_no_constants():
    def f(rate, n):
        parts = {f"k{k}": rate * k for k in range(n)}
        return sum(parts.values()) * rate

    value, slopes = srcad.value_and_grad(f, wrt=("rate",), jit=False)(2.0, 3)
    assert (value, *slopes) == pytest.approx((12.0, 12.0))
    with pytest.raises(srcad.NotDifferentiable, match="'rate' of f is of type int64"):
        srcad.grad(f, jit=False)(2, 3)
    assert srcad.jvp(f, (2.0, 3), (1.0, None), jit=False) == pytest.approx((12.0, 12.0))


def test_integers_in_structures_are_constants_and_have_no_gradient():
    def f(config, x):
        parts = {f"k{k}": x * k for k in range(config["layers"])}
        return config["rate"] * parts["k2"] ** 2

    gradient = srcad.grad(f, jit=False)
    assert gradient({"layers": 3, "rate": 0.5}, 1.5) == {"layers": None, "rate": pytest.approx(9.0)}
    assert gradient({"layers": 4, "rate": 2.0}, 1.5) == {"layers": None, "rate": pytest.approx(9.0)}


def test_long_lists_keep_their_lengths_at_run_time():
    def f(x, n, weights):
        parts = {f"k{k}": x * k for k in range(n)}
        return parts["k1"] * sum(weights)

    gradient = srcad.grad(f, jit=False)
    assert gradient(1.5, 2, [0.5] * 60) == pytest.approx(30.0)
    assert gradient(1.5, 2, [0.5] * 70) == pytest.approx(35.0)


def test_a_nested_function_may_have_a_parameter_of_the_same_name():
    def f(x, mode=None):
        def inner(mode):
            if mode is None:
                return 0.0
            return mode * mode

        if mode is not None:
            del mode[:]
        return inner(x[0])

    assert srcad.grad(f, jit=False)(np.array([3.0])) == pytest.approx([6.0])


def test_a_parameter_that_is_stored_is_no_constant():
    def f(x, scale=None):
        if scale is None:
            scale = 2.0
        return scale * np.sum(x) if scale is not None else 0.0

    assert srcad.grad(f, jit=False)(np.ones(2)) == pytest.approx([2.0, 2.0])
