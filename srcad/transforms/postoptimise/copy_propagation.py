"""Copy propagation: reads of a copy become reads of the original."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import gast

from srcad.transforms.ir.build import Block, walk, walk_statements, without_statements, written
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory


def without_copies(body: Block, parameters: Iterable[str]) -> None:
    r"""Replace a copy by the original, where both names are assigned once and no array store goes through either.

    >>> from srcad.printing.printer import print_module
    >>> body = gast.parse("a = x\nb = a\ns = b * a\nc = s\ns = c + b").body
    >>> without_copies(body, ["x"])
    >>> print(print_module(body), end="")
    s = x * x
    c = s
    s = c + x
    """
    stores: Counter[str] = Counter(parameters)
    for statement in walk_statements(body):
        stores.update(all_written(statement))
    changed_names = {name for statement in walk_statements(body) for name in changed_memory(statement)}
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


def _rename_reads(body: Block, copied: dict[str, str]) -> None:
    """Rename reads of copies, following chains of copies."""
    for statement in body:
        for node in walk(statement):
            if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Store):
                while node.id in copied:
                    node.id = copied[node.id]
