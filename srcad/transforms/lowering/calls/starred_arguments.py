"""Starred arguments: `*` and `**` in calls and displays are expanded, if the number of elements is known.

f(*pair, **options)        f(*x[:3])        model(t, *parameters), of a function that takes so many
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Set
from types import FunctionType
from typing import Any

import gast
import numpy as np

from srcad.refusals.names_and_functions import STARRED_ARRAY, STARRED_KEYWORDS
from srcad.transforms.ir.build import clone, const, dotted, load, subscript
from srcad.transforms.lowering.calls.np_vectorize import Mapped
from srcad.transforms.lowering.structures.abstract_state import Callee, Structure
from srcad.transforms.lowering.structures.container_methods import Parts

# Functions that take the extents of an array one by one, and those of the same meaning that take a shape.
_BY_TUPLE = {"rand": "random_sample", "randn": "standard_normal"}
# Functions of any number of numbers, and those of the same meaning that take an array.
_OF_ELEMENTS = ((math.hypot, "np.linalg.norm"),)


class Starred(Mapped):
    """Expands starred arguments and elements."""

    def spread(self, node: gast.Call) -> None:
        """Expand `*` and `**` into separate arguments."""
        if all(each.arg is not None for each in node.keywords) and not any(
            isinstance(each, gast.Starred) for each in node.args
        ):
            return
        if self.is_of_extents(node) or self.is_of_elements(node):
            return
        arguments: Parts = []
        for position, each in enumerate(node.args):
            if isinstance(each, gast.Starred):
                others = [*arguments, *node.args[position + 1 :]]
                arguments += self.unstarred(each.value, self.open_places(node, others))
            else:
                arguments.append(self.kept(self.part(each)))
        keywords: list[gast.keyword] = []
        for keyword in node.keywords:
            value = self.part(keyword.value)
            if keyword.arg is not None:
                keywords.append(gast.keyword(arg=keyword.arg, value=self.kept(value)))
            elif isinstance(value, Structure) and value.cell.is_mapping:
                keywords += [gast.keyword(arg=key, value=held) for key, held in self.contents(value).items()]
            else:
                self.refuse(STARRED_KEYWORDS)
        node.args, node.keywords = arguments, keywords

    def is_of_elements(self, node: gast.Call) -> bool:
        """Whether a call takes all elements of an array, which is then the argument of a function of NumPy's."""
        path = next((path for function, path in _OF_ELEMENTS if self.meant(node.func) is function), None)
        if path is None or len(node.args) != 1 or node.keywords or self.length_of_slice(node.args[0].value) is not None:
            return False
        part = self.part(node.args[0].value)
        node.args = [part if not isinstance(part, Structure) else gast.Starred(value=part, ctx=gast.Load())]
        if isinstance(part, Structure):
            return False
        node.func = dotted(path)
        return True

    def is_of_extents(self, node: gast.Call) -> bool:
        """Whether a call takes the extents of an array one by one, which are then made a tuple."""
        if not any(isinstance(each, gast.Starred) and self.may_be_shape(each.value) for each in node.args):
            return False
        if isinstance(node.func, gast.Attribute) and not self.is_atom(node.func):
            return node.func.attr in ("reshape", "transpose")  # of an array
        by_tuple = _BY_TUPLE.get(getattr(self.meant(node.func), "__name__", ""))
        if by_tuple is None or getattr(self.meant(node.func), "__module__", None) is None:
            return False
        node.func = dotted(f"np.random.{by_tuple}")
        node.args = [gast.Tuple(elts=node.args, ctx=gast.Load())]
        return True

    def spread_out(self, elements: Parts) -> Parts:
        """The elements of a display, with starred structures expanded."""
        if not any(isinstance(each, gast.Starred) for each in elements):
            return elements
        found: Parts = []
        for each in elements:
            is_starred = isinstance(each, gast.Starred)
            found += self.unstarred(each.value, None) if is_starred else [self.kept(self.part(each))]
        return found

    def joined_shapes(self, node: gast.Tuple | gast.List) -> gast.expr | None:
        """A display with a starred shape in it as a sum of tuples, such as `x.shape + (2,)`; None for others."""
        elements: Parts = node.elts
        starred = [each for each in elements if isinstance(each, gast.Starred)]
        if not any(self.may_be_shape(each.value) for each in starred):
            return None
        terms: Parts = []
        plain: Parts = []
        for each in elements:
            is_starred = isinstance(each, gast.Starred)
            part = self.part(each.value if is_starred else each)
            each = gast.Starred(value=part, ctx=gast.Load()) if is_starred else self.kept(part)
            if is_starred and self.memory.shape_kind(part) is not None:
                terms += [gast.Tuple(elts=plain, ctx=gast.Load())] if plain else []
                terms.append(part)
                plain = []
            else:
                plain += self.unstarred(part, None) if is_starred else [each]
        terms += [gast.Tuple(elts=plain, ctx=gast.Load())] if plain else []
        if all(isinstance(each, gast.Tuple) for each in terms):
            return gast.Tuple(elts=[part for each in terms for part in each.elts], ctx=gast.Load())
        total, *others = [self.held_in_atom(each) for each in terms]
        for each in others:
            total = self.held_in_atom(gast.BinOp(left=total, op=gast.Add(), right=each))
        return self.extents(total, list) if isinstance(node, gast.List) else self.extents(total, tuple)

    def may_be_shape(self, node: gast.expr) -> bool:
        """Whether an expression, before it is taken apart, is a shape or a part of one."""
        match node:
            case gast.Attribute(attr="shape"):
                return True
            case gast.Name(id=name):
                return name in self.memory.shapes
            case gast.Subscript(value=value, slice=gast.Slice()):
                return self.may_be_shape(value)
            case gast.BinOp(left=left, op=gast.Add(), right=right):
                return self.may_be_shape(left) or self.may_be_shape(right)
            case gast.Call(func=gast.Name(id="tuple" | "list"), args=[value]):
                return self.may_be_shape(value)
        return False

    def unstarred(self, node: gast.expr, wanted: int | None) -> Parts:
        """The elements of a starred expression; for an array, as many as it is known to have, or `wanted`."""
        if isinstance(node, gast.GeneratorExp):
            node = gast.ListComp(elt=node.elt, generators=node.generators)
        length = self.length_of_slice(node)
        part = self.part(node)
        if isinstance(part, Structure) and isinstance(self.memory.cells[part.cell], dict):
            return self.parts(part)
        if length is None and isinstance(part, gast.Name):
            length = next(iter(self.memory.extents.get(part.id, ())), None)
        length = wanted if length is None else length
        if length is None or (isinstance(part, Structure) and not part.cell.is_sequence):
            self.refuse(STARRED_ARRAY)
        array = self.as_name(part)
        message = f"`*` stands for an array that does not have {length} elements"
        self.insist_on_length(array, length, "TypeError", message)
        return [self.held_in_atom(self.core(subscript(load(array.id), const(k)))) for k in range(length)]

    def length_of_slice(self, node: gast.expr) -> int | None:
        """The number of elements of `x[:3]` or `x[-2:]`, if the array is long enough."""
        match node:
            case gast.Subscript(slice=gast.Slice(lower=lower, upper=upper, step=step)):
                given = (lower, upper, step)
                bounds = [None if each is None else self.constant(self.part(clone(each))) for each in given]
                if not all(each is None or type(each) is int for each in bounds):
                    return None
                first, last, stride = bounds
                return _count(0 if first is None else first, last, 1 if stride is None else stride)
        return None

    def open_places(self, node: gast.Call, others: Parts) -> int | None:
        """The number of positional arguments that the function takes beside the others, if that is one number."""
        if any(isinstance(each, gast.Starred) for each in others) or isinstance(node.func, gast.Attribute):
            thing = self.meant(node.func)
            if any(isinstance(each, gast.Starred) for each in others) or thing is None:
                return None
        else:
            callee = self.callee(clone(node.func))
            thing = self.meant(callee.path if isinstance(callee, Callee) else callee)
        named = {each.arg for each in node.keywords}
        parameters = None if None in named else _positional(thing, named)
        if parameters is None:
            return None
        left = len(parameters) - len(others)
        return left if left >= 0 else None


def _count(first: int, last: int | None, stride: int) -> int | None:
    """The length of a slice that does not depend on the length of the array; None for others."""
    if stride < 1 or (last is None and first >= 0) or (last is not None and (first < 0) != (last < 0)):
        return None
    return len(range(first, 0 if last is None else last, stride))


def _positional(thing: Any, named: Set[Any]) -> list[str] | None:
    """The positional parameters that are not given by name, if the function or class needs all of them, else None."""
    if isinstance(thing, np.ufunc):
        return [f"x{k}" for k in range(thing.nin)]
    if hasattr(thing, "parameters") and hasattr(thing, "rest"):  # a nested function
        left = [name for name in thing.parameters if name not in named]
        return None if thing.rest is not None or any(name in thing.defaults for name in left) else left
    plain = getattr(thing, "py_func", thing)
    if not isinstance(plain, FunctionType) and not (isinstance(plain, type) and _is_made_by_python(plain)):
        return None
    found = list(inspect.signature(plain).parameters.values())
    places = [each for each in found if each.kind is not each.KEYWORD_ONLY and each.name not in named]
    is_fixed = all(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in places)
    return [each.name for each in places] if is_fixed and all(each.default is each.empty for each in places) else None


def _is_made_by_python(kind: type) -> bool:
    """Whether a class has a constructor written in Python, whose parameters are known."""
    return any(isinstance(getattr(kind, name), FunctionType) for name in ("__init__", "__new__"))
