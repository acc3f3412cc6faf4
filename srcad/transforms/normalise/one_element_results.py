"""One-element results: the gradient of an array of one element is that of the number in it.

    return np.sum(x**2, keepdims=True)      becomes     t = ...
                                                        kernels.check_one_element(t.size, "f returns ...", ...)
                                                        return np.sum(t)

How many elements there are is known at run time; other arrays raise the exception that says what a gradient needs.
"""

from __future__ import annotations

import gast
import numpy as np
from numba import types as nb

from srcad.errors import SrcadError
from srcad.runtime import kernels
from srcad.transforms.ir.build import Block, assign, at, attribute, call, const, load, place_of
from srcad.transforms.ir.unit import Unit


def with_number(unit: Unit, kind: nb.Type | None, refused: SrcadError) -> Unit | None:
    """The unit, in core form, with the number in its result, of this type; None if it is no array of real numbers."""
    last = unit.tree.body[-1]
    if not isinstance(kind, nb.Array) or not isinstance(kind.dtype, nb.Float):
        return None
    place = place_of(last)
    if not isinstance(last, gast.Return) or not isinstance(last.value, gast.Name) or place is None:
        return None
    tree, names = unit.copy_tree(), unit.names.copy()
    bindings = {**unit.bindings, "kernels": kernels}
    module = next((name for name, thing in bindings.items() if thing is np), None)
    if module is None:
        module = names.fresh("np")
        bindings[module] = np
    result = tree.body[-1].value
    size, number = names.temporary(), names.temporary()
    where = (place.file, place.line, place.column, place.end_column, place.text)
    said = [const(each) for each in (refused.what, refused.hint or "", *where)]
    made: Block = [
        assign(size, attribute(load(result.id), "size"), place),
        at(gast.Expr(value=call("kernels.check_one_element", load(size), *said)), place),
        assign(number, call(f"{module}.sum", load(result.id)), place),
    ]
    tree.body[-1:] = [*made, at(gast.Return(value=load(number)), place)]
    return unit.with_tree(tree, names=names, bindings=bindings)
