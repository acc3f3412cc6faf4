"""Reports: lines that belong together, bytes, verdicts, and a page that is the same but for what is measured."""

import re

import numpy as np
import pytest

import srcad
from srcad.tools.report import report


def settle(x, k):
    v = 1.0
    for i in range(x.shape[0]):
        if v > 0.5:
            v = v - k * v * v
        else:
            v = v + 0.1 * np.sin(x[i])
    return v


FIRST = settle.__code__.co_firstlineno


@pytest.fixture(scope="module")
def made():
    return report(settle, np.linspace(0.1, 3.0, 20), 0.3, wrt=(0, 1), jit=False, passes=False)


def test_each_line_of_the_sweeps_belongs_to_the_line_that_its_comment_names(made):
    commented = [(each.origin, re.search(r"# line (\d+)", each.text)) for each in made.adjoint]
    pairs = [(origin, int(found[1])) for origin, found in commented if found]
    assert len(pairs) == 4
    assert all(origin == line for origin, line in pairs)


def test_bytes_are_those_of_the_trace(made):
    assert made.trace_bytes == 20 * 8
    assert {each.number - FIRST: each.size for each in made.primal if each.size} == {2: 20 * 8}
    assert "recorded" in " ".join(made.primal[2].notes)


def test_the_check_has_numbers_and_a_verdict(made):
    assert made.verdict == "right"
    assert made.check.compared == 21
    assert all(each.gradient == pytest.approx(each.expected.value, rel=1e-6, abs=1e-9) for each in made.check.numbers)
    forward, reverse = made.check.sides
    assert forward == pytest.approx(reverse, rel=1e-12)
    assert [each.what for each in made.timings][-1] == "reverse sweep"


def test_a_wrong_rule_is_told():
    @srcad.custom_vjp
    def wrong(x):
        return x * x

    wrong.defvjp(lambda x: (x * x, x), lambda x, bar: (3.0 * x * bar,))
    made = report(lambda x: wrong(x) * 1.0, 2.0, jit=False, passes=False)
    assert made.verdict == "wrong"
    assert "differs from differences" in made.html()


def test_the_page_is_the_same_but_for_what_is_measured(made):
    def steady(text):
        return re.sub(r'(<span class="measured">).*?(</span>)', r"\1\2", text)

    again = report(settle, np.linspace(0.1, 3.0, 20), 0.3, wrt=(0, 1), jit=False, passes=False)
    assert steady(again.html()) == steady(made.html())


def test_the_page_needs_no_network_and_holds_no_text_as_markup(tmp_path):
    def f(x, name="<script>alert(1)</script>"):
        return x * x if name != "</script>" else x

    text = report(f, 2.0, jit=False, passes=False).save(tmp_path / "page.html").read_text()
    assert not re.search(r"(?:src|href)=|https?://|@import|url\(", text)
    assert "<script>alert" not in text
    assert text.count("<script") == text.count("</script>") == 2


def test_lines_can_be_chosen_by_keyboard(made):
    text = made.html()
    for name in ("primal", "adjoint"):
        body = re.search(rf'<ul class="code" id="{name}" role="listbox".*?</ul>', text, re.DOTALL)[0]
        assert body.count('tabindex="0"') == 1
        assert body.count('role="option"') == body.count("aria-selected=") > 3


def test_structures_arrays_and_other_results_are_reported():
    made = report(lambda p, x: p["w"] * np.outer(x, x), {"w": 2.0}, np.ones(3), jit=False, passes=False)
    assert made.verdict == "right"
    assert made.gradient[0] == 9.0
    text = report(lambda x: np.sum(x * x), np.ones((4, 5)), jit=False, passes=False).html()
    assert text.count('class="up"') == 20


@pytest.mark.nightly
def test_passes_that_changed_the_text_are_those_without_which_it_differs():
    changed = [name for name, _, count in report(settle, np.ones(3), 0.3, jit=False).changed_by if count]
    assert changed
    for name in changed[:2]:
        texts = [srcad.source(settle, "reverse", args=(np.ones(3), 0.3), without=each) for each in ((), name)]
        assert texts[0] != texts[1]


def test_it_shows_itself_in_a_notebook(made):
    assert made._repr_html_().startswith("<iframe")
    assert "<script>" not in made._repr_html_()
    source = srcad.source(settle, signature="f8[:], f8")
    assert isinstance(source, str)
    assert '<span class="keyword">def</span>' in source._repr_html_()
    slope = srcad.grad(settle, jit=False)
    assert "<pre>" not in slope._repr_html_()
    slope(np.ones(2), 0.3)
    assert "settle_grad" in slope._repr_html_()
