"""Loop headers that say more than the iterations: `numba.prange` (parallel) and `srcad.checkpointed`.

    for i in numba.prange(n):                    becomes    for i in range(n):
    for i in srcad.checkpointed(range(n)):       becomes    for i in range(kernels.checkpointed_start(0, 0), n, 1):
    while srcad.checkpointed(x > 1.0):           becomes    while kernels.checkpointed_test(x > 1.0, 0):

A loop over a reversible step (`srcad.reversible`) gets a branch that undoes an iteration:

    for i in range(n):                           becomes    for i in range(n):
        x, v = step(x, v, k)                                    if kernels.undoing(rtol):
        s = s + x                                                   x, v = step.inverse(x, v, k)
                                                                else:
                                                                    x, v = step(x, v, k)
                                                                    s = s + x

Notes on the loop say that it is parallel or checkpointed. The contexts that `with` may enter are checked here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast
import numba
import numpy as np

from srcad.errors import UnsupportedSyntax
from srcad.frontend.language_subset import is_tape
from srcad.frontend.scope import Meaning
from srcad.refusals.constructs import ERRSTATE_RAISES, TAPE_INSIDE, WITH
from srcad.refusals.loops import (
    CHECKPOINTED_ARGUMENTS,
    CHECKPOINTED_ELSE,
    CHECKPOINTED_ELSEWHERE,
    CHECKPOINTED_ON_DISK,
    CHECKPOINTED_RANGE,
    REVERSIBLE_SINGLE,
)
from srcad.runtime.checkpointed import checkpointed
from srcad.transforms.ir.build import at, call, clone, const, place_of, tuple_of
from srcad.transforms.ir.node_notes import note, notes_of


def note_header(
    loop: gast.For | gast.While, meaning: Callable[[gast.expr], Meaning | None], options: Mapping[str, Any]
) -> None:
    """Note on a loop that it is parallel or checkpointed, if the call in its header says so.

    `meaning` resolves the called function; `options` are the Numba options. The number of snapshots becomes a fourth
    argument of the range, or stands beside the test, until `with_marked_count` moves it.
    """
    header = loop.iter if isinstance(loop, gast.For) else loop.test
    called = meaning(header.func) if isinstance(header, gast.Call) else None
    if called is None or called.value is not checkpointed:
        note_reversible(loop, meaning)
    if called is None:
        return
    note(loop, parallel=bool(options.get("parallel")) and called.value is numba.prange)
    if called.value is not checkpointed:
        return
    inner, snapshots, on_disk = _arguments(header)
    kept = const(None) if snapshots is None else snapshots
    if isinstance(loop, gast.While):
        loop.test = at(tuple_of(inner, kept), place_of(header))
    else:
        counts = meaning(inner.func) if isinstance(inner, gast.Call) else None
        if counts is None or counts.value is not range or inner.keywords or not 1 <= len(inner.args) <= 3:
            raise CHECKPOINTED_RANGE.at(place_of(header))
        inner.args = [*_bounds(inner.args), kept]
        loop.iter = inner
    if loop.orelse:
        raise CHECKPOINTED_ELSE.at(place_of(header))
    note(loop, checkpointed=True, on_disk=on_disk)


def note_reversible(loop: gast.For | gast.While, meaning: Callable[[gast.expr], Meaning | None]) -> None:
    """Give a loop over a reversible step a branch that undoes an iteration, by the inverse of the step."""
    steps = [each for each in loop.body if isinstance(each, (gast.Assign, gast.Expr))]
    steps = [each for each in steps if isinstance(each.value, gast.Call) and is_path(each.value.func)]
    found = [(each, step) for each in steps if hasattr(step := _function(each.value, meaning), "__srcad_rtol__")]
    if not found:
        return
    statement, step = found[0]
    if len(found) > 1 or loop.orelse:
        raise REVERSIBLE_SINGLE.at(place_of(loop))
    undo = clone(statement)
    place = place_of(statement)
    function = undo.value.func
    undo.value.func = at(gast.Attribute(value=function, attr="inverse", ctx=gast.Load()), place)
    # What is generated holds for this tolerance; `with_marked_count` makes the test of it.
    tolerance = at(gast.Attribute(value=clone(function), attr="__srcad_rtol__", ctx=gast.Load()), place)
    branch = gast.If(test=at(tuple_of(tolerance, const(0)), place), body=[undo], orelse=loop.body)
    loop.body = [at(note(branch, undoes=True), place)]
    note(loop, checkpointed=True, recovers=step.__srcad_rtol__)


def _function(node: gast.Call, meaning: Callable[[gast.expr], Meaning | None]) -> Any:
    """The function that is called, if that is known; what cannot be resolved is refused where it is visited."""
    try:
        called = meaning(node.func)
    except UnsupportedSyntax:
        return None
    return None if called is None else called.value


def is_path(node: gast.expr) -> bool:
    """Whether an expression is a name, or an attribute of one."""
    return isinstance(node, gast.Name) or (isinstance(node, gast.Attribute) and is_path(node.value))


def with_marked_count(loop: gast.For | gast.While) -> gast.For | gast.While:
    """A checkpointed loop with the number of snapshots moved into its start or test; other loops unchanged."""
    if notes_of(loop).recovers is not None:
        (branch,) = (each for each in loop.body if notes_of(each).undoes)
        branch.test = at(call("kernels.undoing", branch.test.elts[0]), place_of(branch))
        return loop
    if not notes_of(loop).checkpointed:
        return loop
    if isinstance(loop, gast.For):
        start, stop, step, snapshots = loop.iter.args
        loop.iter.args = [call("kernels.checkpointed_start", start, _count(snapshots)), stop, step]
    else:
        test, snapshots = loop.test.elts
        loop.test = at(call("kernels.checkpointed_test", test, _count(snapshots)), place_of(loop.test))
    return loop


def _count(snapshots: gast.expr) -> gast.expr:
    """The number of snapshots that is asked for; 0 for None."""
    is_default = isinstance(snapshots, gast.Constant) and snapshots.value is None
    return const(0) if is_default else call("kernels.snapshot_count", snapshots)


def refuse_elsewhere(called: Meaning | None, node: gast.Call) -> None:
    """Refuse a call of `checkpointed` anywhere but in the header of a loop."""
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


def _arguments(node: gast.Call) -> tuple[gast.expr, gast.expr | None, int]:
    """The range or test, the number of snapshots, and how many are kept in files, in a call of `checkpointed`."""
    given = dict(zip(("iterations", "snapshots"), node.args, strict=False))
    given.update({keyword.arg: keyword.value for keyword in node.keywords})
    on_disk = given.pop("on_disk", const(0))
    if given.keys() - {"iterations", "snapshots"} or len(node.args) > 2 or "iterations" not in given:
        raise CHECKPOINTED_ARGUMENTS.at(place_of(node))
    match on_disk:
        case gast.Constant(value=int() as count) if count >= 0 and not isinstance(count, bool):
            return given["iterations"], given.get("snapshots"), int(count)
    raise CHECKPOINTED_ON_DISK.at(place_of(node))


def _bounds(arguments: list[gast.expr]) -> list[gast.expr]:
    bounds = [const(0), *arguments] if len(arguments) == 1 else list(arguments)
    return bounds if len(bounds) == 3 else [*bounds, const(1)]
