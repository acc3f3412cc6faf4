"""Functions chosen at run time: what Python raises is raised, and what has no number for each function is refused."""

import pytest

import srcad
from srcad.errors import UnsupportedSyntax


def square(x):
    return x * x


def cube(x):
    return x**3


def called_though_none(x, n):
    k = None
    if n > 1:
        k = square
    return k(x)


def key_that_is_missing(x, n):
    return {0: square, 4: cube}[n](x)


def index_out_of_range(x, n):
    return [square, cube][n](x)


def handed_to_a_recursive_function(x, n):
    def go(k, depth):
        return x if depth <= 0 else k(go(k, depth - 1))

    return go(square if n > 1 else cube, n)


def function_or_number(x, n):
    k = square if n > 1 else 3.0
    return k(x)


@pytest.mark.parametrize(
    ("f", "n", "kind"),
    [(called_though_none, 0, TypeError), (key_that_is_missing, 3, KeyError), (index_out_of_range, 2, IndexError)],
)
def test_errors_are_those_of_the_function(f, n, kind):
    with pytest.raises(kind):
        f(1.3, n)
    with pytest.raises(kind):
        srcad.grad(f, jit=False)(1.3, n)


def defined_anew_in_a_loop(x, n):
    def scaled(by):
        return lambda v: by * v

    k = scaled(x)
    for i in range(int(n)):
        k = scaled(k(x) + i)
    return k(x)


@pytest.mark.parametrize("f", [handed_to_a_recursive_function, function_or_number, defined_anew_in_a_loop])
def test_refused_where_the_function_has_no_number(f):
    with pytest.raises(UnsupportedSyntax, match=r"one function or|each iteration of a loop defines anew"):
        srcad.grad(f, jit=False)(1.3, 5.0)  # an integer would be made a constant


def test_the_branch_of_a_function_that_is_known_is_the_only_one():
    def f(x):
        k = square
        if x > 100.0:
            k = cube
        k = square
        return k(x)

    assert "** 3" not in srcad.source(f, args=(1.3,))
