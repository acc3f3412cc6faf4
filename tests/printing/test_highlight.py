"""Colours leave the text as it is."""

import re
import sysconfig
from pathlib import Path

import pytest

from srcad.printing.highlight import highlight


def plain(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


@pytest.mark.parametrize("file", ["ast.py", "typing.py"])
def test_the_text_without_colours_is_the_text(file):
    text = (Path(sysconfig.get_paths()["stdlib"]) / file).read_text(encoding="utf-8")
    assert plain(highlight(text)) == text


@pytest.mark.parametrize("text", ["", "x", "x = (", "'''", "  x\n y", 'f"{x!r} {y:>{w}}"\n', "é = 'ü'  # ö\n"])
def test_any_text_survives(text):
    assert plain(highlight(text)) == text


def test_words_comments_and_definitions_have_different_colours():
    coloured = highlight("def f(x):  # why\n    return 1.0\n")
    codes = {word: re.search(rf"(\x1b\[[\d;]+m){word}\x1b", coloured).group(1) for word in ("def", "f", "# why", "1.0")}
    assert len(set(codes.values())) == 4
