"""Numba's types for every name, and the shortest cause where there are none."""

import operator

import numba
import numpy as np
import pytest
from numba import float32, float64, int64, types
from numba.core import compiler, targetconfig
from numba.core.registry import cpu_target
from numba.extending import overload

import srcad
from srcad.runtime.jit.numba_inference import CannotType, infer

VECTOR = float64[::1]


def test_every_local_name_has_a_plain_type():
    def f(x, n):
        total = 0.0
        count = 0
        for i in range(n):
            total = total + x[i]
            count = 1
        return total, count

    found = infer(f, (VECTOR, int64))
    assert dict(found.types) == {"x": VECTOR, "n": int64, "total": float64, "i": int64, "count": int64}
    assert found.result == types.Tuple((float64, int64))


def test_float32_stays_float32():
    def f(x):
        y = np.sin(x)
        return np.sum(y)

    found = infer(f, (float32[::1],))
    assert found.types["y"] == float32[::1]
    assert found.result == float32


def test_mixed_tuples_are_typed_by_position():
    def f(x):
        pair = (x, 1)
        y = pair[0]
        return y  # noqa: RET504 - the name is asked for

    assert infer(f, (float64,)).types["y"] == float64


def test_branches_on_none_are_pruned():
    def f(x, k):
        if k is None:
            scale = 1.0
        else:
            scale = k * 2.0
        return x * scale

    assert infer(f, (float64, types.none)).types["scale"] == float64


def test_raise_and_print_are_typed():
    def f(x):
        print("x", x)
        if x > 5.0:
            raise ValueError("too large")
        return x

    assert infer(f, (float64,)).result == float64


def unknown_module_function(x):
    y = x + 1.0
    return np.packbits(y)


def unknown_argument(x):
    return np.median(x, keepdims=True)


class Model:
    a = 1.0


model = Model()


def unknown_object(x):
    return model.a * x


def unlike_branches(x):
    if x[0] > 0.0:
        y = 1.0
    else:
        y = x
    return y


def unknown_bytecode(x):
    import math

    return math.sin(x[0])


@pytest.mark.parametrize(
    ("function", "reason", "line"),
    [
        (
            unknown_module_function,
            "Use of unsupported NumPy function 'numpy.packbits' or unsupported use of the function.",
            2,
        ),
        (unknown_argument, "Numba has no implementation of median(array(float64, 1d, C), keepdims=True)", 1),
        (unknown_object, "'model' is not known to Numba", 1),
        (unlike_branches, "'y' is array(float64, 1d, C) in one place and float64 in another", None),
        (unknown_bytecode, "Use of unsupported opcode (IMPORT_NAME) found.", 1),
    ],
)
def test_the_cause_is_short_and_has_a_line(function, reason, line):
    with pytest.raises(CannotType) as caught:
        infer(function, (VECTOR,))
    assert caught.value.reason == reason
    if line is not None:
        assert caught.value.line == function.__code__.co_firstlineno + line


def test_inference_shares_what_numba_compiles_of_its_library_with_generated_functions():
    expected = compiler.Flags()
    cpu_target.options.parse_as_flags(expected, numba.njit(error_model="numpy")(lambda x: x).targetoptions)
    seen = []

    def probe(x):
        pass

    @overload(probe)
    def overload_probe(x):
        seen.append(targetconfig.ConfigStack.top_or_none().copy())
        return lambda x: x

    infer(eval("lambda x: probe(x)", {"probe": probe}), (types.float64,))
    assert seen == [expected]


def test_what_numba_stumbles_over_is_no_type():
    def f(x, n):
        y = None
        for _ in range(n):
            y = operator.iadd(y, 1.0)
            y = x * 2.0
        return y

    with pytest.raises(CannotType):
        infer(f, (types.float64[:], types.int64))


def test_functions_on_which_numbas_passes_fail_are_observed_instead():
    """Numba 0.68 ends in an AttributeError where it unrolls the definition of `np.histogramdd`."""
    places = np.array([0, 1, 2])

    def squares(weights):
        return np.sum(np.histogram2d(places, places, bins=2, weights=weights)[0] ** 2)

    assert srcad.grad(squares, jit=False)(np.array([0.5, 1.5, 2.0])).tolist() == [1.0, 7.0, 7.0]
