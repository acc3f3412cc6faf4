"""Shape equality: an array that exists before a loop and has the same shape as one that the loop makes or swaps.

    u, v = x.copy(), x.copy()
    for t in range(steps):              x is a model of u and v, so v[1:-1] has the shape of x[1:-1]
        v[1:-1] = f(u)
        u, v = v, u

Only copies are followed: relations between extents from arithmetic need not hold for arrays shorter than their slices.
"""

from __future__ import annotations

import gast

from srcad.transforms.analysis.affine.ssa_facts import Definitions
from srcad.transforms.ir.array_functions import LIKE
from srcad.transforms.ir.build import dotted_path


def like(facts: Definitions, array: str, asked: frozenset[str] = frozenset()) -> str | None:
    """The array that an array takes its shape from; None where that leads back to an array already asked for."""
    if array in asked:
        return None
    asked |= {array}
    match value := facts.flow.definition(array):
        case gast.Name(id=other):
            return like(facts, other, asked)
        case gast.Call(func=function, args=[gast.Name(id=other), *_]) if dotted_path(function) in LIKE:
            return like(facts, other, asked)
    sources = facts.sources(array) if value is None else None
    found = {like(facts, each, asked) for each in sources or ()} - {None}
    return found.pop() if len(found) == 1 else array


def model(facts: Definitions, array: str) -> str:
    """A parameter, or an array made outside of all loops, of the same shape; the array itself if there is none."""
    found = like(facts, array) or array
    made, is_given = facts.flow.single(found), found in facts.flow.parameters and not facts.flow.stores.get(found)
    return found if is_given or (made is not None and not facts.flow.spot(made).loops) else array
