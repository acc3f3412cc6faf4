"""An element of a view is addressed as an element of its base."""

import numpy as np
import pytest

from srcad.transforms.optimise.loop_nests import leaf_of
from tests.checking import assert_gradient
from tests.transforms.core_text import program_of


def leaf(*views):
    body = "".join(f"    v{k} = {view}\n" for k, view in enumerate(views))
    program = program_of(
        f"""
def f(x, A, n):
{body}    return n
""",
        "f8[:], f8[:, :], i8",
    )
    return leaf_of(program, f"v{len(views) - 1}")


def address(*views):
    """The base, and for each of its dimensions start and step, or the fixed index."""
    from srcad.printing.printer import print_function

    found = leaf(*views)
    parts = []
    for part in found.parts:
        if isinstance(part, tuple):
            dimension, start, step = part
            parts.append((dimension, 0 if start is None else int(print_function(start)), step))
        else:
            parts.append(print_function(part).strip())
    return found.base, parts


def test_a_slice_adds_its_start():
    assert address("x[2:]") == ("x", [(0, 2, 1)])


def test_a_step_multiplies():
    assert address("x[1::3]") == ("x", [(0, 1, 3)])


def test_a_fixed_index_takes_a_dimension_away():
    assert address("A[n]") == ("A", ["n", (0, 0, 1)])
    assert address("A[:, n]") == ("A", [(0, 0, 1), "n"])


def test_newaxis_shifts_the_dimensions():
    assert address("x[None, 1:]") == ("x", [(1, 1, 1)])


def test_a_view_of_a_view_is_a_view_of_the_base():
    assert address("A[n]", "v0[2:]") == ("A", ["n", (0, 2, 1)])
    assert address("A[1:]", "v0[:, n]") == ("A", [(0, 1, 1), "n"])


def test_a_slice_of_a_slice_is_addressed_in_the_slice():
    assert address("x[2:]", "v0[1:]")[0] in ("v0", "x")


@pytest.mark.parametrize("view", ["x[::-1]", "x[-2:]", "x[n:]"])
def test_a_start_that_is_not_known_gives_no_address(view):
    assert leaf(view) is None


def test_what_is_no_view_is_its_own_base():
    assert address("np.copy(x)") == ("v0", [(0, 0, 1)])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x[1:]", "x[1:4]", True),
        ("x[1:]", "x[2:]", False),
        ("A[0]", "A[1]", False),
        ("A[i]", "A[j]", True),
        ("A[i]", "A[k]", False),
        ("A[i, 1:]", "A[j, 1:]", True),
        ("A[:, 0]", "A[0]", False),
    ],
)
def test_addresses_are_compared_by_the_numbers_that_names_stand_for(one, other, same):
    text = f"""
def f(x, A, n):
    i = n + 1
    j = 1 + n
    k = n + 2
    v0 = {one}
    v1 = {other}
    return n
"""
    program = program_of(text, "f8[:], f8[:, :], i8")
    first, second = leaf_of(program, "v0"), leaf_of(program, "v1")
    assert first.is_same(second, program.meeting, assumes=True) == same


def by_the_first(x):
    y = x * 0.8
    y /= y[:1]
    return np.sum(y * y)


def by_columns_and_rows(x):
    m = np.outer(x, x) + 0.1 * np.arange(x.size)
    m -= 0.5 * m[:, :1]
    m[1:, 1:] *= m[1:2, 1:]
    m[:] = np.sin(m[:1]) + m[:, 1:2]
    return np.sum(m * m)


def by_the_first_again_and_again(x):
    y = x * 0.8
    for _ in range(3):
        y *= 1.0 + y[:1]  # of one element or none
    return np.sum(y * y)


@pytest.mark.parametrize("function", [by_the_first, by_columns_and_rows, by_the_first_again_and_again])
def test_a_part_of_the_target_that_is_broadcast_is_read_before_it_is_written(function):
    assert_gradient(function, np.array([0.3, -0.7, 1.1, 0.2]), modes=("loops", "gradient"))
