"""Observed types: where Numba cannot type a core function, types are taken from runs on actual arguments.

    def f(x, n):                          for x = np.ones(3), n = 0:
        s = np.roll(x, 1, axis=0)             s -> array(float64, 1d, C), the loop has not been entered, so it
        for i in range(n):                    becomes `for i in range(n): raise kernels.Unobserved()`
            s = np.sin(s)

Code that the runs did not reach is replaced by `raise kernels.Unobserved()`, so nothing unknown is ever differentiated.
The caller catches that exception, adds the arguments that led there to the observation, and generates the code again.
Where the type of a result depends on values, `kernels.expect` checks that it is the observed one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.refusals.records import OBJECT_STORE, TUPLE_STORE
from srcad.refusals.types_and_results import OBJECT_VALUE
from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.runtime.support.errstate import IGNORED, unwarned
from srcad.transforms.analysis.activity import differentiable_inputs, varied_names
from srcad.transforms.analysis.aliases import aliases_of_unit
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.inference.execution_tracing import Calls, Conflict, Watched, own_copy, watch
from srcad.transforms.inference.object_tests import refuse_tests_of_objects
from srcad.transforms.inference.subroutine_types import Kinds, Subroutine
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    branch,
    call,
    const,
    dotted_path,
    is_exit,
    load,
    names_in,
    place_of,
    stores_into,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import operands, primitive_of
from srcad.transforms.ir.unit import Unit


@dataclass
class Observation:
    """The arguments that a function has been observed on; grows when calls reach code that was not observed."""

    samples: list[tuple[Any, ...]] = field(default_factory=list)
    calls: Calls = field(default_factory=Calls)

    def add(self, arguments: Sequence[Any]) -> None:
        """Observe the function on these arguments too."""
        self.samples.append(tuple(map(own_copy, arguments)))

    def types_of(self, unit: Unit) -> tuple[Unit, Types]:
        """The unit without unreached code, and the types of its names. Raises Conflict if a name has several."""
        try:
            watched = self._watch(unit)
        except Conflict:
            if len(self.samples) == 1:
                raise
            # Types differ for other values of the same argument types: the current call decides.
            del self.samples[:-1]
            return self.types_of(unit)
        return _Narrowing(unit, watched).result()

    def types_in_calls(self, subroutine: Subroutine, kinds: Kinds) -> tuple[Unit, Types] | None:
        """The same of a function that is called, for arguments of these types; None if that has not been seen."""
        watched = self.calls.of(subroutine, kinds)
        return None if watched is None else _Narrowing(subroutine.ssa, watched).result()

    def _watch(self, unit: Unit) -> Watched:
        """What is observed, without warnings: the run that is asked for gives them."""
        before = unwarned.set(IGNORED)
        try:
            with self.calls.watched():
                return watch(unit, self.samples)
        finally:
            unwarned.reset(before)


class _Narrowing:
    """Removes the code of a unit that was not reached."""

    def __init__(self, unit: Unit, watched: Watched) -> None:
        self.unit, self.watched = unit, watched
        self.names = unit.names.copy()
        self.known = {name: kind for name, kind in watched.types.items() if kind is not None}
        self.numbers: dict[int, int] = {}

    def result(self) -> tuple[Unit, Types]:
        tree = self.unit.copy_tree()
        self.numbers = {id(statement): number for number, statement in enumerate(walk_statements(tree.body))}
        _refuse_stores_into_objects(self.unit, self.watched)
        refuse_tests_of_objects(self.unit, Types(self.known, self.watched.result))
        tree.body = self.block(tree.body)
        self.type_copies(tree.body)
        for statement in walk_statements(tree.body):
            if isinstance(statement, gast.For):
                self.known.setdefault(str(written(statement)), nb.int64)
        bindings = {**self.unit.bindings, "kernels": kernels}
        return self.unit.with_tree(tree, names=self.names, bindings=bindings), Types(self.known, self.watched.result)

    def type_copies(self, block: Block) -> None:
        """Copies of names that held nothing when they were copied have the type that the name has elsewhere."""
        copies = [
            (str(written(each)), each.value.id)
            for each in walk_statements(block)
            if isinstance(each, gast.Assign) and isinstance(each.value, gast.Name) and written(each)
        ]
        for _ in copies:
            found = [(one, other) for one, other in copies if one not in self.watched.types and other in self.known]
            if all(one in self.known for one, _ in found):
                break
            self.known |= {one: self.known[other] for one, other in found}

    def block(self, block: Block) -> Block:
        result: Block = []
        for statement in block:
            match statement:
                case gast.If() if not is_exit(statement):
                    result += self.branch(statement)
                    continue
                case gast.For() | gast.While():
                    reached = self.is_reached(statement, 0)
                    statement.body = self.block(statement.body) if reached else [unobserved(statement)]
            result.append(statement)
            if isinstance(statement, gast.Assign) and self.is_uncertain(statement):
                name = str(written(statement))
                result.append(at(gast.Expr(value=call("kernels.expect", load(name), self.kind(name))), None))
        return _without_repeated_checks(result)

    def is_reached(self, statement: gast.stmt, arm: int) -> bool:
        return (self.numbers[id(statement)], arm) in self.watched.reached

    def branch(self, statement: gast.If) -> Block:
        """A branch with an arm that was not reached becomes a check, followed by the other arm."""
        is_empty = all(isinstance(inner, gast.Pass) for inner in statement.orelse)
        first, second = self.is_reached(statement, 0), self.is_reached(statement, 1)
        place = place_of(statement)
        if first:
            body = self.block(statement.body)
            if second or is_empty:
                statement.body, statement.orelse = body, self.block(statement.orelse) if second else []
                return [statement]
            opposite = self.names.temporary()
            self.known[opposite] = nb.boolean
            test = assign(opposite, gast.UnaryOp(op=gast.Not(), operand=statement.test), place)
            return [test, branch(load(opposite), [unobserved(statement)], [], place), *body]
        check = branch(statement.test, [unobserved(statement)], [], place)
        return [check, *(self.block(statement.orelse) if second else [])]

    def is_uncertain(self, statement: gast.Assign) -> bool:
        """Whether the type of the result may depend on more than the types of the operands."""
        value = statement.value
        kind = self.known.get(str(written(statement)))
        if not isinstance(statement.targets[0], gast.Name) or isinstance(kind, nb.Optional):
            return False
        if isinstance(value, gast.Subscript):
            return any(self.known.get(node.id) is None for node in walk(value) if isinstance(node, gast.Name))
        if not isinstance(value, gast.Call):
            return False
        primitive = primitive_of(value, self.unit.bindings)
        if isinstance(primitive, np.ufunc) or (dotted_path(value.func) or "").startswith(("math.", "operator.")):
            return False
        rule = registry.find(primitive)
        if rule is None or primitive in _BY_SHAPE:
            return primitive is not len
        if rule.elementwise:
            return False
        positional, keywords = operands(value)
        return any(self.is_choice(argument) for argument in [*positional, *keywords.values()])

    def is_choice(self, argument: gast.expr) -> bool:
        """Whether an argument may determine the shape of the result: it is not an array, a float or a literal."""
        if isinstance(argument, gast.Tuple):
            return any(map(self.is_choice, argument.elts))
        if not isinstance(argument, gast.Name):
            return False
        return not isinstance(self.known.get(argument.id), (nb.Array, nb.Float, nb.Complex))

    def kind(self, name: str) -> gast.expr:
        return const(spelled(self.known.get(name)))


_BY_SHAPE = (np.squeeze,)  # drops the dimensions of extent one


def spelled(kind: nb.Type | None) -> str:
    """A type in the notation of `observed_guards.kind_of`.

    >>> spelled(nb.float64), spelled(nb.Array(nb.float32, 2, "A")), spelled(nb.UniTuple(nb.int64, 2)), spelled(None)
    ('f', 'f2', '(i,i)', '?')
    """
    match kind:
        case nb.Array():
            return f"{spelled(kind.dtype)}{kind.ndim}"
        case nb.BaseTuple():
            return f"({','.join(map(spelled, kind))})"
        case nb.Boolean():
            return "b"
        case nb.Integer():
            return "i" if kind.signed else "u"
        case nb.Float():
            return "f"
        case nb.Complex():
            return "c"
    return "?"


def unobserved(statement: gast.stmt) -> gast.Raise:
    """The statement that replaces code that was not observed."""
    raised: gast.Raise = at(gast.Raise(exc=call("kernels.Unobserved"), cause=None), place_of(statement))
    return raised


def _without_repeated_checks(block: Block) -> Block:
    """Remove repeated checks: a tangent function is observed with the checks of its primal in it."""
    result: Block = []
    for statement in block:
        if not (result and isinstance(statement, gast.Expr) and gast.dump(result[-1]) == gast.dump(statement)):
            result.append(statement)
    return result


def _refuse_stores_into_objects(unit: Unit, watched: Watched) -> None:
    for statement in walk_statements(unit.tree.body):
        target = stores_into(statement)
        base = target.value.id if target is not None else _augmented(statement)
        if base is not None and base in watched.types and watched.types[base] is None:
            raise OBJECT_STORE.at(place_of(statement), name=base)
        value = getattr(statement, "value", None)
        kind = watched.types.get(value.id) if target is not None and isinstance(value, gast.Name) else None
        if target is not None and (isinstance(value, gast.Tuple) or isinstance(kind, nb.BaseTuple)):
            raise TUPLE_STORE.at(place_of(statement))


def _augmented(statement: gast.stmt) -> str | None:
    """The name that `x += ...` changes."""
    match statement:
        case gast.Assign(value=gast.Call(func=function, args=[gast.Name(id=name), _])) if (
            dotted_path(function) or ""
        ).startswith("operator.i"):
            return str(name)
    return None


def refuse_unknown(unit: Unit, types: Types, wrt: Sequence[int], is_observed: bool) -> None:
    """Refuse objects of unknown type, and numbers parsed from texts, where derivatives would pass through them."""
    if not is_observed and not any(map(_holds_text, types.of.values())):
        return
    sources = [unit.parameters[position] for position in wrt]
    varied = varied_names(unit, types, aliases_of_unit(unit, types), sources)
    texts = _texts_of(unit, types, varied)
    for statement in walk_statements(unit.tree.body):
        name = written(statement)
        if not name or not isinstance(statement, gast.Assign):
            continue
        inputs = set(differentiable_inputs(statement.value, unit, place_of(statement))) - unit.bindings.keys()
        is_read = types.is_real_or_complex(name) and texts & set(names_in(statement.value))
        is_unknown = is_observed and varied & inputs and any(types.get(each) is None for each in [name, *inputs])
        if is_read or is_unknown:
            raise OBJECT_VALUE.at(place_of(statement))


def _texts_of(unit: Unit, types: Types, varied: Collection[str]) -> set[str]:
    """The texts and bytes that are made from varied values: a number that is parsed from one varies, too."""
    readers: dict[str, list[str]] = {}
    for statement in walk_statements(unit.tree.body):
        name = written(statement)
        if name is not None and isinstance(statement, gast.Assign) and _holds_text(types.get(name)):
            for read in names_in(statement.value):
                readers.setdefault(read, []).append(name)
    return {*closure((text for name in varied for text in readers.get(name, ())), lambda name: readers.get(name, ()))}


def _holds_text(kind: nb.Type | None) -> bool:
    texts = (nb.UnicodeType, nb.Bytes, nb.UnicodeCharSeq, nb.CharSeq)
    return kind is None or isinstance(kind, texts) or isinstance(getattr(kind, "dtype", None), texts)
