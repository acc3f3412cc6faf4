"""Which arguments of a call are broadcast, so that code is made for them at once.

Generated code takes extents to be equal that may be, and checks it: `kernels.same_extent(n, m)`. Where the checks
follow from the shapes of the arguments they are evaluated here, before the code is compiled. One that fails because an
argument has the extent 1 along an axis, as `m` in `m * m.T` for a column `m`, says that code for such arguments is
needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gast

from srcad.driver.trace_memory import value_of
from srcad.parsing import syntax_tree
from srcad.transforms.ir.array_functions import last_part
from srcad.transforms.ir.build import clone, walk_statements, written

Axis = tuple[str, int]


def broadcast_axes(text: str, function: str, values: Sequence[Any]) -> tuple[bool, set[Axis]]:
    r"""Whether generated code fits these arguments, as far as its checks follow from them, and else what is broadcast.

    text       a generated module
    function   the name of the function in it that is called
    values     the arguments for its parameters

    >>> import numpy as np
    >>> text = "def f(x, y):\n    n = x.shape[0]\n    kernels.same_extent(n, y.shape[0])"
    >>> broadcast_axes(text, "f", (np.ones(3), np.ones(3)))
    (True, set())
    >>> broadcast_axes(text, "f", (np.ones(1), np.ones(3)))
    (False, {('x', 0)})
    """
    tree = next(each for each in syntax_tree(text).body if getattr(each, "name", "") == function)
    known = dict(zip((each.id for each in tree.args.args), values, strict=False))
    fits, found = True, set[Axis]()
    for sides in _checks(tree):
        extents = [value_of(side, known) for side in sides]
        if None not in extents and len(set(extents)) > 1:
            fits = False
            found |= {axis for side in sides if (axis := _axis(side, known)) is not None}
    return fits, found


def _checks(tree: gast.FunctionDef) -> Iterator[list[gast.expr]]:
    """The sides of the comparisons that a function makes before and between its loops, by its parameters."""
    stored = [written(each) for each in walk_statements(tree.body)]
    meanings: dict[str, gast.expr] = {}
    for statement in tree.body:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if stored.count(name) == 1:
                meanings[name] = _Expanded(meanings).visit(clone(value))
            case gast.Expr(value=gast.Call(func=function, args=args)):
                if last_part(function) in ("same_extent", "known_extent"):
                    yield [_Expanded(meanings).visit(clone(each)) for each in args]
                elif last_part(function) == "unit_extent":
                    yield [*(_Expanded(meanings).visit(clone(each)) for each in args), gast.Constant(1, None)]


class _Expanded(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Names replaced by what they stand for."""

    def __init__(self, meanings: Mapping[str, gast.expr]) -> None:
        self.meanings = meanings

    def visit_Name(self, node: gast.Name) -> gast.expr:
        return clone(self.meanings.get(node.id, node))


def _axis(side: gast.expr, known: Mapping[str, Any]) -> Axis | None:
    """The parameter and the axis along which it has the extent 1, if this is that extent."""
    match side:
        case gast.Subscript(
            value=gast.Attribute(value=gast.Name(id=name), attr="shape"), slice=gast.Constant(value=int(axis))
        ) if name in known and known[name].shape[axis] == 1:
            return name, axis % known[name].ndim
    return None
