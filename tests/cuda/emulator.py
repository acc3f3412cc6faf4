"""Runs CUDA kernels as plain Python, in this process: the threads of a block take turns from barrier to barrier.

A kernel becomes a generator, in which `cuda.syncthreads()` is a `yield`. Threads run in an order of choice, so that a
race shows as a difference between orders, and shared and local arrays of floats begin as NaN, so that a read of what
was never written shows as well. A barrier that only some threads of a block reach is an error.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import textwrap
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import types as nb
from numba.np import numpy_support

AXES = "xyz"


class Emulator:
    """What a kernel sees as `numba.cuda`."""

    def __init__(self) -> None:
        self.threadIdx, self.blockIdx = SimpleNamespace(), SimpleNamespace()
        self.blockDim, self.gridDim = SimpleNamespace(), SimpleNamespace()
        self.atomic = SimpleNamespace(add=self.atomic_add, max=self.atomic_max)
        self.shared, self.local = SimpleNamespace(array=self.shared_array), SimpleNamespace(array=self.local_array)
        self.memory: dict[int, Any] = {}
        self.calls: dict[Any, int] = {}
        self.thread: Any = None

    def grid(self, ndim: int) -> Any:
        found = tuple(getattr(self.blockIdx, a) * getattr(self.blockDim, a) + getattr(self.threadIdx, a) for a in AXES)
        return found[0] if ndim == 1 else found[:ndim]

    def gridsize(self, ndim: int) -> Any:
        found = tuple(getattr(self.gridDim, a) * getattr(self.blockDim, a) for a in AXES)
        return found[0] if ndim == 1 else found[:ndim]

    def atomic_add(self, array: Any, index: Any, value: Any) -> None:
        assert all(-n <= i < n for i, n in zip(np.atleast_1d(index), array.shape, strict=True)), (index, array.shape)
        array[index] += value

    def atomic_max(self, array: Any, index: Any, value: Any) -> None:
        array[index] = max(array[index], value)

    def shared_array(self, shape: Any, dtype: Any) -> Any:
        number = self.calls[self.thread] = self.calls.get(self.thread, 0) + 1
        if number not in self.memory:
            self.memory[number] = self.local_array(shape, dtype)
        return self.memory[number]

    def local_array(self, shape: Any, dtype: Any) -> Any:
        dtype = numpy_support.as_dtype(dtype) if isinstance(dtype, nb.Type) else np.dtype(dtype)
        return np.full(shape, math.nan if dtype.kind == "f" else 0, dtype)

    def at(self, block: tuple[int, ...], thread: tuple[int, ...]) -> None:
        """Go to a thread."""
        self.thread = thread
        for axis, one, other in zip(AXES, block, thread, strict=True):
            setattr(self.blockIdx, axis, one)
            setattr(self.threadIdx, axis, other)


def launch(kernel: Any, grid: Any, threads: Any, *arguments: Any, backwards: bool = False) -> None:
    """Run a kernel of `cuda.jit`, or a function made by `kernel_in`, for all blocks and threads."""
    cuda, run = as_generator(kernel.py_func) if hasattr(kernel, "py_func") else kernel
    blocks, extents = three(grid), three(threads)
    for axis, one, other in zip(AXES, blocks, extents, strict=True):
        setattr(cuda.gridDim, axis, one)
        setattr(cuda.blockDim, axis, other)
    step = -1 if backwards else 1
    for block in list(itertools.product(*map(range, blocks)))[::step]:
        cuda.memory, cuda.calls = {}, {}
        running = {each: run(*arguments) for each in list(itertools.product(*map(range, extents)))[::step]}
        while running:
            waiting = {}
            for thread, each in running.items():
                cuda.at(block, thread)
                if next(each, StopIteration) is not StopIteration:
                    waiting[thread] = each
            assert len(waiting) in (0, len(running)), "some threads of a block wait at a barrier, and others have ended"
            running = waiting


def as_generator(function: Any) -> tuple[Emulator, Any]:
    """A Python function of a kernel as a generator function, with its own emulator."""
    cuda = Emulator()
    names = {**function.__globals__, **inspect.getclosurevars(function).nonlocals, "cuda": cuda}
    for name, value in list(names.items()):
        if hasattr(value, "py_func"):
            names[name] = _made(value.py_func, {**value.py_func.__globals__, "cuda": cuda}, False)
    return cuda, _made(function, names, True)


def kernel_in(text: str, name: str) -> tuple[Emulator, Any]:
    """A kernel of a generated module, which imports what it needs."""
    cuda, tree = Emulator(), ast.parse(text)
    for each in tree.body:
        if isinstance(each, ast.FunctionDef):
            each.decorator_list = []
            _Barriers(each.name != "add_over_block").visit(each)
            if each.name in (name, "add_over_block"):
                each.body.append(ast.parse("if False: yield").body[0])
    names: dict[str, Any] = {}
    exec(compile(ast.fix_missing_locations(tree), f"<emulated {name}>", "exec"), names)
    names["cuda"] = cuda
    return cuda, names[name]


def _made(function: Any, names: dict[str, Any], is_kernel: bool) -> Any:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition: Any = tree.body[0]
    definition.decorator_list = []
    _Barriers(False).visit(definition)
    if is_kernel:
        definition.body.append(ast.parse("if False: yield").body[0])
    exec(compile(ast.fix_missing_locations(tree), function.__code__.co_filename, "exec"), names)
    return names[definition.name]


class _Barriers(ast.NodeTransformer):
    """`cuda.syncthreads()` becomes `yield`, a call of `add_over_block` one of a generator."""

    def __init__(self, calls_generators: bool) -> None:
        self.calls_generators = calls_generators

    def visit_Expr(self, node: ast.Expr) -> Any:
        if not isinstance(node.value, ast.Call):
            return node
        called = ast.unparse(node.value.func)
        if called == "cuda.syncthreads":
            return ast.Expr(ast.Yield(ast.Constant(True)))
        if called == "add_over_block":
            return ast.Expr(ast.YieldFrom(node.value))
        return node


def three(extent: Any) -> tuple[int, int, int]:
    """Extents along three axes."""
    given = tuple(extent) if isinstance(extent, tuple) else (extent,)
    return (*given, 1, 1)[:3]
