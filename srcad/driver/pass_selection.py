"""Passes by name: which are left out, which comes before another, and the table as text."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from srcad.driver.pass_row import Pass
from srcad.driver.passes import PASSES, ROWS, STAGES
from srcad.errors import BadArgument, BadType

VARIABLE = "SRCAD_WITHOUT"

# What `without=` called these before they were named after their modules.
RENAMED = {
    "fuse": ("elementwise_fusion", "array_sum_loops"),
    "assume": ("broadcast_assumption",),
    "early": ("copy_hoisting",),
    "tidy": ("cse_and_licm",),
    "folds": ("ordered_reductions",),
    "merge": ("loop_fusion",),
    "spot": ("iteration_local_reversal",),
    "recompute": ("recomputation",),
    "grid": ("preallocated_traces",),
    "skip": ("zero_guards",),
    "first": ("first_assignment",),
    "prune": ("dead_code",),
    "copies": (
        "copy_propagation",
        "shape_copy_elision",
        "copy_elision_moves",
    ),
    "fold": ("forward_substitution",),
    "scalars": ("scalar_replacement",),
    "reuse": ("redundancy_elimination",),
    "regroup": ("reassociation",),
    "reorder": ("loop_order",),
    "running": ("induction_variables",),
    "distribute": ("loop_distribution",),
    "gather": ("scatter_to_gather", "accumulator_forwarding"),
    "inplace": ("buffer_reuse",),
    "contract": ("array_contraction_to_scalar", "array_contraction"),
    "quick": ("kernel_calls",),
    "lanes": ("vector_math",),
    "unordered": ("unordered_reductions",),
    "natural": ("nonnegative_indices",),
    "parallel": ("work_sharing",),
}


def listing() -> str:
    """The table as text: a line for each pass, in order; those that may be left out are marked with a star.

    >>> print(listing().splitlines()[1])  # doctest: +ELLIPSIS
      lower                         Python becomes core form: one primitive call to a statement, structures taken ...
    """
    lines = []
    for stage, rows in STAGES.items():
        lines.append(stage)
        for row in rows:
            name = f"{'  ' * bool(row.within)}{row.name}{' *' * row.optional}"
            lines.append(f"  {name:<30}{row.does}")
    return "\n".join(lines) + "\n"


def chosen(without: str | Iterable[str] = ()) -> tuple[str, ...]:
    """The passes to go without: those named, and those that the environment names; in the order of the table.

    >>> chosen("loop_order, elementwise_fusion"), chosen(["cse_and_licm"]), chosen()
    (('elementwise_fusion', 'loop_order'), ('cse_and_licm',), ())
    """
    named = _named(without) | _named(os.environ.get(VARIABLE, ""), f" in {VARIABLE}")
    return tuple(name for name in PASSES if name in named)


def _named(without: str | Iterable[str], where: str = "") -> set[str]:
    given: Any = without.split(",") if isinstance(without, str) else without
    parts = tuple(given) if isinstance(given, Iterable) else (given,)
    if not all(isinstance(part, str) for part in parts):
        raise BadType(f"`without` is {without!r}", hint="give the name of a pass, or a tuple of names")
    names = {part.strip() for part in parts} - {""}
    for name in sorted(names):
        if name in RENAMED:
            raise BadArgument(f"the pass '{name}'{where} has a new name", hint=f"it is {', '.join(RENAMED[name])}")
        if name not in PASSES:
            raise BadArgument(f"there is no pass '{name}'{where}", hint=f"passes are {', '.join(PASSES)}")
    return names


def row_before(name: str) -> Pass:
    """The row that is run before another; that of `lower` before the first."""
    run = [row for row in ROWS.values() if row.function or row.name in ("lower", "differentiate")]
    return run[max(0, [row.name for row in run].index(name) - 1)]


def row_named(name: str) -> Pass:
    """The row of a pass, optional or not. Raises BadArgument where there is none."""
    if name in ROWS:
        return ROWS[name]
    if name in RENAMED:
        raise BadArgument(f"the pass '{name}' has a new name", hint=f"it is {', '.join(RENAMED[name])}")
    raise BadArgument(f"there is no pass '{name}'", hint=f"passes are {', '.join(ROWS)}")
