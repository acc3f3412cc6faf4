"""How long programs of adversarial shape take to compile, by their size: deep nesting, long bodies, many of everything.

    python -m benchmarks.compile_time              # measures, and writes docs/compile_time.svg and docs/compile_time.md
    python -m benchmarks.compile_time statements   # one shape, printed with the time of each pass

Measured is the transform: everything from the source to the generated text, without Numba's compiler. Beside it stands
the exponent of growth between the last two sizes: 1 is linear.
"""

from __future__ import annotations

import argparse
import linecache
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core import types

from srcad.driver import pipeline
from srcad.frontend.lower import prepare

DOCS = Path(__file__).parent.parent / "docs"


def statements(n: int) -> str:
    """A straight line of n scalar statements, each of which reads those before it."""
    lines = [f"    v{i % 7} = np.sin(v{(i + 3) % 7}) * x + v{i % 7}" for i in range(n)]
    return "\n".join(["def f(x):", *(f"    v{i} = x" for i in range(7)), *lines, "    return v0 + v3"])


def array_statements(n: int) -> str:
    """N pairs of array statements of one shape, which fuse."""
    lines = [f"    a = np.sin(b) * x\n    b = a + b * {i + 1}.0" for i in range(n)]
    return "\n".join(["def f(x):", "    a = x + 1.0", "    b = x * 2.0", *lines, "    return np.sum(a * b)"])


def loops(n: int) -> str:
    """N loops in a row, over one array."""
    lines = [f"    for i in range(x.size):\n        y[i] = y[i] * x[i] + {k + 1}.0" for k in range(n)]
    return "\n".join(["def f(x):", "    y = x.copy()", *lines, "    return np.sum(y)"])


def branches(n: int) -> str:
    """N branches in a row, each of which changes one of five variables."""
    names = [(f"v{i % 5}", f"v{(i + 1) % 5}", i) for i in range(n)]
    lines = [f"    if {a} > {i}.0:\n        {b} = {a} * x\n    else:\n        {b} += np.sin(x)" for a, b, i in names]
    return "\n".join(["def f(x):", *(f"    v{i} = x" for i in range(5)), *lines, "    return v0 + v1"])


def nested_branches(n: int) -> str:
    """Branches n deep."""
    lines, space = [], "    "
    for i in range(n):
        lines += [f"{space}if v > {i}.0:", f"{space}    v = v * x + np.sin(v)"]
        space += "    "
    return "\n".join(["def f(x):", "    v = x", *lines, "    return v"])


def nested_loops(n: int) -> str:
    """Loops n deep."""
    lines = [f"{'    ' * (i + 1)}for i{i} in range(2):" for i in range(n)]
    return "\n".join(["def f(x):", "    v = x", *lines, f"{'    ' * (n + 1)}v = v * np.sin(v)", "    return v"])


def parameters(n: int) -> str:
    """N parameters."""
    names = [f"p{i}" for i in range(n)]
    return "\n".join(
        [f"def f({', '.join(names)}):", "    s = 0.0", *(f"    s += np.sin({p}) * s" for p in names), "    return s"]
    )


def expression(n: int) -> str:
    """One expression with n operators."""
    return "def f(x):\n    return " + " + ".join(f"np.sin(x * {i + 1}.0)" for i in range(n))


def deep_expression(n: int) -> str:
    """Calls n deep in one expression."""
    return "def f(x):\n    return " + "np.sin(" * n + "x" + ")" * n


def calls(n: int) -> str:
    """N calls of a helper, which is inlined."""
    lines = [f"    v = helper(v, {i}.0)" for i in range(n)]
    helper = "def helper(v, k):\n    w = v * v\n    return np.sin(w) + k\n\n\n"
    return helper + "\n".join(["def f(x):", "    v = x", *lines, "    return v"])


def array_writes(n: int) -> str:
    """N writes of single elements."""
    lines = [f"    y[{i}] = y[{max(i - 1, 0)}] * x[{i}]" for i in range(n)]
    return "\n".join(["def f(x):", "    y = x.copy()", *lines, f"    return y[{n - 1}]"])


SHAPES: dict[Callable[[int], str], tuple[int, ...]] = {
    statements: (625, 1250, 2500, 5000),
    array_statements: (10, 20, 40, 80),
    loops: (10, 20, 40, 80),
    branches: (25, 50, 100, 200),
    nested_branches: (5, 10, 20, 40),
    nested_loops: (2, 4, 8, 16),
    parameters: (50, 100, 200, 400),
    expression: (25, 50, 100),
    deep_expression: (10, 20, 40),
    calls: (100, 200, 400, 800),
    array_writes: (50, 100, 200, 400),
}
_ARRAYS = (array_statements, loops, array_writes)


def derived(shape: Callable[[int], str], size: int) -> float:
    """The seconds of processor time in which the gradient of a program of this shape and size is written."""
    import numpy as np

    text, file = shape(size), f"{shape.__name__}_{size}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"np": np}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    function = namespace["f"]
    kind = types.float64[::1] if shape in _ARRAYS else types.float64
    start = time.process_time()
    pipeline.derive(prepare(function), "grad", (0,), (kind,) * function.__code__.co_argcount)
    return time.process_time() - start


def exponent(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """The power of the size with which the time grows at its end."""
    return math.log(seconds[-1] / seconds[-2]) / math.log(sizes[len(seconds) - 1] / sizes[len(seconds) - 2])


def measured(shape: Callable[[int], str], most: float = 60.0) -> list[float]:
    """The times of a shape for its sizes, as long as they stay below some seconds."""
    found: list[float] = []
    for size in SHAPES[shape]:
        if found and found[-1] > most:
            break
        found.append(derived(shape, size))
    return found


def profiled(shape: Callable[[int], str]) -> None:
    """Print the time of each stage for all sizes."""
    from srcad.runtime.support import stage_timer

    for size in SHAPES[shape]:
        with stage_timer.running() as clock:
            seconds = derived(shape, size)
        stages = sorted(clock.seconds.items(), key=lambda each: -each[1])[:12]
        print(f"{size:6d} {seconds:8.2f} s  " + "  ".join(f"{name} {took:.2f}" for name, took in stages))


def page(found: dict[str, tuple[tuple[int, ...], list[float]]]) -> str:
    """The text of docs/compile_time.md."""
    lines = [
        "# Compile time",
        "",
        "How long the transform takes, from the source of a function to the text of its gradient, for programs of",
        "adversarial shape and growing size. Written by `python -m benchmarks.compile_time`, in processor time.",
        "The exponent is that of the growth between the last two sizes: 1 is linear.",
        "",
        "![seconds by size, for each shape](compile_time.svg)",
        "",
        "| shape | sizes | seconds | exponent |",
        "|---|---|---|---|",
    ]
    for name, (sizes, seconds) in found.items():
        told = ", ".join(f"{each:.2f}" for each in seconds)
        row = f"| {name} | {', '.join(map(str, sizes))} | {told} | {exponent(sizes, seconds):.2f} |"
        lines.append(row)
    lines += [
        "",
        "An expression that is nested in itself some sixty times, or has hundreds of operators, is refused: Python's",
        "limit of recursion would be reached. Numba's compiler, which comes after the transform, is not part of this.",
    ]
    return "\n".join(lines) + "\n"


def plot(found: dict[str, tuple[tuple[int, ...], list[float]]]) -> None:
    """Write docs/compile_time.svg: one line for each shape, on logarithmic axes, with the slope of linear growth."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "srcad"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 5))
    for name, (sizes, seconds) in found.items():
        axes.loglog(sizes, seconds, marker="o", label=name.replace("_", " "))
    axes.loglog([10, 1000], [0.05, 5.0], color="grey", linestyle="--", label="linear")
    axes.set_xlabel("size")
    axes.set_ylabel("seconds")
    axes.legend(fontsize=8)
    figure.savefig(DOCS / "compile_time.svg", metadata={"Date": None})


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shape", nargs="?", choices=[each.__name__ for each in SHAPES])
    given = parser.parse_args()
    derived(statements, 10)
    if given.shape is not None:
        profiled(next(each for each in SHAPES if each.__name__ == given.shape))
        return 0
    found = {}
    for shape, sizes in SHAPES.items():
        seconds = measured(shape)
        found[shape.__name__] = sizes[: len(seconds)], seconds
        print(shape.__name__, *(f"{each:.2f}" for each in seconds), flush=True)
    (DOCS / "compile_time.md").write_text(page(found))
    plot(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
