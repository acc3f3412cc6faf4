"""Values as text."""

import math

import numpy as np
import pytest

from srcad.errors import BadArgument
from srcad.tools.standalone.literals import literal


@pytest.mark.parametrize(
    "value",
    [
        0.1,
        -math.inf,
        3,
        True,
        None,
        "a'b",
        1 + 2j,
        complex(math.inf, 0.0),
        (1,),
        np.float32(0.1),
        np.int64(3),
        np.array([[1.0, math.nan], [math.inf, -0.0]]),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.empty((0, 3), "f4"),
        np.array(2.0),
        np.array([True, False]),
    ],
)
def test_a_literal_gives_its_value_again(value):
    again = eval(literal(value, "x"), {"np": np, "complex": complex})
    np.testing.assert_array_equal(again, value)
    assert type(again) is type(value)
    if isinstance(value, np.ndarray):
        assert (again.dtype, again.flags.f_contiguous) == (value.dtype, value.flags.f_contiguous)


def test_what_has_no_literal_is_refused():
    with pytest.raises(BadArgument, match="x is a object, which cannot be written"):
        literal(object(), "x")
    with pytest.raises(BadArgument, match="x has 2000 elements"):
        literal(np.zeros(2000), "x")
