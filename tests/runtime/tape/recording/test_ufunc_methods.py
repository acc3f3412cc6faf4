"""Methods and keywords of ufuncs on tensors, against central differences of NumPy's own."""

import numpy as np
import pytest

from srcad.errors import BadArgument
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.ufunc_methods import keyword_meaning, method_meaning
from srcad.runtime.tape.values.conversions import constant

V = np.array([0.3, 0.5, 0.7])
M = np.array([[0.7, 1.3, 0.2], [0.4, 2.1, 0.9]])
MASK = np.array([[True, False, True], [True, True, False]])

CALLS = {
    "outer": lambda x: np.divide.outer(x, M + 1.0),
    "outer of a matrix": lambda x: np.hypot.outer(x * M, x),
    "outer, tensor on the right": lambda x: np.power.outer(np.array([2.0, 3.0]), x),
    "reduce": np.subtract.reduce,
    "reduce a matrix": lambda x: np.hypot.reduce(x * M, axis=1, keepdims=True),
    "reduce with a ufunc that has a function": lambda x: np.add.reduce(x * M) * np.maximum.reduce(x),
    "accumulate": lambda x: np.maximum.accumulate(np.sin(5.0 * x)),
    "accumulate rows": lambda x: np.logaddexp.accumulate(x * M, axis=1),
    "reduceat": lambda x: np.add.reduceat(x, [0, 2, 1]),
    "reduceat along rows": lambda x: np.multiply.reduceat(x * M, np.array([1, 0]), axis=1),
    "dtype": lambda x: np.add(x, 1, dtype=np.float64) * np.sin(x, dtype="float64"),
    "layout": lambda x: np.multiply(x, x, casting="same_kind", order="C", subok=True),
    "sum of some": lambda x: np.sum(x * M, axis=0, where=MASK, initial=2.0, keepdims=True),
    "sum in a dtype": lambda x: np.sum(x, dtype=np.float64) * x.sum(initial=1.5),
    "product of some": lambda x: np.prod(x * M, axis=1, where=MASK, initial=3.0),
    "mean of some": lambda x: np.mean(x * M, axis=1, where=MASK),
    "largest of some": lambda x: np.max(x * M, axis=1, where=MASK, initial=0.3, keepdims=True),
    "variance of some": lambda x: np.var(x * M, axis=1, where=MASK, ddof=0.5),
    "deviation of some": lambda x: np.std(x * M, where=MASK, keepdims=True),
    "smallest": lambda x: np.min(x, initial=0.4),
    "running in a dtype": lambda x: np.cumsum(x, dtype=np.float64) + x.cumprod(dtype=np.float64),
    "correction": lambda x: np.var(x * M, axis=1, correction=1) + np.std(x, correction=1.5),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_values_and_gradients(call):
    x = constant(V)
    with GradientTape() as tape:
        tape.watch(x)
        y = call(x)
        total = np.sum(np.sin(y))
    np.testing.assert_allclose(y.numpy(), call(V), rtol=1e-13)
    slopes = [(np.sum(np.sin(call(V + step))) - np.sum(np.sin(call(V - step)))) / 2e-6 for step in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(tape.gradient(total, x).numpy(), slopes, atol=1e-7)


def test_single_precision_asked_for():
    x = constant(V)
    with GradientTape() as tape:
        tape.watch(x)
        y = np.multiply(x, 3.0, dtype=np.float32)
        z = np.sum(x * x, dtype=np.float32)
    assert (y.dtype, z.dtype) == (np.float32, np.float32)
    np.testing.assert_allclose(tape.gradient([y, z], x).numpy(), 3.0 + 2.0 * V, rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: np.sin(x, out=np.zeros(3)), "out"),
        (lambda x: np.sin(x, where=np.array([True, False, True])), "where"),
        (lambda x: np.sum(x, out=np.zeros(()), initial=1.0), "out"),
        (lambda x: np.add.at(np.zeros(3), [0, 1, 1], x), "np.add.at"),
        (np.power.reduce, "np.power.reduce"),
        (lambda x: np.nextafter.outer(x, x), "np.nextafter"),
    ],
)
def test_what_is_not_known_is_refused_by_name(call, name):
    x = constant(V)
    with GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(NotImplementedError, match=name):
            call(x)


def test_tensors_are_not_written_to():
    with pytest.raises(BadArgument, match="read-only"):
        np.add.at(constant(V), [0], 1.0)


def test_other_things_mean_themselves():
    assert method_meaning("text".join) is None
    assert method_meaning(np.add.at) is None
    assert keyword_meaning(np.sort, {"kind": "stable"}) is None
    assert keyword_meaning(np.add, {"out": None, "where": True}) is None
    assert keyword_meaning(np.add, {"where": np.ones(3, bool), "dtype": "float32"}) is None
