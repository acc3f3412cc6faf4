"""A check that takes long says on a terminal how far it is, and cleans up; elsewhere nothing is written."""

import threading

import numpy as np
import pytest

import srcad
from srcad.tools import work_progress
from srcad.tools.work_progress import note, working

LIMIT = 60.0  # seconds that the other thread has at most


class Written:
    """What is written, and an event for a word in it."""

    def __init__(self, word):
        self.texts, self.word, self.seen = [], word, threading.Event()

    def __call__(self, text):
        self.texts.append(text)
        if self.word in text:
            self.seen.set()


@pytest.fixture
def terminal(monkeypatch):
    """Standard error is a terminal, outside of a test; everything takes too long."""
    written = Written("counting")
    monkeypatch.setenv("TERM", "xterm")
    for name, value in {"PATIENCE": 0.0, "_INTERVAL": 0.001, "is_wanted": lambda: True, "put": written}.items():
        monkeypatch.setattr(work_progress, name, value)
    return written


def test_a_line_is_written_and_cleared(terminal):
    with working():
        note("counting to ten")
        assert terminal.seen.wait(LIMIT)
    assert terminal.texts[-1] == work_progress.CLEARED
    assert any(text.startswith(f"{work_progress.CLEARED}srcad: 0 s: counting to ten") for text in terminal.texts)
    assert work_progress._current is None


def test_blocks_inside_belong_to_the_outer_one_and_errors_end_it(terminal):
    with working():
        line = work_progress._current
        with working():
            assert work_progress._current is line
        assert work_progress._current is line
    with pytest.raises(ZeroDivisionError), working():
        raise ZeroDivisionError
    assert work_progress._current is None


def test_nothing_is_written_while_something_is_compiled(terminal, monkeypatch):
    asked = threading.Event()

    def is_announcing():
        asked.set()
        return True

    monkeypatch.setattr(work_progress, "is_announcing", is_announcing)
    with working():
        assert asked.wait(LIMIT)
    assert terminal.texts == []


def test_another_thread_does_not_change_what_is_said(terminal):
    with working():
        note("counting")
        thread = threading.Thread(target=note, args=("something else",))
        thread.start()
        thread.join(LIMIT)
        assert work_progress._current.said == "counting"


@pytest.mark.parametrize("change", [("is_wanted", lambda: False), None])
def test_nothing_is_said_where_nobody_wants_it(terminal, monkeypatch, change):
    if change is None:
        monkeypatch.setenv("TERM", "dumb")
    else:
        monkeypatch.setattr(work_progress, *change)
    with working():
        assert work_progress._current is None
        note("counting")


def test_checks_and_reports_say_what_they_are_about(monkeypatch):
    said = []
    for module in ("check_grads", "report"):
        monkeypatch.setattr(f"srcad.tools.{module}.note", said.append)
    srcad.report(lambda x: np.sum(x * x), np.ones(3), jit=False, passes=False).html()
    assert said[:2] == ["running both sweeps", "measuring both sweeps"]
    assert "comparing x with differences, element 3 of 3" in said
