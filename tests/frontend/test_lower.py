"""Helpers are inlined, names resolved, captures made parameters; random programs run the same in core form."""

import math
import math as maths
import re
from math import exp as exponential
from types import SimpleNamespace

import numpy as np
import numpy.linalg as la
import pytest
from hypothesis import given, settings
from numba import njit
from numpy import absolute as size_of

import srcad
from srcad.errors import SrcadError, UnsupportedSyntax
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.transforms.ir.build import has_place, place_of, walk_statements
from tests.lowering import assert_same, core_of, function_of, text_of
from tests.test_random_programs import programs

RATE = 0.5
SCALE = np.float32(0.25)
WEIGHTS = np.array([1.0, -2.0, 0.5])
FLAGS = (True, None, "rbf", (1, -2.5))
PAIR = (2.0, np.array([3.0, 4.0]))
DEBUG = False
KIND = "rbf"
SETTINGS = {"rate": 1.0}
tanh = np.tanh
NUMBERS = [(x, y) for x in (-1.5, 0.0, 2.0) for y in (-0.5, 3.0)]
ROWS = [(np.array([1.0, -2.0, 3.0]), np.array([0.5, 0.25, -4.0]))]


def square(v):
    return v * v


def pick(x, y, z=10.0, *, w=100.0):
    return x - 2 * y + 3 * z - 4 * w


@njit
def first_negative(x):
    for v in x:
        if v < 0.0:
            return v
    return 0.0


def shift(x, by):
    x += by
    x[0] = -1.0


def polar(x, y):
    return np.sqrt(x * x + y * y), np.arctan2(y, x)


def apply(f, x, n=2):
    for _ in range(n):
        x = f(x)
    return x


def kernel(x, y, kind="rbf", scale=None):
    if scale is None:
        scale = 1.0
    if kind == "rbf":
        return np.exp(-scale * (x - y) ** 2)
    elif kind == "linear":
        return x * y * scale
    raise ValueError(kind)


def helpers(x, y):
    y = square(x) + square(square(y)) - square(x + y)
    x = pick(x, y) + pick(y, z=x, y=square(x)) + pick(1.0, 2.0, 3.0, w=x)
    return x, y


def locals_of_helpers_get_names_of_their_own(x, y):
    v = x + 1.0
    s = 0.0
    for w in range(3):
        s += square(v) * pick(w, v)
    return s, v


def helper_with_early_return(x, y):
    return first_negative(x) * 10.0 + first_negative(y) + first_negative(x * y), first_negative(x[:0])


def helper_that_writes(x, y):
    shift(x, y)
    shift(x[1:], 1.0)
    b = x
    shift(b, b)
    return x * y


def several_results(x, y):
    r, t = polar(x, y)
    both = polar(r, t)
    (a, b), c = polar(t, r), both[0]
    x, y = polar(y, x)
    return r, t, both, a, b, c, x, y


def helpers_in_conditions(x, y):
    n = 0
    while (square(x) < 9.0 and square(y) < 100.0) or n < 2:
        x = x + 0.5 if square(x) > 1.0 else x + 1.5
        if 0.0 < square(y) < square(x):
            y = y * 2.0
        n += 1
        if n > 6:
            break
    return x, y, n


def functions_as_arguments(x, y):
    a = apply(square, x) + apply(np.sin, y, 1) + apply(lambda v: v * y, x, n=3)

    def inner(v):
        return v + apply(lambda u: u - x, v)

    return a + apply(inner, y)


def local_functions(x, y):
    f = lambda v, w=2.0: v * w + x  # noqa: E731  # lambdas are the subject
    sine = np.sin
    linear_algebra = np.linalg

    def g(v):
        k = y * v

        def h(u):
            return u * k + x

        return h(v) + h(k)

    a = f(x) + f(y, w=y)
    x = 100.0
    return a + f(1.0) + g(2.0), sine(y), linear_algebra.norm(np.array([x, y]))


def local_function_called_before_and_after_a_change(x, y):
    total = 0.0

    def add(v):
        return total + v

    total = add(x)
    total, y = add(y), add(total)
    return total, y


def literal_arguments_decide_branches(x, y):
    return kernel(x, y), kernel(x, y, "linear"), kernel(x, y, scale=y), kernel(x, y, kind=KIND, scale=2.0)


def captured_flags(x, y):
    if DEBUG:
        y = SETTINGS
    if not DEBUG and KIND == "rbf" and FLAGS[2] == KIND:
        x = x * RATE
    return x + y if FLAGS[0] else x


def captured_values(x, y):
    a = x * RATE + y * SCALE + math.pi * maths.e
    b = WEIGHTS * x + PAIR[1][0] * PAIR[0] + np.inf
    return a, b, FLAGS, np.zeros(2, dtype=np.float32), WEIGHTS.sum()


def names_by_many_routes(x, y):
    a = size_of(x) + np.absolute(y) + abs(x) + np.fabs(y) + tanh(x)
    b = exponential(x) + math.exp(y) + maths.exp(x) + np.exp(y)
    return a, b, la.norm(np.array([x, y])), np.linalg.norm(np.array([y])), np.amax(np.array([x, y]))


class Model:
    gain = 3.0

    def __init__(self):
        self.weights = np.array([1.0, 2.0, -1.0])
        self.rate = 0.5
        self.part = SimpleNamespace(bias=np.array([0.5, 0.5, 0.5]), power=2)

    @property
    def doubled(self):
        return self.weights * 2.0

    def layer(self, x):
        return x * self.weights + self.part.bias

    def __call__(self, x, y):
        for _ in range(2):
            x = self.layer(x) ** self.part.power
        return x * self.gain * self.rate + np.sum(self.doubled) * y


MODEL = Model()


def calls_of_objects(x, y):
    return MODEL(x, y) + MODEL.layer(y) * MODEL.rate


def make_closure(weights, power):
    def inner(x, y):
        return np.sum(weights * x) ** power + y

    return inner


def default_arguments(x, y, z=WEIGHTS, *, w=RATE):
    return x * y + z * w


OVER_NUMBERS = [helpers, locals_of_helpers_get_names_of_their_own, several_results, helpers_in_conditions]
OVER_NUMBERS += [functions_as_arguments, local_functions, local_function_called_before_and_after_a_change]
OVER_NUMBERS += [literal_arguments_decide_branches, captured_flags, captured_values, names_by_many_routes]
OVER_NUMBERS += [lambda x, y: x * square(y)]
OVER_ROWS = [helper_that_writes, helper_with_early_return, MODEL, calls_of_objects, make_closure(WEIGHTS, 2)]


def name_of(function):
    return getattr(function, "__name__", type(function).__name__)


@pytest.mark.parametrize("function", OVER_NUMBERS, ids=name_of)
def test_numbers_give_the_same(function):
    assert_same(function, *NUMBERS)


@pytest.mark.parametrize("function", OVER_ROWS, ids=name_of)
def test_rows_give_the_same(function):
    assert_same(function, *ROWS)


@pytest.mark.slow
@settings(max_examples=100)
@given(programs())
def test_random_programs_give_the_same(text):
    vector = np.array([0.3, -0.7, 0.9, 0.2])
    assert_same(function_of(text), (0.4, 0.8, vector), (-1.0, 2.0, vector * 2.0))


def area(x):
    side = square(x)
    return square(side) + helper_of_helper(x)


def helper_of_helper(x):
    return square(x) * RATE


def test_inlined_statements_know_the_calls_that_led_to_them():
    unit = lower(load(area))
    assert all(has_place(statement) for statement in walk_statements(unit.tree.body))
    places = [place_of(statement) for statement in walk_statements(unit.tree.body)]
    deepest = next(place for place in places if place.inside and place.inside.inside)
    chain = [deepest.text.strip(), deepest.inside.text.strip(), deepest.inside.inside.text.strip()]
    assert chain == ["return v * v", "return square(x) * RATE", "return square(side) + helper_of_helper(x)"]
    assert [len(unit.sources), unit.sources[0].startswith("def area")] == [3, True]


def test_core_of_an_inlined_helper_is_written_without_detours():
    expected = """\
def area(x):
    v = x
    side = v * v
    v_2 = side
    t1 = v_2 * v_2
    x_2 = x
    v_3 = x_2
    t2 = v_3 * v_3
    t3 = t2 * 0.5
    t4 = t1 + t3
    return t4
"""
    assert text_of(area) == expected


def row_sums(x, axis):
    return np.sum(x, axis=axis)


def test_literals_replace_parameters_that_keep_their_value():
    assert "np.sum(x_2, axis=-1)" in text_of(lambda x: row_sums(x, -1))
    assert "np.sum(x_2, axis=(0, 1))" in text_of(lambda x: row_sums(x, axis=(0, 1)))


def test_defaults_of_nested_functions_are_computed_where_they_stand():
    def outer(x, y):
        def inner(v, w=x * 2.0, *, u=y):
            return v * w + u

        x = 100.0
        return inner(x) + inner(y, 1.0, u=3.0)

    assert_same(outer, *NUMBERS)


def test_captured_arrays_become_parameters_that_are_read_anew():
    weights = np.ones(3)
    function = make_closure(weights, 2)
    unit = lower(load(function))
    assert unit.parameters == ("x", "y", "weights")
    weights[0] = 5.0
    assert unit.hidden[0].read() is weights


def test_arrays_of_objects_follow_the_object():
    model = Model()
    unit = lower(load(model.layer))
    assert unit.parameters == ("x", "weights", "bias")
    model.weights = np.zeros(3)
    model.part = SimpleNamespace(bias=np.full(3, 7.0), power=1)
    assert [capture.read()[0] for capture in unit.hidden] == [0.0, 7.0]


def test_captured_numbers_are_listed_with_their_owner():
    power = 3

    def cube(x):
        return x**power * RATE * math.pi + np.e

    unit = lower(load(cube))
    assert [(key, value) for _, key, value in unit.frozen] == [("power", 3), ("RATE", 0.5)]
    assert unit.frozen[0][0].cell_contents == 3
    assert unit.frozen[1][0] is globals()


def test_numbers_of_objects_are_looked_up_through_the_object():
    unit = lower(load(MODEL))
    found = {key: owner[key] for owner, key, _ in unit.frozen}
    assert found == {"power": 2, "gain": 3.0, "rate": 0.5}


def test_only_what_is_read_is_bound():
    assert sorted(lower(load(area)).bindings) == ["math", "np", "operator"]


def test_a_kept_function_is_bound_under_its_name():
    def marked(x):
        return x

    marked.__srcad_primitive__ = True

    def caller(x):
        return marked(x) + square(x)

    unit = lower(load(caller))
    assert unit.bindings["marked"] is marked
    assert "t1 = marked(x)" in text_of(caller)


def test_a_function_of_srcads_is_inlined_like_any_helper():
    wrapped = srcad.function(square)

    def caller(x):
        return wrapped(x) + 1.0

    assert text_of(caller) == "def caller(x):\n    v = x\n    t1 = v * v\n    t2 = t1 + 1.0\n    return t2\n"


def test_a_gradient_is_a_call_of_what_has_a_tuple_of_results():
    slope = srcad.grad(square)

    def caller(x):
        return slope(x) + 1.0

    text = text_of(caller)
    assert "= square_grad" in text
    assert re.search(r"(t\d+) = square_grad_?\d*\(x\)\n    t\d+ = \1\[0\]", text)


def test_objects_of_libraries_stay_calls():
    polynomial = np.poly1d([1.0, 2.0])

    def caller(x):
        return polynomial(x)

    assert "t1 = polynomial(x)" in text_of(caller)


def test_functions_of_functions_are_not_recursion():
    def twice(f):
        return lambda x: f(f(x))

    fourfold = twice(twice(square))
    assert_same(fourfold, (1.1,))


def test_libraries_are_reached_by_their_own_names():
    from scipy import special

    erf = special.erf

    def caller(x):
        return special.gamma(x) + special.erf(x)

    def captured(x):
        return erf(x)

    unit = lower(load(caller))
    assert sorted(unit.bindings) == ["math", "np", "operator", "scipy"]
    assert "scipy.special.gamma(x)" in text_of(caller)
    assert "erf(x)" in text_of(captured)


def test_lowering_is_deterministic():
    assert text_of(helpers_in_conditions) == text_of(helpers_in_conditions)


def test_defaults_of_the_function_itself_stay_with_the_caller():
    core, _ = core_of(default_arguments)
    assert np.array_equal(core(1.0, 2.0, WEIGHTS, 0.5), default_arguments(1.0, 2.0))


def captured_dictionary(x):
    return x * SETTINGS["rate"]


def captured_bytes(x):
    return x * sum(SEVERAL)


SEVERAL = bytearray(b"ab")


def undefined_name(x):
    return x * not_defined_anywhere  # noqa: F821


def undefined_attribute(x):
    return np.no_such_function(x)


def function_as_a_value(x):
    return np.array([square, x])


def wrong_arguments(x):
    return square(x, x)


def missing_argument(x):
    return pick(x)


def unknown_keyword(x):
    return pick(x, x, q=3)


def module_as_a_value(x):
    return np.array((x, math))


def generator_in_a_helper(x):
    return gather(x)


def gather(x):
    yield x


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (captured_bytes, "`SEVERAL` is of type bytearray"),
        (undefined_name, "the name `not_defined_anywhere` is not defined"),
        (undefined_attribute, "`numpy` has no attribute `no_such_function`"),
        (function_as_a_value, "given the function `square`"),
        (wrong_arguments, "`square` is given too many arguments: 2 instead of 1"),
        (missing_argument, "`pick` needs the argument `y`"),
        (unknown_keyword, "`pick` has no parameter `q`"),
        (module_as_a_value, "`math` is of type module"),
        (generator_in_a_helper, "a generator is supported only where a loop runs over it"),
    ],
)
def test_what_cannot_be_inlined_is_refused_with_its_line(function, what):
    with pytest.raises(UnsupportedSyntax) as caught:
        lower(load(function))
    assert what in str(caught.value)
    assert caught.value.at.file == __file__
    assert caught.value.hint


def test_an_error_inside_a_helper_shows_the_call():
    def caller(x):
        return captured_bytes(x)

    with pytest.raises(SrcadError, match="called from"):
        lower(load(caller))


def test_a_construct_that_is_refused_in_a_helper_of_a_helper_shows_both_calls():
    def inner(x):
        class Held:
            value = x

        return x * Held.value

    def middle(x):
        return inner(x) + 1.0

    def caller(x):
        return middle(x)

    with pytest.raises(UnsupportedSyntax, match="class") as caught:
        lower(load(caller))
    assert re.findall(r"called from .*\n.*\| +(.*)", str(caught.value)) == ["return inner(x) + 1.0", "return middle(x)"]
