"""Core form holds between any two passes, and a pass that gives back what it was given has not changed it."""

import os

import gast
import pytest

from srcad.driver import pass_manager
from srcad.driver.passes import NORMALISE, OPTIMISE, SIMPLIFY
from srcad.runtime.support.assumption_errors import Widens
from srcad.transforms.ir.build import walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.verify import check_core, check_nested
from tests.checking import generated
from tests.test_programs import programs

# Rows after which all names of a function in core form have types.
TYPED = {row.name for row in OPTIMISE}


def content(code):
    """Everything that a pass could change in place: the statements and the notes on them."""
    return gast.dump(code.unit.tree), [notes_of(each) for each in walk_statements(code.body)]


def verified(row, code):
    """What a pass gives, after a look at it."""
    before = content(code)
    looked_at.add(row.name)
    found = run(row, code)
    assert isinstance(found, Code), row.name
    assert found is not code or content(code) == before, f"{row.name} changed what it gave back"
    if row in SIMPLIFY:
        check_nested(found.unit.tree)
    else:
        check_core(found.unit.tree)
    if row.name in TYPED:
        untyped = {name for name in names_in_order(found) if found.types.get(name) is None}
        assert not untyped, f"no types after {row.name}: {untyped}"
    return found


def names_in_order(code):
    """The names that a function stores, each once."""
    return {each.targets[0].id: 0 for each in walk_statements(code.body) if is_plain(each)}


def is_plain(statement):
    return isinstance(statement, gast.Assign) and isinstance(statement.targets[0], gast.Name)


run = pass_manager.run


@pytest.fixture(autouse=True)
def verify(monkeypatch):
    """Look at the function after each pass."""
    monkeypatch.setattr(pass_manager, "run", verified)


looked_at = set()


def derive(program, mode, loops):
    for assumes in (True, False):
        try:
            return generated(program.function, program.fresh_arguments(), mode, program.wrt, loops, assumes)
        except Widens:
            continue
    return None


def chosen():
    """Every so many programs; all of them if SRCAD_ALL_PROGRAMS is set."""
    compiled = [each.values[0] for each in programs() if not each.values[0].interpreted]
    return compiled if os.environ.get("SRCAD_ALL_PROGRAMS") else compiled[::20]


@pytest.mark.parametrize("mode", ["vjp", "tangent"])
@pytest.mark.parametrize("program", chosen(), ids=lambda each: each.name)
def test_core_form_holds_between_passes(program, mode):
    looked_at.clear()
    derive(program, mode, True)
    assert looked_at == {row.name for row in (*NORMALISE, *OPTIMISE, *SIMPLIFY)}
