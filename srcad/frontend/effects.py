"""Effects: statements that do something elsewhere and no value of the function depends on.

    log.info("step %d", k)                      effect(log.info, "step %d", k)
    history.append(x)               becomes     effect(history.append, x)
    self.calls += 1                             effect(add to the attribute `calls`, 1)

Such a statement is made as often, in the order and with the values of the function. It may change a captured list,
dictionary, set or object, or a global, which the function then must not read: it is read while the function is
compiled.
"""

from __future__ import annotations

import builtins
import operator
import sys
from collections import deque
from collections.abc import Callable, MutableMapping, MutableSequence, MutableSet
from types import ModuleType
from typing import Any

import gast
import numpy as np

from srcad.errors import Place
from srcad.frontend.scope import Meaning, Method
from srcad.refusals.names_and_functions import CHANGED_AND_READ
from srcad.runtime.support.labelled_kinds import module_of
from srcad.transforms.ir.build import at, dotted, place_of, walk
from srcad.transforms.lowering.calls.effect_arguments import Effect
from srcad.transforms.lowering.lowering_context import Draft, reader

# Modules, and what is inside them, whose functions do not write into the arrays that they get.
_MODULES = frozenset(
    {"logging", "warnings", "_warnings", "time", "gc", "sys", "os", "io", "_io", "traceback", "tracemalloc", "pprint"}
    | {"matplotlib", "tqdm", "rich", "loguru", "structlog", "wandb", "tensorboard", "tensorboardX", "mlflow"}
)
_FUNCTIONS = (np.random.seed, np.set_printoptions, np.seterr)
_CONTAINERS = (MutableSequence, MutableMapping, MutableSet, deque)
_CHANGES = frozenset({"append", "appendleft", "extend", "insert", "add", "update", "clear", "setdefault", "discard"})
_IN_PLACE: dict[type, Callable[[Any, Any], Any]] = {
    gast.Add: operator.iadd,
    gast.Sub: operator.isub,
    gast.Mult: operator.imul,
    gast.Div: operator.itruediv,
    gast.FloorDiv: operator.ifloordiv,
    gast.Mod: operator.imod,
    gast.Pow: operator.ipow,
    gast.BitOr: operator.ior,
    gast.BitAnd: operator.iand,
}


def refuse_read(draft: Draft) -> None:
    """Refuse a function that reads what one of its effects changes: it would be read while compiling."""
    read = [(owner, key) for owner, key, _ in draft.frozen] + [(each.owner, each.key) for each in draft.hidden]
    for changed, name, place in draft.changed:
        if any(_is_of(owner, key, changed, name) for owner, key in read):
            raise CHANGED_AND_READ.at(place)


def _is_of(owner: Any, key: str, changed: Any, name: str | None) -> bool:
    held, changed = (vars(each) if isinstance(each, ModuleType) else each for each in (_held(owner), changed))
    return held is changed and (name is None or key in (name, "layout"))


def _held(owner: Any) -> Any:
    return getattr(owner, "held", owner)


def effect_of_call(node: gast.Call, meaning: Callable[[gast.AST], Meaning | None], draft: Draft) -> Effect | None:
    """The effect that a call has whose result is not used; None where none is known."""
    if isinstance(node.func, gast.Attribute) and node.func.attr in _CHANGES:
        base = meaning(node.func.value)
        if base is not None and isinstance(base.value, _CONTAINERS) and base.owner is not None:
            draft.note_changed(base.value, None, place_of(node))
            return Effect(_method(_reader(base), node.func.attr))
    found = meaning(node.func)
    if found is None:
        return None
    value, receiver = found.value, None
    if isinstance(value, Method):
        value, receiver = value.function, value.receiver
    if value is builtins.print:
        return Effect(print) if _is_formatted(node) else None
    if not is_known(value):
        return None
    return Effect(value if receiver is None else _method(_reader(receiver), value.__name__))


def effect_of_store(
    target: gast.expr, op: gast.operator | None, meaning: Callable[[gast.AST], Meaning | None], draft: Draft
) -> Effect | None:
    """The effect of storing to a part of a captured object, or of changing it by an operator; None for others.

    The effect is a function of the value, and of the key before it, if there is one.
    """
    base = meaning(target.value) if isinstance(target, (gast.Attribute, gast.Subscript)) else None
    if base is None or isinstance(base.value, np.ndarray) or (op is not None and type(op) not in _IN_PLACE):
        return None
    read, act = _reader(base), None if op is None else _IN_PLACE[type(op)]
    if isinstance(target, gast.Attribute):
        if hasattr(type(base.value), "__srcad_variable__") or isinstance(base.value, (type, Method)):
            return None
        draft.note_changed(base.value, target.attr, place_of(target))
        return Effect(_attribute_store(read, target.attr, act))
    if not isinstance(base.value, _CONTAINERS) or base.owner is None:
        return None
    draft.note_changed(base.value, None, place_of(target))
    return Effect(_item_store(read, act))


def effect_on_global(
    name: str, owner: dict[str, Any], op: gast.operator | None, draft: Draft, place: Place | None
) -> Effect | None:
    """The effect of assigning to a global, or of changing it by an operator."""
    if op is not None and type(op) not in _IN_PLACE:
        return None
    draft.note_changed(owner, name, place)
    return Effect(_item_store(lambda: owner, None if op is None else _IN_PLACE[type(op)]).at(name))


def spelled(
    effect: Effect, arguments: list[gast.expr], keywords: list[gast.keyword], draft: Draft, node: Any
) -> gast.Expr:
    """The statement for an effect."""
    call = gast.Call(func=dotted(draft.bind("effect", effect)), args=arguments, keywords=keywords)
    return at(gast.Expr(value=at(call, place_of(node))), place_of(node))


class _item_store:  # noqa: N801 - it is called like a function
    """Stores to an element of a container."""

    def __init__(
        self, read: Callable[[], Any], act: Callable[[Any, Any], Any] | None, key: tuple[Any, ...] = ()
    ) -> None:
        self.read, self.act, self.key = read, act, key

    def at(self, key: Any) -> _item_store:
        """The store to this element."""
        return _item_store(self.read, self.act, (key,))

    def __call__(self, *given: Any) -> None:
        key, value = (*self.key, *given)
        held = self.read()
        held[key] = value if self.act is None else self.act(held[key], value)


def _attribute_store(read: Callable[[], Any], name: str, act: Callable[[Any, Any], Any] | None) -> Callable[..., None]:
    def store(value: Any) -> None:
        held = read()
        setattr(held, name, value if act is None else act(getattr(held, name), value))

    return store


def _method(read: Callable[[], Any], name: str) -> Callable[..., Any]:
    return lambda *args, **options: getattr(read(), name)(*args, **options)  # noqa: PLW0108 - it is read at each call


def _reader(meaning: Meaning) -> Callable[[], Any]:
    """What reads an object where it is held, at each call."""
    value = meaning.value
    return (lambda: value) if meaning.owner is None else reader(meaning.owner, meaning.key)


def is_known(function: Any) -> bool:
    """Whether a function is known to write into no array, and to be called for its effect."""
    if any(function is each or function == each for each in _FUNCTIONS):
        return True
    home = getattr(function, "__module__", None) or module_of(type(getattr(function, "__self__", None)))
    return callable(function) and not isinstance(function, type) and home.partition(".")[0] in _MODULES


def _is_formatted(node: gast.Call) -> bool:
    """Whether a `print` needs Python: it goes to a file, or formats what it prints."""
    if any(each.arg in ("file", "flush") for each in node.keywords):
        return True
    for each in (inner for argument in node.args for inner in walk(argument)):
        match each:
            case gast.FormattedValue(format_spec=form, conversion=conversion) if form is not None or conversion != -1:
                return True
            case gast.BinOp(left=gast.Constant(value=str()), op=gast.Mod()):
                return True
            case gast.Call(func=gast.Attribute(value=gast.Constant(value=str()), attr="format")):
                return True
    return False


def stands_for_itself(meaning: Meaning | None) -> bool:
    """Whether an argument of an effect is an object that is handed over as it is, such as `sys.stderr`."""
    if (
        meaning is None
        or meaning.is_data
        or isinstance(meaning.value, (Method, np.dtype, np.random.Generator, np.random.RandomState))
    ):
        return False
    return not callable(meaning.value) or isinstance(meaning.value, type) or meaning.value in (sys.stderr, sys.stdout)
