"""Calls in loops of independent iterations are of the kernels that vectorise, and only if all such calls are."""

import numba
import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.printing.printer import print_function
from tests.checking import assert_gradient
from tests.transforms.core_text import changes, noted, parsed, tree_after

KINDS = {
    **dict.fromkeys("xyw", nb.float64[::1]),
    "z": nb.float64[:, ::1],
    **dict.fromkeys("stu", nb.float64),
    **dict.fromkeys("nijk", nb.int64),
}
HEADER = "def f(x, y, w, z, s, t, n, k):\n    for i in range(n):\n        "


def made_of(*texts):
    made = noted([tree_after("vector_math", parsed(text), KINDS) for text in texts], {"np": np})
    return "".join(map(print_function, made.functions))


def program(body, behind="pass"):
    return HEADER + "\n        ".join(body.split("\n")) + f"\n    {behind}\n    return w, s\n"


def gains(body, behind="pass"):
    return changes(["vector_math", "llvm_assumptions"], program(body, behind), KINDS)


@pytest.mark.parametrize(
    "body",
    [
        "w[i] = np.exp(x[i])",
        "w[i] = math.tanh(x[i])",
        "u = np.log(x[i])\ns += u * y[i]",
        "x[i] = np.exp(x[i] + s)",  # reads what this iteration alone writes
        "z[k, i] = np.log1p(z[k, i])",
        "if y[i] > 0.0:\n    w[i] = np.exp(x[i])",
        "for j in range(k):\n    w[j] = np.exp(x[j] + y[i])",
        "w[i] = max(np.exp(x[i]), 0.0)",
        "w[i] = np.exp(x[i]) * y[i] ** 3 + np.sqrt(y[i])",
        "t = np.tanh(y[i])\nfor j in range(k):\n    w[j] = np.tanh(t * x[j])",
        "w[i] = np.exp(x[n - 1 - i])",
    ],
)
def test_loops_that_gain(body):
    assert gains(body)


@pytest.mark.parametrize(
    "body",
    [
        "s = np.tanh(s + x[i])",  # waits for the iteration before
        "u = s * x[i]\ns = np.exp(u)",
        "x[i] = np.exp(x[i - 1])",
        "x[k] = np.exp(x[k] + y[i])",  # one place for all
        "w = np.exp(x)",  # of arrays
        "w[i] = np.exp(unknown)",
        "if s > t:\n    break\nw[i] = np.exp(x[i])",
        "if np.exp(x[i]) > 1.0:\n    w[i] = 1.0",  # chooses
        "u = np.exp(x[i])\nif u > 1.0:\n    w[i] = 1.0",
        "w[i] = np.floor(np.log(x[i]))",
        "w[i] = np.log(x[i])\nw[i] = w[i] // 2.0",
        "w[int(np.exp(x[i]))] = 1.0",
        "w[i] = helper(np.exp(x[i]))",
        "w[i] = np.sin(x[i])",
        "w[i] = np.exp(x[i]) * math.erf(y[i])",  # which stops vectors
        "w[i] = np.exp(x[i]) * y[i] ** 1.5",
    ],
)
def test_loops_that_do_not_gain_or_decide(body):
    assert not gains(body)


def test_a_call_that_cannot_have_the_kernel_leaves_all_others_as_they_are():
    vector = "w[i] = np.exp(x[i]) + np.log(x[i])"
    text = made_of(program(vector, "s = np.exp(s)\n    w = np.log(w)"))
    assert "w[i] = kernels.lanes.exp(x[i]) + np.log(x[i])" in text
    assert "s = kernels.lanes.exp(s)" in text
    sweeps = [
        HEADER + "w[i] = np.exp(x[i])\n    return w\n",
        "def g(s):\n    s = np.exp(s)\n    if s > 0.0:\n        s = 1.0\n    return s\n",
    ]
    assert "kernels." not in made_of(*sweeps)
    assert "kernels." in made_of(*sweeps[:1])


def test_functions_without_such_loops_keep_the_library():
    assert not gains("s = s + x[i]", "t = np.exp(s)")


def layers(x, w):
    h = np.tanh(x * w[0] + w[1])
    y = 1.0 / (1.0 + np.exp(-h * w[2]))
    return np.sum(np.log(y) * x) + np.sum(np.log1p(h * h) - np.expm1(-y))


def decided(x, w):
    y = np.empty_like(x)
    for i in range(x.size):
        y[i] = np.log(x[i] * x[i] + 1.0) - np.tanh(x[i]) * w[2]
    for i in range(x.size):
        e = np.exp(x[i] * w[0])
        if e > w[1]:
            y[i] += e
    return y @ y[::-1]


W = np.array([0.7, 1.1, -0.4])
X = np.linspace(-2.0, 2.5, 23)


@pytest.mark.compiled
@pytest.mark.parametrize("function", [layers, decided])
def test_gradients(function):
    for wrt in (0, 1):
        assert_gradient(function, X, W, wrt=(wrt,))
        expected = srcad.grad(function, wrt=wrt, without="vector_math")(X, W)
        np.testing.assert_allclose(srcad.grad(function, wrt=wrt)(X, W), expected, rtol=1e-13, atol=1e-15)


@pytest.mark.slow
def test_which_functions_of_a_program():
    assert "kernels.lanes.tanh" in srcad.source(layers, args=(X, W))
    text = srcad.source(decided, args=(X, W))
    assert "kernels.lanes.log" in text
    assert "kernels.lanes.tanh" in text
    assert "np.exp(" in text
    assert "kernels.lanes.tanh" not in srcad.source(layers, args=(X, W), without="vector_math")


@pytest.mark.compiled
def test_ties_and_steps_are_those_of_the_function():
    """A thousand is 10**3 by the library's logarithm, or by none: the gradient must go the function's way."""

    @numba.njit
    def digits(x):
        total = 0.0
        for i in range(x.size):
            total += x[i] * np.floor(np.log(x[i]) / np.log(10.0))
        return total

    x = 10.0 ** np.arange(1.0, 300.0)
    value, slope = srcad.value_and_grad(digits)(x)
    assert value == digits(x)
    np.testing.assert_array_equal(slope, [np.round(digits(np.array([each])) / each) for each in x])
