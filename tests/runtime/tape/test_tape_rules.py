"""Every entry of the rule tables that works on tensors, under one tape and under two, against finite differences."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from scipy.special import elliprd

from srcad.errors import MissingRule
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.support.nested_structures import flatten, map_leaves, pack_as
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant
from tests.runtime.rules.test_rules import direction, inner, moved, smooth_places
from tests.runtime.samples import ANY, CUBE, DEFINED, MATRIX, POSITIVE, SAMPLES, SQUARE, Sample
from tests.runtime.scipy_samples import ONCE

# NumPy does not ask tensors about these: they make plain arrays of whatever they get, or refuse.
BLIND = (
    np.array, np.asarray, np.ascontiguousarray, np.asfortranarray, np.float64, np.float32, np.full, np.full_like,
    np.arange, np.kaiser, np.fromfunction, np.block,  # the latter takes lists only, which become tuples here
)  # fmt: skip


def sees_tensors(primitive: Any) -> bool:
    module = getattr(primitive, "__module__", None) or "numpy"
    is_operator = module == operator.add.__module__ or primitive is operator.abs
    return primitive not in BLIND and (is_operator or module.startswith("numpy")) and "polynomial" not in module


CASES = [
    pytest.param(primitive, sample, id=f"{primitive_name(primitive)}-{number}")
    for primitive, samples in {**SAMPLES, **DEFINED}.items()
    if sees_tensors(primitive)
    for number, sample in enumerate(samples)
    if primitive is not elliprd  # no derivative is known
]
# More calls of functions that the tape has rules of its own for.
XP = np.array([0.0, 0.4, 1.1, 2.5])
DIRECT = [
    (np.interp, Sample((np.array([-1.0, 0.3, 0.7, 9.0]), XP, POSITIVE, 0.3, 0.7))),
    (np.interp, Sample((0.9, [0.0, 1.0], (3.0, 5.0)))),
    (np.interp, Sample((SQUARE[:2], XP, ANY), {"right": 0.7})),
    (np.quantile, Sample((ANY[:1], 0.3))),
    (np.percentile, Sample((CUBE, np.array([[12.0, 77.0]])))),
    (np.average, Sample((CUBE, (2, 0), POSITIVE.reshape(4, 1) * [1.0, 3.0]))),
    (np.average, Sample((CUBE, -1, POSITIVE))),
    (np.average, Sample((MATRIX, 0, MATRIX + 3.0))),
    (np.trapezoid, Sample((CUBE, CUBE * 2.0))),
    (np.trapezoid, Sample((ANY, None, 0.3))),
    (np.trapezoid, Sample((ANY[:1], POSITIVE[:1]))),
    (np.vecdot, Sample((CUBE, MATRIX[0]))),
    (np.vecdot, Sample((CUBE[..., 0], POSITIVE[:2]), {"axis": 0})),
    (np.matvec, Sample((CUBE, MATRIX[:2]))),
    (np.vecmat, Sample((MATRIX[:2, :3], CUBE))),
    (np.compress, Sample(([False, True], CUBE, 0))),
    (np.delete, Sample((MATRIX, slice(1, 9, 3)))),
    (np.logaddexp.reduce, Sample((CUBE,), {"axis": (0, 2)})),
    (np.gradient, Sample((ANY[:2], XP[:2]))),
    (np.gradient, Sample((ANY[:2], 0.3))),
    (np.gradient, Sample((ANY[:3], XP[:3]), {"edge_order": 2})),
    (np.gradient, Sample((CUBE, XP[:3]), {"axis": 1})),
    (np.polyfit, Sample((XP, MATRIX.T, 2))),
    (np.cov, Sample((MATRIX, ANY))),
    (np.cov, Sample((MATRIX, MATRIX.T.reshape(3, 4)), {"bias": True})),
    (np.corrcoef, Sample((MATRIX, ANY))),
    (np.corrcoef, Sample((MATRIX.T, CUBE[0].T), {"rowvar": False})),
    (np.linalg.vector_norm, Sample((CUBE,), {"axis": (0, 2)})),
    *((np.linalg.vector_norm, Sample((CUBE,), {"axis": (2, 0), "ord": order})) for order in (1, -np.inf, 2.5)),
    *((np.linalg.vector_norm, Sample((MATRIX,), {"keepdims": True, "ord": order})) for order in (0, 1, np.inf)),
    (np.linalg.lstsq, Sample((MATRIX.T, MATRIX.T[:, :2]))),
    (np.linalg.lstsq, Sample((SQUARE, SQUARE))),
    (np.correlate, Sample((ANY, POSITIVE[:3]), {"mode": "same"})),
    (np.correlate, Sample((ANY, POSITIVE[:3], "full"))),
    (np.geomspace, Sample((-0.3, -7.0, 5), {"endpoint": False})),
    (np.logspace, Sample((0.3, 1.7, 5, True, 2.0))),
    (np.linalg.trace, Sample((CUBE[:, :2],), {"offset": -1})),
]
CASES += [pytest.param(*each, id=f"{primitive_name(each[0])}-direct-{number}") for number, each in enumerate(DIRECT)]
STEP = 1e-5


class Case:
    """A scalar function of the smooth arguments: the results, each weighted at random."""

    def __init__(self, primitive: Any, sample: Sample) -> None:
        self.primitive, self.sample = primitive, sample
        self.places = smooth_places(sample)
        if primitive is np.quantile and np.any(np.isin(sample.args[1], (0.0, 1.0))):  # the ends of what it may be
            self.places = self.places[:1]
        random = np.random.default_rng(7)
        self.point = [sample.args[place] for place in self.places]
        self.one, self.other = ([direction(each, random) for each in self.point] for _ in range(2))

    def call(self, inputs: list[Any]) -> Any:
        arguments = list(self.sample.args)
        for place, each in zip(self.places, inputs, strict=True):
            arguments[place] = each
        results = [each for each in flatten(self.primitive(*arguments, **self.sample.kwargs)) if is_float(each)]
        random = np.random.default_rng(11)
        return sum(np.sum(np.sin(each) * random.normal(size=np.shape(each))) for each in results)

    def slope(self, point: list[Any]) -> float:
        """The derivative in one direction, by a tape."""
        inputs = [map_leaves(constant, each) for each in point]
        with GradientTape() as tape:
            tape.watch(inputs)
            value = self.call(inputs)
        return inner(filled(tape.gradient(value, inputs), inputs), self.one)

    def bend(self, point: list[Any]) -> float:
        """The derivative of that in the other direction, by a tape around a tape."""
        inputs = [map_leaves(constant, each) for each in point]
        with GradientTape() as outer:
            outer.watch(inputs)
            with GradientTape() as inside:
                inside.watch(inputs)
                value = self.call(inputs)
            gradients = inside.gradient(value, inputs, unconnected_gradients="zero")
            pairs = zip(flatten(gradients), flatten(self.one), strict=True)
            total = sum(np.sum(gradient * each) for gradient, each in pairs)
        return inner(filled(outer.gradient(total, inputs), inputs), self.other)


def is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype.kind == "f"


def filled(gradients: Any, inputs: Any) -> Any:
    pairs = zip(flatten(gradients), flatten(inputs), strict=True)
    return pack_as(inputs, [np.zeros(like.shape) if each is None else each.numpy() for each, like in pairs])


def difference(function: Any, point: list[Any], along: list[Any]) -> float:
    ahead, behind = (
        function([moved(each, way, step) for each, way in zip(point, along, strict=True)]) for step in (STEP, -STEP)
    )
    return (float(ahead) - float(behind)) / (2 * STEP)


@pytest.mark.parametrize(("primitive", "sample"), CASES)
def test_gradients_under_one_tape(primitive, sample):
    case = Case(primitive, sample)

    def value(point):
        return case.call([map_leaves(constant, each) for each in point])

    expected = difference(value, case.point, case.one)
    assert case.slope(case.point) == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(("primitive", "sample"), CASES)
def test_gradients_of_gradients_under_two_tapes(primitive, sample):
    case = Case(primitive, sample)
    try:
        found = case.bend(case.point)
    except MissingRule:
        if primitive in ONCE:
            with pytest.raises(MissingRule, match="has no derivative rule by its argument"):
                case.bend(case.point)  # by some of the arguments, which are those of this sample
            return
        raise
    assert found == pytest.approx(difference(case.slope, case.point, case.other), rel=1e-5, abs=1e-6)


def test_blocks_under_a_tape():
    x = constant([1.0, 2.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.block([[x, 2.0 * x], [x * x, np.ones(2)]]) ** 2)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [2.0 + 8.0 + 4.0, 4.0 + 16.0 + 32.0])


def test_tensors_in_keywords_of_rules_for_certain_ranks():
    base = constant(2.5)
    with GradientTape() as tape:
        tape.watch(base)
        y = np.logspace(0.0, 2.0, 3, base=base)
    assert float(tape.gradient(y, base)) == pytest.approx(1.0 + 2.0 * 2.5)


@pytest.mark.parametrize("function", [np.add.outer, np.subtract.outer, np.multiply.outer, np.linalg.outer])
@pytest.mark.parametrize("place", [0, 1])
def test_outer_functions_of_nothing(function, place):
    x = constant(np.zeros(0))
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x, ANY) if place == 0 else function(ANY, x)
    assert tape.gradient(y, x).shape == (0,)


def test_blocks_of_matrices_under_a_tape():
    x = constant([[1.0, 2.0]])
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.block([[x, np.ones((1, 1))], [3.0 * x, x[:, :1]]])
        z = np.block([[x], [2.0, x[0, 1]]])
    np.testing.assert_array_equal(y.numpy(), [[1.0, 2.0, 1.0], [3.0, 6.0, 1.0]])
    np.testing.assert_array_equal(z.numpy(), [[1.0, 2.0], [2.0, 2.0]])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [[5.0, 4.0]])
    np.testing.assert_array_equal(tape.gradient(z, x).numpy(), [[1.0, 2.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_single_precision_stays(dtype):
    """Gradients have their sources' dtypes throughout, and results NumPy's, but for what NumPy does not take."""
    for primitive, samples in {**SAMPLES, **DEFINED}.items():
        if not sees_tensors(primitive) or primitive in (np.histogram, np.astype):  # counts are floats here
            continue
        sample = samples[0]
        args = [as_dtype(each, dtype) if k in smooth_places(sample) else each for k, each in enumerate(sample.args)]
        try:
            expected = flatten(primitive(*args, **sample.kwargs))
        except (TypeError, ValueError, NotImplementedError):
            continue
        for k in smooth_places(sample):
            args[k] = map_leaves(constant, args[k])
        inputs = flatten([args[k] for k in smooth_places(sample)])
        with GradientTape() as tape:
            tape.watch(inputs)
            try:
                found = flatten(primitive(*args, **sample.kwargs))
                gradients = tape.gradient([each for each in found if is_inexact(each)], inputs)
            except MissingRule:  # of complex numbers
                assert dtype is np.complex64
                continue
        assert all(a.dtype == b.dtype for a, b in zip(found, expected, strict=True) if is_inexact(a)), primitive
        assert all(each is None or each.dtype == dtype for each in gradients), primitive


def as_dtype(argument: Any, dtype: Any) -> Any:
    return map_leaves(lambda each: np.asarray(each).astype(dtype)[()], argument)


def is_inexact(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype.kind in "fc"


OF_INTEGERS = {
    "arctan2": lambda x, c: np.sum(np.arctan2(x, c) + 2.0 * np.arctan2(c, x)),
    "interp, values": lambda x, c: np.sum(np.interp(x, np.array([0.0, 1.0, 2.0]), c)),
    "interp, points": lambda x, c: np.sum(np.interp(100.0 * x, np.sort(c), np.array([0.0, 1.0, 5.0]))),
    "power": lambda x, c: np.sum(c**x),
    "float_power": lambda x, c: np.sum(np.float_power(c, x)),
}


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint64, np.int32])
@pytest.mark.parametrize("name", OF_INTEGERS)
def test_short_integers_beside_what_is_differentiated(name, dtype):
    f = OF_INTEGERS[name]
    data = np.array([100, 20, 127], dtype) if dtype != np.int32 else np.array([100_000, 20, 70_000], dtype)
    x = np.array([0.9, 0.3, 0.7])
    slopes = []
    for c in (data, data.astype(np.float64)):
        u = constant(x)
        with GradientTape() as tape:
            tape.watch(u)
            y = f(u, c)
        slopes.append(tape.gradient(y, u).numpy())
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-12)


def test_calls_are_checked_again_for_arrays_of_another_kind():
    # NumPy's own differences of such places begin again from the greatest number.
    x = constant(np.array([0.9, 0.3, 1.4]))
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.gradient(x, np.array([3.0, 2.0, 0.0])) ** 2)
    expected = tape.gradient(y, x).numpy()
    places = np.array([3, 2, 0], np.uint8)
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.gradient(x, places) ** 2)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected)
