"""The transform takes time in proportion to the program, whatever its shape."""

from __future__ import annotations

import sys

import pytest

from benchmarks.compile_time import SHAPES, array_statements, derived, statements

# Sizes that take some tenths of a second, and the growth that is allowed from one to its double.
SMALL = {each.__name__: sizes[0] for each, sizes in SHAPES.items()} | {"statements": 160}
MOST = 3.0  # 2 is linear, 4 quadratic


def calls(shape, size):
    """The calls of Python functions in a derivation: a measure of work that no other process disturbs."""
    count = 0

    def counting(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        derived(shape, size)
    finally:
        sys.setprofile(before)
    return count


FAST = ("array_statements", "branches", "nested_branches", "parameters", "deep_expression")
SHAPES_TO_TRY = [
    pytest.param(each, id=each.__name__, marks=[] if each.__name__ in FAST else pytest.mark.nightly)
    for each in SHAPES
    if each.__name__ != "nested_loops"
]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES_TO_TRY)
def test_twice_the_size_is_about_twice_the_work(shape):
    size = SMALL[shape.__name__] // 2
    derived(shape, 5)
    assert calls(shape, 2 * size) < MOST * calls(shape, size)


def test_what_is_used_twice_by_what_is_used_twice_is_written_once():
    derived(array_statements, 2)
    assert calls(array_statements, 24) < 3.0 * calls(array_statements, 12)


def test_a_long_straight_line_is_derived():
    assert derived(statements, 300) > 0.0
