"""Calls are of kernels where these are known to do the same."""

import numpy as np
import pytest
from numba import types as nb

from srcad.printer import print_function
from srcad.transforms.gradient import Made
from srcad.transforms.promises import with_promises
from srcad.transforms.quick import with_quick_calls
from tests.transforms.core_text import unit_of

KINDS = {"x": nb.float64[:, :], "n": nb.int64[:], "c": nb.complex128[:], "s": nb.float64, "v": nb.float64[:]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("np.max(x)", "kernels.largest(x)"),
        ("np.amin(n)", "kernels.smallest(n)"),
        ("np.max(x, 1)", None),
        ("np.max(c)", None),
        ("np.max(s)", None),
        ("np.max(unknown)", None),
        ("np.sum(x)", None),
        ("np.outer(v, c)", "kernels.outer(v, c)"),
        ("np.outer(x, v)", None),
        ("np.outer(v, s)", None),
    ],
)
def test_calls_of_known_arrays(value, expected):
    tree = unit_of(f"def f(x, n, c, s, v, unknown):\n    y = {value}\n    return y").tree
    tree.body = with_quick_calls(tree.body, (), KINDS)
    made = with_promises(Made([tree], {"np": np}, ("f",)))
    assert f"y = {expected or value}" in print_function(made.functions[0])
    assert ("kernels" in made.bindings) == (expected is not None)
