"""Assignments and expressions: order and number of evaluations, values and effects stay Python's."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.lowering import assert_same, text_of
from tests.programs.lowered.evaluation import ARRAYS, GRID, OVER_ARRAYS, OVER_GRIDS, OVER_PAIRS, PAIRS


@pytest.mark.parametrize("function", OVER_ARRAYS, ids=lambda function: function.__name__)
def test_arrays_give_the_same(function):
    assert_same(function, *ARRAYS)


@pytest.mark.parametrize("function", OVER_GRIDS, ids=lambda function: function.__name__)
def test_grids_give_the_same(function):
    assert_same(function, (GRID,), (-GRID,), (GRID[:, ::-1],))


@pytest.mark.parametrize("function", OVER_PAIRS, ids=lambda function: function.__name__)
def test_pairs_give_the_same(function):
    assert_same(function, *PAIRS)


def test_variables_never_have_the_names_of_modules_and_builtins():
    def shadowed(x, np):
        sum = x
        for len in range(3):
            sum = sum + len
        return sum * np

    assert_same(shadowed, (1.0, 2.0))
    assert "def shadowed(x, np_2):\n    sum_2 = x\n    for len_2 in range(3):" in text_of(shadowed)


def distance(x, y):
    dx = x[0] - y[0]
    return np.sqrt(dx * dx + 1.0)


def test_one_operation_is_one_statement_without_needless_names():
    expected = """\
def distance(x, y):
    t1 = x[0]
    t2 = y[0]
    dx = t1 - t2
    t3 = dx * dx
    t4 = t3 + 1.0
    t5 = np.sqrt(t4)
    return t5
"""
    assert text_of(distance) == expected


def wrong_number_of_values(x):
    a, b = x, x, x
    return a + b


def call_for_its_effect(x):
    np.random.shuffle(x)
    return x


def unknown_function(f, x):
    return f(x)


def unknown_method(x):
    return x.tobytes()


def unknown_attribute(x):
    return x.strides[0]


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (wrong_number_of_values, "3 values cannot be assigned to 2 targets"),
        (call_for_its_effect, "a call whose result is not used"),
        (unknown_function, "a call of a function that is known only at run time"),
        (unknown_method, "the method `tobytes`"),
        (unknown_attribute, "the attribute `strides`"),
    ],
)
def test_what_has_no_core_form_is_refused_with_its_line(function, what):
    with pytest.raises(UnsupportedSyntax, match=what) as caught:
        text_of(function)
    assert caught.value.at.file == __file__
    assert caught.value.hint


class Writer:
    def __init__(self, a):
        self.a = a

    def bump(self):
        self.a[0] = 3.0 * self.a[0]
        return self.a[0]

    @property
    def bumped(self):
        return self.bump()


def adds_what_a_method_returns(x):
    a = np.array([x, 2.0])
    a[0] += Writer(a).bump()
    a[:1] *= Writer(a).bumped
    return a[0] * a[1]


def assigns_what_a_nested_function_reads(x):
    k = 2.0

    def g():
        return k * x

    k = 0.0 * x or g()
    held = {"g": g}
    k, y = 5.0 * k, held["g"]()
    k = x < 1.0 < g() or k
    return k * y


@pytest.mark.parametrize("function", [adds_what_a_method_returns, assigns_what_a_nested_function_reads])
def test_old_values_are_read_before_a_call_changes_them_or_a_target_is_assigned(function):
    assert_same(function, (1.5,), (0.2,))


def test_arguments_for_starred_parameters_are_evaluated_in_their_order():
    def f(x):
        s = x

        def twice():
            nonlocal s
            s = 2.0 * s
            return s

        def more():
            nonlocal s
            s = s + 1.0
            return s

        def rest(p, *others, k=0.0):
            return p + 3.0 * others[0] + 5.0 * k

        def options(p, k=0.0, **others):
            return p + 3.0 * others["q"] + 5.0 * k

        def yielded(p, k=0.0, **others):
            yield p + 3.0 * others["q"] + 5.0 * k

        total = rest(more(), twice(), k=more()) + options(twice(), q=twice(), k=more())
        for each in yielded(twice(), q=more(), k=twice()):
            total += each
        return total * s

    assert_same(f, (1.5,))


def printed_calls(x):
    a = np.array([x, 2.0])
    s = x

    def twice():
        nonlocal s
        s = 2.0 * s
        return s

    print(Writer(a).bump(), f"{twice()}", "%.1f" % twice(), len([x, x]), 1.0 + twice(), sep=", ")  # noqa: UP031
    if x > 100.0:
        raise ValueError("too large: " + str(twice()))
    return a[0] * a[1] * s


def test_calls_whose_results_are_printed_are_evaluated(capsys):
    expected = (printed_calls(1.5), capsys.readouterr().out)
    value, slope = srcad.value_and_grad(printed_calls, jit=False)(1.5)
    assert (value, capsys.readouterr().out) == expected
    assert slope == pytest.approx(2.0 * value / 1.5)


def test_targets_may_stand_in_brackets():
    def f(x):
        [a, [b, *c]] = x, (2.0 * x, 3.0)
        for [i, each] in enumerate(c):
            a = a + b * each * i
        return a + sum([p * q for [p, q] in [(a, b), (b, x)]])

    assert_same(f, (1.5,))
