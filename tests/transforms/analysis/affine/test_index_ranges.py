"""Which elements are accessed, and how many iterations apart: held to loops that are run."""

from __future__ import annotations

import textwrap
from itertools import product

import gast
import numba
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from srcad.transforms.analysis.affine.accesses import accessed, never_meet
from srcad.transforms.analysis.affine.index_ranges import apart, distances
from srcad.transforms.analysis.affine.integer_facts import step_of
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.ir.side_effects import stored_in

KINDS = {**dict.fromkeys("ijkmn", numba.int64), "t": numba.float64, "v": numba.float64[::1]}

HEADERS = (
    "range(n)",
    "range(1, n)",
    "range(m, n)",
    "range(n - 1, -1, -1)",
    "range(0, n, 2)",
    "range(n, 0, -2)",
    "range(3)",
    "range(i, n)",
    "range(i + 1, n)",
    "range(i)",
    "range(i - 1, -1, -1)",
    "range(m)",
)
INDICES = (
    "i",
    "j",
    "k",
    "i + 1",
    "i - 1",
    "j - i",
    "2 * i",
    "2 * i + 1",
    "2 * i + j",
    "i + j",
    "n - 1 - i",
    "n - i",
    "m",
)
INDICES += ("0", "-1", "m + i", "k + j", "n - j", "j - 1", "-i", "3 * i - j", "t0")
SLICES = ("i:i + 2", "i:n", "0:i", "2 * i:2 * i + 2", "i - 1:i + 1", ":m", "k:k + 1")
LINES = ("k = i + 1", "k = j - 1", "k = k + 1", "k = n - i", "m = m - 1", "k, m = m, k", "j = k", "k = 2 * j")


def subscripts():
    return st.sampled_from(INDICES + SLICES).map(lambda index: f"t = v[{index}]")


def blocks(depth):
    simple = st.one_of(subscripts(), st.sampled_from(LINES))
    if not depth:
        return st.lists(simple, min_size=1, max_size=2)
    inner = blocks(depth - 1)
    loop = st.tuples(st.sampled_from(HEADERS), inner).map(lambda made: compound(f"for j in {made[0]}:", made[1]))
    tests = st.sampled_from(("i < m", "m <= j", "k == i", "n != m", "i > 0"))
    branch = st.tuples(tests, inner).map(lambda made: compound(f"if {made[0]}:", made[1]))
    return st.lists(st.one_of(simple, simple, loop, branch), min_size=1, max_size=3)


def compound(header, lines):
    return header + "\n" + textwrap.indent("\n".join(lines), "    ")


class Recorded(gast.NodeTransformer):
    """Calls `see` with the number of a subscript, its index, and the names at that time."""

    def __init__(self, nodes):
        self.numbers = {id(node): number for number, node in enumerate(nodes)}

    def visit_Subscript(self, node):
        index = node.slice
        if isinstance(index, gast.Slice):
            parts = [gast.unparse(part) if part else "None" for part in (index.lower, index.upper)]
            text = f"see({self.numbers[id(node)]}, slice({parts[0]}, {parts[1]}), dict(locals()))"
        else:
            text = f"see({self.numbers[id(node)]}, {gast.unparse(index)}, dict(locals()))"
        return gast.parse(text, mode="eval").body


def run_of(loop, numbers):
    """The loop as a function that calls `see` and `turn`."""
    copied = gast.parse(gast.unparse(loop)).body[0]
    Recorded([node for node in gast.walk(copied) if isinstance(node, gast.Subscript)]).visit(copied)
    copied.body.insert(0, gast.parse("turn()").body[0])
    exec(compound(f"def run(see, turn, {', '.join(numbers)}, t0=0):", [gast.unparse(copied)]), found := {})
    return found["run"]


def seen_in(run, length, **numbers):
    """For each time that a subscript is evaluated: its number, elements, the names then, and the iteration."""
    seen, iteration = [], [-1]

    def see(number, index, names):
        elements = range(length)[index] if isinstance(index, slice) else [range(length)[index]]
        seen.append((number, [*elements], names, iteration[0]))

    def turn():
        iteration[0] += 1

    try:
        run(see, turn, **numbers)
    except IndexError:
        return None
    return seen


def value(form, names):
    return form.constant + sum(factor * names[symbol] for symbol, factor in form.terms)


def is_in(elements, part, names):
    return part is None or all(value(part[0], names) <= each <= value(part[1], names) for each in elements)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(HEADERS[:7]), blocks(2) | st.lists(subscripts(), min_size=1, max_size=3))
def test_what_is_said_about_accesses_holds_whenever_the_loop_runs(header, lines):
    (loop,) = gast.parse(compound(f"for i in {header}:", lines)).body
    nodes = [node for node in gast.walk(loop) if isinstance(node, gast.Subscript)]
    assume(nodes)
    stored, inside = stored_in(loop.body), Facts.at_start(KINDS).enter(loop)
    inside.restrict(stored)
    numbers = {id(node): number for number, node in enumerate(nodes)}
    found = {numbers[id(each.access.node)]: each for each in accessed(loop.body, inside) if each.access.node}
    assert len(found) == len(nodes)
    apart_by = {
        (a, b): distances(found[a].access.region, found[b].access.region, "i", step_of(loop))
        for a, b in product(found, repeat=2)
    }
    never = {
        (a, b): apart(found[a].access.ranges, found[b].access.ranges, found[b].access.known)
        for a, b in product(found, repeat=2)
    }
    alone = {
        (a, b): never_meet(found[a].access, found[b].access, "i") for a, b in product(found, repeat=2) if not stored
    }
    run = run_of(loop, "nmjk")
    for length, n, m, j in product((3, 6), (0, 1, 2, 5), (0, 2), (1,)):
        seen = seen_in(run, length, n=n, m=m, j=j, k=0)
        for number, elements, names, _ in seen or ():
            access = found[number].access
            assert all(value(form, names) >= 0 for form in access.known)
            assert all(is_in(elements, part, names) for part in access.ranges[:1])
            assert all(is_in(elements, part, names) for part in access.region[:1])
        for (a, mine, first, one), (b, its, second, other) in product(seen or (), repeat=2):
            if set(mine) & set(its):
                ends = apart_by[a, b]
                assert ends is not None
                assert ends[0] <= other - one <= ends[1]
                same = all(first[name] == second[name] for name in "ijmn")
                assert not (never[a, b] and same)
                assert not alone.get((a, b))
        if seen is not None and seen:
            turns = {turn for *_, turn in seen}
            for number, each in found.items():
                if each.always:
                    assert {turn for its, *_, turn in seen if its == number} >= turns


@pytest.mark.parametrize(
    ("one", "other", "header", "expected"),
    [
        ("i", "i", "range(n)", (0, 0)),
        ("i", "i + 1", "range(n)", (-1, -1)),
        ("i + 1", "i", "range(n)", (1, 1)),
        ("i + 1", "i", "range(n - 1, -1, -1)", (-1, -1)),
        ("i + 2", "i", "range(0, n, 2)", (1, 1)),
        ("i + 1", "i", "range(0, n, 2)", None),
        ("2 * i", "2 * i + 1", "range(n)", None),
        ("n - i", "n - i", "range(n)", (0, 0)),
        ("3 * i:3 * i + 3", "3 * i:3 * i + 3", "range(n)", (0, 0)),
        ("i:i + 3", "i", "range(n)", (0, 2)),
        ("0", "1", "range(n)", None),
        ("i", "m", "range(n)", (float("-inf"), float("inf"))),
        ("i - 1", "i - 1", "range(n)", (float("-inf"), float("inf"))),  # -1 is the last element
        ("i - 1", "i - 1", "range(1, n)", (0, 0)),
    ],
)
def test_the_number_of_iterations_between_two_accesses(one, other, header, expected):
    (loop,) = gast.parse(compound(f"for i in {header}:", [f"t = v[{one}]", f"t = v[{other}]"])).body
    inside = Facts.at_start(KINDS).enter(loop)
    inside.restrict(stored_in(loop.body))
    first, second = [each.access for each in accessed(loop.body, inside)]
    assert distances(first.region, second.region, "i", step_of(loop)) == expected


def test_the_length_of_an_array_that_the_loop_stores_differs_from_iteration_to_iteration():
    lines = ["t = v[w.shape[0]]", "t = v[w.shape[0] + 1]", "w = w[1:]"]
    (loop,) = gast.parse(compound("for i in range(n):", lines)).body
    for body, expected in ((loop.body, (float("-inf"), float("inf"))), (loop.body[:2], None)):
        inside = Facts.at_start({**KINDS, "w": KINDS["v"]}).enter(loop)
        inside.restrict(stored_in(body))
        first, second = [each.access for each in accessed(body[:2], inside) if each.access.name == "v"]
        assert distances(first.region, second.region, "i", 1) == expected
