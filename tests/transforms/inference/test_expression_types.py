"""Numba's types of single expressions."""

import gast
import numpy as np
import pytest
from numba import types as nb

from srcad.runtime.jit.numba_inference import typing_only
from srcad.transforms.inference.expression_types import Expressions, Unresolved

NAMES = {
    "x": nb.float64[:, ::1],
    "n": nb.int64,
    "f": nb.float32,
    "c": nb.complex128[::1],
    "p": nb.Tuple((nb.f8, nb.i8)),
}


def kind(text):
    with typing_only():
        return Expressions(dict(NAMES), {"np": np, "table": np.zeros(3)}).stored(gast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2", nb.int64),
        ("-n", nb.int64),
        ("f + 1", nb.float64),
        ("f * f", nb.float32),
        ("n // 2 == n % 3", nb.boolean),
        ("x ** 2", nb.float64[:, ::1]),
        ("x[n]", nb.float64[::1]),
        ("x[:, n]", nb.Array(nb.float64, 1, "A")),
        ("x[0, -1]", nb.float64),
        ("x.T", nb.Array(nb.float64, 2, "F")),
        ("x.shape[1]", nb.int64),
        ("p[0]", nb.float64),
        ("(n, f)", nb.Tuple((nb.int64, nb.float32))),
        ("np.exp(c)", nb.complex128[::1]),
        ("np.empty((n, 2), x.dtype)", nb.float64[:, ::1]),
        ("np.zeros(n, dtype=np.float32)", nb.float32[::1]),
        ("np.sum(x)", nb.float64),
    ],
)
def test_types_are_numbas(text, expected):
    assert kind(text) == expected


@pytest.mark.parametrize(
    "text", ["n ** 2", "unknown", "x[p]", "p[n]", "p[2]", "0 < n < 3", "table", "np.sin(*p)", "None", "x.shapes"]
)
def test_what_is_not_plain_or_has_no_type_is_left_to_the_inference(text):
    with pytest.raises(Unresolved):
        kind(text)
