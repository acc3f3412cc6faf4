"""First calls do not become twice as dear: LLVM gets at most twice the instructions that are noted for some rows."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import first_calls
from tests.waiting import run

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
def test_no_row_takes_twice_the_instructions():
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.first_calls", "--check"]
    done = run(command, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def row(name, lines):
    return first_calls.Row(
        name, first_calls.function_of(f"def {name}(x):\n{lines}\n    return np.sum(x)\n", name), (1.0,), (0,)
    )


def test_a_row_that_doubles_fails(monkeypatch):
    figures = first_calls.Figures(1.0, 0.1, 0.5, 1000, 3, 10)
    monkeypatch.setattr(first_calls, "measured", lambda row, **_: figures)
    some = [row("some", "    x = x * 2.0")]
    assert first_calls.checked(some, {"some": 500}, is_noting=False)
    assert not first_calls.checked(some, {"some": 499}, is_noting=False)


def test_a_row_that_cannot_be_measured_fails(monkeypatch):
    monkeypatch.setattr(first_calls, "measured", lambda row, **_: "ValueError: no")
    assert not first_calls.checked([row("some", "    x = x * 2.0")], {"some": 500}, is_noting=False)


def test_the_rows_that_are_noted_exist():
    noted = json.loads(first_calls.NOTED.read_text(encoding="utf-8"))
    found = {each.name for each in (*first_calls.one_liners(), *first_calls.short())}
    assert len(noted) >= 20
    assert noted.keys() <= found
