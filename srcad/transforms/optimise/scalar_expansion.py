"""Scalar expansion: values that a loop recomputes for the same inner indices are computed once, into a table.

    for i in range(n):                              table = np.empty(m)
        for k in range(m):                          if 0 < n:
            t = np.exp(-s[k])                           for k in range(m):
            y = y + (x[i] - c[k]) * t                       table[k] = np.exp(-s[k])
                                        becomes     for i in range(n):
                                                        for k in range(m):
                                                            t = table[k]
                                                            y = y + (x[i] - c[k]) * t

LLVM hoists single values out of a loop, but not one value per index of an inner loop (scalar expansion: Allen and
Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.3). Done before differentiation, the adjoint
gains twice: what is in the table need not be recorded, and its adjoint is accumulated in a table too and propagated
once.

Only values that the loop's first iteration computes in any case are moved, so nothing can fail that did not fail
before. A table is no larger than an array that its values are computed from.
"""

from __future__ import annotations

from dataclasses import dataclass

import gast
import numpy as np
from numba import types as nb

from srcad.names import Names
from srcad.runtime import kernels
from srcad.runtime.kernels import same_extent
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.inference.subroutine_types import results_of_calls
from srcad.transforms.ir.build import (
    Block,
    assign,
    branch,
    call,
    clone,
    const,
    inner_blocks,
    is_exit,
    load,
    loop,
    names_in,
    one_or_tuple,
    place_of,
    reads,
    rewrite_names,
    subscript,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.cost_model import EXPENSIVE_OPERATION, operation_cost
from srcad.transforms.ir.primitive import constant, primitive_of
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.optimise.cse_and_licm import is_repeatable


def with_tables(code: Code) -> Code:
    """Compute such values ahead, into tables; gives back the same code where there are none."""
    unit, types = code.unit, code.types
    if not any(map(_is_nest, walk_statements(unit.tree.body))):
        return code
    bindings = {"np": np, **unit.bindings, "kernels": kernels}
    changed = unit.with_tree(unit.copy_tree(), names=unit.names.copy(), bindings=bindings)
    program = analyse_forward(changed, types, [])
    tables = _Tables(program, changed.names)
    tables.block(changed.tree.body)
    return code.with_unit(changed) if tables.count else code


def _is_nest(statement: gast.stmt) -> bool:
    return isinstance(statement, gast.For) and any(isinstance(each, gast.For) for each in statement.body)


@dataclass(frozen=True)
class _Term:
    """A value that a loop recomputes: its statement, the loops whose indices it depends on, the terms that it reads.

    around      all loops around it that are inside the outermost loop
    price       the cost of the operation itself
    width       the number of subscripts, depending on these indices, by which an element is read
    """

    statement: gast.Assign
    loops: tuple[gast.For, ...]
    parts: tuple[_Term, ...]
    around: tuple[gast.For, ...]
    price: float
    width: int

    @property
    def name(self) -> str:
        """The name that the statement stores."""
        return str(written(self.statement))


class _Tables:
    def __init__(self, program: Program, names: Names) -> None:
        self.program, self.names = program, names
        self.count = 0

    def block(self, block: Block) -> None:
        """Make tables for the outermost loops of a block; tables in inner loops would be allocated again and again."""
        for at in range(len(block) - 1, -1, -1):
            statement = block[at]
            if isinstance(statement, gast.For):
                block[at:at] = self.ahead(statement)
            elif isinstance(statement, gast.If):
                for inner in inner_blocks(statement):
                    self.block(inner)

    def ahead(self, outer: gast.For) -> Block:
        """The statements that make and fill the tables of a loop; the loop is changed to read them."""
        if _runs(outer) is None or is_parallel(outer):
            return []
        found = _Found(self.program, outer)
        wanted = found.wanted()
        code: Block = []
        reading: list[gast.expr] = []
        for term in wanted:
            table = self.names.fresh(f"{term.name}_table")
            reading.append(subscript(load(table), one_or_tuple([load(str(written(each))) for each in term.loops])))
            code += self.filled(term, table, found)
        for term, read in zip(wanted, reading, strict=True):  # only now: the loops above copy statements
            term.statement.value = read
        self.count += len(wanted)
        return code

    def filled(self, term: _Term, table: str, found: _Found) -> Block:
        """The table of a term, filled under the condition that the loops around it have iterations."""
        place = place_of(term.statement)
        needed = _in_order(term)
        own = [str(written(each)) for each in term.loops] + [each.name for each in needed]
        renamed = {name: self.names.fresh(name) for name in own}
        body: Block = [clone(each.statement) for each in needed]
        for each in body:
            rewrite_names(each, lambda name: renamed.get(name, name))
        indices = [load(renamed[str(written(each))]) for each in term.loops]
        body.append(assign(subscript(load(table), one_or_tuple(indices), store=True), load(renamed[term.name]), place))
        for index, inner in zip(reversed(indices), reversed(term.loops), strict=True):
            body = [loop(index.id, [clone(bound) for bound in inner.iter.args], body, place)]
        code: Block = []
        extents = [self.extent(each, code) for each in term.loops]
        code.append(assign(table, call("np.empty", one_or_tuple(extents)), place))
        body = [*map(clone, found.checks), *body]
        for each in (*(each for each in reversed(term.around) if each not in term.loops), found.outer):
            runs = self.names.temporary()
            code.append(assign(runs, _runs(each), place_of(each)))
            body = [branch(load(runs), body, [], place)]
        return [*code, *body]

    def extent(self, inner: gast.For, sizes: Block) -> gast.expr:
        """One more than the greatest index of a loop; statements that compute it are added to `sizes`."""
        stop = inner.iter.args[1]
        known = constant(stop)
        if isinstance(known, int):
            return const(max(known, 0))
        if self.is_extent(stop.id):
            return clone(stop)
        extent = self.names.temporary()
        sizes.append(assign(extent, call("kernels.trip_count", const(0), clone(stop), const(1)), place_of(inner)))
        return load(extent)

    def is_extent(self, name: str) -> bool:
        """Whether a number is the extent of an array, and so not negative."""
        definition = self.program.flow.definition
        match definition(name):
            case gast.Subscript(value=gast.Attribute(attr="shape")) | gast.Attribute(attr="size"):
                return True
            case gast.Subscript(value=gast.Name(id=shape)):
                return isinstance(definition(shape), gast.Attribute)
        return False


class _Found:
    """The terms of a loop that depend only on indices of inner loops, and their uses.

    checks      loop-invariant checks of extents; terms read elements after them
    """

    def __init__(self, program: Program, outer: gast.For) -> None:
        self.program, self.outer = program, outer
        self.inside = {name for each in walk_statements([outer]) if (name := written(each))}
        self.terms: dict[str, _Term] = {}
        self.indices: dict[str, gast.For] = {}
        self.calls = results_of_calls(program.unit)
        self.checks: Block = []
        for statement in outer.body:
            if self.is_check(statement):
                self.checks.append(statement)
            elif any(map(self.may_raise, walk_statements([statement]))):
                break  # nothing after it is certain to run
            else:
                self.look_at([statement], ())

    def is_check(self, statement: gast.stmt) -> bool:
        """Whether a statement is a loop-invariant check of extents."""
        if not isinstance(statement, gast.Expr) or not self.inside.isdisjoint(names_in(statement)):
            return False
        return primitive_of(statement.value, self.program.unit.bindings) is same_extent

    def may_raise(self, statement: gast.stmt) -> bool:
        """Whether a statement may prevent later ones from running."""
        return isinstance(statement, gast.Raise | gast.Assert | gast.Expr) or written(statement) in self.calls

    def look_at(self, block: Block, around: tuple[gast.For, ...]) -> None:
        """Note the terms of a block that every iteration runs completely."""
        for statement in block:
            if isinstance(statement, gast.For) and self.is_plain(statement):
                self.indices[str(written(statement))] = statement
                self.look_at(statement.body, (*around, statement))
            elif isinstance(statement, gast.Assign):
                self.note(statement, around)

    def is_plain(self, inner: gast.For) -> bool:
        """Whether a loop counts by one from a natural number, with the same bounds in all iterations around it."""
        start, stop, step = inner.iter.args
        first = constant(start)
        is_counted = type(first) is int and first >= 0 and constant(step) == 1
        is_same = isinstance(constant(stop), int) or (isinstance(stop, gast.Name) and stop.id not in self.inside)
        is_alone = self.program.flow.stores[str(written(inner))] == [inner]
        return is_counted and is_same and is_alone and not any(map(is_exit, inner.body)) and not is_parallel(inner)

    def note(self, statement: gast.Assign, around: tuple[gast.For, ...]) -> None:
        """Note a term, if everything that it reads is defined outside of the loop, or is a term or an index."""
        name = written(statement)
        if name is None or self.program.flow.single(name) is None or not is_repeatable(self.program, statement):
            return
        operands = dict.fromkeys(reads(statement))
        if any(each in self.inside and each not in self.terms and each not in self.indices for each in operands):
            return
        parts = tuple(self.terms[each] for each in operands if each in self.terms)
        own = {id(self.indices[each]) for each in operands if each in self.indices}
        own |= {id(each) for part in parts for each in part.loops}
        loops = tuple(each for each in self.indices.values() if id(each) in own)
        price, width = self.price(name, statement.value), self.width(statement.value, parts, loops)
        self.terms[name] = _Term(statement, loops, parts, around, price, width)

    def width(self, value: gast.expr, parts: tuple[_Term, ...], loops: tuple[gast.For, ...]) -> int:
        """The number of loop-dependent subscripts by which an element is read that the value depends on."""
        if not isinstance(value, gast.Subscript):
            return max((each.width for each in parts if each.loops == loops), default=0)
        subscripts = value.slice.elts if isinstance(value.slice, gast.Tuple) else [value.slice]
        names = {each.id for each in subscripts if isinstance(each, gast.Name)}
        view = self.terms.get(getattr(value.value, "id", ""))
        return len(names & (self.indices.keys() | self.terms.keys())) + (view.width if view else 0)

    def price(self, name: str, value: gast.expr) -> float:
        """The cost of an operation; zero if it only reads."""
        if isinstance(value, (gast.Subscript, gast.Attribute)):
            return 0.0
        types = self.program.types
        is_integer = str(types.get(name)).startswith(("int", "uint"))
        primitive = primitive_of(value, self.program.unit.bindings) if isinstance(value, gast.Call) else None
        return operation_cost(value, is_integer, types.is_array(name), primitive)

    def wanted(self) -> list[_Term]:
        """The terms to compute ahead: those that something other than a term reads, and that are expensive."""
        terms = {id(each.statement) for each in self.terms.values()}
        others = [each for each in walk_statements([self.outer]) if id(each) not in terms]
        read = {name for each in others for name in reads(each)}
        return [
            term
            for name, term in self.terms.items()
            if name in read
            and self.is_number(name)
            and 0 < len(term.loops) <= term.width
            and _price(term) >= EXPENSIVE_OPERATION
        ]

    def is_number(self, name: str) -> bool:
        """Whether a table can hold the name's values unchanged."""
        return bool(self.program.types.get(name) == nb.float64)


def _runs(outer: gast.For) -> gast.expr | None:
    """A test whether a loop has iterations; None unless its step is 1 or -1."""
    start, stop, step = outer.iter.args
    if constant(step) not in (1, -1):
        return None
    operator = gast.Lt() if constant(step) == 1 else gast.Gt()
    return gast.Compare(left=clone(start), ops=[operator], comparators=[clone(stop)])


def _price(term: _Term) -> float:
    return sum(each.price for each in _in_order(term))


def _in_order(term: _Term) -> list[_Term]:
    """A term and all terms that it depends on, each once, after its own dependencies."""
    found = {each.name: each for part in term.parts for each in _in_order(part)}
    return [*found.values(), term]
