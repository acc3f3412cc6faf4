"""What a rule computes and the primal has computed is read, where it is the same value."""

import numpy as np
import pytest

import srcad
from tests.checking import UNCOMPILED, assert_gradient

X = np.array([0.3, -1.2, 2.0])


def both(x):
    return np.sin(x) * np.cos(x)


def swapped(x):
    return np.cos(x) + np.sin(x) * 2.0


def by_steps(x, n):
    for _i in range(n):
        x = x - 0.3 * np.sin(x) / (2.0 + np.cos(x))
    return x


def until(x):
    step = 1.0
    while abs(step) > 1e-3:
        step = (x - 0.3 * np.sin(x) - 1.0) / (1.0 - 0.3 * np.cos(x))
        x = x - step
    return x


def around(x, n):
    s = 0.0
    c = np.cosh(x)
    for _i in range(n):
        for _j in range(2):
            s = s * 0.5 + np.sinh(x) * c
    return s


def in_elements(x):
    a, b = np.zeros(4), np.zeros(4)
    s = 0.0
    for _k in range(3):
        for i in range(x.size):
            a[i] = np.sin(x[i] + s)
            b[i] = np.cos(x[i] + s)
            s = s + a[i] * b[i]
    return s + a[0] + b[1]


def early(x, n):
    s = 0.0
    for _i in range(n):
        s = s + np.sin(s + x)
        if s > 1.0:
            break
        s = s + np.cos(s + x)
    return s


SAME = [
    (both, (0.7,)),
    (swapped, (0.7,)),
    (by_steps, (0.7, 3)),
    (by_steps, (0.7, 0)),
    (until, (0.4,)),
    (around, (0.7, 3)),
    (in_elements, (X,)),
    (early, (0.2, 3)),
]


@pytest.mark.parametrize(("f", "args"), SAME)
def test_derivatives_are_right(f, args):
    assert_gradient(f, *args, modes=UNCOMPILED)


def test_compiled_ones_are_right():
    assert_gradient(in_elements, X, modes=("compiled",))
    assert_gradient(until, 0.4, modes=("compiled",))


def computed(f, signature):
    """The text of a gradient without comments."""
    lines = srcad.source(f, "grad", signature=signature).splitlines()
    return "\n".join(line.partition("#")[0] for line in lines)


@pytest.mark.parametrize("f", [both, swapped, by_steps, until, around])
def test_each_function_is_computed_once(f):
    text = computed(f, "f8" if f in (both, swapped, until) else "f8, i8")
    names = ("cosh", "sinh") if f is around else ("cos", "sin")
    assert [text.count(f"np.{name}(") for name in names] == [1, 1]


def other_argument(x, y):
    return np.sin(x) * np.cos(y)


def changed_between(x, n):
    for _i in range(n):
        s = np.sin(x)
        x = x + s
        c = np.cos(x)
        x = x * c
    return x


def in_one_arm(x):
    s = np.sin(x)
    if x > 0.0:
        s = s + np.cos(x)
    return s


def in_both_arms(x):
    if x > 0.0:
        s = np.sin(x)
    else:
        s = np.cos(x)
    return s


def before_the_loop(x, n):
    c = np.cos(x)
    for _i in range(n):
        x = x + np.sin(x) * c
    return x


def of_arrays(x):
    y = np.copy(x)
    s = np.sum(np.sin(y))
    y[0] = 2.0
    return s * np.sum(np.cos(y))


OTHERS = [
    (other_argument, (0.7, 0.3)),
    (changed_between, (0.7, 3)),
    (in_one_arm, (0.7,)),
    (in_one_arm, (-0.7,)),
    (in_both_arms, (0.7,)),
    (in_both_arms, (-0.7,)),
    (before_the_loop, (0.7, 3)),
    (of_arrays, (X,)),
]


@pytest.mark.parametrize(("f", "args"), OTHERS)
def test_values_of_other_arguments_and_of_code_that_may_not_run_are_not_taken(f, args):
    assert_gradient(f, *args, modes=UNCOMPILED)


def test_in_the_arm_of_a_branch_what_was_computed_before_is_read():
    text = computed(in_one_arm, "f8")
    assert text.count("np.sin(") == 1
    assert text.count("np.cos(") == 1  # of the sine, as that of the arm may not have been computed
