"""Array elements: an array of numbers that are listed is allocated, and its elements are stored one by one.

    r = np.array(((c, s), (0.0, 1.0)))      becomes     r = np.empty((2, 2))
                                                        r[0, 0] = c
                                                        r[0, 1] = s
                                                        r[1, 0] = 0.0
                                                        r[1, 1] = 1.0

The extents are then known, the allocation can leave loops, and the adjoint of each element is one of the array's, with
no need of the list. Applies to lists of `MOST` numbers at most, all of which have the type that the elements have, or
are integers or literals.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    const,
    dotted,
    load,
    one_or_tuple,
    place_of,
    rewrite,
    subscript,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.primitive import constant, primitive_of

MOST = 36  # elements, each of which becomes a statement
_Place = tuple[int, ...]


def with_elements(code: Code) -> Code:
    """Store the elements of arrays that are lists of numbers one by one."""
    if code.unit.bindings.get("np") is not np or not any(_elements(each, code) for each in walk_statements(code.body)):
        return code
    return code.with_body(rewrite(code.body, lambda statement: _stored(statement, code)))


def _stored(statement: gast.stmt, code: Code) -> Block:
    elements = _elements(statement, code)
    if not elements or not isinstance(statement, gast.Assign):
        return [statement]
    name, place = statement.targets[0].id, place_of(statement)
    kind: Any = code.types.get(name)
    extents = [const(1 + max(at[axis] for at in elements)) for axis in range(kind.ndim)]
    dtype = [] if kind.dtype == nb.float64 else [dotted(f"np.{kind.dtype}")]
    result: Block = [assign(name, call("np.empty", one_or_tuple(extents), *dtype), place)]
    for at, element in elements.items():
        value = constant(element)
        whole = element if value is None else const(float(value) if isinstance(kind.dtype, nb.Float) else value)
        index = one_or_tuple([const(each) for each in at])
        result.append(assign(subscript(load(name), index, store=True), whole, place))
    return result


def _elements(statement: gast.stmt, code: Code) -> dict[_Place, gast.expr] | None:
    """The elements of an array that a statement makes of numbers, by place; None for any other statement."""
    match statement:
        case gast.Assign(
            targets=[gast.Name(id=name)], value=gast.Call(args=[gast.Tuple() as rows], keywords=[]) as value
        ):
            kind: Any = code.types.get(name)
            if type(kind) is nb.Array and primitive_of(value, code.unit.bindings) is np.array:
                found = dict(_listed(rows, ()))
                fits = kind.layout == "C" and all(_fits(each, kind.dtype, code) for each in found.values())
                return found if fits and 0 < len(found) <= MOST and _is_full(found, kind.ndim) else None
    return None


def _is_full(places: Iterable[_Place], rank: int) -> bool:
    """Whether these are the places of all elements of an array of a rank."""
    known = set(places)
    if {len(at) for at in known} != {rank}:
        return False
    ends = [1 + max(at[axis] for at in known) for axis in range(rank)]
    return known == {*itertools.product(*map(range, ends))}


def _listed(node: gast.expr, at: _Place) -> Iterator[tuple[_Place, gast.expr]]:
    if isinstance(node, gast.Tuple):
        for k, each in enumerate(node.elts):
            yield from _listed(each, (*at, k))
    else:
        yield at, node


def _fits(element: gast.expr, dtype: nb.Type, code: Code) -> bool:
    """Whether a number can be stored as it is into an array of floats or complex numbers."""
    if not isinstance(dtype, (nb.Float, nb.Complex)):
        return False
    if isinstance(element, gast.Name):
        kind = code.types.get(element.id)
        return kind == dtype or isinstance(kind, nb.Integer)
    return type(constant(element)) in ((int, float) if isinstance(dtype, nb.Float) else (int, float, complex))
