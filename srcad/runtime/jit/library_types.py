"""Type calls of Numba's own library without compiling them.

Much of NumPy is implemented in Python in Numba: typing a call of `np.sum` compiles a Numba function and those it calls.
The calls of a user's function are typed before code is generated, and many do not appear in the generated code: sums
and slices become loops. Inside `without_machine_code`, library functions are only typed, as the user's are; generated
code compiles those that it does call.

Numba has no option for this, so inside the block some of its methods are replaced, under Numba's own lock. A
compilation that really runs in the block finds the original methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from numba.core import compiler, errors, typing
from numba.core import dispatcher as dispatchers
from numba.core.registry import CPUDispatcher
from numba.core.types import Dispatcher as DispatcherType
from numba.core.types import Type, none
from numba.core.typing import templates

from srcad.runtime.jit.fast_compiler_pipeline import OfKernels

# Runs the compiler on a function up to type inference. Returns Numba's state with `return_type`.
Infer = Callable[[CPUDispatcher, tuple[Type, ...]], Any]
_PLACES = (
    (dispatchers._DispatcherBase, "get_call_template"),
    (DispatcherType, "get_overload"),
    (dispatchers._FunctionCompiler, "compile"),
    (templates._OverloadFunctionTemplate, "generic"),
)
_NUMBAS = tuple(owner.__dict__[name] for owner, name in _PLACES)
_get_call_template, _get_overload, _compile, _resolve = _NUMBAS
# Numba functions that return nothing. Typing them would take long, because of the messages that they build.
_CHECKS = {("numba.np.arraymath", "check_axis_bounds")}
_known: WeakKeyDictionary[CPUDispatcher, dict[tuple[Type, ...], Any]] = WeakKeyDictionary()


@contextmanager
def without_machine_code(infer: Infer) -> Iterator[None]:
    """In the block, Numba's library functions are typed by `infer` and not compiled."""

    def template(dispatcher: Any, args: Any, kws: Any) -> Any:
        if not _is_library(dispatcher):
            with _methods(_NUMBAS):
                return _get_call_template(dispatcher, args, kws)
        signature, folded = dispatcher._compiler.fold_argument_types(args, kws)
        arguments = tuple(folded)
        found = typing.signature(_result(dispatcher, arguments, infer), *arguments)
        name = dispatcher.py_func.__name__
        return typing.make_concrete_template(name, key=name, signatures=[found]), signature, arguments, {}

    with _methods((template, _overload_if_compiled, _compile_in_earnest, _resolve_and_keep_code)):
        yield


def _result(dispatcher: CPUDispatcher, arguments: tuple[Type, ...], infer: Infer) -> Type:
    """The type of a call's result, or its typing error. Both are cached, since library functions do not change."""
    compiled = dispatcher.overloads.get(arguments)
    if compiled is not None:
        return compiled.signature.return_type
    if (dispatcher.py_func.__module__, dispatcher.py_func.__name__) in _CHECKS:
        return none
    known = _known.setdefault(dispatcher, {})
    if arguments not in known:
        try:
            with dispatcher._compiling_counter:
                known[arguments] = infer(dispatcher, arguments).return_type
        except errors.ForceLiteralArg as asked:
            raise asked.bind_fold_arguments(lambda *call: dispatcher._compiler.fold_argument_types(*call)[1]) from asked
        except errors.TypingError as error:
            known[arguments] = error
    if isinstance(known[arguments], Exception):
        raise known[arguments]
    return known[arguments]


def _is_library(dispatcher: Any) -> bool:
    """Whether this is an ordinary function of Numba's library or of srcad's kernels."""
    made: Any = getattr(dispatcher, "_compiler", None)
    return (
        type(dispatcher) is CPUDispatcher
        and type(made) is dispatchers._FunctionCompiler
        and made.pipeline_class in (compiler.Compiler, OfKernels)
        and not made.locals
        and (dispatcher.py_func.__module__ or "").startswith(("numba.", "srcad.runtime."))
    )


def _overload_if_compiled(kind: DispatcherType, signature: Any) -> Any:
    """The code that Numba notes for a call; it resolves the call again before it needs the code."""
    known = kind.dispatcher.overloads.get(tuple(signature.args))
    return None if known is None else known.entry_point


def _resolve_and_keep_code(template: Any, args: Any, kws: Any) -> Any:
    """Resolve a call; the code that Numba has noted for it stays, for a function that is typed may still be waiting."""
    before = dict(template._compiled_overloads)
    found = _resolve(template, args, kws)
    if found is not None and template._compiled_overloads.get(found.args) is None and found.args in before:
        template._compiled_overloads[found.args] = before[found.args]
    return found


def _compile_in_earnest(made: Any, args: Any, return_type: Any) -> Any:
    with _methods(_NUMBAS):
        return _compile(made, args, return_type)


@contextmanager
def _methods(methods: tuple[Any, ...]) -> Iterator[None]:
    before = tuple(owner.__dict__[name] for owner, name in _PLACES)
    try:
        _set(methods)
        yield
    finally:
        _set(before)


def _set(methods: tuple[Any, ...]) -> None:
    for (owner, name), method in zip(_PLACES, methods, strict=True):
        setattr(owner, name, method)
