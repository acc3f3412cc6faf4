"""The fence: every row of its table refuses its example, and the language that is supported passes."""

# Odd code is the subject, so it stays as it is written:
# ruff: noqa: B006, B905, E702, E731, F841, PIE790, PLC2401, RET504, RET507, RUF021

import linecache
from textwrap import dedent

import numpy as np
import pytest

from srcad.errors import UnsupportedSyntax
from srcad.frontend.language_subset import fence
from srcad.frontend.load_source import load
from srcad.frontend.refused_syntax import REFUSED


def refused(function):
    with pytest.raises(UnsupportedSyntax) as caught:
        fence(load(function))
    return caught.value


def test_each_example_is_refused_by_its_own_row(monkeypatch):
    for row in (construct.refusal for construct in REFUSED if construct.refusal.example.strip()):
        example = dedent(row.example).strip()
        monkeypatch.setitem(linecache.cache, "row.py", (1, None, example.splitlines(True), "row.py"))
        namespace = {}
        exec(compile(example, "row.py", "exec", dont_inherit=True), namespace)
        *_, last = namespace.values()
        used = namespace.get("values", namespace.get("f"))
        error = refused(last.f if isinstance(last, type) else used)
        assert error.hint == row.hint, row.title
        assert error.at.file == "row.py"


def whole_language(x: np.ndarray, n: int = 3, *, scale=2.0):
    """Everything that passes."""
    a, (b, c) = x[0], (x[1], x[2])
    d = e = np.zeros_like(x)
    d[1:] += x[:-1] ** 2 @ e
    total: float = -0.0
    for i in range(n - 1, -1, -1):
        if 0 < i <= 4 and not a > b or c != 0.0:
            continue
        elif i == 7:
            break
        else:
            total += a if a > b else b
    while total < 1.0:
        total *= scale
        pass
    for i, (u, v) in enumerate(zip(x, x)):
        assert u == v, f"no {u}"
        print(f"{i}", u)

    def square(y):
        return y * y

    if total < 0.0:
        raise ValueError(f"negative {total}")
    double = lambda y: 2.0 * y
    return square(double(total)), np.stack([d, e], axis=0), x.T, x[x > 0.0], x[..., None, ::2]


def test_the_whole_language_passes():
    fence(load(whole_language))


def test_annotations_and_defaults_are_not_differentiated():
    def f(x: {"any": 1} = [1]):
        return x

    fence(load(f))


def test_constructs_in_inner_functions_are_refused():
    def f(x):
        def g(y):
            class Held: ...

            return y

        return g(x)

    assert refused(f).at.line == f.__code__.co_firstlineno + 2


def test_the_place_is_that_of_the_construct():
    def f(x):
        é = 1.0; y = x.__held  # fmt: skip
        return y

    at = refused(f).at
    assert at.text[at.column : at.end_column] == "x.__held"
