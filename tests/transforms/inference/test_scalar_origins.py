"""Whose object a number is: Python's, NumPy's, the caller's, or not known."""

import gast
import pytest

from srcad.transforms.inference.scalar_origins import Origin, Origins
from tests.transforms.core_text import typed

TEXT = """
def f(x, k, n):
    own = len(x)
    element = k[0]
    first = x[0]
    larger = first > 1.0
    converted = bool(larger)
    mixed = own + element
    shape = x.shape
    rows = shape[0]
    opposite = not larger
    given = n
    root = np.sqrt(first)
    least = min(own, rows)
    counted = 0
    gathered = 0
    either = 0
    for i in range(0, own, 1):
        later = counted + i
        row = k[i]
        after = gathered + row
        counted = later
        gathered = after
        either = row
    total = counted + given
    return first
"""
EXPECTED = {
    "own": Origin.PYTHON,
    "i": Origin.PYTHON,
    "element": Origin.NUMPY,
    "first": Origin.NUMPY,
    "larger": Origin.NUMPY,
    "converted": Origin.PYTHON,
    "mixed": Origin.NUMPY,
    "rows": Origin.PYTHON,
    "opposite": Origin.PYTHON,
    "given": Origin.ARGUMENT,
    "root": Origin.NUMPY,
    "least": Origin.PYTHON,
    "counted": Origin.PYTHON,
    "after": Origin.NUMPY,
    "gathered": Origin.UNKNOWN,  # Python's where the loop has no iteration
    "either": Origin.UNKNOWN,
    "total": Origin.ARGUMENT,
}


@pytest.fixture(scope="module")
def origins():
    return Origins(*typed(TEXT, "f8[::1], i8[::1], i8"))


@pytest.mark.parametrize("name", EXPECTED)
def test_the_origin_of_a_name_is_that_of_what_it_is_given(origins, name):
    assert origins.of(gast.Name(name, gast.Load(), None, None)) is EXPECTED[name]


def test_literals_are_pythons(origins):
    assert origins.of(gast.Constant(value=3, kind=None)) is Origin.PYTHON
