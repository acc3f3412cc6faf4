"""Storage decisions: how the reverse sweep gets the primal values that it reads, as decided by `tbr`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import gast


@dataclass(frozen=True)
class Row:
    """A recorded array that is copied into the trace: its shape, and the statement after which it is complete.

    shape       known before the loops
    after       None where that is the statement that stores the name
    """

    shape: tuple[gast.expr, ...]
    after: gast.stmt | None = None


@dataclass
class Decisions:
    """The decisions for one function.

    recorded    names to be saved in the forward sweep
    recomputed  names to be computed again, with the expression
    undone      stores whose overwritten value is saved and restored
    snapshots   (statement, array) of which the statement should use a copy, since stores must not be undone
    kept        names that are read from the element they were stored in, by the identity of the store
    rows        recorded arrays that are copied
    """

    recorded: set[str] = field(default_factory=set)
    recomputed: dict[str, gast.expr] = field(default_factory=dict)
    undone: list[gast.stmt] = field(default_factory=list)
    snapshots: list[tuple[gast.stmt, str]] = field(default_factory=list)
    kept: dict[int, str] = field(default_factory=dict)
    rows: Mapping[str, Row] = field(default_factory=dict)
