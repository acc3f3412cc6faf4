"""What a terminal is told while a gradient is compiled, and that nothing else is ever told."""

import io
import os
import re
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import srcad
from srcad.runtime.support import compile_progress
from srcad.runtime.support.compile_progress import Subject, announced, expect
from tests.waiting import LIMIT, join

pty = pytest.importorskip("pty")

ROOT = Path(__file__).parents[3]


class Terminal:
    """A terminal: what is written to `stream`, and what it has read."""

    def __init__(self):
        self.reading, writing = pty.openpty()
        self.stream = open(writing, "w", encoding="utf-8")  # noqa: SIM115 - closed in `text`

    def text(self):
        self.stream.close()
        found = b""
        while True:
            try:
                part = os.read(self.reading, 4096)
            except OSError:  # the other end is closed
                part = b""
            if not part:
                os.close(self.reading)
                return found.decode()
            found += part


@pytest.fixture
def terminal(monkeypatch):
    """Standard error is a terminal, outside of a test; everything takes too long."""
    made = Terminal()
    monkeypatch.setattr(compile_progress, "_IN_TEST", "SRCAD_NO_SUCH_VARIABLE")
    monkeypatch.delenv(compile_progress.VARIABLE, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(compile_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(compile_progress, "_INTERVAL", 0.01)
    # pytest's own capturing replaces `sys.stderr` after this.
    monkeypatch.setattr(compile_progress, "sys", SimpleNamespace(stderr=made.stream))
    return made


def about_f():
    return Subject("the gradient of f", "f.py", 3, ("lower", "ssa"))


def slow(x):
    return np.sum(np.exp(x) * 1.25)


@pytest.mark.slow
def test_a_first_call_says_what_it_compiles_how_far_it_is_and_what_runs_at_once(terminal):
    srcad.grad(slow)(np.ones(3))
    first, rest = terminal.text().split("\r\n", 1)
    line = slow.__code__.co_firstlineno
    assert first.startswith(f"srcad: compiling the gradient of slow (test_compile_progress.py:{line}). ")
    assert "jit=False runs at once" in first
    assert "SRCAD_PROGRESS=0" in first
    stages = r"pass \d+ of \d+, \w+|\d s: (typing|LLVM for|reading) slow_grad, 0 of [1-9] function"
    assert re.search(stages, rest)  # on a fast machine a stage may be over before it is shown
    assert re.search(r"srcad: compiled the gradient of slow in \d+\.\d s\r\n$", rest)
    assert rest.count("compiled the gradient") == 1


@pytest.mark.slow
def test_each_kind_of_derivative_is_named(terminal):
    srcad.hessian(slow)(np.ones(3))
    srcad.vjp(slow, np.ones(3))[1](1.0)
    srcad.function(slow)(np.ones(3))
    said = re.findall(r"srcad: compiling (.*?) \(", terminal.text())
    assert said[0] == "the second derivative of slow"
    assert {"the pullback of slow", "slow"} <= set(said)


def test_stages_follow_each_other(terminal):
    with announced(about_f):
        expect(2)
        with compile_progress.followed_by(compile_progress.Progress(about_f())):
            time.sleep(0.1)
    assert "srcad: 0 s: starting" in terminal.text()


def quiet(monkeypatch, terminal):
    with announced(about_f):
        time.sleep(0.05)
    return terminal.text() == ""


def test_a_variable_hides_it(terminal, monkeypatch):
    monkeypatch.setenv("SRCAD_PROGRESS", "0")
    assert quiet(monkeypatch, terminal)


def test_nothing_is_said_in_a_test(terminal, monkeypatch):
    monkeypatch.setattr(compile_progress, "_IN_TEST", "PYTEST_CURRENT_TEST")
    assert quiet(monkeypatch, terminal)


def test_nothing_is_said_before_its_time(terminal, monkeypatch):
    monkeypatch.setattr(compile_progress, "PATIENCE", 2.0)
    assert quiet(monkeypatch, terminal)


@pytest.mark.parametrize("stream", [io.StringIO(), None], ids=["pipe", "none"])
def test_nothing_is_said_where_there_is_no_terminal(terminal, monkeypatch, stream):
    monkeypatch.setattr(compile_progress, "sys", SimpleNamespace(stderr=stream))
    assert quiet(monkeypatch, terminal)
    assert stream is None or stream.getvalue() == ""


def test_nothing_is_said_about_functions_of_installed_packages(terminal):
    with announced(lambda: Subject("the gradient of norm", np.linalg.__file__, 3)):
        time.sleep(0.05)
    assert terminal.text() == ""


def test_a_terminal_that_cannot_rewrite_a_line_gets_the_first_and_the_last(terminal, monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    with announced(about_f):
        time.sleep(0.1)
    lines = terminal.text().splitlines()
    assert [each.split("(")[0].split(" in ")[0].strip() for each in lines] == [
        "srcad: compiling the gradient of f",
        "srcad: compiled the gradient of f",
    ]


def test_what_fails_is_not_said_to_be_compiled(terminal):
    @announced(about_f)
    def failing():
        time.sleep(0.05)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert "compiled" not in terminal.text()
    assert compile_progress._current is None


def test_blocks_inside_belong_to_the_outer_one_and_the_last_ends_it(terminal):
    with announced(about_f, is_last=False):
        with announced(lambda: Subject("another", "g.py", 1)):
            with announced(about_f):
                time.sleep(0.05)
            assert compile_progress._current is not None
        assert compile_progress._current is None  # what follows is not compilation
    assert terminal.text().count("compiled the gradient of f") == 1


def test_another_thread_compiles_in_silence(terminal):
    def other():
        with announced(lambda: Subject("another", "g.py", 1)):
            expect(100)

    with announced(about_f):
        thread = threading.Thread(target=other, daemon=True)
        thread.start()
        join(thread)
        assert compile_progress._current.progress.expected == 0
        time.sleep(0.05)
    assert "another" not in terminal.text()


PROGRAM = """
import numpy as np
import srcad
import srcad.runtime.support.compile_progress as told
told.PATIENCE = 0.1
def loss(x):
    return np.sum(np.tanh(x) * x)
print(srcad.grad(loss)(np.ones(3)).shape)
"""


@pytest.mark.slow
@pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "pipe"])
def test_a_program(tmp_path, is_terminal):
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(PROGRAM))
    environment = {**os.environ, "TERM": "xterm", "SRCAD_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_CURRENT_TEST")
    said = Terminal()
    stream = said.stream if is_terminal else subprocess.PIPE
    command = [sys.executable, file]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=stream, env=environment, check=True, timeout=LIMIT)
    assert run.stdout.decode().strip() == "(3,)"
    if is_terminal:
        assert "srcad: compiling the gradient of loss (program.py:6)" in said.text()
    else:
        said.stream.close()
        os.close(said.reading)
        assert run.stderr == b""
