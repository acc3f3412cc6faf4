"""Run Numba's type inference on a Python function without compiling it.

    def f(x, n):            infer(f, (float64[::1], int64))
        s = 0.0                 types:  x -> array(float64, 1d, C), n -> int64, s -> float64
        ...                     result: float64

Everything that Numba does before inference (pruning of branches on `None`, constants, static indices) is done as well,
so that a function that types here also compiles. A name in a pruned branch has no type. No code of the function is
executed.
"""

from __future__ import annotations

import dis
import itertools
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from numba.core import compiler, errors, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NopythonTypeInference, PartialTypeInference
from numba.core.types import Type

from srcad.errors import Place, SrcadError
from srcad.runtime.jit.compact_numba import compact_numba
from srcad.runtime.jit.fast_compiler_pipeline import Passes, replaced
from srcad.runtime.jit.library_types import without_machine_code


@dataclass(frozen=True)
class Inferred:
    """The result of inference: a type for every local name that is reached, and the type of the result."""

    types: Mapping[str, Type]
    result: Type


class CannotType(Exception):
    """Numba cannot type a function: `reason` is the innermost cause, `line` its line in the function's file.

    `place` is added by the caller that can map the line to the user's code. `name` is a name that would have two types,
    if that is the cause.
    """

    def __init__(
        self, reason: str, line: int | None = None, place: Place | None = None, name: str | None = None
    ) -> None:
        super().__init__(reason)
        self.reason, self.line, self.place, self.name = reason, line, place, name


def infer(
    function: Callable[..., Any], argument_types: tuple[Type, ...], wanted: Collection[str] | None = None
) -> Inferred:
    """The types of the local names of a Python function, or of those in `wanted`, for these argument types.

    Raises `CannotType` if Numba does not know a function or an attribute, or cannot unify types.

    >>> def double(x):
    ...     y = x + x
    ...     return y
    >>> infer(double, (types.float32,))
    Inferred(types={'x': float32, 'y': float32}, result=float32)
    """
    if hasattr(function, "py_func"):
        function = function.py_func
    try:
        state = _run(function, argument_types)
    except SrcadError:
        raise
    except (errors.NumbaError, errors.UnsupportedBytecodeError, *_NUMBAS_OWN) as error:
        reason = _of_returned_name(reason_of(error), function)
        torn = re.match(r"'(\w+)' is .* in one place and .* in another$", reason)
        raise CannotType(reason, _line(error, function), name=torn and torn[1]) from error
    return Inferred(_locals(function, state.typemap, wanted), types.unliteral(state.return_type))


def partly_inferred(function: Callable[..., Any], argument_types: tuple[Type, ...]) -> Mapping[str, Type]:
    """The types that inference finds before it fails; a name with a value of unknown type may get another one.

    >>> def unknown(x):
    ...     y = x * 2.0
    ...     return y.no_such_method()
    >>> partly_inferred(unknown, (types.float32,))
    {'x': float32, 'y': float64}
    """
    try:
        with typing_only():
            state = _typed(function, argument_types, _OPTIONS, _PartialInference)
    except (errors.NumbaError, errors.UnsupportedBytecodeError, *_NUMBAS_OWN):
        return {}
    found: dict[str, set[Type]] = {}
    for numbered, kind in state.typemap.items():
        name, _, number = numbered.partition(".")
        if name in function.__code__.co_varnames and (not number or number.isdigit()):
            found.setdefault(name, set()).add(types.unliteral(kind))
    return {name: next(iter(kinds)) for name, kinds in found.items() if len(kinds) == 1 and types.unknown not in kinds}


def inferred_in_context(function: Callable[..., Any], argument_types: tuple[Type, ...]) -> Inferred:
    """`infer` inside another inference. Numba's errors pass unchanged, because Numba retries recursive calls."""
    state = _run(function, argument_types)
    return Inferred(_locals(function, state.typemap), types.unliteral(state.return_type))


def typed_code(function: Callable[..., Any], argument_types: tuple[Type, ...]) -> Any:
    """Numba's representation of a function, `func_ir`, and the types of its names; may raise Numba's errors."""
    return _run(function, argument_types)


class _Inference(compiler.CompilerBase):  # type: ignore[misc]  # Numba carries no annotations
    """Numba's compiler, stopped after type inference."""

    def define_pipelines(self) -> list[PassManager]:
        manager = Passes("srcad inference")
        untyped = compiler.DefaultPassBuilder.define_untyped_pipeline(self.state).passes
        manager.passes.extend(replaced([*untyped, (NopythonTypeInference, "nopython frontend")]))
        from srcad.runtime.jit.array_allocation import add_to

        add_to(manager, self.state)
        manager.finalize()
        return [manager]


class _PartialInference(compiler.CompilerBase):  # type: ignore[misc]  # Numba carries no annotations
    """Numba's compiler, stopped after an inference that goes on after errors."""

    def define_pipelines(self) -> list[PassManager]:
        manager = PassManager("srcad partial inference")
        manager.passes.extend(compiler.DefaultPassBuilder.define_untyped_pipeline(self.state).passes)
        manager.add_pass(PartialTypeInference, "inference of what can be typed")
        manager.finalize()
        return [manager]


@contextmanager
def typing_only() -> Iterator[None]:
    """In the block, library functions are typed and not compiled."""
    with global_compiler_lock, warnings.catch_warnings(), without_machine_code(_library), compact_numba():
        # Numba warns about slow code when it compiles; nothing is compiled here.
        warnings.simplefilter("ignore", errors.NumbaWarning)
        yield


def _run(function: Callable[..., Any], argument_types: tuple[Type, ...]) -> Any:
    with typing_only():
        return _typed(function, argument_types, _OPTIONS)


def _typed(
    function: Callable[..., Any],
    argument_types: tuple[Type, ...],
    options: Mapping[str, Any],
    kind: Callable[..., Any] | None = None,
) -> Any:
    typing_context, target_context = cpu_target.typing_context, cpu_target.target_context
    flags = compiler.Flags()
    cpu_target.options.parse_as_flags(flags, dict(options))
    inference = (kind or _Inference)(typing_context, target_context, None, argument_types, None, flags, {})
    # The passes end with inference, so there is no compiled result to return.
    inference.state.cr = _NOTHING_COMPILED
    inference.compile_extra(function)
    return inference.state


def _library(dispatcher: CPUDispatcher, argument_types: tuple[Type, ...]) -> Any:
    """Type a library function that a call resolves to."""
    return _typed(dispatcher.py_func, argument_types, dispatcher.targetoptions)


_NOTHING_COMPILED = object()
# Numba's internal failures, such as `+=` on an optional, or `float(repr(x))`.
_NUMBAS_OWN = (NotImplementedError, AssertionError, AttributeError, TypeError, ValueError)
# The options of most generated functions: Numba keeps what it compiles of its library per set of options.
_OPTIONS = {"nopython": True, "boundscheck": None, "error_model": "numpy"}


def _locals(
    function: Callable[..., Any], typemap: Mapping[str, Type], wanted: Collection[str] | None = None
) -> dict[str, Type]:
    """The types of the user's names. Numba numbers the stores of a name (`x`, `x.1`, ...); temporaries start with `$`.

    Numba's names for arguments, `arg.x`, look similar and are skipped.
    """
    found: dict[str, Type] = {}
    names = dict.fromkeys(function.__code__.co_varnames)
    for numbered, each in typemap.items():
        name, _, number = numbered.partition(".")
        if name not in names or (number and not number.isdigit()) or (wanted is not None and name not in wanted):
            continue
        plain = types.unliteral(each)
        if name in found and found[name] != plain:
            joined = cpu_target.typing_context.unify_types(found[name], plain)
            if joined is None:
                raise CannotType(_torn(name, found[name], plain), name=name)
            plain = joined
        found[name] = plain
    return {name: found[name] for name in names if name in found}


_SIMPLER = (
    # Numba's wording                                                       ours
    (r"No implementation of function Function\((.*?)\) found for signature:\s*(?:>>>\s*)?(.*)", "implementation"),
    (r"Unknown attribute '(\w+)' of type (Module\(.*?\)|.*)", "attribute"),
    (r"Untyped global name '(.*?)':?\s*(.*)", "global"),
    (r"Cannot unify (.*?) and (.*?) for '(.*?)'", "unify"),
    (r"[vV]ariable '?(\S+?)'? (?:is )?(?:referenced before assignment|not defined)", "unbound"),
)


def reason_of(error: Exception) -> str:
    """The innermost cause in one of Numba's error reports."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    text = re.sub(r"Literal\[\w+\]\((.*?)\)", r"\1", text)
    # The innermost cause is the last one in Numba's nested reports.
    best: tuple[int, str] | None = None
    for pattern, kind in _SIMPLER:
        for match in re.finditer(pattern, text):
            if best is None or (match.start() > best[0] and kind != "global"):
                best = (match.start(), _phrase(kind, match))
    if best is not None:
        return best[1]
    plain = [line.strip() for line in text.splitlines() if line.strip()]
    plain = [line for line in plain if not line.startswith(("Failed in", "During:", "File ", "<source"))]
    return plain[0].partition(" Raised from ")[0] if plain else type(error).__name__


def _phrase(kind: str, match: re.Match[str]) -> str:
    if kind == "attribute":
        module = re.match(r"Module\(<module '([\w.]+)'", match[2])
        owner = module[1].replace("numpy", "np", 1) if module else match[2].strip()
        return f"{owner}.{match[1]} is not known to Numba"
    if kind == "implementation":
        return f"Numba has no implementation of {match[2].strip()}"
    if kind == "global":
        return f"'{match[1]}' is not known to Numba"
    if kind == "unify":
        return _torn(match[3].partition(".")[0], match[1], match[2])
    return f"'{match[1].partition('.')[0]}' may be read before it is set"


def _of_returned_name(reason: str, function: Callable[..., Any]) -> str:
    """The cause by the name that is returned: Python 3.10 copies a final `return y` to the end of each branch."""
    unlike = reason.partition("Can't unify return type from the following types: ")[2]
    if not unlike:
        return reason
    code = list(dis.get_instructions(function))
    returned = {before for before, after in itertools.pairwise(code) if after.opname == "RETURN_VALUE"}
    names = {each.argval for each in returned}
    if len(names) != 1 or any(each.opname != "LOAD_FAST" for each in returned):
        return reason
    one, other, *_ = re.findall(r"(?:[^,( ]|\((?:[^()]|\([^()]*\))*\))+", unlike)
    return _torn(names.pop(), one, other)


def _torn(name: str, one: Any, other: Any) -> str:
    """The reason for a name of two types, in an order that does not depend on the version of Numba.

    >>> _torn("x", "int64", "float64")
    "'x' is float64 in one place and int64 in another"
    """
    first, second = sorted((str(one), str(other)))
    return f"'{name}' is {first} in one place and {second} in another"


def _line(error: Exception, function: Callable[..., Any]) -> int | None:
    """The line in the function, among all lines that the error report names."""
    code = function.__code__
    location = getattr(error, "loc", None)
    if location is not None and location.filename == code.co_filename:
        return int(location.line)
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    own = code.co_filename.replace("\\", "/").rpartition("/")[2]
    for match in re.finditer(r'(?:File "|Raised from )(.*?)(?:", line | \()(\d+)', text):
        if match[1].replace("\\", "/").rpartition("/")[2] == own:
            return int(match[2])
    return None
