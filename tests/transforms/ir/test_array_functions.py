"""What the table says of functions, held to NumPy itself."""

import copy
import inspect
from functools import partial

import numba
import numpy as np
import pytest

from srcad.runtime import kernels
from srcad.runtime.kernels.recording.effect_calls import as_effect
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.stop_gradient import stop_gradient
from srcad.transforms.ir import array_functions
from srcad.transforms.ir.array_functions import FACTS, Fact, Result, fill_of, function, having, result_of

MATRIX = np.array([[2.0, 0.5, 0.25], [0.5, 3.0, 0.125], [0.25, 0.125, 4.0]])
OTHER = np.array([[0.5, 0.25, 0.75], [0.875, 0.375, 0.125], [0.625, 0.25, 0.5]])
VECTOR = np.array([0.25, 0.75, 0.5])
REGULAR = np.array([[2.0, 0.5], [0.25, 3.0]])
FACTORS = kernels.lu_factors(REGULAR)
ARGUMENTS = {
    **dict.fromkeys(having(Fact.OF_SHAPE), ((2, 3),)),
    **dict.fromkeys(having(Fact.OF_ELEMENTS), ((0.25, 0.5),)),
    **dict.fromkeys(having(Fact.PRODUCT), (MATRIX, OTHER)),
    "np.full": ((2, 3), 0.5),
    "np.full_like": (MATRIX, 0.5),
    "np.outer": (VECTOR, VECTOR),
    "np.einsum": ("ij->ji", MATRIX),
    "np.where": (MATRIX > 1.0, MATRIX, OTHER),
    "np.astype": (MATRIX, np.float32),
    "np.roll": (MATRIX, 1),
    "np.broadcast_to": (VECTOR, (2, 3)),
    "len": (VECTOR,),
    "float": (0.5,),
    "int": (0.5,),
    "kernels.slice_extent": (10, 2, 5),
    "kernels.unbroadcast": (MATRIX, VECTOR),
    "kernels.copy_in_c_order": (MATRIX,),
    "kernels.windows_along": (VECTOR, 2, 0),
    "kernels.solve_transposed": (MATRIX, VECTOR),
    "kernels.matmul_adjoint_a": (MATRIX, OTHER, MATRIX),
    "kernels.matmul_adjoint_b": (MATRIX, OTHER, MATRIX),
    "kernels.sort_adjoint": (VECTOR, VECTOR[::-1]),
    "kernels.cholesky_adjoint": (MATRIX, np.linalg.cholesky(MATRIX)),
    "kernels.extremum_adjoint": (VECTOR, np.max(MATRIX, axis=1), MATRIX, 1),
    "kernels.copy_to": (np.zeros(3), VECTOR),
    **{
        f"kernels.blas.{name}_into": (np.zeros((3, 3)), MATRIX, OTHER)
        for name in ("times", "times_transpose", "transpose_times")
    },
    "kernels.blas.lu_factors_into": (np.zeros((3, 2)), REGULAR),
    "kernels.blas.inverse_factored_into": (np.zeros((2, 2)), REGULAR, FACTORS),
    "kernels.blas.cofactors_factored_into": (np.zeros((2, 2)), REGULAR, FACTORS, np.linalg.det(REGULAR)),
    "kernels.blas.outer_into": (np.zeros((3, 3)), VECTOR, VECTOR[::-1]),
    "kernels.blas.diagonal_into": (np.zeros((2, 2)), 3.0),
    **{
        f"kernels.blas.solve_factored{turned}_into": (np.zeros(2), REGULAR, FACTORS, VECTOR[:2])
        for turned in ("", "_transposed")
    },
    "kernels.scatter_add": (VECTOR, np.array([0, 2, 2]), MATRIX[0]),
    "kernels.unexpand": (np.zeros(1), VECTOR),
    "kernels.most_delayed": (MATRIX,),
    "kernels.add_delayed": (MATRIX, OTHER, OTHER, 2),
    **{f"kernels.blas.{name}_outer_products": (MATRIX, *[VECTOR] * 4) for name in ("store", "add")},
    "kernels.blas.store_both_products": (VECTOR, VECTOR[::-1], MATRIX, OTHER[0], OTHER[1]),
    "kernels.blas.store_product_and_back": (VECTOR, VECTOR[::-1], MATRIX, OTHER[0]),
    "kernels.grown": (VECTOR, 1),
    "kernels.trace_adjoint": (2.0, (2, 2)),
    "kernels.select": (True, VECTOR, VECTOR[::-1]),
    **{f"kernels.{name}": (VECTOR * 1j,) for name in ("modulus", "squared_modulus", "imaginary")},
    "kernels.ratio": (VECTOR, VECTOR[::-1]),
    "kernels.fitted": (VECTOR, VECTOR[::-1], "the rule of f"),
    "kernels.zero_like": (MATRIX,),
    "kernels.unarray": (VECTOR, VECTOR[::-1]),
    "kernels.product_of_derivatives": (VECTOR, VECTOR[::-1]),
    "kernels.strong_product": (VECTOR, VECTOR[::-1]),
    "kernels.strong_quotient": (VECTOR, VECTOR[::-1]),
    "kernels.restore": (VECTOR, (3, 2), 1),
    "kernels.unpad": (VECTOR, (1,), 1),
    "kernels.resized": (VECTOR, 2, 0),
    "kernels.places": (np.array([2, 0]),),
    "kernels.item_bar": (VECTOR, slice(1, None)),
    "kernels.diag_adjoint": (MATRIX, (3,)),
    "kernels.diff_adjoint": (VECTOR, 0),
    "operator.getitem": (VECTOR, slice(1, None)),
    "np.imag": (MATRIX * 1j,),
    "kernels.require_iteration": (True,),
    "kernels.same_extent": (3, 3),
    "kernels.unit_extent": (1,),
    "kernels.least_extent": (3, 2),
    "kernels.known_extent": (3, 3),
    "kernels.check_fits": ((3,), (2, 3), "shapes differ"),
    "kernels.check_index": (2, 3, "x[i] is out of range"),
    "kernels.check_indices": (np.array([2, -3]), 3, "x[k] is out of range"),
    "kernels.check_match": (0, "shapes differ"),
    "kernels.integers.check_between": (2, 0, 3, "it leaves 64 bits"),
    "kernels.integers.check_power": (2, 3, "it leaves 64 bits"),
    "kernels.integers.check_product": (2, 3, "it leaves 64 bits"),
    "kernels.integers.check_shift": (2, 3, "it leaves 64 bits"),
    "kernels.integers.check_sum": (2, 3, "it leaves 64 bits"),
    "kernels.check_one_element": (1, "two numbers", "return one", "f.py", 2, 4, 12, "    return x"),
    "kernels.check_room": (0, "x[i] is out of range", (1,)),
    "kernels.refuse_overlap": (VECTOR, OTHER),
    "kernels.check_bytes": (1, 2),
    "kernels.effect": (as_effect(lambda value: None), 0.5),
    "kernels.expect": (0.5, "f"),
    "print": (0.5,),
    "kernels.cofactors_factored": (REGULAR, FACTORS, np.linalg.det(REGULAR)),
    **{
        f"kernels.{name}_factored": (REGULAR, FACTORS) for name in ("inverse", "determinant", "sign", "log_determinant")
    },
    **{f"kernels.{name}": (REGULAR, FACTORS, VECTOR[:2]) for name in ("solve_factored", "solve_factored_transposed")},
}


def arguments(name):
    if name in ARGUMENTS:
        return copy.deepcopy(ARGUMENTS[name])
    called = function(name)
    count = called.nin if isinstance(called, np.ufunc) else 2 if name in ("max", "min", "math.pow") else 1
    if name.startswith("operator."):
        count = 1 if name.endswith((".neg", ".pos")) else 2
    if name.startswith("np."):
        return tuple(each.copy() for each in (MATRIX, OTHER)[:count])
    return (0.5, 0.25)[:count]


def called(name):
    given = arguments(name)
    return given, function(name)(*given)


def names(fact):
    return sorted(having(fact))


def shares(result, given):
    arrays = [each for each in given if isinstance(each, np.ndarray)]
    return isinstance(result, np.ndarray) and any(np.shares_memory(result, each) for each in arrays)


@pytest.mark.parametrize("name", FACTS)
def test_only_what_is_said_to_write_writes_into_an_argument(name):
    given, _ = called(name)
    before = arguments(name)
    is_same = [np.array_equal(one, other) for one, other in zip(given, before, strict=True)]
    written = 2 if Fact.WRITES_TWO in FACTS[name] else int(Fact.WRITES in FACTS[name])
    assert is_same == [*[False] * written, *[True] * (len(given) - written)]


@pytest.mark.parametrize("name", names(Fact.NEW))
def test_what_is_new_shares_no_memory_with_an_argument(name):
    given, result = called(name)
    assert not shares(np.asarray(result), given)


@pytest.mark.parametrize("name", names(Fact.NEW))
def test_what_is_new_is_so_each_time(name):
    given = arguments(name)
    one, other = function(name)(*given), function(name)(*given)
    assert not (isinstance(one, np.ndarray) and np.shares_memory(one, other))


@pytest.mark.parametrize("name", names(Fact.VIEW))
def test_what_is_a_view_shares_memory_with_the_first_argument(name):
    given, result = called(name)
    assert np.shares_memory(result, given[0])


@pytest.mark.parametrize("name", names(Fact.VIEW))
def test_views_can_be_written_through_but_for_those_that_are_read_only(name):
    _, result = called(name)
    assert result.flags.writeable == (Fact.READ_ONLY not in FACTS[name])


@pytest.mark.parametrize("name", names(Fact.OF_SHAPE))
def test_the_first_argument_is_the_shape(name):
    given, result = called(name)
    assert result.shape == given[0]


@pytest.mark.parametrize("name", sorted(array_functions.OF_SHAPE_AND_TYPE))
def test_the_second_argument_is_the_type(name):
    assert function(name)((2,), np.int32).dtype == np.int32


@pytest.mark.parametrize("name", names(Fact.LIKE | Fact.NEW))
def test_what_is_like_the_first_argument_has_its_shape_and_type(name):
    first, *rest = arguments(name)
    for given in (first, first.astype(np.float32), first[0], first[:, :0]):
        result = function(name)(given, *rest)
        assert (result.shape, result.dtype) == (given.shape, given.dtype)


@pytest.mark.parametrize("name", names(Fact.SAME_SHAPE))
def test_the_result_has_the_shape_of_the_first_argument_if_it_has_its_rank(name):
    given, result = called(name)
    assert result.ndim != given[0].ndim or result.shape == given[0].shape


@pytest.mark.parametrize("name", sorted(having(Fact.SHAPE_ONLY) - having(Fact.UNSET)))
def test_elements_of_which_only_the_shape_is_read_do_not_matter(name):
    (first, *rest), result = called(name)
    assert np.array_equal(function(name)(first + 1.0, *rest), result)


@pytest.mark.parametrize("name", names(Fact.SECOND_SHAPE_ONLY))
def test_elements_of_the_second_argument_do_not_matter(name):
    (first, second, *rest), result = called(name)
    assert np.array_equal(function(name)(first, second + 1.0, *rest), result)


@pytest.mark.parametrize("name", sorted(having(Fact.ZEROS) | having(Fact.ONES)))
def test_what_is_filled_is_so(name):
    _, result = called(name)
    assert np.all(result == fill_of(name))


@pytest.mark.parametrize(("like", "maker"), array_functions.MAKER_OF.items())
def test_what_makes_an_array_like_another_fills_it_as_what_makes_it_from_a_shape(like, maker):
    assert fill_of(like) == fill_of(maker)
    assert (like in array_functions.MAKES_UNSET) == (maker in array_functions.MAKES_UNSET)


@pytest.mark.parametrize("name", names(Fact.OF_ELEMENTS))
def test_the_elements_of_a_tuple_become_those_of_the_array(name):
    given, result = called(name)
    assert tuple(result) == given[0]


@pytest.mark.parametrize("name", names(Fact.REDUCES))
def test_a_reduction_drops_the_axis(name):
    given, result = called(name)
    assert np.ndim(result) == 0
    assert function(name)(given[0], axis=1).shape == given[0].shape[:1]


@pytest.mark.parametrize("name", sorted(having(Fact.SMOOTH) | having(Fact.EXTREME)))
def test_continuous_functions_change_little_where_their_arguments_do(name):
    given = arguments(name)
    near = [each + 1e-9 if np.asarray(each).dtype == float and np.ndim(each) in (0, 2) else each for each in given]
    if name not in array_functions.MAKES_UNSET:
        found = [function(name)(*each) for each in (near, given)]
        if FACTS[name] & (Fact.WRITES | Fact.WRITES_TWO):
            found = [np.concatenate([each[0].ravel(), each[1].ravel()]) for each in (near, given)]
        assert np.allclose(*found, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("name", names(Fact.TOTAL))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_total_functions_never_raise(name):
    count = len(arguments(name))
    for numbers in ((0, 0, 0), (-3, 2, -7), (5, 0, 1), (2, -9, 9)):
        function(name)(*numbers[:count])
        if not name.startswith("kernels."):
            function(name)(*map(float, numbers[:count]))


@pytest.mark.parametrize("name", names(Fact.DOUBLE))
@pytest.mark.parametrize("others", [0.5, 1])
def test_a_double_among_the_arguments_makes_a_double(name, others):
    count = len(arguments(name))
    assert isinstance(function(name)(0.25, *[others] * (count - 1)), float)
    assert isinstance(function(name)(*[others] * (count - 1), 0.25), float)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name", ["np.linalg.inv", "np.linalg.cholesky", "np.triu", "np.sort", "np.roll", "np.dot", "np.exp"]
)
def test_numba_returns_matrices_in_fortran_order_only_where_that_is_said(name):
    given = arguments(name)
    text = ", ".join("abc"[: len(given)])
    compiled = numba.njit(eval(f"lambda {text}: called({text})", {"called": function(name)}))
    assert compiled(*given).flags.c_contiguous == (Fact.FORTRAN not in FACTS[name])


SAMPLES = [
    (VECTOR,),
    (MATRIX,),
    (MATRIX * 1j,),
    (VECTOR, VECTOR[::-1]),
    (MATRIX, OTHER),
    (MATRIX, VECTOR),
    (MATRIX, 0),
    (MATRIX, (0, 1)),
    (MATRIX, 0, 1),
    (MATRIX, (9,)),
    (MATRIX > 1.0, MATRIX, OTHER),
    (VECTOR, np.zeros(3)),
    ((MATRIX, OTHER),),
    (VECTOR, (1,), 1),
    (VECTOR, 2, 0),
    (True, VECTOR, VECTOR[::-1]),
    ([VECTOR, VECTOR],),
    (0.25,),
    (0.25, 0.5),
]


def parts_of(result):
    """The arrays in a result."""
    return [part for each in result for part in parts_of(each)] if isinstance(result, (tuple, list)) else [result]


def is_allowed(primitive, sample):
    """Whether a function takes these arguments, none of them an array for the result."""
    if primitive in (stop_gradient, kernels.checkpointed_start, kernels.checkpointed_test, kernels.draw_size):
        return False  # one copies arrays, and passes on lists, of which no call is left; the others take numbers
    if isinstance(primitive, np.ufunc) or primitive is np.dot:
        return len(sample) == getattr(primitive, "nin", 2)
    try:
        bound = inspect.signature(primitive).bind(*sample).arguments
    except (TypeError, ValueError):
        return False
    return not {"out", "copy"} & bound.keys() and not (primitive is np.diff and isinstance(sample[-1], int))


@pytest.mark.parametrize("primitive", sorted(registry.primitives(), key=primitive_name), ids=primitive_name)
@pytest.mark.filterwarnings("ignore")
def test_results_share_memory_only_as_the_rules_and_the_table_say(primitive):
    for sample in filter(partial(is_allowed, primitive), SAMPLES):
        given = copy.deepcopy(sample)
        try:
            found = parts_of(primitive(*given))
        except Exception:  # noqa: BLE001 - the function refuses arguments of these kinds
            continue
        shared = [any(shares(part, parts_of(each)) for part in found) for each in given]
        allowed = {Result.NEW: 0, Result.FIRST: 1, Result.ANY: len(given)}[result_of(primitive, len(given))]
        assert not any(shared[allowed:])


@pytest.mark.parametrize("called", [np.linalg.solve, np.linalg.det, np.linalg.cholesky, np.outer, np.trace])
def test_what_has_rules_for_some_ranks_returns_memory_of_its_own(called):
    assert result_of(called, 2) is Result.NEW
