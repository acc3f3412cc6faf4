"""Signatures as text, from annotations, and arguments made from them."""

import numpy as np
import pytest
from numba import njit, typeof
from numba.core import types

from srcad.errors import BadArgument
from srcad.tools.type_signatures import example_arguments, parse_signature, signature_of, untyped_parameters

f8, i8 = types.float64, types.int64


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("f8", (f8,)),
        ("f8[:], f8", (f8[:], f8)),
        ("float64[:, ::1], int64", (f8[:, ::1], i8)),
        ("f4[::1]", (types.float32[::1],)),
        ("f8[::1, :]", (f8[::1, :],)),
        ("array(float64, 2d, F), array(int64, 1d, A)", (f8[::1, :], i8[:])),
        ("f8(f8[:], f8)", (f8[:], f8)),
        ("void(f8)", (f8,)),
        (
            "(f8, i8), UniTuple(f8, 3), UniTuple(float64 x 2)",
            (types.Tuple((f8, i8)), types.UniTuple(f8, 3), types.UniTuple(f8, 2)),
        ),
        ("types.float64[:]", (f8[:],)),
        (
            "float, int, bool, complex, None, str",
            (f8, i8, types.boolean, types.complex128, types.none, types.unicode_type),
        ),
        ("", ()),
        (" f8 ,\n i8 ", (f8, i8)),
    ],
)
def test_a_signature_is_read_as_numba_writes_it(text, kinds):
    assert parse_signature(text) == kinds


@pytest.mark.parametrize("kinds", [(f8[:, ::1], i8), (types.UniTuple(f8, 2), f8[:]), (types.Tuple((f8, i8)),)])
def test_what_numba_prints_is_read(kinds):
    assert (
        parse_signature(", ".join(map(str, kinds)).replace("Tuple(float64, int64)", "Tuple((float64, int64))")) == kinds
    )


@pytest.mark.parametrize(
    "text", ["f9", "f8[1]", "f8[", "x y", "[1]", "f8[::2]", "pyobject", "Any", "3", "f8[1:]", "f8; f8"]
)
def test_what_is_no_signature_is_refused_with_an_example_of_one(text):
    with pytest.raises(BadArgument, match=r'hint: .*"f8\[:\], f8"'):
        parse_signature(text)


@pytest.mark.parametrize(
    "text", ["f8", "f4", "c16", "c8", "f8[:, ::1]", "f4[::1, :]", "c16[::1]", "i4[::1]", "(f8, f4)", "i8", "b1[::1]"]
)
def test_examples_have_the_types_asked_for(text):
    kinds = parse_signature(text)
    assert tuple(typeof(value) for value in example_arguments(kinds)) == kinds


def test_examples_depend_on_the_seed_alone():
    kinds = parse_signature("f8[:], f8")
    again, other = example_arguments(kinds, 1), example_arguments(kinds, 2)
    assert np.array_equal(example_arguments(kinds, 1)[0], again[0])
    assert not np.array_equal(other[0], again[0])


def test_examples_of_integers_are_indices_into_examples_of_arrays():
    x, i, table = example_arguments(parse_signature("f8[:], i8, i8[:]"))
    assert x[i] == x[3]
    assert x[table].shape == table.shape


def test_no_example_of_text_is_made_up():
    with pytest.raises(BadArgument, match="no example can be made up"):
        example_arguments(parse_signature("str"))


def annotated(x: "f8[:]", k: float, n: int = 3, w=np.ones(2), name="a"):  # noqa: B008
    return x


def test_types_come_from_annotations_and_defaults():
    expected = (f8[:], f8, i8, f8[::1], types.unicode_type)
    assert signature_of(annotated) == expected
    assert signature_of(njit(annotated)) == expected


def test_parameters_that_tell_no_type_are_named():
    def f(x, y: np.ndarray, z: "Unheard", k: np.float32, c=None):  # noqa: F821
        return x

    assert signature_of(f) is None
    assert untyped_parameters(f) == ("x", "y", "z")


def test_the_object_that_a_method_is_bound_to_is_no_parameter():
    class Model:
        def step(self, x: float):
            return x

    assert signature_of(Model().step) == (f8,)
