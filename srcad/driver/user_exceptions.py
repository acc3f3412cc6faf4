"""Whether an exception is the function's own: what it does not raise itself does not reach the user either.

What the compiler did not foresee may raise anything where the generated code runs. The function itself is asked then,
on copies: what it raises, if that is another exception, is what the user gets; if nothing, the line is refused.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from srcad.errors import Place, SrcadError
from srcad.refusals.numpy_calls import FORM_WITHOUT_RULE
from srcad.refusals.types_and_results import ENDS_IN_ERROR, RETURNS_NONE

if TYPE_CHECKING:
    from srcad.driver.version import Version
    from srcad.transforms.ir.unit import Unit

_MOST_SECONDS = 2.0  # to find the line of an error
_FUNCTION = re.compile(r"\bnp\.[\w.]+")


def tell(problem: Exception, version: Version, args: tuple[Any, ...]) -> None:
    """Say where an exception of generated code comes from; raise another one where it is not the function's own."""
    if note_place(problem, version.unit, args):
        own_exception(problem, version, args)


def note_place(problem: Exception, unit: Unit, args: Sequence[Any]) -> bool:
    """Say which line of the user's raises what generated code has raised: its core form is asked, on copies.

    It also tells what an exception says of which Numba could raise the parts only (see `exception_messages`). False
    where the function runs for too long to be run again.
    """
    from srcad.transforms.inference.execution_tracing import TakesTooLong, add_note, place_noted, set_place, watch

    if place_noted(problem) is not None:
        return True
    with suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            watch(unit, [tuple(args)], _MOST_SECONDS)
        except type(problem) as again:
            if len(problem.args) > 1 and len(again.args) == 1 and _says(again, problem.args[0]):
                problem.args = again.args
            set_place(problem, place_noted(again))
        except TakesTooLong:
            for place in _suspects(problem, unit)[:3]:
                add_note(problem, "\n".join([f"at, or at a line like it: {place}", *place.trail()]))
            return False
    return True


def place_refusal(refusal: SrcadError, unit: Unit) -> None:
    """Give a refusal that a rule raises while it runs the user's line: the one that ran, or calls what it is about."""
    from srcad.transforms.inference.execution_tracing import place_noted
    from srcad.transforms.ir.build import place_of, walk_statements

    named = _FUNCTION.search(refusal.what)
    if refusal.at is None and (noted := place_noted(refusal)) is not None:
        refusal.called_from(noted)
    elif refusal.at is None and named is not None:
        places = [place for each in walk_statements(unit.tree.body) if (place := place_of(each)) is not None]
        refusal.called_from(next((each for each in places if f"{named[0]}(" in each.text), None))


def own_exception(problem: Exception, version: Version, args: tuple[Any, ...]) -> None:
    """Raise what there is to be told instead of an exception; return if that is the function's own."""
    from srcad.transforms.inference.execution_tracing import own_copy, place_noted
    from srcad.transforms.inference.type_inference import callees_in
    from srcad.transforms.ir.build import place_of

    noted = place_noted(problem)
    place = None if noted is None else noted.in_users_file()
    if type(problem) is NotImplementedError and noted is not place and is_raised(noted):
        what, _, way = str(problem).partition(": ")  # a definition of our own refuses its arguments
        raise FORM_WITHOUT_RULE.at(place, what=what, way=way or "compute it in the caller") from problem
    if is_raised(noted) or is_raised(place):
        return
    if isinstance(problem, IndexError) and noted is not None and callees_in(version.unit):
        return  # the function itself may call compiled code, which does not check indices
    if RETURNS_NONE.what in problem.args:
        raise RETURNS_NONE.at(place or noted) from problem
    function = getattr(version.function, "py_func", version.function)
    own = asked(function, [own_copy(each) for each in args[: len(version.own_parameters)]])
    if isinstance(own, type(problem)) or isinstance(problem, type(own)):
        return
    if own is not None:
        raise own from problem
    raise ENDS_IN_ERROR.at(place or place_of(version.unit.tree.body[0]), problem=said(problem)) from problem


def is_raised(place: Place | None) -> bool:
    """Whether the user's line is a `raise` or an `assert`."""
    return place is not None and place.text[place.column :].startswith(("raise", "assert"))


def asked(function: Any, args: list[Any]) -> Exception | None:
    """The exception that a function raises for these arguments; what it prints and draws does not count.

    >>> asked(lambda x: 1 / x, [0]), asked(lambda x: 1 / x, [2])
    (ZeroDivisionError('division by zero'), None)
    """
    state = np.random.get_state()
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            function(*args)
    except Exception as problem:  # noqa: BLE001  the function's own, which may be any, and is handed on
        return problem
    finally:
        np.random.set_state(state)
    return None


def said(problem: Exception) -> str:
    """An exception in a few words."""
    text = str(problem).strip().partition("\n")[0]
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__


def _says(problem: Exception, part: object) -> bool:
    """Whether a part is in what an exception says."""
    return isinstance(problem.args[0], str) and str(part) in problem.args[0]


def _suspects(problem: Exception, unit: Unit) -> list[Place]:
    """Where matrices are factorised, if that is what failed; else nothing is known."""
    if not isinstance(problem, np.linalg.LinAlgError):
        return []
    from srcad.transforms.ir.build import place_of, walk_statements

    found = [place_of(each) for each in walk_statements(unit.tree.body) if _factorises(each)]
    return [place for place in dict.fromkeys(found) if place is not None]


def _factorises(statement: gast.stmt) -> bool:
    from srcad.transforms.ir.build import dotted_path

    match statement:
        case gast.Assign(value=gast.Call(func=function)) | gast.Return(value=gast.Call(func=function)):
            path = dotted_path(function) or ""
            return path.startswith("np.linalg.") or path.endswith("_factored")
    return False
