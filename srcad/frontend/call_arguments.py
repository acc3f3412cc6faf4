"""Arguments of calls that are being inlined: which ones are compile-time constants, and those that a partial binds."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gast

from srcad.errors import Place
from srcad.frontend.captured_values import spell
from srcad.frontend.scope import Meaning, Method, Procedure, stored_parameters
from srcad.runtime.support.structured_arguments import level_of
from srcad.transforms.ir.canonical_names import literal
from srcad.transforms.ir.constant_conditions import truth
from srcad.transforms.ir.pytree_form import Fixed, Part
from srcad.transforms.lowering.inlining import static_value
from srcad.transforms.lowering.lowering_context import Draft
from srcad.transforms.lowering.structures.abstract_state import Callee, Memory


def known_arguments(
    procedure: Procedure, given: Mapping[str, Any], memory: Memory, bindings: Mapping[str, Any]
) -> dict[str, Meaning]:
    """The parameters that are replaced by their compile-time meaning throughout the body."""
    stored_in_body = stored_parameters(procedure)
    found: dict[str, Meaning] = {}
    for name, argument in given.items():
        meaning = argument if isinstance(argument, Meaning) else known(argument, memory, bindings)
        if meaning is not None and name not in stored_in_body and _stands_for_itself(meaning.value):
            found[name] = meaning
    return found


def constant_parameters(procedure: Procedure, forms: Mapping[str, Part]) -> dict[str, Meaning]:
    """The parameters of the differentiated function whose arguments are constants, not functions, with their values."""
    stored_in_body = stored_parameters(procedure)
    return {
        name: Meaning(part.value)
        for name, part in forms.items()
        if isinstance(part, Fixed)
        and name not in stored_in_body
        and (level_of(part.value) or isinstance(part.value, (float, complex)))
    }


def reachable(procedure: Procedure, statics: Mapping[str, Meaning]) -> Procedure:
    """The procedure without the branches that these constants rule out, which then need not be supported."""
    tree = copy.deepcopy(procedure.tree)
    dropper = _Dropper(statics)
    tree.body = [new for statement in tree.body for new in dropper.statements(statement)]
    return replace(procedure, tree=tree, source=replace(procedure.source, tree=tree))


class _Dropper(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Replaces branches that constants decide; nested functions, which may have the names themselves, stay."""

    def __init__(self, statics: Mapping[str, Meaning]) -> None:
        self.statics = statics

    def statements(self, statement: gast.stmt) -> list[gast.stmt]:
        made = self.visit(statement)
        return made if isinstance(made, list) else [made]

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.FunctionDef:
        return node

    def visit_If(self, node: gast.If) -> Any:
        test = copy.deepcopy(node.test)
        decided = truth(_Filler(self.statics).visit(test))
        if decided is None:
            return self.generic_visit(node)
        arm = node.body if decided else node.orelse
        return [new for each in arm for new in self.statements(each)] or [gast.copy_location(gast.Pass(), node)]


class _Filler(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Replaces names by the constants that they stand for."""

    def __init__(self, statics: Mapping[str, Meaning]) -> None:
        self.statics = statics

    def visit_Name(self, node: gast.Name) -> gast.expr:
        held = self.statics.get(node.id)
        return node if held is None else gast.copy_location(gast.Constant(value=held.value, kind=None), node)


def known(argument: gast.expr, memory: Memory, bindings: Mapping[str, Any]) -> Meaning | None:
    """The compile-time meaning of an argument that is a function, a class or a literal, else None.

    >>> known(gast.parse("(1, -2.5)").body[0].value, Memory(), {}).value
    (1, -2.5)
    """
    match argument:
        case gast.Name(id=name) if isinstance(memory.names.get(name), Callee):
            return known(memory.names[name].path, memory, bindings)
        case gast.Constant(value=value):
            return Meaning(value)
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=int() | float() as value)):
            return Meaning(-value)
        case gast.Tuple(elts=elements):
            parts = [known(element, memory, bindings) for element in elements]
            values = tuple(part.value for part in parts if part is not None)
            return Meaning(values) if len(values) == len(parts) and literal(values) is not None else None
    value = static_value(argument, bindings)
    return None if value is None else Meaning(value)


def completed(node: gast.Call, partial: Meaning, draft: Draft, place: Place | None) -> gast.Call:
    """A call of a functools.partial object as a call of its function, with the bound arguments filled in."""
    held = partial.value
    arguments = partial.attribute("args")
    node.func = spell(partial.attribute("func"), draft, place, "partial")
    first = [spell(arguments.element(position), draft, place, "argument") for position in range(len(held.args))]
    node.args = [*first, *node.args]
    given = {keyword.arg for keyword in node.keywords}
    node.keywords += [
        gast.keyword(arg=name, value=spell(Meaning(value, held.keywords, name), draft, place, name))
        for name, value in held.keywords.items()
        if name not in given
    ]
    return node


def _stands_for_itself(value: Any) -> bool:
    """Whether a parameter with this value is replaced by the value throughout the body."""
    return isinstance(value, (Procedure, Method)) or callable(value) or literal(value) is not None
