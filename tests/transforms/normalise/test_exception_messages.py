"""What is raised and printed: texts stay where Numba can make them, else their parts are handed over."""

import numpy as np
import pytest
from numba import typeof

import srcad
from srcad.driver import pipeline
from srcad.driver.user_exceptions import note_place
from srcad.errors import UnsupportedSyntax


def rooted(x, n):
    print(f"at {x} of {n}", n)
    if x < 0.0:
        raise ValueError(f"no root of {x} in {n} turns")
    assert x < 9.0, f"{x:.2f} is too much"
    if n > 5:
        raise RuntimeError(f"{n} turns are too many")
    return np.sqrt(x)


def test_values_in_texts_that_numba_cannot_make_become_arguments():
    made = pipeline.derive(pipeline.prepare(rooted), "grad", (0,), [typeof(2.0), typeof(3)], loops=True)
    assert "print('at', x, 'of', n, n)" in made.text
    assert "raise ValueError('no root of', x, 'in', n, 'turns')" in made.text
    assert "raise AssertionError(x, 'is too much')" in made.text
    assert "raise RuntimeError(f'{n} turns are too many')" in made.text


def test_texts_stay_where_python_makes_them():
    with pytest.raises(ValueError, match=r"no root of -2\.0 in 3 turns"):
        srcad.grad(rooted, jit=False)(-2.0, 3)


@pytest.mark.parametrize(
    ("raised", "text"),
    [(("no root of", -2.0, "in", 3, "turns"), "no root of -2.0 in 3 turns"), (("other", 1), "other")],
)
def test_calls_from_python_put_texts_together_again(raised, text):
    problem = ValueError(*raised)
    note_place(problem, pipeline.prepare(rooted), (-2.0, 3))
    assert problem.args[0] == text


def raise_values(x):
    if x[0] > 0.0:
        raise ValueError(f"bad {[x[0], 2.0]} {(x[1],)} { {'p': [x[0]], 'q': None} }")
    return x[0]


def raise_text(x):
    if x[0] > 0.0:
        raise ValueError("bad " + str([x[0], "a"]) + repr({"p": x[0]}))
    return x[0]


def raise_format(x):
    if x[0] > 0.0:
        raise ValueError("bad {} {:.3f}".format([x[0]], x[1]))  # noqa: UP032
    return x[0]


def raise_percent(x):
    if x[0] > 0.0:
        raise ValueError("bad %s %d" % ([x[0]], 3))  # noqa: UP031
    return x[0]


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("function", [raise_values, raise_text, raise_format, raise_percent])
def test_lists_and_dictionaries_are_written_as_python_writes_them(function, jit):
    """Lists had the parentheses of tuples."""
    said = []
    for each in (function, srcad.grad(function, jit=jit)):
        with pytest.raises(ValueError, match="bad") as caught:
            each(np.array([0.7, 1.3]))
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_printed_lists(capsys):
    def told(x):
        print([x[0], 2.0], {"p": x[1]}, *[x[0], x[1]])
        return x[0]

    told(np.array([0.7, 1.3]))
    text = capsys.readouterr().out
    srcad.grad(told, jit=False)(np.array([0.7, 1.3]))
    assert capsys.readouterr().out == text


class ListedError(Exception):
    def __init__(self, values):
        super().__init__(len(values))


def raise_another(x):
    if x[0] > 0.0:
        raise ListedError([x[0], x[1]])
    return x[0]


def raise_grown(x):
    found = []
    for v in x:
        found.append(v)
    if x[0] > 0.0:
        raise ValueError(f"bad {found}")
    return x[0]


@pytest.mark.parametrize(("function", "count"), [(raise_another, 2), (raise_grown, 100)])
def test_lists_that_cannot_be_written_are_refused(function, count):
    with pytest.raises(UnsupportedSyntax, match=r"a list .*raised"):
        srcad.grad(function, jit=False)(np.full(count, 0.7))
