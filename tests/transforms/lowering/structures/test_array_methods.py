"""Methods of arrays are spelled as functions that give the same."""

import gast
import numpy as np
import pytest

from srcad.errors import UnsupportedSyntax
from srcad.transforms.lowering.structures.array_methods import METHODS, spell_attribute, spell_method

GRID = np.arange(6.0).reshape(2, 3) - 2.0
CALLS = [
    "all()",
    "any(axis=0)",
    "argmax()",
    "argmin(1)",
    "argpartition(1)",
    "argsort(axis=1)",
    "astype(np.float32)",
    "argsort(axis=1).choose([x, -x, 2.0*x])",
    "clip(-1.0,2.0)",
    "compress([True, False, True], axis=1)",
    "clip(min=0.0)",
    "clip(max=0.0)",
    "conj()",
    "conjugate()",
    "copy('K')",
    "cumprod(0)",
    "cumsum(axis=1)",
    "diagonal(1)",
    "dot(x.T)",
    "flatten()",
    "max(axis=1,keepdims=True)",
    "mean()",
    "min()",
    "nonzero()",
    "prod(1)",
    "ravel()",
    "repeat(2,axis=0)",
    "reshape(3,2)",
    "reshape((3,-1))",
    "reshape(-1)",
    "reshape(y)",
    "round(1)",
    "ravel().searchsorted(0.5)",
    "squeeze()",
    "std(ddof=1)",
    "sum((0,1))",
    "swapaxes(0,1)",
    "take([0,2],axis=1)",
    "trace()",
    "transpose()",
    "transpose(1,0)",
    "transpose((1,0))",
    "var(axis=0)",
    "view()",
]


def spelled(text):
    """The text with its methods spelled as functions, from the inside out."""
    return gast.unparse(spell(gast.parse(text).body[0].value)).strip()


def spell(node):
    match node:
        case gast.Call(func=gast.Attribute(value=receiver, attr=name)):
            return spell_method(spell(receiver), name, node, None)
        case gast.Attribute(value=receiver, attr=name):
            return spell_attribute(spell(receiver), name, None)
    return node


@pytest.mark.parametrize("call", CALLS)
def test_method_and_function_give_the_same(call):
    names = {"np": np, "x": GRID, "y": (3, 2)}
    expected, found = eval(f"x.{call}", names), eval(spelled(f"x.{call}"), names)
    assert np.array_equal(expected, found)
    assert np.asarray(expected).dtype == np.asarray(found).dtype


def test_a_method_copies_in_c_order():
    assert spelled("x.T.copy()") == "kernels.copy_in_c_order(np.transpose(x))"


def test_every_method_is_tried():
    assert {name for name in METHODS if not any(f"{name}(" in call for call in CALLS)} == set()


@pytest.mark.parametrize(
    "text",
    ["x.tolist()", "x.item()", "x.view(int)", "x.view(dtype=int)", "x.resize(3)", "x.flat", "x.strides", "x.T.base"],
)
def test_other_attributes_are_refused(text):
    with pytest.raises(UnsupportedSyntax):
        spelled(text)
