"""What random programs have found, each the smallest that showed it, and what it was that went wrong."""

import numpy as np

from tests.programs.program import Program, numbers


def branch_that_is_never_taken(a, x):
    """Numba gives no types to what follows: it knows that the test holds."""
    k = 1
    if k > -0.2:
        return np.sum(x * a)
    for v in x:
        x[0] -= v
        x *= a
    return a


def loop_that_is_never_entered(a, x):
    """The same, of a loop."""
    k = 1
    while k < 0:
        y = a * x[0]
        x[0] = np.sin(y) * y
        a = a + y
    return a * x[0]


ROW = np.array([0.3, -0.7, 0.9, 0.2])

PROGRAMS = [
    Program(branch_that_is_never_taken, numbers(0.4, ROW), (0, 1), compiled=True),
    Program(loop_that_is_never_entered, numbers(0.4, ROW), (0, 1)),
]
