"""Code that is linked becomes machine code only where its address is asked for."""

import numpy as np
import pytest
from numba import njit, types
from numba.core.codegen import JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.extending import overload

from srcad.runtime.jit.code_libraries import CallingLibrary, LinkedLibrary
from srcad.runtime.jit.compact_numba import compact_numba
from srcad.runtime.jit.fast_compiler_pipeline import Quick


def half(x):
    return 0.5 * x


@overload(half)
def _half(x):
    def impl(x):
        return 0.5 * x

    impl.__module__ = "srcad.of_tests"  # kernels are srcad's or Numba's
    return impl


def compiled(function, *kinds):
    made = njit(pipeline_class=Quick)(function)
    with global_compiler_lock, compact_numba():
        made.compile(kinds)
    return made


def linked(dispatcher):
    (found,) = dispatcher.overloads.values()
    libraries = {getattr(each, "library", each) for each in found.library._linking_libraries}
    return {each for each in libraries if each.name != "nrt"}  # Numba's functions for memory


def test_a_kernel_that_is_inlined_has_no_machine_code_and_the_function_around_it_has():
    quarter = compiled(lambda x: half(half(x)), types.float64)
    assert quarter(3.0) == 0.75
    (kernel,) = linked(quarter)
    assert isinstance(kernel, CallingLibrary)
    assert not kernel.has_machine_code
    (found,) = quarter.overloads.values()
    assert found.library.has_machine_code
    assert found.library.get_pointer_to_function(found.fndesc.llvm_cpython_wrapper_name)


def test_machine_code_comes_when_an_address_is_asked_for():
    third = compiled(lambda x: half(x) / 1.5, types.float32)
    (kernel,) = linked(third)
    name = next(each.name for each in kernel._final_module.functions if not each.is_declaration)
    assert kernel.get_pointer_to_function(name)
    assert kernel.has_machine_code


def test_stored_code_without_machine_code_can_be_linked_again():
    (kernel,) = linked(compiled(lambda x: half(x) + 1, types.int32))
    name, kind, bitcode = kernel.serialize_using_object_code()
    assert kind == "bitcode"
    again = CallingLibrary.from_bitcode(cpu_target.target_context.codegen(), name, bitcode, {})
    defined = {each.name for each in again._final_module.functions if not each.is_declaration}
    assert defined == {each.name for each in kernel._final_module.functions if not each.is_declaration}


def test_numbas_own_functions_are_linked_the_same_way_and_objects_of_python_reach_them():
    @njit
    def checked(x):
        if x.size == 0:
            raise ValueError("nothing in", x.size)
        return x[0]

    first = compiled(lambda x: checked(x) + 1.0, types.float64[::1])
    assert first(np.array([2.0])) == 3.0
    with pytest.raises(ValueError, match="nothing in") as problem:
        first(np.zeros(0))
    assert problem.value.args == ("nothing in", 0)
    assert all(isinstance(each, LinkedLibrary) for each in linked(first))


def test_what_code_with_calls_by_address_needs_is_made_before_it_is_added(monkeypatch):
    events = []
    ask, add = rtsys.library.get_pointer_to_function, JITCPUCodegen._add_module

    def asked(name):
        events.append(name)
        return ask(name)

    def added(codegen, module):
        events.append("added")
        return add(codegen, module)

    def even(n):
        if n < 1:
            return True
        return odd_of(n - 1)

    def odd(n):
        if n < 1:
            return False
        return even_of(n - 1)

    monkeypatch.setattr(rtsys.library, "get_pointer_to_function", asked)
    monkeypatch.setattr(JITCPUCodegen, "_add_module", added)
    even_of, odd_of = njit(pipeline_class=Quick)(even), njit(pipeline_class=Quick)(odd)
    with global_compiler_lock, compact_numba():
        even_of.compile((types.int64,))
    assert even_of(4)
    assert not even_of(5)
    assert events[0] == "nrt_unresolved_abort"
    assert "added" in events
