"""Batched pullbacks of recorded calls: for many cotangents at once, along a leading axis.

    y = np.sin(x) @ a           y_bar of shape (k, *y.shape)      ->      x_bar of shape (k, *x.shape)

Elementwise rules work unchanged, since NumPy broadcasts along leading axes. The rules of matrix products, reductions
and functions that move elements have batched versions in `srcad.runtime.tape.reverse.batched_rules`. For every other
call, including compiled functions, the pullback runs for one cotangent after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.unbroadcast import summed_axes
from srcad.runtime.rulebook.registry import find
from srcad.runtime.tape.core.node import Bars, Node, Pairs, accumulate, dense
from srcad.runtime.tape.core.reverse_sweep import Sweep
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.reverse.batched_rules import ALONG
from srcad.runtime.tape.reverse.eager_rules import is_complex, names_of
from srcad.runtime.tape.reverse.pullbacks import Path, pullback

LARGEST = 1 << 20  # the most elements that a batched sweep makes for one array


def cotangents_at_once(path: Sequence[tuple[Node, Sequence[Tensor]]], size: int) -> int:
    """The number of cotangents that one sweep along these nodes processes, for a target of this size.

    An adjoint has as many times its array's elements: for large arrays few cotangents are taken at once, which is no
    slower.
    """
    largest: int = max([1, size, *[each._value.size for _, wanted in path for each in wanted]])
    return max(1, LARGEST // largest)


def run_batched(sweep: Sweep, seeds: Any) -> list[Any]:
    """The adjoints of a sweep's sources for a batch of adjoints of its single target, along the first axis of each.

    Not for a live sweep.
    """

    def pull(node: Node, found: list[Any], bars: Bars) -> None:
        pairs = node.batched_pullback(found, sweep.relevant)
        for tensor, rows in _one_by_one(node, found, sweep) if pairs is None else pairs:
            identity = tensor._identity
            bars[identity] = bars[identity] + rows if identity in bars else rows

    return [dense(bar) for bar in sweep.swept([seeds], pull)]


def _one_by_one(node: Node, found: list[Any], sweep: Sweep) -> Pairs:
    """The contributions of a node that is pulled back for one adjoint after the other."""
    count = next(len(bar) for bar in found if bar is not None)
    each_row: list[Bars] = [{} for _ in range(count)]
    for k, row in enumerate(each_row):
        given = [bar if bar is None else bar[k] for bar in found]
        for tensor, contribution in node.pullback(given, sweep.relevant, False):
            accumulate(row, tensor, contribution)
    for tensor in {each._identity: each for each in node.inputs()}.values():
        column = [dense(row.get(tensor._identity)) for row in each_row]
        if any(bar is not None for bar in column):
            zero = np.zeros_like(tensor._value)
            yield tensor, np.stack([zero if bar is None else bar for bar in column])


def batched(
    primitive: Any,
    result: Any,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    wanted: tuple[Path, ...],
    like: Sequence[Any],
    bars: Any,
) -> list[Any] | None:
    """The adjoints of the arguments at the wanted paths, whose values are `like`; None if no batched rule covers them.

    `bars` are adjoints of the result along a first axis; those returned have such an axis too.

    >>> x = np.array([2.0, 3.0])
    >>> batched(np.square, x * x, (x,), {}, ((0,),), [x], np.eye(2))[0].tolist()
    [[4.0, 0.0], [0.0, 6.0]]
    """
    rule = find(primitive, [None if isinstance(each, (tuple, list)) else np.ndim(each) for each in arguments])
    assert rule is not None
    if rule.elementwise:
        if any(len(path) > 1 for path in wanted):
            return None
        found = pullback(primitive, result, arguments, keywords, wanted)(bars)
        rank = result.ndim
    else:
        along, template = ALONG.get(primitive), rule.adjoint
        if along is None or template is None or is_complex(result) or any(map(is_complex, arguments)):
            return None
        names = names_of(rule, len(arguments), tuple(keywords))
        bound = {**template.defaults, **dict(zip(names, (*arguments, *keywords.values()), strict=True))}
        by_name = along(bars, result, {names[place] for place, *_ in wanted}, **bound)
        if by_name is None:
            return None
        found = [_at(by_name[names[place]], inside) for place, *inside in wanted]
        rank = -1
    fitted = [_fitted(bar, bars, each, rank) for bar, each in zip(found, like, strict=True)]
    return None if any(each is None for each in fitted) else fitted


def _at(values: Any, path: Sequence[int]) -> Any:
    for place in path:
        values = values[place]
    return values


def _fitted(bar: Any, given: Any, like: Any, rank: int) -> Any:
    """A batch of adjoints in the shape and dtype of the input; None if it does not have the form of a batch."""
    count = given.shape[0]
    if not isinstance(bar, np.ndarray) or not bar.ndim or bar.shape[0] != count or rank not in (-1, bar.ndim - 1):
        return None
    axes = summed_axes(bar.shape[1:], like.shape)
    if axes:
        bar = np.add.reduce(bar, axis=tuple([axis + 1 for axis in axes])).reshape(count, *like.shape)
    if bar.shape[1:] != like.shape:
        missing = (1,) * (like.ndim - bar.ndim + 1)
        bar = np.broadcast_to(bar.reshape(count, *missing, *bar.shape[1:]), (count, *like.shape))
    if bar.dtype.kind == "c" and like.dtype.kind != "c":
        bar = np.real(bar)
    return bar if bar.dtype == like.dtype else bar.astype(like.dtype)
