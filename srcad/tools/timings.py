"""Where the time goes until a derivative is ready to be called: `srcad show --timings`.

Everything is made again, whatever caches hold; machine code that Numba has made in this process is not made again.
"""

from __future__ import annotations

from typing import Any

from numba import types as nb
from numba.core.registry import cpu_target

from srcad.driver.passes import ROWS
from srcad.driver.version import compiler_options
from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.dispatchers import compiled, load
from srcad.runtime.support.stage_timer import running
from srcad.tools.source_text import Case

# What takes time beside passes. A stage that is not in the table comes after those that are.
_NUMBA = ("bytecode", "types", "parallel loops", "LLVM code", "machine code")
ORDER = (*ROWS, "print", "load", "numba: start", *(f"numba: {each}" for each in _NUMBA), "other")


def timings(case: Case) -> str:
    """A table of the seconds that each stage takes, for one derivative of one function."""
    from srcad.driver import pipeline

    request, name = case.request, disk_cache.key("timings", repr(case.request), *map(repr, case.kinds))
    with running() as clock:
        clock.begin("numba: start")
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
        clock.end()
        unit = pipeline.prepare(case.function)
        made = pipeline.derive(
            unit,
            request.mode,
            request.wrt,
            case.kinds,
            tuple_result=request.tuple_result,
            assumes=True,
            without=request.options.without,
            max_trace_bytes=request.options.max_trace_bytes,
            boundscheck=request.options.boundscheck,
        )
        clock.begin("load")
        stored = disk_cache.Stored(made.text, tuple(made.functions), tuple(sorted(made.bindings)), made.assumes)
        module = load(f"timings_{name}", stored, made.bindings)
        functions = compiled(module, stored.functions, compiler_options(unit, case.request), stored.assumes)
        clock.end()
        _compile(functions, case)
    return table(clock.seconds)


def _compile(functions: tuple[Any, ...], case: Case) -> None:
    """Machine code of the functions, in turn: a reverse function takes what the forward function gives."""
    kinds = case.kinds
    if case.request.mode in ("tangent", "hvp"):
        kinds = (*kinds, *(case.kinds[place] for place in case.request.wrt))
    functions[0].compile(kinds)
    if case.request.mode == "vjp":
        value, trace = functions[0].overloads[kinds].signature.return_type
        functions[1].compile((*kinds, trace, value if not isinstance(value, nb.Integer) else nb.float64))


def table(seconds: dict[str, float]) -> str:
    """Stages that took time, in the compiler's order, with their share of the whole.

    >>> print(table({"other": 0.25, "dead_code": 0.5, "ssa": 0.25}))
    stage                             ms    share
    ssa                            250.0    25.0%
    dead_code                      500.0    50.0%
    other                          250.0    25.0%
    total                         1000.0   100.0%
    """
    total = sum(seconds.values()) or 1.0
    known = sorted(seconds, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    lines = [f"{'stage':<28}{'ms':>8}{'share':>9}"]
    for name in [*known, "total"]:
        spent = seconds.get(name, total)
        lines.append(f"{name:<28}{1e3 * spent:8.1f}{spent / total:9.1%}")
    return "\n".join(lines)
