"""Load the text of generated functions as modules that a debugger can show, and compile them with Numba.

    load(name, stored, ...)      executes a generated module, from its file in the cache folder if there is one
    compiled(module, ...)        its functions as Numba dispatchers, with machine code in the cache folder
    TypedDispatcher              a Numba dispatcher whose function is generated for each tuple of argument types

To Numba, a gradient is a `TypedDispatcher`. Dispatch on types, keywords and defaults is Numba's own, in C, and the
machine code is that of the generated function itself. Calls from Python and from inside `@njit` therefore have no layer
in between.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba.core import errors, sigutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import OmittedArg
from numba.core.registry import CPUDispatcher

import srcad.runtime.jit.callers_cache
import srcad.runtime.jit.unique_symbols
import srcad.runtime.support.compiler_interrupts  # noqa: F401 - interrupts wait for Numba's passes from here on
from srcad.errors import SrcadError
from srcad.runtime.jit.compact_numba import compact_numba
from srcad.runtime.jit.disk_cache import Stored, path_of
from srcad.runtime.jit.fast_compiler_pipeline import Quick
from srcad.runtime.jit.gc_pause import nothing_collected
from srcad.runtime.jit.machine_code import MachineCode
from srcad.runtime.jit.numba_inference import CannotType, reason_of
from srcad.runtime.support.assumption_errors import LeavesIntegers, Widens
from srcad.runtime.support.compile_progress import Subject, announced, expect
from srcad.runtime.support.freed_memory import keep_freed_memory

if TYPE_CHECKING:
    from srcad.runtime.jit.tiers import Tiers

# Only `prange` runs in parallel. Array statements do not: the last digits of their sums would depend on the number of
# threads.
_ONLY_PRANGE = {
    "prange": True,
    **dict.fromkeys(("comprehension", "reduction", "inplace_binop", "setitem", "numpy", "stencil", "fusion"), False),
}
LARGEST_KNOWN = 6  # extent of an argument for which code is made that knows it
_SINGLE = frozenset((types.float32, types.complex64))
_OF_INTEGERS = frozenset(
    ("check_between", "check_power", "check_product", "check_shift", "check_sum", "factorial", "perm", "comb")
)


def load(name: str, stored: Stored, given: Mapping[str, Any]) -> ModuleType:
    """Execute a generated module; `given` are the objects that its text cannot import.

    Its functions are plain Python, and tracebacks, `pdb` and `inspect` show its text. The name is a hash of everything
    in the module, so a module that was executed before, for another closure with the same text, is used again.
    """
    known = sys.modules.get(f"srcad_{name}")
    if known is not None and not given:
        return known
    path = path_of(name)
    on_disk = path is not None and path.exists() and not given
    filename = str(path) if on_disk else f"<srcad {name}>"
    if not on_disk:
        lines = stored.text.splitlines(keepends=True)
        linecache.cache[filename] = (len(stored.text), None, lines, filename)
    module = ModuleType(f"srcad_{name}")
    module.__file__ = filename
    module.__dict__.update(given)
    exec(compile(stored.text, filename, "exec", dont_inherit=True), module.__dict__)
    for function, scopes in stored.memory.items():
        module.__dict__[function].srcad_memory = scopes
    # Named tuples are pickled by the name of their module, for instance in Numba's cache.
    sys.modules[module.__name__] = module
    for value in list(module.__dict__.values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            # Numba treats union types of the same name as equal, and would use those of another module in its cache.
            value.__name__ = f"{value.__qualname__}_{name}"
    return module


def compiled(
    module: ModuleType, public: tuple[str, ...], options: Mapping[str, Any], assumes: bool = False
) -> tuple[CPUDispatcher, ...]:
    r"""The public functions of a generated module as Numba dispatchers. The functions that they call are compiled too.

    `assumes` says that they may raise `Widens`.

    >>> module = load("doctest", Stored("def twice(x):\n    return x + x\n", ("twice",)), {})
    >>> twice, = compiled(module, ("twice",), {})
    >>> twice(1.5)
    3.0
    """
    namespace = module.__dict__
    own = [name for name, value in namespace.items() if _is_own_function(value, module)]
    # Machine code of recursive functions crashes after Numba 0.68 has loaded it from its cache.
    functions = {each: namespace[each] for each in own}
    expect(len(functions))
    on_disk = not (module.__file__ or "<").startswith("<") and not _calls_itself(functions)
    called = {name for each in functions.values() for name in each.__code__.co_names}
    for name, function in functions.items():
        shares_out = "prange" in function.__code__.co_names
        special = {"parallel": dict(_ONLY_PRANGE)} if shares_out else {"pipeline_class": Quick}
        dispatcher = numba.njit(**options, **special)(function)
        if on_disk and name in public:
            dispatcher._cache = MachineCode(module.__name__.removeprefix("srcad_"), function)
        dispatcher.assumes = assumes
        dispatcher.checks_integers = not _OF_INTEGERS.isdisjoint(called)
        dispatcher.records = any("_trace" in each for each in function.__code__.co_varnames)
        namespace[name] = dispatcher
    return tuple(namespace[name] for name in public)


def _calls_itself(functions: Mapping[str, Callable[..., Any]]) -> bool:
    """Whether one of the functions calls itself, directly or through others.

    >>> def even(n): return n == 0 or odd(n - 1)
    >>> def odd(n): return n != 0 and even(n - 1)
    >>> _calls_itself({"even": even, "odd": odd}), _calls_itself({"even": even})
    (True, False)
    """
    called = {name: functions.keys() & set(each.__code__.co_names) for name, each in functions.items()}
    for start, first in called.items():
        reached, pending = set[str](), list(first)
        while pending:
            name = pending.pop()
            if name not in reached:
                reached.add(name)
                pending += called[name]
        if start in reached:
            return True
    return False


def _is_own_function(value: Any, module: ModuleType) -> bool:
    return isinstance(value, FunctionType) and value.__code__.co_filename == module.__file__


Specialise = Callable[[tuple[Any, ...]], CPUDispatcher]
Redirect = Callable[[tuple[Any, ...]], "Callable[..., Any] | None"]


class TypedDispatcher(CPUDispatcher):  # type: ignore[misc]  # Numba carries no annotations
    """A Numba dispatcher for a function that `specialise` makes for each tuple of argument types.

    `shape` is a stub function that gives the name, the parameters and the defaults. If an argument has no Numba type,
    or Numba cannot type the function, `otherwise` gives the function to call instead, also where an integer leaves 64
    bits, if `restarts` says of the types that nothing has been changed until then. `redirect` may give another function
    for arguments of new types. `suit` is called with the types and the arguments before a function is made for
    them, and `widen` when arrays broadcast although the code assumes that they do not; the function is then made again.
    `rounded` converts Python numbers that Numba returns to single precision, given the result's Numba type. `exhausted`
    is called with a MemoryError and the arguments where a function that records a trace runs out of memory, and may
    raise another one. `subject` is what a terminal is told of that is being compiled. `met_arrays` is called when it is
    made for arrays: from then on it takes instances of subclasses, such as matrices, for arrays as well.
    """

    def __init__(
        self,
        shape: Callable[..., Any],
        specialise: Specialise,
        otherwise: Callable[..., Any] | None = None,
        redirect: Redirect | None = None,
        widen: Callable[[tuple[Any, ...], Sequence[Any]], None] | None = None,
        rounded: Callable[[Any, Any], Any] | None = None,
        exhausted: Callable[[MemoryError, tuple[Any, ...]], None] | None = None,
        subject: Callable[[], Subject] | None = None,
        suit: Callable[[tuple[Any, ...], Sequence[Any]], object] | None = None,
        restarts: Callable[[tuple[Any, ...]], bool] | None = None,
    ) -> None:
        super().__init__(shape, targetoptions={"nopython": True})
        self.specialise = specialise
        self.otherwise = otherwise
        self.redirect = redirect
        self.widen = widen
        self.rounded = rounded
        self.exhausted = exhausted
        self.subject = subject
        self.suit = suit
        self.restarts = restarts
        self.tiers: Tiers | None = None  # what runs while machine code is made in the background
        self.met_arrays: Callable[[], None] | None = None
        self._made: list[CPUDispatcher] = []
        self._failed: dict[tuple[Any, ...], CannotType] = {}

    def _make_finalizer(self) -> Callable[[], None]:
        # The machine code belongs to the dispatchers in `_made`, which release it.
        return lambda: None

    def typeof_pyval(self, val: Any) -> Any:
        """Numba's type of an argument; `pyobject` where it has none."""
        if isinstance(val, np.matrix):
            return types.pyobject  # to Numba it is an array, but `*` is a product of matrices
        try:
            return super().typeof_pyval(val)
        except errors.NumbaError:  # a masked array, or one of a dtype that Numba lacks
            return types.pyobject

    def compile(self, sig: Any) -> Any:
        """Machine code for these argument types. Errors of code generation are raised unchanged."""
        signature, _ = sigutils.normalize_signature(sig)
        arguments = tuple(signature)
        told = nullcontext() if self.subject is None else announced(self.subject)
        with global_compiler_lock, nothing_collected(), told:
            existing = self.overloads.get(arguments)
            if existing is not None:
                return existing.entry_point
            if arguments in self._failed:
                raise self._failed[arguments].with_traceback(None)
            try:
                dispatcher = self._compiled(arguments)
            except CannotType as problem:
                self._failed[arguments] = problem
                raise
            if self.met_arrays is not None and any(isinstance(each, types.Array) for each in arguments):
                self.met_arrays()
            result = dispatcher.overloads[arguments]
            result.library.is_of_srcad = True  # `callers_cache` asks for it
            self._made.append(dispatcher)
            if self.rounded is not None and not _SINGLE.isdisjoint(arguments):
                self.overloads[arguments] = result  # calls from Python find no machine code and come here
            else:
                self.add_overload(result)
        return result.entry_point

    def _suited(self, hook: Callable[[tuple[Any, ...], Sequence[Any]], object], args: tuple[Any, ...]) -> None:
        """Call `suit` or `widen`. What cannot be typed is told when it is compiled."""
        with global_compiler_lock, suppress(CannotType):
            hook(tuple(plain(_type_of(self, each)) for each in args), _given(args))

    def made_for(self, arguments: tuple[Any, ...]) -> CPUDispatcher:
        """The dispatcher of the function that is generated for these argument types."""
        return self.specialise(tuple(map(plain, arguments)))

    def failure(self, arguments: tuple[Any, ...]) -> CannotType | None:
        """Why there is no machine code for these argument types."""
        return self._failed.get(arguments)

    def give_up(self, arguments: tuple[Any, ...], problem: CannotType) -> None:
        """There will be no machine code for these argument types."""
        self._failed[arguments] = problem

    def _compiled(self, arguments: tuple[Any, ...]) -> CPUDispatcher:
        keep_freed_memory()
        dispatcher = self.made_for(arguments)
        # What is stored needs none of Numba's array functions, which take a third of a second to import.
        is_stored = isinstance(dispatcher._cache, MachineCode) and dispatcher._cache.loads(arguments)
        try:
            with nullcontext() if is_stored else compact_numba():
                dispatcher.compile(arguments)
        except (errors.NumbaError, errors.UnsupportedBytecodeError, AttributeError) as error:
            raise _not_compiled(dispatcher, error) from error  # the last: a failure within Numba's passes
        widens, records = (
            self.widen is not None and dispatcher.assumes,
            self.exhausted is not None and dispatcher.records,
        )
        if widens or records or (self.otherwise is not None and dispatcher.checks_integers):
            self.__class__ = _Watched
        return dispatcher

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        """Numba calls this for a call from Python with new types. Returns the function to call with the arguments."""
        self._types_active_call.clear()
        instead = None if self.redirect is None else self.redirect(args)
        if instead is not None:
            return instead
        try:
            kinds = tuple(_type_of(self, argument) for argument in args)
            if types.pyobject in kinds:
                raise CannotType(_unknown(self, args, kinds))
            if self.suit is not None and any(map(_has_few, args)):
                self._suited(self.suit, args)
            meanwhile = None if self.tiers is None else self.tiers.instead(self, kinds)
            if meanwhile is not None:
                return lambda *args: meanwhile(*_given(args))
            entry = self.compile(kinds)
            call = self._first_call(entry)  # looked up after compiling, which may have changed the class
            if self.rounded is None or _SINGLE.isdisjoint(kinds):
                return call
            rounded, result = self.rounded, self.overloads[kinds].signature.return_type
            return lambda *args: rounded(call(*args), result)
        except CannotType as problem:
            if self.otherwise is None:
                raise
            instead = self.otherwise(problem)
            return lambda *args: instead(*_given(args))

    def _first_call(self, entry: Callable[..., Any]) -> Callable[..., Any]:
        """The function to call with the arguments for whose types the entry has just been compiled."""
        return entry

    def __reduce__(self) -> Any:
        raise TypeError("pickle the object that srcad.grad returned, not its dispatcher")


def _has_few(argument: Any) -> bool:
    """Whether an argument has so few rows or columns that code may be made for just that."""
    return any(0 < extent <= LARGEST_KNOWN for extent in getattr(argument, "shape", ()))


_CALL = CPUDispatcher.__call__  # found here at once; `super()` takes as long as a small gradient


class _Watched(TypedDispatcher):
    """A dispatcher whose calls from Python catch what other code is for, and the MemoryError of one that records."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return _CALL(self, *args, **kwargs)
        except Widens:
            return self._widened(args)(*args, **kwargs)
        except LeavesIntegers as problem:
            return self._uncompiled(problem, args)(*args, **kwargs)
        except MemoryError as problem:
            self._tell(problem, args)
            raise

    def _tell(self, problem: MemoryError, args: tuple[Any, ...]) -> None:
        if self.exhausted is not None and not isinstance(problem, SrcadError):
            self.exhausted(problem, args)

    def _first_call(self, entry: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            try:
                return entry(*args)
            except Widens:
                return self._widened(args)(*_given(args))
            except LeavesIntegers as problem:
                return self._uncompiled(problem, args)(*_given(args))
            except MemoryError as problem:
                self._tell(problem, tuple(_given(args)))
                raise

        return call

    def _uncompiled(self, problem: LeavesIntegers, args: Sequence[Any]) -> Callable[..., Any]:
        """What runs in the place of machine code that an integer has left, for this call."""
        kinds = tuple(plain(_type_of(self, each)) for each in args)
        if self.otherwise is None or self.restarts is None or not self.restarts(kinds):
            raise problem
        instead: Callable[..., Any] = self.otherwise(CannotType(str(problem)))
        return instead

    def _widened(self, args: tuple[Any, ...]) -> Callable[..., Any]:
        """This dispatcher, with functions for more arrays, these among them."""
        assert self.widen is not None
        self._suited(self.widen, args)
        self._reset_overloads()
        return self


def plain(kind: Any) -> Any:
    """The type without the information that the value is a literal or a default."""
    if isinstance(kind, types.Omitted):
        return numba.typeof(kind.value)
    return types.unliteral(kind)


def _given(args: tuple[Any, ...]) -> list[Any]:
    """The arguments of a call, with the defaults that Numba has marked as omitted filled in."""
    return [each.value if isinstance(each, OmittedArg) else each for each in args]


def _type_of(dispatcher: CPUDispatcher, argument: Any) -> Any:
    if isinstance(argument, OmittedArg):
        return types.Omitted(argument.value)
    return dispatcher.typeof_pyval(argument)


def _unknown(dispatcher: CPUDispatcher, args: tuple[Any, ...], kinds: tuple[Any, ...]) -> str:
    position = kinds.index(types.pyobject)
    names = dispatcher.py_func.__code__.co_varnames
    return f"Numba has no type for the argument '{names[position]}', a {type(args[position]).__name__}"


def _not_compiled(dispatcher: CPUDispatcher, error: Exception) -> SrcadError | CannotType:
    # The cause may be an error of srcad that Numba has wrapped: a derivative inside a derivative.
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, SrcadError):
            return cause
        cause = cause.__cause__ or cause.__context__
    name, file = dispatcher.py_func.__name__, dispatcher.py_func.__code__.co_filename
    return CannotType(f"the generated function '{name}' in {file} does not compile: {reason_of(error)}")
