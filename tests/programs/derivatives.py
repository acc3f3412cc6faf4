"""Derivatives inside functions that are differentiated: physics-informed losses, Newton's method, descent, closures."""

import math

import numpy as np

import srcad
from tests.programs.program import Program, numbers, vector

# `jit=False` is for the finite differences, which call these functions as they stand. Inside a function that is
# differentiated it means nothing.


def network(a, b, v, x):
    return np.sum(v * np.tanh(a * x + b))


def physics_informed(a, b, v, xs):
    """The residual of an equation with first and second derivatives of a network by its input."""
    total = 0.0
    for i in range(xs.shape[0]):
        u = network(a, b, v, xs[i])
        slope = slope_of(a, b, v, xs[i])
        bend = srcad.grad(srcad.grad(network, 3, jit=False), 3, jit=False)(a, b, v, xs[i])
        total += (bend + u * slope - np.sin(xs[i])) ** 2
    return total


def slope_of(a, b, v, x):
    return srcad.grad(network, wrt="x", jit=False)(a, b, v, x)


def closures(a, x):
    """Functions that read variables and structures of the function around them."""
    p = {"a": a, "pair": (a * a, 0.5)}

    def u(t):
        return np.sum(p["a"] * np.sin(p["pair"][1] * t)) + t * p["pair"][0][0]

    du = srcad.grad(u, jit=False)
    ddu = srcad.grad(du, jit=False)
    first = ddu(x) ** 2 + du(x) * u(x)
    p["a"] = p["a"] * 2.0
    return first + du(x)


def potential(x):
    return np.sum(x**3) * x[0] + np.sum(np.sin(x))


def of_an_array(x):
    g = srcad.grad(potential, jit=False)(x)
    return np.sum(g * g) + g[1]


def nested(x):
    def energy(y):
        return np.sum(srcad.grad(potential, jit=False)(y) ** 2)

    return np.sum(srcad.grad(energy, jit=False)(x) * x)


def with_values(x):
    value, g = srcad.value_and_grad(potential, jit=False)(x)
    moved, d = srcad.jvp(lambda y: np.sin(y) * y[0], (x,), (x * x,), jit=False)
    return value * np.sum(g) + np.sum(moved * d) + np.sum(srcad.hvp(potential, jit=False)(x, np.sin(x)))


def jacobians(x):
    j = srcad.jacobian(lambda y: np.sin(y) * y[0], jit=False)(x)
    h = srcad.hessian(potential, jit=False)(x)
    curve = srcad.jacobian(lambda t: np.array([t * t, np.sin(t)]), jit=False)(x[0])
    return np.sum(j @ h) + curve[0] * curve[1] + srcad.jacobian(lambda t: t**3, jit=False)(x[1])


def newton(a):
    def solve(f, x):
        for _ in range(5):
            x = x - f(x) / srcad.grad(f, jit=False)(x)
        return x

    return solve(lambda x: x**2 - a, 1.0)


def descent(x, n):
    """Gradient descent in place: what each gradient was taken at is overwritten."""
    y = x.copy()
    for _ in range(n):
        g = srcad.grad(potential, jit=False)(y)
        g *= 0.5
        y -= 0.02 * g
        if np.sum(g * g) < 1e-3:
            break
    return np.sum(y * y)


def no_descent(x):
    return descent(x, 0) + np.sum(x)


def written_arguments(x):
    """The inner function writes into its argument: its gradient leaves the caller's array as it is."""

    def f(y):
        y[0] = y[1] * y[2]
        y *= 2.0
        return np.sum(y**2)

    z = x * 1.0
    g = srcad.grad(f, jit=False)(z)
    z[1] = g[2]
    return np.sum(g * x) + np.sum(z)


def by_several(x, y):
    def f(a, b, k=2.0):
        return k * np.sum(a * a * b) + a[0] * b[1]

    ga, gb = srcad.grad(f, (0, 1), jit=False)(x, y)
    value, (ha, _) = srcad.value_and_grad(f, wrt=("a", "b"), jit=False)(x, y, k=3.0)
    return np.sum(ga * ha) + value + np.sum(gb) + np.sum(srcad.grad(f, jit=False)(x, x) * y)


def of_functions_with_rules(x):
    return srcad.grad(np.tanh, jit=False)(x) * srcad.grad(math.sin, jit=False)(x) + srcad.grad(
        srcad.grad(np.exp, jit=False), jit=False
    )(x)


def of_branches_and_loops(x):
    def f(y):
        s = 0.0
        z = y.copy()
        for i in range(3):
            if z[i] > 0.0:
                z[i] = z[i] * y[0] + np.sin(z[i])
            k = 0
            while k < i:
                s += z[k] * y[i]
                k += 1
        return s + np.sum(z)

    return np.sum(srcad.grad(f, jit=False)(x) * srcad.grad(f, jit=False)(-x[::-1]))


SLOPE = srcad.grad(potential, jit=False)


def made_outside(x):
    return np.sum(SLOPE(x) ** 2) + np.sum(srcad.grad(of_an_array, jit=False)(x))


def recursive(x):
    def power(y, n):
        return 1.0 if n == 0 else y * power(y, n - 1)

    return srcad.grad(power, jit=False)(x, 4) * x


PROGRAMS = [
    Program(
        physics_informed, lambda rng: (*rng.normal(size=(3, 4)), np.linspace(0.1, 1.0, 3)), (0, 1, 2), compiled=True
    ),
    Program(closures, lambda rng: (rng.normal(size=3), 0.7), (0, 1)),
    Program(of_an_array, vector(3), compiled=True),
    Program(nested, vector(3)),
    Program(with_values, vector(3)),
    Program(jacobians, vector(3), compiled=True),
    Program(newton, numbers(2.0), compiled=True),
    Program(descent, lambda rng: (rng.normal(size=3), 3)),
    Program(no_descent, vector(3)),
    Program(written_arguments, vector(3)),
    Program(by_several, lambda rng: (rng.normal(size=3), rng.normal(size=3)), (0, 1)),
    Program(of_functions_with_rules, numbers(0.3)),
    Program(of_branches_and_loops, vector(3)),
    Program(made_outside, vector(3)),
    Program(recursive, numbers(1.3)),
]
