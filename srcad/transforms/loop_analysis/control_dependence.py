"""Control-relevant names (a backward slice): those whose values feed branches, trip counts or subscripts.

Values that are off by a rounding error may change what is executed: at `if s == 0.0`, in `np.floor`, in a subscript.
All functions count except those known to be continuous with their derivative. A function that picks an extreme, such as
`np.max`, is continuous; only its derivative makes a choice (`is_continuous`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import gast

from srcad.transforms.analysis.aliases import Aliases
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.ir.array_functions import EXTREMES, LINEAR, SHAPE_ATTRIBUTES, SHAPE_ONLY, SMOOTH
from srcad.transforms.ir.build import Block, dotted_path, walk, walk_statements
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, mutated_by


def is_smooth(path: str | None) -> bool:
    """Whether a function is known to be continuous, and its derivative too."""
    return path in SMOOTH


def is_continuous(path: str | None) -> bool:
    """Whether a function is known to be continuous, or is a kernel used in adjoints."""
    return path in SMOOTH or path in EXTREMES or (path is not None and path.startswith("kernels."))


def choosing(
    body: Block, aliases: Aliases, more: Iterable[str] = (), chooses_nothing: Callable[[str | None], bool] = is_smooth
) -> set[str]:
    """The alias classes on whose values control flow or a subscript depends, as their representatives.

    Names that `more` depend on count as well. A test whether zeros need to be propagated does not count.
    """
    found = {
        aliases.alias_class(name)
        for statement in walk_statements(body)
        for part in deciding(statement, chooses_nothing)
        for name in names_with_values(part)
    }
    found |= {aliases.alias_class(name) for name in more}
    sources: dict[str, set[str]] = {}
    for each in walk_statements(body):
        for name in (*all_written(each), *changed_memory(each)):
            sources.setdefault(aliases.alias_class(name), set()).update(map(aliases.alias_class, _sources(each)))
    return {*closure(found, lambda name: sources.get(name, ()))}


def _sources(statement: gast.stmt) -> Iterator[str]:
    """The names that a simple statement computes with, appends to a list, or gives to a kernel that stores."""
    if isinstance(statement, (gast.Assign, gast.AugAssign)) or _appends(statement) or _stores_smoothly(statement):
        yield from names_with_values(statement.value)


def _appends(statement: gast.stmt) -> bool:
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Attribute(value=gast.Name(), attr="append"))):
            return True
    return False


def _stores_smoothly(statement: gast.stmt) -> bool:
    """Whether a statement is the call of a kernel that only stores what depends smoothly on its arguments."""
    match statement:
        case gast.Expr(value=gast.Call(func=function)):
            return is_smooth(dotted_path(function)) and bool(mutated_by(statement))
    return False


def deciding(statement: gast.stmt, chooses_nothing: Callable[[str | None], bool] = is_smooth) -> Iterator[gast.AST]:
    """The parts of a statement, or of a compound one's header, whose values decide what is executed or accessed."""
    match statement:
        case gast.If() if notes_of(statement).skips_zeros:
            pass
        case gast.Expr() if _appends(statement) or _stores_smoothly(statement):
            pass
        case gast.If(test=part) | gast.While(test=part) | gast.For(iter=part):
            yield part
        case gast.Assign() | gast.AugAssign() | gast.Return():
            for node in walk(statement):
                match node:
                    case gast.Compare() | gast.BoolOp() | gast.BinOp(op=gast.FloorDiv() | gast.Mod()):
                        yield node
                    case gast.IfExp(test=part) | gast.Subscript(slice=part):
                        yield part
                    case gast.Call(func=function) if chooses_nothing(path := dotted_path(function)):
                        pass
                    case gast.Call(args=[_, *others], keywords=[]) if path in LINEAR:
                        yield from others
                    case gast.Call():
                        yield node
        case _:
            yield statement


def names_with_values(node: gast.AST) -> Iterator[str]:
    """The names in a node of which more than shape and type matters."""
    if isinstance(node, gast.Name):
        yield node.id
    elif isinstance(node, gast.Call) and dotted_path(node.func) in SHAPE_ONLY:
        for each in (*node.args[1:], *node.keywords):
            yield from names_with_values(each)
    elif not (isinstance(node, gast.Attribute) and node.attr in SHAPE_ATTRIBUTES):
        for child in gast.iter_child_nodes(node):
            yield from names_with_values(child)
