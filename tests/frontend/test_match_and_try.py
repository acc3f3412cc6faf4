"""`match` chooses the case that Python chooses; patterns that look into objects are refused."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from tests.lowering import assert_same, text_of
from tests.programs import control


def first_that_fits(n, x):
    match n:
        case 0 | 1 | -2:
            return "small", n
        case 5 if x > 0.0:
            return "five", n
        case 5:
            return "negative five", n
        case n if n > 100:
            return "large", n
        case other:
            n = other + 1
    return "none", n


def single_values(x):
    match x:
        case None:
            return 0
        case True:
            return 1
        case 1:
            return 2
        case "text":
            return 3
    return 4


def subject_is_computed_once(a):
    match control.bumped(a, 0):
        case False:
            return a[0]
        case True:
            return -a[0]
    return 0.0


def subject_changes_in_a_guard(n):
    match n:
        case 1 if (n := n + 1) > 5:
            return 0, n
        case 1:
            return 1, n
    return 2, n


def pairs(x, y):
    match x, y:
        case 0, (1 | 2) as found:
            return found
        case (a, 3):
            return a
        case 1, 2, 3:
            return 9
        case (0, b):
            return b * 10
    return -1


@pytest.mark.parametrize(
    ("function", "cases"),
    [
        (first_that_fits, [(n, x) for n in (0, 1, -2, 5, 7, 101) for x in (-1.0, 1.0)]),
        (single_values, [(None,), (True,), (False,), (1,), (1.0,), ("text",), (9,)]),
        (subject_is_computed_once, [(np.array([0.5, 1.0]),), (np.array([1.0, 2.0]),)]),
        (subject_changes_in_a_guard, [(1,), (7,), (2,)]),
        (pairs, [(x, y) for x in (0, 1, 4) for y in (1, 2, 3, 7)]),
    ],
)
def test_the_first_case_that_fits_is_taken(function, cases):
    assert_same(function, *cases)


def test_a_case_that_is_known_while_compiling_stands_alone():
    assert "raise" not in text_of(control.cases_of_a_captured_text)
    assert "if" not in text_of(control.cases_in_helpers)


def mapping(p):
    match p:
        case {"rate": r}:
            return r
    return 0.0


def of_a_class(x):
    match x:
        case float():
            return x
    return 0.0


def sequence(x):
    match x:
        case [a, b]:
            return a * b
    return 0.0


def name_and_guard(x):
    match x:
        case (1.0 | 2.0) as y if y > 1.0:
            return y
    return 0.0


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (mapping, "takes an object apart"),
        (of_a_class, "takes an object apart"),
        (sequence, "takes apart anything but a tuple or list"),
        (name_and_guard, "binds a name, tests a value and has an `if`"),
    ],
)
def test_other_patterns_are_refused_at_their_place(function, what):
    with pytest.raises(UnsupportedSyntax, match=what) as caught:
        lower(load(function))
    assert caught.value.at.line == function.__code__.co_firstlineno + 2


def test_a_nested_function_may_match():
    def f(x):
        def choose(n):
            match n:
                case 1:
                    return x
                case _:
                    return x * x

        return choose(1) + choose(2)

    assert srcad.grad(f, jit=False)(3.0) == 7.0


def tidied_up(x):
    s = 0.0
    try:
        s = x * x
        try:
            s = s * 2.0
        finally:
            s += x
    finally:
        s *= x
    return s


def test_a_finally_that_nothing_jumps_over_follows_the_body():
    assert text_of(tidied_up).count("s = ") == 5
    assert_same(tidied_up, 1.5)
    assert srcad.grad(tidied_up, jit=False)(2.0) == 6.0 * 4.0 + 2.0 * 2.0


def returns_from_try(x):
    try:
        return x * x
    finally:
        x = 0.0


def returns_from_finally(x):
    try:
        x = x * x
    finally:
        return x  # noqa: B012


def breaks_out(x):
    for _ in range(3):
        try:
            if x > 1.0:
                break
        finally:
            x = x + 1.0
    return x


def test_a_finally_that_leaves_is_refused():
    with pytest.raises(UnsupportedSyntax, match=r"`finally` .* `return`, `break`"):
        lower(load(returns_from_finally))


@pytest.mark.parametrize(("function", "slope"), [(returns_from_try, 3.0), (breaks_out, 1.0)])
def test_a_finally_runs_before_what_leaves(function, slope):
    assert_same(function, 1.5)
    assert srcad.grad(function, jit=False)(1.5) == slope
