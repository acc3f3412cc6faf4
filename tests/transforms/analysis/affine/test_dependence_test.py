"""Two subscripts may meet unless it is proved that they do not."""

import numpy as np
import pytest

from srcad.transforms.ir.build import load, stores_into
from tests.checking import assert_gradient
from tests.transforms.core_text import at_line, program_of


def meets(text, early, late, signature="f8[:], i8", **options):
    """Whether what the line `early` reads, or writes, may be reached by the store on the line `late`."""
    program = program_of(text, signature)
    first, second = at_line(program.unit, early), at_line(program.unit, late)
    before = stores_into(first) or first.value
    return program.meeting.may_meet(first, before, second, stores_into(second), **options)


def step(read, store):
    """A loop that reads one element and writes another; the read is on line 5, the store on line 7."""
    return f"""
def f(x, n):
    m = n - 1
    for i in range(1, m, 1):
        k = {read}
        a = x[k]
        j = {store}
        x[j] = a
    return x
"""


@pytest.mark.parametrize(("read", "store"), [("i + 1", "i"), ("i + 0", "i - 1"), ("i + 2", "i + 1")])
def test_an_element_ahead_of_the_stores_is_still_to_be_written(read, store):
    assert meets(step(read, store), 5, 7)


@pytest.mark.parametrize(("read", "store"), [("i - 1", "i + 0"), ("i + 0", "i + 1")])
def test_an_element_behind_the_stores_is_never_written_again(read, store):
    assert not meets(step(read, store), 5, 7)


def test_the_very_element_is_met_in_the_same_iteration():
    assert meets(step("i + 0", "i + 0"), 5, 7, at_once=True)


def test_neighbours_do_not_meet_in_the_same_iteration():
    assert not meets(step("i + 1", "i + 0"), 5, 7, at_once=True)


def test_an_index_that_is_not_linear_meets_everything():
    assert meets(step("i * i", "i + 0"), 5, 7)
    assert meets(step("i + 0", "i % 3"), 5, 7)


def test_a_store_does_not_meet_what_is_read_after_it():
    text = """
def f(x, n):
    x[0] = 1.0
    a = x[0]
    return a
"""
    program = program_of(text, "f8[:], i8")
    store, read = at_line(program.unit, 2), at_line(program.unit, 3)
    assert not program.meeting.may_meet(read, read.value, store, stores_into(store))
    assert program.meeting.may_meet(store, stores_into(store), read, read.value)


def test_the_branches_of_one_if_never_run_after_each_other():
    text = """
def f(x, n):
    c = n > 0
    if c:
        a = x[0]
    else:
        x[0] = 1.0
    return x
"""
    assert not meets(text, 4, 6)


def test_the_branches_of_one_if_meet_in_different_iterations():
    text = """
def f(x, n):
    for i in range(0, n, 1):
        c = i {} 2
        if c:
            a = x[0]
        else:
            x[0] = 1.0
    return x
"""
    assert meets(text.format("<"), 5, 7)
    assert not meets(text.format(">"), 5, 7)  # i does not fall again


def test_a_loop_that_counts_down_reads_what_it_has_not_written():
    text = """
def f(x, n):
    for i in range(n, 0, -1):
        k = i - 1
        a = x[k]
        x[i] = a
    return x
"""
    assert meets(text, 4, 5)
    assert not meets(text.replace("i - 1", "i + 1"), 4, 5)


def test_two_arguments_are_two_arrays():
    text = """
def f(x, y):
    a = x[0]
    y[0] = a
    return y
"""
    assert not meets(text, 2, 3, "f8[:], f8[:]")


def test_rows_of_a_view_are_rows_of_its_base():
    text = """
def f(x, n):
    for i in range(1, n, 1):
        k = i - 1
        row = x[k]
        a = row[0]
        x[i, 0] = a
    return x
"""
    assert not meets(text, 5, 6, "f8[:, :], i8")
    assert meets(text.replace("i - 1", "i + 1"), 5, 6, "f8[:, :], i8")


def test_disjoint_slices_do_not_meet():
    text = """
def f(x, n):
    a = x[0:2]
    x[2:4] = 1.0
    return a
"""
    assert not meets(text, 2, 3)
    assert meets(text.replace("2:4", "1:4"), 2, 3)


def test_the_last_element_may_be_the_first():
    text = """
def f(x, n):
    a = x[0]
    x[-1] = 1.0
    return a
"""
    assert meets(text, 2, 3)


def test_a_whole_array_meets_each_of_its_elements():
    text = """
def f(x, n):
    a = x[0]
    x[1] = a
    return x
"""
    program = program_of(text, "f8[:], i8")
    store = at_line(program.unit, 3)
    assert program.meeting.may_meet(at_line(program.unit, 2), load("x"), store, stores_into(store))


def test_an_array_made_in_each_iteration_is_not_written_in_the_next():
    text = """
def f(x, n):
    for i in range(0, n, 1):
        w = np.empty(3)
        w[0] = 1.0
        a = w[0]
    return a
"""
    program = program_of(text.replace("return a", "return x"), "f8[:], i8")
    read, store = at_line(program.unit, 5), at_line(program.unit, 4)
    assert not program.meeting.may_meet(read, read.value, store, stores_into(store))


CHOLESKY = """
def f(a, n):
    for j in range(0, n, 1):
        s = a[j, j]
        for k in range(0, j, 1):
            p = a[j, k]
            a[j, j] -= p
        d = a[j, j]
        r = np.sqrt(d)
        a[j, j] = r
        m = j + 1
        for i in range(m, n, 1):
            for l in range(0, j, 1):
                u = a[i, l]
                v = a[j, l]
                w = u * v
                a[i, j] -= w
            b = a[i, j]
            q = b / r
            a[i, j] = q
    return a
"""


@pytest.mark.parametrize("read", [13, 14])
@pytest.mark.parametrize("store", [6, 9, 16, 19])
def test_a_finished_element_of_a_cholesky_factor_is_never_written_again(read, store):
    assert not meets(CHOLESKY, read, store, "f8[:, :], i8")


def test_an_unfinished_element_of_a_cholesky_factor_is():
    assert meets(CHOLESKY, 17, 19, "f8[:, :], i8")


def test_what_was_reached_before_an_array_was_made_is_not_that_array():
    text = """
def f(x, n):
    h = x
    for i in range(0, n, 1):
        v = h
        y = np.empty(3)
        a = v[0]
        y[0] = a
        b = h[1]
        c = y[2]
        y[2] = b
        y[1] = c
        h = y
    return h
"""
    assert not meets(text, 4, 7)
    assert not meets(text, 4, 11)
    assert meets(text, 9, 10)


def carried(left, store, read="h"):
    """A loop that carries an array; it is read on line 5, the store is on line 8."""
    return f"""
def f(x, A, n):
    h = x
    total = 0.0
    for i in range(0, n, 1):
        a = {read}
        k = {store}
        p = {left}
        A[k] = x
        v = A[p]
        h = v
    b = h
    A[n] = x
    return A
"""


KINDS = "f8[:], f8[:, :], i8"


def read_of(text, line=5):
    """A program, the statement on a line, and the array that it reads."""
    program = program_of(text, KINDS)
    statement = at_line(program.unit, line)
    return program, statement, load(statement.value.id)


@pytest.mark.parametrize(("left", "store", "expected"), [("i + 1", "i + 3", False), ("i + 1", "i + 0", True)])
def test_a_carried_view_is_the_one_that_the_iteration_before_has_left(left, store, expected):
    program, statement, name = read_of(carried(left, store))
    target = at_line(program.unit, 8)
    assert program.meeting.may_meet(statement, name, target, stores_into(target), at_once=True) == expected
    assert program.meeting.meets_now(statement, name, stores_into(target)) == expected


def test_a_carried_view_may_be_stored_into_in_a_later_iteration():
    program, statement, name = read_of(carried("i + 4", "i + 1"))
    target = at_line(program.unit, 8)
    assert not program.meeting.may_meet(statement, name, target, stores_into(target), at_once=True)
    assert program.meeting.may_meet(statement, name, target, stores_into(target))


def test_a_carried_view_that_depends_on_more_than_the_index_may_be_anything():
    program, statement, name = read_of(carried("i * i", "i + 3"))
    target = at_line(program.unit, 8)
    assert program.meeting.meets_now(statement, name, stores_into(target))


def test_behind_its_loop_a_carried_view_may_be_anything():
    program, statement, name = read_of(carried("i + 1", "i + 3"), 11)
    target = at_line(program.unit, 12)
    assert program.meeting.may_meet(statement, name, target, stores_into(target))


def test_what_stood_before_the_loop_is_in_the_carried_name_too():
    text = carried("i + 1", "i + 3").replace("    h = x\n", "    h = A[n]\n").replace("k = i + 3", "k = n + 0")
    program, statement, name = read_of(text)
    target = at_line(program.unit, 8)
    assert program.meeting.meets_now(statement, name, stores_into(target))


def filled(x, steps):
    b = x.copy()
    d = x * 0.5
    for _ in range(steps):
        d = d + b
        b[:] = 0.5
        b = np.tanh(x)
    return np.sum(d * d)


def inverted(x, steps):
    a = np.outer(x, x) + np.eye(x.size)
    b, s = a.copy(), 0.0
    for _ in range(steps):
        s += b[0, 1]
        b[0] *= 0.5
        b = np.linalg.inv(a + s * np.eye(x.size))
    return s + np.sum(b)


def halve(v):
    v *= 0.5


def written_by_a_helper(x, steps):
    b, s = x.copy(), 0.0
    for _ in range(steps):
        s += np.sum(b)
        halve(b[1:])
        b = np.exp(-x * s)
    return s + np.sum(b)


@pytest.mark.slow
@pytest.mark.parametrize("program", [filled, inverted, written_by_a_helper])
def test_an_array_that_the_next_iteration_writes_into_is_not_that_iterations_own(program):
    assert_gradient(program, np.array([0.3, 0.8, 0.5]), 3, modes=("arrays", "loops", "gradient"), rtol=1e-6)
