"""Frozen distributions of SciPy: a call of a method becomes one of the distribution itself.

    stats.norm(m, s).logpdf(x)              becomes    stats.norm.logpdf(x, m, s)

    d = stats.gamma(a, scale=s)                        held = a; held_2 = s
    y = d.cdf(x)                                       y = stats.gamma.cdf(x, held, scale=held_2)

So does a call of a method of a frozen distribution that a function captures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gast

from srcad.frontend.scope import Meaning, is_of_library
from srcad.transforms.ir.build import at, clone, place_of


@dataclass(frozen=True, eq=False)
class Frozen:
    """A distribution with arguments: the expression for it, and expressions for these."""

    distribution: gast.expr
    args: Sequence[gast.expr]
    keywords: Mapping[str, gast.expr]

    def __call__(self) -> None:
        """Nothing: what can be called may stand for a name at compile time."""


def is_distribution(value: Any) -> bool:
    """Whether an object is a distribution of `scipy.stats` that can be frozen.

    >>> from scipy import stats
    >>> is_distribution(stats.norm), is_distribution(stats.norm(0.0, 1.0)), is_distribution(len)
    (True, False, False)
    """
    return is_of_library(value) and callable(value) and hasattr(value, "rvs")


def captured(meaning: Meaning, introduce: Callable[[Meaning], gast.expr]) -> Frozen | None:
    """A captured frozen distribution of one variable; `introduce` gives an expression for an object."""
    value = meaning.value
    made = getattr(sys.modules.get("scipy.stats"), getattr(getattr(value, "dist", None), "name", ""), None)
    if not is_of_library(value) or made is None or type(made) is not type(value.dist):
        return None
    args, keywords = meaning.attribute("args"), meaning.attribute("kwds")
    positional = [introduce(args.element(place)) for place in range(len(value.args))]
    return Frozen(introduce(Meaning(made)), positional, {key: introduce(keywords.entry(key)) for key in value.kwds})


def frozen_by(
    node: gast.expr, meaning: Callable[[gast.expr], Meaning | None], introduce: Callable[[Meaning], gast.expr]
) -> Frozen | None:
    """The frozen distribution that an expression makes or refers to; None for other expressions."""
    if isinstance(node, gast.Call) and not any(isinstance(each, gast.Starred) for each in node.args):
        made = meaning(node.func)
        if made is not None and is_distribution(made.value) and all(each.arg for each in node.keywords):
            return Frozen(node.func, node.args, {each.arg: each.value for each in node.keywords})
        return None
    found = meaning(node) if isinstance(node, (gast.Name, gast.Attribute)) else None
    if found is not None and isinstance(found.value, Frozen):
        return found.value
    return None if found is None else captured(found, introduce)


def method_of_frozen(
    node: gast.Call, meaning: Callable[[gast.expr], Meaning | None], introduce: Callable[[Meaning], gast.expr]
) -> gast.Call:
    """A call of a method of a frozen distribution as one of the distribution's own; other calls unchanged."""
    function = node.func
    if not isinstance(function, gast.Attribute):
        return node
    frozen = frozen_by(function.value, meaning, introduce)
    if frozen is None:
        return node
    method = gast.Attribute(value=clone(frozen.distribution), attr=function.attr, ctx=gast.Load())
    keywords = [gast.keyword(arg=name, value=clone(value)) for name, value in frozen.keywords.items()]
    return at(
        gast.Call(
            func=at(method, place_of(function)),
            args=[*node.args, *map(clone, frozen.args)],
            keywords=[*node.keywords, *keywords],
        ),
        place_of(node),
    )


def held(frozen: Frozen, hold: Callable[[gast.expr], gast.expr]) -> Frozen:
    """A frozen distribution whose arguments are evaluated now: `hold` gives the name that keeps a value."""
    return Frozen(
        frozen.distribution, [*map(hold, frozen.args)], {name: hold(each) for name, each in frozen.keywords.items()}
    )
