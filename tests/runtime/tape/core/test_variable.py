import copy
import pickle

import numpy as np
import pytest

from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant
from srcad.runtime.tape.values.indexed_slices import IndexedSlices


def test_attributes():
    v = Variable([1.0, 2.0], name="w")
    assert (v.shape, v.dtype, v.name, v.trainable, v.ndim, v.size) == ((2,), np.float64, "w:0", True, 1, 2)
    assert Variable(1.0).name == "Variable:0"
    assert not Variable(1.0, trainable=False).trainable
    assert v.__srcad_variable__ is True


def test_the_initial_value_is_copied_converted_or_called():
    array = np.ones(2)
    v = Variable(array)
    array[0] = 5.0
    assert v.numpy().tolist() == [1.0, 1.0]
    assert Variable([1, 2], dtype="float32").dtype == np.float32
    assert Variable(lambda: np.ones(3)).shape == (3,)
    assert Variable(constant([1.0])).numpy().tolist() == [1.0]
    assert Variable(v).numpy().tolist() == [1.0, 1.0]


def test_an_initial_value_must_be_given_and_fit():
    with pytest.raises(ValueError, match="initial_value"):
        Variable()
    with pytest.raises(ValueError, match="shape"):
        Variable([1.0, 2.0], shape=(3,))


def test_assignments_return_the_variable():
    v = Variable([1.0, 2.0])
    assert v.assign([3.0, 4.0]) is v
    assert v.assign_add([1.0, 1.0]).numpy().tolist() == [4.0, 5.0]
    assert v.assign_sub(np.array([1.0, 2.0])).numpy().tolist() == [3.0, 3.0]
    assert v.assign([0, 0], read_value=False) is None
    assert v.numpy().tolist() == [0.0, 0.0]


def test_an_assigned_array_is_copied():
    v, array = Variable([1.0, 2.0]), np.array([3.0, 4.0])
    v.assign(array)
    array[0] = 9.0
    assert v.numpy().tolist() == [3.0, 4.0]


def test_assignments_keep_the_dtype():
    v = Variable(1.0, dtype="float32")
    v.assign(np.float64(2.0))
    assert v.dtype == np.float32
    assert v.numpy().dtype == np.float32


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
@pytest.mark.parametrize("value", [[1.0, 2.0, 3.0], 1.0])
def test_another_shape_is_refused(method, value):
    v = Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="shape"):
        getattr(v, method)(value)
    assert v.numpy().tolist() == [1.0, 2.0]


def test_a_tensor_of_another_dtype_is_refused():
    with pytest.raises(ValueError, match="float32"):
        Variable(1.0, dtype="float32").assign(constant(1.0))
    with pytest.raises(ValueError, match="complex"):
        Variable(1.0).assign(1j)
    with pytest.raises(ValueError, match="float64"):
        Variable(1).assign(1.5)


def test_augmented_assignment_is_refused_with_a_way_out():
    v = Variable(1.0)
    with pytest.raises(RuntimeError, match="assign_add"):
        v += 1.0


def test_items_are_assigned_and_the_tape_knows():
    v, u = Variable([1.0, 2.0, 3.0]), constant(5.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(u)
        before = v[0] * v[1]
        v[1] = u * v[0]
        after = np.sum(v * v)
    assert v.numpy().tolist() == [1.0, 5.0, 3.0]
    assert tape.gradient(before, v).tolist() == [2.0, 1.0, 0.0]
    assert float(tape.gradient(after, u)) == 10.0
    assert tape.gradient(after, v).tolist() == [2.0 + 2.0 * 25.0, 0.0, 6.0]
    assert tape.gradient(v, v).tolist() == [1.0 + 5.0, 0.0, 1.0]


def test_a_later_tape_takes_the_variable_as_it_is():
    v = Variable([1.0, 2.0])
    with GradientTape() as first:
        v[0] = 3.0 * v[1]
    for watches in (True, False):
        with GradientTape(watch_accessed_variables=watches) as tape:
            tape.watch(v)
            y = np.sum(v * v)
        assert tape.gradient(y, v).tolist() == [12.0, 4.0]
    assert first.gradient(v, v).tolist() == [0.0, 4.0]


def test_an_inner_tape_that_starts_later_takes_the_variable_as_it_is():
    v = Variable([1.0, 2.0])
    with GradientTape() as outer:
        v[0] = v[1] * 3.0
        with GradientTape() as inner:
            y = np.sum(v * v)
        slope = inner.gradient(y, v)
        total = np.sum(slope * slope)
    assert slope.tolist() == [12.0, 4.0]
    # total = 4 (3 v1)^2 + 4 v1^2
    assert outer.gradient(total, v).tolist() == [0.0, 80.0 * 2.0]


def test_assigning_the_whole_forgets_the_items():
    v = Variable([1.0, 2.0])
    with GradientTape() as tape:
        v[0] = 3.0
        v.assign([1.0, 1.0])
        y = np.sum(v * v)
    assert tape.gradient(y, v).tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "key", [np.array([0, 2, 2]), slice(None, None, -1), ..., np.array([True, False, True]), [1, 0]]
)
def test_items_by_all_kinds_of_index(key):
    v = Variable([1.0, 2.0, 3.0])
    count = v[key].shape[0]
    u, weights = constant(np.arange(1.0, count + 1)), np.array([1.0, 10.0, 100.0])
    with GradientTape() as tape:
        tape.watch(u)
        v[key] = u * 2.0
        y = np.sum(v * weights)
    by_u, by_v = tape.gradient(y, [u, v])
    after = np.array([1.0, 2.0, 3.0])
    after[key] = 2.0 * np.arange(1.0, count + 1)
    assert v.numpy().tolist() == after.tolist()
    for place in range(count):
        moved = np.array([1.0, 2.0, 3.0])
        moved[key] = 2.0 * np.arange(1.0, count + 1) + 2.0 * np.eye(count)[place]
        assert by_u[place] == np.sum((moved - after) * weights)
    kept = np.ones(3)
    kept[key] = 0.0
    assert by_v.tolist() == (kept * weights).tolist()


def test_items_added_to_and_broadcast():
    v, u = Variable(np.ones((2, 3))), constant(2.0)
    with GradientTape() as tape:
        tape.watch(u)
        v[0] += u * v[1]
        v[:, 1] = u
        y = np.sum(v * v)
    assert v.numpy().tolist() == [[3.0, 2.0, 3.0], [1.0, 2.0, 1.0]]
    by_u, by_v = tape.gradient(y, [u, v])
    assert float(by_u) == 2 * 3.0 * 2 + 2 * 2.0 * 2
    assert by_v.tolist() == [[6.0, 0.0, 6.0], [14.0, 0.0, 14.0]]


def test_items_of_another_kind_are_refused():
    v = Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="complex128 cannot be stored"):
        v[0] = 1j
    with pytest.raises(ValueError, match="broadcast"):
        v[:] = [1.0, 2.0, 3.0]
    assert v.numpy().tolist() == [1.0, 2.0]


def test_a_value_read_earlier_does_not_change():
    v = Variable([1.0, 2.0])
    before = v.read_value()
    kept = np.asarray(v)
    v.assign([5.0, 6.0])
    assert before.tolist() == [1.0, 2.0]
    assert kept.tolist() == [1.0, 2.0]
    assert v.value().tolist() == [5.0, 6.0]


def test_variables_take_part_in_numpy():
    v = Variable([1.0, 4.0])
    assert np.sqrt(v).tolist() == [1.0, 2.0]
    assert (2 * v + [1.0, 1.0]).tolist() == [3.0, 9.0]
    assert np.stack([v, v]).shape == (2, 2)
    assert v[0].tolist() == 1.0
    assert np.concatenate([v, constant([0.0])]).tolist() == [1.0, 4.0, 0.0]
    assert np.clip(v, min=v, max=3.0).tolist() == [1.0, 3.0]


def test_comparison_is_elementwise_and_references_are_keys():
    v = Variable([1.0, 2.0])
    assert (v == v).tolist() == [True, True]
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)
    assert v.ref().deref() is v


def test_text():
    assert (
        repr(Variable([1.0, 2.0], name="w")) == "<srcad.Variable 'w:0' shape=(2,) dtype=float64, numpy=array([1., 2.])>"
    )
    assert repr(Variable(1.5)) == "<srcad.Variable 'Variable:0' shape=() dtype=float64, numpy=1.5>"


def test_a_deep_copy_is_another_variable():
    v = Variable([1.0], name="w", trainable=False)
    other = copy.deepcopy(v)
    other.assign([2.0])
    assert v.numpy().tolist() == [1.0]
    assert (other.name, other.trainable) == ("w:0", False)


def test_an_unpickled_variable_is_another_variable():
    v = Variable([1.0, 2.0], name="w", trainable=False)
    other = pickle.loads(pickle.dumps(v))
    assert (other.name, other.trainable, other.tolist()) == ("w:0", False, [1.0, 2.0])
    with GradientTape() as tape:
        tape.watch([v, other])
        y = np.sum(v * 3.0 + other * 5.0)
    assert [each.tolist() for each in tape.gradient(y, [v, other])] == [[3.0, 3.0], [5.0, 5.0]]


WATCHED = {
    "assign": lambda v: v.assign([1.0, 3.0]),
    "assign_add": lambda v: v.assign_add([1.0, 3.0]),
    "numpy": lambda v: v.numpy(),
    "read_value": lambda v: v.read_value(),
    "value": lambda v: v.value(),
    "operator": lambda v: v * 2.0,
    "function": np.sin,
    "nested": lambda v: np.stack([v, v]),
    "index": lambda v: v[0],
}


@pytest.mark.parametrize("use", WATCHED.values(), ids=WATCHED.keys())
def test_use_under_a_tape_is_watched(use):
    v = Variable([1.0, 2.0])
    with GradientTape() as tape:
        use(v)
    assert [each.ref() for each in tape.watched_variables()] == [v.ref()]


def test_looking_at_the_shape_is_no_use():
    v = Variable([1.0, 2.0])
    with GradientTape() as tape:
        assert (v.shape, v.dtype, v.name) == ((2,), np.float64, "Variable:0")
    assert tape.watched_variables() == ()


def test_rows_are_scattered():
    v = Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    rows = IndexedSlices([[1.0, 1.0], [10.0, 10.0]], [2, 2])
    assert v.scatter_add(rows) is v
    assert v.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0], [16.0, 17.0]]
    assert v.scatter_sub(rows).numpy()[2].tolist() == [5.0, 6.0]
    assert v.scatter_update(IndexedSlices([[0.0, 0.5]], [1])).numpy()[1].tolist() == [0.0, 0.5]
    with GradientTape() as tape:
        y = np.sum(np.take(v, [0, 0], axis=0) ** 2)
    v.scatter_sub(tape.gradient(y, v))
    assert v.numpy()[0].tolist() == [1.0 - 4.0, 2.0 - 8.0]
