"""The source of a kernel as the front end reads it: functions of `numba.cuda` become those of `intrinsics`.

    i = cuda.grid(1)                            i = launch.grid(0)
    s = cuda.shared.array(64, float32)    ->    s = launch.array(0)
    cuda.syncthreads()                          done = launch.barrier()

Device functions become procedures with a source of the same kind, which the front end inlines like any other function.
Works on the text alone, so that it does not matter whether `numba.cuda` is the simulator.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import FunctionType, ModuleType
from typing import Any

import gast
import numpy as np
from numba.core import types as nb
from numba.np import numpy_support

from srcad.cuda import intrinsics
from srcad.cuda.refused_kernels import FUNCTION_OF_CUDA, NO_KERNEL, UNKNOWN_SHAPE
from srcad.frontend.load_source import Source, load
from srcad.frontend.scope import Procedure, procedure_of
from srcad.transforms.ir.build import call, const, dotted_path, stored, tuple_of

_LAUNCH = "srcad_launch"
_PLACES = {"threadIdx": "thread", "blockIdx": "block", "blockDim": "block_dim", "gridDim": "grid_dim"}


@dataclass(frozen=True)
class OwnArray:
    """A shared or local array of a kernel."""

    is_shared: bool
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def type(self) -> nb.Array:
        """Its type for Numba."""
        return nb.Array(numpy_support.from_dtype(self.dtype), len(self.shape), "C")


@dataclass
class KernelSource:
    """A kernel with its shared and local arrays, in the order of `intrinsics.array`."""

    source: Source
    arrays: list[OwnArray] = field(default_factory=list)


def is_dispatcher(thing: Any) -> bool:
    """Whether this is what `cuda.jit` gives, on a device or in the simulator."""
    return type(thing).__name__ in ("CUDADispatcher", "FakeCUDAKernel")


def read_kernel(kernel: Any) -> KernelSource:
    """The source of a kernel, in words of `intrinsics`. Raises BadType for anything but a kernel."""
    if not is_dispatcher(kernel):
        raise NO_KERNEL.error(what=f"`{getattr(kernel, '__name__', kernel)}`, a {type(kernel).__name__}")
    if getattr(kernel, "_device", False) or getattr(kernel, "targetoptions", {}).get("device"):
        raise NO_KERNEL.error(what=f"the device function `{kernel.py_func.__name__}`")
    found = KernelSource(load(kernel.py_func))
    found.source = _rewritten(found.source, found.arrays)
    return found


def _rewritten(source: Source, arrays: list[OwnArray]) -> Source:
    rewriter = _Rewriter(source, arrays)
    body = [rewriter.visit(statement) for statement in source.tree.body]
    tree = gast.FunctionDef(**{**{name: getattr(source.tree, name) for name in source.tree._fields}, "body": body})
    owners = {**source.owners, **rewriter.owners, _LAUNCH: {_LAUNCH: intrinsics}}
    return replace(source, tree=gast.copy_location(tree, source.tree), owners=owners)


class _Rewriter(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, source: Source, arrays: list[OwnArray]) -> None:
        self.source, self.arrays = source, arrays
        self.owners: dict[str, Any] = {}

    def object_of(self, node: gast.AST) -> Any:
        """The object that a dotted name refers to, as far as it has one outside of kernels; else None."""
        path = dotted_path(node)
        if path is None:
            return None
        first, *rest = path.split(".")
        try:
            found = self.source.lookup(first)
        except KeyError:
            return None
        for name in rest:
            found = getattr(found, name, None)
        return found

    def path(self, node: gast.AST) -> str | None:
        """The name of a function of `numba.cuda`: "atomic.add"."""
        names: list[str] = []
        while isinstance(node, gast.Attribute):
            names.insert(0, node.attr)
            node = node.value
            found = self.object_of(node)
            if isinstance(found, ModuleType) and found.__name__ == "numba.cuda":
                return ".".join(names)
        return None

    def visit_Return(self, node: gast.Return) -> gast.stmt:
        return self.generic_visit(node)

    def visit_Expr(self, node: gast.Expr) -> gast.stmt:
        """A call that stands alone: barriers and atomic additions have no result that is used."""
        path = self.path(node.value.func) if isinstance(node.value, gast.Call) else None
        made = self.generic_visit(node)
        if path not in ("syncthreads", "atomic.add"):
            return made
        return _like(gast.Assign(targets=[_like(stored("done"), node)], value=made.value, type_comment=None), node)

    def visit_Call(self, node: gast.Call) -> gast.expr:
        path = self.path(node.func)
        if path is None:
            return self.device_function(node)
        place = self.source.place(node)
        match path, node.args:
            case ("grid" | "gridsize", [gast.Constant(value=1 | 2 | 3 as ndim)]):
                axes = [self.launch(path, const(axis), like=node) for axis in range(ndim)]
                return axes[0] if ndim == 1 else _like(tuple_of(*axes), node)
            case ("syncthreads", []):
                return self.launch("barrier", like=node)
            case ("atomic.add", [_, _, _]):
                return self.launch("atomic_add", *(self.visit(each) for each in node.args), like=node)
            case ("shared.array" | "local.array", _):
                return self.array(node, path)
        raise FUNCTION_OF_CUDA.at(place, name=path)

    def visit_Attribute(self, node: gast.Attribute) -> gast.expr:
        path = self.path(node)
        if path is None:
            return self.generic_visit(node)
        name, _, axis = path.partition(".")
        if name in _PLACES and axis in intrinsics.AXES:
            return self.launch("place", const(f"{_PLACES[name]}_{axis}"), like=node)
        raise FUNCTION_OF_CUDA.at(self.source.place(node), name=path)

    def launch(self, function: str, *arguments: gast.expr, like: gast.AST) -> gast.expr:
        made = call(f"{_LAUNCH}.{function}", *arguments)
        for each in gast.walk(made):
            if not hasattr(each, "lineno"):
                _like(each, like)
        return made

    def device_function(self, node: gast.Call) -> gast.expr:
        """A call, of a device function by a name that stands for its procedure."""
        callee = self.object_of(node.func)
        if not is_dispatcher(callee):
            return self.generic_visit(node)
        name = callee.py_func.__name__
        self.owners[name] = {name: _procedure(callee.py_func, self.arrays)}
        node.args = [self.visit(each) for each in node.args]
        node.keywords = [gast.keyword(arg=each.arg, value=self.visit(each.value)) for each in node.keywords]
        node.func = _like(gast.Name(id=name, ctx=gast.Load(), annotation=None, type_comment=None), node.func)
        return node

    def array(self, node: gast.Call, path: str) -> gast.expr:
        """A shared or local array, noted in the kernel's list."""
        given = dict(zip(("shape", "dtype"), node.args, strict=False))
        given |= {each.arg: each.value for each in node.keywords}
        place = self.source.place(node)
        shape = self.known(given.get("shape"))
        shape = shape if isinstance(shape, tuple) else (shape,)
        if not all(isinstance(each, (int, np.integer)) and each > 0 for each in shape):
            raise UNKNOWN_SHAPE.at(place, what="shape", name=f"cuda.{path}")
        dtype = self.known(given.get("dtype"))
        try:
            kind = numpy_support.as_dtype(dtype) if isinstance(dtype, nb.Type) else np.dtype(dtype)
        except (TypeError, NotImplementedError):
            kind = None
        if dtype is None or kind is None or kind == np.dtype(object):
            raise UNKNOWN_SHAPE.at(place, what="dtype", name=f"cuda.{path}")
        self.arrays.append(OwnArray(path == "shared.array", tuple(int(each) for each in shape), kind))
        return self.launch("array", const(len(self.arrays) - 1), like=node)

    def known(self, node: gast.expr | None) -> Any:
        """The value of an expression of literals and constants of the module; else None."""
        match node:
            case gast.Constant(value=value):
                return value
            case gast.Tuple(elts=parts):
                return tuple(self.known(each) for each in parts)
            case gast.BinOp(left=left, op=op, right=right):
                one, two = self.known(left), self.known(right)
                if isinstance(one, int) and isinstance(two, int):
                    return _FOLDED.get(type(op), lambda a, b: None)(one, two)
                return None
        return None if node is None else self.object_of(node)


_FOLDED: dict[Any, Any] = {
    gast.Add: lambda a, b: a + b,
    gast.Sub: lambda a, b: a - b,
    gast.Mult: lambda a, b: a * b,
    gast.FloorDiv: lambda a, b: a // b if b else None,
}


def _procedure(function: FunctionType, arrays: list[OwnArray]) -> Procedure:
    return procedure_of(_rewritten(load(function), arrays))


def _like(node: Any, other: gast.AST) -> Any:
    return gast.copy_location(node, other)
