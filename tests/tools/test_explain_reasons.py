"""What becomes of each value, and for whose sake."""

import numpy as np
import pytest
from numba import types as nb

from srcad.tools.explain import Explanation, width
from srcad.tools.source_text import case_of
from tests.golden.kept import diffused


def turned(x, k):
    s = 1.0
    for i in range(x.size):
        t = np.exp(s * k)
        flag = t > 1.5
        s = s * t if flag else s + x[i]
    return s


def reasons(f, mode, *args):
    made = Explanation(case_of(f, mode, args=args))
    return {made.speaker.name(each.name): each for each in made.reasons}


@pytest.mark.parametrize("mode", ["grad", "reverse"])
def test_values_are_recorded_or_computed_again(mode):
    found = reasons(turned, mode, np.ones(4), 0.3)
    assert (found["s"].what, found["t"].what) == ("recorded", "recorded")
    assert found["flag"].what == "recomputed"
    line = turned.__code__.co_firstlineno
    assert {each.line - line for each in found["t"].users if not isinstance(each, str)} == {3, 5}


def test_what_a_gradient_overwrites_is_put_back_and_what_a_pair_does_is_not():
    arguments = np.ones(4), 3, 0.1
    joint, pair = (Explanation(case_of(diffused, mode, args=arguments)).reasons for mode in ("grad", "reverse"))
    assert [each.name for each in joint if each.what == "put back"] == ["u[i]"]
    assert not [each for each in pair if each.what == "put back"]


@pytest.mark.parametrize(
    ("kind", "expected"), [(nb.float64, 8), (nb.float32, 4), (nb.boolean, 1), (nb.complex128, 16), (nb.int64, 8)]
)
def test_widths(kind, expected):
    assert width(kind) == expected
    assert np.dtype(str(kind).replace("boolean", "bool")).itemsize == expected
