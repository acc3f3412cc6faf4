"""What types say of the values that names hold."""

import pytest
from numba import types as nb

from srcad.transforms.ir.name_types import Types, carries_derivatives, differentiable, is_complex


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (nb.float64, True),
        (nb.float32[:], True),
        (nb.complex64, True),
        (nb.int64, False),
        (nb.boolean[:], False),
        (None, False),
    ],
)
def test_floats_and_complex_numbers_have_derivatives(kind, expected):
    assert differentiable(kind) is expected
    assert carries_derivatives(kind) is expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (nb.Tuple((nb.int64, nb.float64)), True),
        (nb.UniTuple(nb.int64, 2), False),
        (nb.Optional(nb.float64), True),
        (nb.ListType(nb.float64[:]), True),
    ],
)
def test_derivatives_may_be_carried_inside(kind, expected):
    assert carries_derivatives(kind) is expected
    assert not differentiable(kind)


def test_types_answer_by_name():
    types = Types({"a": nb.float64[:, ::1], "n": nb.int64, "z": nb.complex128[:], "s": nb.slice2_type})
    assert [types.rank(name) for name in "anq"] == [2, None, None]
    assert [types.is_array(name) for name in "anq"] == [True, False, False]
    assert [types.is_real(name) for name in "anz"] == [True, False, False]
    assert [types.is_real_or_complex(name) for name in "anz"] == [True, False, True]
    assert types.get("q") is None
    assert [is_complex(types.get(name)) for name in "azq"] == [False, True, False]
