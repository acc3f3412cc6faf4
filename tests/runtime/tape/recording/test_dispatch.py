"""What is recorded, what is not, and what is refused."""

import numpy as np
import pytest

from srcad.errors import MissingRule
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant, convert_to_tensor


@pytest.fixture(autouse=True)
def _nothing_is_left_recording():
    yield
    left, active.tapes = active.tapes, ()
    assert left == ()


@pytest.fixture
def x():
    return constant([1.0, 2.0])


DISCRETE = {
    "floor": np.floor,
    "ceil": np.ceil,
    "rint": np.rint,
    "round": np.round,
    "floor_divide": lambda x: x // 2.0,
    "zeros_like": np.zeros_like,
    "ones_like": np.ones_like,
    "greater": lambda x: (x > 1.0) * 1.0,
    "argmax": lambda x: np.argmax(x) * 1.0,
    "integer cast": lambda x: x.astype(int).astype(float),
    "shape": lambda x: constant(x.shape[0] * 1.0),
    "numpy": lambda x: constant(x.numpy()),
    "size": lambda x: constant(np.size(x) * 1.0),
    "isnan": lambda x: np.isnan(x) * 1.0,
    "argsort": lambda x: np.argsort(x) * 1.0,
    "searchsorted": lambda x: np.searchsorted(np.array([0.0, 1.5]), x) * 1.0,
    "count_nonzero": lambda x: constant(1.0 * np.count_nonzero(x)),
}


@pytest.mark.parametrize("function", DISCRETE.values(), ids=DISCRETE.keys())
def test_discrete_functions_are_unconnected(function, x):
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert tape.gradient(y, x) is None


CONNECTED_ZEROS = {
    "sign": np.sign,
    "times zero": lambda x: 0.0 * x,
    "branch not taken": lambda x: np.where([True, True], np.zeros(2), x),
    "clipped": lambda x: np.clip(x, 5.0, 6.0),
    "difference": lambda x: x - x,
}


@pytest.mark.parametrize("function", CONNECTED_ZEROS.values(), ids=CONNECTED_ZEROS.keys())
def test_a_slope_of_zero_is_not_none(function, x):
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert tape.gradient(y, x).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: np.spacing(x) + np.nextafter(x, 3.0), "nextafter"),
        (lambda x: np.unwrap(x) * np.emath.sqrt(x), "np.lib.scimath.sqrt"),
        (lambda x: np.nextafter.outer(x, x), "nextafter"),
    ],
)
def test_a_function_without_a_rule_is_named(function, name, x):
    with GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(MissingRule, match=name):
            function(x)


def test_a_function_without_a_rule_is_free_where_nothing_is_watched(x):
    with GradientTape():
        assert np.nextafter(x, 3.0).shape == (2,)


def test_writing_a_followed_tensor_into_an_array_is_refused(x):
    array = np.zeros(2)
    with GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(NotImplementedError):
            array += x
        with pytest.raises(NotImplementedError):
            np.copyto(array, x)
    assert array.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda x: np.sum(x * [3.0, 4.0]), 7.0),
        (lambda x: np.sum([3.0, 4.0] - x), -2.0),
        (lambda x: np.sum(2.0 * (x * [x, 1.0])), 2.0 * (2.0 * 1.5 + 1.0)),
        (lambda x: np.sum(np.array([1.0, 10.0]) * (x + [[x, 2.0], [1.0, x * x]])), 1 * 3 + 10 * 2 + 10 * 3.0),
        (lambda x: np.sum(convert_to_tensor([x, [1.0, 2.0][0], x * x])), 1.0 + 3.0),
    ],
)
def test_lists_are_operands_of_a_number_too_and_tensors_in_them_are_followed(function, slope):
    x = constant(1.5)
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert float(tape.gradient(y, x)) == pytest.approx(slope)


def test_a_tensor_in_a_keyword_is_followed_whatever_its_value():
    for value in (0.0, 2.0):
        high = constant(value)
        with GradientTape() as tape:
            tape.watch(high)
            y = np.sum(np.clip(np.array([-1.0, 3.0, 5.0]), -2.0, a_max=high))
        assert float(tape.gradient(y, high)) == 2.0
    weights = constant([1.0, 2.0, 3.0])
    with GradientTape() as tape:
        tape.watch(weights)
        y = np.bincount([0, 1, 1], weights=weights)[1]
    assert tape.gradient(y, weights).tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: np.matmul(x, [[1, 2], [3, 4], [5, 6]]), [3.0, 7.0, 11.0]),
        (lambda x: np.arctan2([0.0, 0.0, 0.0], x), [0.0, 0.0, 0.0]),
        (lambda x: np.tensordot(x, (1.0, 2.0, 4.0), 1), [1.0, 2.0, 4.0]),
        (lambda x: np.outer([1, 2], x), [3.0, 3.0, 3.0]),
        (lambda x: np.polyval([2.0, 1.0], x), [2.0, 2.0, 2.0]),
        (lambda x: np.choose([0, 1, 0], [x, 3.0 * x]), [1.0, 3.0, 1.0]),
        (lambda x: np.take(x, (1, 1)), [0.0, 2.0, 0.0]),
        (lambda x: np.linalg.solve([[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 1.0]], x), [0.5, 0.25, 1.0]),
    ],
)
def test_lists_of_numbers_are_arrays(function, expected):
    values = np.array([1.0, 2.0, 3.0])
    x = constant(values)
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(y, function(values))
    np.testing.assert_allclose(tape.gradient(y, x), expected)


def test_einsum_with_lists_of_axes_is_refused():
    x = constant(np.ones(2))
    with GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(MissingRule, match="lists of axes"):
            np.einsum(x, [0], x, [0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(a=x * x),
        lambda x: np.take(x * x, indices=[0, 1], axis=0),
        lambda x: np.linalg.norm(x=x) ** 2,
        lambda x: np.sum(np.outer(a=x, b=x).diagonal()),
        lambda x: np.sum(np.linalg.solve(a=np.eye(2), b=x * x)),
    ],
)
def test_arguments_by_keyword_are_those_by_position(function, x):
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(tape.gradient(y, x), [2.0, 4.0])
