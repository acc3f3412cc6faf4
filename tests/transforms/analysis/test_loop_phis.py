"""How a loop carries a name: what it finds before the loop, and what an iteration has left."""

import re

import numpy as np
import pytest

import srcad
from srcad.transforms.analysis.loop_phis import carried_by_loop, carried_views
from tests.checking import assert_gradient
from tests.transforms.core_text import at_line, program_of

TEXT = """
def f(x, A, n):
    h = x
    s = 0.0
    for i in range(0, n, 2):
        a = h
        s_2 = s + 1.0
        v = A[i]
        h = v
        s = s_2
    w = x
    for j in range(0, n, 1):
        c = j > 2
        if c:
            w = v
    return h
"""


def test_the_two_stores_of_a_carried_name_are_told():
    program = program_of(TEXT, "f8[:], f8[:, :], i8")
    carried = carried_by_loop(program.flow, "h")
    assert (carried.before.id, carried.left.id, carried.step) == ("x", "v", 2)
    assert carried.holds_at(at_line(program.unit, 5), program.flow)
    assert not carried.holds_at(at_line(program.unit, 14), program.flow)


@pytest.mark.parametrize("name", ["x", "v", "w", "i"])
def test_other_names_are_not_carried_so(name):
    assert carried_by_loop(program_of(TEXT, "f8[:], f8[:, :], i8").flow, name) is None


def test_only_arrays_are_views():
    program = program_of(TEXT, "f8[:], f8[:, :], i8")
    assert list(carried_views(program.flow, program.types)) == ["h"]


def cells(x, w, state):
    state = state.copy()
    total = 0.0
    for _ in range(3):
        h = x * total
        for k in range(2):
            state[2 * k + 1] = np.tanh(state[2 * k + 1] * w[k] + h)
            state[2 * k] = np.sin(h * w[k + 1]) + state[2 * k + 1]
            h = state[2 * k]
        total += np.sum(h * h)
    return total


ARGS = (np.linspace(0.2, 0.9, 4), np.linspace(-0.6, 0.8, 12).reshape(3, 4), np.linspace(-0.8, 0.9, 16).reshape(4, 4))


@pytest.mark.slow
def test_a_row_is_stored_without_a_temporary_although_another_row_is_carried():
    assert_gradient(cells, *ARGS, wrt=(0, 1, 2))
    text = srcad.source(cells, args=ARGS, wrt=(0, 1, 2))
    forward = text[: text.index("_bar = ")]
    made = re.findall(r"(\w+) = np\.empty\(", forward)
    assert [name for name in made if not name.endswith("_trace")] == ["h"], text


def carried_row_is_stored_before_it_is_read(x, w, state):
    state = state.copy()
    h = x
    for k in range(3):
        z = h * w[0]
        state[k] = state[k + 1] * 0.5
        state[k + 1] = z + h
        h = state[k]
    return np.sum(h * state)


@pytest.mark.slow
def test_a_product_with_a_carried_row_is_not_computed_behind_a_store_into_the_row():
    assert_gradient(carried_row_is_stored_before_it_is_read, *ARGS, wrt=(0, 1, 2))
