"""Run a function uncompiled while its machine code is made in the background, then the compiled one.

The dispatcher of a derivative asks `Tiers.instead` about each call from Python for whose types it has no machine code.
Once there is some, Numba's dispatch finds it, and nobody is asked any more.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from numba.core import errors
from numba.core.compiler_lock import global_compiler_lock

from srcad.errors import SrcadError
from srcad.runtime.jit import background
from srcad.runtime.jit.compact_numba import compact_numba
from srcad.runtime.jit.compile_worker import Order, reverse_kinds
from srcad.runtime.jit.gc_pause import nothing_collected
from srcad.runtime.jit.machine_code import MachineCode
from srcad.runtime.jit.numba_inference import CannotType

if TYPE_CHECKING:
    from srcad.runtime.jit.dispatchers import TypedDispatcher

Kinds = tuple[Any, ...]


class Tiers:
    """What a dispatcher does meanwhile.

    uncompiled  gives the function to call for argument types while machine code is made; None where it is to be made
                before the call, since there is no such function or the machine code is stored
    index, options      which function of the generated module it is, and the options of the compiler
    reverse     the dispatcher of the reverse function, if this is that of a forward function: it is compiled first,
                since it has to read the trace of the compiled function
    """

    def __init__(
        self, uncompiled: Callable[[Kinds], Callable[..., Any] | None], index: int, options: Mapping[str, Any]
    ) -> None:
        self._uncompiled, self._index, self._options = uncompiled, index, options
        self.reverse: TypedDispatcher | None = None
        self._lock = threading.Lock()
        self._known: dict[Kinds, Callable[..., Any] | None] = {}
        self._pending = set[Kinds]()

    def instead(self, dispatcher: TypedDispatcher, kinds: Kinds) -> Callable[..., Any] | None:
        """The function to call for argument types of which there is no machine code; None if it is to be made now."""
        if kinds in dispatcher.overloads or dispatcher.failure(kinds) is not None or not background.is_available():
            return None
        if kinds not in self._known:
            self._known[kinds] = self._uncompiled(kinds)
        found = self._known[kinds]
        if found is not None:
            self._begin(dispatcher, kinds)
        return found

    def _begin(self, dispatcher: TypedDispatcher, kinds: Kinds) -> None:
        """Have machine code made, unless that is under way."""
        with self._lock:
            if kinds in self._pending:
                return
            self._pending.add(kinds)
        background.submit(lambda: self._make(dispatcher, kinds))

    def _make(self, dispatcher: TypedDispatcher, kinds: Kinds) -> None:
        try:
            self._prepare(dispatcher, kinds)
            dispatcher.compile(kinds)
        except CannotType as problem:
            dispatcher.give_up(kinds, problem)
        except Exception as problem:  # noqa: BLE001 - whatever it is, the uncompiled function works
            what = problem.what if isinstance(problem, SrcadError) else str(problem)
            dispatcher.give_up(kinds, CannotType(f"compiling it ended in {type(problem).__name__}: {what}"))
        finally:
            self._pending.discard(kinds)

    def _prepare(self, dispatcher: TypedDispatcher, kinds: Kinds) -> None:
        """Make machine code apart from this process, if it can be stored, and that of the reverse function."""
        with global_compiler_lock, nothing_collected(), compact_numba():
            made = dispatcher.made_for(kinds)
        cache = made._cache
        if isinstance(cache, MachineCode) and not cache.holds(kinds):
            order = Order(cache.module, self._index, self._options, pickle.dumps(kinds), self.reverse is not None)
            background.compiled_apart(order)
        if self.reverse is not None:
            try:
                with global_compiler_lock, nothing_collected(), compact_numba():
                    made.compile(kinds)
                    self.reverse.compile(reverse_kinds(made, kinds))
            except (errors.NumbaError, errors.UnsupportedBytecodeError, CannotType):
                return  # the dispatcher says so when it compiles
