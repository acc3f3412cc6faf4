"""Arguments of dtypes and classes that are refused with the cure."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import srcad
from srcad.driver.refused_arguments import refusal_of
from srcad.errors import NotDifferentiable


def dot(w, x):
    return np.sum(w * x)


CASES = [
    (np.ones(3, np.longdouble), "longdouble|float128|float96", lambda x: x.astype(np.float64)),
    (np.ones(3, np.clongdouble), "complex256|complex192", lambda x: x.astype(np.complex128)),
    (np.longdouble(2.0), "float128|float96|longdouble", lambda x: x.astype(np.float64)),
    (np.ones(3, ">f8"), ">f8", lambda x: x.astype(x.dtype.newbyteorder("="))),
    (np.ones(3, ">i4"), ">i4", lambda x: x.astype(x.dtype.newbyteorder("="))),
    (np.array([1.0, 2, np.float32(3.0)], object), "object", lambda x: x.astype(float)),
    (np.ma.masked_equal([1.0, 2.0, 3.0], 2.0), "a masked array of float64", lambda x: x.filled(0.0)),
    (Fraction(1, 2), "Fraction", float),
    (Decimal("0.5"), "Decimal", float),
]


@pytest.mark.parametrize(("x", "named", "cure"), CASES)
@pytest.mark.parametrize("wrt", [0, 1])
def test_an_argument_is_refused_by_its_dtype_and_the_cure_works(x, named, cure, wrt):
    with pytest.raises(NotDifferentiable, match=named) as caught:
        srcad.grad(dot, wrt, jit=False)(2.0, x)
    assert "hint: convert it with x." in str(caught.value) or "hint: pass " in str(caught.value)
    srcad.vjp(dot, 2.0, cure(x), wrt=0, jit=False)


def test_the_cure_names_the_argument():
    assert refusal_of("rates", np.ones(2, ">f4")).hint == 'convert it with rates.astype(rates.dtype.newbyteorder("="))'
    assert refusal_of("z", np.array([1j, 2], object)).hint == "convert it with z.astype(complex)"


def test_arrays_that_hold_more_than_numbers_are_data():
    assert refusal_of("x", np.array([1.0, "a"], object)) is None
    assert srcad.grad(lambda w, names: w * w, jit=False)(3.0, np.array([1.0, "a"], object)) == 6.0


class OnDevice:
    """What arrays of CuPy and numba.cuda tell of themselves."""

    shape, dtype, ndim = (2,), np.dtype(float), 1

    @property
    def __cuda_array_interface__(self):
        return {"shape": (2,), "typestr": "<f8", "data": (0, True), "version": 3}


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize(
    "call",
    [
        lambda jit: srcad.grad(lambda x: np.sum(x * x), jit=jit)(OnDevice()),
        lambda jit: srcad.grad(lambda p: np.sum(p["a"]), jit=jit)({"a": OnDevice()}),
        lambda jit: srcad.vjp(lambda y, x: y * np.sum(x), 1.0, OnDevice(), wrt=0, jit=jit),
    ],
)
def test_an_array_of_a_gpu_is_refused_with_the_cure(call, jit):
    with pytest.raises(NotDifferentiable, match="in the memory of a GPU") as caught:
        call(jit)
    assert "copy_to_host" in caught.value.hint
