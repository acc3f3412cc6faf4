"""The text of statements in vector mode. What they compute is tested in tests/driver/test_vector_sweeps.py."""

import gast
import pytest
from numba import types as nb

from srcad.printing.printer import print_function
from srcad.transforms.sweeps.lane_statements import in_lanes
from srcad.transforms.sweeps.vector_mode import NotInLanes, Sweep
from tests.transforms.sweeps.test_vector_mode import MATRIX, TYPES, VECTOR


def text(body, result=VECTOR):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    tree = gast.parse(f"def f(x, a, table, x_dot):\n{lines}\n").body[0]
    made = print_function(in_lanes(Sweep(tree, TYPES, result, ["x_dot"], 0), "f_lanes"))
    return made.removeprefix("def f_lanes(x, a, table, x_dots):\n    x_dot = directions.of_rows(x_dots)\n")


def test_statements_with_numbers_stay_as_they_are():
    body = "t_dot = 2.0 * x_dot[i]\ny_dot = x_dot[1:]\ny_dot[0] += t_dot\nreturn y_dot"
    lines = ["t_dot = 2.0 * x_dot[i]", "y_dot = x_dot[1:]", "y_dot[0] += t_dot", "return directions.rows_of(y_dot)"]
    assert text(body) == "".join(f"    {each}\n" for each in lines)


def test_other_statements_become_loops_over_lanes():
    assert text("y_dot = np.zeros_like(x_dot)\ny_dot += np.roll(x_dot, n + 1)\nreturn y_dot") == (
        "    y_dot = directions.zeros(x_dot.shape)\n"
        "    lanes_apart = directions.apart(x_dot)\n"
        "    shared = n + 1\n"
        "    for lane in range(directions.WIDTH):\n"
        "        y_dot_lane = directions.layer(y_dot, lane)\n"
        "        y_dot_lane += np.roll(lanes_apart[lane], shared)\n"
        "    return directions.rows_of(y_dot)\n"
    )


def test_tests_for_zero_are_of_all_lanes():
    found = text("t_dot = x_dot[0]\nif t_dot != 0.0 or n > 1:\n    t_dot = 0.0\nreturn t_dot", nb.float64)
    assert "if directions.any_nonzero(t_dot) or n > 1:\n        t_dot = directions.spread(0.0)\n" in found


def test_arguments_that_a_kernel_adds_to_are_put_back():
    found = text("a_dot = np.zeros(s)\nkernels.add_outer(a_dot, x_dot, x)\nreturn a_dot", MATRIX)
    assert "directions.put(a_dot, lanes_apart)" in found
    assert "kernels.add_outer(lanes_apart[lane], lanes_apart_2[lane], x)" in found


@pytest.mark.parametrize(
    "body",
    [
        "t = 0.0\nif x_dot[0] > 1.0:\n    t = 1.0\nreturn x_dot",  # the course of the sweep
        "v = np.zeros(3)\nw = kernels.expand(v, n)\nw[0] = x_dot[0]\nreturn v",  # views that are written to
        "v = np.zeros(3)\nw = v[1:]\nv[0] = x_dot[0]\nkernels.add_to(v, w)\nreturn v",  # arguments that overlap
        "v = np.zeros(3)\nkernels.anything(v, x, x_dot)\nreturn v",  # it may write to the primal's memory
        "return (x_dot, (x_dot,))",
    ],
)
def test_what_has_no_vector_mode(body):
    with pytest.raises(NotInLanes):
        text(body)


def test_what_may_not_be_computed_stays_where_it_is():
    found = text("t_dot = np.sin(x[0]) * (x_dot[0] if n > 0 else 1.0 / x[n + 1])\nreturn t_dot", nb.float64)
    assert "shared = np.sin(x[0])\n" in found
    assert "1.0 / x[n + 1]\n" not in found.partition("for lane")[0]


def test_shapes_of_what_is_computed_are_those_of_one_lane():
    found = text("v = np.zeros_like(x_dot + x)\nv[0] = x_dot[(x_dot * 2.0).shape[0] - 3]\nreturn v")
    assert "np.zeros_like(lanes_apart[lane] + x)" in found
    assert "x_dot[1:].shape[0]" in text("v = np.zeros(x_dot[1:].shape[0])\nv[0] = x_dot[0]\nreturn v")
