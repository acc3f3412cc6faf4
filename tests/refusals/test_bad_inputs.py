"""Bad inputs get errors of the class that a caller expects, with a place and a way out."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import srcad
from srcad.errors import MayOverlap, SrcadError
from tests.refusals.bad_inputs import THEMES, outcome, page
from tests.refusals.bad_row import Bad

PAGE = Path(srcad.__file__).parent.parent / "docs" / "bad_inputs.md"
ROWS = [row for rows in THEMES.values() for row in rows]


@pytest.mark.parametrize("bad", ROWS, ids=lambda bad: bad.program)
def test_a_bad_input_gets_the_class_the_place_and_the_hint_of_its_row(bad: Bad):
    found = outcome(bad)
    assert isinstance(found.error, bad.kind)
    assert isinstance(found.error, SrcadError) <= (type(found.error) is bad.kind)
    assert bad.says in found.says
    if not bad.own or sys.version_info >= (3, 11):  # before, exceptions of others have no notes
        assert found.place == bad.at
    assert found.line == (bad.line or len(bad.program.splitlines()))
    assert bool(found.hint) is not bad.own
    assert bad.own <= (not found.hint)


def test_there_are_two_hundred_bad_inputs_or_more():
    assert len({row.program for row in ROWS}) == len(ROWS) >= 200


def test_the_page_is_what_the_inputs_get():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.refusals.bad_inputs > docs/bad_inputs.md"


def overwrite(a, b):
    a[0] = a[0] * b[0]
    return np.sum(a * b)


def first(a, b):
    a[0] = a[0] * b[0]
    return a[0]


@pytest.mark.compiled
@pytest.mark.parametrize("function", [overwrite, first])
@pytest.mark.parametrize("make", [srcad.grad, srcad.value_and_grad, srcad.jacobian, srcad.hessian])
def test_arguments_that_overlap_are_refused_when_compiled(function, make):
    ones = np.ones(3)
    differentiated = make(function)
    with pytest.raises(MayOverlap, match=r"share memory(.|\n)*hint: pass a copy"):
        differentiated(ones, ones)
    differentiated(ones, ones.copy())
    with pytest.raises(MayOverlap):
        differentiated(ones[:2], ones[1:])
