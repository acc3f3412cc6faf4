"""Sequences for `for_loops`: the number of elements that a loop visits, and its k-th element."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import gast

from srcad.errors import Place
from srcad.names import Names
from srcad.transforms.ir.build import Block, assign, at, binary, call, clone, const, load
from srcad.transforms.ir.primitive import constant


@dataclass(frozen=True)
class Sequence:
    """An iterable: statements before the loop, trip count (negative means zero), and the k-th element.

    `calls` tells whether elements are computed, `ended` has statements to run after the last element.
    """

    setup: Block
    count: gast.expr
    element: Callable[[gast.expr], gast.expr]
    calls: bool = False
    ended: Block = field(default_factory=list)


def taken_in_vain(sequences: list[Sequence], count: gast.expr, names: Names, place: Place | None) -> Block:
    """What `zip` still computes before it finds that a sequence has ended: elements of the sequences before it.

    >>> from srcad.printing.printer import print_module
    >>> mapped = Sequence([], load("n"), lambda k: call("f", k), calls=True)
    >>> shorter = Sequence([], load("m"), lambda k: k)
    >>> count = call("min", mapped.count, shorter.count)
    >>> print(print_module(taken_in_vain([mapped, shorter], count, Names(set()), None)), end="")
    t1 = max(0, min(n, m))
    if n > t1:
        t2 = f(t1)
    """
    if not any(each.calls for each in sequences[:-1]) and not any(each.ended for each in sequences):
        return []
    last, ended = names.temporary(), list[gast.stmt]()
    for each in reversed(sequences):
        taken = [assign(names.temporary(), each.element(load(last)), place)] if each.calls else []
        test = gast.Compare(left=clone(each.count), ops=[gast.Gt()], comparators=[load(last)])
        if body := [*taken, *ended]:
            ended = [at(gast.If(test=test, body=body, orelse=each.ended), place)]
        elif each.ended:
            test.ops = [gast.LtE()]
            ended = [at(gast.If(test=test, body=each.ended, orelse=[]), place)]
    return [assign(last, call("max", const(0), clone(count)), place), *ended]


def total(first: gast.expr, second: gast.expr) -> gast.expr:
    """The sum of two numbers, the first of which may be zero."""
    return second if constant(first) == 0 else binary(clone(first), gast.Add, second)


def times(index: gast.expr, step: int) -> gast.expr:
    """A number of steps."""
    return index if step == 1 else binary(index, gast.Mult, const(step))


def minus(far: gast.expr, near: gast.expr) -> gast.expr:
    """The distance to `far`."""
    return clone(far) if constant(near) == 0 else binary(clone(far), gast.Sub, clone(near))


def plus(node: gast.expr, number: int) -> gast.expr:
    """The sum of an expression and a constant."""
    if number == 0:
        return node
    return binary(clone(node), gast.Add if number > 0 else gast.Sub, const(abs(number)))
