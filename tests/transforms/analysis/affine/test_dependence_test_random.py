"""What is said about random loop nests in core form, held to what they access when they run."""

import textwrap
from itertools import product

import gast
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from srcad.transforms.analysis.affine.array_kills import Cover
from srcad.transforms.ir.build import place_of, stores_into, walk_statements
from tests.transforms.core_text import program_of

BOUNDS = ("0, n, 1", "1, n, 1", "m, n, 1", "n, 0, -1", "0, n, 2", "n, -1, -1", "0, 3, 1", "3, -1, -2", "0, m, 1")
INNER = (*BOUNDS, "{i}, n, 1", "0, {i}, 1", "{i}, -1, -1", "{i}, m, 1")
TERMS = ("{a} + 1", "{a} - 1", "{a} - {b}", "{a} + {b}", "n - {a}", "2 * {a}", "{a} + m", "m - 1", "{a} - 2")
TESTS = ("{a} < m", "{a} > 0", "{a} >= {b}", "{a} == 1", "n > m", "{a} != {b}")


@st.composite
def programs(draw):
    """The lines of a loop nest on an array `c`, and the numbers of arguments with which it is run."""
    made = []
    fresh = iter(range(1000))

    def block(names, depth):
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.sampled_from(("term", "term", "read", "store", "store", "slice", "if", "for")))
            pad, a, b = "    " * (depth + 1), draw(st.sampled_from(names)), draw(st.sampled_from(names))
            new = f"t{next(fresh)}"
            if kind == "term":
                made.append(f"{pad}{new} = {draw(st.sampled_from(TERMS)).format(a=a, b=b)}")
                names = [*names, new, new]
            elif kind == "read":
                made.append(f"{pad}r{new} = c[{draw(st.sampled_from((a, a, '0', '-1')))}]")
            elif kind == "store":
                made.append(f"{pad}c[{draw(st.sampled_from((a, a, '1', '-1')))}] = 1.0")
            elif kind == "slice":
                part = draw(st.sampled_from((f"{a}:{b}", f":{a}", f"{a}:", "1:", ":-1", ":")))
                made.append(f"{pad}c[{part}] = 1.0")
            elif depth < 3:
                inner(names, depth, kind, new, a, b)
        if not made or made[-1].endswith(":"):
            made.append(f"{'    ' * (depth + 1)}c[{names[-1]}] = 2.0")

    def inner(names, depth, kind, new, a, b):
        pad = "    " * (depth + 1)
        if kind == "if":
            made.append(f"{pad}{new} = {draw(st.sampled_from(TESTS)).format(a=a, b=b)}")
            made.append(f"{pad}if {new}:")
            block(names, depth + 1)
            if draw(st.booleans()):
                made.append(f"{pad}else:")
                block(names, depth + 1)
        else:
            made.append(f"{pad}for {new} in range({draw(st.sampled_from(INNER)).format(i=a)}):")
            block([*names, new, new], depth + 1)

    made.append(f"    for i in range({draw(st.sampled_from(BOUNDS))}):")
    block(["i", "n"], 1)
    return made


class Recorder:
    """An array that writes down which elements are accessed, by which line and in which iteration."""

    def __init__(self, length):
        self.values, self.seen, self.line, self.iteration = np.zeros(length), [], 0, -1

    def at(self, line):
        self.line = line

    def note(self, index, is_store):
        where = np.arange(len(self.values))[index]  # raises where there is no such element
        self.seen.append((self.line, frozenset(np.ravel(where).tolist()), is_store, self.iteration))

    def __getitem__(self, index):
        self.note(index, False)
        return 0.0

    def __setitem__(self, index, value):
        self.note(index, True)


def run(lines, length, n, m):
    """What the program accesses; None where it accesses what does not exist."""
    marked = []
    for number, line in enumerate(lines, 2):
        pad = line[: len(line) - len(line.lstrip())]
        if "c[" in line:
            marked.append(f"{pad}c.at({number})")
        marked.append(line)
        if number == 2:
            marked.append("        c.iteration += 1")
    exec(textwrap.dedent("\n".join(["def f(c, n, m):", *marked])), found := {})
    recorder = Recorder(length)
    try:
        found["f"](recorder, n, m)
    except IndexError:
        return None
    return recorder.seen


def accesses_of(program):
    """The statements that access the array, by line, and their subscripts."""
    found = {}
    for statement in walk_statements(program.unit.tree.body):
        target = stores_into(statement)
        value = target if target is not None else getattr(statement, "value", None)
        if isinstance(value, gast.Subscript):
            found[place_of(statement).line] = statement, value
    return found


@settings(max_examples=60, deadline=None)
@given(programs())
def test_statements_meet_no_element_that_they_are_said_not_to_meet(lines):
    program = program_of("\n".join(["def f(c, n, m):", *lines, "    return n"]), "f8[::1], i8, i8")
    accesses = accesses_of(program)
    loop, meeting = program.unit.tree.body[0], program.meeting
    pairs = list(product(accesses.items(), repeat=2))
    may = {(a, b): meeting.may_meet(one, x, two, y) for (a, (one, x)), (b, (two, y)) in pairs}
    across = {(a, b): meeting.meets_across(loop, one, x, two, y) for (a, (one, x)), (b, (two, y)) in pairs}
    cover = Cover(meeting)
    covered = {line for line, (one, what) in accesses.items() if cover.is_stored_before(loop, one, what)}
    for length, n, m in product((4, 7), (0, 1, 2, 4), (0, 2, 3)):
        seen = run(lines, length, n, m) or []
        for k, (line, elements, _, turn) in enumerate(seen):
            stored = [its for _, its, is_store, other in seen[:k] if is_store and other == turn]
            assert line not in covered or elements <= frozenset().union(*stored)
            for late, its, _, other in seen[k + 1 :]:
                if elements & its:
                    assert may[line, late]
                    assert turn == other or across[line, late]
