"""Figures of `benchmarks.run` as docs/benchmarks.md, with charts: `python -m benchmarks.report figures.json`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.run import table, written

DOCS = Path(__file__).parent.parent / "docs"
OURS, THEIRS, PLAIN = "#1f5fa8", "#d98b2b", "#8c8c8c"
TEXT = """\
# Benchmarks

Gradients of eight small programs, in `benchmarks/workloads.py`: srcad against adjoints that were written by hand for
Numba (`benchmarks/by_hand.py`), which use algebra where it helps, against the functions themselves, and against JAX's
`jit(grad)`, warm. Medians of runs that take turns; every gradient is compared with the one by hand first. A first call
transforms and compiles, with nothing in a cache; that by hand compiles.

MACHINE

![times relative to the adjoints by hand](benchmarks.svg)

TABLE

`fastmath=True` on a function is passed on to its gradient: two columns say how many times faster each of the two gets.

Time and memory of each step, for more and more steps (what no longer fits the cache takes longer):

![time and memory per step](growth.svg)

GROWTH

To repeat it:

    pip install -e ".[bench]"
    python -m benchmarks.run --jax --growth --save figures.json
    python -m benchmarks.report figures.json

The figures are of one machine, on which other work ran at the same time: differences of a tenth mean nothing. In
`alignment` the adjoint by hand walks back the one path that counts, where srcad asks each cell whether it lies on it.
"""


def write(figures: dict[str, Any]) -> None:
    """The page and its charts."""
    results, growth = figures["results"], figures["growth"]
    rows = [
        f"| {name} | {size} | {written(spent / int(size))} | {used / int(size):.0f} |"
        for name, by_size in growth.items()
        for size, (spent, used) in by_size.items()
    ]
    head = "| workload | steps | time per step | bytes per step |\n|---|---|---|---|\n"
    text = TEXT.replace("MACHINE", figures["machine"] + ".").replace("TABLE", table(results))
    DOCS.joinpath("benchmarks.md").write_text(text.replace("GROWTH", head + "\n".join(rows)))
    draw_times(results, DOCS / "benchmarks.svg")
    draw_growth(growth, DOCS / "growth.svg")


def _figure(columns: int, width: float) -> tuple[Any, Any, Any]:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "srcad", "font.size": 9, "axes.spines.top": False})
    matplotlib.rcParams.update({"axes.spines.right": False, "svg.fonttype": "none"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, columns, figsize=(width, 3.6), layout="constrained")
    return pyplot, figure, axes


def draw_times(results: dict[str, dict[str, float]], path: Path) -> None:
    """Bars: the function, srcad and JAX, each relative to the adjoint by hand."""
    pyplot, figure, axes = _figure(1, 8.0)
    series = [("primal", "the function", PLAIN), ("srcad", "srcad", OURS), ("jax", "JAX", THEIRS)]
    series = [each for each in series if all(each[0] in found for found in results.values())]
    width = 0.8 / len(series)
    for k, (key, label, colour) in enumerate(series):
        values = [found[key] / found["by hand"] for found in results.values()]
        places = [place + (k - 0.5 * (len(series) - 1)) * width for place in range(len(results))]
        bars = axes.bar(places, values, width, label=label, color=colour)
        axes.bar_label(bars, [f"{value:.2g}" for value in values], fontsize=7, padding=1)
    axes.axhline(1.0, color="black", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xticks(range(len(results)), list(results))
    axes.set_ylabel("time / adjoint by hand")
    axes.legend(frameon=False, ncols=len(series), loc="upper left", bbox_to_anchor=(0.0, 1.14))
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def draw_growth(growth: dict[str, dict[str, tuple[float, float]]], path: Path) -> None:
    """Lines: time and memory per step, relative to the fewest steps."""
    pyplot, figure, (left, right) = _figure(2, 8.0)
    for (name, by_size), colour in zip(growth.items(), (OURS, THEIRS), strict=False):
        sizes = [int(size) for size in by_size]
        left.plot(
            sizes,
            [1e6 * spent / size for size, (spent, _) in zip(sizes, by_size.values(), strict=True)],
            "o-",
            color=colour,
            label=name,
        )
        right.plot(
            sizes,
            [used / size for size, (_, used) in zip(sizes, by_size.values(), strict=True)],
            "o-",
            color=colour,
            label=name,
        )
    for axes, label in ((left, "microseconds per step"), (right, "bytes per step")):
        axes.set(xscale="log", yscale="log", xlabel="steps", ylabel=label)
        axes.margins(y=0.4)
        axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


if __name__ == "__main__":
    write(json.loads(Path(sys.argv[1]).read_text()))
