"""Chosen functions: a name that stands for one of several functions, which is known only at run time.

    act = np.tanh if c else np.sin              if c:
    y = act(x)                                      act_which = 0
                                                else:
                                       ->           act_which = 1
                                                if act_which == 0:
                                                    y = np.tanh(x)
                                                else:
                                                    y = np.sin(x)

The number says which function it is; each function of the unit has one of its own, None as well. `state_join` makes
such a structure where two paths meet. A call becomes a branch for each function, with the arguments evaluated before.
"""

from __future__ import annotations

import gast

from srcad.transforms.ir.build import assign, at, call, clone, const, load, stored
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.lowering.structures.abstract_state import WHICH, Alternatives, Callee, Chosen, Structure
from srcad.transforms.lowering.structures.structure_operators import Combined

_NOT_CALLABLE = "'NoneType' object is not callable"


class ChosenFunctions(Combined):
    """Calls and tests of functions that are chosen at run time."""

    def compared(self, left: gast.expr, op: gast.cmpop, right: gast.expr) -> gast.expr:
        """A comparison; of functions, and of a function with None, by their numbers."""
        is_test = isinstance(op, (gast.Is, gast.IsNot, gast.Eq, gast.NotEq))
        if is_test and any(isinstance(each, Callee) or _is_chosen(each) for each in (left, right)):
            one, other = self.memory.alternatives(self.as_none(left)), self.memory.alternatives(self.as_none(right))
            if one is not None and other is not None:
                return self.same_function(one, isinstance(op, (gast.Is, gast.Eq)), other)
        return super().compared(left, op, right)

    def as_none(self, part: gast.expr) -> gast.expr:
        """A part, or None where it is known to be that."""
        return const(None) if not isinstance(part, Structure) and self.constant(part) is None else part

    def same_function(self, one: Alternatives, positive: bool, other: Alternatives) -> gast.expr:
        """Whether two functions are the same one, or are not."""
        if not one[1].keys() & other[1].keys():
            return const(not positive)
        numbers = [self.memory.constant(each) for each, _ in (one, other)]
        if UNKNOWN not in numbers:
            return const((numbers[0] == numbers[1]) == positive)
        op = gast.Eq() if positive else gast.NotEq()
        return gast.Compare(left=clone(one[0]), ops=[op], comparators=[clone(other[0])])

    def called_chosen(self, chosen: Structure, node: gast.Call) -> gast.expr:
        """A call of a function that is chosen at run time: a branch for each function."""
        held = dict(self.contents(chosen))
        which = held.pop(WHICH)
        known = self.memory.constant(which)
        if known is not UNKNOWN:
            held = {known: held[known]}
        node.args = [self.argument_once(each) for each in node.args]
        for keyword in node.keywords:
            keyword.value = self.argument_once(keyword.value)
        result = self.names.temporary()
        calls = [(number, self.arm(each, node, result)) for number, each in held.items()]
        rest = calls.pop()[1]
        for number, arm in reversed(calls):
            test = gast.Compare(left=clone(which), ops=[gast.Eq()], comparators=[const(number)])
            rest = at(gast.If(test=test, body=[arm], orelse=[rest]), self.place)
        self.statement(rest)
        return self.value(load(result))

    def argument_once(self, node: gast.expr) -> gast.expr:
        """An argument that is evaluated before the function is chosen."""
        if isinstance(node, gast.GeneratorExp):
            node = gast.ListComp(elt=node.elt, generators=node.generators)
        return self.kept(self.part(node))

    def arm(self, function: gast.expr, node: gast.Call, result: str) -> gast.stmt:
        """The call of one of the functions; of None an error, as in Python."""
        if not isinstance(function, Callee):
            return at(gast.Raise(exc=call("TypeError", const(_NOT_CALLABLE)), cause=None), self.place)
        keywords = [gast.keyword(arg=each.arg, value=_again(each.value)) for each in node.keywords]
        made = gast.Call(func=clone(function.path), args=[_again(each) for each in node.args], keywords=keywords)
        return assign(stored(result), at(made, self.place), self.place)

    def statement(self, statement: gast.stmt) -> None:
        """One statement."""
        raise NotImplementedError


def _is_chosen(part: gast.expr) -> bool:
    return isinstance(part, Structure) and part.cell.type is Chosen


def _again(part: gast.expr) -> gast.expr:
    return part if isinstance(part, (Structure, Callee)) else clone(part)
