"""Array contraction to a rolling buffer (modulo storage): keep only the rows that a loop needs at the same time.

    d_bar = np.zeros_like(d)                        d_bar = np.zeros((2, m + 1))
    d_bar[n, m] += 1.0                              d_bar[n % 2, m] += 1.0
    for i in range(n - 1, -1, -1):                  for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):                  row = i % 2
            t = d_bar[i + 1, j + 1]       becomes       next_row = (i + 1) % 2
            ...                                         for j in range(m - 1, -1, -1):
            d_bar[i, j + 1] += t                            t = d_bar[next_row, j + 1]
                                                            ...
                                                            d_bar[row, j + 1] += t
                                                        for k in range(m + 1):
                                                            d_bar[next_row, k] = 0.0

First touches of memory cost more than the arithmetic on it (Lefebvre and Feautrier, Automatic storage management for
parallel programs, 1998). Row r is stored in place r % width. When a row is dead its place is refilled with the array's
initial value for the next row; with a width of one, the array is that one row. `reuse_window` proves which rows are
live at the same time. Applies to arrays that the function allocates itself, once, with a constant fill or none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.array_functions import MAKER_OF, OF_SHAPE_AND_TYPE, fill_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    attribute,
    binary,
    call,
    clone,
    const,
    dotted_path,
    is_exit,
    load,
    loop,
    one_or_tuple,
    place_of,
    subscript,
    tuple_of,
    walk,
    walk_statements,
)
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.array_uses import Array, Arrays
from srcad.transforms.loop_analysis.reuse_window import Window, windows, without


def contracted(code: Code) -> Code:
    """Contract arrays to a rolling buffer where `window` finds one.

    Functions with parallel loops are left unchanged: their iterations would share rows.
    """
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    contractor = _Contractor(code)
    return code.with_body(contractor.contracted(), contractor.new)


class _Contractor:
    def __init__(self, code: Code) -> None:
        self.code, self.body, self.kinds = code, code.body, code.kinds
        self.stores = store_counts(code)
        self.rows: dict[tuple[int, int, int], str] = {}
        self.replaced: dict[int, gast.expr] = {}
        self.new: dict[str, nb.Type] = {}  # the types of arrays that have lost a dimension

    def contracted(self) -> Block:
        """The rewritten statements of the function."""
        fills = {name: fill for each in walk_statements(self.body) for name, fill in self.fill(each)}
        if not fills:
            return self.body
        arrays = Arrays(fills, self.body, Facts.at_start(self.kinds, ranks_of(self.code).of))
        found = windows(arrays.found.values(), arrays.bounds)
        wanted = [each for each in found if len(each.array.extents) > 1 or each.width > 1]
        if not wanted:
            return self.body
        names = {node.id for each in self.body for node in walk(each) if isinstance(node, gast.Name)}
        self.names = Names(names | set(self.code.parameters))
        for each in wanted:
            self.rewrite(each, fills[each.array.name])
        body = without(self.body, [store for each in wanted for store in each.dead])
        return [_Replacer(self.replaced).visit(each) for each in body]

    @property
    def once(self) -> set[str]:
        """The names that are stored exactly once."""
        return {name for name, count in self.stores.items() if count == 1}

    def fill(self, statement: gast.stmt) -> Iterator[tuple[str, gast.expr | None]]:
        """The array that a statement allocates, with its fill value or None; nothing for other statements."""
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=function, args=args, keywords=[])):
                path = dotted_path(function) or ""
                if self.stores[name] > 1 or notes_of(statement).effect:
                    return
                like = path in MAKER_OF and len(args) == 1 and isinstance(args[0], gast.Name)
                if path == "np.full" and len(args) in (2, 3) and _is_literal(args[1]):
                    yield name, args[1]
                elif like or path in OF_SHAPE_AND_TYPE:
                    value = fill_of(path)
                    yield name, None if value is None else const(value)

    def rewrite(self, found: Window, fill: gast.expr | None) -> None:
        """Reduce an array to the rows of its window."""
        array = found.array
        self.replaced |= {id(query): self.answer(query, array) for query in array.queries}
        array.statement.value = self.allocation(array.statement.value, found)
        for use, row in found.outside:
            _put(use.node, found, _remainder(row, found.width))
        for use, offset in found.inside:
            _put(use.node, found, load(self.row(found, offset)) if found.width > 1 else None)
        if fill is not None:
            leaving = found.least if found.step == 1 else found.least + found.width - 1
            refill, body = self.refill(found, leaving, fill), found.loop.body
            body.insert(len(body) - is_exit(body[-1]), refill)

    def answer(self, query: gast.expr, array: Array) -> gast.expr:
        """What replaces a query of the array's shape or length: the extents before contraction."""
        extents = [clone(each) for each in array.extents]
        match query:
            case gast.Subscript(slice=index):
                return extents[constant(index)]
            case gast.Call(func=function):
                shape = one_or_tuple(extents)
                return self.like(MAKER_OF[dotted_path(function) or ""], shape, array.name)
        return tuple_of(*extents)

    def like(self, path: str, shape: gast.expr, array: str) -> gast.Call:
        """A call that allocates an array with the dtype of another array."""
        kind = self.kinds.get(array)
        if isinstance(kind, nb.Array) and kind.dtype == nb.float64:
            return call(path, shape)
        return call(path, shape, attribute(load(array), "dtype"))

    def allocation(self, value: gast.Call, found: Window) -> gast.Call:
        """The allocation of the contracted array."""
        extents = [clone(each) for each in found.array.extents]
        if found.width > 1 or len(extents) == 1:
            extents[found.axis] = const(found.width)
        else:
            del extents[found.axis]
            kind = self.kinds.get(found.array.name)
            if isinstance(kind, nb.Array):
                self.new[found.array.name] = kind.copy(ndim=kind.ndim - 1)
        shape = one_or_tuple(extents)
        path = dotted_path(value.func) or ""
        if path in MAKER_OF:
            return self.like(MAKER_OF[path], shape, value.args[0].id)
        value.args[0] = shape
        return value

    def row(self, found: Window, offset: int) -> str:
        """The variable that holds the place of row i + offset; it is assigned at the start of the loop's body."""
        key = id(found.loop), found.width, offset
        if key not in self.rows:
            name = self.names.fresh({True: "next_row", False: "last_row"}[offset > 0] if offset else "row")
            index = load(found.loop.target.id)
            shifted = binary(index, gast.Add if offset > 0 else gast.Sub, const(abs(offset))) if offset else index
            made = assign(name, _remainder(shifted, found.width), place_of(found.loop))
            found.loop.body.insert(sum(each == key[0] for each, _, _ in self.rows), made)
            self.rows[key] = name
        return self.rows[key]

    def refill(self, found: Window, leaving: int, value: gast.expr) -> gast.stmt:
        """Refill the place of a dead row with the initial value, for the next row that takes the place."""
        extents = found.array.extents[: found.axis] + found.array.extents[found.axis + 1 :]
        names = [self.names.fresh("k") for _ in extents]
        index: list[gast.expr] = [load(name) for name in names]
        if found.width > 1 or not index:
            index.insert(found.axis, load(self.row(found, leaving)) if found.width > 1 else const(0))
        part = one_or_tuple(index)
        place = place_of(found.loop)
        made = assign(subscript(load(found.array.name), part, store=True), clone(value), place)
        for name, extent in reversed([*zip(names, extents, strict=True)]):
            made = loop(name, [clone(extent)], [made], place)
        return made


def _is_literal(node: gast.expr) -> bool:
    if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.USub):
        return _is_literal(node.operand)
    return isinstance(constant(node), (int, float, complex)) or dotted_path(node) in ("np.inf", "np.nan")


def _remainder(row: gast.expr, width: int) -> gast.expr:
    value = constant(row)
    return const(value % width) if isinstance(value, int) else binary(clone(row), gast.Mod, const(width))


def _put(node: gast.Subscript, found: Window, row: gast.expr | None) -> None:
    """Rewrite a subscript so that it accesses the place of the row in the buffer."""
    parts = list(node.slice.elts) if isinstance(node.slice, gast.Tuple) else [node.slice]
    if found.width > 1:
        parts[found.axis] = row
    elif len(found.array.extents) > 1:
        del parts[found.axis]
        parts = parts or [gast.Slice(lower=None, upper=None, step=None)]
    else:
        parts = [const(0)]
    node.slice = one_or_tuple(parts)


class _Replacer(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Replaces expressions by node identity."""

    def __init__(self, replaced: Mapping[int, gast.expr]) -> None:
        self.replaced = replaced

    def visit(self, node: gast.AST) -> gast.AST:
        return self.replaced[id(node)] if id(node) in self.replaced else super().generic_visit(node)
