"""Long texts go through a pager on a terminal, and only there; words are found with the lines around them."""

import io
import os
import sys

import pytest

from srcad.tools import paging

LONG = "".join(f"line {number}\n" for number in range(100))


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal_of(monkeypatch):
    """Standard output becomes a terminal; called in the test, as pytest sets its own before that."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(paging.shutil, "get_terminal_size", lambda: os.terminal_size((80, 24)))
    return stream


def test_a_pager_gets_what_is_longer_than_the_terminal(monkeypatch, tmp_path):
    terminal = terminal_of(monkeypatch)
    monkeypatch.setenv(
        "SRCAD_PAGER",
        f"{sys.executable} -c 'import sys; open(sys.argv[1], \"w\").write(sys.stdin.read())' {tmp_path / 'seen'}",
    )
    assert paging.tell(LONG)
    assert (tmp_path / "seen").read_text() == LONG
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(
    ("text", "pager", "term"),
    [
        ("short\n", "cat", "xterm"),
        (LONG, "", "xterm"),
        (LONG, "cat", "dumb"),
        (LONG, "no-such-command-here", "xterm"),
    ],
)
def test_no_pager_where_none_is_wanted_or_there(monkeypatch, text, pager, term):
    terminal = terminal_of(monkeypatch)
    monkeypatch.setenv("SRCAD_PAGER", pager)
    monkeypatch.setenv("TERM", term)
    assert paging.tell(text)
    assert terminal.getvalue() == text


def test_a_pipe_gets_the_text(monkeypatch, capsys):
    monkeypatch.setenv("SRCAD_PAGER", "no-such-command-here")
    paging.tell(LONG)
    assert capsys.readouterr().out == LONG


def test_a_pager_that_stops_early_is_no_error(monkeypatch):
    terminal_of(monkeypatch)
    monkeypatch.setenv("SRCAD_PAGER", f"{sys.executable} -c pass")
    assert paging.tell(LONG * 2000)


def test_words_are_found_in_coloured_text_and_capitals_matter_if_given():
    text = "".join(f"\x1b[1mx_{letter}\x1b[0m\n" for letter in "abcdefgh")
    assert paging.found(text, "x_a").startswith("1: \x1b[1mx_a")
    assert paging.found(text, "X_A") == ""
    assert paging.found("Alpha\n", "alpha") == "1: Alpha\n"


def test_dots_stand_between_places_that_are_apart():
    assert paging.found(LONG, "0\n".strip()).count("...") == 9
    assert not paging.tell("one\n", "two")
