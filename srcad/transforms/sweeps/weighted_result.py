"""Weighted result: a function's results are summed with weights, which become parameters: one real result.

    def f(x, k):                    def f(x, k, result_bar):
        ...             becomes         ...
        return y                        total = y * result_bar
                                        return np.sum(total)

The gradient of this function is the original function's pullback; its Hessian holds the pullback's derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast
import numpy as np

from srcad.refusals.derivatives import OTHER_RESULTS
from srcad.transforms.ir.build import Block, assign, at, binary, call, load, place_of
from srcad.transforms.ir.unit import Unit


def weighted(unit: Unit, ranks: Sequence[int | None]) -> Unit:
    """The function that returns the weighted sum of its results; the weights follow the user's parameters.

    `ranks` has the number of dimensions of each result, from left to right; None for a result that is left out.
    """
    names, bindings = unit.names.copy(), dict(unit.bindings)
    tree = unit.copy_tree()
    last = tree.body.pop()
    results = list(_leaves(last.value))
    if len(results) != len(ranks):
        raise OTHER_RESULTS.error(function=unit.name)
    place, code, weights, total = place_of(last), list[gast.stmt](), list[str](), ""
    for result, rank in zip(results, ranks, strict=True):
        if rank is None:
            continue
        weights.append(names.fresh("result_bar"))
        part = names.fresh("part")
        code.append(assign(part, binary(result, gast.Mult, load(weights[-1])), place))
        if rank:
            bindings["np"] = np
            code.append(assign(part := names.fresh("part"), call("np.sum", load(code[-1].targets[0].id)), place))
        if total:
            code.append(assign(names.fresh("total"), binary(load(total), gast.Add, load(part)), place))
        total = code[-1].targets[0].id
    returned = gast.Return(value=load(total))
    at(returned, place)
    tree.body += [*code, returned]
    own = len(unit.parameters) - len(unit.hidden)
    tree.args.args[own:own] = [
        gast.Name(id=each, ctx=gast.Param(), annotation=None, type_comment=None) for each in weights
    ]
    tree.name = f"{unit.name}_weighted"
    return unit.with_tree(tree, name=tree.name, names=names, bindings=bindings)


def _leaves(value: gast.expr) -> Block:
    if isinstance(value, gast.Tuple):
        return [leaf for each in value.elts for leaf in _leaves(each)]
    return [value]
