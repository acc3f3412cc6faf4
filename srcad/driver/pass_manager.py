"""The pass manager: runs rows of the table of passes, one after the other, on a function or on a whole module."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Any

from numba import types as nb

from srcad.driver.pass_row import Pass
from srcad.runtime.support import stage_timer
from srcad.transforms.inference.retyping import retyped
from srcad.transforms.inference.type_inference import types_of, without_unreached
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.unit import Unit


def passed(code: Code, rows: Iterable[Pass], after: str | None = None) -> Code:
    """The function after these passes, or after the one of this name."""
    for row in rows:
        code = run(row, code)
        if row.name == after:
            break
    return code


def run(row: Pass, code: Code) -> Code:
    """The function after one pass, if it is to be run."""
    if not is_due(row, code, code.unit.without):
        return code
    with stage_timer.in_stage(row.name):
        found: Code = loaded(row)(code)
        return _with_types(code, found) if row.retypes else found


def passed_module(made: Made, rows: Iterable[Pass], settings: Any, without: Collection[str], after: str | None) -> Made:
    """A module after passes on all of its functions together, or after the one of this name."""
    for row in rows:
        if is_due(row, settings, without):
            with stage_timer.in_stage(row.name):
                made = loaded(row)(made)
        if row.name == after:
            break
    return made


def is_due(row: Pass, held: Any, without: Collection[str]) -> bool:
    """Whether a pass is run: it is a step of its own, for these settings, and not left out."""
    return bool(row.function) and row.name not in without and settings_hold(row, held)


def settings_hold(row: Pass, held: Any) -> bool:
    """Whether a pass is for these settings, or for the function that has them."""
    return all(not _holds(name[4:], held) if name.startswith("not ") else _holds(name, held) for name in row.when)


def _holds(name: str, held: Any) -> bool:
    settings = getattr(held, "settings", held)
    return bool(getattr(settings if hasattr(settings, name) else held, name))


@cache
def loaded(row: Pass) -> Callable[[Any], Any]:
    """The function of a row."""
    found: Callable[[Any], Any] = row.load()
    return found


def _with_types(before: Code, after: Code) -> Code:
    """What a pass has made, with the types of names that are new."""
    if after is before:
        return after
    known = retyped(before.unit, before.types, after.unit)
    if known is not None:
        return after.with_unit(after.unit, known)
    return after.with_unit(*reached_types(after.unit, after.signature))


def reached_types(unit: Unit, kinds: tuple[nb.Type, ...]) -> tuple[Unit, Types]:
    """The unit without what Numba's inference has found to be never reached, and the types from it."""
    types = types_of(unit, kinds)
    return without_unreached(unit, types), types
