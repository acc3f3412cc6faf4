"""Which names of a sweep depend on the direction, and where the course of the sweep would."""

import gast
import pytest
from numba import types as nb

from srcad.transforms.sweeps.vector_mode import NotInLanes, Sweep, Varying, is_new, own_names

VECTOR, MATRIX = nb.Array(nb.float64, 1, "C"), nb.Array(nb.float64, 2, "C")
TYPES = {
    **dict.fromkeys(("x", "x_dot", "y_dot", "v", "w"), VECTOR),
    **dict.fromkeys(("a", "a_dot"), MATRIX),
    **dict.fromkeys(("t", "t_dot", "s"), nb.float64),
    **dict.fromkeys(("i", "n"), nb.int64),
    "table": nb.Array(nb.int64, 1, "C"),
}


def varying(body, parameters="x, table, x_dot"):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    tree = gast.parse(f"def f({parameters}):\n{lines}\n").body[0]
    return Varying(Sweep(tree, TYPES, VECTOR, ["x_dot"], 0))


def test_names_vary_through_values_stores_and_views():
    found = varying("y_dot = np.zeros(3)\nv = y_dot[1:]\nt = x[0]\nt_dot = t * x_dot[0]\nv[0] = t_dot\nw = x * 2.0")
    assert found.names == {"x_dot", "y_dot", "v", "t_dot"}


def test_shapes_do_not_vary():
    assert varying("n = x_dot.shape[0] + len(x_dot)\nv = np.zeros_like(x_dot)").names == {"x_dot"}


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = x_dot[0]",  # memory of the primal
        "v = x[1:]\nv[0] = x_dot[0]",
        "while x_dot[0] > 0.0:\n    t = 1.0",
        "v = x[x_dot[0]]\nt, s = x_dot[0], 1.0",
        "v[x_dot[0]] = 1.0",
        "n = x_dot[0]",  # no float
        "unknown = x_dot[0]",
    ],
)
def test_what_has_no_vector_mode(body):
    with pytest.raises(NotInLanes):
        varying(body)


@pytest.mark.parametrize(
    ("expression", "is_number"),
    [
        ("t * x_dot[i] - t_dot / 2", True),
        ("x_dot[table[i] + 1]", True),
        ("x_dot[-1] + kernels.strong_product(t_dot, x[0], t)", True),
        ("kernels.plus(t_dot, x_dot[0])", True),
        ("x_dot[1:]", False),
        ("x_dot[table]", False),
        ("x_dot * t", False),
        ("np.sin(t_dot)", False),
        ("t / t_dot", False),
        ("x * t_dot", False),
        ("t_dot ** 2", False),
    ],
)
def test_numbers_of_lanes(expression, is_number):
    found = varying("t_dot = x_dot[0]")
    assert found.is_number(gast.parse(expression, mode="eval").body) is is_number


def test_later_writes_count_and_those_in_a_loop_around():
    found = varying("a_dot = np.zeros(s)\na_dot[0] = x_dot\nv = a_dot[0]\nt = 1.0")
    seen = found.statements[2]
    assert not found.is_written_later("v", seen)
    looped = varying("a_dot = np.zeros(s)\nfor i in range(n):\n    a_dot[i] = x_dot\n    v = a_dot[0]")
    assert looped.is_written_later("v", looped.statements[3])
    assert looped.may_overlap(["v", "a_dot"])
    assert not looped.may_overlap(["v", "x"])


def test_new_memory_and_new_names():
    for text, expected in (("a + b", True), ("np.zeros(3)", True), ("a[1:]", False), ("kernels.expand(a, 3)", False)):
        assert is_new(gast.parse(text, mode="eval").body) is expected
    assert own_names(gast.parse("def f(lane): pass").body[0]).fresh("lane") == "lane_2"
