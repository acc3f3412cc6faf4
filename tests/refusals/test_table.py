"""All refusals stand in the table, whose rows say what, and a way out; raise sites name a row."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

import srcad
from srcad.errors import MayOverlap, MissingRule, NotDifferentiable, UnsupportedSyntax
from srcad.refusals.refusal import Refusal
from srcad.refusals.table import THEMES, rows

PACKAGE = Path(srcad.__file__).parent
TABLE = {name: row for theme in THEMES.values() for name, row in rows(theme).items()}
REFUSED = (UnsupportedSyntax, MissingRule, NotDifferentiable, MayOverlap)
CLASSES = {each.__name__ for kind in REFUSED for each in (kind, *kind.__subclasses__())}

# Files that construct such an error with a text of their own, and why.
ALLOWED = {
    "runtime/kernels/recording/overlap.py": "compiled code raises what a row says, which Numba reads as constants",
    "runtime/kernels/recording/range_checks.py": "likewise: its arguments are what a row says",
    "transforms/adjoint/rule_expansion.py": "raises the error of a rule again, with the place of the call",
}


@functools.cache
def sources() -> dict[str, ast.Module]:
    files = sorted(PACKAGE.rglob("*.py"))
    return {file.relative_to(PACKAGE).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


def calls() -> Iterator[tuple[str, ast.Call]]:
    for name, tree in sources().items():
        yield from ((name, node) for node in ast.walk(tree) if isinstance(node, ast.Call))


def constructed(node: ast.Call) -> bool:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    return name in CLASSES


def named_row(node: ast.expr | None) -> Refusal | None:
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return TABLE.get(name)


def uses() -> Iterator[tuple[str, Refusal, list[str | None]]]:
    """Where a row is raised, and which fields it is given there: `ROW.at(place, ...)` or `self.refuse(ROW, ...)`."""
    for name, node in calls():
        if not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr in ("at", "error"):
            row = named_row(node.func.value)
        else:
            row = named_row(node.args[0]) if node.func.attr == "refuse" and node.args else None
        if row is not None:
            yield f"srcad/{name}:{node.lineno}", row, [keyword.arg for keyword in node.keywords]


def test_only_the_table_says_what_is_refused():
    found = {name for name, node in calls() if constructed(node)}
    assert found == set(ALLOWED)


def test_each_raise_site_fills_in_the_fields_of_its_row():
    wrong = [place for place, row, given in uses() if set(given) != row.fields]
    assert not wrong


def test_each_row_is_used():
    others = [node for name, tree in sources().items() if not name.startswith("refusals/") for node in ast.walk(tree)]
    used = {getattr(node, "id", None) or getattr(node, "attr", None) for node in others}
    assert not TABLE.keys() - used


def test_no_two_rows_have_the_same_key_or_heading():
    assert len(TABLE) == sum(len(rows(theme)) for theme in THEMES.values())
    assert len({row.title for row in TABLE.values()}) == len(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_each_row_has_a_way_out_and_an_example_or_a_reason_why_not(name):
    row = TABLE[name]
    assert row.title
    assert row.what
    assert row.hint
    assert bool(row.example) != bool(row.unshown)


def test_most_rows_are_shown():
    assert sum(bool(row.example) for row in TABLE.values()) >= 0.8 * len(TABLE)
