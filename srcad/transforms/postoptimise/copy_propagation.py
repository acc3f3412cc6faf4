"""Copy propagation: reads of a copy become reads of the original."""

from __future__ import annotations

import gast

from srcad.transforms.ir.build import Block, end_of_chain, walk, walk_statements, without_statements, written
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import changed_in


def without_copies(code: Code) -> Code:
    r"""Replace a copy by the original, where both names are assigned once and no array store goes through either.

    >>> from srcad.printing.printer import print_module
    >>> from srcad.transforms.ir.code import code_of
    >>> code = code_of("def f(x):\n    a = x\n    b = a\n    s = b * a\n    c = s\n    s = c + b")
    >>> print(print_module(without_copies(code).body), end="")
    s = x * x
    c = s
    s = c + x
    """
    body, stores = code.body, store_counts(code)
    changed_names = changed_in(body)
    copied: dict[str, str] = {}
    for statement in walk_statements(body):
        name = written(statement)
        if not isinstance(statement, gast.Assign) or not name or stores[name] != 1 or name in changed_names:
            continue
        value = statement.value
        is_settled = isinstance(value, gast.Name) and stores[value.id] == 1 and value.id not in changed_names
        if is_settled:
            copied[name] = value.id
            note(statement, folded=True)
    body[:] = without_statements(body, lambda statement: notes_of(statement).folded)
    _rename_reads(body, copied)
    return code.with_body(body)


def _rename_reads(body: Block, copied: dict[str, str]) -> None:
    """Rename reads of copies, following chains of copies."""
    for statement in body:
        for node in walk(statement):
            if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Store):
                node.id = end_of_chain(copied, node.id)
