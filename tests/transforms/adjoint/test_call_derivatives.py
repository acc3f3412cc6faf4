"""The calls of a function: which of them carry derivatives, and the list on which all its records are."""

import gast
import numpy as np

from srcad.driver import pipeline
from srcad.driver.pipeline import prepare
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.adjoint.call_derivatives import Callees, calls_in
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.sweeps.callee_pairs import make_pair, make_tangent
from tests.checking import assert_gradient


def powers(v, n, k):
    if n <= 0:
        return v * k
    return v * powers(v, n - 1, k) + powers(k, 0, v)


def caller(x, n):
    return powers(x, n, 2.0) + powers(2.0, n, 3.0)


def halves(a, b, n):
    if n <= 0:
        return a * b, b
    one, other = halves(a * 0.5, b, n - 1)
    return one + a * a, other * b


def of_halves(x, y):
    one, other = halves(x, y, 2)
    return 3.0 * one + np.sin(other)


def test_each_argument_and_each_result_has_its_own_adjoint():
    assert_gradient(of_halves, 0.7, 1.3, modes=("gradient", "loops", "tangent"))


def stage():
    kinds = tuple(parse_signature("f8, i8"))
    return pipeline.differentiable_state(Code(prepare(caller), signature=kinds, settings=Settings(loops=False)))


def test_calls_are_found_with_what_they_return():
    calls = calls_in(stage().unit)
    assert len({id(each.version) for each in calls.values()}) == 1
    assert all(isinstance(argument, gast.AST) for each in calls.values() for argument in each.arguments)


def test_only_arguments_that_carry_derivatives_have_them_taken():
    first, second = calls_in(stage().unit).values()
    assert first.wrt(lambda name: name == "x") == (0,)
    assert second.wrt(lambda name: name == "x") == ()


def test_one_pair_serves_all_calls_with_the_same_active_arguments():
    callees = Callees(make_pair, make_tangent)
    call, *_ = calls_in(stage().unit).values()
    pair = callees.pair(call.version, (0,), (0,))
    assert callees.pair(call.version, (0,), (0,)) is pair
    assert callees.pair(call.version, (0, 2), (0,)) is not pair
    assert pair in callees.recording
