"""Lower a function to core form, with everything it calls of the user's inlined.

The order of the passes stands here and nowhere else. A call of a user's function is lowered where the flattening of the
caller meets it: the same passes run on the callee, in a scope of its own, and its statements take the call's place.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import gast

from srcad.cases import without_match
from srcad.errors import Place, UnsupportedSyntax
from srcad.fence import fence
from srcad.load import Source, load
from srcad.resolve import resolve
from srcad.runtime import registry
from srcad.scope import Meaning, Method, Procedure, Scope, is_users, open_scope, procedure_of, stored_parameters
from srcad.spell import spell
from srcad.transforms.build import Block, at, place_of, stored
from srcad.transforms.desugar import desugar
from srcad.transforms.draft import Draft
from srcad.transforms.exits import structure_exits
from srcad.transforms.flatten import Flattener
from srcad.transforms.inline import bind_arguments, static_value
from srcad.transforms.memory import Memory
from srcad.transforms.spelling import literal
from srcad.transforms.unit import Unit

_DEEPEST = 50  # calls within calls; functions that make ever new functions end here


def lower(source: Source) -> Unit:
    """The unit in core form that computes what the function computes.

    >>> from srcad.printer import print_function
    >>> def f(x):
    ...     s = 0.0
    ...     for v in x:
    ...         s += v * v
    ...     return s
    >>> print(print_function(lower(load(f)).tree), end="")
    def f(x):
        s = 0.0
        t1 = len(x)
        for i in range(t1):
            v = x[i]
            t2 = v * v
            s = operator.iadd(s, t2)
        return s
    """
    return _Lowering().unit(source)


class _Lowering:
    def __init__(self) -> None:
        self.draft = Draft()
        self.active: list[Any] = []
        self.memory = Memory()

    def unit(self, source: Source) -> Unit:
        procedure = self.read(procedure_of(source))
        scope = open_scope(procedure, {}, self.draft.names)
        self.draft.names.reserve(source.name)
        body, result = self.body(scope, as_value=True)
        last = at(gast.Return(value=result), getattr(result, "place", None) or (place_of(body[-1]) if body else None))
        names = [scope.variables[name] for name in [*procedure.parameters, *procedure.keyword_only]]
        return self.draft.unit(source.name, names, [*body, last], source.options)

    def read(self, procedure: Procedure) -> Procedure:
        """Check what the function is written in, and note its text; `match` becomes `if` before names are looked at."""
        if procedure.scope is not None:
            return procedure
        fence(procedure.source)
        self.draft.note_source(procedure.source.text)
        return replace(procedure, tree=without_match(copy.deepcopy(procedure.tree), procedure.source))

    def body(self, scope: Scope, as_value: bool) -> tuple[Block, gast.expr]:
        """The passes, one after the other."""
        draft, identity = self.draft, scope.identity
        block = resolve(scope, draft)
        block = desugar(block, draft.names)
        *block, last = structure_exits(block, draft.names, scope.place(scope.procedure.tree))
        if last.value is not None and not hasattr(last.value, "place"):
            last.value.place = place_of(last)
        self.active.append(identity)
        try:
            flattener = Flattener(draft.names, draft.bindings, self.call, self.memory, self)
            return flattener.finish(block, last.value, as_value)
        finally:
            self.active.pop()

    def call(self, node: gast.Call, caller: Flattener) -> gast.expr | None:
        """Inline a call of a user's function; None for other calls."""
        place = getattr(node, "place", None) or caller.place
        procedure = self.procedure(static_value(node.func, self.draft.bindings))
        if procedure is None:
            return None
        given = bind_arguments(node, procedure, place)
        stored_in_body = stored_parameters(procedure)
        statics: dict[str, Meaning] = {}
        for name, argument in given.items():
            meaning = argument if isinstance(argument, Meaning) else self.known(argument)
            if meaning is not None and name not in stored_in_body and _stands_for_itself(meaning.value):
                statics[name] = meaning
        scope = open_scope(procedure, statics, self.draft.names, place)
        if scope.identity in self.active or len(self.active) > _DEEPEST:
            raise UnsupportedSyntax(
                f"`{procedure.name}` calls itself, and recursion is not supported", at=place, hint="write it as a loop"
            )
        for name, argument in given.items():
            if name not in statics:
                value = spell(argument, self.draft, place, name) if isinstance(argument, Meaning) else argument
                caller.assign(stored(scope.variables[name]), value)
        body, result = self.body(scope, as_value=False)
        caller.emit(*body)
        return result

    def bind(self, wish: str, thing: Any) -> str:
        """A free name that means this object."""
        return self.draft.bind(wish, thing)

    def attribute(self, owner: Any, name: str, place: Place | None) -> gast.expr:
        """What stands for an attribute of a class, as it is now."""
        return spell(Meaning(owner).attribute(name), self.draft, place, name)

    def known(self, argument: gast.expr) -> Meaning | None:
        """What an argument means while compiling, if it is a function, a class or a literal."""
        match argument:
            case gast.Constant(value=value):
                return Meaning(value)
            case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=int() | float() as value)):
                return Meaning(-value)
            case gast.Tuple(elts=elements):
                parts = [self.known(element) for element in elements]
                values = tuple(part.value for part in parts if part is not None)
                return Meaning(values) if len(values) == len(parts) and literal(values) is not None else None
        value = static_value(argument, self.draft.bindings)
        return None if value is None else Meaning(value)

    def procedure(self, callee: Any) -> Procedure | None:
        """The procedure to be inlined for a callee, or None where it stays a call."""
        if isinstance(callee, Procedure):
            return callee
        if isinstance(callee, Method):
            return self.read(procedure_of(load(callee.function), callee.receiver))
        if callee is None or hasattr(callee, "__srcad_primitive__"):
            return None
        definition = registry.definition(callee)
        if definition is not None:
            return self.read(procedure_of(load(definition)))
        return self.read(procedure_of(load(callee))) if is_users(callee) else None


def _stands_for_itself(value: Any) -> bool:
    """Whether a parameter with this value is replaced by it throughout the body."""
    return isinstance(value, (Procedure, Method)) or callable(value) or literal(value) is not None
