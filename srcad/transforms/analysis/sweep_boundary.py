"""Marks between the sweeps, and how names that both sweeps store are told apart while code is simplified."""

from __future__ import annotations

import gast

from srcad.transforms.analysis.liveness import live_before
from srcad.transforms.ir.build import Block, inner_blocks, rewrite_names, walk_statements
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import all_written

_AGAIN = " again"  # no identifier


def boundary() -> gast.Pass:
    """The mark between forward and reverse sweep, of a function or of one iteration, for `forward_substitution`, which
    takes it out.
    """
    return note(gast.Pass(), begins_reverse=True)


def completion() -> gast.Pass:
    """The mark behind the last statement of the primal, where this is not the end of the forward sweep."""
    return note(gast.Pass(), completes_primal=True)


def without_marks(body: Block) -> Block:
    """The statements without the marks between sweeps."""
    for statement in body:
        for inner in inner_blocks(statement):
            inner[:] = without_marks(inner) or inner
    return [statement for statement in body if not notes_of(statement).begins_reverse]


def told_apart(body: Block) -> set[str]:
    """Tell names that both sweeps store apart, for as long as it takes to fold; gives these names.

    One iteration of a loop that is reversed on the spot has its own sweeps.
    """
    found: set[str] = set()
    for statement in body:
        for inner in inner_blocks(statement):
            found |= told_apart(inner)
    start = next((k for k, statement in enumerate(body) if notes_of(statement).begins_reverse), len(body))
    first = {name for statement in walk_statements(body[:start]) for name in all_written(statement)}
    second = {name for statement in walk_statements(body[start:]) for name in all_written(statement)}
    both = (first & second) - live_before(body[start:], live_before(body, frozenset()))
    reverse = gast.Module(body=body[start:], type_ignores=[])
    rewrite_names(reverse, lambda name: name + _AGAIN if name in both else name)
    return found | both


def rejoined(name: str) -> str:
    """The name that was told apart, as it was."""
    return name.replace(_AGAIN, "")
