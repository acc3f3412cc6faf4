"""Choice predicates: what the rule of a choice asks of its operands becomes a value that can be recorded.

    m = np.minimum(a, b)        becomes     m_test = a <= b
                                            m = np.minimum(a, b)

The reverse sweep of a minimum or maximum only needs to know which operand it took: one byte in place of the operands,
and no old value of an array into which the result goes. The rule reads the name (`adjoint.primal_values`), `storage`
decides whether the predicate is recorded or computed again, and what is not used is dropped. Applies to functions of
numbers in loops, and to all rules that compare arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import gast
from numba import types as nb

from srcad.names import Names
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule import Rule
from srcad.transforms.ir.build import Block, assign, clone, inner_blocks, is_loop, names_in, place_of
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import operands, primitive_of
from srcad.transforms.ir.unit import Unit


def with_predicates(code: Code) -> Code:
    """State the comparisons that rules make of numbers in loops as statements."""
    unit = code.unit.with_tree(code.unit.copy_tree())
    writer = _Writer(unit, code.types, code.fresh_names())
    writer.walk(unit.tree.body, False)
    return code.with_unit(unit) if writer.is_done else code


class _Writer:
    def __init__(self, unit: Unit, types: Types, names: Names) -> None:
        self.unit, self.types, self.names, self.is_done = unit, types, names, False

    def walk(self, block: Block, is_inside: bool) -> None:
        """State comparisons in a block, if it is part of a loop, and in its inner blocks."""
        result: Block = []
        for statement in block:
            if is_inside and isinstance(statement, gast.Assign):
                result += self.predicates(statement)
            for inner in inner_blocks(statement):
                self.walk(inner, is_inside or is_loop(statement))
            result.append(statement)
        block[:] = result

    def predicates(self, statement: gast.Assign) -> Iterator[gast.stmt]:
        """The statements for the comparisons that the rule of a statement's function makes of its arguments."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call() as value):
                if isinstance(self.types.get(name), nb.Float) and all(map(self.is_number, names_in(value))):
                    for test in self.comparisons(value):
                        self.is_done = True
                        yield assign(self.names.fresh(f"{name}_test"), test, place_of(statement))

    def is_number(self, name: str) -> bool:
        """Whether a name holds a number, or is that of a function."""
        return name not in self.types.of or isinstance(self.types.get(name), nb.Number)

    def comparisons(self, value: gast.Call) -> list[gast.expr]:
        """The comparisons of arguments in the rule of a function, each once."""
        primitive = primitive_of(value, self.unit.bindings)
        positional, keywords = operands(value)
        are_plain = all(isinstance(each, (gast.Name, gast.Constant)) for each in positional)
        if primitive is None or keywords or not are_plain:
            return []
        rule = registry.find(primitive, [0] * len(positional))
        if rule is None or not rule.elementwise or len(rule.parameters) != len(positional) + 1:
            return []
        given = dict(zip(rule.parameters[1:], positional, strict=True))
        found = {gast.dump(each): each for each in _comparisons(rule, given) if next(names_in(each), None) is not None}
        return list(found.values())


def _comparisons(rule: Rule, given: Mapping[str, gast.expr]) -> Iterator[gast.expr]:
    template = rule.partials or rule.adjoint
    for statement in template.body if template is not None else ():
        for node in gast.walk(statement):
            match node:
                case gast.Compare(left=gast.Name(id=one), ops=[op], comparators=[gast.Name(id=other)]):
                    if one in given and other in given:
                        yield gast.Compare(left=clone(given[one]), ops=[op], comparators=[clone(given[other])])
