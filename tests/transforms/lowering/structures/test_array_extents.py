"""Extents of arrays as constants: loops over arrays are unrolled where a function is refused otherwise."""

import gast
import numpy as np
import pytest
import scipy.special

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.lowering.structures.array_extents import Known, count_of, extent_of
from tests.whole_calls import assert_call_is_right

X = np.array([0.7, 1.3, 0.4, 2.1])
KNOWN = {"x": (4,), "a": (3, 4), "s": (), "n": ()}


def constant(node):
    if isinstance(node, gast.Constant):
        return node.value
    return -node.operand.value if isinstance(node, gast.UnaryOp) else UNKNOWN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("x * s", (4,)), ("a + x", (3, 4)), ("a @ x", (3,)), ("-x", (4,)), ("a.T", (4, 3)), ("x ** 2", (4,))),
        *(("a[0]", (4,)), ("a[n]", (4,)), ("a[1:]", (2, 4)), ("a[:, 1]", (3,)), ("a[-1, ::2]", (2,))),
        *(("np.sin(a)", (3, 4)), ("np.sum(a, axis=0)", (4,)), ("np.sum(a)", ()), ("np.outer(x, x)", (4, 4))),
        *(("np.arctanh(a)", (3, 4)), ("np.maximum(a, x)", (3, 4)), ("np.modf(x)", None), ("np.where(a, x, s)", (3, 4))),
        *(("scipy.special.expit(x)", (4,)), ("np.exp(other)", None), ("np.power(x, s)", (4,))),
        *(("np.zeros((2, 3))", (2, 3)), ("np.arange(3)", (3,)), ("np.reshape(x, (2, 2))", (2, 2))),
        *(("np.array((s, n, 1.0))", (3,)), ("np.linalg.solve(a, x)", None), ("np.diff(x)", (3,))),
        *(("np.zeros(n)", None), ("a[x > s]", None), ("x > s", None), ("x[n:]", None), ("np.where(x)", None)),
        *(("abs(a)", (3, 4)), ("abs(s)", ()), ("np.linspace(0, 1, 4, retstep=True)", None)),
        *(("other * 2", None), ("np.unique(x)", None), ("f(x)", None), ("np.arange(s)", None), ("x + a[1:]", (2, 4))),
    ],
)
def test_shapes_are_those_of_numpy_or_unknown(text, expected):
    assert extent_of(gast.parse(text).body[0].value, Known(KNOWN, constant)) == expected


def test_counts_are_constants():
    found = [
        count_of(gast.parse(text).body[0].value, Known(KNOWN, constant))
        for text in ("len(a)", "a.shape", "a.size", "a.ndim")
    ]
    assert found == [3, (3, 4), 12, 2]
    assert count_of(gast.parse("len(s)").body[0].value, Known(KNOWN, constant)) is UNKNOWN


def named(x):
    parts = {}
    for i, v in enumerate(x):
        parts[f"k{i}"] = v**2
    for i in range(x.shape[0] - 1):
        parts[f"d{i}"] = x[i + 1] - x[i]
    y = 2.0 * x[1:]
    weights = {f"w{k}": each for k, each in enumerate(y)}
    return sum(parts.values()) * parts["k2"] + weights["w1"] ** 3


def rows(a):
    table = {}
    for i, row in enumerate(a):
        for j, v in enumerate(row):
            table[i, j] = v * (i + 1)
    n, m = a.shape
    return sum(table[i, j] ** 2 for i in range(n) for j in range(m))


def changed_in_a_loop(x):
    parts = {}
    y = x
    k = 0
    while len(y) > 1 and y[0] < 100.0:
        y = y[1:] * 2.0
        k += 1
    for i, v in enumerate(x):
        parts[i] = v
    return np.sum(y**2) * k + sum(parts.values()) ** 2


def either_length(x):
    y = x[:2] if x[0] > 0.5 else x
    parts = {}
    for i, v in enumerate(x):
        parts[i] = v
    return np.sum(y**2) * parts[1] + len(y)


def in_helpers(x):
    def entries(v):
        return {f"e{k}": v[k] ** 2 for k in range(len(v))}

    first, second = entries(x), entries(x[:2])
    return sum(first.values()) * len(second) + second["e1"] ** 2


@pytest.mark.parametrize("f", [named, changed_in_a_loop, either_length, in_helpers], ids=lambda f: f.__name__)
def test_loops_are_unrolled(f):
    assert_call_is_right(f, X)
    assert_call_is_right(f, np.array([0.2, 1.1, 0.8]))  # another number of elements: other code


def test_matrices_are_unrolled():
    assert_call_is_right(rows, np.arange(1.0, 7.0).reshape(2, 3))
    assert_call_is_right(rows, np.arange(1.0, 7.0).reshape(3, 2))


def test_each_shape_has_code_of_its_own():
    gradient = srcad.grad(named, jit=False)
    for count in (4, 5, 4):
        x = np.linspace(0.5, 2.0, count)
        assert gradient(x).shape == x.shape


def test_long_arrays_stay_refused():
    with pytest.raises(UnsupportedSyntax):
        srcad.grad(named, jit=False)(np.linspace(0.5, 2.0, 200))


def test_loops_over_what_a_definition_computes_are_unrolled():
    def by_sector(weights, sectors=("tech", "bank", "tech")):
        shares = {}
        for weight, sector in zip(scipy.special.softmax(weights), sectors, strict=True):
            shares[sector] = shares.get(sector, 0.0) + weight
        return shares["tech"] ** 2 + shares["bank"] ** 3

    assert_call_is_right(by_sector, np.array([0.3, -0.2, 0.9]))
