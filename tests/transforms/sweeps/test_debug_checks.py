"""Where a NaN or an infinity first appears: sweep, line and values, in every mode; and no alarm otherwise."""

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import NonFinite
from tests.differences import flat
from tests.programs.control import PROGRAMS

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy's, in uncompiled code

X = np.array([1.5, 1.0, 2.0])


def roots(x, k):
    s = 0.0
    for i in range(x.shape[0]):
        s += k * np.sqrt(x[i] - 1.0)
    return s


def born(call):
    with srcad.debug(), pytest.raises(FloatingPointError) as caught:
        call()
    assert isinstance(caught.value, NonFinite)
    return caught.value


ONES = np.ones(3)
WAYS = {
    "grad": lambda jit: srcad.grad(roots, jit=jit)(X, 0.3),
    "value_and_grad": lambda jit: srcad.value_and_grad(roots, jit=jit)(X, 0.3),
    "vjp": lambda jit: srcad.vjp(roots, X, 0.3, jit=jit)[1](1.0),
    "jacobian": lambda jit: srcad.jacobian(roots, jit=jit)(X, 0.3),
    "jvp": lambda jit: srcad.jvp(roots, (X, 0.3), (ONES, None), jit=jit),
    "hvp": lambda jit: srcad.hvp(roots, jit=jit)(X, 0.3, ONES),
    "hessian": lambda jit: srcad.hessian(roots, jit=jit)(X, 0.3),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=[pytest.mark.slow])])
def test_every_derivative_says_where(way, jit):
    problem = born(lambda: WAYS[way](jit))
    assert problem.at.text.strip() == "s += k * np.sqrt(x[i] - 1.0)"
    assert problem.sweep == ("tangent" if way in ("jvp", "hvp", "hessian") else "reverse")
    assert "where the primal is finite" in problem.what
    assert problem.details[-1].startswith("in the iteration i (line ")
    assert problem.details[-1].endswith(") = 1")


def test_compiled_code_tells_its_caller_inside_njit():
    slope = srcad.grad(roots)
    with srcad.debug():

        @numba.njit
        def twice(x):
            return 2.0 * slope(x, 0.3)

        with pytest.raises(FloatingPointError) as caught:
            twice(X)
    assert caught.value.at.text.strip() == "s += k * np.sqrt(x[i] - 1.0)"


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=[pytest.mark.slow])])
def test_the_primal_is_checked(jit):
    run = srcad.function(roots, jit=jit)
    problem = born(lambda: run(X - 1.0, 0.3))
    assert problem.sweep == "primal"
    assert problem.what == "a NaN first appears in the primal of this line"
    assert "    t5 (that is, x[i] - 1.0) = -0.5" in problem.details or "= -0.5" in "\n".join(problem.details)
    assert born(lambda: srcad.grad(roots, jit=jit)(X - 1.0, 0.3)).sweep == "primal"


def zero_times_infinity(x):
    return np.sum(np.exp(1000.0 * x) * 0.0)


def test_an_infinity_is_reported_before_what_comes_of_it():
    problem = born(lambda: srcad.grad(zero_times_infinity, jit=False)(np.array([0.0, 1.0])))
    assert problem.what == "an infinity first appears in the primal of this line"
    assert "first inf at [1]" in "\n".join(problem.details)


def masked(x, floor):
    best = -np.inf
    for i in range(x.shape[0]):
        best = max(best, x[i])
    return best + 0.0 * np.sum(x) + np.maximum(floor, x[0])


def test_an_infinity_that_was_there_is_no_alarm():
    with srcad.debug():
        assert srcad.grad(masked, jit=False)(X, -np.inf).tolist() == [1.0, 0.0, 1.0]


def given_nan(x, y):
    return np.sum(x * x) + 0.0 * y


def test_a_nan_among_the_arguments_is_not_born():
    with srcad.debug():
        assert srcad.grad(given_nan, jit=False)(X, np.nan).tolist() == (2.0 * X).tolist()


def partly_filled(x):
    y = np.empty(x.shape[0] + 1)
    for i in range(x.shape[0]):
        y[i] = x[i] * x[i]
    return np.sum((2.0 * y)[:-1])


def test_what_was_never_stored_is_no_nan():
    with srcad.debug():
        assert srcad.grad(partly_filled, jit=False)(X).tolist() == (4.0 * X).tolist()


def halved(x):
    turns = 0
    while turns < 4:
        x = np.log(x) if turns == 2 else x - 1.0
        turns += 1
    return x


def test_the_iteration_of_a_while_loop_is_told():
    problem = born(lambda: srcad.grad(halved, jit=False)(1.0))
    assert problem.sweep == "primal"
    assert problem.details[-1].endswith("= 2")
    assert problem.details[-1].startswith("in the iteration iteration (line ")


def helper(v):
    return np.log(v)


def calls_helper(x):
    return helper(x[0]) + x[1]


def test_the_calls_that_led_to_an_inlined_line_are_told():
    problem = born(lambda: srcad.grad(calls_helper, jit=False)(np.array([0.0, 1.0])))
    assert problem.at.text.strip() == "return np.log(v)"
    assert problem.at.inside.text.strip() == "return helper(x[0]) + x[1]"


def recursive(x, n):
    if n == 0:
        return np.sqrt(x)
    return recursive(x * 0.5, n - 1) + x


def test_functions_that_are_called_are_checked():
    assert born(lambda: srcad.grad(recursive, jit=False)(0.0, 3)).sweep == "reverse"


def in_place(x):
    x = x.copy()
    x[0] /= x[1]
    x[1:] *= x[0]
    return np.sum(x)


def test_an_operand_that_is_overwritten_is_told_as_it_was():
    problem = born(lambda: srcad.grad(in_place, jit=False)(np.array([3.0, 0.0, 1.0])))
    assert "= 3.0" in "\n".join(problem.details)


def divided(kernels, x):
    return kernels / x


def test_a_name_of_the_user_s_does_not_collide():
    assert born(lambda: srcad.grad(divided, jit=False)(1.0, np.float64(0.0))).sweep == "primal"


@pytest.mark.parametrize("program", PROGRAMS[::6], ids=lambda each: each.name)
def test_checked_derivatives_are_the_same(program):
    def derivative():
        value, pull = srcad.vjp(program.function, *program.fresh_arguments(), wrt=program.wrt, jit=False)
        return flat(pull(_like(value)))

    expected = derivative()
    with srcad.debug():
        np.testing.assert_allclose(derivative(), expected, rtol=1e-9, atol=1e-12)


def _like(value):
    if isinstance(value, tuple):
        return tuple(map(_like, value))
    return np.ones_like(value) if isinstance(value, np.ndarray) else type(value)(1)
