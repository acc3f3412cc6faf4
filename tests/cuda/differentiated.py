"""Compares adjoint kernels with finite differences of their kernels, both emulated."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from numba import types as nb
from numba.np import numpy_support

from srcad.cuda.adjoint_text import KernelText, written
from srcad.cuda.kernel_source import read_kernel
from tests.cuda.emulator import kernel_in, launch, three


def kind_of(value: Any) -> nb.Type:
    """The type of an argument."""
    if isinstance(value, np.ndarray):
        return nb.Array(numpy_support.from_dtype(value.dtype), value.ndim, "A")
    return {bool: nb.boolean, int: nb.int64, float: nb.float64}[type(value)]


def is_real(value: Any) -> bool:
    """Whether an argument can have a cotangent."""
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def text_of(
    kernel: Any, arguments: Any, wanted: Any = None, race_free: bool = False, gathers: bool = True
) -> KernelText:
    """The adjoint kernel for arguments, with cotangents for all that can have one."""
    wanted = [k for k, each in enumerate(arguments) if is_real(each)] if wanted is None else wanted
    return written(read_kernel(kernel), [kind_of(each) for each in arguments], wanted, race_free, gathers)


def pulled_back(made: KernelText, grid: Any, threads: Any, arguments: Any, bars: Any, backwards: bool = False) -> None:
    """Launch an adjoint kernel."""
    own = [np.copy(each) if isinstance(each, np.ndarray) else each for each in arguments]
    given = [own[k] for k in made.arguments] + [bars[k] for k in made.cotangents]
    if made.traces:
        lengths = np.zeros(len(made.traces), int)
        copies = [np.copy(own[k]) if k in made.overwritten else own[k] for k in made.counter_arguments]
        launch(kernel_in(made.text, made.counter), grid, threads, *copies, lengths)
        count = math.prod(np.atleast_1d(grid)) * math.prod(np.atleast_1d(threads))
        given += [np.zeros((n, count), each) for n, each in zip(lengths, made.traces, strict=True)]
    launch(kernel_in(made.text, made.name), grid, threads, *given, backwards=backwards)
    if made.clearing is not None:
        given = [own[k] for k in made.clearing.arguments] + [bars[k] for k in made.clearing.cotangents]
        launch(kernel_in(made.text, made.clearing.name), grid, threads, *given)


def check(kernel: Any, grid: Any, threads: Any, arguments: Any, race_free: bool = False, wanted: Any = None) -> None:
    """Compare an adjoint with differences along random directions, for two orders of the threads.

    If threads gather and the launch has enough of them, the kernel in which they scatter is tested as well.
    """
    rng = np.random.default_rng(7)
    gathers = text_of(kernel, arguments, wanted, race_free)
    shapes = {k: arguments[k].shape for k, _, _ in gathers.coverage}
    texts = [gathers] if gathers.covers(three(grid), three(threads), shapes) else []
    if gathers.coverage:
        texts.append(text_of(kernel, arguments, wanted, race_free, False))
    reals = [k for k, each in enumerate(arguments) if is_real(each) and (wanted is None or k in wanted)]
    weights = {k: rng.normal(size=np.shape(arguments[k])) for k in reals if isinstance(arguments[k], np.ndarray)}
    found = []
    for made, backwards in itertools.product(texts, (False, True)):
        bars = {k: np.copy(weights[k]) if k in weights else np.zeros(1) for k in reals}
        pulled_back(made, grid, threads, arguments, bars, backwards)
        found.append(bars)

    def objective(position: int, step: float, direction: Any) -> float:
        own = [np.copy(each) if isinstance(each, np.ndarray) else each for each in arguments]
        own[position] = own[position] + step * direction
        launch(kernel, grid, threads, *own)
        return float(sum((weight * own[k]).sum() for k, weight in weights.items()))

    for k in reals:
        direction = rng.normal(size=np.shape(arguments[k]))
        expected = (objective(k, 1e-6, direction) - objective(k, -1e-6, direction)) / 2e-6
        for bars in found:
            actual = float((bars[k] * direction).sum())
            assert abs(actual - expected) <= 1e-6 * (1 + abs(expected)), (kernel.py_func.__name__, k, actual, expected)
