"""Which syntax is refused: the nodes, and the row of `srcad.refusals.constructs` that says why.

The first construct that fits a node is the one that is reported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast

from srcad.errors import UnsupportedSyntax
from srcad.refusals import constructs, loops
from srcad.refusals.refusal import Refusal
from srcad.transforms.ir.build import walk

Parents = tuple[Any, ...]


@dataclass(frozen=True)
class Construct:
    """Syntax that is refused.

    refusal     what is said about it
    kinds       names of the syntax nodes that it concerns
    when        whether this node, inside these parents (outermost first), is meant; by default each one is
    """

    refusal: Refusal[UnsupportedSyntax]
    kinds: tuple[str, ...]
    when: Callable[[Any, Parents], bool] = lambda node, parents: True


def _is_name_or_element(target: Any) -> bool:
    """Whether this is a name, or one element of something, not a slice."""
    is_element = isinstance(target, gast.Subscript) and not isinstance(target.slice, (gast.Slice, gast.Tuple))
    return is_element or isinstance(target, gast.Name)


def _is_left(node: Any) -> bool:
    """Whether a statement inside, functions inside it aside, goes somewhere else than to the next one."""
    if isinstance(node, (gast.Return, gast.Break, gast.Continue, gast.Raise)):
        return True
    inner = () if isinstance(node, (gast.FunctionDef, gast.Lambda)) else gast.iter_child_nodes(node)
    return any(map(_is_left, inner))


def _is_only_cached(node: Any) -> bool:
    """Whether the decorators of a function, if any, have names of those that may be left out."""
    made = [each.func if isinstance(each, gast.Call) else each for each in node.decorator_list]
    names = {getattr(each, "attr", None) or getattr(each, "id", "") for each in made}
    shared = any(isinstance(each, (gast.Nonlocal, gast.Global)) for each in walk(node))
    return not names or (names <= {"lru_cache", "cache", "wraps"} and not shared)


REFUSED = (
    Construct(loops.USED_YIELD, ("Yield", "YieldFrom"), lambda node, parents: not isinstance(parents[-1], gast.Expr)),
    Construct(
        constructs.COROUTINE,
        ("AsyncFunctionDef", "Await", "AsyncFor", "AsyncWith", "comprehension"),
        lambda node, parents: getattr(node, "is_async", 1) == 1,
    ),
    Construct(constructs.FINALLY_LEFT_EARLY, ("Try",), lambda node, parents: any(map(_is_left, node.finalbody))),
    Construct(constructs.TRY_STAR, ("TryStar",)),
    Construct(constructs.DEL, ("Delete",), lambda node, parents: not all(map(_is_name_or_element, node.targets))),
    Construct(constructs.CLASS_DEFINITION, ("ClassDef",)),
    Construct(
        constructs.DECORATED_INNER_FUNCTION,
        ("FunctionDef",),
        lambda node, parents: bool(parents) and not _is_only_cached(node),
    ),
    Construct(constructs.RAISE_FROM, ("Raise",), lambda node, parents: isinstance(node.cause, gast.Call)),
    Construct(
        constructs.PRIVATE_ATTRIBUTE,
        ("Attribute",),
        lambda node, parents: node.attr.startswith("__") and not node.attr.endswith("__"),
    ),
    Construct(
        loops.ELEMENT_AS_LOOP_VARIABLE,
        ("Subscript",),
        lambda node, parents: isinstance(parents[-1], gast.For) and node is parents[-1].target,
    ),
)
