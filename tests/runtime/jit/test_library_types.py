"""Calls of Numba's library are typed without being compiled; what is compiled in earnest is compiled as ever."""

import threading

import numba
import numpy as np
import pytest
from numba import float64, int64, types
from numba.core import event
from numba.core.dispatcher import _DispatcherBase
from numba.core.registry import cpu_target

from srcad.runtime import kernels
from srcad.runtime.jit.numba_inference import CannotType, infer
from tests.waiting import join

VECTOR, MATRIX = float64[::1], float64[:, ::1]


def compiled_while(run):
    """The names of the functions that Numba compiled."""
    with event.install_recorder("numba:compile") as recorder:
        run()
    return {each.data["dispatcher"].py_func.__qualname__ for _, each in recorder.buffer}


def test_calls_of_the_library_have_types_and_no_code():
    def f(x):
        rows = np.sum(x, axis=1)
        return rows, np.cumprod(x), np.max(rows), np.linalg.norm(x)

    found = []
    assert compiled_while(lambda: found.append(infer(f, (MATRIX,)))) == set()
    assert found[0].result == types.Tuple((VECTOR, VECTOR, float64, float64))


@pytest.mark.compiled
def test_what_was_typed_is_compiled_where_it_is_called():
    def f(x):
        return np.sum(np.flip(x))

    infer(f, (VECTOR,))
    assert numba.njit(f)(np.arange(4.0)) == 6.0
    infer(f, (VECTOR,))
    assert numba.njit(lambda x: 2.0 * np.sum(np.flip(x)))(np.arange(4.0)) == 12.0


def test_a_call_without_a_type_says_so_each_time():
    def f(x):
        return np.roll(x, "rows")

    for _ in range(2):
        with pytest.raises(CannotType):
            infer(f, (MATRIX,))


@pytest.mark.compiled
def test_a_users_function_that_inference_meets_is_compiled_with_all_it_calls():
    @numba.njit
    def total(x):
        return np.sum(np.roll(x, 1))

    def f(x):
        return total(x)

    assert infer(f, (VECTOR,)).result == float64
    assert total(np.ones(3)) == 3.0


@pytest.mark.compiled
def test_inference_leaves_the_code_that_a_call_has_noted():
    context = cpu_target.typing_context
    kind = context.resolve_value_type(kernels.fitted)
    signature = kind.get_call_type(context, (VECTOR, VECTOR, types.unicode_type), {})
    code = kind.get_impl_key(signature)
    assert code is not None
    for template in kind.templates:
        template._impl_cache.clear()  # another dispatcher is made, as for a text that is another literal

    def f(value, like):
        return kernels.fitted(value, like, "the rule")

    infer(f, (VECTOR, VECTOR))
    assert kind.get_impl_key(signature) is code


def test_numbas_own_methods_are_back_afterwards():
    before = _DispatcherBase.get_call_template, types.Dispatcher.get_overload

    def f(x):
        return np.sum(x) + x.nothing_of_the_kind

    with pytest.raises(CannotType):
        infer(f, (VECTOR,))
    assert (_DispatcherBase.get_call_template, types.Dispatcher.get_overload) == before


@pytest.mark.compiled
def test_another_thread_compiles_as_ever_while_types_are_inferred():
    def f(x, n):
        return np.sum(x) * n, np.argsort(x), np.prod(x)

    def infer_often():
        for _ in range(6):
            infer(lambda x, n: (np.sum(x) * n, np.diff(x)), (VECTOR, int64))

    thread = threading.Thread(target=infer_often, daemon=True)
    thread.start()
    try:
        total, order, product = numba.njit(f)(np.array([2.0, 1.0]), 3)
    finally:
        join(thread)
    assert (total, order.tolist(), product) == (9.0, [1, 0], 2.0)
