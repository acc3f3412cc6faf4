"""Index grids: objects of NumPy that make arrays of what stands in brackets.

np.r_[x, 1.0, 0:3]            kernels.joined_rows((x, 1.0, np.arange(0, 3)))       see `rules/grids_and_sets.py`
np.c_[x, y]                   kernels.joined_columns((x, y))
np.mgrid[0:3, 0:1:4j]         np.stack(np.meshgrid(np.arange(0, 3), np.linspace(0, 1, 4), indexing="ij"))
np.ogrid[0:3, 0:4]            np.reshape(np.arange(0, 3), (-1, 1)), np.reshape(np.arange(0, 4), (1, -1))
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcad.refusals.numpy_calls import GRID_DIRECTIVE, GRID_WITHOUT_END
from srcad.transforms.ir.build import binary, call, clone, const, dotted_path, tuple_of
from srcad.transforms.lowering.calls.array_splits import Splits

GRIDS = (np.r_, np.c_, np.mgrid, np.ogrid)


class Grids(Splits):
    """Lowers `np.r_`, `np.c_`, `np.mgrid` and `np.ogrid`."""

    def grid(self, node: gast.Subscript, meaning: Any) -> gast.expr:
        """The value of one of these objects with brackets."""
        index = node.slice
        entries = list(index.elts) if isinstance(index, gast.Tuple) else [index]
        if meaning is np.r_ or meaning is np.c_:
            return self.joined_entries(entries, "rows" if meaning is np.r_ else "columns")
        vectors = self.vectors(entries)
        if not isinstance(index, gast.Tuple):
            return vectors[0]
        return self.dense(vectors) if meaning is np.mgrid else self.open(vectors)

    def joined_entries(self, entries: list[gast.expr], what: str) -> gast.expr:
        """`np.r_` and `np.c_`."""
        parts = []
        for each in entries:
            part = self.held_in_atom(self.run(each)) if isinstance(each, gast.Slice) else self.as_array(self.part(each))
            if isinstance(self.constant(part), str):
                self.refuse(GRID_DIRECTIVE, name="np.r_" if what == "rows" else "np.c_")
            parts.append(part)
        return self.part(call(f"kernels.joined_{what}", tuple_of(*parts)))

    def vectors(self, entries: list[gast.expr]) -> list[gast.expr]:
        """The vectors that span a grid: all of them are floats if one has a number of points."""
        for each in entries:
            if not isinstance(each, gast.Slice):
                self.refuse(GRID_WITHOUT_END)
        counts = [self.number_of_points(each.step) is not None for each in entries]
        runs = [self.held_in_atom(self.run(each)) for each in entries]
        if any(counts):
            runs = [
                run if is_float else self.held_in_atom(binary(run, gast.Mult, const(1.0)))
                for run, is_float in zip(runs, counts, strict=True)
            ]
        return runs

    def dense(self, vectors: list[gast.expr]) -> gast.expr:
        """`np.mgrid`."""
        return self.part(call("np.stack", call("np.meshgrid", *vectors, indexing=const("ij"))))

    def open(self, vectors: list[gast.expr]) -> gast.expr:
        """`np.ogrid`."""
        parts = []
        for place, each in enumerate(vectors):
            shape = tuple_of(*(const(-1 if k == place else 1) for k in range(len(vectors))))
            parts.append(self.held_in_atom(self.core(call("np.reshape", each, shape))))
        return self.sequence(tuple, parts)

    def run(self, piece: gast.Slice) -> gast.expr:
        """The numbers from one bound to the other, by a step or, where the step is imaginary, so many of them."""
        if piece.upper is None:
            self.refuse(GRID_WITHOUT_END)
        first = const(0) if piece.lower is None else piece.lower
        count = self.number_of_points(piece.step)
        if count is not None:
            return self.core(call("np.linspace", first, piece.upper, count))
        return self.core(call("np.arange", first, piece.upper, *([] if piece.step is None else [piece.step])))

    def number_of_points(self, step: gast.expr | None) -> gast.expr | None:
        """The number of points that an imaginary step means; None for other steps."""
        match step:
            case gast.BinOp(left=gast.Constant(value=complex(real=0.0, imag=1.0)), op=gast.Mult(), right=count):
                return clone(count)
            case gast.BinOp(left=count, op=gast.Mult(), right=gast.Constant(value=complex(real=0.0, imag=1.0))):
                return clone(count)
            case gast.Call(func=function, args=[gast.Constant(value=0), count]) if dotted_path(function) == "complex":
                return clone(count)
            case None:
                return None
        known = self.constant(self.part(clone(step)))
        return const(int(abs(known))) if isinstance(known, complex) else None
