"""Subroutines: functions that are called, not inlined: recursive ones, and large ones with many calls.

    Subroutine      as the user wrote it, for arguments of any types; it may write into its arguments
    Specialised     for arguments of known types, and without effects: what it writes into comes back among its results

Both can be called from Python, and have a type for Numba's inference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias

import gast
from numba import types as nb
from numba.core.errors import NumbaError
from numba.extending import typeof_impl

from srcad.runtime.jit.call_stubs import Declared, Inferring
from srcad.runtime.jit.numba_inference import CannotType
from srcad.transforms.inference.numba_arithmetic import refuse_other_arithmetic
from srcad.transforms.inference.object_tests import refuse_tests_of_objects
from srcad.transforms.inference.type_inference import executable, refuse_masks, refuse_optional, types_of
from srcad.transforms.ir.build import dotted_path, place_of, walk, walk_statements, written
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit

Kinds: TypeAlias = tuple[nb.Type, ...]

# Runs a call of a subroutine and records what happens in it, while its caller is observed.
WATCHING: ContextVar[Callable[[Subroutine, tuple[Any, ...]], Any] | None] = ContextVar("WATCHING", default=None)


class Subroutine:
    """A function in core form; `unit` is set when it is finished, since it may call itself."""

    def __init__(self, name: str, wish: str, normalise: Callable[[Unit], Unit] | None = None) -> None:
        """`name` is used by its unit and its callers, `wish` is the name to show to the user.

        `normalise` prepares the unit for type inference; None where that has been done.
        """
        self.__name__ = self.name = name
        self.wish = wish
        self._normalise = normalise
        self.unit: Unit = None  # type: ignore[assignment]  # until it is finished

    def __call__(self, *args: Any) -> Any:
        """Run it in Python, watched where its caller is."""
        watch = WATCHING.get()
        return self._executable(*args) if watch is None else watch(self, args)

    def __repr__(self) -> str:
        """Text that identifies everything it computes; part of the key of a generated function."""
        called = [getattr(each, "name", "") for each in self.unit.bindings.values()]
        places = [str(place_of(node)) for node in walk(self.unit.tree)]
        text = f"{gast.dump(self.unit.tree)} {called} {places}"
        return f"<called function {self.name}, {sha256(text.encode()).hexdigest()}>"

    @cached_property
    def _executable(self) -> Callable[..., Any]:
        return executable(self.unit)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The parameters that it may write to for its caller."""
        return self.unit.parameters

    @cached_property
    def ssa(self) -> Unit:
        """The unit in SSA form."""
        return self.unit if self._normalise is None else self._normalise(self.unit)

    @cached_property
    def dispatcher(self) -> Inferring:
        """Its dispatcher for Numba's inference."""
        return _Subroutine(self.ssa)

    def types_of(self, kinds: Kinds) -> Types:
        """The types of all names, for arguments of these types; raises CannotType."""
        if kinds not in self.dispatcher.inferred:
            try:
                self.dispatcher.compile(kinds)
            except NumbaError:
                return types_of(self.ssa, kinds)  # raises an error that says what is wrong, and where
        found = self.dispatcher.inferred[kinds]
        known = Types(found.types, found.result)
        refuse_optional(known, (nb.Array, nb.Float, nb.Complex, nb.BaseTuple))
        refuse_masks(self.ssa, known)
        refuse_tests_of_objects(self.ssa, known)
        refuse_other_arithmetic(self.ssa, known, converts=False)
        return known


# Makes a function in core form that calls derivatives executable in Python; the driver, which knows how, puts it here.
MAKERS: list[Callable[[Subroutine], Callable[..., Any]]] = []


class _Subroutine(Inferring):
    """Infers like `type_inference.types_of`: placeholders of unset values are ignored if possible."""

    def __init__(self, unit: Unit) -> None:
        unset = {written(each) for each in walk_statements(unit.tree.body) if notes_of(each).unset}
        self.ways = [executable(unit, unset), executable(unit)] if unset else [executable(unit)]
        super().__init__(self.ways[0])

    def result_type(self, arguments: Kinds) -> nb.Type:
        """The inferred type of the result."""
        for way in self.ways[:-1]:
            self.py_func = way
            try:
                return super().result_type(arguments)
            except (NumbaError, CannotType):
                pass
        self.py_func = self.ways[-1]
        return super().result_type(arguments)


@dataclass(frozen=True)
class Summary:
    """What a call does to its arguments.

    results     types of the results; empty where the function returns nothing
    is_tuple    whether it returns a tuple
    written     positions of the arrays that are written, whose final contents follow the results
    same        for each result the position of the argument that it is identical to, or None
    views       for each result the positions of the arguments that it may be a view of: a copy is returned
    """

    results: Kinds = ()
    is_tuple: bool = False
    written: tuple[int, ...] = ()
    same: tuple[int | None, ...] = ()
    views: tuple[tuple[int, ...], ...] = ()


@dataclass(eq=False)
class Specialised:
    """A function in core form for arguments of these types; it returns a tuple and has no effects."""

    name: str
    subroutine: Subroutine
    kinds: Kinds
    summary: Summary = field(default_factory=Summary)
    unit: Unit = None  # type: ignore[assignment]  # until it is finished
    types: Types = None  # type: ignore[assignment]
    counts: Mapping[int, str] = field(default_factory=dict)
    _declared: dict[Kinds, Declared] = field(default_factory=dict)

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def wish(self) -> str:
        """The name to show to the user."""
        return self.subroutine.wish

    def __call__(self, *args: Any) -> Any:
        """Run it in Python."""
        return self._executable(*args)

    @cached_property
    def _executable(self) -> Callable[..., Any]:
        return executable(self.unit)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The parameters that it writes to for its caller: none, since it works on copies."""
        return ()

    @property
    def outcome(self) -> Kinds:
        """The types of all results, including the written arrays."""
        summary = self.summary
        returned = (kind for kind, same in zip(summary.results, summary.same, strict=True) if same is None)
        return (*returned, *(self.kinds[position] for position in summary.written))

    @property
    def dispatcher(self) -> Declared:
        """Its dispatcher for Numba's inference."""
        outcome = self.outcome
        if outcome not in self._declared:
            names = ", ".join(f"x{k}" for k in range(len(self.kinds)))
            namespace: dict[str, Any] = {}
            exec(f"def called({names}): pass", namespace)
            self._declared[outcome] = Declared(namespace["called"], nb.Tuple(outcome))
        return self._declared[outcome]


@typeof_impl.register(Subroutine)  # type: ignore[untyped-decorator]  # Numba carries no annotations
@typeof_impl.register(Specialised)  # type: ignore[untyped-decorator]
def _typeof(value: Subroutine | Specialised, context: Any) -> nb.Dispatcher:
    return nb.Dispatcher(value.dispatcher)


def callee_of(value: gast.AST | None, bindings: Mapping[str, Any]) -> Subroutine | Specialised | None:
    """The subroutine that an expression calls, or None."""
    if not isinstance(value, gast.Call):
        return None
    found = bindings.get(dotted_path(value.func) or "")
    return found if isinstance(found, (Subroutine, Specialised)) else None


def results_of_calls(unit: Unit) -> dict[str, Specialised]:
    """The names that hold the results of calls, which are always tuples."""
    if not any(isinstance(each, Specialised) for each in unit.bindings.values()):
        return {}
    found: dict[str, Specialised] = {}
    for statement in walk_statements(unit.tree.body):
        name = written(statement)
        callee = callee_of(getattr(statement, "value", None), unit.bindings)
        if name and isinstance(callee, Specialised):
            found[name] = callee
    return found


__all__ = ["Specialised", "Subroutine", "Summary", "callee_of", "results_of_calls"]
