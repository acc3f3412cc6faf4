"""Sweeps in vector mode: generated from the text of a single sweep, compiled, and kept in the cache folder.

They are made when they are first asked for, since most derivatives are computed along a few directions only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import gast
from numba.core import types

from srcad.parsing import syntax_tree
from srcad.printing.printer import print_module
from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.disk_cache import Stored
from srcad.runtime.jit.dispatchers import compiled, load
from srcad.runtime.jit.numba_inference import CannotType, infer
from srcad.runtime.support.event_log import log
from srcad.transforms.ir.build import walk
from srcad.transforms.postoptimise.allocation.small_matrices import with_general_kernels
from srcad.transforms.sweeps.lane_statements import in_lanes
from srcad.transforms.sweeps.vector_mode import NotInLanes, Sweep

_NUMPY, _IMPORT = "import numpy as np", "from srcad.runtime.kernels import directions"
ENDINGS = ("_lanes", "_all_lanes")  # of the functions for several directions, and for all


@dataclass(frozen=True)
class Wanted:
    """Which arguments of a sweep are directions, how many of its results are the primal's, and how blocks are laid out.

    by_columns      whether the derivatives for all directions are the columns of an array, and not the rows
    """

    directions: tuple[int, ...]
    primals: int
    by_columns: bool


def lanes_text(text: str, name: str, function: Callable[..., Any], kinds: Sequence[Any], wanted: Wanted) -> str | None:
    """The function of this name in a generated module for several directions at once, and what calls it for all.

    None where it has no vector mode. `kinds` are the types of its arguments.
    """
    module = with_general_kernels(syntax_tree(text))
    defined = {each.name: each for each in module.body if isinstance(each, gast.FunctionDef)}
    tree = defined[name]
    used = {node.id for node in walk(tree) if isinstance(node, gast.Name)}
    if used & defined.keys() or used & {"directions", "prange"}:
        return None
    parameters = [each.id for each in tree.args.args]
    try:
        found = infer(function, tuple(kinds))
        sweep = Sweep(
            tree, found.types, found.result, [parameters[place] for place in wanted.directions], wanted.primals
        )
        made = in_lanes(sweep, name + ENDINGS[0])
    except (NotInLanes, CannotType) as problem:
        log.debug("%s has no vector mode: %s", name, problem)
        return None
    header = [each for each in module.body if isinstance(each, (gast.Import, gast.ImportFrom))]
    imports = dict.fromkeys([*(print_module([each]).strip() for each in header), _NUMPY, _IMPORT])
    return print_module([made], [*imports]) + "\n\n" + all_text(name, found.result, kinds, wanted)


def all_text(name: str, result: Any, kinds: Sequence[Any], wanted: Wanted) -> str:
    """The function for all unit directions of one argument, in blocks; empty if several arguments move.

    It takes the arguments of a sweep, with zeros in place of the direction, and gives for each derivative an array with
    a row for each direction, or a column for each if that is wanted.
    """
    if len(wanted.directions) != 1:
        return ""
    given = [f"a{place}" for place in range(len(kinds))]
    bar = given[wanted.directions[0]]
    parts = list(result)[wanted.primals :] if isinstance(result, types.BaseTuple) else [result]
    picked = (
        [f"found[{wanted.primals + k}]" for k in range(len(parts))]
        if isinstance(result, types.BaseTuple)
        else ["found"]
    )
    lines = [
        f"def {name}{ENDINGS[1]}({', '.join(given)}):",
        f"    flat = {bar}.reshape((-1, directions.WIDTH))",
        "    flat[...] = 0.0",
        "    count = flat.shape[0]",
        "    for first in range(0, count, directions.WIDTH):",
        "        width = min(directions.WIDTH, count - first)",
        "        for lane in range(width):",
        "            flat[first + lane, lane] = 1.0",
        f"        found = {name}{ENDINGS[0]}({', '.join(given)})",
    ]
    for k, part in enumerate(picked):
        shape, place = (
            (f"(r{k}.shape[0], count)", "i, first + lane")
            if wanted.by_columns
            else (
                f"(count, r{k}.shape[0])",
                "first + lane, i",
            )
        )
        lines += _stored(k, part, shape, place)
    lines += ["        for lane in range(width):", "            flat[first + lane, lane] = 0.0"]
    return "\n".join([*lines, f"    return ({''.join(f'o{k}, ' for k in range(len(parts)))})"]) + "\n"


def _stored(k: int, part: str, shape: str, place: str) -> list[str]:
    """The lines that store one derivative of a block, in an array that the first block makes."""
    return [
        f"        r{k} = {part}.reshape((-1, directions.WIDTH))",
        "        if first == 0:",
        f"            o{k} = np.empty({shape})",
        f"        for i in range(r{k}.shape[0]):",
        "            for lane in range(width):",
        f"                o{k}[{place}] = r{k}[i, lane]",
    ]


def vector_sweeps(
    given: tuple[ModuleType, Stored],
    index: int,
    kinds: Sequence[Any],
    wanted: Wanted,
    options: Mapping[str, Any],
) -> tuple[Callable[..., Any], ...]:
    """The compiled functions for several directions, and for all; none where there is no vector mode.

    `given` is the generated module that has the single sweep, as the function of this index.
    """
    module, stored = given
    name = disk_cache.key("directions", module.__name__, str(index), str(wanted), *map(repr, kinds))
    kept = disk_cache.fetch(name)
    if kept is None:
        own = stored.functions[index]
        function = vars(module)[own]
        text = lanes_text(stored.text, own, getattr(function, "py_func", function), kinds, wanted)
        kept = Stored("", ())
        if text is not None:
            names = tuple(own + ending for ending in ENDINGS if f"def {own}{ending}(" in text)
            memory = {own + ENDINGS[0]: stored.memory[own]} if own in stored.memory else {}
            kept = Stored(text, names, stored.injected, stored.assumes, memory)
        if not stored.injected:
            disk_cache.store(name, kept)
    if not kept.functions:
        return ()
    objects = {each: vars(module)[each] for each in kept.injected}
    return compiled(load(name, kept, objects), kept.functions, options, kept.assumes)
