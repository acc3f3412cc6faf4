"""Members of enumerations, as arguments and captured: compared, looked up, returned."""

from enum import Enum, IntEnum

import numpy as np
import pytest

import srcad


class Kind(Enum):
    RELU = 1
    TANH = 2
    LEAKY = 3


class Mode(IntEnum):
    A = 0
    B = 1


class Letter(str, Enum):
    X = "x"
    Y = "y"


X = np.array([0.6, 0.72, -0.23])
GAINS = {Kind.RELU: 1.0, Kind.TANH: 2.0, Kind.LEAKY: 0.5}


def compared(x, kind, letter=Letter.X):
    if kind is Kind.RELU:
        y = np.maximum(x, 0)
    elif kind == Kind.TANH:
        y = np.tanh(x)
    elif kind in (Kind.LEAKY,):
        y = np.where(x > 0, x, 0.1 * x)
    else:
        raise ValueError
    if letter == "x":
        y = y * 2
    if kind != Kind.TANH:
        y = y * x[0]
    if kind is not Kind.RELU and not kind == "RELU":  # noqa: SIM201 - as users write it
        y = y * x[1]
    return np.sum(y**2) * GAINS[kind] * kind.value


def matched(x, mode=Mode.B):
    match mode:
        case Mode.A:
            s = x[0]
        case Mode.B:
            s = x[1] ** 2
        case _:
            s = 0.0
    return s * [0.5, 2.0][mode] + x[2] * mode


def chosen_at_run_time(x, kind):
    m = Kind.RELU if x[0] > 0.5 else kind
    n = Kind.TANH
    for i in range(2):
        if x[i] > 0.7:
            n = Kind.LEAKY
    if m is n:
        return x[1]
    return x[0] ** 2 * (m is Kind.RELU) + x[1] * (n is Kind.LEAKY)


CALLS = [(compared, kind) for kind in Kind] + [(compared, Kind.TANH, Letter.Y)]
CALLS += [(matched, Mode.A), (matched, Mode.B), (matched,), (chosen_at_run_time, Kind.TANH)]


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS, ids=lambda call: "-".join([call[0].__name__, *map(str, call[1:])]))
def test_members_are_known_while_compiling(call):
    function, *rest = call
    value, found = srcad.value_and_grad(function, jit=False)(X, *rest)
    assert value == pytest.approx(function(X, *rest))
    for k, step in enumerate(np.eye(3) * 1e-6):
        slope = (function(X + step, *rest) - function(X - step, *rest)) / 2e-6
        assert found[k] == pytest.approx(slope, rel=1e-6, abs=1e-8)


def test_members_are_returned_as_what_they_are():
    result, _ = srcad.vjp(lambda x, k: ({Kind.RELU: x[0] * 2, Kind.TANH: x[1]}, k), X, Kind.TANH, jit=False)
    assert result == ({Kind.RELU: 1.2, Kind.TANH: 0.72}, Kind.TANH)
