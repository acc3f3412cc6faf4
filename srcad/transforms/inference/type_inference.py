"""Type inference: a Numba type for every name of a core function, by Numba's own inference."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

import gast
from numba import types

from srcad.errors import CompilerBug, Place
from srcad.runtime.jit.numba_inference import CannotType, Inferred, infer, partly_inferred
from srcad.runtime.support.stage_timer import stage
from srcad.transforms.inference.numba_arithmetic import refuse_other_arithmetic
from srcad.transforms.inference.object_tests import refuse_tests_of_objects
from srcad.transforms.ir.block_exits import completes
from srcad.transforms.ir.build import (
    Block,
    const,
    dotted_path,
    inner_blocks,
    place_of,
    rewrite,
    stores_into,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit


def executable(unit: Unit, unknown: set[str | None] | None = None) -> Callable[..., Any]:
    """The core function as a Python function whose line numbers count its statements from 1.

    Placeholders for values of `unknown` names, and copies of such names, are left out; the set gets the latter's names.
    """
    tree = unit.copy_tree()
    if unknown:
        tree = _WithoutUnset(unknown).visit(tree)
    tree = _WithoutLiteralTests().visit(tree)
    module = ast.Module(body=[gast.gast_to_ast(tree)], type_ignores=[])
    ast.fix_missing_locations(module)
    _number_lines(module.body[0])
    namespace: dict[str, Any] = dict(unit.bindings)
    exec(compile(module, f"<core of {unit.name}>", "exec"), namespace)
    function: Callable[..., Any] = namespace[tree.name]
    namespace.update(unit.bindings)  # a recursive function calls what its name is bound to
    return function


@stage("type_inference")
def types_of_some(
    unit: Unit, argument_types: tuple[types.Type, ...], names: Collection[str]
) -> Mapping[str, types.Type]:
    """The types of some names of a unit; other names may have several types."""
    try:
        return infer(executable(unit), argument_types, names).types
    except CannotType as problem:
        place = _place_in_callee(unit, problem) or place_of_line(unit, problem.line)
        raise CannotType(as_written(problem.reason, place), problem.line, place, problem.name) from None


@stage("type_inference")
def types_of(unit: Unit, argument_types: tuple[types.Type, ...]) -> Types:
    """The types of all names, for these types of the parameters.

    Raises CannotType, with the place in the user's source, where Numba cannot type the function.
    """
    refuse_numbas_random_numbers(unit)
    try:
        inferred = _inferred(unit, argument_types)
    except CannotType as problem:
        place = _place_in_callee(unit, problem) or place_of_line(unit, problem.line)
        raise CannotType(as_written(problem.reason, place), problem.line, place, problem.name) from None
    known = Types(inferred.types, inferred.result)
    refuse_optional(known, (types.Array,))
    refuse_masks(unit, known)
    refuse_tests_of_objects(unit, known)
    refuse_other_arithmetic(unit, known, converts=not callees_in(unit))
    return known


def types_of_part(unit: Unit, argument_types: tuple[types.Type, ...]) -> Types:
    """The types that inference finds where it fails for the whole unit: some may still change."""
    unknown = {written(statement) for statement in walk_statements(unit.tree.body) if notes_of(statement).unset}
    return Types(partly_inferred(executable(unit, unknown), argument_types))


def refuse_numbas_random_numbers(unit: Unit) -> None:
    """Refuse draws from NumPy's global state that have no definition: to Numba, they are from a state of its own."""
    for each in (unit, *callees_in(unit)):
        for statement in walk_statements(each.tree.body):
            for node in walk(statement):
                path = dotted_path(node.func) if isinstance(node, gast.Call) else None
                if path is not None and path.startswith("np.random."):
                    raise CannotType(f"{path} draws from a state of Numba's own", None, place_of(statement))


def refuse_optional(known: Types, kinds: tuple[type[types.Type], ...]) -> None:
    """Raise CannotType for a name that is None on some paths and of one of these kinds on others."""
    for name, kind in known.of.items():
        if isinstance(kind, types.Optional) and isinstance(kind.type, kinds):
            raise CannotType(as_written(f"'{name}' is None in one place and {kind.type} in another", None))


def refuse_masks(unit: Unit, known: Types) -> None:
    """Refuse masks of several dimensions, to which Numba gives a meaning of its own."""
    for statement in walk_statements(unit.tree.body):
        for target in (getattr(statement, "value", None), stores_into(statement)):
            if not isinstance(target, gast.Subscript):
                continue
            parts = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
            for part in parts:
                kind = known.get(part.id) if isinstance(part, gast.Name) else None
                if isinstance(kind, types.Array) and kind.dtype == types.boolean and kind.ndim > 1:
                    raise CannotType(f"Numba has no masks of {kind.ndim} dimensions", None, place_of(statement))


def callees_in(unit: Unit) -> list[Unit]:
    """The functions that a unit calls, directly or indirectly."""
    found: dict[int, Unit] = {}
    pending = [unit]
    while pending:
        for thing in pending.pop().bindings.values():
            inner = thing.ssa if hasattr(type(thing), "ssa") else None  # a Subroutine's
            if isinstance(inner, Unit) and id(thing) not in found:
                found[id(thing)] = inner
                pending.append(inner)
    return list(found.values())


def _place_in_callee(unit: Unit, problem: CannotType) -> Place | None:
    """The user's line, if the problem is in a called function; the innermost comes first in Numba's report."""
    units = {each.name: each for each in callees_in(unit)}
    found = re.search(r"<core of (\w+)>\W+(?:line )?(\d+)", str(problem.__cause__)) if units else None
    inner = None if found is None else units.get(found[1])
    return None if inner is None or found is None else place_of_line(inner, int(found[2]))


def without_unreached(unit: Unit, types: Types) -> Unit:
    """The unit without branches that Numba found to be unreachable, whose names have no types.

    Placeholders for unset values, and copies of them, may have no type in code that runs.
    """
    changed = False

    def reached(statement: gast.stmt) -> Block:
        nonlocal changed
        arms = inner_blocks(statement)
        live = [arm for arm in arms if not any(_is_untyped(each, types) for each in _until_left(arm))]
        for arm in arms:
            others = {written(each) for other in arms if other is not arm for each in other}
            if arm not in live and _is_begun(arm, others, types):
                raise CompilerBug("a branch that is taken has statements without types", at=place_of(statement))
        if isinstance(statement, gast.For) or len(live) == len(arms):
            return [statement]
        changed = True
        return [each for arm in live for each in arm]

    tree = unit.copy_tree()
    tree.body = rewrite(tree.body, reached)
    return unit.with_tree(tree) if changed else unit


def _until_left(arm: Block) -> Block:
    """The statements of an arm up to the first that always leaves it, as a `raise`: what follows has no types."""
    return next((arm[: n + 1] for n in range(len(arm)) if not completes(arm[n : n + 1])), arm)


def _is_untyped(statement: gast.stmt, types: Types) -> bool:
    """Whether a statement stores a name without a type, other than as a copy of such a name."""
    if not isinstance(statement, gast.Assign) or notes_of(statement).unset:
        return False
    name = written(statement)
    is_copy = isinstance(statement.value, gast.Name) and types.get(statement.value.id) is None
    return name is not None and types.get(name) is None and not is_copy


def _is_begun(arm: Block, others: set[str | None], types: Types) -> bool:
    """Whether the first name that an arm alone stores has a type, so that its first statements are run."""
    stores = (written(each) for each in arm if isinstance(each, gast.Assign) and not notes_of(each).unset)
    return types.get(next((name for name in stores if name not in others), None) or "") is not None


def _inferred(unit: Unit, argument_types: tuple[types.Type, ...]) -> Inferred:
    """The types of names; placeholders of unset values are ignored if possible."""
    unknown = {written(statement) for statement in walk_statements(unit.tree.body) if notes_of(statement).unset}
    if unknown:
        try:
            return _with_copies(unit, infer(executable(unit, unknown), argument_types), unknown)
        except CannotType as problem:
            if problem.name is not None:
                raise
            # Else a name is read before its first store in the source: the placeholder is needed.
    try:
        return infer(executable(unit), argument_types)
    except CannotType as problem:
        if not unknown:
            raise
        try:
            found = infer(executable(_with_none(unit)), argument_types)  # optional values, for which Numba has a type
        except CannotType:
            raise problem from None
        plain = {name: kind.type if isinstance(kind, types.Optional) else kind for name, kind in found.types.items()}
        return Inferred(plain, found.result)


def _with_copies(unit: Unit, found: Inferred, unset: set[str | None]) -> Inferred:
    """With the types of copies of names that are stored later in the source only, which Numba has not seen."""
    kinds = dict(found.types)
    copies = [each for each in walk_statements(unit.tree.body) if written(each) in unset - kinds.keys()]
    copies = [each for each in copies if isinstance(each.value, gast.Name) and each.value.id in kinds]
    if not copies:
        return found
    kinds |= {str(written(each)): kinds[each.value.id] for each in copies}
    return _with_copies(unit, Inferred(kinds, found.result), unset)


def _with_none(unit: Unit) -> Unit:
    """The unit with None for unset values."""
    tree = unit.copy_tree()
    for statement in walk_statements(tree.body):
        if isinstance(statement, gast.Assign) and notes_of(statement).unset:
            statement.value = gast.Constant(value=None, kind=None)
    return unit.with_tree(tree)


class _WithoutLiteralTests(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Replaces `0 is None`, which a definition's `axis is None` may become: Python warns of such a test."""

    def visit_Compare(self, node: gast.Compare) -> gast.expr:
        match node:
            case gast.Compare(
                left=gast.Constant(value=left),
                ops=[gast.Is() | gast.IsNot() as op],
                comparators=[gast.Constant(value=None)],
            ):
                return const((left is None) is isinstance(op, gast.Is))
        return node


class _WithoutUnset(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Removes placeholders of unset names, and plain copies of such names, without changing line numbers."""

    def __init__(self, unknown: set[str | None]) -> None:
        self.unknown = unknown
        self.seen: set[str | None] = set()

    def visit_Assign(self, node: gast.Assign) -> gast.stmt:
        is_early_copy = isinstance(node.value, gast.Name) and node.value.id in self.unknown - self.seen
        name = written(node)
        if notes_of(node).unset or is_early_copy:
            if is_early_copy and name not in self.seen:
                self.unknown.add(name)
            return gast.Pass()
        self.seen.add(name)
        return node


def as_written(message: str, place: Place | None) -> str:
    """A message with the user's names in place of those numbered by SSA form."""
    text = "" if place is None else place.text
    return re.sub(r"'(\w+?)_\d+'", lambda found: found[0] if found[0][1:-1] in text else f"'{found[1]}'", message)


def place_of_line(unit: Unit, line: int | None) -> Place | None:
    """The place of the statement that `executable` put on this line."""
    statements = list(walk_statements(unit.tree.body))
    if line is None or not 1 <= line <= len(statements):
        return None
    return place_of(statements[line - 1])


def _number_lines(function: ast.stmt) -> None:
    count = 0

    def visit(block: list[ast.stmt]) -> None:
        nonlocal count
        for statement in block:
            count += 1
            for node in ast.walk(statement):
                if hasattr(node, "lineno"):
                    node.lineno = node.end_lineno = count  # type: ignore[attr-defined]
                    node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
            visit(getattr(statement, "body", []))
            visit(getattr(statement, "orelse", []))

    visit(function.body)  # type: ignore[attr-defined]
