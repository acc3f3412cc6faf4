"""`super().method(...)`: the class behind which the method is looked up, and the object that it is called on.

class Damped(Spring):
def force(self, x):
return super().force(x) - self.c * x
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.frontend.scope import Meaning, Method, Scope
from srcad.refusals.names_and_functions import SUPER_OUTSIDE_METHOD, SUPER_WITHOUT_METHOD
from srcad.transforms.ir.build import at, attribute, dotted
from srcad.transforms.ir.node_notes import note
from srcad.transforms.lowering.draft import Draft


def first_of_super(node: gast.Call, scope: Scope) -> str | None:
    """The parameter that `super()` in a call's function stands for; None for other calls."""
    match node.func:
        case gast.Attribute(value=gast.Call(func=gast.Name(id="super"), args=[], keywords=[])):
            arguments = [*scope.procedure.tree.args.posonlyargs, *scope.procedure.tree.args.args]
            return arguments[0].id if arguments else None
    return None


def method_of_super(node: gast.Call, scope: Scope, receiver: Meaning | gast.expr, draft: Draft) -> gast.expr:
    """What is called: a function that is known, or an attribute that is looked up once the object's class is."""
    name, behind = node.func.attr, _class_around(node, scope)
    if not isinstance(receiver, Meaning):
        return note(at(attribute(receiver, name), node.place), after_class=behind)
    found = getattr(super(behind, receiver.value), name, None)
    function = getattr(found, "__func__", found)
    if function is None or not hasattr(function, "__code__"):
        raise SUPER_WITHOUT_METHOD.at(node.place, owner=behind.__name__, name=name)
    callee = function if function is found else Method(function, receiver)
    return at(dotted(draft.bind(name, callee)), node.place)


def _class_around(node: gast.Call, scope: Scope) -> Any:
    """The class that a method is written in."""
    function = scope.procedure.source.function
    function = getattr(function, "py_func", getattr(function, "__func__", function))
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None) or ()
    held = dict(zip(code.co_freevars if code is not None else (), cells, strict=False))
    if scope.procedure.scope is not None or "__class__" not in held:
        raise SUPER_OUTSIDE_METHOD.at(node.place)
    return held["__class__"].cell_contents
