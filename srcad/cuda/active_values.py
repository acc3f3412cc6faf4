"""Which values of a thread carry derivatives: they vary with an argument, and reach a cotangent.

Arrays of the arguments carry derivatives if they have a cotangent, shared and local arrays if what is stored in them
does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import gast
from numba import types as nb

from srcad.cuda.refused_kernels import LOST_ARRAY
from srcad.cuda.regions import Add, Assign, If, Load, Loop, Store, Thread, walk
from srcad.runtime.rulebook import registry
from srcad.transforms.ir.build import names_in
from srcad.transforms.ir.primitive import primitive_of


def active_names(thread: Thread, given: Collection[str]) -> frozenset[str]:
    """The names that carry derivatives, arrays included; `given` are the parameters that have a cotangent."""
    varied = _closure(thread, set(given), _varied_by)
    _refuse_lost(thread, varied, given)
    outputs = {name for name in given if isinstance(thread.kinds[name], nb.Array)}
    useful = _closure(thread, outputs, _useful_by)
    return frozenset((varied & useful) | set(given))


def _closure(thread: Thread, found: set[str], step: Callable[[Thread, Any, set[str]], set[str]]) -> set[str]:
    while True:
        before = len(found)
        for node in walk(thread.body):
            found |= {name for name in step(thread, node, found) if _can_vary(thread, name)}
        if len(found) == before:
            return found


def _can_vary(thread: Thread, name: str) -> bool:
    kind = thread.kinds.get(name)
    return isinstance(kind.dtype if isinstance(kind, nb.Array) else kind, nb.Float)


def _varied_by(thread: Thread, node: Any, varied: set[str]) -> set[str]:
    """What varies because of a node."""
    match node:
        case Assign(name=name, value=value) if varied.intersection(names_in(value)) and not _is_flat(thread, value):
            return {name}
        case Load(name=name, array=array) if array in varied:
            return {name}
        case Store(array=array, value=value) | Add(array=array, value=value):
            return {array} if array in thread.own and varied.intersection(names_in(value)) else set()
        case If(merges=merges):
            return {each.name for each in merges if varied.intersection((*names_in(each.then), *names_in(each.orelse)))}
        case Loop(carried=carried):
            found = [each for each in carried if varied.intersection((*names_in(each.first), *names_in(each.next)))]
            return {name for each in found for name in (each.name, each.last)}
    return set()


def _useful_by(thread: Thread, node: Any, useful: set[str]) -> set[str]:
    """What is used because the results of a node are."""
    match node:
        case Assign(name=name, value=value) if name in useful and not _is_flat(thread, value):
            return set(names_in(value))
        case Load(name=name, array=array) if name in useful and array in thread.own:
            return {array}
        case Store(array=array, value=value) | Add(array=array, value=value) if array in useful:
            return set(names_in(value))
        case If(merges=merges):
            return {
                name
                for each in merges
                if each.name in useful
                for name in (*names_in(each.then), *names_in(each.orelse))
            }
        case Loop(carried=carried):
            found = [each for each in carried if each.name in useful or each.last in useful]
            return {name for each in found for name in (each.name, *names_in(each.first), *names_in(each.next))}
    return set()


def _is_flat(thread: Thread, value: gast.expr) -> bool:
    """Whether the derivative of an operation is zero, as that of a comparison is."""
    if isinstance(value, (gast.Compare, gast.BoolOp, gast.Attribute, gast.Subscript)):
        return True
    primitive = primitive_of(value, thread.bindings)
    rule = None if primitive is None else registry.find(primitive)
    return rule is not None and rule.kind == "zero"


def _refuse_lost(thread: Thread, varied: set[str], given: Collection[str]) -> None:
    """Refuse a kernel that passes derivatives on through an array without a cotangent."""
    read = {node.array for node in walk(thread.body) if isinstance(node, Load)}
    for node in walk(thread.body):
        is_given = isinstance(node, (Store, Add)) and node.array not in thread.own
        if is_given and node.array in read and node.array not in given and varied.intersection(names_in(node.value)):
            raise LOST_ARRAY.at(node.place, array=node.array)
