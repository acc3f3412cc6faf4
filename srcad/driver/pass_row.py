"""A row of the table of passes: a pass, or a choice that a stage makes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

# What a pass may need to hold, and may leave holding.
TYPES = "types"  # every name has a Numba type
SSA = "ssa"  # every name has one store on each path
RESOLVED = "resolved"  # in-place or not is decided for each operator; calls are of versions for their argument types
UNALIASED = "unaliased"  # no name stands for one array here and for another there
COUNTED = "counted"  # loops that may stop early count their iterations
MARKED = "marked"  # the boundary between the sweeps is marked, and names that both store are told apart
PLAIN_SUMS = "plain sums"  # sums are statements, not yet calls that tell LLVM more


@dataclass(frozen=True)
class Pass:
    """One row.

    name        that of its module, where it has a module of its own
    function    "module:function" under `srcad`, imported when it is first run; empty for a choice within a stage
    does        what it does, for the documentation
    needs       what has to hold before it
    keeps       of what holds before, what holds after it; None for all of it
    gives       what holds after it
    optional    whether it may be left out: derivatives are then right as well, only slower
    when        settings under which it is run, names of attributes of `Settings` or `Code` ("not ..." for absence)
    within      the row whose stage makes the choice, or times the step
    retypes     whether names that it has made are to be given types
    source      where the method is from
    """

    name: str
    function: str
    does: str
    needs: tuple[str, ...] = ()
    keeps: tuple[str, ...] | None = None
    gives: tuple[str, ...] = ()
    optional: bool = False
    when: tuple[str, ...] = ()
    within: str = ""
    retypes: bool = False
    source: str = ""

    def load(self) -> Any:
        """The function of the row."""
        module, _, name = self.function.partition(":")
        return getattr(import_module(f"srcad.{module}"), name)
