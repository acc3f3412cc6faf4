"""Docstrings become Markdown that shows tables, code and doctests as such; every public name has a page."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

import srcad
from srcad import cuda, extend, testing
from srcad.tools.docstring_markdown import markdown_of

REFERENCE = Path(__file__).parent.parent.parent / "docs" / "reference"


@pytest.mark.parametrize(
    ("docstring", "markdown"),
    [
        ("One.\n\n    Two\n    lines.\n", "One.\n\n    Two\n    lines.".replace("    ", "")),
        ("f    what\n     ever\n*args    more", "- **`f`**: what ever\n- **`*args`**: more"),
        ("x, y   both\nf, g,\n       other", "x, y   both\nf, g,\n       other"),
        ("x, y   both\nk      one", "- **`x, y`**: both\n- **`k`**: one"),
        ("Says:\n\n    a = 1\n\n    b = 2\n\nEnd.", "Says:\n\n```python\na = 1\n\nb = 2\n```\n\nEnd."),
        (">>> f()\n1\n\nThen:\n\n>>> g()", "```pycon\n>>> f()\n1\n```\n\nThen:\n\n```pycon\n>>> g()\n```"),
        ("the list x[0] and *all*", "the list x\\[0\\] and \\*all\\*"),
        ("a  table of  words\nthat is none", "a  table of  words\nthat is none"),
    ],
)
def test_a_docstring_becomes_markdown(docstring, markdown):
    assert markdown_of(docstring) == markdown


def test_each_public_name_is_on_one_page_of_the_reference():
    shown = [name for page in REFERENCE.glob("*.md") for name in re.findall(r"^::: (\S+)$", page.read_text(), re.M)]
    public = [f"srcad.{name}" for name in srcad.__all__ if name not in ("__version__", "extend", "testing")]
    public += [f"srcad.extend.{name}" for name in extend.__all__]
    public += [f"srcad.cuda.{name}" for name in cuda.__all__]
    public += [f"srcad.testing.{name}" for name in testing.__all__]
    bridges = [name for name in shown if name.startswith("srcad.bridges.")]
    assert sorted(shown) == sorted(public + bridges)
    for name in bridges:
        module, _, function = name.rpartition(".")
        assert callable(getattr(__import__(module, fromlist=[function]), function))


@pytest.mark.nightly
@pytest.mark.parametrize("page", sorted(REFERENCE.glob("*.md")), ids=lambda page: page.stem)
def test_examples_of_the_reference_can_be_typed_as_the_page_says(page):
    text = page.read_text()
    typed: dict[str, object] = {}
    before = re.search(r"^```py\n(.*?)^```", text, re.M | re.S)
    exec(before[1] if before else "", typed)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for name in re.findall(r"^::: (\S+)$", text, re.M):
        module, _, attribute = name.rpartition(".")
        shown = getattr(importlib.import_module(module), attribute)
        for test in doctest.DocTestFinder().find(shown, name, globs=dict(typed)):
            assert not runner.run(test).failed, test.name
