"""How often each line of a function runs, and how long it takes, counted by an instrumented copy.

    v = v - k * v * v        becomes        _mark(_clock, 3)
                                            v = v - k * v * v

The copy runs as the function does: compiled by Numba, where a mark reads the processor's cycle counter, or as plain
Python, where it reads the clock. Calls count for the line that makes them.
"""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from srcad.parsing import python_tree

_COUNT, _TIME, _NOW = 0, 1, 2  # the rows of a clock; of the last one, the place and time of the mark before


@dataclass(frozen=True)
class LineTime:
    """How often a line ran, and its part of the time of the function, from 0 to 1."""

    runs: int
    part: float


@dataclass(frozen=True)
class LineTimes:
    """What was found of the lines, by their numbers in the file, and whether the copy that ran was compiled."""

    lines: dict[int, LineTime]
    is_compiled: bool = False


def line_times(function: Callable[..., Any], arguments: Iterable[Any], jit: bool) -> LineTimes:
    """Of each line of a plain Python function that begins a statement: how often it ran, and for how long.

    function    written with `def`; of a lambda, a generator or what has no source, nothing is told
    arguments   which the call may write into
    jit         True compiles the copy; if Numba cannot, it runs as plain Python

    >>> def total(n):
    ...     s = 0.0
    ...     for i in range(n):
    ...         s += i * i
    ...     return s
    >>> [each.runs for each in line_times(total, (5,), jit=False).lines.values()]
    [1, 6, 5, 1]
    """
    tree = _definition(function)
    if tree is None:
        return LineTimes({})
    marked = _Marks()
    copy = marked.copy_of(tree)
    arguments = tuple(arguments)
    clock: Any = _run_compiled(function, copy, marked, arguments) if jit else None
    is_compiled = clock is not None
    if not is_compiled:
        clock = _clock(marked)
        _made(function, copy, _mark)(clock, *arguments)
    spent = clock[_TIME, : len(marked.lines)].astype(float)
    parts = spent / max(spent.sum(), 1.0)
    first = function.__code__.co_firstlineno - 1
    rows = zip(marked.lines, clock[_COUNT].tolist(), parts.tolist(), strict=False)
    return LineTimes({line + first: LineTime(runs, part) for line, runs, part in rows}, is_compiled)


def _definition(function: Any) -> ast.FunctionDef | None:
    """The statement that defines a function, or None for what cannot be instrumented."""
    if not isinstance(function, FunctionType) or inspect.isgeneratorfunction(function):
        return None
    try:
        tree = python_tree(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, SyntaxError):
        return None
    return tree if isinstance(tree, ast.FunctionDef) and tree.name == function.__name__ else None


class _Marks:
    """The lines that are marked, in the order of the text."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.returns = 0

    def copy_of(self, tree: ast.FunctionDef) -> ast.FunctionDef:
        """The function with marks and a first parameter for the clock, without decorators and annotations."""
        head = python_tree(f"def {tree.name}(): pass").body[0]
        assert isinstance(head, ast.FunctionDef)
        head.args = tree.args
        first = tree.args.posonlyargs or tree.args.args
        first.insert(0, ast.arg("_clock"))
        for each in ast.walk(tree.args):
            if isinstance(each, ast.arg):
                each.annotation = None
        # The values of defaults are those of the original.
        tree.args.defaults = [ast.Constant(None) for _ in tree.args.defaults]
        tree.args.kw_defaults = [each and ast.Constant(None) for each in tree.args.kw_defaults]
        head.body = [*self.block(tree.body), *_statements(f"_mark(_clock, {_END})")]
        return _with_end(head, len(self.lines))

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, with a mark before each, and before a loop's header runs again."""
        found: list[ast.stmt] = []
        for statement in statements:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            place = self.place(statement.lineno)
            found += [*_statements(f"_mark(_clock, {place})"), *self.inside(statement, place)]
        return found

    def place(self, line: int) -> int:
        """The place of a line among those that are marked."""
        if line not in self.lines:
            self.lines.append(line)
        return self.lines.index(line)

    def inside(self, statement: ast.stmt, place: int) -> list[ast.stmt]:
        """The statement, with marks in its blocks; of a return, the result is computed before the clock stops."""
        if isinstance(statement, ast.Return):
            if statement.value is None:
                return [*_statements(f"_mark(_clock, {_END})"), statement]
            self.returns += 1
            result = f"_result_{self.returns}"
            first, *rest = _statements(f"{result} = None\n_mark(_clock, {_END})\nreturn {result}")
            assert isinstance(first, ast.Assign)
            first.value = statement.value
            return [first, *rest]
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return [statement]
        for name in ("body", "orelse", "finalbody"):
            if getattr(statement, name, None):
                setattr(statement, name, self.block(getattr(statement, name)))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            part.body = self.block(part.body)
        if isinstance(statement, (ast.For, ast.While)):
            statement.body += _statements(f"_mark(_clock, {place})")
        return [statement]


_END = 10**6  # stands for the place after the last line, until it is known which that is


def _statements(text: str) -> list[ast.stmt]:
    tree: ast.Module = python_tree(text)
    return tree.body


def _with_end(tree: ast.FunctionDef, end: int) -> ast.FunctionDef:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value == _END:
            node.value = end
    return tree


def _clock(marked: _Marks) -> Any:
    """A clock that has not run: it begins after the last line, whose time is nobody's."""
    clock = np.zeros((3, len(marked.lines) + 2), np.int64)
    clock[_NOW, 0] = len(marked.lines)
    return clock


def _made(function: Any, tree: ast.FunctionDef, mark: Any) -> Any:
    """The copy as a function, with what the original reads from around it."""
    inner = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    names = {**function.__globals__, **{name: cell.cell_contents for name, cell in inner}, "_mark": mark}
    text = ast.unparse(ast.fix_missing_locations(tree))
    exec(compile(text, f"<srcad line times of {tree.name}>", "exec"), names)
    made = names[tree.name]
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


def _run_compiled(function: Any, tree: ast.FunctionDef, marked: _Marks, arguments: tuple[Any, ...]) -> Any:
    """The clock after the compiled copy has run twice, the first time of which does not count; None if Numba cannot."""
    from numba import njit
    from numba.core.errors import NumbaError

    from srcad.runtime.support.array_snapshots import snapshot

    made = njit(_made(function, tree, _compiled_mark()))
    clock = _clock(marked)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the compiler, which has said it of the function
        try:
            made(clock, *snapshot(arguments))
        except NumbaError:
            return None
    clock = _clock(marked)
    made(clock, *arguments)
    clock[_TIME] = np.maximum(clock[_TIME] - clock[_COUNT] * _cost_of_a_mark(), 0)
    return clock


def _mark(clock: Any, place: int) -> None:
    now = time.perf_counter_ns()
    before = clock[_NOW, 0]
    clock[_TIME, before] += now - clock[_NOW, 1]
    clock[_COUNT, place] += 1
    clock[_NOW, 0] = place
    clock[_NOW, 1] = time.perf_counter_ns()


@functools.cache
def _compiled_mark() -> Any:
    """`_mark`, compiled, with the cycle counter of the processor in place of the clock."""
    from llvmlite import ir
    from numba import njit, types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def cycles(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            kind = ir.FunctionType(ir.IntType(64), ())
            return builder.call(builder.module.declare_intrinsic("llvm.readcyclecounter", (), kind), ())

        return types.int64(), generate

    @njit  # type: ignore[untyped-decorator]
    def mark(clock: Any, place: int) -> None:
        now = cycles()
        before = clock[2, 0]
        clock[1, before] += now - clock[2, 1]
        clock[0, place] += 1
        clock[2, 0] = place
        clock[2, 1] = cycles()

    return mark


@functools.cache
def _cost_of_a_mark() -> int:
    """Cycles from the end of one mark to the beginning of the next, with nothing between."""
    from numba import njit

    mark = _compiled_mark()

    @njit  # type: ignore[untyped-decorator]
    def empty(clock: Any) -> None:
        for _ in range(1000):
            mark(clock, 0)

    clock = np.zeros((3, 2), np.int64)
    empty(clock)
    clock[:] = 0
    clock[_NOW, 0] = 1
    empty(clock)
    return int(clock[_TIME, 0] // 1000)
