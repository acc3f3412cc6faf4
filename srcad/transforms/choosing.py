"""The names on which it depends what generated code does: which way it goes, how often, where it reads and writes.

Values that are off by a rounding may decide otherwise there: at `if s == 0.0`, in `np.floor`, as a subscript. All
functions count but those that are known to be continuous and to choose nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

from srcad.transforms.build import Block, dotted_path, walk, walk_statements
from srcad.transforms.copies import all_written, changed_memory
from srcad.transforms.memories import Memories

SMOOTH = frozenset(
    [
        *("np.sum", "np.mean", "np.prod", "np.dot", "np.vdot", "np.outer", "np.cumsum", "np.trace", "np.linalg.norm"),
        *(
            "np.copy",
            "np.zeros_like",
            "np.empty_like",
            "np.ones_like",
            "np.full_like",
            "np.full",
            "np.array",
            "np.transpose",
        ),
        *(f"{module}.{name}" for module in ("np", "math") for name in ("sqrt", "exp", "log", "expm1", "log1p", "tanh")),
        *(f"{module}.{name}" for module in ("np", "math") for name in ("sin", "cos", "tan", "sinh", "cosh")),
        *(
            "np.square",
            "np.power",
            "math.pow",
            "np.divide",
            "np.add",
            "np.subtract",
            "np.multiply",
            "np.negative",
            "float",
        ),
    ]
)


def choosing(body: Block, memories: Memories, more: Iterable[str] = ()) -> set[str]:
    """The names, each standing for all that may share memory with it, on whose values a choice depends.

    So do those that some `more` names depend on. Whether zeros need to be passed on is no choice.
    """
    found = {memories.find(name) for statement in walk_statements(body) for name in _deciding(statement)}
    found |= {memories.find(name) for name in more}
    flows = [
        (
            {memories.find(name) for name in (*all_written(each), *changed_memory(each))},
            set(map(memories.find, _sources(each))),
        )
        for each in walk_statements(body)
    ]
    while True:
        more = {name for targets, sources in flows if targets & found for name in sources}
        if more <= found:
            return found
        found |= more


def _sources(statement: gast.stmt) -> Iterator[str]:
    """What a simple statement computes with."""
    if isinstance(statement, (gast.Assign, gast.AugAssign)):
        yield from _values(statement.value)


def _deciding(statement: gast.stmt) -> Iterator[str]:
    """The names in a statement, or in the header of a compound one, on which it depends what is done."""
    match statement:
        case gast.If() if getattr(statement, "skips_zeros", False):
            pass
        case gast.If(test=test) | gast.While(test=test):
            yield from _values(test)
        case gast.For(iter=iterator):
            yield from _values(iterator)
        case gast.Assign() | gast.AugAssign() | gast.Return():
            for node in walk(statement):
                yield from _decided(node)
        case _:
            yield from _values(statement)


def _decided(node: gast.AST) -> Iterator[str]:
    match node:
        case gast.Compare() | gast.BoolOp() | gast.BinOp(op=gast.FloorDiv() | gast.Mod()):
            yield from _values(node)
        case gast.IfExp(test=part) | gast.Subscript(slice=part):
            yield from _values(part)
        case gast.Call(func=function) if dotted_path(function) not in SMOOTH:
            yield from _values(node)


def _values(node: gast.AST) -> Iterator[str]:
    """The names of which more than the shape and type matters."""
    if isinstance(node, gast.Name):
        yield node.id
    elif not (isinstance(node, gast.Attribute) and node.attr in ("shape", "size", "ndim", "dtype")):
        for child in gast.iter_child_nodes(node):
            yield from _values(child)
