import pytest
from numba import njit

import srcad


def back(x):
    return x - 1.0


def test_the_step_stays_the_function_that_it_is():
    def forth(x):
        return x + 1.0

    assert srcad.reversible(back)(forth) is forth
    assert forth.inverse is back


@pytest.mark.compiled
def test_compiled_steps_are_called_from_compiled_code():
    @srcad.reversible(njit(back))
    @njit
    def forth(x):
        return x + 1.0

    @njit
    def walk(x, n):
        for _ in range(n):
            x = forth(x)
        return x * x

    assert walk(1.0, 3) == 16.0
    assert srcad.grad(walk)(1.0, 3) == 8.0


def test_what_is_no_function_or_tolerance_is_refused():
    with pytest.raises(TypeError, match="the inverse is 3"):
        srcad.reversible(3)
    with pytest.raises(ValueError, match="rtol is -1"):
        srcad.reversible(back, rtol=-1)
