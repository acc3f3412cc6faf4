"""Functions that are called, not inlined: recursive ones, and large ones that are called again and again.

    Subroutine      as the user wrote it, for arguments of any types; it may write into its arguments
    Specialised     for arguments of known types, and without effects: what it writes into comes back among its results

Both can be called from Python, and have a type for Numba's inference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from srcad.transforms.inference.type_inference import Types, executable, refuse_masks, types_of
from srcad.transforms.ir.build import dotted_path, place_of, walk_statements, written
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit

Kinds: TypeAlias = tuple[nb.Type, ...]


class Subroutine:
    """A function in core form; `unit` is given when it is finished, since it may call itself."""

    def __init__(self, name: str, wish: str, normalise: Callable[[Unit], Unit] | None = None) -> None:
        """`name` is what its unit and its callers call it, `wish` what the reader should see.

        `normalise` is what the unit goes through before its types are inferred; None where it has been through that.
        """
        self.__name__ = self.name = name
        self.wish = wish
        self._normalise = normalise
        self.unit: Unit = None  # type: ignore[assignment]  # until it is finished

    def __call__(self, *args: Any) -> Any:
        """Run it under Python."""
        return self._executable(*args)

    def __repr__(self) -> str:
        """All that it computes: part of what tells one generated function from another."""
        called = [getattr(each, "name", "") for each in self.unit.bindings.values()]
        places = [str(place_of(node)) for node in gast.walk(self.unit.tree)]
        text = f"{gast.dump(self.unit.tree)} {called} {places}"
        return f"<called function {self.name}, {sha256(text.encode()).hexdigest()}>"

    @cached_property
    def _executable(self) -> Callable[..., Any]:
        return executable(self.unit)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The parameters that it may write into for its caller."""
        return self.unit.parameters

    @cached_property
    def ssa(self) -> Unit:
        """The unit with every name stored once per path."""
        return self.unit if self._normalise is None else self._normalise(self.unit)

    @cached_property
    def dispatcher(self) -> Inferring:
        """What it is for Numba's inference."""
        return _Subroutine(self.ssa)

    def types_of(self, kinds: Kinds) -> Types:
        """Types of all names, for arguments of these types; raises CannotType."""
        if kinds not in self.dispatcher.inferred:
            try:
                self.dispatcher.compile(kinds)
            except NumbaError:
                return types_of(self.ssa, kinds)  # which says what is wrong, and where
        found = self.dispatcher.inferred[kinds]
        known = Types(found.types, found.result)
        refuse_masks(self.ssa, known)
        return known


class _Subroutine(Inferring):
    """As `typing.types_of` infers: stand-ins for values that are not set yet have no say, if that can be."""

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

    results     types of what is returned; None where the function returns nothing
    is_tuple    whether what it returns is a tuple
    written     positions of the arrays that are written into, whose last contents follow the results
    same        for each result the position of the argument that it is, or None
    views       for each result the positions of the arguments that it may be a view of: a copy is returned
    """

    results: Kinds = ()
    is_tuple: bool = False
    written: tuple[int, ...] = ()
    same: tuple[int | None, ...] = ()
    views: tuple[tuple[int, ...], ...] = ()


@dataclass(eq=False)
class Specialised:
    """A function in core form for arguments of these types, that returns a tuple and changes nothing."""

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
        """The name that the reader should see."""
        return self.subroutine.wish

    def __call__(self, *args: Any) -> Any:
        """Run it under Python."""
        return self._executable(*args)

    @cached_property
    def _executable(self) -> Callable[..., Any]:
        return executable(self.unit)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The parameters that it writes into for its caller: none, for it works on copies."""
        return ()

    @property
    def outcome(self) -> Kinds:
        """The types of all results, of what is written into as well."""
        summary = self.summary
        returned = (kind for kind, same in zip(summary.results, summary.same, strict=True) if same is None)
        return (*returned, *(self.kinds[position] for position in summary.written))

    @property
    def dispatcher(self) -> Declared:
        """What it is for Numba's inference."""
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
    """The function that an expression calls, where it is one of these."""
    if not isinstance(value, gast.Call):
        return None
    found = bindings.get(dotted_path(value.func) or "")
    return found if isinstance(found, (Subroutine, Specialised)) else None


def results_of_calls(unit: Unit) -> dict[str, Specialised]:
    """The names that hold what calls returned, tuples all of them."""
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
