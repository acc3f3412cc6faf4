"""The generated functions of a `Version` as things to call: compiled for the types they meet, or as plain Python."""

from __future__ import annotations

import contextlib
import functools
import inspect
import operator
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np
from numba import typeof
from numba.core import errors, types
from numba.core.registry import CPUDispatcher

from srcad.driver import numba_check
from srcad.driver.memoisation import remembered
from srcad.driver.options import Options
from srcad.driver.passes import ROWS
from srcad.driver.result_precision import of_kind
from srcad.driver.tiered_routines import let_run_meanwhile, with_python_numbers
from srcad.driver.trace_memory import refuse_trace
from srcad.driver.user_exceptions import place_refusal, tell
from srcad.driver.version import Request, Version
from srcad.errors import PACKAGE, PerformanceWarning, SrcadError
from srcad.frontend.load_source import name_of, plain_function
from srcad.names import Names
from srcad.refusals.types_and_results import NO_NUMBA_TYPE
from srcad.runtime.jit.dispatchers import Redirect, TypedDispatcher
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.jit.uncompiled_trace import Kept
from srcad.runtime.rulebook import registry
from srcad.runtime.support.compile_progress import Subject
from srcad.transforms.analysis.aliases import aliases_of_unit
from srcad.transforms.inference.subroutine_types import MAKERS
from srcad.transforms.inference.type_inference import types_of
from srcad.transforms.ir.build import walk
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import IN_PLACE_FUNCTIONS, primitive_of
from srcad.transforms.ir.unit import Unit


def compiled_routine(
    version: Version,
    index: int,
    shape: Callable[..., Any],
    must_compile: bool = False,
    redirect: Redirect | None = None,
    assumes: bool = True,
) -> TypedDispatcher:
    """The generated function of this index as one Numba dispatcher; `shape` gives it parameters and defaults.

    What Numba cannot compile runs uncompiled, or with `must_compile` raises CannotType. `redirect` may name a stand-in.
    Unless it `assumes` that arrays fit without broadcasting, it can be called from compiled code.
    """
    count = len(version.unit.parameters)
    is_tiered = version.request.options.tiered
    plain = uncompiled_routine(version, index, islands=True)
    uncompiled = with_python_numbers(plain) if is_tiered else plain

    def specialise(kinds: tuple[Any, ...]) -> CPUDispatcher:
        if not numba_check.is_tested():
            numba_check.check(_gradient)
        # A trace is read by the function that was generated together with the one that recorded it.
        return (version.recorded_by(kinds) or version.compiled(kinds[:count], assumes and version.assumes))[index]

    def otherwise(problem: CannotType) -> Callable[..., Any]:
        def warning(*args: Any) -> Any:
            result = uncompiled(*args)
            if not (index and isinstance(args[-2], Kept)):  # else the forward function has warned
                warn_of_fallback(version, problem)
            return result

        return warning

    def exhausted(problem: MemoryError, args: tuple[Any, ...]) -> None:
        refuse_trace(problem, version, _kinds_of(version, args), args)

    instead, suit = None if must_compile else otherwise, version.suit if assumes else None
    tells = None if index else exhausted
    unharmed = functools.partial(_writes_nothing, version)
    about = functools.partial(subject_of, version.function, version.request.mode)
    made = TypedDispatcher(shape, specialise, instead, redirect, version.widen, of_kind, tells, about, suit, unharmed)
    if is_tiered:
        let_run_meanwhile(made, version, index, None if must_compile else uncompiled)
    return made


def written_arguments(version: Version, kinds: Sequence[Any]) -> set[int]:
    """The positions of the arguments that a function may write to."""
    try:
        typed = types_of(version.unit, tuple(kinds))
    except CannotType:  # it has lists, which later passes make arrays of
        typed = Types()
    unit = version.unit
    aliases = aliases_of_unit(unit, typed)
    # `x *= 2.0` is a call still, of which the types tell whether it writes into an array.
    calls = [each for each in walk(unit.tree) if isinstance(each, gast.Call) and _is_in_place(each, unit)]
    changed = {site for each in calls for site in aliases.points_to(each.args[0].id)}
    return {
        k
        for k, (name, kind) in enumerate(zip(unit.parameters, kinds, strict=False))
        if aliases.is_written(name) or (isinstance(kind, types.Array) and changed & aliases.points_to(name))
    }


def _is_in_place(call: gast.Call, unit: Unit) -> bool:
    return primitive_of(call, unit.bindings) in IN_PLACE_FUNCTIONS and isinstance(call.args[0], gast.Name)


def _writes_nothing(version: Version, kinds: tuple[Any, ...]) -> bool:
    """Whether a call changes none of its arguments; derivatives never do."""
    return version.request.mode != "core" or not written_arguments(version, kinds)


_KINDS = {
    "core": "",
    "grad": "the gradient of ",
    "value_and_grad": "the value and the gradient of ",
    "vjp": "the pullback of ",
    "tangent": "the tangent of ",
    "hvp": "the second derivative of ",
}


def subject_of(function: Callable[..., Any], mode: str) -> Subject:
    """What a terminal is told of the derivative of a function while it is being compiled.

    >>> subject_of(kind_of, "grad").what
    'the gradient of kind_of'
    """
    code = getattr(plain_function(function), "__code__", None)
    file, line = (code.co_filename, code.co_firstlineno) if code is not None else ("?", 0)
    passes = tuple(row.name for row in ROWS.values() if row.function or row.name in ("lower", "differentiate"))
    return Subject(_KINDS[mode] + name_of(function), file, line, passes)


def _gradient(function: Callable[..., Any]) -> TypedDispatcher:
    """The compiled gradient of a function of two arguments by the first."""
    return compiled_routine(
        Version(function, Request("grad", (0,), False, Options(tiered=False))), 0, lambda x, k: None, must_compile=True
    )


def telling(version: Version, routine: Callable[..., Any]) -> Callable[..., Any]:
    """A compiled routine whose exceptions have a note that says at which line of the user's they arise.

    If there are none, the routine itself.
    """
    if not may_raise(version.unit):
        return routine
    checked = of_plain_arrays(routine)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return checked(*args, **kwargs)
        except SrcadError:
            raise
        except Exception as problem:  # the function's own, which may be any
            bound = _bound(routine, args, kwargs)
            if bound is not None:
                tell(problem, version, bound)
            raise

    return call


def may_raise(unit: Unit) -> bool:
    """Whether the function may raise an exception when it runs compiled, as far as its operations tell."""
    for node in walk(unit.tree):
        if isinstance(node, (gast.Raise, gast.Assert, gast.MatMult)):
            return True
        if isinstance(node, gast.Call):
            primitive = primitive_of(node, unit.bindings)
            rule = None if primitive is None else registry.find(primitive, [0] * len(node.args))
            if not _is_quiet(primitive) and not (rule is not None and rule.elementwise):
                return True
    return False


def _is_quiet(primitive: Any) -> bool:
    return any(primitive is each for each in _QUIET)


_QUIET = (range, len, float, int, bool, abs, max, min, operator.iadd, operator.isub, operator.imul, operator.itruediv)


def _bound(routine: Any, args: Any, kwargs: Any) -> tuple[Any, ...] | None:
    """All arguments of a call by position; None where they are not those of the function."""
    try:
        bound = inspect.signature(routine.py_func).bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    return bound.args


def uncompiled_routine(version: Version, index: int, islands: bool = False) -> Callable[..., Any]:
    """The generated function of this index as plain Python, chosen by the types of the arguments at each call.

    With `islands`, a function that loops is compiled around the calls that Numba does not know.
    """

    def first(*args: Any) -> Any:
        kinds = _kinds_of(version, args)
        try:
            return version.uncompiled(kinds, islands)(*args)
        except SrcadError as refusal:
            place_refusal(refusal, version.unit)
            raise
        except MemoryError as problem:
            with contextlib.suppress(CannotType):
                refuse_trace(problem, version, kinds, args)
            raise
        except Exception as problem:  # the function's own, which may be any
            tell(problem, version, args)
            raise

    def reverse(*args: Any) -> Any:
        *arguments, trace, bar = args
        if isinstance(trace, Kept):
            try:
                return trace.pull(tuple(arguments), bar)
            except SrcadError as refusal:
                place_refusal(refusal, version.unit)
                raise
        made = version.compiled_with(type(trace).__module__)  # the trace is that of a compiled function
        return (made or version.compiled(_kinds_of(version, args)))[index].py_func(*args)

    return reverse if index else first


def _kinds_of(version: Version, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numba's types of the arguments that are the function's own."""
    parameters = version.unit.parameters
    return tuple(kind_of(name, value) for name, value in zip(parameters, args[: len(parameters)], strict=True))


# Types of arguments that Numba's dispatch takes for what they are. It takes any subclass of arrays for an array: the
# product of matrices for one of elements, and masked elements for others.
ORDINARY = frozenset((np.ndarray, float, int, complex, bool, np.float64, np.float32, np.complex128, np.int64))


def of_plain_arrays(routine: Any) -> Callable[..., Any]:
    """A dispatcher that refuses instances of subclasses of arrays which are no arrays to Numba.

    The function has the parameters of the dispatcher, which takes less time than to pass on any arguments.
    """
    stub = routine.py_func
    names = stub.__code__.co_varnames[: stub.__code__.co_argcount]
    if not names:
        return routine  # type: ignore[no-any-return]
    own = Names(names)
    ordinary, refuse, called = (own.fresh(each) for each in ("ORDINARY", "refuse_subclasses", "routine"))
    given = ", ".join(names)
    test = " and ".join(f"{each}.__class__ in {ordinary}" for each in names)
    text = f"def call({given}):\n    if not ({test}):\n        {refuse}(({given},))\n    return {called}({given})\n"
    space = {ordinary: ORDINARY, called: routine, refuse: functools.partial(refuse_subclasses, names)}
    exec(compile(text, f"{PACKAGE}<call>", "exec"), space)
    call: Any = space["call"]
    call.__defaults__, call.__name__, call.__qualname__ = stub.__defaults__, stub.__name__, stub.__qualname__
    return call  # type: ignore[no-any-return]


def refuse_subclasses(names: Sequence[str], values: Sequence[Any]) -> None:
    """Raise NotDifferentiable for an argument that is an instance of a subclass of arrays, and no array to Numba."""
    for name, value in zip(names, values, strict=True):
        if type(value) is not np.ndarray and isinstance(value, np.ndarray):
            kind_of(name, value)


def kind_of(name: str, value: Any) -> Any:
    """Numba's type of an argument."""
    if isinstance(value, np.matrix) or (isinstance(value, np.ndarray) and value.dtype.hasobject):
        refuse_argument(name, value)
    try:
        return typeof(value)
    except (ValueError, errors.NumbaError):
        refuse_argument(name, value)
        raise NO_NUMBA_TYPE.error(name=name, type=type(value).__name__) from None


def refuse_argument(name: str, value: Any) -> None:
    """Raise NotDifferentiable for an argument of a kind whose cure is known."""
    from srcad.driver.refused_arguments import refusal_of  # late import: good arguments do not need it

    refusal = refusal_of(name, value)
    if refusal is not None:
        raise refusal from None


def warn_of_fallback(version: Version, problem: CannotType) -> None:
    """Tell once what kept a function from compiling, at the user's line that called it."""
    told: set[tuple[Any, ...]] = remembered(version.function, "fallbacks", set)
    if (problem.reason, problem.place) in told:
        return
    told.add((problem.reason, problem.place))
    at = f"{problem.place.shown()}: " if problem.place else ""
    level, frame, inside = 2, sys._getframe(1), PACKAGE
    while frame.f_back is not None and frame.f_code.co_filename.startswith(inside):
        level, frame = level + 1, frame.f_back
    warnings.warn(f"{at}{version.unit.name} runs uncompiled: {problem.reason}", PerformanceWarning, stacklevel=level)


def _primal(function: Any) -> Callable[..., Any]:
    """A function in core form that calls derivatives, uncompiled."""
    return uncompiled_routine(Version(function, Request("core", ()), function.unit), 0)


MAKERS.append(_primal)
