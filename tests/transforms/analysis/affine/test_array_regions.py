"""The range of indices that a subscript reaches, held to what NumPy selects."""

import itertools

import numpy as np
import pytest

from srcad.transforms.analysis.affine.linear_forms import Form
from tests.transforms.core_text import at_line, program_of

SIGNATURE = "f8[::1], f8[:, ::1], i8"


def region_of(*lines, loops=()):
    """The region of the last line's value, a subscript or a name, and its program."""
    header = [f"{'    ' * (depth + 1)}{line}" for depth, line in enumerate(loops)]
    pad = "    " * (len(loops) + 1)
    text = "\n".join(["def f(x, a, n):", *header, *(f"{pad}{line}" for line in lines), "    return n"])
    program = program_of(text, SIGNATURE)
    statement = at_line(program.unit, 1 + len(loops) + len(lines))
    return program.meeting.region(statement.value), program.meeting


def number(form, values):
    return form.constant + sum(factor * values[symbol] for symbol, factor in form.terms)


def box(region, values):
    return [range(number(low, values), number(high, values) + 1) for low, high in region.ranges]


CASES = {
    "an element": ["r = x[2]"],
    "an element from the end": ["r = x[-1]"],
    "a slice": ["r = x[1:4]"],
    "the rest": ["r = x[2:]"],
    "all but the last two": ["r = x[:-2]"],
    "a row": ["r = a[1]"],
    "a column": ["r = a[:, 2]"],
    "a block": ["r = a[1:3, :-1]"],
    "an element of a row": ["v = a[1]", "r = v[2]"],
    "a part of a column": ["v = a[:, 2]", "r = v[1:3]"],
    "a slice of a slice": ["v = x[1:]", "r = v[2:4]"],
    "a block of a block": ["v = a[1:, 1:]", "r = v[1:3, 0]"],
    "a new axis": ["r = x[None, 1:3]"],
    "all of it": ["r = a"],
    "by computed bounds": ["t = 1 + 2", "r = x[1:t]"],
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("rows", "columns"), [(6, 5), (9, 4)])
def test_the_region_is_what_numpy_selects(name, rows, columns):
    lines = CASES[name]
    region, _ = region_of(*lines)
    shape = {"x": (rows,), "a": (rows, columns)}
    values = {f"{array}.shape[{axis}]": size for array, sizes in shape.items() for axis, size in enumerate(sizes)}
    numbered = {array: np.arange(np.prod(sizes)).reshape(sizes) for array, sizes in shape.items()}
    exec("\n".join(lines), namespace := dict(numbered))
    found = {int(numbered[region.root][place]) for place in itertools.product(*box(region, values))}
    assert found == set(np.ravel(namespace["r"]).tolist())


@pytest.mark.parametrize(
    "lines",
    [
        ["r = x[::2]"],  # a step: ends are known, what lies between is not all reached
        ["r = x[1:5:2]"],
    ],
)
def test_a_region_holds_all_that_steps_reach(lines):
    region, _ = region_of(*lines)
    exec("\n".join(lines), namespace := {"x": np.arange(8)})
    assert set(np.ravel(namespace["r"]).tolist()) <= {
        place[0] for place in itertools.product(*box(region, {"x.shape[0]": 8}))
    }


@pytest.mark.parametrize("index", ["n", "n:", ":n", "::-1"])
def test_what_may_count_from_the_end_is_anywhere(index):
    region, _ = region_of(f"r = x[{index}]")
    assert region.root == "x"
    assert region.ranges == (None,)


def test_indices_of_loops_are_not_negative():
    region, _ = region_of("t = i + 1", "r = x[t]", loops=["for i in range(0, n, 1):"])
    ((low, high),) = region.ranges
    assert low == high
    assert (low.terms, low.constant) == ((("i", 1),), 1)
    region, _ = region_of("t = i - 1", "r = x[t]", loops=["for i in range(0, n, 1):"])
    assert region.ranges == (None,)  # the last element, where i is 0
    region, _ = region_of("t = i - 1", "r = x[t]", loops=["for i in range(1, n, 1):"])
    assert region.ranges != (None,)


def test_a_loop_has_the_limits_of_its_range():
    for header, expected in (
        ("range(2, n, 1)", (Form.number(2), Form.of("n") - 1)),
        ("range(n, 2, -1)", (Form.number(3), Form.of("n"))),
        ("range(0, n, 3)", (Form(), Form.of("n") - 1)),
        ("range(0, n, n)", (None, None)),
    ):
        program = program_of(f"def f(n):\n    for i in {header}:\n        t = i\n    return n", "i8")
        found = program.meeting.bounds(at_line(program.unit, 2))
        assert (found.low, found.high) == expected
