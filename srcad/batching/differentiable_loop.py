"""A mapped function as one with a source, which the compiler reads and differentiates like any other.

    def f_vmap(x, k):                       # x is mapped, k is not
        size = x.shape[0]
        i = 0
        first = function(x[i], k)
        rows = np.broadcast_to(first, (size,) + np.shape(first)).copy()
        for i in range(1, size):
            each = function(x[i], k)
            rows[i] = each
        return rows

The text also refuses axes of different sizes and results of different shapes. An argument that the function may write
to is passed as `k + 0`, a copy.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from srcad.api.derivative_object import Derivative, readable
from srcad.batching.mapped_axes import axes_of_call
from srcad.errors import BadArgument
from srcad.frontend.lower import prepare
from srcad.frontend.wrappers import with_defaults, written
from srcad.names import Names
from srcad.transforms.analysis.aliases import aliases_of_unit
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.pytree_form import LEAF
from srcad.transforms.ir.unit import Unit

_PLAIN = "differentiate a loop over the elements instead, or map the derivative"


def loop_with_source(
    function: Callable[..., Any], name: str, signature: inspect.Signature, in_axes: Any, out_axes: Any
) -> Callable[..., Any]:
    """The function over arrays with one more axis, written out as a loop.

    Raises BadArgument for axes that are structures, and for results that are.
    """
    parameters = list(signature.parameters)
    if not isinstance(in_axes, (tuple, list)) and any(
        each.default is not each.empty for each in signature.parameters.values()
    ):
        raise BadArgument(
            f"{name} is differentiated, and in_axes does not say whether parameters with defaults are mapped",
            hint="give in_axes as a tuple with an entry for each parameter: an axis, or None",
        )
    given = [not isinstance(in_axes, (tuple, list)) or k < len(in_axes) for k in range(len(parameters))]
    axes = axes_of_call(in_axes, parameters, given)
    ends = out_axes if isinstance(out_axes, (tuple, list)) else [out_axes]
    if any(not isinstance(each, (int, np.integer)) for each in [*ends, *(each for each in axes if each is not None)]):
        raise BadArgument("in_axes or out_axes of a function that is differentiated are structures", hint=_PLAIN)
    count = result_count(function)
    is_written = [False] * len(parameters) if isinstance(function, Derivative) else written_to(function)
    name = re.sub(r"\W", "", name) or "vmap"
    text = loop_text(name, parameters, axes, out_axes, count, is_written)
    own = Names([*parameters, name])
    meanings = {own.fresh("function"): function, own.fresh("np"): np}
    return with_defaults(written(text, name, meanings), signature)


def result_count(function: Any) -> int | None:
    """The number of parts that a function returns in a tuple; None for one number or array.

    >>> result_count(lambda x: (x, x * x)), result_count(lambda x: x)
    (2, None)

    Raises BadArgument for other structures.
    """
    if isinstance(function, Derivative):
        if function.request.mode in ("value_and_grad", "tangent"):
            if function.request.mode == "value_and_grad" and function.request.tuple_result:
                raise BadArgument("a derivative that is mapped returns nested tuples", hint=_PLAIN)
            return 2
        return len(function.request.wrt) if function.request.tuple_result else None
    unit = _unit_of(function)
    last = unit.tree.body[-1]
    value = last.value if isinstance(last, gast.Return) else None
    if unit.result is not LEAF:
        raise BadArgument("a function that is mapped returns a structure", hint=_PLAIN)
    if not isinstance(value, gast.Tuple):
        return None
    return len(value.elts)


def written_to(function: Any) -> list[bool]:
    """For each parameter, whether the function may write to it.

    >>> def fill(x, k):
    ...     x[0] = k
    ...     return x
    >>> written_to(fill)[0]
    True
    """
    unit = _unit_of(function)
    aliases = aliases_of_unit(unit, Types())
    return [aliases.is_written(name) for name in unit.parameters[: len(unit.parameters) - len(unit.hidden)]]


def _unit_of(function: Any) -> Unit:
    return prepare(readable(getattr(function, "__wrapped_primal__", function), "vmap"))


def loop_text(
    name: str,
    parameters: Sequence[str],
    axes: Sequence[Any],
    out_axes: Any,
    count: int | None,
    is_written: Sequence[bool],
) -> str:
    """The source of the loop; the function for one element is called `function`."""
    own = Names([*parameters, name])
    called, np_, size, i = (own.fresh(each) for each in ("function", "np", "size", "i"))
    lines, passed, is_known = [f"def {name}({', '.join(parameters)}):"], [], False
    for parameter, axis, copies in zip(parameters, axes, is_written, strict=True):
        if axis is None:
            passed.append(f"{parameter} + 0" if copies else parameter)
            continue
        array = parameter
        if axis != 0:
            array = own.fresh(f"{parameter}_rows")
            lines.append(f"    {array} = {np_}.moveaxis({parameter}, {axis}, 0)")
        lines += _size_lines(array, size, is_known)
        is_known = True
        passed.append(f"{array}[{i}] + 0" if copies else f"{array}[{i}]")
    if not is_known:
        raise BadArgument("no argument is mapped", hint="give an axis for at least one argument in in_axes")
    call = f"{called}({', '.join(passed)})"
    ends = out_axes if isinstance(out_axes, (tuple, list)) else [out_axes] * (count or 1)
    first, each = own.fresh("first"), own.fresh("each")
    parts = [""] if count is None else [f"[{k}]" for k in range(count)]
    before, within, after = [], [], []
    for part, end in zip(parts, ends, strict=True):
        one, row, out = (own.fresh(what) for what in ("first", "row", "rows"))
        stored, moved = _result_lines(np_, (one, row, out), (size, i), end)
        before += [f"    {one} = {first}{part}", *stored[:1]]
        within += [f"        {row} = {each}{part}", *stored[1:]]
        after.append(moved)
    lines += [f"    {i} = 0", f"    {first} = {call}", *before]
    lines += [f"    for {i} in range(1, {size}):", f"        {each} = {call}", *within]
    return "\n".join([*lines, f"    return {after[0] if count is None else '(' + ', '.join(after) + ',)'}"]) + "\n"


def _result_lines(np_: str, names: tuple[str, str, str], loop: tuple[str, str], end: int) -> tuple[list[str], str]:
    """The allocation for one part of the results, and what stores one of them; the expression for all of them."""
    (one, row, out), (size, i) = names, loop
    lines = [
        f"    {out} = {np_}.broadcast_to({one}, ({size},) + {np_}.shape({one})).copy()",
        f"        if {np_}.shape({row}) != {np_}.shape({one}):",
        "            raise ValueError('results of elements have different shapes')",
        f"        {out}[{i}] = {row}",
    ]
    return lines, out if end == 0 else f"{np_}.moveaxis({out}, 0, {end})"


def _size_lines(array: str, size: str, is_known: bool) -> list[str]:
    """What finds the size of the batch, or compares with it."""
    if is_known:
        return [f"    if {array}.shape[0] != {size}:", "        raise ValueError('mapped axes have different sizes')"]
    return [f"    {size} = {array}.shape[0]", f"    if {size} == 0:", "        raise ValueError('the batch is empty')"]
