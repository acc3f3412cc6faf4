"""The short way of operators must do what the long way does, for every kind of operand."""

import operator

import numpy as np
import pytest

from srcad.errors import MissingRule
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.dispatch import apply
from srcad.runtime.tape.recording.retention import LARGE
from srcad.runtime.tape.values.conversions import constant
from srcad.runtime.tape.why_none import name_of

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow]
OTHERS = {
    "tensor": lambda: constant([2.0, 3.0]),
    "integers": lambda: constant([2, 3]),
    "single precision": lambda: constant([2.0, 3.0], "float32"),
    "matrix": lambda: constant([[2.0, 3.0], [1.0, 2.0]]),
    "variable": lambda: Variable([2.0, 3.0]),
    "untrainable variable": lambda: Variable([2.0, 3.0], trainable=False),
    "float": lambda: 2.5,
    "int": lambda: 3,
    "zero": lambda: 0.0,
    "no number": lambda: float("nan"),
    "integer that is no double": lambda: 2**53 + 1,
    "bool": lambda: True,
    "complex": lambda: 1 + 2j,
    "numpy scalar": lambda: np.float64(2.5),
    "array": lambda: np.array([2.0, 3.0]),
    "list": lambda: [2.0, 3.0],
}


def gradients(function, x, other):
    with GradientTape() as tape:
        tape.watch(x)
        if isinstance(other, Tensor) and other.dtype.kind == "f":
            tape.watch(other)
        y = function(x, other)
    sources = [x, other] if isinstance(other, (Tensor, Variable)) else [x]
    return y, tape.gradient(y, sources)


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS.keys())
@pytest.mark.parametrize("reflected", [False, True])
@pytest.mark.parametrize("primitive", OPERATORS)
def test_operators_are_the_primitive(primitive, reflected, other):
    for x in (constant([1.5, 0.5]), constant(0.75), Variable([1.5, 0.5])):
        second = other()
        pairs = (lambda a, b: (b, a)) if reflected else (lambda a, b: (a, b))
        with np.errstate(all="ignore"):
            short, found = gradients(lambda a, b: primitive(*pairs(a, b)), x, second)  # noqa: B023 - called at once
            long, expected = gradients(lambda a, b: apply(primitive, pairs(a, b)), x, second)  # noqa: B023
        assert (type(short), short.dtype, short.shape) == (Tensor, long.dtype, long.shape)
        np.testing.assert_array_equal(short, long)
        for each, wanted in zip(found, expected, strict=True):
            assert (each is None) == (wanted is None)
            if each is not None:
                np.testing.assert_array_equal(each, wanted)


def test_what_is_not_followed_is_not_recorded():
    x = constant(1.5)
    with GradientTape() as tape:
        tape.watch(constant(2.0))
        x * 2.0, 2.0 * x, x * x, np.sin(x)
        assert active.tapes[0].nodes == []
    assert tape.trace.nbytes == 0


def test_every_tape_that_follows_an_operand_records():
    x, y = constant(1.5), constant(2.0)
    with GradientTape() as outer, GradientTape() as inner:
        outer.watch(x)
        inner.watch(y)
        z = np.sin(x) * 2.0 + 1.0 / y
    assert float(outer.gradient(z, x)) == pytest.approx(2.0 * np.cos(1.5))
    assert float(inner.gradient(z, y)) == -0.25


def test_large_sums_hold_nothing_and_products_both_operands():
    x = constant(np.ones(LARGE))
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        total = x + 1.0
        assert tape.trace.nbytes == 0
        2.0 - total
        assert tape.trace.nbytes == 0
        x * total
        assert tape.trace.nbytes == 2 * x.numpy().nbytes
    assert tape.gradient(total, x).tolist() == [1.0] * LARGE


def test_what_comes_after_a_cut_is_explained():
    x = constant(2.5)
    with GradientTape() as tape:
        tape.watch(x)
        cut = np.floor(x)
        y = 1.0 - np.exp(cut) * 2.0
    assert tape.gradient(y, x) is None
    assert "np.floor cuts the gradient" in tape.explain(y, x)


def test_functions_of_one_tensor_with_keywords_or_another_method_go_the_long_way():
    x = constant([0.5, 1.0])
    with GradientTape() as tape:
        tape.watch(x)
        np.exp(x)  # the first of its kind goes the long way
        y = np.exp(x) + np.add.reduce(x)
        with pytest.raises(MissingRule, match="where"):
            np.exp(x, where=np.array([True, False]))
        names = [name_of(node) for node in active.tapes[0].nodes]
    assert (names.count("np.exp"), names.count("np.sum")) == (2, 1)
    np.testing.assert_allclose(tape.gradient(y, x), np.exp([0.5, 1.0]) + 2.0)


def test_a_complex_number_and_a_real_tensor_make_a_tensor():
    x = constant(0.75)
    with GradientTape() as tape:
        tape.watch(x)
        y = (1 + 2j) * x
    assert type(y) is Tensor
    assert float(tape.gradient(y, x)) == 1.0


JOINS = {
    "stack": np.stack,
    "stack along the last axis": lambda parts: np.stack(parts, axis=-1),
    "stack, a tuple": lambda parts: np.stack(tuple(parts), axis=1),
    "concatenation": np.concatenate,
    "concatenation by position": lambda parts: np.concatenate(parts, 1),
    "concatenation of rows": lambda parts: np.concatenate(parts, axis=1),
    "concatenation of everything": lambda parts: np.concatenate(parts, axis=None),
    "concatenation with an array": lambda parts: np.concatenate([*parts, np.ones((2, 2))]),
    "concatenation with a variable": lambda parts: np.concatenate([*parts, Variable(np.ones((2, 2)))], axis=1),
}


@pytest.mark.parametrize("join", JOINS.values(), ids=JOINS.keys())
def test_joins_are_differentiated_by_every_operand(join):
    def total(parts):
        joined = join([parts[0], parts[1], parts[0], parts[2]])
        return np.sum(np.sin(joined) * np.arange(1.0, joined.size + 1).reshape(joined.shape))

    values = [np.arange(4.0).reshape(2, 2) + shift for shift in (0.5, 1.5, 2.5)]
    x, y, z = map(constant, values)
    with GradientTape() as tape:
        tape.watch([x, z])
        loss = total([x, y, z])
    assert float(loss) == pytest.approx(float(total(values)))
    found = tape.gradient(loss, [x, y, z])
    assert found[1] is None
    for place in (0, 2):
        for index in np.ndindex(2, 2):
            moved = [[each.copy() for each in values] for _ in range(2)]
            moved[0][place][index] += 1e-6
            moved[1][place][index] -= 1e-6
            slope = (float(total(moved[0])) - float(total(moved[1]))) / 2e-6
            assert float(found[place][index]) == pytest.approx(slope, abs=1e-7)


def test_a_keyword_without_a_rule_is_refused():
    x = constant([1.0, 2.0])
    with GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(MissingRule, match="end_values"):
            np.pad(x, 1, mode="linear_ramp", end_values=1.0)


def test_joins_of_integers_are_not_followed():
    x = constant([1.0, 2.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = np.stack([constant([1, 2]), constant([3, 4])]) * x
    assert tape.gradient(y, x).tolist() == [4.0, 6.0]


@pytest.mark.parametrize("number", [2.0, 2, 0.0, -0.0, 0, float("inf"), 2**53 + 1, 2**60 - 1])
def test_numbers_that_arrays_stand_for_give_the_bits_of_numpy(number):
    array = np.array([1.5, -0.0, 0.0, -2.0])
    for operation in (
        lambda x: x * number,
        lambda x: number * x,
        lambda x: x / number,
        lambda x: number / x,
        lambda x: x - number,
        lambda x: x**number,
    ):
        with np.errstate(all="ignore"):
            for _ in range(2):  # the second time from memory, perhaps of a number that is equal
                assert operation(constant(array)).numpy().tobytes() == operation(array).tobytes()
                operation(constant(array * 1.5))
