"""`srcad.report`: what there is to know of a gradient at given arguments, as one page.

`Report` has the user's function and the generated forward and reverse function, which lines of the two belong together,
what is kept for which line and in how many bytes, measured times, the passes that changed the text, and the comparison
with differences. `report_page` makes the page of it.
"""

from __future__ import annotations

import ast
import copy
import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from srcad.api.vjp_pair import Pair, pair_of
from srcad.driver.pass_selection import chosen
from srcad.driver.passes import ROWS
from srcad.driver.trace_memory import sizes
from srcad.errors import SrcadError, UnreliableDifferences, WrongGradient
from srcad.frontend.load_source import plain_function
from srcad.parsing import python_tree
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.jit.uncompiled_trace import Kept
from srcad.runtime.support.array_snapshots import snapshot
from srcad.runtime.support.nested_structures import flatten
from srcad.tools.check_grads import Check, checked
from srcad.tools.explain import Explanation
from srcad.tools.line_times import LineTimes, line_times
from srcad.tools.source_text import case_of, generated
from srcad.tools.work_progress import note, working
from srcad.transforms.ir.build import place_of, walk_statements

_LONG_ENOUGH = 0.02  # seconds that a measured batch of calls takes at least
_BATCHES = 5


@dataclass(frozen=True)
class Line:
    """A line of a text; `origin` is the line of the user's function that it belongs to, if there is one."""

    number: int
    text: str
    origin: int | None
    notes: tuple[str, ...] = ()
    size: int | None = None  # bytes that are kept of it for the reverse sweep


@dataclass(frozen=True)
class Timing:
    """What was measured, in seconds."""

    what: str
    seconds: float


def report(f: Callable[..., Any], *args: Any, wrt: Any = 0, jit: bool = True, passes: bool = True) -> Report:
    """A report of the gradient of a function at these arguments: the two sweeps, their cost, and how right they are.

    f       the function; its result may be a number, an array or a structure
    args    its arguments, which are not changed
    wrt     the arguments to differentiate with respect to, as for `grad`
    jit     False measures the generated source as plain Python
    passes  False leaves out which passes of the compiler changed the text, which takes seconds

    The report shows itself in a notebook; `report.save("report.html")` writes one page that needs no network. The
    gradient is compared with differences, and the outcome is in `report.verdict`. Raises what `grad` raises.

    >>> made = report(lambda x, k: k * np.sum(x * x), np.ones(3), 2.0, jit=False, passes=False)
    >>> made.verdict, made.gradient[0].tolist()
    ('right', [4.0, 4.0, 4.0])
    """
    with working():
        note("running both sweeps")
        return Report(f, args, wrt, jit, passes)


class Report:
    """A function, its sweeps at a point, and what was found of them. See `srcad.report`."""

    def __init__(self, f: Callable[..., Any], args: Sequence[Any], wrt: Any, jit: bool, passes: bool) -> None:
        self.function, self.arguments, self.wrt, self.jit, self.with_passes = f, tuple(args), wrt, jit, passes
        self.case = case_of(f, "reverse", wrt, args=self.arguments)
        self.made = generated(self.case, arrays=not jit)
        self.name = self.case.unit.name
        self._run()

    def _run(self) -> None:
        """Both sweeps once, and their times."""
        case = self.case
        version, self.pair = pair_of(case.function, case.request.wrt, self.jit, case.request.options).current()
        own = (case.values or ())[: len(version.own_parameters)]
        self.values = (*snapshot(own), *version.hidden())
        self.value, trace = self.pair.forward(*self.values)
        weights = [_ones_like(each) for each in flatten(self.value)]
        bar = tuple(weights) if isinstance(self.value, tuple) else weights[0]
        self.gradient = self.pair.pullback(self.values, self.value, trace)(bar)
        self.trace_bytes = _bytes(trace.trace if isinstance(trace, Kept) else trace, self.values)
        self.timings = _timings(self.pair, version, self.values, self.value, trace, bar)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters by which the function is differentiated."""
        return tuple(self.case.unit.parameters[place] for place in self.case.request.wrt)

    @cached_property
    def explanation(self) -> Explanation | None:
        """What is kept for which line; None for what Numba does not compile."""
        try:
            return Explanation(self.case)
        except (SrcadError, CannotType):
            return None

    @cached_property
    def primal(self) -> list[Line]:
        """The user's function."""
        function = plain_function(self.function)
        texts, first = inspect.getsourcelines(function)
        said = self._notes(function.__code__.co_filename)
        kept = dict(self._sizes())
        lines = [text.rstrip("\n") for text in texts]
        indent = min((len(text) - len(text.lstrip()) for text in lines if text.strip()), default=0)
        numbered = enumerate(lines, first)
        return [Line(n, text[indent:], n, tuple(said.get(n, ())), kept.get(n)) for n, text in numbered]

    def _notes(self, file: str) -> dict[int, list[str]]:
        """What `srcad.explain` tells, by the line of the user's function; of helpers, by the line of the call."""
        found: dict[int, list[str]] = {}
        if self.explanation is None:
            return found
        for line, (place, said) in self.explanation.notes().items():
            inner = "" if len(line) == 1 else f"in line {place.line}, {place.text.strip()}: "
            found.setdefault(line[0][1], []).extend(inner + each.strip() for each in said)
        return found

    def _sizes(self) -> Iterator[tuple[int, int]]:
        """The bytes that are recorded of a line, where they follow from the arguments."""
        total: dict[int, int] = {}
        for place, size in sizes(self.made.made.functions[0], self.values):
            while place is not None and place.inside is not None:
                place = place.inside
            if place is not None:
                total[place.line] = total.get(place.line, 0) + size
        yield from total.items()

    @cached_property
    def adjoint(self) -> list[Line]:
        """The generated functions, with the line of the user's function that each line belongs to."""
        origins: dict[int, int | None] = {}
        functions = [each for each in python_tree(self.made.text).body if isinstance(each, ast.FunctionDef)]
        for printed, tree in zip(functions, self.made.made.functions, strict=True):
            for shown, statement in zip(_statements(printed.body), walk_statements(tree.body), strict=True):
                place = place_of(statement)
                while place is not None and place.inside is not None:
                    place = place.inside
                for number in range(shown.lineno, _end_of_head(shown) + 1):
                    origins[number] = None if place is None else place.line
        lines = self.made.text.rstrip("\n").split("\n")
        for number in range(len(lines) - 1, 0, -1):
            if lines[number - 1].lstrip().startswith("#"):  # a comment belongs to what it stands above
                below = range(number + 1, len(lines) + 1)
                last = next((k for k in below if origins.get(k) is not None), number)
                origins.update(dict.fromkeys(range(number, last), origins.get(last)))
        return [Line(n, text, origins.get(n)) for n, text in enumerate(lines, 1)]

    @cached_property
    def changed_by(self) -> list[tuple[str, str, int]]:
        """The optional passes without which the text is another one: name, what each does, how many lines differ."""
        found = []
        for row in ROWS.values():
            if row.optional and self.with_passes:
                note(f"generating without the pass {row.name}")
                options = replace(self.case.request.options, without=chosen(row.name))
                case = replace(self.case, request=replace(self.case.request, options=options))
                other = generated(case, arrays=not self.jit).text
                if count := _differing(self.made.text, other):
                    found.append((row.name, row.does, count))
        return found

    @cached_property
    def line_times(self) -> LineTimes:
        """How often the lines of the function run, and their parts of its time; empty where that cannot be told."""
        note("measuring lines")
        return line_times(plain_function(self.function), self._own_arguments(), self.jit)

    def _own_arguments(self) -> tuple[Any, ...]:
        """Copies of the arguments, of a method with its object."""
        receiver = getattr(self.function, "__self__", None)
        return copy.deepcopy((*(() if receiver is None else (receiver,)), *self.arguments))

    @cached_property
    def check(self) -> Check:
        """The comparison with differences and forward mode."""
        return checked(self.function, self.arguments, self.wrt, jit=self.jit)

    @cached_property
    def verdict(self) -> str:
        """Whether the gradient agrees with differences: "right", "wrong" or "not settled"."""
        import warnings

        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always", UnreliableDifferences)
            try:
                self.check.tell()
            except WrongGradient:
                return "wrong"
        return "not settled" if seen else "right"

    def html(self) -> str:
        """The page, as text."""
        from srcad.tools.report_page import page

        with working():
            return page(self)

    def save(self, path: str | Path) -> Path:
        """Write the page, and return where."""
        Path(path).write_text(self.html(), encoding="utf-8")
        return Path(path)

    def _repr_html_(self) -> str:
        from srcad.tools.report_page import framed

        return framed(self)

    def __repr__(self) -> str:
        names, found = ", ".join(self.parameters), f"{self.verdict}, {self.trace_bytes} bytes of trace"
        return f"<srcad report of {self.name} with respect to {names}: {found}>"


def _statements(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements, nested ones included, in the order of `walk_statements`."""
    for statement in block:
        yield statement
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, name, []))


def _end_of_head(statement: ast.stmt) -> int:
    """The last line of a statement, without the blocks in it."""
    inner = getattr(statement, "body", None)
    return max(statement.lineno, inner[0].lineno - 1) if inner else statement.end_lineno or statement.lineno


def _differing(one: str, other: str) -> int:
    """How many lines of a text are not in another."""
    import difflib

    found = difflib.SequenceMatcher(None, one.split("\n"), other.split("\n"), autojunk=False).get_opcodes()
    return sum(max(j - i, b - a) for tag, i, j, a, b in found if tag != "equal")


def _ones_like(value: Any) -> Any:
    return np.ones(value.shape, value.dtype if value.dtype.kind in "fc" else float) if np.ndim(value) else 1.0


def _bytes(trace: Any, arguments: tuple[Any, ...]) -> int:
    """The bytes of the arrays in a trace that are not arguments."""
    owners = {id(each) for each in arguments}
    seen: dict[int, int] = {}

    def collect(value: Any) -> None:
        if isinstance(value, np.ndarray) and id(value) not in owners:
            seen[id(value)] = value.nbytes
        elif isinstance(value, (tuple, list)):
            for each in value:
                collect(each)

    collect(trace)
    return sum(seen.values())


def _timings(pair: Pair, version: Any, values: tuple[Any, ...], value: Any, trace: Any, bar: Any) -> list[Timing]:
    """The times of the function as it is, of the forward sweep and of the reverse sweep."""
    own = values[: len(version.own_parameters)]
    pull = pair.pullback(values, value, trace)
    function = version.function
    note("measuring both sweeps")
    calls = [
        ("the function as it stands", lambda: function(*snapshot(own))),
        ("forward sweep", lambda: pair.forward(*values)),
        ("reverse sweep", lambda: pull(bar)),
    ]
    if hasattr(function, "forms"):
        calls = calls[1:]  # of leaves: cannot be called as it stands
    return [Timing(what, _measured(call)) for what, call in calls]


def _measured(call: Callable[[], Any]) -> float:
    """Seconds of one call: the best of some batches, each long enough for the clock."""
    began = time.perf_counter()
    call()
    once = time.perf_counter() - began
    count = max(1, min(10_000, int(_LONG_ENOUGH / max(once, 1e-7))))
    best = once
    for _ in range(_BATCHES if once < 0.5 else 1):
        began = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - began) / count)
    return best
