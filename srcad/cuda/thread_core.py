"""A kernel in core form with types: what one thread does, as a function of its place in the grid.

Places, extents of the launch and arrays of the kernel's own become parameters, `grid_x`, `thread_x`, `tile`, so that
what follows them is plain code on integers and arrays. Barriers and atomic additions stay calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gast
from numba import types as nb

from srcad.cuda import intrinsics
from srcad.cuda.kernel_source import KernelSource, OwnArray
from srcad.cuda.refused_kernels import CAPTURED_ARRAY, NO_TYPES
from srcad.driver.pass_manager import passed
from srcad.driver.passes import NORMALISE
from srcad.frontend.lower import lower
from srcad.runtime.jit.numba_inference import CannotType
from srcad.transforms.ir.build import load, walk_statements
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.ir.primitive import constant, primitive_of
from srcad.transforms.ir.unit import Unit

_PER_AXIS = {intrinsics.grid: "grid", intrinsics.gridsize: "gridsize"}


@dataclass(frozen=True)
class ThreadCore:
    """A typed kernel.

    code        the function of a thread
    parameters  the kernel's own parameters
    launch      parameter -> what it stands for: "grid_x", "thread_y", "block_dim_x", ...
    arrays      parameter -> the shared or local array that it stands for
    """

    code: Code
    parameters: tuple[str, ...]
    launch: Mapping[str, str]
    arrays: Mapping[str, OwnArray]


def thread_core(kernel: KernelSource, kinds: Sequence[nb.Type]) -> ThreadCore:
    """The kernel for arguments of these types."""
    unit = lower(kernel.source)
    if unit.hidden:
        raise CAPTURED_ARRAY.at(kernel.source.place(kernel.source.tree), name=unit.hidden[0].key)
    own = unit.parameters
    hoister = _Hoister(unit, kernel.arrays)
    body = hoister.block(unit.copy_tree().body)
    tree = unit.copy_tree()
    tree.body = body
    extra = [*hoister.launch, *hoister.arrays]
    tree.args.args += [_parameter(name) for name in extra]
    signature = (*kinds, *(nb.int64 for _ in hoister.launch), *(each.type for each in hoister.arrays.values()))
    settings = Settings(checks_bounds=False, is_reversed=True)
    code = Code(unit.with_tree(tree), signature=signature, settings=settings)
    try:
        code = passed(code, NORMALISE)
    except CannotType as problem:
        raise NO_TYPES.at(problem.place, reason=problem.reason) from None
    return ThreadCore(code, own, hoister.launch, hoister.arrays)


def _parameter(name: str) -> gast.Name:
    return gast.Name(id=name, ctx=gast.Param(), annotation=None, type_comment=None)


class _Hoister:
    """Takes what is the same for a whole launch out of the statements."""

    def __init__(self, unit: Unit, arrays: Sequence[OwnArray]) -> None:
        self.unit, self.known = unit, arrays
        self.launch: dict[str, str] = {}
        self.arrays: dict[str, OwnArray] = {}
        self._by_meaning: dict[str, str] = {}

    def block(self, block: list[gast.stmt]) -> list[gast.stmt]:
        kept = []
        for statement in walk_statements(block):
            for field in ("value", "test"):
                value = getattr(statement, field, None)
                if isinstance(value, gast.Call):
                    setattr(statement, field, self.replaced(value, statement))
        for statement in block:
            kept.append(statement)
        return kept

    def replaced(self, value: gast.Call, statement: Any) -> gast.expr:
        primitive = primitive_of(value, self.unit.bindings)
        if primitive is intrinsics.place:
            return load(self.parameter(str(constant(value.args[0]))))
        if primitive in _PER_AXIS:
            return load(self.parameter(f"{_PER_AXIS[primitive]}_{intrinsics.AXES[constant(value.args[0])]}"))
        if primitive is intrinsics.array:
            target = statement.targets[0]
            name = self.unit.names.fresh(target.id)
            self.arrays[name] = self.known[constant(value.args[0])]
            return load(name)
        return value

    def parameter(self, meaning: str) -> str:
        if meaning not in self._by_meaning:
            name = self.unit.names.fresh(meaning)
            self._by_meaning[meaning] = name
            self.launch[name] = meaning
        return self._by_meaning[meaning]
