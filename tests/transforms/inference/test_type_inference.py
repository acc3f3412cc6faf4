"""Types of all names, from Numba."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.errors import MissingRule
from srcad.runtime.jit.numba_inference import CannotType
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.inference.type_inference import executable, types_of
from tests.checking import assert_gradient
from tests.transforms.core_text import ssa_of, typed, unit_of


def test_every_name_has_the_type_that_numba_gives_it():
    _, types = typed(
        """
def f(x, n):
    a = x[0]
    s = x.shape
    m = s[0]
    c = m > n
    y = np.sin(x)
    return y
""",
        "f4[:, ::1], i8",
    )
    assert types.get("a") == nb.float32[::1]
    assert types.get("m") == nb.intp
    assert types.get("c") == nb.boolean
    assert types.rank("y") == 2
    assert types.result == nb.float32[:, ::1]


def test_an_unknown_name_has_no_type():
    _, types = typed(
        """
def f(x):
    return x
""",
        "f8",
    )
    assert types.get("y") is None
    assert types.rank("y") is None
    assert not types.is_array("y")


def test_what_stands_for_an_unset_value_has_no_say():
    unit = ssa_of(
        unit_of("""
def f(x, c):
    if c:
        y = x * 2
    if c:
        z = y
    else:
        z = x
    return z
""")
    )
    types = types_of(unit, parse_signature("f8[::1], b1"))
    assert types.get("y_2") == nb.float64[::1]


def test_a_function_that_numba_cannot_type_is_named_with_its_line():
    unit = unit_of("""
def f(x):
    a = x * 2.0
    b = np.vectorize(a)
    return b
""")
    with pytest.raises(CannotType) as caught:
        types_of(unit, parse_signature("f8"))
    assert "vectorize" in caught.value.reason
    assert caught.value.place.line == 3


def test_the_core_function_runs_as_it_stands():
    unit = unit_of("""
def f(x):
    y = np.sqrt(x)
    return y
""")
    assert executable(unit)(9.0) == 3.0


# fmt: off
def written_over_several_lines(x):
    if x < 0.0:
        raise ValueError(
            "negative"
        )
    assert x < 9.0, (
        "large"
    )
    return x * x
# fmt: on


def test_statements_may_be_written_over_several_lines():
    assert srcad.grad(written_over_several_lines, jit=False)(2.0) == 4.0
    with pytest.raises(ValueError, match="negative"):
        srcad.grad(written_over_several_lines, jit=False)(-2.0)


def largest(x):
    best = -np.inf
    for i in range(len(x)):
        if x[i] > best:
            best, arg = x[i], i
    return best * x[arg - 1]


def test_a_variable_may_have_the_name_that_numba_gives_to_parameters():
    assert_gradient(largest, np.array([0.3, 0.8, 0.5]), modes=["loops"])


def test_statements_after_an_exception_have_no_types():
    """The function is split where `dtype` has two types; in each copy what follows the exception is not reached."""

    def f(x, m):
        filled = np.full_like(m, x[1], dtype=float, order="F")
        return np.sum(filled) + np.sum(np.reshape(m * x[0], (4, 1), order="A"))

    with pytest.raises(MissingRule, match=r"np\.reshape in other orders"):
        srcad.grad(f, jit=False)(np.ones(2, np.float32), np.ones((2, 2), np.float32))


def exchanged_later(x, a):
    q, s, is_set = x * a, 0.0, 0
    for _ in range(3):
        if is_set:
            r, q = q, r  # noqa: F821
        r = np.sin(x)
        is_set = 1
        s += r[0] * q[1]
    return s + q[0]


def test_a_name_that_is_copied_above_its_first_store_has_a_type():
    assert_gradient(exchanged_later, np.array([0.3, -0.7]), 0.8, modes=("loops",))
