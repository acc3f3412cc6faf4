"""Iterators that are kept: generated code has lists, which can be gone through twice and hold what was."""

import functools
import itertools
import math

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.7, 1.3, 0.4])


def square(v):
    return v * v


def twice(values):
    return sum(values) + sum(values)


def gone_through_twice(x):
    squares = map(square, x)
    return sum(squares) + x[0] * sum(squares)


def changed_before(x):
    parts = [x[0], x[1]]
    squares = map(square, parts)
    parts[0] = 5.0
    return sum(squares)


def of_itertools(x):
    row = itertools.chain([x[0]], [x[1]])
    return sum(row) + x[0] * sum(row)


def given_back(x):
    def squares():
        return map(square, x)

    return sum(squares())


def as_a_test(x):
    return x[0] if filter(None, []) else x[1]


REFUSED = [
    *(gone_through_twice, changed_before, of_itertools, given_back, as_a_test),
    lambda x: twice(map(square, x)),
    lambda x: reversed([x[0], x[1]])[0],
    lambda x: len(reversed([x[0], x[1]])) * x[0],
    lambda x: np.sum(map(np.sin, x)),
    lambda x: x[np.argsort(map(np.sin, x))[0]],
    lambda x: np.sin(filter(None, x))[0],
    lambda x: np.sum(np.stack(map(np.sin, [x, x]))),
    lambda x: np.mean(reversed([x[0], x[1]])),
    lambda x: x[0] if 1.0 in map(np.floor, x) else x[1],
]


@pytest.mark.parametrize("function", REFUSED)
def test_iterators_are_gone_through_where_they_are_made(function):
    with pytest.raises(UnsupportedSyntax, match="supported only in a loop") as caught:
        srcad.grad(function, jit=False)(X)
    assert "test_one_shot_iterators.py" in str(caught.value)
    assert "list(map(f, x))" in str(caught.value)


@pytest.mark.slow
def test_who_goes_through_them():
    def everywhere(x):
        a, b = map(square, (x[0], x[1]))
        row = [*map(square, [a, b]), *reversed([a, x[2]])]
        row.extend(map(square, [a, x[0]]))
        named = dict(zip(("p", "q"), (a, b), strict=True))
        total = functools.reduce(lambda v, w: v * w, map(square, row)) + max(*map(square, [a, b])) * named["q"]
        for k, v in enumerate(map(square, x)):
            total += k * v
        return total + math.fsum(map(square, [a, x[0]])) + sum(v * w for v, w in zip(x, x[::-1], strict=True))

    assert_gradient(everywhere, X)


@pytest.mark.slow
def test_what_is_mapped_sees_what_turns_have_changed():
    def scaled(x):
        s = x[0]
        for v in map(lambda u: u * s, x):  # noqa: C417
            s += v
        for v in filter(lambda u: u * s > 1.0, x):
            s += v
        parts = [x[0], x[1], x[2]]
        for i, v in enumerate(map(square, parts)):
            if i < 2:
                parts[i + 1] += v * s
        return parts[2]

    assert_gradient(scaled, X)


def asked_before(x):
    s = x[0]
    for k, _ in enumerate(filter(lambda u: u * s > 0.3, x)):
        s = s * 0.2 * (k + 1)
    return s


def counts_what_it_is_asked(x):
    asked, s = [0.0], 0.0

    def is_large(v):
        asked[0] += v
        return v > 0.5

    for k, v in enumerate(filter(is_large, x)):
        s += k * v * asked[0]
    return s


@pytest.mark.parametrize("function", [asked_before, counts_what_it_is_asked])
def test_filters_within_other_iterators_must_not_depend_on_the_loop(function):
    with pytest.raises(UnsupportedSyntax, match="evaluated before the loop") as caught:
        srcad.grad(function, jit=False)(X)
    assert "list(filter(...))" in str(caught.value)


@pytest.mark.slow
def test_filters_within_other_iterators():
    def weighted(x, limit):
        s = 0.0
        for k, v in enumerate(filter(lambda u: u > limit, x)):
            s += (k + 1) * v
        return s

    assert_gradient(weighted, X, 0.5)
