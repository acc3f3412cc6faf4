"""Every entry of the rule tables: reverse against differences and tangent, twice, broadcast, empty, float32."""

from __future__ import annotations

import builtins
import functools
import itertools
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gast
import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule
from srcad.runtime import kernels
from srcad.runtime.kernels.arrays import rearrangements
from srcad.runtime.kernels.tape_rules import (
    composed_functions,
    list_functions,
    matrix_functions,
)
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.registry import Rule, definition, find, variants
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.tape.core.node import fitted
from srcad.runtime.tape.core.tensor import tensor_of
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.stacked_linalg import holds_stack
from srcad.runtime.tape.reverse import pullbacks
from srcad.runtime.tape.reverse.eager_rules import pushforward
from srcad.runtime.tape.values.conversions import constant
from tests.differences import flat
from tests.runtime.further_samples import GIVEN, ONLY_VALUES
from tests.runtime.samples import BINARY, COMPLEX, DEFINED, DISCRETE, RANDOM, REVERSE_ONLY, SAMPLES, UNARY, Sample

# What takes functions, and sparse matrices: `test_scipy_optimize` and its like have programs for them. Of what takes a
# matrix with its factors, the programs are in `test_lu_factors`.
TESTED_BY_PROGRAMS = (
    *("scipy.optimize.", "scipy.sparse.", "scipy.integrate.quad", "scipy.integrate.solve_ivp"),
    *("scipy.integrate.odeint", "scipy.integrate.fixed_quad", "scipy.integrate.quad_vec"),
    *("kernels.scipy.without_derivative", "scipy.stats.gaussian_kde", "scipy.interpolate."),
    *("scipy.integrate.dblquad", "scipy.integrate.tplquad", "scipy.integrate.nquad"),
    "kernels.scipy.elements_at",
    "srcad.runtime.kernels.linear_algebra.lu_factors.",
)


def covered(primitive: Any, sample: Sample) -> bool:
    """Whether a rule takes the arguments of a sample."""
    rule = find(primitive, [None if isinstance(each, (tuple, list)) else np.ndim(each) for each in sample.args], ())
    at_the_end = primitive is np.quantile and np.ndim(sample.args[1]) == 0 and sample.args[1] in (0.0, 1.0)
    if rule is None or rule.tangent is None or at_the_end or not covered_on_tapes(primitive, sample):
        return False
    try:
        rule.bind(sample.args, sample.kwargs)
    except MissingRule:
        return False
    return True


def covered_on_tapes(primitive: Any, sample: Sample) -> bool:
    """Whether a tape's own rule takes a call: not stacks, which it takes apart."""
    return not holds_stack(primitive, sample.args)


CASES = [
    pytest.param(primitive, sample, id=f"{primitive_name(primitive)}-{number}")
    for primitive, samples in SAMPLES.items()
    for number, sample in enumerate(samples)
]
# Functions that are defined by others may have rules as well, for tapes.
TANGENTS = [
    pytest.param(primitive, sample, id=f"{primitive_name(primitive)}-{number}")
    for primitive, samples in DEFINED.items()
    for number, sample in enumerate(samples)
    if covered(primitive, sample)
]
STEP = 1e-6


def is_smooth(argument: Any) -> bool:
    if isinstance(argument, (tuple, list)):
        return bool(argument) and all(is_smooth(each) for each in argument)
    return isinstance(argument, (float, np.floating)) or (
        isinstance(argument, np.ndarray) and argument.dtype.kind in "fc"
    )


def smooth_places(sample: Sample) -> list[int]:
    return [k for k, each in enumerate(sample.args) if is_smooth(each) and k not in sample.fixed]


def direction(argument: Any, random: np.random.Generator) -> Any:
    if isinstance(argument, (tuple, list)):
        return tuple(direction(each, random) for each in argument)
    drawn = random.normal(size=np.shape(argument))
    return drawn if isinstance(argument, np.ndarray) else float(drawn)


def moved(argument: Any, towards: Any, step: float) -> Any:
    if towards is None:
        return argument
    if isinstance(argument, (tuple, list)):
        return tuple(moved(each, other, step) for each, other in zip(argument, towards, strict=True))
    return argument + step * towards


def inner(one: Any, other: Any) -> float:
    if one is None or other is None:
        return 0.0
    if isinstance(one, (tuple, list)):
        return sum(inner(a, b) for a, b in zip(one, other, strict=True))
    return float(np.sum(np.asarray(one) * other))


def directions(primitive: Any, sample: Sample, seed: int = 7) -> list[Any]:
    random = np.random.default_rng(seed)
    places = smooth_places(sample)
    found = [direction(each, random) if k in places else None for k, each in enumerate(sample.args)]
    if primitive in (kernels.eigenvectors, kernels.upper_eigenvectors):  # of symmetric matrices
        found = [found[0] + found[0].T]
    return found


def pullback(primitive: Any, result: Any, args: Any, kwargs: Any, wanted: Any) -> Any:
    """The function from a cotangent of the result to those of the wanted arguments, in their shapes and dtypes."""
    # What is differentiated by is no number that is written in the source.
    given = [np.float64(each) if k in wanted and type(each) in (int, float) else each for k, each in enumerate(args)]
    pull = pullbacks.pullback(primitive, result, given, kwargs, tuple(wanted))
    with_errors_ignored = np.errstate(all="ignore")(pull)
    return lambda bar: [like_argument(each, args[k]) for each, k in zip(with_errors_ignored(bar), wanted, strict=True)]


def like_argument(bar: Any, argument: Any) -> Any:
    if isinstance(argument, (tuple, list)):
        return None if bar is None else tuple(like_argument(*each) for each in zip(bar, argument, strict=True))
    value = np.asarray(argument)[()]
    return None if bar is None or value.dtype.kind not in "fc" else fitted(bar, tensor_of(value))


def weights_for(result: Any, seed: int = 11) -> Any:
    return direction(tuple(result) if isinstance(result, tuple) else result, np.random.default_rng(seed))


@pytest.mark.parametrize(("primitive", "sample"), CASES)
def test_reverse_agrees_with_differences_and_with_the_tangent(primitive, sample):
    result = primitive(*sample.args, **sample.kwargs)
    places, towards = smooth_places(sample), directions(primitive, sample)
    bar = weights_for(result)
    pull = pullback(primitive, result, sample.args, sample.kwargs, places)
    bars = pull(bar)
    slope = sum(inner(each, towards[k]) for each, k in zip(bars, places, strict=True))
    there = primitive(*[moved(x, t, STEP) for x, t in zip(sample.args, towards, strict=True)], **sample.kwargs)
    back = primitive(*[moved(x, t, -STEP) for x, t in zip(sample.args, towards, strict=True)], **sample.kwargs)
    expected = (inner(bar, there) - inner(bar, back)) / (2.0 * STEP)
    if primitive is not np.float32:
        assert slope == pytest.approx(expected, rel=1e-5, abs=1e-7)
    if primitive not in REVERSE_ONLY:
        tangent = pushforward(primitive, result, sample.args, sample.kwargs, towards)
        assert inner(bar, tangent) == pytest.approx(slope, rel=1e-9, abs=1e-11)
    for again, first, k in zip(pull(bar), bars, places, strict=True):
        np.testing.assert_equal(again, first)
        if first is not None and not isinstance(first, tuple):
            assert np.shape(first) == np.shape(sample.args[k])


@pytest.mark.parametrize(("primitive", "sample"), TANGENTS)
def test_tangents_of_functions_that_are_defined_by_others_are_differences(primitive, sample):
    towards = directions(primitive, sample)
    found = pushforward(primitive, primitive(*sample.args, **sample.kwargs), sample.args, sample.kwargs, towards)
    there, back = (
        primitive(*[moved(x, t, step) for x, t in zip(sample.args, towards, strict=True)], **sample.kwargs)
        for step in (STEP, -STEP)
    )
    np.testing.assert_allclose(flat(found), (flat(there) - flat(back)) / (2.0 * STEP), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("primitive", "sample"), CASES)
def test_what_a_rule_gives_has_the_shape_of_the_argument(primitive, sample):
    """In generated code nothing fits it, except that operands of elementwise functions may broadcast."""
    rules = variants(primitive)
    if any(rule.elementwise for rule in rules):
        return
    result, places = primitive(*sample.args, **sample.kwargs), smooth_places(sample)
    with np.errstate(all="ignore"):
        pull = pullbacks.pullback(primitive, result, sample.args, sample.kwargs, tuple(places))
        bars = pull(weights_for(result))
    for bar, k in zip(bars, places, strict=True):
        if bar is not None and not isinstance(bar, tuple):
            assert np.shape(bar) == np.shape(sample.args[k])


@pytest.mark.parametrize("primitive", BINARY, ids=primitive_name)
@pytest.mark.parametrize("shapes", [((3, 4), (4,)), ((3, 1), (1, 4)), ((0, 4), (4,)), ((2,), ()), ((), (3,))], ids=str)
def test_broadcast_operands_get_adjoints_of_their_own_shape(primitive, shapes):
    args = tuple(
        np.resize(each, shape) if shape else float(each[0])
        for each, shape in zip(BINARY[primitive], shapes, strict=True)
    )
    test_reverse_agrees_with_differences_and_with_the_tangent(primitive, Sample(args))


@pytest.mark.parametrize("primitive", [*UNARY, *BINARY], ids=primitive_name)
def test_single_precision_stays_and_empty_arrays_are_fine(primitive):
    xs = (UNARY[primitive],) if primitive in UNARY else BINARY[primitive]
    for args in ([x.astype(np.float32) for x in xs], [x[:0] for x in xs]):
        if primitive is np.float64 and args[0].dtype == np.float32:
            continue
        result = primitive(*args)
        for bar, x in zip(
            pullback(primitive, result, args, {}, range(len(args)))(np.ones_like(result)), args, strict=True
        ):
            assert bar is None or (bar.dtype == x.dtype and bar.shape == x.shape)


@pytest.mark.filterwarnings("ignore:The behavior of affine_transform with a 1-D array")  # by SciPy before 1.17
@pytest.mark.parametrize(
    ("primitive", "sample"),
    [
        pytest.param(p, s, id=f"{primitive_name(p)}-{len(samples)}-{n}")
        for p, samples in [*DEFINED.items(), *ONLY_VALUES.items()]
        for n, s in enumerate(samples)
    ],
)
def test_definitions_mean_what_they_define(primitive, sample):
    found = definition(primitive)(*sample.args, **sample.kwargs)
    expected = primitive(*sample.args, **sample.kwargs)
    several = isinstance(expected, (tuple, list))
    for one, other in zip(found, expected, strict=True) if several else [(found, expected)]:
        np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize(
    ("primitive", "sample"),
    [pytest.param(p, s, id=f"{primitive_name(p)}-{n}") for p, samples in GIVEN.items() for n, s in enumerate(samples)],
)
def test_definitions_of_calls_with_further_arguments_mean_these_calls(primitive, sample):
    meaning = registry.meaning_of_call(primitive, len(sample.args), list(sample.kwargs))
    found, expected = meaning(*sample.args, **sample.kwargs), primitive(*sample.args, **sample.kwargs)
    several = isinstance(expected, (tuple, list))
    for one, other in zip(found, expected, strict=True) if several else [(found, expected)]:
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_all_definitions_of_certain_calls_have_sample_points():
    assert {each for each in registry.primitives() if registry.is_restricted(each)} <= GIVEN.keys()


def test_every_entry_has_sample_points():
    tested = {*SAMPLES, *DEFINED, *DISCRETE, *COMPLEX, *RANDOM}
    helpers = [
        each
        for each in registry.primitives()
        if each not in tested and not primitive_name(each).startswith(TESTED_BY_PROGRAMS)
    ]
    assert [primitive_name(each) for each in helpers] == []


def test_discrete_entries_have_rules_that_say_zero():
    assert [primitive_name(each) for each in DISCRETE if find(each) is None or find(each).kind != "zero"] == []


@pytest.mark.parametrize("primitive", [np.max, np.min])
def test_equals_share_the_gradient_of_a_reduction(primitive):
    x = np.array([[2.0, 2.0], [2.0, 5.0]])
    (bar,) = pullback(primitive, primitive(x, 0), (x, 0), {}, (0,))(np.ones(2))
    np.testing.assert_array_equal(bar[:, 0], [0.5, 0.5])


@pytest.mark.parametrize("primitive", [np.maximum, np.minimum, np.fmax, np.fmin, max, min], ids=primitive_name)
def test_the_first_of_equals_gets_the_gradient_of_a_comparison(primitive):
    assert pullback(primitive, 2.0, (2.0, 2.0), {}, (0, 1))(1.0) == [1.0, 0.0]


@pytest.mark.parametrize(
    ("primitive", "a", "b", "expected"),
    [
        (np.fmax, 2.0, np.nan, [1.0, 0.0]),
        (np.fmin, 2.0, np.nan, [1.0, 0.0]),
        (np.fmax, np.nan, 2.0, [0.0, 1.0]),
        (np.fmin, np.nan, 2.0, [0.0, 1.0]),
        (max, 2.0, np.nan, [1.0, 0.0]),  # Python keeps the first where a comparison with the second does not hold
        (min, 2.0, np.nan, [1.0, 0.0]),
    ],
)
def test_the_operand_that_is_taken_beside_a_nan_has_the_gradient(primitive, a, b, expected):
    assert primitive(a, b) == 2.0
    assert pullback(primitive, 2.0, (a, b), {}, (0, 1))(1.0) == expected


@pytest.mark.parametrize(
    ("primitive", "args", "expected"),
    [
        (abs, (0.0,), [0.0]),
        (np.linalg.norm, (np.zeros(2),), [np.zeros(2)]),
        (np.hypot, (0.0, 0.0), [0.0, 0.0]),
        (np.sqrt, (np.float64(0.0),), [np.inf]),
        (pow, (np.float64(0.0), np.float64(1.0)), [1.0, 0.0]),
        (pow, (np.float64(0.0), np.float64(0.0)), [0.0, 0.0]),
        (pow, (np.float64(0.0), np.float64(2.0)), [0.0, 0.0]),
        (np.clip, (1.0, 0.0, 1.0), [1.0, 0.0, 0.0]),
        (np.linalg.det, (np.array([[1.0, 2.0], [2.0, 4.0]]),), [np.array([[4.0, -2.0], [-2.0, 1.0]])]),
    ],
    ids=lambda each: primitive_name(each) if callable(each) else None,
)
def test_conventions_at_kinks(primitive, args, expected):
    result = primitive(*args)
    for bar, value in zip(pullback(primitive, result, args, {}, range(len(args)))(1.0), expected, strict=True):
        np.testing.assert_allclose(bar, value, atol=1e-12)


def test_integer_exponent_of_a_negative_base():
    x = np.array([-2.0, 3.0])
    for exponent in (3, 3.0, np.array([3, 3])):
        (bar,) = pullback(np.power, np.power(x, exponent), (x, exponent), {}, (0,))(np.ones(2))
        np.testing.assert_allclose(bar, 3.0 * x * x)


@pytest.mark.parametrize("keyword", [{"out": np.zeros(2)}, {"where": np.array([True, False])}, {"dtype": np.float32}])
def test_arguments_that_a_rule_does_not_cover_are_refused(keyword):
    x = np.array([1.0, 2.0])
    with pytest.raises(MissingRule, match=f"does not cover the argument '{next(iter(keyword))}'"):
        pullback(np.sin, np.sin(x), (x,), keyword, (0,))


HOLOMORPHIC = [np.exp, np.log, np.sin, np.cos, np.tan, np.tanh, np.sqrt, np.square, np.reciprocal, np.arctan, np.sinh]


NOT_HOLOMORPHIC = [np.conjugate, np.real, kernels.modulus, kernels.squared_modulus, kernels.direction]
NOT_HOLOMORPHIC += [kernels.imaginary, kernels.argument]


@pytest.mark.parametrize("primitive", [*HOLOMORPHIC, np.negative, *NOT_HOLOMORPHIC], ids=primitive_name)
def test_complex_gradient_points_uphill(primitive):
    z = np.array([0.4 + 0.3j, 0.7 - 0.2j])
    weights = np.array([1.0 + 0.5j, -0.3 + 0.2j])
    result = primitive(z)
    bar = weights if np.iscomplexobj(result) else weights.real
    (gradient,) = pullback(primitive, result, (z,), {}, (0,))(bar)

    def value(point: Any) -> float:  # a real function whose adjoint at the result is `bar`
        return float(np.sum(np.real(np.conj(bar) * primitive(point))))

    for step in (1e-6, 1e-6j):
        for k in range(2):
            shift = np.zeros(2, complex)
            shift[k] = step
            slope = (value(z + shift) - value(z - shift)) / 2e-6
            assert slope == pytest.approx(gradient[k].real if step.real else gradient[k].imag, rel=1e-6)


@pytest.mark.parametrize("primitive", [*HOLOMORPHIC, np.negative, *NOT_HOLOMORPHIC], ids=primitive_name)
def test_complex_tangent_is_the_difference(primitive):
    z, towards = np.array([0.4 + 0.3j, 0.7 - 0.2j]), np.array([0.5 - 1.0j, -0.3 + 0.7j])
    found = pushforward(primitive, primitive(z), (z,), {}, (towards,))
    expected = (primitive(z + 1e-6 * towards) - primitive(z - 1e-6 * towards)) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("shape", [(3,), (3, 1)])
def test_vdot_of_complex_arrays(shape):
    rng = np.random.default_rng(4)
    z, w = (rng.normal(size=shape) + 1j * rng.normal(size=shape) for _ in range(2))
    bar = 0.7 - 0.3j
    of_z, of_w = pullback(np.vdot, np.vdot(z, w), (z, w), {}, (0, 1))(bar)
    assert np.allclose(of_z, np.conj(bar) * w)
    assert np.allclose(of_w, bar * z)


def test_rules_that_do_not_cover_complex_numbers_say_so():
    z = np.array([1.0 + 1.0j])
    with pytest.raises(MissingRule, match="complex"):
        pullback(np.absolute, np.abs(z), (z,), {}, (0,))


def calls_of(rule: Rule) -> set[Any]:
    """Functions that a rule's tangent calls."""
    found = set()
    for template in (rule.partials, rule.tangent):
        for statement in template.body if template else ():
            for node in gast.walk(statement):
                if isinstance(node, gast.Call):
                    path = gast.unparse(node.func).strip().split(".")
                    value = {"kernels": kernels, **vars(builtins), **template.bindings}[path[0]]
                    for part in path[1:]:
                        value = getattr(value, part)
                    found.add(value)
    return found


# Higher derivatives of these wait for rules of their own.
AS_THEY_STAND = {
    each.__name__
    for each in (
        composed_functions,
        list_functions,
        matrix_functions,
        rearrangements,
    )
}
NOT_YET = {"others_adjoint", "cumprod_bend"}


def test_what_tangents_call_can_be_differentiated_again():
    # Those of these modules run on tensors as they stand.
    called = {each for primitive in registry.primitives() for rule in variants(primitive) for each in calls_of(rule)}
    asked = [each for each in called if getattr(each, "__module__", "") not in AS_THEY_STAND]
    missing = {each.__name__ for each in asked if not variants(each) and definition(each) is None}
    assert missing <= NOT_YET


def squared_sum(z: Any) -> Any:
    return np.sum(np.abs(z) ** 2)


OF_COMPLEX = {
    "var": np.var,
    "std of columns": lambda z: np.std(z, axis=0, ddof=1),
    "var with a real mean": lambda z: np.var(z, dtype=np.float64),
    "std of columns with real means": lambda z: np.std(z, axis=0, dtype=float, ddof=1),
    "nanvar": np.nanvar,
    "nanstd along an axis": lambda z: np.nanstd(z, axis=1),
    "cov": lambda z: squared_sum(np.cov(z) + 1j),
    "cov of two": lambda z: squared_sum(np.cov(z[0], z[1]) - 0.5j),
    "corrcoef": lambda z: squared_sum(np.corrcoef(z) + 1j),
    "polyfit": lambda z: squared_sum(np.polyfit(np.array([0.0, 1.0, 3.0]), z, 1) + 1j),
    "correlate": lambda z: squared_sum(np.correlate(z[0], np.array([1.0, 2j])) + np.correlate(z[1], z[2, :2])),
    "vector norms": lambda z: np.linalg.vector_norm(z, axis=1, ord=3),
    "norm of order 1": lambda z: np.linalg.norm(z[0], ord=1) + np.linalg.norm(z, np.inf, 0),
    "angle": lambda z: np.angle(z) * np.imag(z),
    "det": lambda z: np.abs(np.linalg.det(z) + 1.0),
    "sign": lambda z: np.abs(np.sign(z) + 0.5 * z),
    "norm": np.linalg.norm,
    "norm of rows": lambda z: np.linalg.norm(z, axis=1),
}


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.parametrize("name", OF_COMPLEX)
def test_gradients_of_complex_functions_are_differences(name):
    z = np.random.default_rng(3).normal(size=(3, 3)) + 1j * np.random.default_rng(4).normal(size=(3, 3))

    def value(point: Any) -> Any:
        return np.sum(np.sin(OF_COMPLEX[name](point)))

    x = constant(z)
    with GradientTape() as tape:
        tape.watch(x)
        y = value(x)
    assert float(y) == pytest.approx(value(z))
    found = tape.gradient(y, x).numpy()
    for step in (1e-6, 1e-6j):
        for k in np.ndindex(3, 3):
            shift = np.zeros((3, 3), complex)
            shift[k] = step
            slope = (value(z + shift) - value(z - shift)) / 2e-6
            assert slope == pytest.approx(found[k].real if step.real else found[k].imag, rel=1e-5, abs=1e-7)


# Ends of domains, poles, and values outside.
EDGES = (-20.0, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, 20.0)
ELEMENTWISE = [
    (primitive, sample)
    for primitive, samples in SAMPLES.items()
    for sample in samples[:1]
    if all(rule.elementwise for rule in variants(primitive)) and not sample.kwargs
]


def at_edges(primitive: Any, sample: Sample) -> Iterator[tuple[Any, ...]]:
    """Arguments of which those that are differentiated lie at edges, in all combinations."""
    places = smooth_places(sample)
    for chosen in itertools.product(EDGES, repeat=len(places)):
        args = list(sample.args)
        for place, value in zip(places, chosen, strict=True):
            args[place] = np.float64(value)
        yield tuple(np.ravel(each)[0] if isinstance(each, np.ndarray) else each for each in args)


@pytest.mark.parametrize(("primitive", "sample"), ELEMENTWISE, ids=[primitive_name(each) for each, _ in ELEMENTWISE])
def test_a_zero_derivative_gives_zero_whatever_the_slope_is(primitive, sample):
    places = smooth_places(sample)
    for args in at_edges(primitive, sample):
        if primitive is kernels.root and args[0] < 0.0:  # no sum of squares
            continue
        try:
            with np.errstate(all="ignore"):
                result = np.float64(primitive(*args))
        except (TypeError, ValueError, ArithmeticError):  # Python's functions of numbers; (-0.5) ** 0.5 is complex
            continue
        bars = pullback(primitive, result, args, {}, places)(0.0)
        assert all(bar is None or bar == 0.0 for bar in bars), args
        tangents = [np.float64(0.0) if k in places else None for k in range(len(args))]
        tangent = pushforward(primitive, result, args, {}, tangents)
        assert tangent is None or tangent == 0.0, args


def test_functions_of_numpy_python_and_programs_import_no_rules_of_other_libraries(monkeypatch):
    monkeypatch.setattr(registry, "_libraries", {"sys": "there_is_no_such_module"})
    for each in (np.sum, range, operator.add, functools.lru_cache, print_nothing):
        registry.definition(each)
        registry.restricted_definition(each, 1, ())
    with pytest.raises(ModuleNotFoundError):
        registry.definition(np.frompyfunc(print_nothing, 1, 1))  # as SciPy's may look


def test_no_function_of_a_library_is_taken_for_one_of_python_or_of_the_program():
    names = {name: module for name, module in vars(registry).items() if name.startswith("_") and type(module) is dict}
    tables = [names[each] for each in ("_rules", "_definitions", "_restricted", "_parts", "_effects")]
    of_libraries = [
        key
        for table in tables
        for key, value in table.items()
        if ".scipy" in getattr(value[1] if type(value) is tuple else value, "__module__", "")
    ]
    assert len(of_libraries) > 100
    assert [each for each in of_libraries if registry._is_pythons(each)] == []


def print_nothing():
    """A function of no library."""


@pytest.mark.parametrize("name", ["std", "std of some", "std in a dtype", "nanstd", "nanstd of some"])
@pytest.mark.parametrize("is_complex", [False, True])
def test_a_deviation_that_is_zero_has_the_slope_zero(name, is_complex):
    of_some = {"axis": 0, "where": np.array([[True, False], [False, True]])}
    options = {"std of some": of_some, "std in a dtype": {"dtype": float}, "nanstd of some": of_some}.get(
        name, {"axis": 1}
    )
    function = np.nanstd if name.startswith("nanstd") else np.std
    x = np.full((2, 2), 1.5 + 0.5j * is_complex if name != "std in a dtype" else 1.5)

    def total(x: Any) -> Any:
        return np.sum(function(x, **options))

    held = constant(x)
    with GradientTape() as tape:
        tape.watch(held)
        y = total(held)
    assert not tape.gradient(y, held).numpy().any()
    assert not srcad.grad(total, jit=False)(x).any()
    assert srcad.jvp(total, (x,), (x * np.arange(4.0).reshape(2, 2),), jit=False)[1] == 0.0


def test_products_of_vectors_of_two_components_along_an_axis_are_refused():
    """They are numbers: another axis was moved in place of the one that is missing."""

    def f(a, b):
        return np.sum(np.arange(4.0) * np.ravel(np.cross(a, b, axis=0)))

    a, b = np.arange(8.0).reshape(2, 2, 2), np.array([0.5, 2.0])
    with pytest.raises(NotImplementedError, match="write out the product of two"):
        srcad.value_and_grad(f, wrt=(0, 1), jit=False)(a, b)


def test_definitions_for_numpy_need_no_rules_of_scipys():
    """They are imported with SciPy's modules only, and a program of NumPy's imports none of these."""
    for file in (Path(srcad.__file__).parent / "runtime" / "rules").glob("*.py"):
        assert "kernels.scipy." not in file.read_text(), file.name
