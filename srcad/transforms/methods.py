"""Spell methods and properties of arrays as functions.

    x.sum(axis=0)      becomes    np.sum(x, axis=0)
    x.reshape(2, -1)              np.reshape(x, (2, -1))
    x.T.copy()                    np.copy(np.transpose(x))

What a value is, is not known here; only arrays and numbers have attributes in core form, so an attribute that arrays
do not have is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from srcad.errors import UnsupportedSyntax
from srcad.transforms.build import dotted
from srcad.transforms.spelling import root_name

KEPT = frozenset({"shape", "size", "ndim", "dtype"})
PROPERTIES = {"T": "np.transpose", "real": "np.real", "imag": "np.imag"}
METHODS = {
    name: f"np.{name}"
    for name in (
        *("all", "any", "argmax", "argmin", "argsort", "astype", "clip", "conj", "copy", "cumprod"),
        *("cumsum", "diagonal", "dot", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "reshape", "round"),
        *("searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "trace", "transpose", "var"),
    )
}
METHODS |= {"conjugate": "np.conj", "flatten": "np.ravel"}
# Methods that change their array: statements, which `desugar` turns into stores.
IN_PLACE = frozenset({"fill", "sort"})
_SHAPED = frozenset({"reshape", "transpose"})


def spell_methods(block: list[gast.stmt], bindings: Mapping[str, Any]) -> list[gast.stmt]:
    """The statements with array methods as functions of NumPy.

    >>> body = gast.parse("y = (x * x).mean(0) + x.T.reshape(2, 3).ravel()").body
    >>> print(gast.unparse(spell_methods(body, {})[0]).strip())
    y = np.mean(x * x, 0) + np.ravel(np.reshape(np.transpose(x), (2, 3)))
    """
    speller = _Speller(bindings)
    return [speller.visit(statement) for statement in block]


class _Speller(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, bindings: Mapping[str, Any]) -> None:
        self.bindings = bindings

    def visit_Attribute(self, node: gast.Attribute) -> gast.AST:
        if root_name(node) in self.bindings:
            return node
        node.value = self.visit(node.value)
        if node.attr in KEPT:
            return node
        if node.attr in PROPERTIES:
            return _call(PROPERTIES[node.attr], [node.value], [], node)
        raise UnsupportedSyntax(
            f"the attribute `{node.attr}` cannot be differentiated",
            at=getattr(node, "place", None),
            hint="of arrays, " + ", ".join(sorted([*KEPT, *PROPERTIES])) + " and many methods can be used",
        )

    def visit_Call(self, node: gast.Call) -> gast.AST:
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        function = node.func
        if not isinstance(function, gast.Attribute) or root_name(function) in self.bindings:
            return node
        if function.attr in IN_PLACE:
            function.value = self.visit(function.value)
            return node
        if function.attr not in METHODS:
            raise UnsupportedSyntax(
                f"the method `{function.attr}` cannot be differentiated",
                at=getattr(function, "place", None),
                hint=_hint(function.attr),
            )
        return self.method(function, node)

    def method(self, function: gast.Attribute, node: gast.Call) -> gast.Call:
        receiver, arguments = self.visit(function.value), node.args
        if function.attr in _SHAPED and (len(arguments) > 1 or _is_number(arguments)):
            arguments = [gast.Tuple(elts=arguments, ctx=gast.Load())]
        keywords = node.keywords
        if function.attr == "clip":  # its bounds have other names as a method
            arguments, keywords = _bounds(arguments, keywords)
        call = _call(METHODS[function.attr], [receiver, *arguments], keywords, node)
        return _call("np.copy", [call], [], node) if function.attr == "flatten" else call


def _bounds(arguments: list[gast.expr], keywords: list[gast.keyword]) -> tuple[list[gast.expr], list[gast.keyword]]:
    """Both bounds of `clip` by position, None for one that is left out."""
    given = dict(zip(("min", "max"), arguments, strict=False)) | {keyword.arg: keyword.value for keyword in keywords}
    low, high = (given.pop(name, gast.Constant(value=None, kind=None)) for name in ("min", "max"))
    return [low, high], [keyword for keyword in keywords if keyword.arg in given]


def _is_number(arguments: list[gast.expr]) -> bool:
    match arguments:
        case [gast.Constant()] | [gast.UnaryOp(operand=gast.Constant())]:
            return True
    return False


def _hint(method: str) -> str:
    if method in ("item", "tolist"):
        return "read the elements with an index"
    return "use a function of NumPy, or write it with indices"


def _call(path: str, arguments: list[gast.expr], keywords: list[gast.keyword], like: gast.AST) -> gast.Call:
    call = gast.Call(func=dotted(path), args=arguments, keywords=keywords)
    call.place = getattr(like, "place", None)
    return call
