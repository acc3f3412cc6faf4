"""Parts of Numba's code generator that are replaced while srcad compiles, since their results take long to compile.

    array expressions    loops that do not ask in each iteration what is broadcast (`array_loops`)
    slice assignment     the message about shapes that do not match is put together in Python: in Numba's place, code
                         for strings and their formatting is compiled, 1.6 s for the first assignment to a slice
    axes out of range    the same for the message about an axis that an array does not have
    variables            of a statement are found with fewer questions about types
    timers               Numba times each use of LLVM's lock, once for each function that is waiting for another
    library functions    are compiled once for all processes (`kernel_cache`)
    objects in calls     in object mode, such as loggers with locks, may be ones that cannot be pickled
    linked code          becomes machine code only where its address is asked for (`code_libraries`)

What is compiled does the same. Code that Numba compiles for others is not touched, but a function of Numba's own
library that srcad was the first to need remains as it was compiled.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from numba.core import event, ir, serialize, types
from numba.core.base import BaseContext
from numba.core.codegen import JITCPUCodegen
from numba.core.typing.templates import _OverloadFunctionTemplate
from numba.extending import overload
from numba.np import arrayobj, npyimpl
from numpy.exceptions import AxisError

from srcad.runtime.jit.array_loops import array_loops
from srcad.runtime.jit.array_views import compile_internal
from srcad.runtime.jit.code_libraries import LinkedLibrary
from srcad.runtime.jit.fast_compiler_pipeline import OfKernels
from srcad.runtime.jit.kernel_cache import decorator_with_cache


class DifferentShapes(ValueError):
    """The shapes of a slice and of what is assigned to it do not match.

    >>> raise DifferentShapes((2,), (3,))
    Traceback (most recent call last):
    srcad.runtime.jit.compact_numba.DifferentShapes: cannot assign slice of shape (2,) from input of shape (3,)
    """

    def __init__(self, slice_shape: tuple[int, ...], input_shape: tuple[int, ...]) -> None:
        super().__init__(f"cannot assign slice of shape {slice_shape} from input of shape {input_shape}")
        self._shapes = slice_shape, input_shape

    def __reduce__(self) -> Any:
        return DifferentShapes, self._shapes


def raise_different_shapes(input_shape: Any, slice_shape: Any) -> None:
    """Raise the error of an assignment to a slice. Only in compiled code."""
    raise NotImplementedError


@overload(raise_different_shapes)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _overload_raise_different_shapes(input_shape: Any, slice_shape: Any) -> Any:
    def impl(input_shape: Any, slice_shape: Any) -> None:
        raise DifferentShapes(slice_shape, input_shape)

    return impl


def check_axis_bounds(a: Any, axis: Any) -> None:
    """Raise NumPy's error unless an array has an axis, or all axes of a tuple. Only in compiled code."""
    raise NotImplementedError


@overload(check_axis_bounds)  # type: ignore[untyped-decorator]
def _overload_check_axis_bounds(a: Any, axis: Any) -> Any:
    def of_number(a: Any, axis: Any) -> None:
        if axis < -a.ndim or axis >= a.ndim:
            raise AxisError(axis, a.ndim)

    def of_tuple(a: Any, axis: Any) -> None:
        for each in axis:
            if each < -a.ndim or each >= a.ndim:
                raise AxisError(each, a.ndim)

    def of_none(a: Any, axis: Any) -> None:
        pass

    if isinstance(axis, types.Integer):
        return of_number
    return of_tuple if isinstance(axis, types.BaseTuple) else of_none


def listed_variables(self: Any, value: Any) -> list[Any]:
    """The variables in a part of Numba's representation, in place of `ir.Inst._rec_list_vars`, in a third of the time.

    >>> loc = ir.Loc("", 1)
    >>> x, y = ir.Var(None, "x", loc), ir.Var(None, "y", loc)
    >>> [each.name for each in listed_variables(None, {"func": x, "args": [y, (x, 2)], "kws": (), "op": "call"})]
    ['x', 'y', 'x']
    """
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind not in _CONTAINERS:
        found: list[Any] = value.list_vars() if isinstance(value, ir.Inst) else _list_variables(self, value)
        return found
    found = []
    for each in value.values() if kind is dict else value:
        of = type(each)
        if of is ir.Var:
            found.append(each)
        elif of not in _LEAVES:
            found += listed_variables(self, each)
    return found


_list_variables = ir.Inst._rec_list_vars
_CONTAINERS = frozenset((dict, list, tuple))
_LEAVES = frozenset((str, int, bool, type(None), ir.Loc))


def _no_timer(kind: str, callback: Any) -> AbstractContextManager[None]:
    return nullcontext()


def _decorator(template: Any) -> Any:
    return decorator_with_cache(template, OfKernels)


_is_serialiable = getattr(serialize, "is_serialiable", None)


def can_be_pickled(thing: Any) -> bool:
    """What older Numba asks of a call in object mode; its own function raises TypeError for a lock or an open file."""
    try:
        return _is_serialiable is not None and bool(_is_serialiable(thing))
    except TypeError:
        return False


@functools.cache
def _replaced() -> tuple[tuple[Any, str, Any], ...]:
    """What is replaced: owners, names, and what stands there meanwhile."""
    from numba.np import arraymath  # which Numba itself loads when it first compiles

    ours = (
        (event, "install_timer", _no_timer),
        (ir.Inst, "_rec_list_vars", listed_variables),
        (npyimpl, "numpy_ufunc_kernel", array_loops),
        (arrayobj, "raise_with_shape_context", raise_different_shapes),
        (arraymath, "check_axis_bounds", check_axis_bounds),
        (_OverloadFunctionTemplate, "_get_jit_decorator", _decorator),
        (JITCPUCodegen, "_library_class", LinkedLibrary),
        (BaseContext, "compile_internal", compile_internal),
        (serialize, "is_serialiable", can_be_pickled),
    )
    return tuple(each for each in ours if hasattr(*each[:2]))  # of each version of Numba those that it has


@contextmanager
def compact_numba() -> Iterator[None]:
    """A block in which Numba compiles with the replacements of this module. Needs Numba's compiler lock.

    >>> with compact_numba():
    ...     npyimpl.numpy_ufunc_kernel is array_loops
    True
    >>> npyimpl.numpy_ufunc_kernel is array_loops
    False
    """
    replaced = _replaced()
    before = [getattr(owner, name) for owner, name, _ in replaced]
    try:
        for owner, name, ours in replaced:
            setattr(owner, name, ours)
        yield
    finally:
        for (owner, name, _), original in zip(replaced, before, strict=True):
            setattr(owner, name, original)
