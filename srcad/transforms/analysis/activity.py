"""Activity analysis: names that are varied (depend on an independent input) and useful (influence a dependent output).

Both are reachability in the graph of differentiable dependences between names. Memory is one node per allocation
(root): a store makes the root depend on the stored value, a read makes the result depend on the root. Only
floating-point and complex values can be active (Griewank and Walther, Evaluating Derivatives, 6.2: varied and useful
variables).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast

from srcad.errors import MissingRule, Place
from srcad.refusals.names_and_functions import NO_RULE
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule_template import primitive_name, signature_names
from srcad.transforms.analysis.aliases import Aliases
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.inference.attempts import Attempt
from srcad.transforms.ir.build import names_in, place_of, walk_statements, written
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant, operands, primitive_of
from srcad.transforms.ir.unit import Unit

Edges = dict[str, set[str]]


def active_names(
    unit: Unit, types: Types, aliases: Aliases, independent: Iterable[str], dependent: Iterable[str]
) -> frozenset[str]:
    """The names and roots that are both varied and useful."""
    forward: Edges = {}
    backward: Edges = {}
    for source, target in _dependences(unit, types, aliases):
        if types.is_real_or_complex(source) and types.is_real_or_complex(target):
            forward.setdefault(source, set()).add(target)
            backward.setdefault(target, set()).add(source)
    return _reached(independent, forward) & _reached(dependent, backward)


def varied_names(unit: Unit, types: Types, aliases: Aliases, independent: Iterable[str]) -> frozenset[str]:
    """The names and roots that depend on an independent input."""
    forward: Edges = {}
    for source, target in _dependences(unit, types, aliases):
        if types.is_real_or_complex(source) and types.is_real_or_complex(target):
            forward.setdefault(source, set()).add(target)
    return _reached(independent, forward)


def _reached(start: Iterable[str], edges: Edges) -> frozenset[str]:
    return frozenset(closure(start, lambda name: edges.get(name, ())))


def _dependences(unit: Unit, types: Types, aliases: Aliases) -> Iterator[tuple[str, str]]:
    """Pairs (name that is read, name that depends on it)."""
    for name, found in aliases.of.items():
        if not types.is_array(name) and types.get(name) is not None:
            continue  # a tuple of arrays is no memory of its own: what is read from it is
        for root in found:
            if root != name:
                yield root, name
                yield name, root
    for statement in walk_statements(unit.tree.body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=result)], value=value):
                for source in differentiable_inputs(value, unit, place_of(statement), types):
                    yield source, str(result)
            case gast.Assign(targets=[target], value=value) | gast.AugAssign(target=target, value=value):
                for root in aliases.of.get(target.value.id, frozenset([target.value.id])):
                    for source in names_in(value):
                        yield source, root


def differentiable_inputs(value: gast.expr, unit: Unit, place: Place | None, types: Types | None = None) -> list[str]:
    """The names through which an expression's value can vary smoothly; fewer may be found where types are known."""
    match value:
        case gast.Attribute():
            return []
        case gast.Subscript(value=base):
            return list(names_in(base))
        case gast.Name() | gast.Constant() | gast.Tuple():
            return list(names_in(value))
    primitive = primitive_of(value, unit.bindings)
    if isinstance(primitive, Attempt):
        return []
    rule = registry.find(primitive)
    positional, keywords = operands(value)
    if rule is not None and rule.kind == "zero":
        return []
    if types is not None:
        rule = registry.find(primitive, ranks(positional, types), known_numbers(positional)) or rule
    varying = None if rule is None else rule.varying_inputs
    nodes = [*positional, *keywords.values()]
    if rule is not None and varying is not None:
        named = signature_names(rule.primitive, rule.parameters[1:])
        if len(positional) <= len(named):
            nodes = [node for node, name in zip(positional, named, strict=False) if name in varying]
            nodes += [node for name, node in keywords.items() if name in varying or name not in named]
    return [name for node in nodes for name in names_in(node)]


def check_rules(unit: Unit, types: Types, active: frozenset[str]) -> None:
    """Refuse active results of functions that have no rule."""
    for statement in walk_statements(unit.tree.body):
        name = written(statement)
        if name not in active or not isinstance(statement, gast.Assign):
            continue
        primitive = primitive_of(statement.value, unit.bindings)
        if primitive is None or not isinstance(statement.value, (gast.Call, gast.BinOp, gast.UnaryOp, gast.Compare)):
            continue
        positional, keywords = operands(statement.value)
        inputs = {read for node in [*positional, *keywords.values()] for read in names_in(node)}
        if inputs & active and registry.find(primitive, ranks(positional, types)) is None:
            raise missing_rule(primitive, place_of(statement))


def missing_rule(primitive: Any, place: Place | None) -> MissingRule:
    """The error for a function that has no rule."""
    return NO_RULE.at(place, function=primitive_name(primitive))


def ranks(arguments: list[gast.expr], types: Types) -> list[int | None]:
    """The ranks of an operation's arguments: 0 for numbers, None where not known."""
    found: list[int | None] = []
    for argument in arguments:
        match argument:
            case gast.Name(id=name):
                rank = types.rank(name)
                found.append(rank if rank is not None else 0 if types.get(name) is not None else None)
            case gast.Tuple():
                found.append(None)
            case _:
                found.append(0)
    return found


def known_numbers(arguments: list[gast.expr]) -> list[int]:
    """The positions of arguments that are nonzero literals."""
    values = [constant(argument) for argument in arguments]
    return [k for k, value in enumerate(values) if isinstance(value, (int, float)) and value]
