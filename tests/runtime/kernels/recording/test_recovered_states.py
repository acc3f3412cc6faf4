import numpy as np
import pytest
from numba import njit

from srcad.errors import WrongRule
from srcad.runtime import kernels

compiled_recovered = njit(lambda *row: kernels.recovered(row[0], row[1], row[2], row[3]))
compiled_magnitude = njit(lambda *row: kernels.magnitude(row[0], row[1]))

ROWS = [
    (1.0, 1.0 + 1e-9, 1.0, 1e-8, True),
    (1.0, 1.0 + 1e-7, 1.0, 1e-8, False),
    (1.0, 1.0 + 1e-7, 100.0, 1e-8, True),
    (np.nan, np.nan, 1.0, 1.0, False),
    (3, 3, 1.0, 0.0, True),
    (3, 4, 100.0, 0.5, False),
    (True, False, 1.0, 1.0, False),
    (1j, 1j + 1e-9, 1.0, 1e-8, True),
    (np.ones(3), np.ones(3), 1.0, 1e-8, True),
    (np.ones(3), np.array([1.0, 1.0, 1.1]), 1.0, 1e-8, False),
    (np.ones(3), np.ones(2), 1.0, 1e-8, False),
    (np.zeros((0, 2)), np.zeros((0, 2)), 0.0, 1e-8, True),
    (np.arange(3), np.arange(3), 0.0, 0.0, True),
]


@pytest.mark.parametrize("row", ROWS)
def test_states_are_recovered_up_to_their_scale(row):
    assert kernels.recovered(*row[:4]) is row[4]


@pytest.mark.compiled
def test_compiled_code_gives_the_same_answers():
    for *args, expected in ROWS:
        assert compiled_recovered(*args) == expected
    for value in (-3.0, 2, True, 3j, np.array([1.0, -4.0]), np.zeros(0)):
        assert compiled_magnitude(value, 2.0) == (2.0 if value is True else kernels.magnitude(value, 2.0))


def test_a_state_that_is_not_recovered_is_a_wrong_rule():
    kernels.check_recovered(True, "f.py:3: no")
    with pytest.raises(WrongRule, match=r"f\.py:3: no"):
        kernels.check_recovered(False, "f.py:3: no")
