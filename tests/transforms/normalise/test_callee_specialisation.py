"""A call of a function on its own becomes an operation on values: what it writes, its caller stores."""

import numpy as np
import pytest

from srcad.driver import pipeline
from srcad.driver.pipeline import prepare
from srcad.errors import MayOverlap
from srcad.tools.type_signatures import parse_signature


def halves(v, n):
    v *= 0.5
    if n <= 0:
        return v[0]
    return v[1] * halves(v, n - 1)


def caller(x):
    a = x.copy()
    s = halves(a, 2)
    return s + np.sum(a)


def tail(v, n):
    if n <= 0:
        return v[1:]
    return tail(v, n - 1)


def specialised(function, signature="f8[:]"):
    return pipeline.derive(
        prepare(function), "grad", (0,), parse_signature(signature), loops=False, after="type_decided_branches"
    )


def functions(made):
    namespace = dict(made.bindings)
    exec(compile(made.text, "<generated>", "exec"), namespace)
    return namespace


def test_what_a_call_writes_is_stored_by_the_caller():
    text = specialised(caller).text
    first, second = text.split("\n\n\n")[1:3]
    assert "t9 = halves(a, 2)" in first
    assert "a[...] = t11" in first
    assert "v_2_3 = np.copy(v_2)" in second
    assert "return result_3, v_2_3" in second


@pytest.mark.parametrize("size", [2, 3])
def test_the_specialised_functions_compute_the_same(size):
    x = np.arange(1.0, 1.0 + size)
    assert functions(specialised(caller))["caller"](x) == caller(x)


def test_arguments_stay_as_they_are():
    x = np.array([1.0, 2.0])
    value, written = functions(specialised(caller))["halves"](x, 1)
    assert list(x) == [1.0, 2.0]
    assert list(written) == [0.25, 0.5]
    assert value == 1.0 * 0.25


def test_a_view_that_is_returned_must_not_be_written_through():
    def f(x):
        a = x.copy()
        t = tail(a, 1)
        t[0] = 2.0
        return np.sum(a)

    with pytest.raises(MayOverlap, match="returns a view of an array"):
        specialised(f)
