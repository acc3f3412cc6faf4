"""The door: refuses every construct outside the language that can be differentiated, with its place and a way out.

What the table in `srcad.frontend.refused_syntax` does not refuse must be in `_ALLOWED`, so that syntax newer than this
file is refused as well. Refusals that need to know what names mean, or which types they have, are made by later stages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast

from srcad.frontend.load_source import Source
from srcad.frontend.refused_syntax import REFUSED, Parents
from srcad.refusals.constructs import UNKNOWN_SYNTAX

_ALLOWED = (
    *(gast.FunctionDef, gast.arguments, gast.Lambda, gast.Return, gast.Call, gast.keyword),
    *(
        gast.Assign,
        gast.AugAssign,
        gast.AnnAssign,
        gast.Assert,
        gast.Raise,
        gast.Expr,
        gast.Pass,
        gast.Nonlocal,
        gast.Global,
        gast.Starred,
    ),
    *(gast.For, gast.While, gast.If, gast.Break, gast.Continue, gast.NamedExpr, gast.With, gast.withitem),
    *(gast.Try, gast.ExceptHandler),
    *(gast.Delete, gast.Import, gast.ImportFrom, gast.alias),
    *(
        gast.Match,
        gast.match_case,
        gast.MatchValue,
        gast.MatchSingleton,
        gast.MatchOr,
        gast.MatchAs,
        gast.MatchSequence,
        gast.MatchClass,
        gast.MatchMapping,
        gast.MatchStar,
    ),
    *(gast.BoolOp, gast.BinOp, gast.UnaryOp, gast.IfExp, gast.Compare, gast.Subscript, gast.Slice, gast.Attribute),
    *(gast.Name, gast.Constant, gast.Tuple, gast.List, gast.Set, gast.Dict, gast.JoinedStr, gast.FormattedValue),
    *(gast.Yield, gast.YieldFrom),
    *(gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp, gast.comprehension),
    *(gast.operator, gast.unaryop, gast.boolop, gast.cmpop, gast.expr_context),
)


def fence(source: Source) -> None:
    """Raise UnsupportedSyntax for the first construct, in the order of the text, that cannot be differentiated.

    >>> from srcad.errors import UnsupportedSyntax
    >>> from srcad.frontend.load_source import load
    >>> def f(x):
    ...     class Point: ...
    >>> try:
    ...     fence(load(f))
    ... except UnsupportedSyntax as error:
    ...     print(error.what)
    a class definition inside the function cannot be differentiated
    """
    for node, parents in _nodes(source.tree, ()):
        kind = type(node).__name__
        for construct in REFUSED:
            if kind in construct.kinds and construct.when(node, parents):
                fields = {field: getattr(node, "attr", "") for field in construct.refusal.fields}
                raise construct.refusal.at(source.place(_placed(node, parents)), **fields)
        if not isinstance(node, _ALLOWED):
            raise UNKNOWN_SYNTAX.at(source.place(_placed(node, parents)), kind=kind)


def _nodes(node: Any, parents: Parents) -> Iterator[tuple[Any, Parents]]:
    """All nodes that are part of the computation, in the order of the text; annotations and defaults are not."""
    yield node, parents
    for name, value in gast.iter_fields(node):
        if name in ("annotation", "returns", "defaults", "kw_defaults"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, gast.AST):
                yield from _nodes(child, (*parents, node))


def _placed(node: Any, parents: Parents) -> Any:
    """The node, or the innermost one around it that has a place in the file."""
    around = (node, *reversed(parents))
    return next(candidate for candidate in around if getattr(candidate, "lineno", None) is not None)


def is_tape(context: Any) -> bool:
    """Whether a class is that of tapes or accumulators."""
    return getattr(context, "__name__", "") in ("GradientTape", "ForwardAccumulator")
