"""Structured exits: `break`, `continue` and early `return` become branches and flags.

    for i in range(n):                       returned = False
        if x[i] < 0.0:                       for i in range(n):
            return x[i]                          if x[i] < 0.0:
        s += x[i]                   ->               result = x[i]
    return s                                         returned = True
                                                 else:
                                                     s += x[i]
                                                 if returned:
                                                     break
                                             if not returned:
                                                 result = s
                                             return result

Every block is then left at its end only. Statements after a branch that leaves early move into the other arm; only
where both arms may go on are they guarded by a flag. A loop has a flag that ends it; a `while` computes its test before
the loop and at the end of its body.
"""

from __future__ import annotations

from collections.abc import Sequence

import gast

from srcad.errors import Place
from srcad.names import Names
from srcad.refusals.types_and_results import RETURNS_NONE
from srcad.transforms.ir.block_exits import completes, exits_of, returns_of
from srcad.transforms.ir.build import Block, assign, at, branch, call, clone, const, load, place_of, stored
from srcad.transforms.ir.node_notes import note

NO_VALUE = RETURNS_NONE.what


def structure_exits(block: Block, names: Names, place: Place | None = None, may_be_none: bool = False) -> Block:
    r"""The statements without early exits; a single `return` comes last. `place` is that of the function.

    `may_be_none` tells whether the function may return a value on some paths, and None on others. If not, such a path
    raises an error when it is taken, since there is nothing to differentiate.

    >>> from srcad.printing.printer import print_module
    >>> body = gast.parse("while x < 9:\n    x = x * x\n    if x > 5: break\n    x = x + 1\nreturn x").body
    >>> print(print_module(structure_exits(body, Names({"x"}))), end="")
    stop = False
    t1 = x < 9
    while t1:
        x = x * x
        if x > 5:
            stop = True
        else:
            x = x + 1
        t1 = False if stop else x < 9
    return x
    """
    returns = returns_of(block)
    if completes(block) and not all(_is_none(each.value) for each in returns):
        returns.append(at(gast.Return(value=const(None)), place))
        block = [*block, returns[-1]]
    if not may_be_none and not all(_is_none(each.value) for each in returns):
        block = _with_errors(block)
        returns = returns_of(block)
    structurer = _Structurer(names, returns)
    last = structurer.result(block, place)
    if structurer.is_plain:
        return [*structurer.block(block[:-1]), last]
    body = structurer.block(block)
    before = [assign(structurer.returned, const(False), place)] if structurer.returned else []
    return [*before, *body, last]


def _with_errors(block: Block) -> Block:
    """The statements with an error in place of each `return` of None."""
    result: Block = []
    for each in block:
        if isinstance(each, gast.Return) and _is_none(each.value):
            each = at(gast.Raise(exc=call("TypeError", const(NO_VALUE)), cause=None), place_of(each))
        if isinstance(each, (gast.If, gast.For, gast.While)):
            each.body, each.orelse = _with_errors(each.body), _with_errors(each.orelse)
        result.append(each)
    return result


class _Loop:
    """A loop that is being rewritten: its exit flag, and the flags to set when an iteration is left."""

    def __init__(self, stop: str | None) -> None:
        self.stop = stop
        self.skips: list[str] = []


class _Structurer:
    def __init__(self, names: Names, returns: Sequence[gast.Return]) -> None:
        self.names, self.returns = names, returns
        self.results: list[str] = []
        self.in_parts = False  # whether each element of the returned tuples has a variable of its own
        self.returned: str | None = None
        self.guarding = 0  # number of open branches whose rest tests whether the function has returned
        self.is_plain = False
        self.loops = [_Loop(None)]  # the first stands for the function itself

    def result(self, block: Block, place: Place | None) -> gast.stmt:
        """The only `return`, at the end, and the variables by which early returns pass their values."""
        values = [statement.value for statement in self.returns if not _is_none(statement.value)]
        place = place_of(block[-1]) if block else place
        if not values:
            return at(gast.Return(value=gast.Constant(value=None, kind=None)), place)
        is_mixed = len(values) != len(self.returns)
        if self.returns == [block[-1]]:
            self.is_plain = True
            return block[-1]
        if _all_same_names(values) and not is_mixed:
            return at(gast.Return(value=clone(values[0])), place)
        lengths = {len(value.elts) if isinstance(value, gast.Tuple) else None for value in values}
        lengths |= {None} if is_mixed else set()
        if len(lengths) == 1 and (length := lengths.pop()) is not None:
            self.in_parts = True
            self.results = [self.names.fresh(f"result_{number + 1}") for number in range(length)]
            elements = gast.Tuple(elts=[load(name) for name in self.results], ctx=gast.Load())
            return at(gast.Return(value=elements), place)
        self.results = [self.names.fresh("result")]
        return at(gast.Return(value=load(self.results[0])), place)

    def block(self, block: Block) -> Block:
        result: Block = []
        for position, statement in enumerate(block):
            rest = block[position + 1 :]
            match statement:
                case gast.Return():
                    return result + self.leave(statement)
                case gast.Break() | gast.Continue():
                    return result + self.cut(statement)
                case gast.Raise():
                    return [*result, statement]
                case gast.If() if exits_of([statement]):
                    return result + self.branch(statement, rest)
                case gast.If():
                    statement.body, statement.orelse = self.block(statement.body), self.block(statement.orelse)
                    result.append(statement)
                    if not completes([statement]):
                        return result
                case gast.For() | gast.While():
                    return result + self.loop(statement, rest)
                case _:
                    result.append(statement)
        return result

    def leave(self, statement: gast.Return) -> Block:
        """An early return: assign the value, and set all flags up to the function's."""
        place = place_of(statement)
        values = statement.value.elts if self.in_parts else [statement.value or const(None)]
        handed: Block = [assign(name, each, place) for name, each in zip(self.results, values, strict=False)]
        flags = [self.returned] if len(self.loops) > 1 or self.guarding else []
        flags += [loop.stop for loop in self.loops] + [skip for loop in self.loops for skip in loop.skips]
        return handed + _raise(flags, place)

    def cut(self, statement: gast.Break | gast.Continue) -> Block:
        loop = self.loops[-1]
        flags = [loop.stop] if isinstance(statement, gast.Break) else []
        return _raise([*flags, *loop.skips], place_of(statement))

    def branch(self, statement: gast.If, rest: Block) -> Block:
        """A branch that may be left early; the rest moves into the arm that goes on."""
        goes_on = completes(statement.body), completes(statement.orelse)
        if goes_on == (True, True) and rest:
            return self.guarded(statement, rest)
        body = statement.body + (rest if goes_on[0] else [])
        orelse = statement.orelse + (rest if goes_on[1] else [])
        return [_branch(statement.test, self.block(body), self.block(orelse), place_of(statement))]

    def guarded(self, statement: gast.If, rest: Block) -> Block:
        """A branch in which both arms may go on: a flag tells whether they did."""
        place, loop = place_of(statement), self.loops[-1]
        kinds = exits_of([statement])
        before: Block = []
        if kinds == {"break"} and loop.stop is not None:
            flag = loop.stop
        elif kinds == {"return"} and self.returned is not None:
            flag = self.returned
        else:
            flag = self.names.fresh("skip")
            before = [assign(flag, const(False), place)]
            loop.skips.append(flag)
        self.guarding += flag == self.returned
        body, orelse = self.block(statement.body), self.block(statement.orelse)
        self.guarding -= flag == self.returned
        if flag in loop.skips:
            loop.skips.remove(flag)
        return [*before, _branch(statement.test, body, orelse, place), *self.unless(flag, rest, place)]

    def unless(self, flag: str, rest: Block, place: Place | None) -> Block:
        if not rest:
            return []
        body = self.block(rest)
        return [branch(_negated(flag), body, [], place)] if body else []

    def loop(self, statement: gast.For | gast.While, rest: Block) -> Block:
        place, kinds = place_of(statement), exits_of(statement.body)
        before: Block = []
        stop = None
        if not completes([statement]) and "return" not in kinds:
            # Only an exception ends it, which the flag that it tests does not show.
            error = call("AssertionError", const("a loop without an end has ended"))
            rest = [at(gast.Raise(exc=error, cause=None), place)]
        if "return" in kinds and self.returned is None:
            self.returned = self.names.fresh("returned")
        if "break" in kinds:
            stop = self.names.fresh("stop")
            before = [assign(stop, const(False), place)]
        elif "return" in kinds:
            stop = self.returned
        self.loops.append(_Loop(stop))
        body = self.block(statement.body)
        self.loops.pop()
        if isinstance(statement, gast.For):
            ending = [at(gast.If(test=load(stop), body=[at(gast.Break(), place)], orelse=[]), place)] if stop else []
            statement.body = [*body, *ending]
        else:
            before += self.turn(statement, body, stop)
        otherwise, statement.orelse = statement.orelse, []
        if otherwise and "break" in kinds and stop is not None:
            otherwise = [branch(_negated(stop), otherwise, [], place)]
        return [*before, statement, *self.behind(otherwise + rest, kinds, place)]

    def behind(self, rest: Block, kinds: set[str], place: Place | None) -> Block:
        if "return" in kinds and self.returned is not None:
            return self.unless(self.returned, rest, place)
        return self.block(rest)

    def turn(self, statement: gast.While, body: Block, stop: str | None) -> Block:
        """Compute the test before the loop and, unless the loop was left, at the end of its body."""
        name, place = self.names.temporary(), place_of(statement)
        if isinstance(statement.test, (gast.Name, gast.Attribute, gast.Subscript)):
            note(statement.test, is_loop_test=True)
        again = clone(statement.test)
        if stop is not None:
            forever = isinstance(again, gast.Constant) and bool(again.value)
            again = _negated(stop) if forever else gast.IfExp(test=load(stop), body=const(False), orelse=again)
        at(again, place)
        first = assign(name, statement.test, place)
        statement.test = load(name)
        statement.body = [*body, assign(name, again, place)]
        return [first]


def _branch(test: gast.expr, body: Block, orelse: Block, place: Place | None) -> gast.If:
    """A branch whose body may be empty."""
    return at(gast.If(test=test, body=body, orelse=orelse), place)


def _raise(flags: Sequence[str | None], place: Place | None) -> Block:
    return [assign(stored(flag), const(True), place) for flag in dict.fromkeys(flags) if flag is not None]


def _negated(flag: str) -> gast.expr:
    return gast.UnaryOp(op=gast.Not(), operand=load(flag))


def _is_none(value: gast.expr | None) -> bool:
    return value is None or (isinstance(value, gast.Constant) and value.value is None)


def _all_same_names(values: Sequence[gast.expr]) -> bool:
    """Whether all paths return the same variables, so that no others are needed."""
    parts = [value.elts if isinstance(value, gast.Tuple) else [value] for value in values]
    if not all(isinstance(part, gast.Name) for each in parts for part in each):
        return False
    return len({gast.dump(value) for value in values}) == 1
