"""Calls with variables: those with the tensors that they stand for, found at once by their kind.

Of `np.sin` of a variable, for instance, the function written is

    def call(a):
        a = a._read()
        function = written.get(kind)
        return function(a) if function else otherwise((a,), {})
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcad.runtime.nest import is_nested
from srcad.runtime.operand import Readable
from srcad.runtime.tensor import Tensor


def kind_read(key: tuple[Any, ...], arguments: Sequence[Any], keywords: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The kind of the call that has tensors for variables; None if these may be in keywords.

    >>> from srcad.runtime.variable import Variable
    >>> kind_read(("sum", Variable, "axis", int), (Variable(1.0),), {"axis": 0})
    ('sum', <class 'srcad.runtime.tensor.Tensor'>, 'axis', <class 'int'>)
    """
    if any(is_nested(each) or isinstance(each, Readable) for each in keywords.values()):
        return None
    kinds = [Tensor if isinstance(each, Readable) else type(each) for each in arguments]
    return (key[0], *kinds, *key[1 + len(kinds) :])


def lines_of_reading(kinds: Mapping[str, type], handed: str) -> list[str]:
    """The lines of the function behind the first; `handed` is how it hands its keywords on."""
    given = ", ".join(kinds)
    return [
        *[f"{name} = {name}._read()" for name, kind in kinds.items() if issubclass(kind, Readable)],
        *[
            line
            for name, kind in kinds.items()
            if kind in (list, tuple)
            for line in (f"if contents({name}) > 1:", f"    {name} = without_variables({name})")
        ],
        "function = written.get(kind)",
        f"return function({given}{handed}) if function else otherwise(({given},), {'keywords' if handed else '{}'})",
    ]
