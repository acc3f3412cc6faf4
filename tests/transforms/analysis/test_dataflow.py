"""The engine against round-robin iteration over a control flow graph, in random programs with early exits."""

import gast
import numpy as np
import pytest

from srcad.transforms.analysis.dataflow import Backward, Forward, closure, fixed_point
from srcad.transforms.ir.build import walk_statements, written
from srcad.transforms.ir.side_effects import reads

NAMES = "abcd"
EXITS = ("break", "continue", "return", "raise")


def body_of(lines):
    return gast.parse("def f():\n" + "\n".join(lines)).body[0].body


def lines_of(rng, depth, indent, in_loop):
    """A random block; early exits stand anywhere, behind a test or bare."""
    lines, pad = [], "    " * indent
    for _ in range(rng.integers(1, 4)):
        x, y, z = rng.choice(list(NAMES), 3)
        kind = rng.integers(0, 6 if depth else 2)
        if kind < 2:
            lines.append(f"{pad}{x} = {y} + {z}")
        elif kind == 2:
            word = EXITS[rng.integers(0 if in_loop else 2, 4)]
            lines += [f"{pad}if {x}:", f"{pad}    {word}"] if rng.random() < 0.8 else [pad + word]
        elif kind == 3:
            lines += [f"{pad}if {x}:", *lines_of(rng, depth - 1, indent + 1, in_loop), f"{pad}else:"]
            lines += lines_of(rng, depth - 1, indent + 1, in_loop)
        else:
            head = f"for {x} in range({y}):" if kind == 4 else f"while {x}:"
            lines += [pad + head, *lines_of(rng, depth - 1, indent + 1, True)]
    return lines


class Graph:
    """Nodes (statement, part of it) with edges in the order of execution; "next" takes a loop's next index."""

    def __init__(self, body):
        self.edges, self.end = set(), ("end", "")
        self.start = self.block(body, self.end, [])

    def block(self, block, after, loops):
        for statement in reversed(block):
            after = self.statement(statement, after, loops)
        return after

    def statement(self, statement, after, loops):
        own = statement, "own"
        match statement:
            case gast.If(body=body, orelse=orelse):
                self.edges |= {(own, self.block(arm, after, loops)) for arm in (body, orelse)}
            case gast.For(body=body):
                head, bound = (statement, "head"), (statement, "next")
                self.edges |= {(own, head), (head, after), (head, bound)}
                self.edges.add((bound, self.block(body, head, [*loops, (after, head)])))
            case gast.While(body=body):
                self.edges |= {(own, after), (own, self.block(body, own, [*loops, (after, own)]))}
            case gast.Break():
                self.edges.add((own, loops[-1][0]))
            case gast.Continue():
                self.edges.add((own, loops[-1][1]))
            case gast.Return() | gast.Raise():
                pass
            case _:
                self.edges.add((own, after))
        return own

    def states(self, transfer, given, seeds):
        """The least states before (`given` is "in") or after the nodes that satisfy all edges."""
        found = dict(seeds)
        while True:
            before = dict(found)
            for tail, head in self.edges:
                one, other = (tail, head) if given == "in" else (head, tail)
                if one in found:
                    found[other] = found.get(other, frozenset()) | transfer(one, found[one])
            if found == before:
                return found


class Reaching(Forward):
    """Reaching definitions: the statements whose value of a name may be the current one."""

    def join(self, one, other):
        return one | other

    def transfer(self, statement, state):
        name = written(statement) if isinstance(statement, gast.Assign) else None
        return state if name is None else self.stored(name, statement, state)

    def bind(self, loop, state):
        return self.stored(loop.target.id, loop, state)

    def stored(self, name, statement, state):
        return frozenset(each for each in state if each[0] != name) | {(name, statement)}


class Reads(Backward):
    """Liveness."""

    bottom = frozenset()

    def join(self, one, other):
        return one | other

    def transfer(self, statement, state):
        stored = {written(statement)} if isinstance(statement, gast.Assign) else set()
        return (state - stored) | set(reads(statement))

    def bind(self, loop, state):
        return state - {loop.target.id}


@pytest.mark.parametrize("seed", range(80))
def test_forward_states_are_those_of_the_control_flow_graph(seed):
    body = body_of(lines_of(np.random.default_rng(seed), 3, 1, False))
    graph, problem = Graph(body), Reaching()

    def transfer(node, state):
        statement, part = node
        if part == "head" or statement == "end":
            return state
        return problem.bind(statement, state) if part == "next" else problem.transfer(statement, state)

    expected = graph.states(transfer, "in", {graph.start: frozenset([("a", "given")])})
    found = problem.solve(body, frozenset([("a", "given")]))
    for statement in walk_statements(body):
        states = found.heads if isinstance(statement, gast.While) else found.before
        assert states.get(statement) == expected.get((statement, "own"))
        if isinstance(statement, gast.For):
            assert found.heads.get(statement) == expected.get((statement, "head"))
    assert found.end == expected.get(graph.end)


@pytest.mark.parametrize("seed", range(80))
def test_backward_states_are_those_of_the_control_flow_graph(seed):
    body = body_of(lines_of(np.random.default_rng(seed), 3, 1, False))
    graph, problem = Graph(body), Reads()
    nodes = {node for edge in graph.edges for node in edge} | {(each, "own") for each in walk_statements(body)}

    def transfer(node, state):
        statement, part = node
        if part == "head" or statement == "end":
            return state
        return problem.bind(statement, state) if part == "next" else problem.transfer(statement, state)

    expected = graph.states(transfer, "out", {node: frozenset() for node in nodes} | {graph.end: frozenset("d")})
    found = problem.solve(body, frozenset("d"))
    for statement in walk_statements(body):
        assert found.before[statement] == transfer((statement, "own"), expected[statement, "own"])
    assert found.start == transfer(graph.start, expected[graph.start])


class Signs(Forward):
    """The test of a branch or loop tells the sign of `x`; names that a block stores are gone after it."""

    def join(self, one, other):
        return one | other

    def transfer(self, statement, state):
        return state

    def arm(self, statement, holds, state):
        return frozenset({"positive" if holds else "negative"})

    def leave(self, block, state):
        return state | {f"left {len(block)}"}


def test_the_arms_of_a_test_have_what_it_tells():
    body = body_of(["    if x:", "        a = 1", "    else:", "        b = 1", "        c = 1", "    d = 1"])
    found = Signs().solve(body, frozenset())
    assert found.before[body[0].body[0]] == {"positive"}
    assert found.before[body[0].orelse[0]] == {"negative"}
    assert found.before[body[1]] == {"positive", "left 1", "negative", "left 2"}


def test_after_a_while_loop_its_test_does_not_hold_except_after_a_break():
    body = body_of(["    while x:", "        a = 1", "    b = 1"])
    assert Signs().solve(body, frozenset()).before[body[1]] == {"negative"}
    body = body_of(["    while x:", "        break", "    b = 1"])
    assert Signs().solve(body, frozenset()).before[body[1]] == {"negative", "positive", "left 1"}


def test_a_closure_has_every_thing_that_is_reached_once_and_its_start():
    edges = {1: [2, 3], 2: [1, 4], 5: [6]}
    assert list(closure([1, 1], lambda each: edges.get(each, ()))) == [1, 2, 3, 4]
    assert list(closure([], lambda each: [each])) == []


def test_a_fixed_point_is_unchanged_by_the_step():
    assert fixed_point(lambda n: n // 2 + 3, 100) == 6
