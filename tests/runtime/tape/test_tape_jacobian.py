import numpy as np
import pytest

from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant

X = constant([1.0, 2.0])
BATCH = constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def recorded(function, source, persistent=False):
    tape = GradientTape(persistent)
    with tape:
        tape.watch(source)
        target = function(source)
    return tape, target


def test_a_jacobian_has_both_shapes():
    tape, y = recorded(lambda x: x * x, X)
    assert tape.jacobian(y, X).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    tape, y = recorded(lambda x: x * x, BATCH)
    assert tape.jacobian(y, BATCH).shape == (3, 2, 3, 2)


def test_a_scalar_target_has_its_gradient():
    tape, y = recorded(lambda x: x * x * 2.0, constant(3.0))
    assert float(tape.jacobian(y, y)) == 1.0
    x = constant(3.0)
    tape, y = recorded(lambda x: x * x * 2.0, x)
    jacobian = tape.jacobian(y, {"a": x})["a"]
    assert (jacobian.shape, float(jacobian)) == ((), 12.0)


def test_structures_of_sources_are_kept():
    v = Variable(2.0)
    tape, y = recorded(lambda x: x * v, X)
    found = tape.jacobian(y, {"x": X, "v": [v]})
    assert found["x"].tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert found["v"][0].tolist() == [1.0, 2.0]


def test_unconnected_sources():
    tape, _ = recorded(lambda x: x * x, X, persistent=True)
    other = constant([1.0, 2.0, 3.0])
    assert tape.jacobian(other, [X, other])[0] is None
    assert tape.jacobian(other, X, unconnected_gradients="zero").tolist() == [[0.0, 0.0]] * 3
    assert tape.jacobian(other, other) is None  # as TensorFlow: it is not watched


def test_an_empty_target():
    empty = constant(np.zeros((0,)))
    tape, y = recorded(lambda x: x * 2.0, empty)
    assert tape.jacobian(y, empty).shape == (0, 0)


def test_complex_jacobians_are_conjugated():
    x = constant(2 + 1j)
    tape, y = recorded(lambda x: x * x, x)
    assert complex(tape.jacobian(y, x)) == 4 - 2j


def test_a_tape_that_is_not_persistent_serves_one_jacobian():
    tape, y = recorded(lambda x: x * x, X)
    tape.jacobian(y, X)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.jacobian(y, X)


@pytest.mark.parametrize("method", ["jacobian", "batch_jacobian"])
def test_without_vectorisation_the_tape_must_be_persistent(method):
    tape, y = recorded(lambda x: x * x, BATCH)
    with pytest.raises(RuntimeError, match="persistent=True"):
        getattr(tape, method)(y, BATCH, experimental_use_pfor=False)
    tape, y = recorded(lambda x: x * x, BATCH, persistent=True)
    sequential = getattr(tape, method)(y, BATCH, experimental_use_pfor=False, parallel_iterations=2)
    assert sequential.tolist() == getattr(tape, method)(y, BATCH).tolist()


def test_a_jacobian_asked_for_inside_the_block_ends_the_recording():
    with GradientTape() as tape:
        tape.watch(X)
        y = X * X
        assert tape.jacobian(y, X).tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_a_list_is_no_target():
    tape, y = recorded(lambda x: x * x, X)
    with pytest.raises(AttributeError):
        tape.jacobian([y], X)
    assert tape.jacobian(y, X).tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_an_unknown_choice_for_unconnected_gradients():
    tape, y = recorded(lambda x: x * x, BATCH, persistent=True)
    for method in (tape.jacobian, tape.batch_jacobian):
        with pytest.raises(ValueError, match="Unknown value"):
            method(y, BATCH, unconnected_gradients="bad")


def test_a_jacobian_can_be_differentiated():
    with GradientTape() as outer:
        outer.watch(X)
        with GradientTape() as inner:
            inner.watch(X)
            y = X**3
        jacobian = inner.jacobian(y, X)
        trace = jacobian[0, 0] + jacobian[1, 1]
    assert outer.gradient(trace, X).tolist() == [6.0, 12.0]


def test_batch_jacobians_are_those_of_the_rows():
    tape, y = recorded(lambda x: x * x, BATCH)
    expected = [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]], [[10.0, 0.0], [0.0, 12.0]]]
    assert tape.batch_jacobian(y, BATCH).tolist() == expected


def test_batch_jacobians_of_higher_ranks():
    source = constant(np.arange(12.0).reshape(2, 3, 2))
    tape, y = recorded(lambda x: x[:, :, :1] * x[:, :, 1:] ** 2, source)
    found = tape.batch_jacobian(y, source)
    assert found.shape == (2, 3, 1, 3, 2)
    # d (a b^2) = b^2 da + 2 a b db, with a, b = 8, 9 in row 1, column 1
    assert found[1, 1, 0, 1].tolist() == [81.0, 144.0]
    assert found[1, 1, 0, 0].tolist() == [0.0, 0.0]


def test_unconnected_batch_jacobians_are_zeros():
    tape, _ = recorded(lambda x: x * x, BATCH)
    assert tape.batch_jacobian(constant([[1.0], [2.0], [3.0]]), BATCH).tolist() == [[[0.0, 0.0]]] * 3


def test_batches_must_match():
    tape, y = recorded(lambda x: x * x, BATCH, persistent=True)
    with pytest.raises(ValueError, match="rank at least 2"):
        tape.batch_jacobian(y, X)
    with pytest.raises(ValueError, match="rank at least 2"):
        tape.batch_jacobian(X, BATCH)
    with pytest.raises(ValueError, match="to match"):
        tape.batch_jacobian(y, constant([[1.0, 2.0]]))
