"""Functions of functions, methods of texts and starred names, where what they are given is known."""

import functools
import operator

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.3, 1.2, 0.7, 2.1])


def transformed(x, mode):
    if mode.startswith("log") and "ab" in mode:
        return np.log(np.abs(x))
    return x * len(mode.split("-"))


def by_text(x):
    return np.sum(transformed(x, "log-abs")) + np.sum(transformed(x, "some-thing".upper()) ** 2)


def rests(x):
    a, *rest = (x[0], x[1], x[2])
    *b, c = rest
    first, *mid, last = [x[3], *rest, a]
    t = (*rest, a * c)
    u = [*t, *mid]
    rest[0] = 2 * rest[0]
    return a * b[0] + u[0] * u[1] + u[2] * first + last * len(mid) + np.sum(np.array([*t, 1.0]) ** 2) + rest[0] * u[3]


def exchanged(x):
    a, b, c = x[0], x[1], x[2]
    a, *r = b, c, a
    b, *r2 = r[0] * 2, *r
    return a * b + r[1] ** 2 + r2[0]


def in_rows(x):
    s = 0.0
    for a, *b in [(x[0], x[1], x[2]), (x[1], x[2], x[3])]:
        s += a * b[0] + b[1] ** 2
    return s


def mapped(x):
    v = list(map(lambda u: u * u, (x[0], x[1])))  # noqa: C417 - as users write it
    w = sum(map(lambda a, b: a * b, x, x[::-1]))
    kept = list(filter(lambda q: q > 0, (1.0, -2.0, 3.0)))
    return v[0] + v[1] + w + functools.reduce(lambda a, b: a * b + x[3], [x[0], x[1], x[2]], 2.0) + len(kept)


def mapped_arrays(x):
    lowest = sorted(map(lambda u: u * u, x))[0]  # noqa: C417
    return np.sum(list(map(lambda u: u**3, x))) + lowest + np.max(list(filter(lambda u: u > 0.5, x)))  # noqa: C417


def among(x):
    n, s = int(x[3]), 0.0
    for i in range(6):
        if i in (1, n):
            s += x[0] * i
        elif i not in {3, 4}:
            s += x[1] ** 2
    return s


PROGRAMS = (by_text, rests, exchanged, in_rows, mapped, mapped_arrays, among)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_are_differentiated_as_they_stand(program):
    srcad.check_grads(program, (X,), jit=False)


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (lambda x: sum((*x[x > 0.0], 1.0)), "starred argument is an array"),
        (lambda x: functools.reduce(lambda a, b: a * b, {}), "functools.reduce of no elements"),
        (lambda x: x[0] * len("a-b".partition("-")), "the method `partition` of a text"),
    ],
)
def test_what_is_not_known_is_refused(program, what):
    with pytest.raises(UnsupportedSyntax, match=what):
        srcad.grad(program, jit=False)(X)


def membership(x, m, n):
    s = 1.0
    if m in ("a", 1, "b"):
        s += x[0] ** 2
    if "a" in (m, "z"):
        s *= x[1]
    if "a" not in (m, "z"):
        s *= x[0]
    if n not in {1, 4}:
        s += x[1] ** 2
    if 3 in [n, 2] or m not in ["q"]:
        s -= x[1] * x[0]
    return s


@pytest.mark.parametrize("m", ["a", "b", "q", "z"])
@pytest.mark.parametrize("n", [1, 3])
def test_membership_of_texts_that_are_known_only_at_run_time(m, n):
    x = np.array([0.3, -0.7])
    value, _ = srcad.value_and_grad(membership, jit=False)(x, m, n)
    assert value == pytest.approx(membership(x, m, n))


def test_reduce_of_a_generator_expression():
    def product(x):
        return functools.reduce(operator.mul, (np.sum(v**2) for v in (x[0], x[1])), 2.0)

    assert_gradient(product, np.arange(1.0, 7.0).reshape(2, 3))
