"""Refuse iterators that are kept: what `map`, `filter`, `reversed` and itertools give can be gone through once only.

    for v in map(g, x):          total = sum(map(g, x))          a, b = map(g, (p, q))          as ever
    r = map(g, x)                np.mean(map(g, x))              reversed(x)[0]                 refused

Lowering makes lists of them. A list can be gone through again and has a length; and it holds what the elements were
when it was made, not what they are when it is gone through.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import gast

from srcad.errors import UnsupportedSyntax
from srcad.transforms.build import dotted_path
from srcad.transforms.inline import static_value

_LAZY = (map, filter, zip, enumerate, reversed, iter, itertools.chain.from_iterable)
_STEPWISE = (itertools.chain, itertools.accumulate, itertools.pairwise, itertools.islice, itertools.zip_longest)
_METHODS = ("extend", "update", "join")
_ASKING = (len, bool, isinstance, type, print, functools.partial)


def refuse_kept(block: list[gast.stmt], bindings: Mapping[str, Any]) -> None:
    """Refuse iterators that do more than being gone through where they are made; names are resolved."""

    def meant(node: gast.expr) -> Any:
        return static_value(node, bindings)

    for node, parent in _nodes_and_parents(block):
        is_iterator = isinstance(parent, gast.For) and node is parent.iter
        if is_iterator and (changed := _changed_on_the_way(parent, meant)):
            raise UnsupportedSyntax(
                f"elements of `{changed}` are written while the loop goes through them",
                at=getattr(node, "place", None),
                hint="loop over a list of them, `for v in list(...)`, or over `range(n)` and use the index",
            )
        if isinstance(node, gast.Call) and _is_lazy(meant(node.func)) and not _goes_through(parent, node, meant):
            raise UnsupportedSyntax(
                f"the iterator of `{dotted_path(node.func)}` can only be looped over",
                at=getattr(node, "place", None),
                hint="write it behind `in` of a `for`, or make a list: `list(map(f, x))`; "
                "the elements of an array have indices",
            )


def _nodes_and_parents(block: list[gast.stmt]) -> Iterator[tuple[gast.AST, gast.AST]]:
    for statement in block:
        for parent in gast.walk(statement):
            for node in gast.iter_child_nodes(parent):
                yield node, parent


def _is_lazy(meaning: Any) -> bool:
    is_of_itertools = isinstance(meaning, type) and meaning.__module__ == "itertools"
    return is_of_itertools or any(meaning is each or meaning == each for each in _LAZY)


def _changed_on_the_way(loop: gast.For, meant: Callable[[gast.expr], Any]) -> str | None:
    """What a loop writes into that its iterator would read only then; lowering reads all of it before."""
    read, own = set[str](), set[str]()
    if isinstance(loop.iter, gast.Call) and any(meant(loop.iter.func) is each for each in (list, tuple, sorted)):
        return None
    for node in gast.walk(loop.iter):
        match node:
            case gast.Call(func=function, args=arguments) if any(meant(function) is each for each in _STEPWISE):
                read |= {each.id for part in arguments for each in gast.walk(part) if isinstance(each, gast.Name)}
            case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="items" | "values"), args=[]):
                read.add(name)
                own |= {each.id for each in gast.walk(loop.target) if isinstance(each, gast.Name)}
    for node in (each for statement in loop.body for each in gast.walk(statement)):
        match node:
            case gast.Subscript(value=gast.Name(id=name), slice=index, ctx=gast.Store()) if name in read:
                if not (isinstance(index, gast.Name) and index.id in own):
                    return str(name)
    return None


def _goes_through(parent: gast.AST, node: gast.expr, meant: Callable[[gast.expr], Any]) -> bool:
    """Whether what is around an iterator takes its elements at once, and nothing else."""
    match parent:
        case gast.For() | gast.comprehension():
            return parent.iter is node
        case gast.Starred():
            return True
        case gast.Assign(targets=[gast.Tuple() | gast.List()]):
            return True
        case gast.Compare(ops=[gast.In() | gast.NotIn()]):
            return parent.left is not node
        case gast.Call(func=gast.Attribute(attr=name)) if meant(parent.func) is None:
            return name in _METHODS
        case gast.Call(func=function):
            return function is not node and _takes(meant(function))
    return False


def _takes(function: Any) -> bool:
    """Whether a function goes through its arguments, once: one of Python's, not of the user's or NumPy's."""
    if function is None or any(function is each for each in _ASKING):
        return False
    module = getattr(function, "__module__", None) or ""
    return module.partition(".")[0] in sys.stdlib_module_names
