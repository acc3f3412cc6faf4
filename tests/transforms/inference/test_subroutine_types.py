"""Functions that are called: as they were written, and for arguments of known types."""

import gast
import numpy as np
import pytest
from numba import typeof
from numba import types as nb

import srcad
from srcad.runtime.jit.numba_inference import CannotType
from srcad.transforms.inference.subroutine_types import Specialised, Subroutine, Summary, callee_of, results_of_calls
from tests.transforms.core_text import unit_of

FACTORIAL = """
def factorial(x, n):
    t = n <= 1
    if t:
        r = x
    else:
        m = n - 1
        u = factorial(x, m)
        r = u * n
    return r
"""
VECTOR = nb.float64[::1]


def recursive():
    made = Subroutine("factorial", "factorial")
    made.unit = unit_of(FACTORIAL, factorial=made)
    return made


def test_a_function_that_calls_itself_runs_under_python():
    assert [recursive()(0.5, n) for n in (0, 1, 4)] == [0.5, 0.5, 12.0]


def test_its_names_have_the_types_that_its_arguments_give_them():
    types = recursive().types_of((nb.float64, nb.int64))
    assert types.result == nb.float64
    assert types.get("m") == nb.int64
    assert recursive().types_of((nb.int64, nb.int64)).result == nb.int64


def test_what_has_no_type_says_so():
    made = Subroutine("g", "g")
    made.unit = unit_of("def g(x):\n    y = np.linalg.norm(x)\n    return y")
    with pytest.raises(CannotType):
        made.types_of((nb.unicode_type,))


def test_it_is_told_apart_by_all_that_it_computes():
    other = Subroutine("factorial", "factorial")
    other.unit = unit_of(FACTORIAL.replace("n - 1", "n - 2"), factorial=other)
    assert repr(recursive()) == repr(recursive())
    assert repr(recursive()) != repr(other)


def test_it_is_normalised_once():
    runs = []

    def normalise(unit):
        runs.append(unit)
        return unit

    made = Subroutine("g", "g", normalise)
    made.unit = unit_of("def g(x):\n    y = x * x\n    return y")
    assert made.ssa is made.ssa
    assert len(runs) == 1


def test_it_may_write_into_its_parameters_and_a_version_of_it_does_not():
    made = recursive()
    assert made.outputs == ("x", "n")
    assert Specialised("v", made, (nb.float64, nb.int64)).outputs == ()


@pytest.mark.parametrize(
    ("summary", "outcome"),
    [
        (Summary((nb.float64,), same=(None,), views=((),)), (nb.float64,)),
        (Summary((nb.float64, VECTOR), True, (0,), (None, None)), (nb.float64, VECTOR, VECTOR)),
        (Summary((VECTOR,), False, (0,), (0,)), (VECTOR,)),  # returned and written into: once
        (Summary((), False, (0,)), (VECTOR,)),
        (Summary(), ()),
    ],
)
def test_what_is_written_into_comes_back_behind_the_results(summary, outcome):
    made = Specialised("v", recursive(), (VECTOR, nb.int64), summary)
    assert made.outcome == outcome
    assert made.dispatcher is made.dispatcher


def test_numba_knows_a_type_of_both():
    made = recursive()
    for each in (made, Specialised("v", made, (nb.float64, nb.int64))):
        assert isinstance(typeof(each), nb.Dispatcher)


def test_a_version_runs_its_own_unit():
    made = Specialised("v", recursive(), (VECTOR,))
    made.unit = unit_of("def v(x):\n    y = np.copy(x)\n    y[0] = 2.0\n    r = y, y\n    return r")
    x = np.ones(2)
    np.testing.assert_array_equal(made(x)[0], [2.0, 1.0])
    np.testing.assert_array_equal(x, 1.0)
    assert (made.__name__, made.wish) == ("v", "factorial")


def expression(text):
    return gast.parse(text, mode="eval").body


def test_calls_of_other_things_call_none_of_these():
    made = recursive()
    bindings = {"g": made, "np": np}
    assert callee_of(expression("g(x, 2)"), bindings) is made
    for text in ("np.sin(x)", "h(x)", "g", "x + y", "g(x).T"):
        assert callee_of(expression(text), bindings) is None
    assert callee_of(None, bindings) is None


def test_only_calls_of_versions_return_tuples():
    made = recursive()
    version = Specialised("v", made, (nb.float64, nb.int64))
    text = "def f(x):\n    a = g(x, 2)\n    b = v(x, 3)\n    c = np.sin(x)\n    return b"
    assert results_of_calls(unit_of(text, g=made, v=version)) == {"b": version}
    assert results_of_calls(unit_of(text, g=made, v=made)) == {}


def power_from(n, x, found=None):
    if n == 0:
        return found
    if found is None:
        found = x * 1.0
    return power_from(n - 1, x, found * x)


@pytest.mark.parametrize("given", [np.array([0.7, 1.3]), 0.7], ids=["array", "number"])
def test_what_is_none_in_one_call_and_an_array_in_another_keeps_its_derivative(given):
    def cube(x):
        return np.sum(power_from(2, x))

    value, slope = srcad.value_and_grad(cube, jit=False)(given)
    assert np.allclose(value, np.sum(given**3))
    assert np.allclose(slope, 3.0 * given**2)
