"""No test waits for ever: waits have limits, say what they wait for, and leave no process behind."""

import ast
import sys
import threading
from pathlib import Path

import pytest

from tests import waiting
from tests.waiting import end, finished, in_threads, join, line, run, started

TESTS = Path(__file__).parent
FILES = sorted(TESTS.rglob("*.py"))
# Methods that wait until they are called with a limit, and functions that start what nobody can wait for with one.
ENDLESS = {"join", "wait", "communicate", "readline", "acquire"}
LIMITED = ("background.wait", "together.wait", "process.stdout.readline")  # by themselves: a barrier, a watchdog
FUNCTIONS = {"subprocess.run": "timeout", "subprocess.check_output": "timeout", "threading.Barrier": "timeout"}
POOLS = {"ThreadPoolExecutor", "ProcessPoolExecutor"}  # whose ends wait for all


def without_limit(tree):
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name, keywords = ast.unparse(node.func), {each.arg for each in node.keywords}
        is_method = isinstance(node.func, ast.Attribute) and node.func.attr in ENDLESS and not node.args
        is_method &= "timeout" not in keywords and not name.endswith(LIMITED)
        if is_method or name in POOLS or (name in FUNCTIONS and FUNCTIONS[name] not in keywords):
            yield node.lineno, name


def test_no_wait_is_without_a_limit():
    found = {path.relative_to(TESTS): [*without_limit(ast.parse(path.read_text()))] for path in FILES}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("thread.join()", 1),
        ("event.wait()", 1),
        ("queue.get(timeout=1)\nthread.join(3.0)\nevent.wait(timeout=3.0)", 0),
        ("subprocess.run(['a'], check=True)\nsubprocess.run(['a'], timeout=3)", 1),
        ("with ThreadPoolExecutor(3) as pool: pass", 1),
        ("''.join(lines)", 0),
    ],
)
def test_waits_are_recognised(text, count):
    assert len([*without_limit(ast.parse(text))]) == count


def test_a_thread_that_hangs_is_named_with_its_place(monkeypatch):
    monkeypatch.setattr(waiting, "LIMIT", 0.05)
    gate = threading.Event()

    def hold(_):
        gate.wait(60.0)

    try:
        with pytest.raises(AssertionError, match=r"(?s)has not ended .*in hold.*gate\.wait"):
            in_threads(hold, [None])
    finally:
        gate.set()


def test_what_a_thread_raises_is_raised():
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda x: 1 / x, [1, 0])
    assert in_threads(lambda x: x * x, range(4)) == [0, 1, 4, 9]


HANGING = """
import faulthandler; faulthandler.enable()
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
print(child.pid, flush=True)
def stuck():
    time.sleep(300)
stuck()
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="no list of processes")
def test_a_process_that_hangs_is_ended_with_its_children():
    process = started([sys.executable, "-c", HANGING])
    child = int(line(process))
    with pytest.raises(AssertionError, match=r"(?s)has not ended after 0\.05 seconds.* in stuck"):
        finished(process, 0.05)
    for _ in range(6000):
        try:
            if b"\0" not in Path(f"/proc/{child}/cmdline").read_bytes():
                return  # a zombie
        except OSError:
            return
        threading.Event().wait(0.01)
    raise AssertionError("its child is still there")


def test_a_line_that_does_not_come_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(waiting, "LIMIT", 0.05)
    process = started([sys.executable, "-c", "import time; time.sleep(300)"])
    try:
        with pytest.raises(AssertionError, match="has ended before it printed a line"):
            line(process)
    finally:
        end(process)
        finished(process, 60.0)


def test_a_command_that_fails_shows_its_errors():
    with pytest.raises(AssertionError, match="no such luck"):
        run([sys.executable, "-c", "raise SystemExit('no such luck')"])
    join()
