"""The page on coverage says what is found by trying, for a few functions here and for all of them at night."""

import re
from pathlib import Path

import numpy as np
import pytest

import srcad
from srcad.tools.coverage import groups
from srcad.tools.coverage.calls import CALLS, OTHERS, WITHOUT_DERIVATIVE
from srcad.tools.coverage.page import _cell, page
from srcad.tools.coverage.survey import all_outcomes, outcomes
from srcad.tools.coverage.trials import COLUMNS, tried

PAGE = Path(srcad.__file__).parent.parent / "docs" / "coverage.md"
UNCOMPILED = tuple(column for column in COLUMNS if column != "compiled")
SEVERAL = ("np.tanh", "np.sum", "np.ptp")
HINT = "python -m srcad.tools.coverage > docs/coverage.md"


def rows():
    """The cells of the page, by function."""
    found = re.findall(r"^\| `([^`]+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    titles = [*COLUMNS, *OTHERS]
    return {name: dict(zip(titles, cells.split(" | "), strict=True)) for name, cells in found if name in CALLS}


def test_the_page_names_each_function():
    text = PAGE.read_text(encoding="utf-8")
    _, _, left = text.partition("## Not tried for this page")
    found = rows()
    assert [name for name in CALLS if name in found or f"`{name}`" in left] == list(CALLS), HINT


REMOVED = {"np.in1d", "np.trapz"}  # NumPy 2.4 has them no longer


def test_every_function_of_numpy_is_on_the_page():
    named = REMOVED.union(*(names.split() for names in WITHOUT_DERIVATIVE.values()))
    for prefix, module in (("np.", np), ("np.linalg.", np.linalg), ("np.fft.", np.fft)):
        for name in dir(module):
            thing = getattr(module, name)
            if not name.startswith("_") and callable(thing) and not isinstance(thing, type) and name != "test":
                assert prefix + name in CALLS or prefix + name in named, prefix + name
    assert not named & CALLS.keys()


def test_nothing_that_autograd_or_jax_differentiates_is_refused():
    text = PAGE.read_text(encoding="utf-8")
    counts = re.findall(r"of these (\d+) are refused here", text)
    assert len(counts) == len(OTHERS)
    assert all(int(count) == 0 for count in counts)


@pytest.mark.parametrize("name", SEVERAL)
def test_the_page_says_what_is_found(name):
    found = outcomes([name], UNCOMPILED)[name]
    for column in UNCOMPILED:
        words = [each.columns[column] for each in found if each.columns[column] != "-"]
        assert rows()[name][column] == _cell(words or ["-"]), HINT


@pytest.mark.nightly
def test_the_page_is_what_is_found():
    assert PAGE.read_text(encoding="utf-8") == page(all_outcomes()), HINT


def test_a_wrong_derivative_is_told_from_a_right_one(monkeypatch):
    monkeypatch.setattr(srcad, "grad", lambda f, wrt, jit: lambda *x: tuple(np.ones_like(each) for each in x))
    found = tried("np.sin(v)", ["reverse"])
    assert found.columns["reverse"] == "no"
    assert "is not" in found.problem


def test_only_the_half_with_a_call_that_does_not_compile_is_tried_call_by_call(monkeypatch):
    def together(calls):
        if any(each.text == "np.cos(v)" for each in calls):
            raise ValueError("does not compile")

    alone = []
    monkeypatch.setattr(groups, "_try_together", together)
    monkeypatch.setattr(groups, "tried", lambda text, columns: alone.append(text) or tried(text, ["reverse"]))
    texts = ["np.sin(v)", "np.exp(v)", "np.cos(v)", "np.tanh(v)"]
    assert [each.text for each in groups.compiled(texts)] == texts
    assert alone == ["np.cos(v)", "np.tanh(v)"]
