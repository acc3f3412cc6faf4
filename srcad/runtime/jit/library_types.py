"""Types of calls of Numba's own library, without machine code for it.

Much of NumPy is Python to Numba: typing a call of `np.sum` compiles a function of Numba's, and those that it calls. The
calls of a user's function are typed before anything is generated, and many do not get into what is: sums and slices
become loops. In the block such functions are typed as the user's are; generated code has those compiled that it calls.

Numba offers no way to ask for that, so the methods by which it compiles what it types are others in the block, which
runs under Numba's own lock. Whatever is compiled in earnest in there finds them as they were.
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

# What compiles a function up to the types of its names, in Numba's terms: a state with `return_type`.
Infer = Callable[[CPUDispatcher, tuple[Type, ...]], Any]
_PLACES = (
    (dispatchers._DispatcherBase, "get_call_template"),
    (DispatcherType, "get_overload"),
    (dispatchers._FunctionCompiler, "compile"),
)
_NUMBAS = tuple(owner.__dict__[name] for owner, name in _PLACES)
_get_call_template, _get_overload, _compile = _NUMBAS
# Functions of Numba's that return nothing. To find that out takes long: they put together what they say if they raise.
_CHECKS = {("numba.np.arraymath", "check_axis_bounds")}
_known: WeakKeyDictionary[CPUDispatcher, dict[tuple[Type, ...], Any]] = WeakKeyDictionary()


@contextmanager
def without_machine_code(infer: Infer) -> Iterator[None]:
    """In the block, functions of Numba's library that calls are resolved to are typed by `infer` and not compiled."""

    def template(dispatcher: Any, args: Any, kws: Any) -> Any:
        if not _is_library(dispatcher):
            with _methods(_NUMBAS):
                return _get_call_template(dispatcher, args, kws)
        signature, folded = dispatcher._compiler.fold_argument_types(args, kws)
        arguments = tuple(folded)
        found = typing.signature(_result(dispatcher, arguments, infer), *arguments)
        name = dispatcher.py_func.__name__
        return typing.make_concrete_template(name, key=name, signatures=[found]), signature, arguments, {}

    with _methods((template, _overload_if_compiled, _compile_in_earnest)):
        yield


def _result(dispatcher: CPUDispatcher, arguments: tuple[Type, ...], infer: Infer) -> Type:
    """The type of a call's result, or the error that it has no type; a library's functions do not change."""
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
    """Whether this is a function of Numba's or of our kernels, and nothing special."""
    made: Any = getattr(dispatcher, "_compiler", None)
    return (
        type(dispatcher) is CPUDispatcher
        and type(made) is dispatchers._FunctionCompiler
        and made.pipeline_class is compiler.Compiler
        and not made.locals
        and (dispatcher.py_func.__module__ or "").startswith(("numba.", "srcad.runtime."))
    )


def _overload_if_compiled(kind: DispatcherType, signature: Any) -> Any:
    """What Numba notes as the code of a call; it types the call again before it needs it."""
    known = kind.dispatcher.overloads.get(tuple(signature.args))
    return None if known is None else known.entry_point


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
