"""Functions that call themselves get types from Numba's inference, and are never compiled."""

import pytest
from numba import types

from srcad.runtime.jit.call_stubs import Declared, Inferring
from srcad.runtime.jit.numba_inference import CannotType, infer


def halving(x, n):
    return x if n == 0 else halving(0.5 * x, n - 1)


def first(x, n):
    return 1 if n == 0 else second(x, n - 1)


def second(x, n):
    return x if n == 0 else first(x, n - 1)


def every_other(x):
    return x[0] if x.shape[0] < 2 else every_other(x[::2])


def endless(x):
    return endless(x)


def typed(monkeypatch, *functions):
    """The inferring dispatchers of functions that call one another."""
    made = [Inferring(function) for function in functions]
    for each in made:
        monkeypatch.setitem(globals(), each.py_func.__name__, each)
    return made


def result(monkeypatch, kinds, *functions):
    made = typed(monkeypatch, *functions)
    made[0].compile(kinds)
    return made[0].inferred[kinds].result


def test_a_function_that_calls_itself(monkeypatch):
    assert result(monkeypatch, (types.int64, types.int64), halving) == types.float64


def test_functions_that_call_each_other(monkeypatch):
    assert result(monkeypatch, (types.float64, types.int64), first, second) == types.float64


def test_a_call_for_another_layout(monkeypatch):
    (made,) = typed(monkeypatch, every_other)
    made.compile((types.float64[::1],))
    assert set(made.inferred) == {(types.float64[::1],), (types.float64[:],)}


def test_recursion_without_an_end_is_an_error(monkeypatch):
    (made,) = typed(monkeypatch, endless)
    with pytest.raises(CannotType, match="runaway recursion"):
        infer(lambda x: 2.0 * made(x), (types.float64,))


def test_a_declared_function_has_its_result_for_any_arguments():
    declared = Declared(lambda x: x, types.UniTuple(types.float64, 2))
    assert infer(lambda x: declared(x)[1], (types.int64,)).result == types.float64
