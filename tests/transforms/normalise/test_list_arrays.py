"""What lists of unknown length are arrays of, and what must not happen to arrays that are in one."""

import warnings

import numpy as np
import pytest

import srcad
from srcad.errors import NotDifferentiable, UnsupportedSyntax
from tests.checking import assert_gradient


def numbers_of(kind):
    def f(x, n):
        values = []
        while len(values) < n:
            values.append(kind)
        return x * len(values) * values[0]

    return f


@pytest.mark.parametrize(
    ("kind", "made"),
    [(1, "np.empty(16, np.int64)"), (1.0, "np.empty(16)"), (2j, "np.empty(16, np.complex128)")],
)
def test_elements_say_what_the_array_holds(kind, made):
    assert made in srcad.source(numbers_of(kind), mode="core", after="ssa", args=(1.0, 3))


def test_integers_that_are_given_floats_later_are_floats():
    def f(x, n):
        values = [0] * n
        values[1] = x * x
        return values[1] * 3 + values[0]

    assert srcad.grad(f, jit=False)(0.5, 3) == 3.0


def test_a_list_with_room_does_not_grow():
    def f(x):
        values = [v * v for v in x if v > 0.0]
        return values[-1]

    text = srcad.source(f, signature="f8[:]")
    assert "longer" not in text
    assert srcad.grad(f, jit=False)(np.arange(40.0))[-1] == 78.0


def written_after_it_was_appended(x):
    values, y = [], x * 1.0
    while y[0] < 3.0:
        values.append(y)
        y += x
    return np.sum(np.array(values))


def written_through_the_list(x):
    values = [x * 1.0]
    while len(values) < 3:
        values.append(values[-1] + x)
    values[1][0] = 9.0
    return np.sum(np.array(values))


def written_through_an_element(x):
    values = [x * 1.0]
    while len(values) < 3:
        values.append(values[-1] + x)
    last = values[-1]
    last[0] = 9.0
    return np.sum(np.array(values))


@pytest.mark.parametrize(
    "function", [written_after_it_was_appended, written_through_the_list, written_through_an_element]
)
def test_arrays_in_lists_are_not_written_into(function):
    with pytest.raises((NotDifferentiable, UnsupportedSyntax), match="list"):
        srcad.grad(function, jit=False)(np.array([0.7, 0.9]))


def test_an_array_of_its_own_in_each_turn_may_be_filled_before_it_is_appended():
    def f(x):
        values, t = [], 0.0
        while t < 3.0:
            y = np.empty(2)
            y[0], y[1] = t * x[0], x[1]
            values.append(y)
            t += 1.0
        return np.sum(np.array(values) ** 2)

    np.testing.assert_allclose(srcad.grad(f, jit=False)(np.array([0.7, 0.9])), [2 * 5 * 0.7, 2 * 3 * 0.9])


def test_arrays_of_several_shapes_raise():
    def f(x):
        values, n = [], 0
        while n < 3:
            values.append(x[n:])
            n += 1
        return values[2][0]

    with pytest.raises(UnsupportedSyntax, match=r"shape|broadcast"):
        srcad.grad(f, jit=False)(np.ones(4))


def test_lists_in_a_list_are_refused():
    def f(x):
        values = []
        while x * len(values) < 3.0:
            values.append([x, x])
        return values[0][1]

    with pytest.raises(UnsupportedSyntax, match="must hold numbers, arrays, or tuples"):
        srcad.grad(f, jit=False)(1.0)


def test_a_list_that_grows_while_it_is_looped_over_is_refused():
    def f(x):
        values = [x]
        for v in values:
            values.append(v * x)
            if len(values) > 5:
                break
        return values[3]

    with pytest.raises(UnsupportedSyntax, match="while a loop runs over it"):
        srcad.grad(f, jit=False)(1.0)


@pytest.mark.parametrize("empty", [True, False])
def test_popping_from_an_empty_list_raises_as_python_does(empty):
    def f(x, empty):
        values = []
        while len(values) < 2:
            values.append(x)
        values.pop()
        values.pop()
        return values.pop() if empty else x

    if empty:
        with pytest.raises(IndexError, match="pop from empty list"):
            srcad.grad(f, jit=False)(1.0, empty)
    else:
        assert srcad.grad(f, jit=False)(1.0, empty) == 1.0


def test_rows_stay_what_they_were_when_the_list_they_are_in_grows():
    def f(x):
        values = [x * 1.0]
        first = values[0]
        while len(values) < 9:
            values.append(values[-1] * first)
        values[0] = x * x * x
        return np.sum(first * values[8] * values[0])

    x = np.array([0.9, 1.1])
    np.testing.assert_allclose(srcad.grad(f, jit=False)(x), 13 * x**12)


def test_a_list_that_is_never_appended_to_is_empty():
    def f(x):
        values, t = [], 2.0
        while t < 1.0:
            values.append(x)
            t += 1.0
        return sum(values) + sum([v * v for v in values]) + 3.0 * x

    assert srcad.grad(f, jit=False)(0.5) == 3.0


def two_names(x):
    a = [x[0]]
    b = a
    while len(a) < 4:
        b.append(a[-1] * x[1])
    b[0] = 5.0
    return sum(a) + len(b)


def overwritten(x):
    a = [x[0], x[1], x[0] * x[1]]
    s, k = 0.0, 0
    while k < 6:
        v = a.pop()
        s += v * v
        if k % 2 == 0:
            a.append(v * x[0])
            a.append(v + x[1])
        k += 1
    return s + sum(a)


def copied_before(x):
    a = [x[0]]
    while len(a) < 4:
        a.append(a[-1] * x[1])
    b = np.array(a)
    a[1] = 9.0
    c = np.asarray(a)
    a[2] = 7.0
    return b[1] * c[2] + c[1] * a[2]


@pytest.mark.slow
@pytest.mark.parametrize("function", [two_names, overwritten, copied_before])
def test_what_is_written_is_found_where_python_finds_it(function):
    assert_gradient(function, np.array([0.45, 0.8]), modes=["arrays", "loops", "gradient"])


def test_branches_that_ranks_decide_do_not_keep_lists_from_being_typed():
    def by_rank(x):
        if np.ndim(x) == 0:
            return x * x
        values = []
        for k in range(len(x)):
            values.append(np.sum(x[k]) ** 2)
        return np.sum(np.array(values)) * x[0]

    def f(x):
        return by_rank(x)[0] + by_rank(x[0]) + by_rank(x[0, 0])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        srcad.check_grads(f, (np.array([[0.45, 0.8], [0.3, 0.6]]),))
