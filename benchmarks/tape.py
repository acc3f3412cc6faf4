"""The tape's times, beside TensorFlow's where that is installed, as a Markdown table.

    python benchmarks/tape.py [--quick]

A time is the least of many repetitions, which other work on the machine disturbs little.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np

import srcad

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf: Any = None
with contextlib.suppress(ImportError):
    import tensorflow as tf

Row = tuple[str, float, float | None, str]  # what, our time, theirs, the target

SIZE, STEPS = 100, 100
RANDOM = np.random.default_rng(0)
MATRIX = RANDOM.normal(size=(SIZE, SIZE)) / SIZE
VECTOR = RANDOM.uniform(0.5, 0.9, 64)


@srcad.function
def weighted(x, k):
    """A number of an array."""
    return np.sum(np.sin(x) * k)


@srcad.function
def squares(x, k):
    """A number of a number."""
    return x * x + k


@srcad.function
def layer(x):
    """As many numbers as it gets."""
    return np.tanh(MATRIX @ x) * x


@srcad.function
def chain_of_steps(x):
    """What the chain of operations does, as one function."""
    for _ in range(STEPS):
        x = x * 1.001
    return x


def microseconds(runs: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """The least time of one run of each. They take turns, three runs each: so all meet the machine's quiet moments."""
    for run in runs.values():
        run()
    least = dict.fromkeys(runs, float("inf"))
    for _ in range(repeat):
        for name, run in runs.items():
            least[name] = min(least[name], *timeit.repeat(run, number=1, repeat=3))
    return {name: seconds * 1e6 for name, seconds in least.items()}


def recorded(library: Any, watched: Any, step: Callable[[Any], Any], count: int) -> Callable[[], object]:
    """A tape over `count` separate calls of `step`."""

    def run() -> object:
        with library.GradientTape(persistent=True) as tape:
            tape.watch(watched)
            for _ in range(count):
                step(watched)
        return tape

    return run


def chained(library: Any, watched: Any, step: Callable[[Any], Any], count: int, reverse: bool) -> Callable[[], object]:
    """A tape over a chain of `count` steps, with the gradient or without."""

    def run() -> object:
        with library.GradientTape() as tape:
            tape.watch(watched)
            y = watched
            for _ in range(count):
                y = step(y)
        return tape.gradient(y, watched) if reverse else y

    return run


def overheads(repeat: int) -> list[Row]:
    """What recording one call or operation, and its reverse, add."""
    rows: list[Row] = []
    x, s = srcad.constant(VECTOR), srcad.constant(0.9)
    for name, watched, plain in (("scalar", s, np.float64(0.9)), ("64-vector", x, VECTOR)):
        for title, step in (("x * x", lambda x: x * x), ("x * 0.9", lambda x: x * 0.9), ("np.sin(x)", np.sin)):
            times = microseconds(
                {
                    "bare": recorded(srcad, watched, lambda _: None, 20),
                    "taped": recorded(srcad, watched, step, 20),
                    "alone": lambda step=step, plain=plain: [step(plain) for _ in range(20)],  # type: ignore[misc]
                    "forward": chained(srcad, watched, step, STEPS, False),
                    "both": chained(srcad, watched, step, STEPS, True),
                },
                repeat,
            )
            over = (times["taped"] - times["bare"] - times["alone"]) / 20
            rows.append((f"`{title}`, {name}: recording over the operation", over, None, "<= 3"))
            rows.append((f"`{title}`, {name}: reverse", (times["both"] - times["forward"]) / STEPS, None, "<= 5"))
    for title, f, watched, plain in (("array", weighted, x, VECTOR), ("number", squares, s, 0.9)):
        times = microseconds(
            {
                "bare": recorded(srcad, watched, lambda _: None, 20),
                "taped": recorded(srcad, watched, lambda x, f=f: f(x, 2.0), 20),  # type: ignore[misc]
                "alone": lambda f=f, plain=plain: [f(plain, 2.0) for _ in range(20)],  # type: ignore[misc]
            },
            repeat,
        )
        over = (times["taped"] - times["bare"] - times["alone"]) / 20
        rows.append((f"compiled call, {title}: recording over the call", over, None, "<= 5"))
    return rows


def against_tensorflow(repeat: int) -> list[Row]:
    """Times of the same computation on both tapes."""
    rows: list[Row] = []
    for title, value in (("scalar", 1.5), ("64-vector", VECTOR)):
        runs = {
            "ours": chained(srcad, srcad.constant(value), lambda y: y * 1.001, STEPS, True),
            "compiled": chained(srcad, srcad.constant(value), chain_of_steps, 1, True),
        }
        if tf is not None:
            runs["theirs"] = chained(tf, tf.constant(value, tf.float64), lambda y: y * 1.001, STEPS, True)
        times = microseconds(runs, repeat)
        theirs = times.get("theirs")
        rows.append((f"{STEPS} operations and their gradient, {title}", times["ours"], theirs, "20 times"))
        name = f"the same in a `srcad.function`, {title}"
        rows.append((name, times["compiled"], theirs, "20 times"))
    return [*rows, jacobian(max(3, repeat // 10))]


def jacobian(repeat: int) -> Row:
    """The Jacobian of a compiled function."""
    value = RANDOM.normal(size=SIZE)

    def ours(x: Any = srcad.constant(value)) -> object:  # noqa: B008 - made once
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = layer(x)
        return tape.jacobian(y, x)

    runs: dict[str, Callable[[], object]] = {"ours": ours}
    if tf is not None:
        matrix, given = tf.constant(MATRIX), tf.constant(value)

        def theirs() -> object:
            with tf.GradientTape() as tape:
                tape.watch(given)
                y = tf.tanh(tf.linalg.matvec(matrix, given)) * given
            return tape.jacobian(y, given)

        np.testing.assert_allclose(ours(), theirs(), rtol=1e-10, atol=1e-12)
        runs["theirs"] = theirs
    times = microseconds(runs, repeat)
    name = f"Jacobian of a compiled function, {SIZE} by {SIZE}"
    return name, times["ours"], times.get("theirs"), "100 times"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions: to see that it runs")
    repeat = 3 if parser.parse_args().quick else 200
    print(f"TensorFlow {tf.__version__ if tf is not None else 'is not installed'}\n")
    print("| | srcad (us) | TensorFlow (us) | ratio | target |\n|---|---|---|---|---|")
    for name, ours, theirs, target in (*overheads(repeat), *against_tensorflow(repeat)):
        other = ("", "") if theirs is None else (f"{theirs:.0f}", f"{theirs / ours:.0f}")
        print(f"| {name} | {ours:.1f} | {other[0]} | {other[1]} | {target} |")


if __name__ == "__main__":
    main()
