"""Subscripts of generated code as linear forms, and which iteration reaches an element."""

import gast
import pytest

from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts, accesses


def statement(text):
    return gast.parse(text).body[0]


def known(*texts, loop="range(n)"):
    at = Subscripts().inside(statement(f"for j in {loop}:\n    pass"))
    for text in texts:
        at.learn(statement(text))
    return at


def form(at, text):
    return at.form(gast.parse(text).body[0].value)


def test_names_are_followed_until_they_are_stored_anew():
    at = known("k = j + 2", "l = k - 1")
    assert form(at, "l") == Form.of("j") + 1
    at.learn(statement("j = x[0]"))
    assert form(at, "l") is None


def test_what_an_iteration_stores_later_is_not_known_before():
    at = known()
    at.begin({"k"})
    assert form(at, "k + 1") is None
    at.learn(statement("k = j"))
    assert form(at, "k + 1") == Form.of("j") + 1
    at.learn(statement("k += 1"))
    assert form(at, "k") is None


def test_a_subscript_in_terms_of_the_index():
    at = known()
    at.begin({"k", "l", "m"})
    for text in ("k = j + 2", "l = k", "m = x[j]"):
        at.learn(statement(text))
    assert gast.unparse(at.resolved(gast.parse("l - 1").body[0].value)) == "j + 2 - 1"
    assert at.resolved(gast.parse("m").body[0].value) is None
    at.learn(statement("k = 3"))
    assert at.resolved(gast.parse("l").body[0].value) is None


@pytest.mark.parametrize(
    ("one", "other", "loop", "expected"),
    [
        ("v[j] += t", "t = v[j]", "range(n)", False),
        ("v[j] += t", "t = v[j + 1]", "range(n)", False),
        ("v[j + 1] += t", "t = v[j]", "range(n)", True),
        ("v[j + 1] += t", "t = v[j]", "range(n - 1, -1, -1)", False),
        ("v[j] += t", "t = v[j + 1]", "range(n - 1, -1, -1)", True),
        ("v[j] += t", "t = v[j - 1]", "range(n)", True),  # which may be the last element
        ("v[j] += t", "t = v[j - 1]", "range(1, n)", True),
        ("v[2 + j] += t", "t = v[k]", "range(n)", True),
        ("v[j] += t", "t = w[j]", "range(n)", True),
        ("a[0, j] += t", "t = a[1, j + 1]", "range(n)", False),
        ("a[i, j] += t", "t = a[i, j + 1]", "range(n)", False),
    ],
)
def test_what_is_reached_later(one, other, loop, expected):
    at = known(loop=loop)
    is_element = lambda name, parts: len(parts) == (2 if name == "a" else 1)  # noqa: E731 - a stand-in
    first = next(accesses(statement(one), at, is_element))
    second = next(each for each in accesses(statement(other), at, is_element) if each.forms is not None)
    forward = "-1)" not in loop
    assert at.later(first, 1, second, 0, "j", forward) is expected


def test_multiples_of_an_index():
    at = known("k = 2 * j", "l = k + 1")
    assert form(at, "l - j * 2") == Form.number(1)
    assert form(at, "j * j") is None
    assert at.differ(form(at, "k"), form(at, "l"))


def test_subscripts_that_are_never_the_same_by_what_is_known_of_the_loops_around():
    outer = Subscripts().inside(statement("for i in range(n):\n    pass"))
    inner = outer.inside(statement("for j in range(i + 1, n):\n    pass"))
    assert inner.differ(form(inner, "j"), form(inner, "i"))
    assert inner.differ(form(inner, "n"), form(inner, "j"))
    assert not inner.differ(form(inner, "j"), form(inner, "i + 1"))
    assert not inner.differ(form(inner, "j"), form(inner, "j - n"))  # counted from the end, perhaps the same
    assert not outer.differ(form(outer, "i"), form(outer, "k"))


def test_what_the_loop_stores_is_no_bound_in_it():
    inside = Subscripts().inside(statement("for j in range(k):\n    k = 0"))
    assert not inside.differ(form(inside, "j"), form(inside, "k"))
