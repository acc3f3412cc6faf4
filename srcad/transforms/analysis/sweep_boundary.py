"""Sweep boundary: marks between the sweeps, and renaming of names that both sweeps store while code is simplified."""

from __future__ import annotations

from functools import partial

import gast

from srcad.transforms.analysis.liveness import live_before
from srcad.transforms.ir.build import Block, rewrite_names, walk_blocks, without_statements
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
    return without_statements(body, lambda statement: notes_of(statement).begins_reverse)


def told_apart(body: Block) -> set[str]:
    """Rename, until folding is done, names in the reverse sweep that both sweeps store; returns these names.

    An iteration of a loop with iteration-local reversal has sweeps of its own.
    """
    found: set[str] = set()
    for block in reversed(list(walk_blocks(body))):
        start = next((k for k, statement in enumerate(block) if notes_of(statement).begins_reverse), len(block))
        both = stored_in(block[:start]) & stored_in(block[start:])
        if both:
            live = live_before(block[start:], live_before(block))
            both = frozenset(name for name in both if name not in live)
            reverse = gast.Module(body=block[start:], type_ignores=[])
            rewrite_names(reverse, partial(_again, both))
            found |= both
    return found


def _again(both: frozenset[str], name: str) -> str:
    return name + _AGAIN if name in both else name


def rejoined(name: str) -> str:
    """The original of a name that was renamed."""
    return name.replace(_AGAIN, "")
