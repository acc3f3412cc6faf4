"""Refuse stored one-shot iterators: `map`, `filter`, `reversed` and itertools objects that are not iterated in place.

    for v in map(g, x):          total = sum(map(g, x))          a, b = map(g, (p, q))          accepted
    r = map(g, x)                np.mean(map(g, x))              reversed(x)[0]                 refused

Lowering turns such iterators into lists. A list would behave differently if it were stored: it can be iterated again,
it has a length, and it holds the elements of the moment it was made, not of the moment it is iterated.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import gast

from srcad.frontend.scope import Method, Procedure
from srcad.refusals.loops import FILTER_INSIDE_ITERATOR, KEPT_ITERATOR
from srcad.transforms.ir.build import dotted_path, place_of, walk
from srcad.transforms.lowering.inlining import static_value

_LAZY = (map, filter, zip, enumerate, reversed, itertools.chain.from_iterable)
_METHODS = ("extend", "update", "join")
_ASKING = (len, bool, isinstance, type, print, functools.partial)


def refuse_kept(block: list[gast.stmt], bindings: Mapping[str, Any]) -> None:
    """Raise UnsupportedSyntax for iterators that are not iterated where they are made. Names are already resolved."""

    def meant(node: gast.expr) -> Any:
        return static_value(node, bindings)

    for node, parent in _nodes_and_parents(block):
        if isinstance(parent, gast.For) and node is parent.iter and (early := _read_early(parent, meant)):
            raise FILTER_INSIDE_ITERATOR.at(place_of(early))
        if isinstance(node, gast.Call) and _is_lazy(meant(node.func)) and not _goes_through(parent, node, meant):
            raise KEPT_ITERATOR.at(place_of(node), function=dotted_path(node.func))


def _nodes_and_parents(block: list[gast.stmt]) -> Iterator[tuple[gast.AST, gast.AST]]:
    for statement in block:
        for parent in walk(statement):
            for node in gast.iter_child_nodes(parent):
                yield node, parent


def _is_lazy(meaning: Any) -> bool:
    is_of_itertools = isinstance(meaning, type) and meaning.__module__ == "itertools"
    return is_of_itertools or any(meaning is each or meaning == each for each in _LAZY)


def _read_early(loop: gast.For, meant: Callable[[gast.expr], Any]) -> gast.expr | None:
    """A `filter` inside another iterator of this loop's header, if what it reads may be changed by the loop.

    Such a `filter` is turned into a list before the loop runs, so it would not see the change.
    """
    if not isinstance(loop.iter, gast.Call) or not _is_lazy(meant(loop.iter.func)):
        return None
    for node in (each for argument in loop.iter.args for each in walk(argument)):
        if isinstance(node, gast.Call) and node.args and meant(node.func) is filter:
            asked = meant(node.args[0])
            if isinstance(asked, Procedure):
                variables = asked.scope.variables if asked.scope is not None else {}
                read = {each.id for each in walk(loop.iter) if isinstance(each, gast.Name)}
                read |= {variables.get(each.id) for each in walk(asked.tree) if isinstance(each, gast.Name)}
                if _changes(asked.tree.body, set(), meant) or _changes(loop.body, read, meant):
                    return node
    return None


def _changes(block: list[gast.stmt], read: set[str | None], meant: Callable[[gast.expr], Any]) -> bool:
    """Whether statements may change an element, an attribute, or a variable in `read`."""
    for node in (each for statement in block for each in walk(statement)):
        match node:
            case gast.Subscript(ctx=gast.Store()) | gast.Attribute(ctx=gast.Store()) | gast.Nonlocal() | gast.Expr():
                return True
            case gast.Name(id=name, ctx=gast.Store()) if name in read:
                return True
            case gast.Call(func=function) if isinstance(meant(function), (Procedure, Method, type(None))):
                return True
    return False


def _goes_through(parent: gast.AST, node: gast.expr, meant: Callable[[gast.expr], Any]) -> bool:
    """Whether the parent node iterates over the iterator at once, and does nothing else with it."""
    match parent:
        case gast.For() | gast.comprehension():
            return parent.iter is node
        case gast.Starred():
            return True
        case gast.Assign(targets=[gast.Tuple() | gast.List()]):
            return True
        case gast.Call(func=gast.Attribute(attr=name)) if meant(parent.func) is None:
            return name in _METHODS
        case gast.Call(func=function):
            return function is not node and _takes(meant(function))
    return False


def _takes(function: Any) -> bool:
    """Whether a function iterates over its arguments once: functions of Python's library, not the user's or NumPy's."""
    if function is None or any(function is each for each in _ASKING):
        return False
    module = getattr(function, "__module__", None) or ""
    return module.partition(".")[0] in sys.stdlib_module_names
