"""The passes on generated functions, one after the other, on one function, and each left out."""

import gast
import numpy as np
import pytest
from numba import types as nb

from srcad.driver.pass_manager import passed
from srcad.driver.passes import SIMPLIFY
from srcad.names import Names
from srcad.printing.printer import print_function
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit
from tests.transforms.core_text import parsed, result_of

TEXT = """
def f(x, n):
    v = np.copy(x)
    w = np.zeros(n + 2)
    s = 0.0
    a = 0.5
    for c in range(n):
        for r in range(c + 1, n):
            v[r] -= a * v[c] * x[r]
            s += v[r] * x[c]
    for i in range(n - 1, -1, -1):
        t = v[i] * a
        w[i] += t
        w[i + 2] -= 2.0 * t
    return v, w, s
"""
KINDS = {**dict.fromkeys("vwx", nb.float64[::1]), **dict.fromkeys("ast", nb.float64), **dict.fromkeys("ncri", nb.intp)}
CHANGES = {
    "scalar_replacement": "v_c = v[c]",
    "loop_distribution": "_row[i",
    "unordered_reductions": "is_unordered",
    "nonnegative_indices": "natural",
}


def rewritten(without=(), primals=0):
    tree = parsed(TEXT)
    unit = Unit(tree.name, tree, {}, Names(), without=frozenset(without))
    return passed(Code(unit, Types(KINDS), primals=primals), [row for row in SIMPLIFY if "loops" in row.when]).unit.tree


def notes(tree):
    """The text, and the notes on its statements."""
    found = [each for each in gast.walk(tree) if isinstance(each, gast.stmt)]
    kept = [name for name in ("is_unordered", "natural") if any(getattr(notes_of(each), name) for each in found)]
    return print_function(tree) + " ".join(kept)


@pytest.mark.parametrize("without", [(), *((name,) for name in CHANGES), tuple(CHANGES)], ids=",".join)
def test_results_stay(without):
    x = np.linspace(0.1, 0.9, 7)
    found, expected = (result_of(tree, x, 7) for tree in (rewritten(without), parsed(TEXT)))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize("name", CHANGES)
def test_each_pass_has_its_switch(name):
    assert CHANGES[name] in notes(rewritten())
    assert CHANGES[name] not in notes(rewritten((name,)))


def test_what_the_primal_returns_keeps_its_order():
    assert "is_unordered" not in notes(rewritten(primals=3))
    assert "is_unordered" not in notes(rewritten(primals=None))
