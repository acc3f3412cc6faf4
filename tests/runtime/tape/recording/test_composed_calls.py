"""Functions that are defined by others: recorded as one, with NumPy's result, differentiated as what they mean."""

import inspect
from operator import getitem

import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule
from srcad.runtime.rulebook import registry
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.forward_accumulator import ForwardAccumulator
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording.call_plans import Plan
from srcad.runtime.tape.recording.composed_calls import ComposedCall, check_accepted
from srcad.runtime.tape.values.conversions import constant
from tests.checking import assert_gradient

V = np.array([0.3, -1.2, 0.8, 2.1])


def line(x):
    return np.polyfit(np.arange(len(x), dtype=x.dtype), x, 1)


def started(x):
    return np.cumulative_sum(x, include_initial=True)


def test_a_call_is_one_node_that_holds_its_arguments():
    x = constant(V)
    with GradientTape() as tape:
        tape.watch(x)
        for _ in range(2):  # the general way, and the function that is written then
            y = started(x)
    first, second = tape._recording.nodes
    assert type(first) is type(second) is ComposedCall
    assert first.arguments == (x,)
    np.testing.assert_array_equal(y.numpy(), started(V))
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [4.0, 3.0, 2.0, 1.0])
    assert not active.tapes


@pytest.mark.parametrize("function", [line, started, np.nanstd, np.linalg.cond, np.corrcoef, np.unwrap])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_and_gradients_have_numpys_dtypes(function, dtype):
    given = np.array([[3.0, 1.0], [0.5, 2.0]] if function in (np.linalg.cond, np.corrcoef) else V, dtype)
    x = constant(given)
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert y.dtype == function(given).dtype
    np.testing.assert_array_equal(y.numpy(), function(given))
    assert tape.gradient(y, x).dtype == dtype


def test_what_a_definition_does_not_cover_is_refused_when_it_is_recorded():
    x, stack = constant(np.ones((2, 2)) + np.eye(2)), constant(np.ones((2, 2, 2)))
    with GradientTape(persistent=True) as tape:
        tape.watch([x, stack])
        y = np.linalg.cond(x)
        with pytest.raises(NotImplementedError, match="several axes"):
            np.median(stack, axis=(0, 1))
        with pytest.raises(NotImplementedError, match="hermitian"):
            np.linalg.svd(x, hermitian=True)
        with pytest.raises(MissingRule):
            np.percentile(x, 25.0, axis=0, overwrite_input=True)
    assert len(tape._recording.nodes) == 1
    assert tape.gradient(y, x).shape == (2, 2)
    np.testing.assert_array_equal(np.rot90(stack).numpy(), np.ones((2, 2, 2)))  # no tape follows it any more


def test_definitions_are_tried_once_for_shapes_and_values():
    calls = []
    plan = Plan(np.rot90, [Tensor], {"k": int})
    plan.meaning = lambda *arguments, **keywords: calls.append(keywords)
    result = np.ones((2, 2))
    for size, k in ((2, 1), (2, 1), (3, 1), (2, 2), (2, [1]), (2, [1]), (2, {}), (2, {})):
        check_accepted(plan, (constant(np.ones((size, size))),), {"k": k}, result)
    assert calls == [{"k": 1}, {"k": 1}, {"k": 2}, {"k": [1]}, {"k": {}}, {"k": {}}]


def test_arrays_may_change_afterwards():
    x, points, values = constant(np.array([0.5, 1.5])), np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 4.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = np.interp(x, points, values)
    points[:], values[:] = 0.0, 0.0
    assert tape.gradient(y, x).tolist() == [2.0, 1.0]


@pytest.mark.parametrize(
    ("f", "data"),
    [
        (lambda x, c: np.sum(np.interp(x, np.array([0.0, 1.0, 2.0, 3.0]), c)), [1, 0, 1, 0]),
        (lambda x, c: np.sum(np.interp(x, c, np.array([1.0, 3.0, 2.0]))), [0, 1, 3]),
        (lambda x, c: np.sum(np.gradient(x, c) ** 2), [3, 2, 0]),
        (lambda x, c: np.sum(np.arctan2(c, x)), [3, 1, 200]),
    ],
)
def test_unsigned_integers_beside_what_is_differentiated(f, data):
    x, data = np.array([0.9, 0.3, 1.4]), np.array(data)
    value, slope = srcad.value_and_grad(f, jit=False)(x, data.astype(np.uint8))
    expected, expected_slope = srcad.value_and_grad(f, jit=False)(x, data.astype(np.float64))
    np.testing.assert_allclose(value, expected)
    np.testing.assert_allclose(slope, expected_slope)


def test_only_what_is_wanted_has_a_gradient():
    x, points = Variable([0.5, 1.5]), constant(np.array([0.0, 1.0, 2.0]))
    values = Variable([1.0, 3.0, 4.0])
    with GradientTape(persistent=True) as tape:
        y = np.interp(x, points, values)
        z = np.interp(x, points, np.array([1.0, 3.0, 4.0]))
    assert tape.gradient(y, [x, points, values])[1] is None
    assert tape.gradient(y, values).tolist() == [0.5, 1.0, 0.5]
    assert tape.gradient(z, values) is None
    assert tape.gradient([y, z], [x, values])[0].tolist() == [4.0, 2.0]


def test_jacobians_higher_orders_and_tangents():
    x = constant(V)
    with GradientTape(persistent=True) as outer:
        outer.watch(x)
        with GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = np.polyfit(np.arange(4.0), x * x, 3)
        slopes = tape.gradient(y, x, output_gradients=np.array([1.0, 2.0, 3.0, 4.0]))
    expected = np.linalg.inv(np.vander(np.arange(4.0))) * (2.0 * V)
    for options in ({}, {"experimental_use_pfor": False}, {"parallel_iterations": 2}):
        np.testing.assert_allclose(tape.jacobian(y, x, **options).numpy(), expected, atol=1e-12)
    np.testing.assert_allclose(outer.gradient(slopes, x).numpy(), np.array([1.0, 2.0, 3.0, 4.0]) @ expected / V)
    with ForwardAccumulator(x, constant(np.ones(4))) as accumulator:
        z = np.polyfit(np.arange(4.0), x * x, 3)
        w = np.rot90(np.reshape(x, (2, 2)))
    np.testing.assert_allclose(accumulator.jvp(z).numpy(), expected.sum(axis=1))
    np.testing.assert_allclose(accumulator.jvp(w).numpy(), np.ones((2, 2)))


def test_a_persistent_tape_may_be_asked_inside_of_its_own_context():
    x = constant(V)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = line(x * x)
        slope = tape.gradient(y, x)
    np.testing.assert_allclose(tape.gradient(slope, x).numpy(), [0.8, 0.6, 0.4, 0.2])


def test_explanations_and_traces_name_the_function():
    x = constant(np.zeros(2000))
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = line(x)
    assert tape.explain(y, x) == "Connected: source -> np.polyfit -> target."
    assert [(each.name, each.nbytes) for each in tape.trace] == [("np.polyfit", 32016)]


def test_a_definition_that_comes_to_one_call_is_recorded_as_that():
    x = constant(np.eye(2))
    with GradientTape() as tape:
        tape.watch(x)
        y = np.fliplr(np.fliplr(x))
        z = np.logaddexp.reduce(x)
    assert [node.primitive for node in tape._recording.nodes] == [getitem, getitem, np.logaddexp.reduce]
    np.testing.assert_allclose(tape.gradient([y, z], x).sum(), 6.0)


@pytest.mark.parametrize("meaning", [lambda x: x * 1.2, lambda x: x[:1] + 0.0, lambda x: -x])
def test_a_definition_that_says_something_else_than_numpy_is_not_used(meaning):
    x, plan = constant(V), Plan(np.unwrap, [Tensor])
    plan.meaning = meaning
    with pytest.raises(MissingRule, match=r"np\.unwrap"):
        check_accepted(plan, (x,), {}, V)
    plan.meaning = lambda x: x * 1.0
    check_accepted(plan, (x,), {}, V)


def by_position(function):
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        return [each.name for each in inspect.signature(function).parameters.values() if each.kind in kinds]
    except (TypeError, ValueError):  # builtin
        return []


def test_definitions_take_arguments_by_position_as_numpy_does():
    """`np.nansum(x, 0, float)` took the type for `keepdims`, `np.meshgrid(x, y, z)` its third vector for `indexing`."""
    for primitive in registry.primitives():
        theirs = by_position(primitive)
        if not theirs or not str(getattr(primitive, "__module__", "")).startswith("numpy"):
            continue
        for found in filter(None, (registry.definition(primitive), registry.restricted_definition(primitive, 99, ()))):
            pairs = zip(by_position(found), theirs, strict=False)
            assert all(own == their or their.startswith("x") for own, their in pairs), primitive


def chain(x, c):
    h = np.append(x, c * x[0])
    h = np.append(0.5, np.append(h, [c, 2.0]))
    return np.sum(h * h)


@pytest.mark.compiled
def test_numbers_are_appended_in_compiled_code(recwarn):
    assert_gradient(chain, np.array([0.4, 0.9]), 0.7, modes=("gradient", "compiled"))
    assert not recwarn.list  # Numba has no np.ravel of numbers
