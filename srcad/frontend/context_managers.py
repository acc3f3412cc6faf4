"""`with` statements: what is done at the start and at the end, around the body.

    @contextlib.contextmanager
    def scaled(x, rate):                                v = x; rate = 2.0
        print("begin")                                  print("begin")
        yield rate * x              becomes             u = rate * v
        print("end")                                    s = u * u
                                                        print("end")
    with scaled(x, 2.0) as u:
        s = u * u

The end is repeated wherever the body is left. It is not run after an exception, which ends the call in any case.
`contextlib.suppress` is a `try` statement before names are resolved, in `match_and_try`.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any

import gast
import numpy as np

from srcad.errors import Place
from srcad.frontend.effects import is_known, spelled
from srcad.frontend.scope import Meaning, is_users
from srcad.frontend.try_statements import Leaving
from srcad.names import Names
from srcad.refusals.constructs import MANAGER_YIELDS
from srcad.transforms.ir.build import Block, assign, at, const, has_place, place_of, walk, walk_statements
from srcad.transforms.lowering.calls.effect_arguments import Effect
from srcad.transforms.lowering.lowering_context import Draft

# Managers of libraries that touch no values; they are entered and left as effects.
_KNOWN = (warnings.catch_warnings, np.printoptions, contextlib.redirect_stdout, contextlib.redirect_stderr)
_LOCKS = (type(threading.Lock()), type(threading.RLock()))


def generator_of(value: Any) -> Any:
    """The generator function that `contextlib.contextmanager` has decorated; None for others."""
    inner = getattr(value, "__wrapped__", None)
    is_made = isinstance(value, FunctionType) and value.__code__.co_filename == contextlib.__file__
    return inner if is_made and is_users(inner) and inspect.isgeneratorfunction(inner) else None


def is_users_manager(kind: Any) -> bool:
    """Whether this is a class of the user's, written in Python, whose objects can be entered and left."""
    parts = [inspect.getattr_static(kind, name, None) for name in ("__enter__", "__exit__")]
    return isinstance(kind, type) and all(isinstance(each, FunctionType) and is_users(each) for each in parts)


def around_yield(block: Block, place: Place | None) -> tuple[Block, gast.expr, Block]:
    """The statements of a manager's generator before its `yield`, what that yields, and those behind it."""
    places = [k for k, each in enumerate(block) if isinstance(each, gast.Expr) and isinstance(each.value, gast.Yield)]
    found = [each for statement in block for each in walk(statement) if isinstance(each, gast.Yield)]
    leaves = any(isinstance(each, gast.Return) for each in walk_statements(block))
    if len(places) != 1 or len(found) != 1 or leaves:
        raise MANAGER_YIELDS.at(place)
    value = found[0].value
    return block[: places[0]], const(None) if value is None else value, block[places[0] + 1 :]


def left_through(body: Block, end: Block, names: Names, place: Place | None) -> Block:
    """The body with the end behind it, and before each statement that leaves it."""
    made = [*(Leaving(end, names).block(body) if end else body), *end]
    for each in walk_statements(made):
        if not has_place(each):
            at(each, place)
    return made


def effects_of(
    node: gast.expr, meaning: Callable[[gast.AST], Meaning | None], draft: Draft
) -> tuple[Effect, Effect] | None:
    """The effects of entering and leaving a manager that touches no values; None for others."""
    found = meaning(node.func if isinstance(node, gast.Call) else node)
    value: Any = None if found is None else found.value
    is_lock = not isinstance(node, gast.Call) and isinstance(value, _LOCKS)
    if not is_lock and not (isinstance(node, gast.Call) and (value in _KNOWN or is_known(value))):
        return None
    open_now: list[Any] = []

    def enter(*args: Any, **options: Any) -> None:
        manager = value if is_lock else value(*args, **options)
        manager.__enter__()
        open_now.append(manager)

    return Effect(enter), Effect(lambda: open_now.pop().__exit__(None, None, None))


def entered_and_left(
    effects: tuple[Effect, Effect], arguments: list[gast.expr], keywords: list[gast.keyword], draft: Draft, node: Any
) -> tuple[gast.stmt, gast.stmt]:
    """The statements for these effects."""
    enter, leave = effects
    return spelled(enter, arguments, keywords, draft, node), spelled(leave, [], [], draft, node)


def methods_called(name: str, node: gast.With) -> tuple[gast.expr, gast.stmt]:
    """The calls of `__enter__` and `__exit__` of the manager that a name stands for."""

    def called(method: str, arguments: list[gast.expr]) -> gast.expr:
        held = gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None)
        function = gast.Attribute(value=held, attr=method, ctx=gast.Load())
        made = gast.Call(func=function, args=arguments, keywords=[])
        for each in walk(made):
            if isinstance(each, gast.expr):
                at(each, place_of(node.items[0].context_expr))
        return made

    leave = gast.Expr(value=called("__exit__", [const(None), const(None), const(None)]))
    return called("__enter__", []), at(leave, place_of(node.items[0].context_expr))


def stored_as(target: gast.expr | None, value: gast.expr, place: Place | None) -> Block:
    """The assignment of `as target`, if there is one."""
    return [] if target is None else [assign(target, value, place)]
