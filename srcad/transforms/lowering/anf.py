"""A-normal form (ANF): every operation gets a statement of its own, and expressions become core form.

    y = np.sin(x[i + 1]) * 2      becomes    t1 = i + 1
                                             t2 = x[t1]
                                             t3 = np.sin(t2)
                                             y = t3 * 2

Order and number of evaluations are those of Python: operands from left to right, the value of an assignment before its
target, and `and`, `or`, ternaries and chained comparisons only as far as needed. A call that may be inlined is passed
to a given function, which returns the value of the call after emitting its statements.
"""

from __future__ import annotations

import gast

from srcad.errors import CompilerBug, Place
from srcad.refusals.names_and_functions import CALL_WITHOUT_RESULT, UNPACKED_COUNT
from srcad.refusals.numpy_calls import ATTRIBUTE_ASSIGNED
from srcad.transforms.ir.block_exits import completes
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    augment,
    call,
    clone,
    const,
    load,
    place_of,
    stored,
    subscript,
    walk,
)
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import changed_in, stored_inside, stored_names
from srcad.transforms.lowering.calls.effect_arguments import Effect
from srcad.transforms.lowering.control_flow import Turns, WhileTurns
from srcad.transforms.lowering.desugaring.desugar import IN_PLACE
from srcad.transforms.lowering.desugaring.for_loops import called
from srcad.transforms.lowering.return_values import Results
from srcad.transforms.lowering.structures.abstract_state import Callee, Lost, Structure
from srcad.transforms.lowering.structures.array_methods import ASSIGNING, assigns

_AUGMENTED = (gast.Add, gast.Sub, gast.Mult, gast.Div)


class Flattener(Results):
    """Rewrites statement by statement; generated statements are appended to the current block.

    >>> from srcad.names import Names
    >>> from srcad.printing.printer import print_module
    >>> body = gast.parse("a[i + 1], b = b, x if 0 < x < a[0] else -x").body
    >>> flattener = Flattener(Names({"a", "b", "i", "x"}), {}, lambda call, flattener: None)
    >>> print(print_module(flattener.block(body)), end="")
    t1 = b
    t3 = 0 < x
    if t3:
        t4 = a[0]
        t3 = x < t4
    if t3:
        t2 = x
    else:
        t2 = -x
    t5 = i + 1
    a[t5] = t1
    b = t2
    """

    def stand_at(self, place: Place | None) -> None:
        """Let what is made next have this place in the source."""
        self.place = place

    def block(self, block: Block) -> Block:
        """The statements for a nested block, up to one that always raises, in an inlined function perhaps."""
        made = self.statements(block)
        end = next((n for n, each in enumerate(made, 1) if not completes([each])), len(made))
        return made[:end]

    def statements(self, block: Block) -> Block:
        """The statements for those of a block."""
        outer, self.made = self.made, []
        place, changing = self.place, self.changing
        for statement in block:
            self.place, self.changing = place_of(statement) or place, changing | stored_inside(statement)
            with self.refusing():
                self.statement(statement)
        self.place, self.changing = place, changing
        made, self.made = self.made, outer
        return made

    def finish(self, block: Block, result: gast.expr, as_value: bool) -> tuple[Block, gast.expr]:
        """A whole body and its result: an operation on atoms or, with `as_value`, an atom or a tuple of atoms."""
        self.made = self.statements(block)
        self.place = place_of(result)
        self.changing = stored_inside(gast.Return(value=result))
        with self.refusing():
            made = self.whole_result(result) if as_value else self.core(result)
        at(made, place_of(made) or self.place)
        return self.made, made

    def statement(self, statement: gast.stmt) -> None:
        """Rewrite one statement, by its kind."""
        match statement:
            case gast.Assign(targets=[target], value=value):
                self.assign(target, value)
            case gast.AugAssign():
                self.augment(statement)
            case gast.If(body=[gast.Break()]):
                self.emit(statement)
            case gast.If():
                self.branch(statement)
            case gast.For():
                statement.iter.args = [self.atom(argument) for argument in statement.iter.args]
                self.loop(statement)
            case gast.While():
                self.while_loop(statement)
            case gast.Assert():
                self.check(statement)
            case gast.Expr(value=value):
                self.effect(value)
            case gast.Delete(targets=[gast.Name(id=name)]):
                self.memory.names[name] = Lost("it has been deleted")
                self.memory.forget(name)
            case gast.Raise() | gast.Pass():
                if isinstance(statement, gast.Raise) and statement.exc is not None:
                    statement.exc = self.message(statement.exc)
                self.emit(statement)
            case _:
                raise CompilerBug(f"flatten: a statement {type(statement).__name__}", at=self.place)

    def effect(self, value: gast.expr) -> None:
        """An expression statement: printed text, or a call that is inlined for its effect."""
        if called(value) == "print" and "print" not in self.bindings:
            self.emit(at(gast.Expr(value=self.message(value)), self.place))
            return
        if isinstance(value, gast.Call) and isinstance(meant := self.meant(value.func), Effect):
            self.emit(self.done(meant.act, value))
            return
        if isinstance(value, Turns):
            self.unrolled(value.rest, value.turns)
            return
        if isinstance(value, WhileTurns):
            self.memory.known[value.rest.test.id] = True  # in a branch where it holds
            self.unrolled_while(value.rest, value.problem, value.depth)
            return
        made = self.changed(value) if isinstance(value, gast.Call) else None
        if made is None and isinstance(value, gast.Call):
            name = getattr(value.func, "attr", "")
            if name in ASSIGNING:
                raise assigns(name, self.place)
            raise CALL_WITHOUT_RESULT.at(self.place)
        if made is None:
            self.core(value)

    # Assignments

    def assign(self, target: gast.expr, value: gast.expr) -> None:
        """`target = value`, for any expression and a name, an element or a tuple of these."""
        match target, value:
            case gast.Tuple(), gast.IfExp():
                self.branch_into(target, value)
            case gast.Name(id=name), gast.IfExp() | gast.BoolOp() | gast.Compare(ops=[_, _, *_]):
                self.decide(name, value)
            case gast.Name(id=name), _:
                made = self.core(value)
                if isinstance(made, Structure) and notes_of(value).is_loop_test:
                    made = self.truth_of(made)
                if isinstance(made, (Structure, Callee)):
                    self.memory.bind(name, made)
                elif not (isinstance(made, gast.Name) and made.id == name):
                    self.let(name, clone(made) if self.is_atom(made) else made)
            case gast.Subscript() | gast.Attribute(), _:
                self.assign_part(target, self.part(value))
            case gast.Tuple(elts=targets), _ if any(isinstance(each, gast.Starred) for each in targets):
                for each, part in self.with_rest(targets, value):
                    self.assign(each, part)
            case gast.Tuple(elts=targets), gast.Tuple(elts=values) if len(targets) == len(values):
                self.assign_all(targets, values)
            case gast.Tuple(elts=targets), gast.Tuple(elts=values):
                raise UNPACKED_COUNT.at(self.place, values=len(values), targets=len(targets))
            case gast.Tuple(), gast.GeneratorExp(elt=each, generators=loops):
                self.unpack(target, self.core(gast.ListComp(elt=each, generators=loops)))
            case gast.Tuple(), _:
                self.unpack(target, self.core(self.for_targets(value, len(target.elts))))
            case _:
                raise CompilerBug(f"flatten: a target {type(target).__name__}", at=self.place)

    def assign_part(self, target: gast.expr, value: gast.expr) -> None:
        """`target = value` for an element or an attribute."""
        if (place := self.part_of_complex(target)) is not None:
            self.store_part(place, value)
            return
        base = self.part(target.value)
        if isinstance(target, gast.Attribute):
            if not isinstance(base, Structure):
                self.refuse(ATTRIBUTE_ASSIGNED, name=target.attr)
            self.put(base, target.attr, value)
        elif isinstance(base, Structure):
            self.store(base, target, value)
        else:
            atom = self.held_in_atom(self.as_array(value))
            element = gast.Subscript(value=self.as_name(base), slice=self.index(target.slice), ctx=gast.Store())
            at(element, place_of(target))
            self.emit(assign(element, atom, self.place))

    def assign_all(self, targets: list[gast.expr], values: list[gast.expr]) -> None:
        """Evaluate all values before the first target is assigned, unless that makes no difference."""
        if not all(self.may_come_first(targets[i], values[i + 1 :]) for i in range(len(targets))):
            changed = stored_names(targets)
            values = [self.held(value, changed) for value in values]
        for target, value in zip(targets, values, strict=True):
            self.assign(target, value)

    def may_come_first(self, target: gast.expr, later: list[gast.expr]) -> bool:
        """Whether storing to the target leaves the later values unchanged."""
        nodes = [node for value in later for node in walk(value)]
        if any(self.is_user_call(node) for node in nodes):
            return False
        if any(isinstance(node, (gast.Subscript, gast.Attribute)) for node in walk(target)):
            return all(self.is_atom(value) for value in later) and not stored_names([target])
        changed = stored_names([target])
        if changed & self.memory.closed and not all(map(self.is_atom, later)):
            return False
        return not any(isinstance(node, gast.Name) and node.id in changed for node in nodes)

    def held(self, value: gast.expr, changed: set[str]) -> gast.expr:
        """An atom that keeps the value while the names in `changed` are assigned."""
        changed = changed | self.memory.rebound
        if self.is_atom(value) and not (isinstance(value, gast.Name) and value.id in changed):
            return value
        if isinstance(value, gast.Tuple):
            return gast.Tuple(elts=[self.held(element, changed) for element in value.elts], ctx=gast.Load())
        name = self.names.temporary()
        self.assign(stored(name), value)
        return load(name)

    def unpack(self, target: gast.Tuple, value: gast.expr) -> None:
        """Assign the elements of a tuple or array to targets."""
        if isinstance(value, Structure):
            self.assign(target, gast.Tuple(elts=self.unpacked(value, len(target.elts)), ctx=gast.Load()))
            return
        if not isinstance(value, gast.Name) or value.id in stored_names([target]):
            name = self.names.temporary()
            self.let(name, value)
            value = load(name)
        count = len(target.elts)
        message = f"too many or not enough values to unpack (expected {count})"
        self.insist_on_length(value, count, "ValueError", message)
        self.assign_all(target.elts, [subscript(clone(value), const(position)) for position in range(count)])

    def branch_into(self, target: gast.expr, value: gast.IfExp) -> None:
        """`target = body if test else orelse` as a branch with two assignments."""
        body, orelse = (assign(clone(target), arm, self.place) for arm in (value.body, value.orelse))
        self.branch(gast.If(test=value.test, body=[body], orelse=[orelse]))

    def decide(self, name: str, value: gast.expr) -> None:
        """Assign a value that may be evaluated only in part (`and`, `or`, ternaries, chained comparisons)."""
        match value:
            case gast.IfExp():
                self.branch_into(stored(name), value)
            case gast.BoolOp(values=[_, *later]) if self.may_read(later, name):
                self.decide_elsewhere(name, value)
            case gast.BoolOp(values=values):
                self.take(name, values, negate=isinstance(value.op, gast.Or))
            case gast.Compare() if self.may_read([value], name):
                self.decide_elsewhere(name, value)
            case gast.Compare(left=left, ops=ops, comparators=comparators):
                self.compare(name, self.part(left), ops, comparators)

    def may_read(self, nodes: list[gast.expr], name: str) -> bool:
        """Whether evaluating expressions may read a variable, in a nested function perhaps."""
        if name in self.memory.closed and not all(map(self.is_atom, nodes)):
            return True
        return any(isinstance(child, gast.Name) and child.id == name for node in nodes for child in walk(node))

    def decide_elsewhere(self, name: str, value: gast.expr) -> None:
        """The same, for a name whose old value is needed during the evaluation."""
        held = self.names.temporary()
        self.decide(held, value)
        self.assign(stored(name), load(held))

    def take(self, name: str, values: list[gast.expr], negate: bool) -> None:
        """`and`: the first value that is false, else the last one; with `negate`, `or`: the first that is true."""
        first = self.part(values[0])
        grown = isinstance(first, Structure) and self.grown(first) is not None
        self.assign(stored(name), self.truth_of(first) if grown else first)
        if len(values) > 1:
            test: gast.expr = load(name)
            if negate:
                test = load(self.names.temporary())
                self.assign(stored(test.id), gast.UnaryOp(op=gast.Not(), operand=load(name)))
            self.only_if(test, lambda: self.take(name, values[1:], negate))

    def compare(self, name: str, left: gast.expr, ops: list[gast.cmpop], comparators: list[gast.expr]) -> None:
        """Comparisons from left to right, as long as they hold; each operand is evaluated once."""
        right = self.part(comparators[0])
        self.assign(stored(name), gast.Compare(left=clone(left), ops=[ops[0]], comparators=[right]))
        if len(ops) > 1:
            self.only_if(load(name), lambda: self.compare(name, right, ops[1:], comparators[1:]))

    def augment(self, statement: gast.AugAssign) -> None:
        """`a[i] op= value`; where core form has no such statement, the element is read, changed and written."""
        target, op = statement.target, statement.op
        if (place := self.part_of_complex(target)) is not None:
            self.store_part(place, self.part(gast.BinOp(self.read_part(place), op, statement.value)))
            return
        base = self.part(target.value)
        if isinstance(base, Structure) or isinstance(target, gast.Attribute):
            self.augment_part(base, target, op, statement.value)
            return
        element = gast.Subscript(value=self.as_name(base), slice=self.index(target.slice), ctx=gast.Store())
        at(element, place_of(target))
        count = len(self.made)
        value = self.held_in_atom(self.as_array(self.part(statement.value)))
        later = self.made[count:]  # which may write into the array: the element is read before
        if isinstance(op, _AUGMENTED) and not changed_in(later):
            self.emit(augment(element, type(op), value, self.place))
            return
        old, new = self.names.temporary(), self.names.temporary()
        del self.made[count:]
        self.let(old, subscript(clone(element.value), clone(element.slice)))
        self.emit(*later)
        self.let(new, call(IN_PLACE[type(op)], load(old), value))
        self.emit(assign(element, load(new), self.place))

    def augment_part(self, base: gast.expr, target: gast.expr, op: gast.operator, value: gast.expr) -> None:
        """`p["w"] += value` and `p.w += value` on a structure; arrays are changed in place, as in Python."""
        target.value = base
        if isinstance(target, gast.Subscript):
            target.slice = self.part(target.slice)
        old = clone(target)
        old.ctx = gast.Load()
        self.assign(target, call(IN_PLACE[type(op)], old, value))
