"""Trees of Python source, made in one thread or in many."""

import ast
import gc
import re
import sys
import weakref
from pathlib import Path

import pytest

from srcad import parsing
from tests.waiting import in_threads

SOURCES = Path(parsing.__file__).parent
LONG = "def f(x):\n" + "\n".join(f"    y{k} = (x + {k} * (x - {k} ** (2 + x)))" for k in range(60))


class Node:
    pass


def circle() -> None:
    """Leave something that only the search for cycles frees, and that runs Python when it is freed."""
    node = Node()
    node.itself = node
    weakref.finalize(node, sum, range(200))


def test_threads_may_parse_at_once():
    """The search for cycles lets other threads run in the middle of a tree."""
    threshold, interval = gc.get_threshold(), sys.getswitchinterval()

    def work(_):
        for _ in range(100):
            for _ in range(5):
                circle()
            assert len(parsing.python_tree(LONG).body[0].body) == 60

    try:
        gc.set_threshold(50)
        sys.setswitchinterval(1e-5)
        in_threads(work, range(4))
    finally:
        gc.set_threshold(*threshold)
        sys.setswitchinterval(interval)


def test_a_wrong_count_is_asked_again(monkeypatch):
    wrong = [SystemError("AST constructor recursion depth mismatch (before=54, after=49)")] * 3
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda *args: parse(*args) if not wrong else (_ for _ in ()).throw(wrong.pop()))
    assert parsing.syntax_tree("x + 1", "eval").body.op.__class__.__name__ == "Add"
    assert not wrong


def test_other_errors_are_told(monkeypatch):
    with pytest.raises(SyntaxError):
        parsing.python_tree("x +")
    monkeypatch.setattr(ast, "parse", lambda *args: (_ for _ in ()).throw(SystemError("broken")))
    with pytest.raises(SystemError, match="broken"):
        parsing.python_tree("x")


def test_only_this_module_parses():
    found = []
    for path in sorted(SOURCES.rglob("*.py")):
        code = (line.strip() for line in path.read_text().splitlines())
        calls = [line for line in code if re.search(r"\bg?ast\.parse\(", line) and not line.startswith((">>>", "..."))]
        found += [path.relative_to(SOURCES).as_posix()] * len(calls)
    assert found == ["parsing.py", "parsing.py"]
