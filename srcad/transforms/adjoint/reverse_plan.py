"""Reverse plan: the steps of a reverse sweep in execution order, each with the statement that it reverses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from srcad.transforms.ir.array_functions import FRESH
from srcad.transforms.ir.build import Block, assign, call, dotted_path, names_in, place_of, walk
from srcad.transforms.ir.node_notes import notes_of

Way = tuple[tuple[int, int], ...]


@dataclass
class Step:
    """The adjoint of one simple statement; `number` is the statement's, `code` reads primal names freely."""

    number: int
    code: Block
    statement: gast.stmt | None = None


@dataclass
class Fork:
    """A reversed branch: the same test, both arms reversed; `last` is the last statement inside."""

    number: int
    statement: gast.If
    arms: list[Plan] = field(default_factory=list)
    last: int = -1


@dataclass
class Replay:
    """A reversed loop; `header` iterates in reverse, `body` reverses one iteration."""

    number: int
    statement: gast.For | gast.While
    body: Plan
    header: gast.For | None = None
    first: Block = field(default_factory=list)
    last: int = -1


@dataclass
class Spot:
    """A loop with iteration-local reversal: each iteration runs and is then reversed; `body` reverses one."""

    number: int
    statement: gast.For
    body: Plan
    last: int = -1


@dataclass
class Late:
    """Primal statements that run only after a loop with iteration-local reversal."""

    number: int
    statements: Block
    last: int = -1


Node = Step | Fork | Replay | Spot | Late


def inner_plans(node: Node) -> list[Plan]:
    """The plans nested in a node."""
    match node:
        case Fork(arms=arms):
            return arms
        case Replay(body=body) | Spot(body=body):
            return [body]
    return []


def reached(node: Node) -> int:
    """The last primal statement that has run when the reversal of a node begins."""
    return node.number if isinstance(node, Step) else max(node.number, node.last)


@dataclass
class Plan:
    """A reversed block. `way` leads to the primal block, `last` is the number of its last statement."""

    way: Way
    last: int
    nodes: list[Node] = field(default_factory=list)


def spot_of(plan: Plan) -> gast.For | None:
    """The loop with iteration-local reversal in a function's plan, if there is one."""
    return next((node.statement for node in plan.nodes if isinstance(node, Spot)), None)


def place_zeros(plan: Plan, merge: bool = True) -> Plan:
    """Initialise each adjoint where it is first used; with `merge`, by assigning the first contribution.

    x_bar = 0.0
    x_bar += y_bar * k      becomes     x_bar = y_bar * k
    """
    first = plan.nodes[0]
    assert isinstance(first, Step)
    zeros, first.code = first.code, []
    placement = _Placement(plan.nodes, merge)
    for zero in reversed(zeros):
        placement.place(zero)
    nodes = placement.placed()
    plan.nodes = [node for node in nodes if not isinstance(node, Step) or node.code or node.statement is not None]
    return plan


class _Mentioned:
    """The names in nodes and statements, each computed once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, frozenset[str]]] = {}

    def names(self, thing: Node | gast.stmt) -> frozenset[str]:
        """All names in a statement or in a node of a plan, nested ones included."""
        known = self._known.get(id(thing))
        if known is None:
            # The object is kept as well, so that no other object gets its id.
            known = self._known[id(thing)] = thing, frozenset(self._found(thing))
        return known[1]

    def _found(self, thing: Node | gast.stmt) -> Iterator[str]:
        if isinstance(thing, gast.AST):
            yield from (node.id for node in walk(thing) if isinstance(node, gast.Name))
            return
        inside: list[Node] | Block = [node for plan in inner_plans(thing) for node in plan.nodes]
        for each in thing.code if isinstance(thing, Step) else inside:
            yield from self.names(each)


_ITSELF = math.inf  # of a node, after the steps that are put before it


class _Placement:
    """Where each name is first mentioned, while initial values are put before that.

    A place is the number of a node, and which of the steps put before it, or the node itself.
    """

    def __init__(self, nodes: list[Node], merge: bool) -> None:
        self.nodes, self.merge = nodes, merge
        self.mentioned = _Mentioned()
        self.before: dict[int, list[Step]] = {}
        self.first: dict[str, tuple[int, float]] = {}
        for k, node in enumerate(nodes):
            for each in node.code if isinstance(node, Step) else [node]:
                self._mention(self.mentioned.names(each), (k, _ITSELF))

    def place(self, zero: Any) -> None:
        """Put an initial value before the first statement or node that mentions it, or at the end."""
        name = zero.targets[0].id
        k, which = self.first.get(name, (len(self.nodes), _ITSELF))
        node = self.nodes[k] if k < len(self.nodes) else None
        if which is not _ITSELF:
            node = self.before[k][int(which)]
        if isinstance(node, Step):
            self._within(node, zero, name)
            self._mention(self.mentioned.names(zero), (k, which))
            return
        steps = self.before.setdefault(k, [])
        steps.append(Step(reached(self.nodes[0] if node is None else node), [zero]))
        self._mention(self.mentioned.names(zero), (k, len(steps) - 1))

    def placed(self) -> list[Node]:
        """All nodes, with the new steps."""
        found: list[Node] = []
        for k, node in enumerate(self.nodes):
            found += [*self.before.get(k, []), node]
        return [*found, *self.before.get(len(self.nodes), [])]

    def _within(self, step: Step, zero: Any, name: str) -> None:
        for j, statement in enumerate(step.code):
            if name in self.mentioned.names(statement):
                merged = _merged(zero, statement, name) if self.merge else None
                step.code[j : j + 1] = [zero, statement] if merged is None else [merged]
                return

    def _mention(self, names: Iterable[str], place: tuple[int, float]) -> None:
        for name in names:
            self.first[name] = min(self.first.get(name, place), place)


def _merged(zero: Any, statement: gast.stmt, name: str) -> gast.stmt | None:
    """The first contribution as an assignment, where that has the same result; else None."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=target), op=op, value=value) if target == name:
            begun = notes_of(zero)
            is_whole = notes_of(statement).whole and not (begun.is_view or begun.in_c_order)
            if name in names_in(value) or not (begun.value_is_number or is_whole):
                return None
            if isinstance(op, gast.Sub):
                value = gast.UnaryOp(op=gast.USub(), operand=value)
            elif not begun.value_is_number and not _is_fresh(value):
                value = call("np.copy", value)
            return assign(name, value, place_of(statement))
    return None


def _is_fresh(value: gast.expr) -> bool:
    """Whether an expression creates a new array that has no other name."""
    return isinstance(value, (gast.BinOp, gast.UnaryOp)) or (
        isinstance(value, gast.Call) and dotted_path(value.func) in FRESH
    )
