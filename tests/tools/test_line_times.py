"""Lines are counted as they run, in copies that give what the function gives, whatever its statements are."""

import numpy as np
import pytest

from srcad.tools import line_times as module
from srcad.tools.line_times import line_times

OFFSET = 3.0


def settle(x, k):
    """Every kind of block, and more than one way out."""
    v = 1.0
    if k < 0.0:
        return 0.0
    for i in range(x.shape[0]):
        if v > 0.5:
            v = v - k * v * v
        elif i == 1:
            continue
        else:
            v = v + np.sin(x[i])
        if v > 9.0:
            break
    else:
        v += OFFSET
    while v > 1.0:
        v /= 2.0
    try:
        v = v / k
    except ZeroDivisionError:
        v = 0.0
    return v


FIRST = settle.__code__.co_firstlineno


def counts(function, *arguments, jit=False):
    return {line - FIRST: each.runs for line, each in line_times(function, arguments, jit).lines.items()}


def traced(function, *arguments):
    """The same by Python's own tracing: how often a line began."""
    import sys

    found = {}

    def local(frame, event, argument):
        if event == "line":
            line = frame.f_lineno - FIRST
            found[line] = found.get(line, 0) + 1
        return local

    before = sys.gettrace()
    sys.settrace(lambda frame, event, argument: local if frame.f_code is function.__code__ else None)
    try:
        function(*arguments)
    finally:
        sys.settrace(before)
    return found


@pytest.mark.parametrize("k", [0.9, 0.3, -1.0])
def test_counts_of_statements_are_those_of_pythons_tracing(k):
    arguments = (np.array([0.1, 2.0, 3.0, 0.4]), k)
    told, expected = counts(settle, *arguments), traced(settle, *arguments)
    loops = {5, 16}  # headers: Python's tracing counts turns that `continue` ends, too
    assert {line: runs for line, runs in told.items() if runs and line not in loops} == {
        line: runs for line, runs in expected.items() if line not in loops and line in told
    }


def test_parts_add_up_to_the_whole():
    found = line_times(settle, (np.ones(50), 0.3), jit=False)
    assert sum(each.part for each in found.lines.values()) == pytest.approx(1.0)


def test_closures_methods_and_what_cannot_be_instrumented():
    factor = 2.0

    def scaled(x):
        return factor * x

    def with_defaults(x, k=factor, *more, flag=True, **rest):
        return k * x if flag else x

    assert [each.runs for each in line_times(scaled, (3.0,), jit=False).lines.values()] == [1]
    assert [each.runs for each in line_times(with_defaults, (3.0,), jit=False).lines.values()] == [1]
    assert line_times(lambda x: x, (1.0,), jit=False).lines == {}
    assert line_times(np.sin, (1.0,), jit=False).lines == {}


def test_the_copy_returns_what_the_function_returns():
    tree = module._definition(settle)
    marks = module._Marks()
    copy = marks.copy_of(tree)
    made = module._made(settle, copy, module._mark)
    x = np.array([0.1, 2.0, 3.0, 0.4])
    assert made(module._clock(marks), x, 0.3) == settle(x, 0.3)


@pytest.mark.compiled
def test_compiled_counts_are_those_of_plain_python():
    def loop(x):
        s = 0.0
        for i in range(x.shape[0]):
            if x[i] > 0.0:
                s += x[i]
        return s

    x = np.array([1.0, -1.0, 2.0])
    plain, compiled = (line_times(loop, (x,), jit) for jit in (False, True))
    assert (plain.is_compiled, compiled.is_compiled) == (False, True)
    assert {k: each.runs for k, each in compiled.lines.items()} == {k: each.runs for k, each in plain.lines.items()}
    assert all(0.0 <= each.part <= 1.0 for each in compiled.lines.values())


@pytest.mark.compiled
def test_what_numba_cannot_compile_runs_as_plain_python():
    found = line_times(squared, ({"a": 2.0},), jit=True)
    assert not found.is_compiled
    assert [each.runs for each in found.lines.values()] == [1]


def squared(p):
    return p["a"] ** 2
