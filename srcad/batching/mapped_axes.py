"""Which axis of which array is mapped: `in_axes` and `out_axes` of `srcad.vmap`, spread over structures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.api.pytree import flattened, take_apart
from srcad.errors import BadArgument, BadType
from srcad.runtime.support.structured_arguments import is_structured

Axis = int | None


class Batch:
    """The arguments of one call, taken apart.

    leaves      numbers, arrays, constants; an array that is mapped has the mapped axis first, and is contiguous
    axes        for each leaf, whether it is mapped
    size        the number of elements
    """

    def __init__(self, names: Sequence[str], args: tuple[Any, ...], axes: Sequence[Any]) -> None:
        self.is_structured = any(map(is_structured, args))
        if self.is_structured:
            take_apart(args)  # registers classes that are seen for the first time
            self.leaves, self.spec = flattened(args)
            parts = self.spec.children()
        else:
            self.leaves, self.spec, parts = list(args), None, [None] * len(args)
        places: list[Axis] = []
        called: list[str] = []
        for name, axis, part in zip(names, axes, parts, strict=True):
            spread = spread_axes(axis, part, f"in_axes of '{name}'")
            places += spread
            called += [name] * len(spread)
        self.is_mapped = tuple(axis is not None for axis in places)
        self.size = _size(self.leaves, places, called)
        for place, axis in enumerate(places):
            if axis is not None:
                self.leaves[place] = np.ascontiguousarray(np.moveaxis(self.leaves[place], axis, 0))

    def element(self, k: int) -> tuple[Any, ...]:
        """The arguments of one element."""
        leaves = [leaf[k] if here else leaf for leaf, here in zip(self.leaves, self.is_mapped, strict=True)]
        return tuple(leaves) if self.spec is None else tuple(self.spec.unflatten(leaves))

    def copied_element(self, k: int) -> tuple[Any, ...]:
        """The same, in memory of its own."""
        leaves = [leaf[k] if here else leaf for leaf, here in zip(self.leaves, self.is_mapped, strict=True)]
        leaves = [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
        return tuple(leaves) if self.spec is None else tuple(self.spec.unflatten(leaves))


def spread_axes(axis: Any, spec: Any, what: str) -> list[Axis]:
    """The axis of each leaf: an integer or None is that of all leaves below.

    >>> spread_axes(0, None, "in_axes"), spread_axes(None, None, "in_axes")
    ([0], [None])
    """
    if axis is None or (isinstance(axis, (int, np.integer)) and not isinstance(axis, bool)):
        return [None if axis is None else int(axis)] * (1 if spec is None else spec.num_leaves)
    if spec is None or spec.is_leaf() or not isinstance(axis, (tuple, list, dict)):
        raise BadType(
            f"{what} is {axis!r}", hint="give an integer or None, or the structure of the argument with these in it"
        )
    keys, parts = list(spec.entries()), spec.children()
    given = axis if isinstance(axis, dict) else dict(enumerate(axis))
    if set(given) != set(keys):
        raise BadArgument(
            f"{what} has the parts {sorted(given, key=str)}, the argument {sorted(keys, key=str)}",
            hint="give one axis for each part, or one for all",
        )
    return [found for key, part in zip(keys, parts, strict=True) for found in spread_axes(given[key], part, what)]


def axes_of_call(in_axes: Any, names: Sequence[str], given: Sequence[bool]) -> list[Any]:
    """`in_axes` for each parameter; what is not `given`, but has its default, is not mapped."""
    if not isinstance(in_axes, (tuple, list)):
        return [in_axes if here else None for here in given]
    if len(in_axes) > len(names) or any(given[len(in_axes) :]):
        raise BadArgument(
            f"in_axes has {len(in_axes)} entries, the call {sum(given)} arguments",
            hint="give one entry for each argument: an axis, or None for what all elements share",
        )
    axes = [*in_axes, *[None] * (len(names) - len(in_axes))]
    return [axis if here else None for axis, here in zip(axes, given, strict=True)]


def _size(leaves: Sequence[Any], axes: Sequence[Axis], names: Sequence[str]) -> int:
    """The common size of the mapped axes."""
    sizes: dict[int, str] = {}
    for leaf, axis, name in zip(leaves, axes, names, strict=True):
        if axis is None:
            continue
        if not isinstance(leaf, np.ndarray):
            raise BadType(
                f"'{name}' is to be mapped along axis {axis}, but is or has a {type(leaf).__name__}",
                hint="pass an array with one more axis, or say None for it in in_axes: all elements share it",
            )
        if not -leaf.ndim <= axis < leaf.ndim:
            raise BadArgument(
                f"'{name}' is to be mapped along axis {axis}, but has the shape {leaf.shape}",
                hint="name an axis that it has, or say None for it in in_axes: all elements share it",
            )
        sizes.setdefault(leaf.shape[axis], name)
    if not sizes:
        raise BadArgument("no argument is mapped", hint="give an axis for at least one argument in in_axes")
    if len(sizes) > 1:
        told = ", ".join(f"{size} in '{name}'" for size, name in sizes.items())
        raise BadArgument(
            f"mapped axes have different sizes: {told}", hint="pad or cut them to one size, or call once for each size"
        )
    size = next(iter(sizes))
    if not size:
        raise BadArgument(
            "the batch is empty: the shape of its results is not known", hint="leave out the call for an empty batch"
        )
    return size


def moved_results(results: Any, out_axes: Any) -> Any:
    """Results with the mapped axis moved from the front to where `out_axes` wants it."""
    if isinstance(out_axes, int) and out_axes == 0:
        return results
    take_apart((results,))
    leaves, spec = flattened((results,))
    axes = spread_axes(out_axes, spec.children()[0], "out_axes")
    for place, axis in enumerate(axes):
        leaf = leaves[place]
        if leaf is None:
            continue
        if axis is None or not -leaf.ndim <= axis < leaf.ndim:
            raise BadArgument(
                f"out_axes is {axis} for a result of the shape {leaf.shape}",
                hint="name one of its axes; the first is the mapped one",
            )
        leaves[place] = np.moveaxis(leaf, 0, axis)
    return spec.unflatten(leaves)[0]


def stacked(results: Sequence[Any]) -> Any:
    """Results of all elements, which have one structure, as one structure of arrays. None stays None.

    >>> stacked([{"a": 1.0, "b": None}, {"a": 2.0, "b": None}])
    {'a': array([1., 2.]), 'b': None}
    """
    take_apart((results[0],))
    first, spec = flattened((results[0],))
    columns: list[list[Any]] = [[] for _ in first]
    for k, each in enumerate(results):
        leaves, form = flattened((each,))
        if form != spec or any(np.shape(one) != np.shape(other) for one, other in zip(first, leaves, strict=True)):
            refuse_ragged(k)
        for column, leaf in zip(columns, leaves, strict=True):
            column.append(leaf)
    return spec.unflatten([None if column[0] is None else np.stack(column) for column in columns])[0]


def refuse_ragged(k: int) -> None:
    """Raise BadArgument for an element whose result has another shape than that of the first."""
    raise BadArgument(
        f"the result of element {k} has another shape than that of element 0",
        hint="fill results up to one shape, or call the function in a loop",
    )
