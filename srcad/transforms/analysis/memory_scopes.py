"""Memory scopes: which arrays of a generated function certainly share no memory, as LLVM is told.

    def f_grad(x, y):                       x: 0, y: 0      the caller's arrays, which may be one
        x_bar = np.zeros_like(x)            x_bar: 1        memory that the function allocates
        t = x_bar[1:]                       t: 1            a view of it
        u = t if ... else y                 u: 0, 1

Arrays without a scope in common do not overlap: an allocation overlaps with no other, nor with anything of the caller.
LLVM's own analysis sees pointers that it knows nothing of, and would make two versions of a loop, with a comparison of
all pairs of arrays before it.
"""

from __future__ import annotations

from collections.abc import Mapping

import gast

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.ir.array_functions import returns_new
from srcad.transforms.ir.build import dotted_path, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.side_effects import all_written

Scopes = Mapping[str, tuple[int, ...]]


def memory_scopes(code: Code) -> Scopes:
    """The scopes of each name that may refer to memory: 0 is that of the caller, and of what is not known."""
    aliases = aliases_of(code)
    fresh = _fresh_names(code)
    numbers: dict[str, int] = {}
    found = {}
    for name, sites in sorted(aliases.of.items()):
        own = {numbers.setdefault(each, len(numbers) + 1) if each in fresh else 0 for each in sorted(sites)}
        if own and name.isidentifier():
            found[name] = tuple(sorted(own))
    return found


def _fresh_names(code: Code) -> frozenset[str]:
    """The names that nothing but new memory, or other names and views, is assigned to."""
    fresh, others = set[str](), {*code.parameters}
    for statement in walk_statements(code.body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                if _is_new(value):
                    fresh.add(name)
                elif not isinstance(value, (gast.Name, gast.Subscript)):
                    others.add(name)
            case gast.AugAssign():
                pass  # in place
            case _:
                others.update(all_written(statement))
    return frozenset(fresh - others)


def _is_new(value: gast.expr) -> bool:
    if isinstance(value, gast.Call):
        return returns_new(dotted_path(value.func))
    return isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Compare))
