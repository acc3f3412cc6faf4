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

SIZE, STEPS = 100, 100
RANDOM = np.random.default_rng(0)
MATRIX = RANDOM.normal(size=(SIZE, SIZE)) / SIZE
VECTOR = RANDOM.uniform(0.5, 1.5, 64)


@srcad.function
def weighted(x, k):
    """A number of an array."""
    return np.sum(np.sin(x) * k)


@srcad.function
def layer(x):
    """As many numbers as it gets."""
    return np.tanh(MATRIX @ x) * x


@srcad.function
def chain_of_steps(x):
    """What the chain of operations does, as one function."""
    for _ in range(STEPS):
        x = x * 1.001 + 0.1
    return x


def microseconds(run: Callable[[], object], number: int, repeat: int) -> float:
    """The least time of one run."""
    run()
    return min(timeit.repeat(run, number=number, repeat=repeat)) / number * 1e6


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


def overheads(repeat: int) -> list[tuple[str, float, float | None, str]]:
    """What recording one call or operation, and its reverse, add."""
    rows: list[tuple[str, float, float | None, str]] = []
    x, s = srcad.constant(VECTOR), srcad.constant(1.5)
    for name, watched, plain in (("scalar", s, np.float64(1.5)), ("64-vector", x, VECTOR)):
        bare = microseconds(recorded(srcad, watched, lambda _: None, 20), 2, repeat)
        for title, step in (("x * x", lambda x: x * x), ("np.sin(x)", np.sin)):
            taped = microseconds(recorded(srcad, watched, step, 20), 2, repeat)
            alone = microseconds(lambda step=step, plain=plain: step(plain), 50, repeat)
            rows.append((f"`{title}`, {name}: recording over the operation", (taped - bare) / 20 - alone, None, "<= 3"))
            forward = microseconds(chained(srcad, watched, step, 40, False), 1, repeat)
            both = microseconds(chained(srcad, watched, step, 40, True), 1, repeat)
            rows.append((f"`{title}`, {name}: reverse", (both - forward) / 40, None, "<= 5"))
    bare = microseconds(recorded(srcad, x, lambda _: None, 20), 2, repeat)
    taped = microseconds(recorded(srcad, x, lambda x: weighted(x, 2.0), 20), 2, repeat)
    alone = microseconds(lambda: weighted(VECTOR, 2.0), 50, repeat)
    rows.append(("compiled call: recording over the call", (taped - bare) / 20 - alone, None, "<= 5"))
    return rows


def against_tensorflow(repeat: int) -> list[tuple[str, float, float | None, str]]:
    """Times of the same computation on both tapes."""
    rows = []
    x, s = srcad.constant(VECTOR), srcad.constant(1.5)
    wide = srcad.constant(RANDOM.normal(size=SIZE))
    theirs: dict[str, float | None] = dict.fromkeys(("scalar", "vector", "jacobian"))
    if tf is not None:
        matrix = tf.constant(MATRIX)
        for key, value in (("scalar", 1.5), ("vector", VECTOR)):
            given = tf.constant(value, tf.float64)
            theirs[key] = microseconds(chained(tf, given, lambda y: y * 1.001, STEPS, True), 1, repeat)
        given = tf.constant(wide.numpy())

        def jacobian() -> object:
            with tf.GradientTape() as tape:
                tape.watch(given)
                y = tf.tanh(tf.linalg.matvec(matrix, given)) * given
            return tape.jacobian(y, given)

        theirs["jacobian"] = microseconds(jacobian, 1, max(3, repeat // 20))
    for key, watched in (("scalar", s), ("vector", x)):
        ours = microseconds(chained(srcad, watched, lambda y: y * 1.001, STEPS, True), 1, repeat)
        rows.append((f"{STEPS} operations and their gradient, {key}", ours, theirs[key], "20 times"))
    ours = microseconds(chained(srcad, s, chain_of_steps, 1, True), 5, repeat)
    rows.append((f"{STEPS} steps in a `srcad.function` and the gradient, scalar", ours, theirs["scalar"], "20 times"))

    def compiled_jacobian() -> object:
        with srcad.GradientTape() as tape:
            tape.watch(wide)
            y = layer(wide)
        return tape.jacobian(y, wide)

    ours = microseconds(compiled_jacobian, 1, repeat)
    rows.append((f"Jacobian of a compiled function, {SIZE} by {SIZE}", ours, theirs["jacobian"], "100 times"))
    return rows


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
