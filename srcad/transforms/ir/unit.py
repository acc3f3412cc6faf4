"""Unit: the compiler's unit of work, one function in core form with the objects that its free names refer to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import gast

from srcad.names import Names
from srcad.transforms.ir.build import clone
from srcad.transforms.ir.pytree_form import LEAF, Part


@dataclass(frozen=True)
class Capture:
    """A captured array that has become a hidden trailing parameter of the core function.

    `parameter` is its name in the core function; `owner` a mapping or closure cell, `key` what to look up in it.
    """

    parameter: str
    owner: Any
    key: str

    def read(self) -> Any:
        """The current value of the name."""
        if hasattr(self.owner, "cell_contents"):
            return self.owner.cell_contents
        return self.owner[self.key]


@dataclass(frozen=True)
class Unit:
    """A function and its meaning; passes take one and return another, none changes it.

    tree        gast.FunctionDef; every statement has a place (`build.place_of`), or None for generated code
    bindings    free name in the tree -> the object that it refers to (modules `np`, `math`; functions; constants)
    names       maker of fresh names; knows every name used so far
    hidden      captured arrays, trailing parameters after the user's own
    frozen      captured scalars written in as literals, functions inlined: (owner, key, value), compared at each call
    options     Numba options of the user's dispatcher (fastmath, error_model, ...)
    result      what the returned tuples stand for, where the user's function returns other structures
    changes     whether structures among the arguments are changed
    without     optional passes that are left out, by name (`srcad.driver.passes`)
    sources     texts of the function and of all inlined helpers: what a cache key depends on
    """

    name: str
    tree: gast.FunctionDef
    bindings: Mapping[str, Any]
    names: Names
    hidden: tuple[Capture, ...] = ()
    frozen: tuple[tuple[Any, str, Any], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    result: Part = LEAF
    changes: bool = False
    without: frozenset[str] = frozenset()

    def does(self, name: str) -> bool:
        """Whether an optional pass, named in `pass_names`, is to be done."""
        return name not in self.without

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, hidden ones included."""
        return tuple(argument.id for argument in self.tree.args.args)

    def copy_tree(self) -> gast.FunctionDef:
        """A deep copy of the tree, to be changed freely."""
        copied: gast.FunctionDef = clone(self.tree)
        return copied

    def with_tree(self, tree: gast.FunctionDef, **changes: Any) -> Unit:
        """This unit with another tree."""
        return replace(self, tree=tree, **changes)
