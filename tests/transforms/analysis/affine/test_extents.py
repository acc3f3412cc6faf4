"""The extents of values, held to NumPy's shapes; the same in core form and in generated code."""

import gast
import numpy as np
import pytest

from srcad.transforms.analysis.affine.point_facts import Facts
from tests.transforms.core_text import program_of

SHAPES = {"a": (2, 3), "b": (3, 4), "c": (5, 3), "u": (3,), "v": (2,), "s": (3, 3)}
KINDS = {1: "f8[::1]", 2: "f8[:, ::1]"}
VALUES = [
    "np.zeros((n, 3))",
    "np.empty(n)",
    "np.full((2, n), 1.0)",
    "np.zeros_like(a)",
    "np.copy(b)",
    "a @ b",
    "a @ u",
    "v @ a",
    "np.dot(a, b)",
    "np.outer(u, v)",
    "np.transpose(a)",
    "np.eye(n)",
    "np.eye(n, 2)",
    "np.identity(n)",
    "np.cumsum(u)",
    "np.linalg.inv(s)",
    "np.linalg.solve(s, u)",
    "np.linalg.solve(s, b)",
    "np.sum(a, axis=0)",
    "np.sum(a, axis=-1)",
    "np.sum(a, 0)",
]


def number(form):
    values = {f"{name}.shape[{axis}]": size for name, shape in SHAPES.items() for axis, size in enumerate(shape)}
    return form.constant + sum(factor * {**values, "n": 7}[symbol] for symbol, factor in form.terms)


def arrays():
    return {name: np.eye(*shape) if len(shape) == 2 else np.ones(shape) for name, shape in SHAPES.items()}


@pytest.mark.parametrize("value", VALUES)
def test_extents_are_those_of_numpy_in_generated_code(value):
    expected = np.shape(eval(value, {"np": np, "n": 7, **arrays()}))
    facts = Facts({**{name: len(shape) for name, shape in SHAPES.items()}, "n": 0, "r": len(expected)}, "n")
    facts.learn(gast.parse(f"r = {value}").body[0])
    assert tuple(map(number, facts.forms_of(gast.parse("r", mode="eval").body))) == expected


@pytest.mark.parametrize("value", [*VALUES, "np.sum(a, axis=1, keepdims=True)"])
def test_extents_are_those_of_numpy_in_core_form(value):
    expected = np.shape(eval(value, {"np": np, "n": 7, **arrays()}))
    signature = ", ".join([*(KINDS[len(shape)] for shape in SHAPES.values()), "i8"])
    text = f"def f({', '.join(SHAPES)}, n):\n    r = {value}\n    return r"
    meeting = program_of(text, signature).meeting
    found = [meeting.size("r", axis) for axis in range(len(expected))]
    assert tuple(map(number, found)) == expected


UNKNOWN = ["np.zeros(u)", "np.sum(a, axis=n)", "np.outer(a, a)", "np.ravel(a)", "f(a)", "np.eye(u)"]


@pytest.mark.parametrize("value", UNKNOWN)
def test_what_is_not_known_has_no_extents(value):
    facts = Facts({**{name: len(shape) for name, shape in SHAPES.items()}, "n": 0}, "n")
    facts.learn(gast.parse(f"r = {value}").body[0])
    assert facts.of("r") is None
