"""Loop headers that say more than the iterations: `numba.prange` (parallel) and `srcad.checkpointed`.

    for i in numba.prange(n):                    becomes    for i in range(n):
    for i in srcad.checkpointed(range(n)):       becomes    for i in range(kernels.checkpointed_start(0, 0), n, 1):

Notes on the loop say that it is parallel or checkpointed. The contexts that `with` may enter are checked here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast
import numba
import numpy as np

from srcad.frontend.language_subset import is_tape
from srcad.frontend.scope import Meaning
from srcad.refusals.constructs import ERRSTATE_RAISES, TAPE_INSIDE, WITH
from srcad.refusals.loops import CHECKPOINTED_ARGUMENTS, CHECKPOINTED_ELSE, CHECKPOINTED_ELSEWHERE, CHECKPOINTED_RANGE
from srcad.runtime.checkpointed import checkpointed
from srcad.transforms.ir.build import call, const, place_of
from srcad.transforms.ir.node_notes import note, notes_of


def note_header(loop: gast.For, meaning: Callable[[gast.expr], Meaning | None], options: Mapping[str, Any]) -> None:
    """Note on a loop over a call that it is parallel or checkpointed, if the call says so.

    `meaning` resolves the called function; `options` are the Numba options. The number of snapshots becomes a fourth
    argument of the range, until `with_marked_start` moves it.
    """
    called = meaning(loop.iter.func)
    if called is None:
        return
    note(loop, parallel=bool(options.get("parallel")) and called.value is numba.prange)
    if called.value is not checkpointed:
        return
    inner, snapshots = _arguments(loop.iter)
    counts = meaning(inner.func) if isinstance(inner, gast.Call) else None
    if counts is None or counts.value is not range or inner.keywords or not 1 <= len(inner.args) <= 3:
        raise CHECKPOINTED_RANGE.at(place_of(loop.iter))
    if loop.orelse:
        raise CHECKPOINTED_ELSE.at(place_of(loop.iter))
    inner.args = [*_bounds(inner.args), const(None) if snapshots is None else snapshots]
    loop.iter = inner
    note(loop, checkpointed=True)


def with_marked_start(loop: gast.For) -> gast.For:
    """A checkpointed loop with the number of snapshots moved from the range into its start; other loops unchanged."""
    if notes_of(loop).checkpointed:
        start, stop, step, snapshots = loop.iter.args
        is_default = isinstance(snapshots, gast.Constant) and snapshots.value is None
        kept = const(0) if is_default else call("kernels.snapshot_count", snapshots)
        loop.iter.args = [call("kernels.checkpointed_start", start, kept), stop, step]
    return loop


def refuse_elsewhere(called: Meaning | None, node: gast.Call) -> None:
    """Refuse a call of `checkpointed` anywhere but in the header of a `for` loop."""
    if called is not None and called.value is checkpointed:
        raise CHECKPOINTED_ELSEWHERE.at(place_of(node))


def check_context(item: gast.withitem, called: Meaning | None) -> None:
    """Refuse every `with`, except for `np.errstate` with 'ignore', 'warn' or 'print'."""
    if called is None or called.value is not np.errstate or item.optional_vars is not None:
        if is_tape(called and called.value):
            raise TAPE_INSIDE.at(place_of(item.context_expr))
        raise WITH.at(place_of(item.context_expr))
    for keyword in item.context_expr.keywords:
        if getattr(keyword.value, "value", None) not in ("ignore", "warn", "print"):
            raise ERRSTATE_RAISES.at(place_of(item.context_expr))


def _arguments(node: gast.Call) -> tuple[gast.expr, gast.expr | None]:
    """The range and the number of snapshots in a call of `checkpointed`."""
    given = dict(zip(("iterations", "snapshots"), node.args, strict=False))
    given.update({keyword.arg: keyword.value for keyword in node.keywords})
    if given.keys() - {"iterations", "snapshots"} or len(node.args) > 2 or "iterations" not in given:
        raise CHECKPOINTED_ARGUMENTS.at(place_of(node))
    return given["iterations"], given.get("snapshots")


def _bounds(arguments: list[gast.expr]) -> list[gast.expr]:
    bounds = [const(0), *arguments] if len(arguments) == 1 else list(arguments)
    return bounds if len(bounds) == 3 else [*bounds, const(1)]
