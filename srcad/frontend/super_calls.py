"""Resolve `super().method(...)` to a method of the base classes, and to the object that it is called on.

    class Damped(Spring):
        def force(self, x):
            return super().force(x) - self.c * x

If the class of the object is not known yet, the lookup is left to lowering, with a note of the class to start after.
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.frontend.scope import Meaning, Method, Scope
from srcad.refusals.names_and_functions import SUPER_OUTSIDE_METHOD, SUPER_WITHOUT_METHOD
from srcad.transforms.ir.build import at, attribute, dotted, place_of
from srcad.transforms.ir.node_notes import note
from srcad.transforms.lowering.lowering_context import Draft


def first_of_super(node: gast.Call, scope: Scope) -> str | None:
    """The parameter that `super()` refers to in the function of a call, the method's first; None for other calls."""
    match node.func:
        case gast.Attribute(value=gast.Call(func=gast.Name(id="super"), args=[], keywords=[])):
            arguments = [*scope.procedure.tree.args.posonlyargs, *scope.procedure.tree.args.args]
            return arguments[0].id if arguments else None
    return None


def method_of_super(node: gast.Call, scope: Scope, receiver: Meaning | gast.expr, draft: Draft) -> gast.expr:
    """The callee: a known function, or an attribute to be looked up when the object's class is known."""
    name, behind = node.func.attr, _class_around(node, scope)
    if not isinstance(receiver, Meaning):
        return note(at(attribute(receiver, name), place_of(node)), after_class=behind)
    found = getattr(super(behind, receiver.value), name, None)
    function = getattr(found, "__func__", found)
    if function is None or not hasattr(function, "__code__"):
        raise SUPER_WITHOUT_METHOD.at(place_of(node), owner=behind.__name__, name=name)
    callee = function if function is found else Method(function, receiver)
    return at(dotted(draft.bind(name, callee)), place_of(node))


def _class_around(node: gast.Call, scope: Scope) -> Any:
    """The class whose body defines the method."""
    function = scope.procedure.source.function
    function = getattr(function, "py_func", getattr(function, "__func__", function))
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None) or ()
    held = dict(zip(code.co_freevars if code is not None else (), cells, strict=False))
    if scope.procedure.scope is not None or "__class__" not in held:
        raise SUPER_OUTSIDE_METHOD.at(place_of(node))
    return held["__class__"].cell_contents
