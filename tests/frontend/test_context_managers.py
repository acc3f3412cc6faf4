# ruff: noqa: RET504, SIM300
"""`with` statements: the managers are entered and left as often as by the function, and derivatives are those of it."""

import contextlib
import threading
import warnings

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

SEEN: list = []
LOCK = threading.Lock()


class Scale:
    def __init__(self, rate):
        self.rate = rate

    def __enter__(self):
        SEEN.append("scaled")
        return self.rate * 2.0

    def __exit__(self, *problem):
        SEEN.append("left")


@contextlib.contextmanager
def noted(name):
    SEEN.append(name)
    try:
        yield
    finally:
        SEEN.append("end")


@contextlib.contextmanager
def tripled(x, rate=3.0):
    y = x * rate
    yield y


@contextlib.contextmanager
def in_a_branch(x):
    if x > 0.0:
        yield 2.0
    else:
        yield 3.0


def of_a_class(x):
    with Scale(x) as factor:
        y = factor * x
    return y


def returned_inside(x):
    with noted("returned"):
        if x > 1.0:
            return x * x
        y = x
    return y


def two_at_once(x):
    with tripled(x * x) as z, noted("both"):
        y = x * z
    return y


def left_in_a_loop(x):
    s = 0.0
    for i in range(5):
        with noted("turn"):
            if i == 1:
                continue
            if i == 3:
                break
            s += x * x * i
    return s


def of_libraries(x):
    with LOCK, warnings.catch_warnings(), np.printoptions(precision=3), contextlib.nullcontext(x) as z:
        warnings.simplefilter("ignore")
        y = x * z
    return y


def suppressed(x):
    y = x * x
    with contextlib.suppress(ZeroDivisionError), noted("suppressed"):
        y = x / int(x - x)
    return y


ALL = [of_a_class, returned_inside, two_at_once, left_in_a_loop, of_libraries, suppressed]


@pytest.mark.parametrize("f", ALL)
def test_derivatives_and_effects_are_those_of_the_function(f):
    SEEN.clear()
    f(1.3)
    expected = SEEN[:]
    SEEN.clear()
    srcad.grad(f, jit=False)(1.3)
    assert SEEN == expected
    assert_gradient(f, 1.3, modes=("arrays", "tangent"))


@pytest.mark.compiled
def test_compiled():
    def f(x):
        return of_a_class(x) + two_at_once(x) + left_in_a_loop(x)

    assert srcad.grad(f)(1.3) == pytest.approx(4 * 1.3 + 9 * 1.3**2 + 4 * 1.3)


def opened(x):
    with open("no such file") as file:
        return x * len(file.read())


def branched(x):
    with in_a_branch(x) as factor:
        return factor * x


@pytest.mark.parametrize(("f", "what"), [(opened, "`with` is supported only"), (branched, "must have one `yield`")])
def test_refused_with_place_and_way_out(f, what):
    with pytest.raises(UnsupportedSyntax, match=what) as caught:
        srcad.grad(f, jit=False)(1.3)
    assert caught.value.at.file == __file__
    assert caught.value.hint
