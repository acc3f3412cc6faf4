"""Copy hoisting: array copies move up as far as possible, and later reads of elements use the copy.

    for t in range(n):                          for t in range(n):
        b = g(u[0], u[1])                           old = np.copy(u)
        old = np.copy(u)            becomes         b = g(old[0], old[1])
        u[0] = old[1] + b                           u[0] = old[1] + b

The copy is never written to: the reverse sweep keeps a reference to it, and recomputes from it values that would have
to be recorded if they came from the array. A copy does not move past a statement that may change the array, and only
moves if a statement in between reads an element.
"""

from __future__ import annotations

import gast
from numba import types as nb

from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.ir.build import Block, dotted_path, inner_blocks, stores_into, walk, walk_statements, written
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant


def with_early_copies(code: Code) -> Code:
    """Move copies up, if a statement in between reads the array."""
    unit = code.unit.with_tree(code.unit.copy_tree())
    program = analyse_forward(unit, code.types, [])
    for block in [unit.tree.body, *(inner for each in walk_statements(unit.tree.body) for inner in inner_blocks(each))]:
        for statement in list(block):
            found = _copied(statement, program)
            if found is not None:
                _move(block, statement, *found, program)
    return code.with_unit(unit)


def _copied(statement: gast.stmt, program: Program) -> tuple[str, str] | None:
    """The names of copy and array, if the statement makes a copy that is never written to."""
    match statement:
        case gast.Assign(
            targets=[gast.Name(id=copy)], value=gast.Call(func=function, args=[gast.Name(id=array)], keywords=[])
        ) if dotted_path(function) == "np.copy" and program.types.is_array(array):
            if program.flow.single(copy) is not None and not program.aliases.is_written(copy):
                return copy, array
    return None


def _move(block: Block, statement: gast.stmt, copy: str, array: str, program: Program) -> None:
    at = next(k for k, each in enumerate(block) if each is statement)
    first, after = at, at + 1
    while first > 0 and not _changes(block[first - 1], array, program):
        first -= 1
    while after < len(block) and not _changes(block[after], array, program):
        after += 1
    readers = [*block[first:at], *block[at + 1 : after]]
    elements = [node for each in readers for node in walk(each) if _is_element(node, array, program.types)]
    if elements:
        block[first : at + 1] = [statement, *block[first:at]]
    for node in elements:
        node.value.id = copy


def _changes(statement: gast.stmt, array: str, program: Program) -> bool:
    """Whether a statement, or one nested in it, may change the array or rebind its name."""
    for each in walk_statements([statement]):
        target = stores_into(each)
        if written(each) == array or (target is not None and program.aliases.may_alias(target.value.id, array)):
            return True
        if notes_of(each).effect:
            return True
    return False


def _is_element(node: gast.AST, array: str, types: Types) -> bool:
    """Whether a node reads one element of the array."""
    match node:
        case gast.Subscript(value=gast.Name(id=name), slice=index, ctx=gast.Load()) if name == array:
            parts = index.elts if isinstance(index, gast.Tuple) else [index]
            return len(parts) == types.rank(array) and all(_is_integer(part, types) for part in parts)
    return False


def _is_integer(part: gast.expr, types: Types) -> bool:
    if isinstance(part, gast.Name):
        return isinstance(types.get(part.id), nb.Integer)
    return isinstance(constant(part), int) and not isinstance(constant(part), bool)
