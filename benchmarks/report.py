"""pytest-benchmark's figures as docs/benchmarks.md, with charts: `python -m benchmarks.report figures.json`."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from itertools import count
from math import comb
from pathlib import Path
from statistics import geometric_mean
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"
SNAPSHOTS = 20  # those of `workloads.WITH_SNAPSHOTS`
COLOURS = {"function": "#8c8c8c", "srcad": "#1f5fa8", "jax": "#d98b2b", "hunting": "#1f5fa8", "diffusion": "#d98b2b"}
TEXT = """\
# Benchmarks

Gradients of eight small programs, in `benchmarks/workloads.py`: srcad against adjoints that were written by hand for
Numba (`benchmarks/by_hand.py`), which use algebra where it helps, against the functions themselves, and against JAX's
`jit(grad)`, warm. The least of the rounds of pytest-benchmark; each is first compared with that by hand. A first
call, in a new process, transforms and compiles, with nothing in a cache; that by hand compiles.

MACHINE

![times relative to the adjoints by hand](benchmarks.svg)

TABLE

`fastmath=True` on a function is passed on to its gradient: two columns say how many times faster each of the two gets.

Time and memory for more and more steps: of gradients that record what they need of every step (what no longer fits the
cache takes longer), and of the same with `srcad.checkpointed(..., snapshots=SNAPSHOTS)`:

![time per step, and memory](growth.svg)

GROWTH

With snapshots, steps are run again: the theory (Griewank and Walther's revolve) says how often, and with that, the time
of the function and the time of the plain gradient, how many times longer a gradient should take that reverses one step
at a time. Where a step has nothing but numbers, sixteen are reversed at once, and fewer run again.

To repeat it:

    pip install -e ".[bench,test]"
    python -m pytest benchmarks -n 0 --benchmark-json=figures.json
    python -m benchmarks.report figures.json

The figures are of one machine, otherwise idle, in one session, and the runs of a workload follow one another rather
than take turns: small differences mean nothing. In `alignment` the
adjoint by hand walks back the one path that counts, where srcad asks each cell whether it lies on it.
"""
Found = dict[str, dict[str, float]]  # of a workload: seconds by peer
Growth = dict[str, dict[int, dict[str, Any]]]  # of a workload, by steps and peer


def read(figures: dict[str, Any]) -> tuple[Found, Growth]:
    """The times of workloads, and of those that grow, which have bytes as well."""
    found: Found = defaultdict(dict)
    growth: Growth = defaultdict(lambda: defaultdict(dict))
    for each in figures["benchmarks"]:
        noted, spent = each["extra_info"], each["stats"]["min"]
        if "steps" in noted:
            growth[noted["name"]][noted["steps"]][noted["peer"]] = spent
            growth[noted["name"]][noted["steps"]][f"bytes, {noted['peer']}"] = noted.get("bytes")
        else:
            found[each["group"]][noted["peer"]] = spent
            found[each["group"]][f"first {noted['peer']}"] = noted.get("first call")
    return found, growth


def write(figures: dict[str, Any]) -> None:
    """The page and its charts."""
    found, growth = read(figures)
    text = TEXT.replace("MACHINE", machine(figures["machine_info"]))
    text = text.replace("TABLE", times_table(found)).replace("GROWTH", growth_table(growth))
    DOCS.joinpath("benchmarks.md").write_text(text.replace("SNAPSHOTS", str(SNAPSHOTS)))
    draw_times(found)
    draw_growth(growth)


def machine(noted: dict[str, Any]) -> str:
    """The processor, the number of its cores here, and versions of what has a part in the figures."""
    versions = {"Python": noted["python_version"], **noted["versions"]}
    parts = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"{noted['cpu']['count']} cores of {noted['cpu']['brand_raw']}; {parts}."


def table(head: str, rows: list[list[str]]) -> str:
    """A Markdown table."""
    columns = head.split("; ")
    return "\n".join("| " + " | ".join(row) + " |" for row in [columns, ["---"] * len(columns), *rows])


def times_table(found: Found) -> str:
    """Ratios to the adjoint by hand, and to the function itself."""
    ratios = [("srcad", "by hand"), ("srcad", "function"), ("first srcad", "first by hand")]
    ratios += [("function", "fast function"), ("srcad", "fast srcad"), ("jax", "srcad")]
    rows = []
    for name, each in found.items():
        parts = [f"{each[one] / each[other]:.2f}" if one in each else "" for one, other in ratios]
        rows.append([name, written(each["srcad"]), written(each["by hand"]), *parts])
    means = [
        f"{geometric_mean(each[one] / each[other] for each in found.values() if one in each):.2f}"
        if place in (0, 2, 5) and any(one in each for each in found.values())
        else ""
        for place, (one, other) in enumerate(ratios)
    ]
    head = "workload; srcad; by hand; srcad / by hand; srcad / function; first call / by hand's"
    head += "; gain of fastmath: function; gradient; JAX / srcad"
    return table(head, [*rows, ["geometric mean", "", "", *means]])


def growth_table(growth: Growth) -> str:
    """Times per step and memory, and the factor that snapshots cost beside that of the theory."""
    rows = []
    for name, by_steps in growth.items():
        for steps, each in by_steps.items():
            again = run_again(steps, SNAPSHOTS) / steps
            row = [name, str(steps), written(each["srcad"] / steps), sized(each["bytes, srcad"])]
            row += [written(each["snapshots"] / steps), sized(each["bytes, snapshots"]), f"{again:.2f}"]
            theory = 1.0 + again * each["function"] / each["srcad"]
            rows.append([*row, f"{each['snapshots'] / each['srcad']:.2f}", f"{theory:.2f}"])
    head = "workload; steps; time per step; memory; with snapshots: time per step; memory; steps run again, each"
    return table(head + "; time / plain gradient's; in theory", rows)


def run_again(steps: int, snapshots: int) -> int:
    """How many steps are run again at least, to reverse so many with so many snapshots.

    >>> run_again(10, 3), run_again(4, 1), run_again(1, 5)
    (15, 6, 0)
    """
    turns = next(each for each in count() if comb(snapshots + each, each) >= steps)
    return turns * steps - (comb(snapshots + turns, turns - 1) if turns else 0)


def written(spent: float) -> str:
    """A time in the unit that suits it.

    >>> written(0.00123), written(2.5e-6)
    ('1.23 ms', '2.5 us')
    """
    unit, factor = next((each for each in (("s", 1.0), ("ms", 1e3), ("us", 1e6)) if spent * each[1] >= 1), ("ns", 1e9))
    return f"{spent * factor:.3g} {unit}"


def sized(used: float) -> str:
    """Bytes in kilobytes or megabytes.

    >>> sized(2.5e6), sized(300)
    ('2.5 MB', '0.3 kB')
    """
    return f"{used / 1e6:.3g} MB" if used >= 1e6 else f"{used / 1e3:.3g} kB"


def _figure(columns: int) -> Any:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "srcad", "font.size": 9, "axes.spines.top": False})
    matplotlib.rcParams.update({"axes.spines.right": False, "svg.fonttype": "none"})
    from matplotlib import pyplot

    return pyplot.subplots(1, columns, figsize=(8.0, 3.6), layout="constrained")


def draw_times(found: Found) -> None:
    """Points on a logarithmic axis: the function, srcad and JAX, each relative to the adjoint by hand."""
    figure, axes = _figure(1)
    series = [peer for peer in ("function", "srcad", "jax") if all(peer in each for each in found.values())]
    names = {"function": "the function alone", "srcad": "gradient by srcad", "jax": "gradient by JAX"}
    axes.axvline(1.0, color="0.6", linewidth=0.8, zorder=0)
    for row, each in enumerate(found.values()):
        values = [each[peer] / each["by hand"] for peer in series]
        axes.plot([min(values), max(values)], [row, row], color="0.85", linewidth=1.5, zorder=0)
    for k, peer in enumerate(series):
        values = [each[peer] / each["by hand"] for each in found.values()]
        axes.plot(values, range(len(found)), "osD"[k], color=COLOURS[peer], markersize=6, zorder=5, label=names[peer])
        for row, value in enumerate(values):
            place = (0, -12 if peer == "srcad" else 6)  # apart from the labels beside it
            white = {"facecolor": "white", "linewidth": 0, "pad": 0.5}
            axes.annotate(
                f"{value:.2g}", (value, row), place, textcoords="offset points", ha="center", fontsize=7, bbox=white
            )
    axes.set(xscale="log", xlabel="time / time of the adjoint by hand (left is faster)", ylim=(len(found) - 0.3, -0.8))
    axes.set_xticks([0.3, 0.5, 1, 2, 5, 10, 20, 50], ["0.3", "0.5", "1", "2", "5", "10", "20", "50"])
    axes.minorticks_off()
    axes.set_yticks(range(len(found)), list(found))
    figure.legend(frameon=False, ncols=len(series), loc="outside upper center")
    figure.savefig(DOCS / "benchmarks.svg", metadata={"Date": None})


def draw_growth(growth: Growth) -> None:
    """Lines: time per step and memory, plain and with snapshots."""
    figure, (left, right) = _figure(2)
    for name, by_steps in growth.items():
        for peer, style, label in (("srcad", "o-", name), ("snapshots", "s--", f"{name}, {SNAPSHOTS} snapshots")):
            spent = [1e6 * each[peer] / steps for steps, each in by_steps.items()]
            left.plot([*by_steps], spent, style, color=COLOURS[name], label=label)
            used = [each[f"bytes, {peer}"] / 1e6 for each in by_steps.values()]
            right.plot([*by_steps], used, style, color=COLOURS[name])
    for axes, label in ((left, "microseconds per step"), (right, "megabytes")):
        axes.set(xscale="log", yscale="log", xlabel="steps", ylabel=label)
        axes.margins(y=0.2)
    # Little memory is measured as none, which a logarithmic axis would leave out.
    right.set_yscale("symlog", linthresh=0.1)
    right.set_yticks([0.0, 0.1, 1.0, 10.0, 100.0], ["0", "0.1", "1", "10", "100"])
    right.set_ylim(-0.03, 200.0)
    figure.legend(frameon=False, ncols=4, loc="outside upper center", fontsize=8)
    figure.savefig(DOCS / "growth.svg", metadata={"Date": None})


if __name__ == "__main__":
    write(json.loads(Path(sys.argv[1]).read_text()))
