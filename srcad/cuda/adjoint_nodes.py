"""Contributions of one operation on numbers to the cotangents of its operands, by the rule of its primitive."""

from __future__ import annotations

import operator
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import gast
import numpy as np

from srcad.cuda.regions import Assign, Thread
from srcad.refusals.names_and_functions import NO_REVERSE_RULE
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.adjoint.rule_expansion import (
    bound,
    infinite_in,
    refuse_unknown,
    splice,
    weighted,
    with_strong_zeros,
)
from srcad.transforms.analysis.activity import known_numbers, missing_rule, ranks
from srcad.transforms.ir.build import Block, clone, load
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant, operands, primitive_of

Contribution = tuple[str, gast.expr]


class OperationAdjoints:
    """Expands rules for operations of a thread."""

    def __init__(self, thread: Thread, active: Collection[str]) -> None:
        self.thread, self.active = thread, active
        types = Types(thread.kinds)
        # What rule expansion asks of a program: types, what is active, and what a name stands for.
        self.program: Any = SimpleNamespace(
            types=types, is_active=active.__contains__, flow=SimpleNamespace(definition=self.definition)
        )

    def definition(self, name: str) -> gast.expr | None:
        """The operation that a name stands for."""
        node = self.thread.nodes.get(name)
        return node.value if isinstance(node, Assign) else None

    def of(self, node: Assign, bar: gast.expr) -> tuple[Block, list[Contribution]]:
        """Statements to run first, and what the operation adds to the cotangents of which operands."""
        thread, place = self.thread, node.place
        if isinstance(node.value, gast.Name):
            return [], [(node.value.id, bar)]
        primitive = primitive_of(node.value, thread.bindings)
        positional, keywords = operands(node.value)
        if primitive is operator.truediv and constant(positional[0]) == 1:
            primitive, positional = np.reciprocal, positional[1:]  # whose slope needs no division
        rule = registry.find(primitive, ranks(positional, self.program.types), known_numbers(positional))
        if rule is None:
            raise missing_rule(primitive, place)
        if rule.kind == "zero":
            return [], []
        inputs = bound(rule, positional, keywords, self.program.types, place)
        template = rule.partials or rule.adjoint
        if template is None:
            raise NO_REVERSE_RULE.at(place, function=primitive_name(primitive))
        refuse_unknown(rule, template, inputs, self.program, place)
        template = with_strong_zeros(rule, template, inputs, self.program)
        known = {template.parameters[0]: load(node.name), **inputs}
        names, bindings, types = thread.names, thread.bindings, self.program.types
        spliced = splice(template, known, lambda _: clone(bar), names, bindings, rule.elementwise, types)
        pairs = spliced.contributions
        if rule.partials is not None:
            infinite = infinite_in(rule, template, node.name, spliced, self.program)
            pairs = [
                (parameter, weighted(clone(bar), factor, infinite, self.program, names, bindings))
                for parameter, factor in zip(template.parameters[1:], spliced.returned, strict=False)
                if not (isinstance(factor, gast.Constant) and factor.value is None)
            ]
        found = [
            (inputs[parameter].id, contribution)
            for parameter, contribution in pairs
            if isinstance(inputs.get(parameter), gast.Name) and inputs[parameter].id in self.active
        ]
        return (spliced.locals if found else []), found
