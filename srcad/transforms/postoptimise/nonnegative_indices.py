"""Non-negative assumptions: indices that are proved not to be negative, where LLVM cannot prove it.

    for c in range(n):                          for c in range(n):
        for r in range(c + 1, n):                   for r in range(c + 1, n):
            a[r] += x * b[r]        becomes             kernels.natural(r)
                                                        a[r] += x * b[r]

A negative subscript counts from the end, so each subscript of unknown sign costs a test, and LLVM does not vectorise a
loop with such tests, or only with gathers. LLVM knows the sign where a loop starts at a literal, but not where it
starts at the index of an outer loop, nor for a difference `n - i`. Input and output are the statements of one function;
the indices are noted on the loops, and `llvm_assumptions` writes the calls.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.ir.build import Block, inner_blocks, names_in, walk, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts
from srcad.transforms.loop_analysis.loop_accesses import is_counted


def with_natural_indices(code: Code) -> Code:
    """Note the expressions in innermost loops that are never negative (`natural`, on the loop)."""
    if not any(is_counted(each) and not _is_plain(each) for each in walk_statements(code.body)):
        return code
    _walk(code.body, Subscripts())
    return code.with_body(code.body)


def _is_plain(loop: gast.For) -> bool:
    """Whether LLVM knows the sign of a loop's index, and no subscript falls as it grows."""
    return _has_known_least(loop) and not list(_falling(loop))


def _has_known_least(loop: gast.For) -> bool:
    """Whether the bound of a loop's range at which the index is least is a literal."""
    args = loop.iter.args
    step = constant(Subscripts.step(loop))
    least = args[1] if isinstance(step, int) and step < 0 else args[0]
    return len(args) == 1 or isinstance(constant(least), int)


def _falling(loop: gast.For) -> Iterator[gast.expr]:
    """Subscripts that subtract the index: `n - i`."""
    stored = stored_in(loop.body)
    for statement in walk_statements(loop.body):
        for node in walk(statement):
            if isinstance(node, gast.Subscript):
                for part in node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]:
                    match part:
                        case gast.BinOp(op=gast.Sub(), right=gast.Name(id=name)) if name == loop.target.id:
                            if not set(names_in(part)) & stored:
                                yield part


def _walk(block: Block, at: Subscripts) -> None:
    """Note the innermost loops of a block; `at` has the known facts before it, and afterwards those after it."""
    for statement in block:
        if not inner_blocks(statement):
            at.learn(statement)
            continue
        at.forget(stored_in([statement]))
        inside = at.inside(statement) if is_counted(statement) else at.copy()
        if is_counted(statement) and _is_innermost(statement):
            _note(statement, inside)
        else:
            for inner in inner_blocks(statement):
                _walk(inner, inside.copy())


def _is_innermost(loop: gast.For) -> bool:
    return not any(isinstance(each, (gast.For, gast.While)) for each in walk_statements(loop.body))


def _note(loop: gast.For, inside: Subscripts) -> None:
    index = loop.target.id
    if constant(Subscripts.step(loop)) not in (1, -1) or index in stored_in(loop.body):
        return
    nodes = (node for each in walk_statements(loop.body) for node in walk(each))
    is_subscript = any(isinstance(node, gast.Subscript) and index in names_in(node.slice) for node in nodes)
    found: dict[str, gast.expr] = {}
    if is_subscript and not _has_known_least(loop) and inside.is_never_negative(Form.of(index)):
        found[index] = loop.target
    for part in _falling(loop):
        form = inside.form(part)
        if form is not None and inside.is_never_negative(form):
            found.setdefault(gast.dump(part), part)
    note(loop, natural=tuple(found.values()))
