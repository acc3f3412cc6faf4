"""How much memory the trace of a derivative takes for given arguments, told when there is not enough of it.

The generated function allocates its traces by extents, `v_trace = np.empty(max(n, 0))`. These are evaluated for the
arguments of the call that failed, and each is told with the line whose values it holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import gast
import numpy as np

from srcad.errors import Place, TraceTooLarge
from srcad.transforms.ir.build import dotted_path, place_of, walk, walk_statements

if TYPE_CHECKING:
    from srcad.driver.version import Version

_SHOWN = 3  # lines that are told
_FUNCTIONS = {"max": max, "min": min, "len": len, "int": int, "abs": abs}
_TRACES = "_trace"  # of the names that traces have


def refuse_trace(problem: MemoryError, version: Version, kinds: tuple[Any, ...], args: Sequence[Any]) -> None:
    """Raise TraceTooLarge, saying what the trace takes, if a derivative that ran out of memory has a trace."""
    try:
        tree = version.generated(kinds).made.functions[0]
        found = sorted(sizes(tree, args), key=lambda each: -each[1])
    except MemoryError:
        return
    if not found:
        return
    total, lines = sum(size for _, size in found), dict[int, int]()
    for place, size in found:
        if place is not None:
            lines[place.line] = lines.get(place.line, 0) + size
    told = ", ".join(f"{written(size)} for line {line}" for line, size in [*lines.items()][:_SHOWN])
    raise TraceTooLarge(
        f"no memory is left for the derivative of {version.unit.name}, whose trace takes {written(total)}"
        + (f": {told}" if told else ""),
        at=found[0][0],
        hint="loop over `srcad.checkpointed(range(n))`, which keeps a few snapshots in place of a trace, or let "
        "`srcad.function(f, max_trace_bytes=n)` choose how many fit",
    ) from problem


def sizes(tree: gast.FunctionDef, args: Sequence[Any]) -> Iterator[tuple[Place | None, int]]:
    """For each trace of a generated function whose extents follow from the arguments: where it is filled, its bytes."""
    parameters = [each.id for each in tree.args.args]
    known: dict[str, Any] = dict(zip(parameters, args, strict=False))
    places = dict(filled(tree))
    for statement in tree.body:
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                size = _allocated(value, known)
                if _TRACES in name and size is not None:
                    yield places.get(name), size
                known.pop(name, None)
                found = value_of(value, known)
                if found is not None:
                    known[name] = found


def filled(tree: gast.FunctionDef) -> Iterator[tuple[str, Place | None]]:
    """For each trace, the line that computes what it holds."""
    computed: dict[str, Place | None] = {}
    for statement in walk_statements(tree.body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)]) if place_of(statement) is not None:
                computed[name] = place_of(statement)
    for statement in walk_statements(tree.body):
        match statement:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name))], value=value) if _TRACES in name:
                read = [each.id for each in walk(value) if isinstance(each, gast.Name)]
                yield name, place_of(statement) or next((computed[each] for each in read if each in computed), None)


def _allocated(value: gast.expr, known: Mapping[str, Any]) -> int | None:
    """The bytes that an expression allocates, where they are known."""
    if not isinstance(value, gast.Call) or dotted_path(value.func) not in ("np.empty", "np.zeros"):
        return None
    shape = value_of(value.args[0], known)
    if shape is None:
        return None
    dtype = (dotted_path(value.args[1]) or "").rpartition(".")[2] if len(value.args) > 1 else "float64"
    kind = np.dtype(getattr(np, dtype.rstrip("_"), np.float64))
    return math.prod(shape if isinstance(shape, tuple) else (shape,)) * kind.itemsize


def value_of(node: gast.expr, known: Mapping[str, Any]) -> Any:
    """The value of an expression of integers, shapes and known names; None for any other.

    >>> value_of(gast.parse("2 * x.shape[0]", mode="eval").body, {"x": np.ones(3)})
    6
    """
    allowed = (
        gast.Constant,
        gast.Name,
        gast.BinOp,
        gast.UnaryOp,
        gast.Attribute,
        gast.Subscript,
        gast.Tuple,
        gast.Call,
    )
    for each in walk(node):
        match each:
            case gast.Attribute(attr=name) if name not in ("shape", "size", "ndim"):
                return None
            case gast.Call(func=gast.Name(id=name)) if name not in _FUNCTIONS:
                return None
            case gast.Name(id=name) if name not in known and name not in _FUNCTIONS:
                return None
            case gast.expr() if not isinstance(each, allowed):
                return None
    text = gast.unparse(node)
    try:
        found = eval(compile(text, "<extent>", "eval"), {"__builtins__": {}}, {**_FUNCTIONS, **known})
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError):
        return None
    return found if isinstance(found, (int, np.integer, tuple)) else None


def written(size: float) -> str:
    """A number of bytes as people write it.

    >>> written(800), written(8e10)
    ('800 bytes', '74.5 GiB')
    """
    units = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")
    place = 0
    while size >= 1024 and place < len(units) - 1:
        size, place = size / 1024, place + 1
    return f"{size:.3g} {units[place]}"
