"""Several calls in one function, of which the gradient is compiled once.

Most of the time that a gradient takes to compile is the same for one call as for eight. The names of a call are its
own in the function, so that each call is compared with differences by itself. If the function cannot be compiled, the
halves of the group are tried, down to single calls, whose reasons are reported.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import srcad
from srcad.parsing import python_tree
from srcad.tools.coverage.trials import (
    FAILURES,
    INTEGERS,
    YES,
    Call,
    Outcome,
    agrees,
    arguments_of,
    defined,
    directions,
    inner,
    number_of,
    points,
    slope,
    tried,
    uncompiled_is_an_error,
)

SIZE = 8


def compiled(texts: Sequence[str]) -> list[Outcome]:
    """What becomes of calls whose gradients are compiled together.

    >>> [each.columns for each in compiled(["np.sin(v)", "np.cumsum(v)"])]
    [{'compiled': 'yes'}, {'compiled': 'yes'}]
    """
    if len(texts) == 1:
        return [tried(texts[0], ["compiled"])]
    try:
        with uncompiled_is_an_error():
            _try_together([Call(text) for text in texts])
    except FAILURES:
        half = len(texts) // 2
        return [*compiled(texts[:half]), *compiled(texts[half:])]
    return [Outcome(text, {"compiled": YES}, {}) for text in texts]


def _try_together(calls: Sequence[Call]) -> None:
    """Raise an exception if one of the calls has a wrong gradient, or none that is compiled."""
    body, results = [], []
    real: dict[str, Any] = {}
    whole: dict[str, Any] = {}
    for i, call in enumerate(calls):
        values = arguments_of(call)
        body += _renamed(call.text, i)
        results.append(number_of(f"result_{i}", call.gives_complex(values)))
        for name, value in zip([*call.names, *call.others], values, strict=True):
            (whole if name in INTEGERS else real)[f"{name}_{i}"] = value
    f = defined([*real, *whole], body, " + ".join(results))
    bars = dict(zip(real, srcad.grad(f, wrt=tuple(range(len(real))))(*real.values(), *whole.values()), strict=True))
    for i, call in enumerate(calls):
        values = arguments_of(call)
        towards = directions(call, values)
        expected = slope(call.function(call.gives_complex(values)), values, towards)
        agrees(inner([bars[f"{name}_{i}"] for name in call.names], towards), expected)


def _renamed(text: str, number: int) -> list[str]:
    """The statements of a call, with names of its own; the last gives the result.

    >>> _renamed("y = v.copy(); y.fill(s); y", 3)
    ['y_3 = v_3.copy()', 'y_3.fill(s_3)', 'result_3 = y_3']
    """
    tree = python_tree(text.replace("; ", "\n"))
    names = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    names |= {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
    names |= points().keys() | INTEGERS.keys()
    for each in ast.walk(tree):
        if isinstance(each, ast.Name) and each.id in names:
            each.id = f"{each.id}_{number}"
        elif isinstance(each, ast.arg):
            each.arg = f"{each.arg}_{number}"
    *before, last = (ast.unparse(each) for each in tree.body)
    return [*before, f"result_{number} = {last}"]
