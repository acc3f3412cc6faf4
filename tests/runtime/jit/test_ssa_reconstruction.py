"""Names and phis are those of Numba's own construction, and each variable costs only the statements that mention it."""

import sys

import numpy as np
import pytest
from numba.core import ssa
from numba.core.compiler import run_frontend

from srcad.runtime.jit.ssa_reconstruction import reconstruct_ssa


def straight(x):
    y = x
    y = y * x
    z = y + y
    y = z
    return y - z


def branches(x, y):
    if x > y:
        z = x
        x = x + 1.0
    elif y > 2.0:
        z = y
    else:
        z = 0.0
        y = z
    return x + y * z


def may_be_unbound(x):
    if x > 0.0:
        y = x
    x = x * 2.0
    return x + y


def loops(x, n):
    total = 0.0
    for i in range(n):
        if i % 2:
            continue
        for j in range(i):
            total += x[j] * i
            if total > 10.0:
                total = total / 2.0
                break
        else:
            total -= 1.0
    i = n
    while i > 0:
        i -= 1
        x[i] = total
    return total, i


def swaps(a, b, n):
    for _ in range(n):
        a, b = b, a + b
        if a > 100.0:
            return b
    return a


def stores_and_raises(x, n):
    k = 0
    while True:
        k += 1
        if k > n:
            raise ValueError("more than", k)
        x[k] += k
        del_me = x[k:]
        x = del_me
        if x.size == 0:
            break
    return x, k


def closures(x):
    k = 1.0
    k = k + 1.0

    def inner(v):
        return v * k

    return inner(x) + sum([k * each for each in (x, x)])


def unreached(x):
    y = x
    if False:
        y = np.zeros(3)
    return y


FUNCTIONS = [straight, branches, may_be_unbound, loops, swaps, stores_and_raises, closures, unreached]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_result_is_numbas(function):
    theirs, ours = ssa.reconstruct_ssa(run_frontend(function)), reconstruct_ssa(run_frontend(function))
    assert ours.dump_to_string() == theirs.dump_to_string()
    for one, other in zip(ours.blocks.values(), theirs.blocks.values(), strict=True):
        assert one.scope.var_redefinitions == other.scope.var_redefinitions


def made(count):
    """A function of many variables that are stored twice, in branches."""
    lines = [f"    v{k} = x\n    if x > {k}.0:\n        v{k} = v{k} + v{max(k - 1, 0)}" for k in range(count)]
    namespace = {}
    exec("\n".join(["def f(x):", *lines, f"    return v{count - 1}"]), namespace)
    return namespace["f"]


@pytest.mark.parametrize("function", [made(30)], ids=["made"])
def test_result_is_numbas_for_many_variables(function):
    test_result_is_numbas(function)


def calls(count):
    """The number of Python functions that are called for so many variables."""
    function, seen = run_frontend(made(count)), [0]

    def note(frame, event, argument):
        seen[0] += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        reconstruct_ssa(function)
    finally:
        sys.setprofile(before)
    return seen[0]


def test_work_is_linear_in_the_function():
    assert calls(80) < 2.3 * calls(40)
