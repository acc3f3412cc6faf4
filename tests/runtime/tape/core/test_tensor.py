import copy
import operator
import pickle

import numpy as np
import pytest

from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.values.conversions import constant, convert_to_tensor, is_tensor, set_default_dtype


def test_constants_follow_numpys_dtypes():
    assert constant(1.0).dtype == np.float64
    assert constant([1, 2]).dtype == np.int64
    assert constant(np.float32(1)).dtype == np.float32
    assert constant([1, 2], dtype="float32").dtype == np.float32
    assert constant([1 + 2j]).dtype == np.complex128


def test_a_constant_is_a_copy():
    array = np.array([1.0, 2.0])
    tensor = constant(array)
    array[0] = 7.0
    assert tensor.tolist() == [1.0, 2.0]


def test_one_number_fills_a_shape():
    assert constant(1.0, shape=(2, 2)).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert constant([1, 2, 3, 4], shape=(2, 2)).tolist() == [[1, 2], [3, 4]]


def test_too_few_numbers_for_a_shape_are_a_type_error():
    with pytest.raises(TypeError, match="2 elements"):
        constant([1, 2], shape=(2, 2))


@pytest.mark.parametrize("thing", [None, [1, [2]], object()])
def test_what_is_no_array_of_numbers_is_a_value_error(thing):
    with pytest.raises(ValueError):  # noqa: PT011 - for ragged lists the message is NumPy's
        constant(thing)


def test_conversion_leaves_tensors_alone():
    x = constant([1.0])
    assert convert_to_tensor(x) is x
    assert convert_to_tensor(Variable([1.0])).tolist() == [1.0]
    assert convert_to_tensor([1, 2], dtype_hint="float32").dtype == np.float32


def test_conversion_to_another_dtype_is_refused():
    with pytest.raises(ValueError, match="float64"):
        convert_to_tensor(constant([1.0], dtype="float32"), dtype="float64")


def test_what_counts_as_a_tensor():
    assert is_tensor(constant(1.0))
    assert is_tensor(Variable(1.0))
    assert not is_tensor(np.ones(2))


def test_tensors_are_not_constructed_directly():
    with pytest.raises(TypeError, match=r"srcad\.constant"):
        Tensor()


def test_numpy_hands_out_a_writable_copy():
    x = constant([1.0, 2.0])
    array = x.numpy()
    array[0] = 5.0
    assert x.tolist() == [1.0, 2.0]
    assert type(constant(1.0).numpy()) is np.float64


def test_arrays_made_of_a_tensor_are_views_that_cannot_be_written():
    x = constant([1.0, 2.0])
    array = np.asarray(x)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 5.0


def test_a_copy_made_of_a_tensor_can_be_written():
    x = constant([1.0, 2.0])
    array = np.array(x)
    array[0] = 5.0
    assert x.tolist() == [1.0, 2.0]
    assert np.array(x, dtype="float32").dtype == np.float32
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, dtype="float32", copy=False)


def test_items_cannot_be_assigned():
    with pytest.raises(TypeError, match="item assignment"):
        constant([1.0])[0] = 2.0


@pytest.mark.parametrize(
    "write",
    [
        lambda x: np.copyto(x, 0.0),
        lambda x: np.put(x, [0], [9.0]),
        lambda x: np.place(x, np.array([True, False]), [9.0]),
        lambda x: np.putmask(x, np.array([True, False]), 9.0),
        lambda x: np.add.at(x, [0], 1.0),
        lambda x: np.add(x, 1.0, out=x),
        lambda x: np.nan_to_num(x, copy=False),
    ],
)
def test_functions_that_write_cannot_write_to_a_tensor(write):
    x = constant([1.0, np.nan])
    with pytest.raises(ValueError, match=r"read-only|writeable"):
        write(x)
    assert np.array_equal(x.numpy(), [1.0, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    "write",
    [
        lambda x, out: np.cumsum(x, 0, None, out),
        lambda x, out: x.clip(0.0, 1.0, out),
        lambda x, out: np.take(x, [1, 0], 0, out),
    ],
)
def test_results_by_position_go_to_arrays_but_not_to_tensors(write):
    x, out, array = constant([0.5, 2.0]), constant([0.0, 0.0]), np.zeros(2)
    with pytest.raises(ValueError, match="read-only"):
        write(x, out)
    assert out.tolist() == [0.0, 0.0]
    assert write(x, array) is array
    assert array.any()


def test_results_of_numpy_are_tensors():
    x = constant([1.0, 4.0])
    for result in (
        np.sqrt(x),
        x + 1,
        1 + x,
        x * np.ones(2),
        np.ones(2) * x,
        np.float64(2) * x,
        x.sum(),
        np.sum(x),
        x[0],
    ):
        assert type(result) is Tensor
    assert all(type(each) is Tensor for each in np.split(x, 2))
    assert all(type(each) is Tensor for each in np.modf(x))
    assert type(np.linalg.slogdet(constant([[2.0]])).logabsdet) is Tensor


def test_facts_that_are_no_arrays_stay_as_they_are():
    x = constant([[1.0, 2.0]])
    assert np.shape(x) == (1, 2)
    assert np.ndim(x) == 2
    assert np.result_type(x) == np.float64
    assert np.allclose(x, x) is True


def test_python_numbers_do_not_widen_a_dtype():
    x = constant([1.0], dtype="float32")
    for result in (x + 1, 2.0 * x, x**2, x / 3):
        assert result.dtype == np.float32
    s = constant(1.0, dtype="float32")
    assert (s * 2.0).dtype == np.float32


BINARY = [
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, divmod,
]  # fmt: skip


@pytest.mark.parametrize("function", BINARY)
def test_operators_do_what_they_do_on_arrays(function):
    a, b = np.array([1.5, 2.0, 4.0]), np.array([2.0, 2.0, 0.5])
    expected = function(a, b)
    for left, right in ((constant(a), constant(b)), (constant(a), b), (a, constant(b)), (Variable(a), constant(b))):
        assert np.array_equal(np.array(function(left, right)), np.array(expected))


@pytest.mark.parametrize("function", [operator.and_, operator.or_, operator.xor, operator.floordiv, operator.matmul])
def test_operators_on_integers(function):
    a, b = np.array([6, 5, 3]), np.array([3, 2, 7])
    assert np.array_equal(np.array(function(constant(a), constant(b))), function(a, b))
    assert np.array_equal(np.array(function(constant(a), b)), function(a, b))
    assert np.array_equal(np.array(function(a, constant(b))), function(a, b))


def test_operators_with_one_operand():
    x = constant([1, -2])
    assert (-x).tolist() == [-1, 2]
    assert (+x).tolist() == [1, -2]
    assert abs(x).tolist() == [1, 2]
    assert (~x).tolist() == [-2, 1]


def test_operands_that_want_to_decide_themselves_are_asked():
    class Stubborn:
        __array_ufunc__ = None

        def __rmul__(self, other):
            return "mine"

    assert constant([1.0]) * Stubborn() == "mine"


def test_lists_are_operands():
    assert (constant([1.0, 2.0]) + [1.0, 1.0]).tolist() == [2.0, 3.0]


METHODS = [
    ("sum", (), {}), ("sum", (0,), {}), ("sum", (), {"axis": (0, 1)}), ("mean", (), {"axis": 1, "keepdims": True}),
    ("prod", (), {}), ("max", (), {}), ("min", (1,), {}), ("var", (), {}), ("std", (), {"axis": 0}),
    ("reshape", (3, 2), {}), ("reshape", ((6,),), {}), ("reshape", (-1,), {}), ("ravel", (), {}), ("flatten", (), {}),
    ("transpose", (), {}), ("transpose", (1, 0), {}), ("transpose", ((1, 0),), {}), ("cumsum", (), {}),
    ("cumprod", (0,), {}), ("clip", (2.0, 4.0), {}), ("squeeze", (), {}), ("swapaxes", (0, 1), {}),
    ("repeat", (2,), {}), ("take", ([0, 2],), {}), ("trace", (), {}), ("diagonal", (), {}), ("argmax", (), {}),
    ("argmin", (), {}), ("argsort", (), {}), ("any", (), {}), ("all", (), {}), ("round", (), {}), ("conj", (), {}),
    ("conjugate", (), {}), ("dot", (np.ones(3),), {}), ("copy", (), {}), ("astype", ("float32",), {}),
    ("tolist", (), {}), ("item", (1,), {}), ("nonzero", (), {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "keywords"), METHODS)
def test_methods_do_what_they_do_on_arrays(name, arguments, keywords):
    array = np.array([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]])
    expected = getattr(array, name)(*arguments, **keywords)
    result = getattr(constant(array), name)(*arguments, **keywords)
    assert np.array_equal(np.array(result), np.array(expected))


def test_properties_do_what_they_do_on_arrays():
    x = constant([[1 + 2j, 3 - 1j]])
    assert x.T.shape == (2, 1)
    assert x.real.tolist() == [[1.0, 3.0]]
    assert x.imag.tolist() == [[2.0, -1.0]]
    assert (x.ndim, x.size, x.shape, x.get_shape()) == (2, 2, (1, 2), (1, 2))


def test_reductions_by_ufuncs():
    x = constant([[1.0, 2.0], [3.0, 4.0]])
    assert np.add.reduce(x).tolist() == [4.0, 6.0]
    assert np.add.reduce(x, axis=1).tolist() == [3.0, 7.0]
    assert np.multiply.accumulate(x, axis=1).tolist() == [[1.0, 2.0], [3.0, 12.0]]
    assert np.maximum.reduce(x, axis=None).tolist() == 4.0


def test_indices_may_be_tensors():
    x = constant([1.0, 2.0, 3.0])
    assert x[constant([0, 2])].tolist() == [1.0, 3.0]
    assert x[constant(1)].tolist() == 2.0
    assert x[x > 1.5].tolist() == [2.0, 3.0]
    assert x[constant(1) :].tolist() == [2.0, 3.0]
    assert x[None, :2].shape == (1, 2)
    assert x[..., 0].tolist() == 1.0
    assert ["a", "b"][constant(1)] == "b"
    assert np.array([5.0, 6.0])[constant(1)] == 6.0


def test_conversions_to_numbers():
    assert float(constant(2.5)) == 2.5
    assert int(constant(2.7)) == 2
    assert complex(constant(1j)) == 1j
    assert bool(constant(2.0))
    assert f"{constant(2.5):.2f}" == "2.50"
    with pytest.raises(ValueError, match="ambiguous"):
        bool(constant([1.0, 2.0]))
    with pytest.raises(TypeError):
        float(constant([1.0, 2.0]))
    with pytest.raises(TypeError):
        operator.index(constant(1.0))


def test_length_and_iteration():
    x = constant([1.0, 2.0])
    assert len(x) == 2
    assert [float(each) for each in x] == [1.0, 2.0]
    with pytest.raises(TypeError, match="Scalar tensor"):
        len(constant(1.0))
    with pytest.raises(TypeError, match="scalar tensor"):
        iter(constant(1.0))


def test_comparison_is_elementwise_and_references_are_keys():
    x = constant([1.0, 2.0])
    assert (x == [1.0, 3.0]).tolist() == [True, False]
    assert x in [x]
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    assert {x.ref(): 1}[x.ref()] == 1
    assert x.ref() != constant([1.0, 2.0]).ref()
    assert x.ref().deref() is x


def test_text():
    assert repr(constant([1.0, 2.0])) == "<srcad.Tensor: shape=(2,), dtype=float64, numpy=array([1., 2.])>"
    assert repr(constant(3.0)) == "<srcad.Tensor: shape=(), dtype=float64, numpy=3.0>"
    assert str(constant([1.0, 2.0])) == "srcad.Tensor([1. 2.], shape=(2,), dtype=float64)"


def test_copies_and_pickles():
    x = constant([1.0, 2.0])
    assert copy.copy(x) is x
    assert copy.deepcopy(x).tolist() == [1.0, 2.0]
    assert pickle.loads(pickle.dumps(x)).tolist() == [1.0, 2.0]


def test_a_result_never_shares_memory_with_a_callers_array():
    array = np.ones(3)
    theirs, _ = np.broadcast_arrays(array, constant([[1.0], [2.0]]))
    array[0] = 9.0
    assert theirs[0].tolist() == [1.0, 1.0, 1.0]


def test_numpys_assertions_accept_tensors():
    np.testing.assert_allclose(constant([1.0, 2.0]), [1.0, 2.0])
    np.testing.assert_array_equal(constant([1.0, 2.0]), constant([1.0, 2.0]))


def test_the_default_dtype_is_that_of_pythons_floats():
    set_default_dtype("float32")
    try:
        assert constant(1.0).dtype == constant([[1.0, 2]]).dtype == Variable([1.0]).dtype == np.float32
        assert convert_to_tensor(2.5).dtype == np.float32
        assert constant(np.ones(2)).dtype == constant([np.float64(1.0)]).dtype == np.float64
        assert constant([1, 2]).dtype == np.int64
        assert constant(1.0, dtype="float64").dtype == np.float64
        assert (constant([1.0]) * 2.0).dtype == np.float32
        with pytest.raises(ValueError, match="floating"):
            set_default_dtype("int32")
    finally:
        set_default_dtype("float64")
    assert constant(1.0).dtype == np.float64
