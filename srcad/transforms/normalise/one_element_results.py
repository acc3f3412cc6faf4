"""One-element results: the gradient of an array of one element is that of the number in it.

    return np.sum(x**2, keepdims=True)      becomes     t = ...
                                                        kernels.check_one_element(1 - t.size, "f returns ...")
                                                        kernels.check_one_element(t.size - 1, "f returns ...")
                                                        return np.sum(t)

How many elements there are is known at run time; other arrays raise NotDifferentiable.
"""

from __future__ import annotations

import gast
import numpy as np
from numba import types as nb

from srcad.runtime import kernels
from srcad.transforms.ir.build import Block, assign, at, attribute, binary, call, const, load, place_of
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.unit import Unit


def returns_array(code: Code) -> bool:
    """Whether a function, whose types are known, returns one array of real numbers."""
    kind = code.types.result
    return isinstance(kind, nb.Array) and isinstance(kind.dtype, nb.Float)


def with_number(unit: Unit, message: str) -> Unit | None:
    """The unit, in core form, with the number in its result; None if the result is not that of a name."""
    last = unit.tree.body[-1]
    if not isinstance(last, gast.Return) or not isinstance(last.value, gast.Name):
        return None
    tree, names = unit.copy_tree(), unit.names.copy()
    bindings = {**unit.bindings, "kernels": kernels}
    module = next((name for name, thing in bindings.items() if thing is np), None)
    if module is None:
        module = names.fresh("np")
        bindings[module] = np
    result, place = tree.body[-1].value, place_of(last)
    size, excess, lack, number = (names.temporary() for _ in range(4))
    counted: Block = [
        assign(size, attribute(load(result.id), "size"), place),
        assign(excess, binary(const(1), gast.Sub, load(size)), place),
        assign(lack, binary(load(size), gast.Sub, const(1)), place),
    ]
    checks = [
        at(gast.Expr(value=call("kernels.check_one_element", load(each), const(message))), place)
        for each in (excess, lack)
    ]
    summed = assign(number, call(f"{module}.sum", load(result.id)), place)
    tree.body[-1:] = [*counted, *checks, summed, at(gast.Return(value=load(number)), place)]
    return unit.with_tree(tree, names=names, bindings=bindings)
