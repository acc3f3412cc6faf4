"""The page on how srcad works, written by sending one function through the compiler.

    python -m srcad.tools.walkthrough > docs/architecture.md

The text after each pass is what the compiler gives, so the page cannot go out of date unnoticed: a test compares it.
`SHOWN` lists the passes that are shown.
"""

from __future__ import annotations

import difflib
import importlib
import linecache
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import srcad
from srcad.driver.pass_row import Pass
from srcad.driver.passes import STAGES
from srcad.frontend.lower import prepare
from srcad.tools.entered_modules import by_package
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.inference.type_inference import types_of
from srcad.transforms.ir.code import Code
from srcad.transforms.normalise.ssa import to_ssa

SIGNATURE = "f8[:], f8"
FUNCTION = """\
def decay(x, k):
    w = np.exp(-k * x)
    v = 1.0
    for i in range(x.shape[0]):
        if v > 0.5:
            v -= w[i] * v * v
        else:
            v += 0.1 * x[i]
    return v
"""
_FILE = "decay.py"


@dataclass(frozen=True)
class Shown:
    """A pass that the page shows: the text after it, or only what differs from the text shown before."""

    after: str
    title: str
    told: str
    as_difference: bool = False


SHOWN = (
    Shown(
        "lower",
        "Lowering to core form",
        """\
[`frontend`](internals/frontend.md) finds the source of the function, refuses what lies outside the language, and
replaces each name by what it means. [`transforms.lowering`](internals/lowering.md) then rewrites the tree to *core
form*: every statement applies one primitive to atoms (A-normal form). Calls of your own functions are inlined, tuples
and dictionaries are taken apart into their parts, and early exits become branches. Nothing is typed yet, so
`v -= ...` is `operator.isub`, which may or may not write in place. [`ir`](internals/ir.md) has the grammar.
""",
    ),
    Shown(
        "ssa",
        "One store for each name",
        """\
[`normalise.ssa`](internals/normalise.md) gives every name one store on each path. `v` becomes `v_2` inside the loop,
`v_5` after the branch and `v_6` after the loop. There are no phi functions: the two arms of a branch store the same
name, and a loop ends with a copy (`v_2 = v_5`). Within one iteration a name now stands for one value, so the reverse
sweep can say which value it needs.
""",
    ),
    Shown(
        "in_place_resolution",
        "Decisions that need types",
        """\
[`normalise.in_place_resolution`](internals/normalise.md) decides what only types can tell: `v` is a number, so
`operator.isub` is a subtraction. Had `v` been an array, it would be a write into the array. Names that stand for one
array become one name here, too.
""",
        as_difference=True,
    ),
    Shown(
        "elementwise_fusion",
        "Array statements become loops",
        """\
[`optimise.elementwise_fusion`](internals/optimise.md) turns elementwise array statements into loop nests. Numba
compiles a loop nest faster than array statements, the result runs faster, and every element that is read or written
has a subscript, which the later analyses can reason about.
""",
    ),
    Shown(
        "cse_and_licm",
        "Common subexpressions and invariant code",
        """\
[`optimise.cse_and_licm`](internals/optimise.md) computes common subexpressions once and moves loop-invariant ones out
of loops. What is shared before differentiation is shared in both sweeps.
""",
        as_difference=True,
    ),
    Shown(
        "differentiate",
        "Differentiation",
        """\
First the facts are collected ([`analysis`](internals/analysis.md)): which names carry derivatives, which arrays may
overlap, what each subscript reaches. Then [`adjoint`](internals/adjoint.md) plans the reverse sweep: the statements in
reverse order, each with the derivative rule of its primitive. [`storage`](internals/storage.md) decides how the
reverse sweep gets the primal values that it reads: the value is still there, it is computed again, or the forward
sweep records it. Here only `v_2` is recorded, because each iteration overwrites it. The condition `t5` and the product
`t7` are computed again from it. `w` is still there when the reverse sweep runs. [`sweeps`](internals/sweeps.md) puts
both sweeps together.
""",
    ),
    Shown(
        "llvm_assumptions",
        "Simplification",
        """\
[`postoptimise`](internals/postoptimise.md) makes the result short and fast without knowing that it is a derivative.
Dead code goes, copies are propagated, values that are used once move into the expression that uses them, names take
their plain form again. The last loop runs forwards, because its iterations are independent, and its sum may be added
in any order (`kernels.plus`), so LLVM vectorises it. This text is what runs.
""",
    ),
)

_INTRODUCTION = """\
# How srcad works

srcad takes a function written for NumPy or Numba and writes a program that computes its derivative. This page follows
one function through the compiler and shows its text after the main passes. It is generated
(`python -m srcad.tools.walkthrough > docs/architecture.md`), so the texts are what the compiler gives today. The pages
under `docs/internals` explain each package (the [table](#the-packages) at the end links to them), the
[glossary](glossary.md) explains the terms, and [where do I ...](where.md) says which files to change for what.

    function --load--> tree --lower--> core form --types--> typed core form --optimise--> core form
             --differentiate--> forward and reverse sweep --simplify--> --print--> text --Numba--> machine code

Data flows in one direction, and no stage calls an earlier one. [`driver`](internals/driver.md) runs the passes in the
order of one table. You can see your own function after any of them, or what it changes:
`srcad show FILE.py:FUNC --signature "f8[:], f8" --after PASS`, or `--diff PASS`.
"""

_START = """\
## One function through the compiler

The function has an array statement, a loop, a branch and a variable that each iteration overwrites. It is
differentiated with respect to both arguments, for the argument types `{signature}`.
"""

_TYPES = """\
### Types

A derivative is generated for one tuple of argument types, as Numba itself compiles.
[`inference`](internals/inference.md) runs Numba's own type inference on the core function, without compiling it. Where
Numba has no types, [`normalise.observed_types`](internals/normalise.md) observes them in a run, and the derivative runs
as plain Python.
"""

_RECORDED = """\
### What is recorded, and why

`srcad.explain` shows the decisions of `storage` in terms of your source:
"""

_PAIR = """\
### A forward and a reverse function

`srcad.grad` has both sweeps in one function. `srcad.vjp` and the tape need them apart, with the recorded values in
between as a *trace*. The reverse function reads the trace by index and never changes it, so one trace serves any
number of cotangents. `...` stands for lines that are those of the gradient above.
"""

_TANGENT = """\
### Forward mode

[`sweeps.tangent_mode`](internals/sweeps.md) puts the tangent of each statement beside it. The result is core form
again, so it can be differentiated in turn: second derivatives are the reverse sweep of the tangent function. A reverse
sweep is never differentiated.
"""

_RUN = """\
### Compiling and calling

[`printing`](internals/printing.md) writes the tree as text, [`runtime.jit`](internals/jit.md) stores it in the cache
folder and compiles it with Numba for the argument types, and [`api`](internals/api.md) wraps the dispatcher in the
callable that you hold. Generated code calls NumPy and, for what NumPy lacks, [`kernels`](internals/kernels.md). The
derivative of each primitive is a [rule](internals/rules.md), which the compiler splices into the reverse sweep. The
[tape](internals/tape.md) executes the same rules on values, operation by operation.
"""

_PASSES = """\
## All passes

`srcad/driver/passes.py` is the table of passes, in the order in which they run; `srcad passes` prints it. Those in
italics can be left out (`--without PASS`); those that are indented are choices within the pass above them or within
differentiation.

| pass | what it does | source |
|---|---|---|
"""

_MAP = """\
## The packages

Each package imports only what stands below it in this table; `lint-imports` checks that against the contracts in
`pyproject.toml`. Two modules of `srcad` itself are used by all: `errors` (every error and warning, and places in the
source) and `names` (the one maker of names, so that nothing is named twice).

| package | what it does |
|---|---|
"""
# From the top to the bottom, as the contracts in pyproject.toml have them.
PACKAGES = (
    "tools",
    "tools.standalone",
    "tools.coverage",
    "bridges",
    "sparse",
    "cuda",
    "cuda.functions",
    "distributed",
    "batching",
    "api",
    "driver",
    "frontend",
    "printing",
    "transforms",
    "transforms.parallel",
    "transforms.postoptimise",
    "transforms.checkpointing",
    "transforms.sweeps",
    "transforms.storage",
    "transforms.adjoint",
    "transforms.optimise",
    "transforms.normalise",
    "transforms.lowering",
    "transforms.loop_analysis",
    "transforms.analysis",
    "transforms.inference",
    "transforms.ir",
    "runtime",
    "runtime.tape",
    "runtime.rules",
    "runtime.kernels",
    "runtime.rulebook",
    "runtime.jit",
    "runtime.support",
    "refusals",
)

_ENTERED = """## The modules that a gradient enters

The first call of `srcad.grad(square)(2.0)`, for `return x * x`, in a new process without a cache runs functions of
these modules, package by package in the order in which they are entered. Calls go down from one package to the next;
only decorators, the pass manager and Numba's dispatcher call functions that they have been given. A test holds both.

"""


def walkthrough() -> str:
    """The page on how srcad works.

    >>> print(walkthrough().splitlines()[0])
    # How srcad works
    """
    linecache.cache[_FILE] = (len(FUNCTION), None, FUNCTION.splitlines(keepends=True), _FILE)
    namespace: dict[str, Any] = {"np": np}
    try:
        exec(compile(FUNCTION, _FILE, "exec", dont_inherit=True), namespace)
        return "\n".join(_sections(namespace["decay"]))
    finally:
        del linecache.cache[_FILE]


def _sections(f: Callable[..., Any]) -> Iterator[str]:
    yield _INTRODUCTION
    yield _START.format(signature=SIGNATURE)
    yield _block(FUNCTION)
    before = ""
    for row in SHOWN:
        text = _body(srcad.source(f, wrt=(0, 1), signature=SIGNATURE, after=row.after))
        yield f"### {row.title}\n\n{row.told}"
        yield _difference(before, text) if row.as_difference else _block(text)
        before = text
        if row.after == "ssa":
            yield _TYPES
            yield _types(f)
        if row.after == "differentiate":
            yield _RECORDED
            yield _block(srcad.explain(f, wrt=(0, 1), signature=SIGNATURE), "text")
    yield _PAIR
    yield _block(_abridged(_body(srcad.source(f, "reverse", (0, 1), SIGNATURE)), before))
    yield _TANGENT
    yield _block(_body(srcad.source(f, "forward", (0, 1), SIGNATURE)))
    yield _RUN
    yield _PASSES + "\n".join(_stage(name, rows) for name, rows in STAGES.items()) + "\n"
    yield _MAP + "\n".join(map(_row, PACKAGES)) + "\n"
    yield _ENTERED + by_package()


def _block(text: str, language: str = "py") -> str:
    return f"```{language}\n{text.strip()}\n```\n"


def _body(module: str) -> str:
    """The text of a module without its imports."""
    lines = module.splitlines()
    first = next(k for k, line in enumerate(lines) if line and not line.startswith(("import ", "from ")))
    return "\n".join(lines[first:]).replace("\n\n\n", "\n\n")


def _difference(before: str, after: str) -> str:
    """The lines that a stage has changed, with one line around them."""
    lines = [*difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm="")][2:]
    return _block("\n".join("..." if line.startswith("@@") else line for line in lines), "diff")


def _abridged(text: str, known: str) -> str:
    """The text, with `...` for lines that are known already."""
    lines: list[str] = []
    for line in text.splitlines():
        shown = "    ..." if line.strip() and line in known.splitlines() else line
        if not lines or shown != lines[-1] or shown != "    ...":
            lines.append(shown)
    return "\n".join(lines)


def _types(f: Callable[..., Any]) -> str:
    """A table of names and their types."""
    unit = to_ssa(Code(prepare(f))).unit
    names: dict[str, list[str]] = {}
    for name, kind in types_of(unit, parse_signature(SIGNATURE)).of.items():
        if not name.startswith("$"):
            names.setdefault(str(kind), []).append(f"`{name}`")
    rows = [f"| {', '.join(sorted(those))} | `{kind}` |" for kind, those in sorted(names.items())]
    return "\n".join(["| names | type |", "|---|---|", *rows, ""])


def _stage(name: str, rows: tuple[Pass, ...]) -> str:
    """The rows of a stage as lines of the table."""
    return "\n".join([f"| **{name}** | | |", *map(_pass, rows)])


def _pass(row: Pass) -> str:
    name = f"*{row.name}*" if row.optional else row.name
    return f"| {'&nbsp;&nbsp;' * bool(row.within)}{name} | {row.does} | {row.source} |"


def _row(package: str) -> str:
    """What a package does: the first line of its docstring, and its page."""
    told = (importlib.import_module(f"srcad.{package}").__doc__ or "").split("\n\n")[0].strip()
    indent = "&nbsp;" * 4 * package.count(".")
    page = package.rpartition(".")[2]
    return f"| {indent}[`{package}`](internals/{page}.md) | {' '.join(told.split()).rstrip('.')} |"


if __name__ == "__main__":
    sys.stdout.write(walkthrough())
