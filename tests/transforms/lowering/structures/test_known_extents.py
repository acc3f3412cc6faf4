"""Extents that follow from known shapes; what may have another shape is unknown."""

import gast
import numpy as np
import pytest

from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.lowering.structures.known_extents import Sizes

SHAPES = {"x": (4, 3), "v": (5,), "e": (0, 2)}
ARRAYS = {name: np.ones(shape) for name, shape in SHAPES.items()}
HELD = {"t": (4, 3)}


def parsed(text):
    return gast.parse(text).body[0].value


def literal(node):
    match node:
        case gast.Constant(value=value):
            return value
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=value)):
            return -value
    return UNKNOWN


SIZES = Sizes(SHAPES, HELD, literal)


@pytest.mark.parametrize(
    "text",
    ["x", "x.T", "x[1]", "x[-4]", "x[1:]", "x[::-2]", "x[-3:-1]", "x[9:]", "v[:2]", "e[1:]", "np.zeros_like(x)",
     "np.asarray(v, dtype=float)", "np.exp(x)", "np.zeros(3)", "np.ones((2, 1))", "np.full((2, 0), 1.5)"],
)  # fmt: skip
def test_a_known_shape_is_that_of_numpy(text):
    assert SIZES.shape(parsed(text)) == eval(text, {"np": np, **ARRAYS}).shape


@pytest.mark.parametrize(
    "text", ["x[i]", "x[i:]", "x[x > 0.0]", "y", "np.zeros(n)", "np.array(v, ndmin=2)", "np.sort(x, axis=None)", "x[9]"]
)
def test_other_shapes_are_unknown(text):
    assert SIZES.shape(parsed(text)) is None


@pytest.mark.parametrize(
    "text", ["len(x)", "len(v)", "len(e)", "x.ndim", "x.size", "e.size", "x.shape[1]", "x.shape[-2]", "t[1]", "len(t)"]
)
def test_a_known_number_is_that_of_numpy(text):
    assert SIZES.number(parsed(text)) == eval(text, {**ARRAYS, **HELD})


@pytest.mark.parametrize("text", ["len(y)", "x.shape[i]", "x.shape[2]", "x.nbytes", "sum(v)", "v[0]"])
def test_other_numbers_are_unknown(text):
    assert SIZES.number(parsed(text)) is UNKNOWN
