"""Each optional pass can be switched off: the generated text is another, the derivative is the same."""

import os
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import prange

import srcad
from srcad.errors import BadArgument
from srcad.runtime.support.broadcast_error import Widens
from srcad.transforms.ir.pass_names import PASSES, VARIABLE, chosen
from tests.checking import assert_gradient, generated
from tests.differences import flat, own_copy
from tests.programs.program import Program, vector
from tests.test_programs import programs

X = np.linspace(0.3, 1.2, 7)


def two_loops(x):
    y = np.empty_like(x)
    for i in range(x.size):
        y[i] = np.sin(x[i]) * x[i]
    s = 0.0
    for i in range(x.size):
        s += y[i] ** 2 * np.exp(x[i]) + np.cos(x[i]) * np.sin(x[i])
    return s


def wandering(x):
    s = 0.0
    y = np.empty_like(x)
    for i in range(x.size):
        y[i] = np.sin(x[i] * x[i])
        k = 0.5
        while k < 1.0 + y[i]:
            k += 0.25 * y[i]
            s += np.exp(k)
            if s > 9.0:
                break
    y[1:] += 0.5 * y[:-1]
    return s + np.sum(y * y[::-1])


def smoothed(x):
    a, b = x * x, np.zeros_like(x)
    for _ in range(2):
        for i in range(1, x.size - 1):
            b[i] = a[i - 1] * a[i] + np.cos(0.5 * (a[i] + a[i + 1]))
        a, b = b, a
    return np.sum(a) * a[2] + np.max(a)


def relaxed(x):
    a, b = x.copy(), x.copy()
    for _ in range(2):
        b[1:-1] = 0.3 * (a[:-2] + a[1:-1] * a[2:])
        a[1:-1] = 0.5 * (b[:-2] + b[2:])
    return np.sum(a * a)


def nearest(x):
    total = 0.0
    for i in range(x.size):
        best = 9.0
        for j in range(i):
            gap = 0.0
            for k in range(2):
                gap += (x[i] - x[j] + 0.3 * k) ** 2
            if gap < best:
                best, total = gap, total + 0.1 * gap
        total += (best * np.exp(best) + x[i]) / (1.0 + x[i] * x[i])
    return total


def shared_out(x):
    total, product = 0.0, 1.0
    for i in prange(x.size):
        wave = np.sin(x[i])
        total += wave * x[i]
        product *= wave
    return total + product


def quotients(x):
    a, b, c = x[0], x[1], x[2]
    steps = np.zeros((8, 2))
    for t in range(7):
        steps[t + 1, 0] = 0.5 * steps[t, 0] * x[t] + np.sin(a / c) * (b / c)
    return steps[7, 0]


def filtered(x):
    v = x.copy()
    for i in range(1, x.size):
        v[i] = (v[i - 1] + x[i] + 0.5) / 3.0
    s = v[0] ** 2
    old = v.copy()
    v[1] = s * old[0]
    return v @ v


def triangle(x):
    total = 0.0
    for i in range(2):
        p, y = 3, x[:3] * x[i]
        for c in range(3):
            for r in range(c + 1, 3):
                y[r] += x[p] * x[c]
                p += 1
        total += np.sum(y * y)
    return total


def layered(x):
    weights = np.outer(x, x)
    return np.sum(np.tanh(weights @ np.tanh(weights @ x)))


def weighed(x):
    total = 0.0
    for i in range(3):
        for k in range(x.size):
            total += np.sin(x[i] * np.exp(x[k]))
    return total


SIMPLE = two_loops, wandering, smoothed, relaxed, nearest, quotients, filtered, triangle, layered, weighed
SMALL = [Program(each, vector(7)) for each in SIMPLE]
SMALL += [Program(numba.njit(parallel=True)(shared_out), lambda rng: (rng.normal(size=7),))]


def corpus(name):
    """Small programs, enough for every pass to have something to do, and one of the corpus, or all of it."""
    others = [each.values[0] for each in programs() if not each.values[0].interpreted]
    if os.environ.get("SRCAD_ALL_PROGRAMS"):
        return [*SMALL, *others]
    return [*SMALL, others[37 * list(PASSES).index(name) % len(others)]]


def derivatives(program, mode, loops, without=()):
    """The generated text, and all numbers that it computes."""
    arguments = program.fresh_arguments()
    for assumes in (True, False):
        made, given, text = generated(program.function, arguments, mode, program.wrt, loops, assumes, without)
        try:
            found = made[0](*map(own_copy, given))
            if mode == "vjp":
                value, trace = found
                ones = tuple(map(_ones, value)) if isinstance(value, tuple) else _ones(value)
                found = value, made[1](*map(own_copy, given), trace, ones)
        except Widens:
            continue
        return text, flat(found)
    raise AssertionError("widened twice")


def _ones(value):
    """Of a number, a number: an array without dimensions would be one that generated code may write into."""
    return np.ones_like(value)[()]


KNOWN = {}


def with_all_passes(program, mode, loops):
    """What the compiler gives by default, which other tests hold to finite differences."""
    key = program, mode, loops
    if key not in KNOWN:
        KNOWN[key] = derivatives(*key)
    return KNOWN[key]


@pytest.mark.slow
@pytest.mark.parametrize("name", PASSES)
def test_without_a_pass_derivatives_are_the_same_and_the_text_is_another(name):
    changed = False
    for program in corpus(name):
        mode = "grad" if program in SMALL else "vjp"
        text, expected = with_all_passes(program, mode, True)
        other, found = derivatives(program, mode, True, (name,))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=f"{program.name}, {mode}")
        changed = changed or text != other
    assert changed


@pytest.mark.compiled
def test_without_any_pass_code_compiles_and_is_right():
    assert_gradient(wandering, X)
    expected = srcad.grad(wandering, jit=False)(X)
    np.testing.assert_allclose(srcad.grad(wandering, without=tuple(PASSES))(X), expected, rtol=1e-12)


def test_passes_are_named_in_one_text_or_several():
    assert chosen("spot, fuse") == chosen(["fuse", "spot"]) == ("fuse", "spot")
    assert chosen("") == chosen() == ()


def test_an_unknown_pass_is_refused_with_a_list_of_those_there_are():
    with pytest.raises(BadArgument, match=r"no pass 'fusion'\n?.*fuse, assume, early, tidy"):
        srcad.grad(wandering, without="fusion")


def test_passes_named_in_the_environment_are_left_out(monkeypatch):
    monkeypatch.setenv(VARIABLE, "fold,tidy")
    assert chosen("fuse") == ("fuse", "tidy", "fold")
    assert srcad.source(wandering, args=(X,)) == srcad.source(wandering, args=(X,), without=("fold", "tidy"))
    monkeypatch.setenv(VARIABLE, "nothing")
    with pytest.raises(BadArgument, match=f"no pass 'nothing' in {VARIABLE}"):
        srcad.grad(wandering)


def test_the_documented_passes_are_those_there_are():
    text = (Path(__file__).parents[3] / "docs" / "api.md").read_text()
    assert "\n".join(f"| `{name}` | {told} |" for name, told in PASSES.items()) in text
