"""Solvers of `scipy.optimize`: derivatives by the implicit function theorem, against differences with tight options."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from scipy import optimize

import srcad
from srcad.errors import NoSolution, UnsupportedSyntax

POINT = (1.3, 2.1)


def cubic(x, a, b):
    return x**3 - a * x - b


def by_brentq(a, b):
    return optimize.brentq(lambda x: x**3 - a * x - b, 0.0, 10.0)


def by_brenth(a, b):
    return optimize.brenth(cubic, 0.0, 10.0, args=(a, b))


def by_bisect(a, b):
    return optimize.bisect(cubic, 0.0, 10.0, (a, b))


def by_ridder(a, b):
    return optimize.ridder(cubic, 0.0, 10.0, (a, b))


def by_toms748(a, b):
    return optimize.toms748(cubic, 0.0, 10.0, (a, b))


def by_root_scalar(a, b):
    found = optimize.root_scalar(cubic, args=(a, b), bracket=[0.0, 10.0], method="brentq")
    return found.root if found.converged else 0.0


def by_newton(a, b):
    return optimize.newton(lambda x: x**3 - a * x - b, 2.0, fprime=lambda x: 3 * x**2 - a)


def by_newton_of_arrays(a, b):
    c = np.array([a, b, a * b])
    return optimize.newton(lambda x: x**3 - c * x - b, np.array([2.0, 2.0, 2.0])) @ np.array([1.0, 2.0, 3.0])


def by_fixed_point(a, b):
    return optimize.fixed_point(lambda x: np.cos(a * x) + 0.1 * b, 0.5, xtol=1e-13)


def by_root(a, b):
    def equations(v, k):
        x, y = v
        return [x + k * y - a, x - y**3 - b]

    return optimize.root(equations, [1.0, 2.0], args=(0.5,), tol=1e-13).x @ np.array([1.0, 2.0])


def by_root_with_jacobian(a, b):
    found = optimize.root(lambda x: x**3 + a * x - b, 1.0, jac=lambda x: np.array([[3 * x[0] ** 2 + a]]), tol=1e-13)
    return found.x[0]


def by_root_and_a_captured_dictionary(a, b):
    p = {"u": a, "v": (b, a * b)}
    return optimize.root(lambda x: x**3 + p["u"] * x - p["v"][1] * p["v"][0], 1.0, tol=1e-13).x[0]


def by_root_with_structured_arguments(a, b):
    return optimize.root(lambda x, p, n: x**3 + p["u"] * x - n * p["v"], 1.0, ({"u": a, "v": b}, 3), tol=1e-13).x[0]


def by_minimize(a, b):
    def energy(x):
        return (x[0] - a) ** 2 + a * (x[1] - b * x[0]) ** 2 + x[1] ** 4

    found = optimize.minimize(energy, np.array([1.0, 1.0]), jac=srcad.grad(energy), method="BFGS", tol=1e-11)
    return found.x[0] * found.x[1] + found.fun


def by_minimize_of_a_pair(a, b):
    def energy(x):
        apart = x[1] - b * x[0]
        slope = np.array([2 * (x[0] - a) - 2 * a * b * apart, 2 * a * apart])
        return (x[0] - a) ** 2 + a * apart**2, slope

    found = optimize.minimize(energy, [1.0, 1.0], jac=True, method="BFGS", tol=1e-10)
    return found.x[0] * found.x[1]


def by_minimize_scalar(a, b):
    return optimize.minimize_scalar(lambda x: (x - a) ** 4 + b * x**2, tol=1e-12).x


def by_least_squares(a, b):
    t = np.linspace(0.0, 1.0, 9)
    y = a * np.exp(-b * t) + 0.1 * np.sin(9 * t)
    found = optimize.least_squares(
        lambda p: p[0] * np.exp(-p[1] * t) - y, np.array([1.0, 1.0]), xtol=1e-15, ftol=1e-15, gtol=1e-15
    )
    return found.x[0] + 2 * found.x[1] + found.cost


def in_a_loop(a, b):
    total = 0.0
    for i in range(3):
        k = a + i
        total += optimize.brentq(lambda x: x**3 - k * x - b, 0.0, 10.0)  # noqa: B023 - called at once
        b = b * 1.1
    return total


def one_in_another(a, b):
    def outer(y):
        z = optimize.brentq(lambda x: x**3 + x - a * y, -10.0, 10.0)
        return z + y - b

    return optimize.brentq(outer, -10.0, 10.0)


PROGRAMS = [
    by_minimize,
    *(by_brentq, by_brenth, by_bisect, by_ridder, by_toms748, by_root_scalar, by_newton, by_newton_of_arrays),
    *(by_fixed_point, by_root, by_root_with_jacobian, by_root_and_a_captured_dictionary),
    *(by_root_with_structured_arguments, by_minimize_of_a_pair, by_minimize_scalar, by_least_squares),
    *(in_a_loop, one_in_another),
]


def differences(f, a, b, h=4e-3):
    """Central differences, extrapolated once: the error is of the order of h**4."""

    def slope(g):
        return (8 * (g(h / 2) - g(-h / 2)) - (g(h) - g(-h))) / (6 * h)

    return np.array([slope(lambda e: f(a + e, b)), slope(lambda e: f(a, b + e))])


# The others differ from these in how SciPy is called.
OFTEN = (by_newton_of_arrays, by_fixed_point, by_root, by_minimize_of_a_pair)


def cases():
    return [pytest.param(f, id=f.__name__, marks=() if f in OFTEN else pytest.mark.nightly) for f in PROGRAMS]


@pytest.mark.parametrize("f", cases())
def test_solution_has_the_value_of_scipy_and_the_gradient_of_differences(f):
    value, gradient = srcad.value_and_grad(f, (0, 1), jit=False)(*POINT)
    assert value == pytest.approx(f(*POINT), rel=1e-12)
    np.testing.assert_allclose(gradient, differences(f, *POINT), rtol=2e-6, atol=2e-7)


@pytest.mark.parametrize("f", [by_root, pytest.param(one_in_another, marks=pytest.mark.nightly)])
def test_second_derivatives_are_those_of_gradients(f):
    gradient = srcad.grad(f, (0, 1), jit=False)
    expected = [differences(lambda a, b, k=k: gradient(a, b)[k], *POINT) for k in range(2)]
    np.testing.assert_allclose(srcad.hessian(f, (0, 1), jit=False)(*POINT), expected, rtol=1e-5, atol=1e-6)


def test_third_derivative_of_a_root_is_that_of_its_closed_form():
    def root_of_square(a):
        return optimize.brentq(lambda x: x * x - a, 0.0, 10.0)

    third = srcad.grad(srcad.grad(srcad.grad(root_of_square)), jit=False)
    assert third(2.0) == pytest.approx(0.375 * 2.0**-2.5, rel=1e-9)


def test_tangents_are_those_of_the_gradient():
    gradient = srcad.grad(by_root, (0, 1), jit=False)(*POINT)
    value, tangent = srcad.jvp(by_root, POINT, (0.3, -0.4), jit=False)
    assert value == pytest.approx(by_root(*POINT))
    assert tangent == pytest.approx(0.3 * gradient[0] - 0.4 * gradient[1], rel=1e-12)


def test_start_and_brackets_have_no_derivative():
    f = lambda start, a: optimize.newton(lambda x: x * x - a, start)  # noqa: E731 - as users write it
    slope, by_a = srcad.grad(f, (0, 1), jit=False)(1.0, 4.0)
    assert (slope, by_a) == (0.0, pytest.approx(0.25))


def test_compiled_derivatives_run_scipy_in_object_mode():
    def f(v, k):
        total = 0.0
        for i in range(v.shape[0]):
            c = v[i]
            total += optimize.brentq(lambda x: x**3 + k * x - c, -10.0, 10.0) * i  # noqa: B023
        return total

    v = np.array([1.0, 2.0, 3.0])
    plain = srcad.grad(f, (0, 1), jit=False)(v, 0.5)
    compiled = srcad.grad(f, (0, 1))(v, 0.5)
    np.testing.assert_allclose(compiled[0], plain[0], rtol=1e-12)
    assert compiled[1] == pytest.approx(plain[1], rel=1e-12)


def test_gradient_on_a_tape_through_a_function():
    solved = srcad.function(lambda a: optimize.brentq(lambda x: x * x - a, 0.0, 10.0), jit=False)
    a = srcad.Variable(4.0)
    with srcad.GradientTape() as tape:
        y = solved(a) ** 3
    assert float(tape.gradient(y, a)) == pytest.approx(3.0)


def refusal(f, *args, error=NoSolution):
    with pytest.raises(error) as caught:
        srcad.grad(f, jit=False)(*args)
    return str(caught.value)


def test_what_does_not_converge_is_refused_with_the_reason_and_the_line():
    message = refusal(lambda a: optimize.brentq(lambda x: x * x + a, 0.0, 1.0), 1.0)
    assert "f(a) and f(b) must have different signs" in message
    assert "test_scipy_optimize.py" in message
    assert "`root` found no solution" in refusal(lambda a: optimize.root(lambda x: x * x + a, 1.0).x[0], 1.0)


def test_singular_jacobian_is_refused():
    message = refusal(lambda a: optimize.brentq(lambda x: (x - a) ** 3, 0.0, 4.0), 2.0)
    assert "singular" in message
    assert "test_scipy_optimize.py" in message


def test_minimum_on_a_bound_is_refused():
    message = refusal(lambda a: optimize.minimize_scalar(lambda x: a * x, bounds=(0.0, 1.0), method="bounded").x, 1.0)
    assert "lies on a bound" in message


def test_a_partial_function_is_known():
    def root(a):
        return optimize.brentq(functools.partial(lambda k, x: x**3 - k, a), 0.0, 10.0)

    assert srcad.grad(root, jit=False)(8.0) == pytest.approx(1.0 / 12.0)


def test_arguments_without_a_theorem_are_refused():
    with pytest.raises(NotImplementedError, match="with a loss"):
        srcad.grad(lambda a: optimize.least_squares(lambda x: x - a, 1.0, loss="huber").x[0], jit=False)(1.0)
    with pytest.raises(NotImplementedError, match="linprog"):
        srcad.grad(lambda a: optimize.linprog([a, 1.0]).x[0], jit=False)(1.0)


def test_functions_that_write_work_on_copies_of_what_they_get_and_nothing_else():
    def scaled(a):
        def excess(x):
            x *= a
            return x - 3.0

        return optimize.root(excess, np.array([1.0])).x[0]

    assert srcad.value_and_grad(scaled, jit=False)(2.0) == (pytest.approx(1.5), pytest.approx(-0.75))

    def noted(a):
        seen = np.zeros(1)

        def excess(x):
            seen[0] = x
            return x * x - a

        return optimize.brentq(excess, 0.0, 10.0) + seen[0]

    assert "writes into `seen`" in refusal(noted, 2.0, error=UnsupportedSyntax)
