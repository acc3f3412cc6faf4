"""Call variants: calls whose meaning depends on their arguments, rewritten as calls of specific functions.

x.item()                              kernels.only_element(x)
x.item(i, j)                          x[i, j]
x.tolist()                            [x[0], x[1], ...]               of a vector; see `order_and_selection.numbers_of`
np.linalg.norm(x, ord=1)              kernels.norm_of_order(x, 1)     see `rules/composed_definitions.py`
np.piecewise(x, [c], [f, 0.0])        y = np.zeros_like(x); y[c] = f(x[c])
np.s_[1:, k]                          (slice(1, None), k)
a, b = np.gradient(x, h)              a, b = np.gradient(x, h, axis=0), np.gradient(x, h, axis=1)
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcad.refusals.numpy_calls import NO_COPY, PIECEWISE_CALL, PIECEWISE_COUNT, PIECEWISE_LISTS
from srcad.runtime.kernels.arrays import order_and_selection
from srcad.transforms.ir.build import assign, attribute, call, clone, const, dotted, index_value, load, subscript
from srcad.transforms.lowering.calls.index_grids import GRIDS, Grids
from srcad.transforms.lowering.structures.abstract_state import Callee, Structure

# Functions, and which of their arguments is an array of any length.
_OF_ARRAYS = (
    *((np.take, 1), (np.quantile, 1), (np.percentile, 1), (np.bincount, 0), (np.take_along_axis, 1), (np.choose, 0)),
    *((np.polyval, 0), (np.searchsorted, 0), (np.digitize, 1), (np.insert, 1), (np.delete, 1)),
)

_COPY_IF_NEEDED = (np.asarray, np.asanyarray, np.reshape)  # unless `copy` says more


class Respelled(Grids):
    """Lowers calls that are equivalent to others."""

    def call(self, node: gast.Call) -> gast.expr:
        """The value of a call."""
        function = node.func
        if isinstance(function, gast.Attribute) and function.attr in ("item", "tolist") and not self.is_atom(function):
            function.value = receiver = self.part(function.value)
            if not isinstance(receiver, Structure) and function.attr == "item":
                return self.item_of(receiver, node.args)
            if not isinstance(receiver, Structure) and not node.args and not node.keywords:
                return self.called(order_and_selection.numbers_of, [self.as_name(receiver)])
        if self.meant(function) is slice and 0 < len(node.args) <= 3 and not node.keywords:
            bounds = [const(None), *node.args, const(None)] if len(node.args) == 1 else [*node.args, const(None)]
            return self.display(slice, dict(zip(("start", "stop", "step"), bounds, strict=False)))
        named = [each.arg for each in node.keywords]
        if self.meant(function) is np.fromiter and (len(node.args), named) in ((2, []), (1, ["dtype"])):
            values, kind = node.args[0], (*node.args[1:], *(each.value for each in node.keywords))[0]
            if isinstance(values, gast.GeneratorExp):
                values = gast.ListComp(elt=values.elt, generators=values.generators)
            return self.call(call("np.array", call("list", values), kind))
        if self.meant(function) is np.pad:
            self.spread(node)
            return super().call(self.pad(node))
        if self.meant(function) is np.linalg.norm:
            self.spread(node)
            return super().call(self.norm(node))
        if (view := self.viewed(node)) is not None:
            return view
        if self.meant(function) in (np.asarray, np.array) and len(node.args) == 1:
            node.args[0] = self.array_of(self.part(node.args[0]))
        self.lists_to_arrays(node)
        if (display := self.typed(node)) is not None:
            return display
        if self.meant(function) is np.piecewise:
            self.spread(node)
            return self.piecewise(node)
        return super().call(node)

    def viewed(self, node: gast.Call) -> gast.expr | None:
        """A call whose result shares its argument's memory, as a function that returns views; None for others."""
        meaning = self.meant(node.func)
        copies = next((each for each in node.keywords if each.arg == "copy"), None)
        if copies is not None and getattr(meaning, "__module__", None) == "numpy":
            node.keywords.remove(copies)
            known = self.constant(self.part(copies.value))
            if any(meaning is each for each in _COPY_IF_NEEDED) and (known is True or known is None):
                return self.call(call("np.copy", node)) if known else self.call(node)
            if known is not True:
                if meaning not in (np.array, np.astype):
                    self.refuse(NO_COPY, function=getattr(meaning, "__name__", ""))
                node.func = dotted("np.asarray")
                return self.call(node)
        if meaning is np.einsum and len(node.args) == 2 and not node.keywords:
            text = self.constant(self.part(node.args[0]))
            before, _, after = (text if isinstance(text, str) else "").replace(" ", "").partition("->")
            if before.isalpha() and len(set(before)) == len(before) and sorted(before) == sorted(after):
                axes = gast.Tuple(elts=[const(before.index(each)) for each in after], ctx=gast.Load())
                return self.call(call("np.transpose", node.args[1], axes))
            if len(before) == 2 and before == 2 * after and after.isalpha():
                return self.call(call("np.diagonal", node.args[1]))
        if meaning is np.diff and len(node.args) > 1 and self.constant(self.part(node.args[1])) == 0:
            return self.part(node.args[0])
        return None

    def core(self, node: gast.expr) -> gast.expr:
        """The expression as one operation on atoms, or as a structure."""
        if isinstance(node, gast.Subscript):
            meaning = self.meant(node.value)
            if meaning in (np.s_, np.index_exp):
                index = index_value(node.slice)
                is_tuple = meaning is np.s_ or isinstance(index, gast.Tuple)
                return super().core(index if is_tuple else gast.Tuple(elts=[index], ctx=gast.Load()))
            if any(meaning is each for each in GRIDS):
                return self.grid(node, meaning)
        return super().core(node)

    def array_of(self, part: gast.expr) -> gast.expr:
        """What an object's `__array__` gives; anything else as it is."""
        method = self.method_for(part, "__array__")
        return part if method is None else self.part(self.called(method, [part]))

    def lists_to_arrays(self, node: gast.Call) -> None:
        """Turn index lists and the like into arrays: in core form lists are tuples, which mean something else."""
        place = next((place for function, place in _OF_ARRAYS if self.meant(node.func) is function), None)
        if place is None:
            return
        self.spread(node)
        if len(node.args) > place:
            part = node.args[place] = self.part(node.args[place])
            if isinstance(part, Structure) and part.cell.is_sequence:
                node.args[place] = self.held_in_atom(self.call(call("np.array", part)))

    def typed(self, node: gast.Call) -> gast.expr | None:
        """A call that makes a typed list or dictionary of Numba, as one of Python."""
        from numba.typed import Dict, List  # imported here: once Numba has loaded part of these it loads the rest

        meaning = self.meant(node.func)
        if meaning == List.empty_list or (meaning is List and not node.args):
            return self.core(gast.List(elts=[], ctx=gast.Load()))
        if meaning == Dict.empty or (meaning is Dict and not node.args):
            return self.core(gast.Dict(keys=[], values=[]))
        return super().call(call("list", *node.args)) if meaning is List else None

    def item_of(self, array: gast.expr, arguments: list[gast.expr]) -> gast.expr:
        """`array.item(...)`."""
        name = self.as_name(array)
        if not arguments:
            return self.call(call("kernels.only_element", name))
        index = self.part(arguments[0]) if len(arguments) == 1 else None
        if isinstance(index, Structure):
            arguments = self.parts(index)
        elif index is not None:
            return self.core(subscript(call("np.ravel", name), index))
        return self.core(subscript(name, gast.Tuple(elts=list(arguments), ctx=gast.Load())))

    def norm(self, node: gast.Call) -> gast.Call:
        """`np.linalg.norm`, as `kernels.norm_of_order` if it has an order."""
        given: dict[str, Any] = dict(zip(("x", "ord", "axis", "keepdims"), node.args, strict=False))
        given |= {each.arg: each.value for each in node.keywords}
        order = given.pop("ord", None)
        if order is None or "x" not in given:
            return node
        order = self.part(order)
        array = self.as_name(self.part(given.pop("x")))
        is_plain = isinstance(order, gast.Constant) and order.value is None
        return (
            call("np.linalg.norm", array, **given) if is_plain else call("kernels.norm_of_order", array, order, **given)
        )

    def pad(self, node: gast.Call) -> gast.Call:
        """`np.pad`, as `kernels.padded_by_statistic` in modes whose border is not linear in the array."""
        given: dict[str, Any] = dict(zip(("array", "pad_width", "mode"), node.args, strict=False))
        given |= {each.arg: each.value for each in node.keywords}
        mode = self.constant(self.part(clone(given.get("mode", const("constant")))))
        return call("kernels.padded_by_statistic", **given) if mode in ("maximum", "minimum", "median") else node

    def piecewise(self, node: gast.Call) -> gast.expr:
        """`np.piecewise`: each function is called with its own elements."""
        if node.keywords or len(node.args) < 3:
            self.refuse(PIECEWISE_CALL)
        first, *lists = [self.part(each) for each in node.args[:3]]
        if not all(isinstance(each, Structure) for each in lists):
            self.refuse(PIECEWISE_LISTS)
        array = self.as_name(first)
        conditions, functions = (self.parts(each) for each in lists)
        masks = [self.as_name(each) for each in conditions]
        if len(functions) == len(masks) + 1:
            masks.append(self.otherwise(masks))
        if len(functions) != len(masks):
            self.refuse(PIECEWISE_COUNT, conditions=len(masks), functions=len(functions))
        result = self.names.temporary()
        self.let(result, self.core(call("np.zeros_like", array)))
        for mask, function in zip(masks, functions, strict=True):
            value = function
            if isinstance(function, Callee):
                elements = subscript(load(array.id), load(mask.id))
                value = self.call(gast.Call(func=function, args=[elements, *node.args[3:]], keywords=[]))
            self.emit(assign(subscript(load(result), load(mask.id), store=True), self.atom(value), self.place))
        return load(result)

    def for_targets(self, node: gast.expr, count: int) -> gast.expr:
        """The value to assign to `count` targets: `np.gradient` along all axes becomes one call for each of them."""
        if not isinstance(node, gast.Call) or self.meant(node.func) is not np.gradient:
            return node
        options = {each.arg: each.value for each in node.keywords}
        if "axis" in options or len(node.args) not in (1, 2, count + 1):
            return node
        array, *distances = [self.as_name(self.part(each)) for each in node.args[:1]] + node.args[1:]
        distances = [self.held_in_atom(self.part(each)) for each in distances]
        shape = self.names.temporary()
        self.let(shape, attribute(load(array.id), "shape"))
        message = f"too many or not enough values to unpack (expected {count})"
        self.insist_on_length(load(shape), count, "ValueError", message)
        calls = []
        for axis in range(count):
            given = {key: clone(each) for key, each in options.items()}
            distance = [clone(distances[axis if len(distances) > 1 else 0])] if distances else []
            calls.append(call("np.gradient", load(array.id), *distance, axis=const(axis), **given))
        return gast.Tuple(elts=calls, ctx=gast.Load())

    def otherwise(self, masks: list[gast.Name]) -> gast.Name:
        """The elements for which no condition holds."""
        found: gast.expr = load(masks[0].id)
        for mask in masks[1:]:
            found = call("np.logical_or", found, load(mask.id))
        return self.as_name(self.part(call("np.logical_not", found)))
