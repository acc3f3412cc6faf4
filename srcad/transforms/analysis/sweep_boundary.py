"""Sweep boundary: marks between the sweeps, and renaming of names that both sweeps store while code is simplified."""

from __future__ import annotations

import gast

from srcad.transforms.analysis.liveness import live_before
from srcad.transforms.ir.build import Block, inner_blocks, rewrite_names
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import stored_in

_AGAIN = " again"  # no identifier


def boundary() -> gast.Pass:
    """The mark between forward and reverse sweep, of a function or an iteration; `forward_substitution` removes it."""
    return note(gast.Pass(), begins_reverse=True)


def completion() -> gast.Pass:
    """The mark after the last statement of the primal, where that is not the end of the forward sweep."""
    return note(gast.Pass(), completes_primal=True)


def without_marks(body: Block) -> Block:
    """The statements without the marks between sweeps."""
    for statement in body:
        for inner in inner_blocks(statement):
            inner[:] = without_marks(inner) or inner
    return [statement for statement in body if not notes_of(statement).begins_reverse]


def told_apart(body: Block) -> set[str]:
    """Rename, until folding is done, names in the reverse sweep that both sweeps store; returns these names.

    An iteration of a loop with iteration-local reversal has sweeps of its own.
    """
    found: set[str] = set()
    for statement in body:
        for inner in inner_blocks(statement):
            found |= told_apart(inner)
    start = next((k for k, statement in enumerate(body) if notes_of(statement).begins_reverse), len(body))
    first = stored_in(body[:start])
    second = stored_in(body[start:])
    both = (first & second) - live_before(body[start:], live_before(body, frozenset()))
    reverse = gast.Module(body=body[start:], type_ignores=[])
    rewrite_names(reverse, lambda name: name + _AGAIN if name in both else name)
    return found | both


def rejoined(name: str) -> str:
    """The original of a name that was renamed."""
    return name.replace(_AGAIN, "")
