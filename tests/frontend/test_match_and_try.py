"""`match` chooses the case that Python chooses, and takes apart what it takes apart."""

from collections import deque
from dataclasses import dataclass

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from tests.checking import assert_gradient
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


@dataclass
class Circle:
    r: float


@dataclass
class Box:
    w: float
    h: float
    kind: str = "plain"


def measure(s):
    match s:
        case Circle(r) if r > 5.0:
            return 10.0 * r
        case Circle(r):
            return 3.0 * r * r
        case Box(w, h, kind="double"):
            return 2.0 * w * h
        case Box(w=w, h=h):
            return w * h
        case {"side": a, "n": 3}:
            return a * a
        case {"side": a}:
            return 4.0 * a * a
        case [first, *rest]:
            return first * sum(v * v for v in rest)
        case float(v) | Box(w=v):
            return v**3
        case None:
            return 1.0
        case str():
            return 2.0
    return 0.0


def every_shape(x):
    things = [Circle(x), Circle(7.0 * x), Box(x, 2.0), Box(x, 3.0, "double"), {"side": x, "n": 3}, {"side": x, "n": 4}]
    things += [[x, x, 2.0], (x,), x, None, deque([x, x]), "text", {}, {1: x}]
    return sum(measure(each) * (k + 1.0) for k, each in enumerate(things))


EXPRESSION = ("+", ("*", "x", ("sin", "y")), ("pow", "y", 2))


def evaluated(e, env):
    match e:
        case str():
            return env[e]
        case int() | float():
            return e
        case ("sin", inner):
            return np.sin(evaluated(inner, env))
        case (op, left, right):
            return OPERATIONS[op](evaluated(left, env), evaluated(right, env))
    raise ValueError(e)


OPERATIONS = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "pow": lambda a, b: a**b}


def tree(x, y):
    return evaluated(EXPRESSION, {"x": x, "y": y})


def stars(x):
    total = 0.0
    for row in [(1, 3, 4, 2), (1, 3, 2), (1, 3, 7), (), (1,)]:
        match row:
            case (1, *mid, 2) if len(mid) == 2:
                total += x * mid[0] * mid[1]
            case (1, *_, k):
                total += x * x * k
            case _:
                total += np.sin(x)
    return total


def extents(a):
    match a.shape:
        case (n,):
            return np.sum(a) / n
        case (n, m):
            return np.sum(a * a) / (n + m)


def no_sequence(a):
    match a:
        case [v, w]:
            return v * w
        case _:
            return a[0] * 3.0


def guarded(x, k):
    match (k, x):
        case (1, y) if y > 0.0:
            return y * y
        case (1, y):
            return -y
    return 3.0 * x


def alternatives_with_names(k, x, y):
    match k, x, y:
        case (0, v, _) | (1, _, v):
            return v * v
        case (2, v, w) | (3, w, v) if w > 0.0:
            return v * w * w
        case (_, v, _):
            return 3.0 * v
    return 0.0


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        *[(alternatives_with_names, (k, 0.7, y)) for k in range(5) for y in (1.3, -1.3)],
        (every_shape, (1.3,)),
        (tree, (1.3, 0.7)),
        (stars, (0.8,)),
        (extents, (np.array([0.3, 0.7]),)),
        (extents, (np.array([[0.3, 0.7, 0.1]]),)),
        (no_sequence, (np.array([0.3, 0.7]),)),
        *[(guarded, (x, k)) for x in (0.5, -0.5) for k in (1, 2)],
    ],
)
def test_patterns_take_objects_apart(function, arguments):
    assert_same(function, arguments)
    wrt = tuple(k for k, each in enumerate(arguments) if type(each) is not int)
    assert_gradient(function, *arguments, wrt=wrt, modes=["loops"])


def rest_of_a_mapping(p):
    match p:
        case {"rate": r, **others}:
            return r * others["k"]
    return 0.0


def positional_without_names(p):
    match p:
        case Circle(r, k):
            return r * k
    return 0.0


@pytest.mark.parametrize("function", [rest_of_a_mapping, positional_without_names])
def test_other_patterns_are_refused_at_their_place(function):
    with pytest.raises(UnsupportedSyntax, match=r"a pattern with `\*\*`, or with positional") as caught:
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


def test_a_guard_that_changes_the_subject_does_not_change_what_is_matched():
    def f(x):
        n = 1

        def other():
            nonlocal n
            n = 2
            return False

        match n:
            case 1 if other():
                return 0.0
            case 2:
                return 5.0 * x
            case k:
                return k * x * n

    assert_same(f, 1.5)
