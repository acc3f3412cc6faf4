"""Solvers that are given objects, their methods, or partials, made inside or outside of the function."""

import functools

import numpy as np
import pytest
from scipy.integrate import odeint, quad, solve_ivp
from scipy.optimize import brentq, minimize, newton, root

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient


class Decay:
    """A law with parts that are no numbers: a text, a function, None."""

    def __init__(self, rate, name="decay"):
        self.rate, self.name, self.shape, self.other, self.calls = rate, name, np.tanh, None, 0

    def __call__(self, t, y):
        return -self.rate * y if self.other is None else y

    def bent(self, t, y):
        return -self.rate * self.shape(y) if self.name == "decay" else y

    def turned(self, y, t):
        return -self.rate * y

    def excess(self, x):
        return x**3 + self.rate * x - 1

    def slope(self, x):
        return 3 * x**2 + self.rate

    def scaled(self, x, a, b):
        return x**3 * a + self.rate * x - b

    def energy(self, z):
        return np.sum((z - self.rate) ** 2) + np.sum(z**4)

    def force(self, z):
        return 2 * (z - self.rate) + 4 * z**3

    def counted(self, x):
        self.calls += 1
        return self.excess(x)

    def after(self, time):
        return solve_ivp(self.bent, (0, time), [1.0]).y[0, -1]


OUTSIDE = Decay(0.7)


def in_an_equation(k):
    return solve_ivp(Decay(k), (0, 1), [1.0]).y[0, -1] + Decay(k).after(0.5)


def outside(y):
    return solve_ivp(OUTSIDE, (0, 1), [y]).y[0, -1] + odeint(OUTSIDE.turned, [y], [0, 1.0])[-1, 0]


def roots(k):
    law = Decay(k)
    found = root(law.excess, np.zeros(1)).x[0]
    return found + newton(law.excess, 0.5, fprime=law.slope) + brentq(law.scaled, -5, 5, args=(2.0, law.rate))


def minimum(k):
    law = Decay(k)
    return minimize(law.energy, np.zeros(2), jac=law.force, tol=1e-10).x.sum()


def partial_of_a_lambda(k):
    return quad(functools.partial(lambda a, t: np.exp(-a * t), k), 0, k)[0]


@pytest.mark.parametrize("function", [in_an_equation, outside, roots, minimum, partial_of_a_lambda])
def test_objects_and_methods_are_handed_to_solvers(function):
    modes = ("tangent",) if function is roots else ("arrays",)
    assert_gradient(function, 0.9, modes=modes, rtol=1e-5)


def test_an_object_that_changes_while_it_is_called_is_refused():
    with pytest.raises(UnsupportedSyntax, match="changing an object"):
        srcad.grad(lambda k: brentq(Decay(k).counted, -5.0, 5.0), jit=False)(0.9)
