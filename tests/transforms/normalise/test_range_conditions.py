"""A condition outside of a loop fails exactly where one of the iterations that evaluate the subscript fails."""

import itertools

import gast
import pytest

from srcad.transforms.analysis.affine.integer_facts import Bounds
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.normalise.range_conditions import Condition, is_exact

I, J, N, M = (Form.of(name) for name in ("i", "j", "n", "m"))  # noqa: E741  as in the loops
MESSAGE = "x[i] is out of range"


def value(form, values):
    return form.constant + sum(factor * values[symbol] for symbol, factor in form.terms)


def fails(condition, values):
    return any(value(room, values) < 0 for room in condition.rooms) and all(
        value(form, values) >= 0 for form in condition.needed
    )


def condition(rooms, needed=()):
    return Condition(tuple(rooms), tuple(needed), MESSAGE, None)


LOOPS = [
    (Bounds(Form.number(0), N - 1, 1), lambda n, m: range(n)),
    (Bounds(Form.number(1), N - 2, 1), lambda n, m: range(1, n - 1)),
    (Bounds(M, N - 1, 1), lambda n, m: range(m, n)),
    (Bounds(Form.number(0), N - 1, -1), lambda n, m: range(n - 1, -1, -1)),
    (Bounds(Form.number(0), N - 1, 2), lambda n, m: range(0, n, 2)),
]
ROOMS = [(M - I,), (I - M,), (M - I - 1, I + M), (M - N,), (M - I.scaled(2),), (I.scaled(-1) + 2,), (M - 2, N - 3 - I)]
NEEDED = [(), (I - 1,), (N - 2 - I,), (M - 1,), (I - M,), (I - 1, I.scaled(-1) + 1), (I.scaled(2) - M,), (N - 1,)]


@pytest.mark.parametrize(("bounds", "indices"), LOOPS)
def test_a_condition_before_a_loop_is_that_of_all_iterations(bounds, indices):
    found = 0
    for rooms, needed in itertools.product(ROOMS, NEEDED):
        inside = condition(rooms, needed)
        outside = inside.before_loop("i", bounds, bounds.limits("i"), ())
        if outside is None:
            continue
        found += 1
        assert all("i" not in each.names for each in outside)
        for n, m in itertools.product(range(-2, 6), repeat=2):
            expected = any(fails(inside, {"i": i, "n": n, "m": m}) for i in indices(n, m))
            assert any(fails(each, {"n": n, "m": m}) for each in outside) == expected, (rooms, needed, n, m)
    assert found > 5


def test_triangular_loops_are_left_in_two_steps():
    inner = condition([M - 1 - J]).before_loop("j", Bounds(I + 1, N - 1, 1), (J - I - 1, N - 1 - J), ())
    (outer,) = inner[0].before_loop("i", Bounds(Form.number(0), N - 1, 1), (I, N - 1 - I), ())
    for n, m in itertools.product(range(-2, 6), repeat=2):
        assert fails(outer, {"n": n, "m": m}) == any(j >= m for i in range(n) for j in range(i + 1, n))


def test_a_loop_with_unknown_bounds_is_not_left():
    assert condition([M - I]).before_loop("i", Bounds(None, N, 1), (), ()) is None


def test_a_condition_covers_weaker_ones_under_more_tests():
    one = condition([N - 3], [M])
    assert one.covers(condition([N - 1], [M, I]))
    assert not one.covers(condition([N - 4], [M]))
    assert not one.covers(condition([N - 1], []))


@pytest.mark.parametrize(
    ("test", "holds", "expected"),
    [
        ("i < n", True, True),
        ("i < n", False, True),
        ("i == n", False, False),
        ("i != n", False, True),
        ("f(i)", True, False),
    ],
)
def test_a_test_is_exact_if_its_forms_say_all(test, holds, expected):
    assert is_exact(gast.parse(test, mode="eval").body, holds) == expected
