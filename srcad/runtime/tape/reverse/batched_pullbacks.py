"""Batched pullbacks of recorded calls: for many cotangents at once, along a leading axis.

    y = np.sin(x) @ a           y_bar of shape (k, *y.shape)      ->      x_bar of shape (k, *x.shape)

Elementwise rules work unchanged, since NumPy broadcasts along leading axes. The rules of matrix products, reductions
and functions that move elements have batched versions in `srcad.runtime.tape.reverse.batched_rules`. For every other
call, including compiled functions, the pullback runs for one cotangent after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.unbroadcast import summed_axes
from srcad.runtime.rulebook.registry import Rule, find
from srcad.runtime.tape.recording.nodes import Bars, GeneralNode, Node, unwrapped
from srcad.runtime.tape.reverse.batched_rules import ALONG
from srcad.runtime.tape.reverse.eager_rules import names_of
from srcad.runtime.tape.reverse.pullbacks import is_complex, pullback
from srcad.runtime.tape.values.indexed_slices import dense
from srcad.runtime.tape.values.tensor import Tensor

Step = Callable[[Bars, Collection[int]], None]
Pull = Callable[[Any], "list[Any] | None"]
LARGEST = 1 << 20  # the most elements that a batched sweep makes for one array


def cotangents_at_once(path: Sequence[Any], size: int) -> int:
    """The number of cotangents that one sweep along these nodes processes, for a target of this size.

    An adjoint has as many times its array's elements: for large arrays few cotangents are taken at once, which is no
    slower.
    """
    largest: int = max(1, size)
    for node, wanted in path:
        followed = set(node.input_identities(wanted))
        for tensor in node.tensors():
            if tensor._identity in followed:
                largest = max(largest, tensor._value.size)
    return max(1, LARGEST // largest)


def batched_step(node: Any, wanted: tuple[Any, ...]) -> Step:
    """The reverse step of a node for adjoints with a leading axis for the cotangents."""
    if hasattr(node, "batched"):
        return node.batched(wanted)  # type: ignore[no-any-return]
    mapped = _mapped(node, wanted)
    pull = _pull_of(node, wanted) if type(node) in (Node, GeneralNode) and type(node.result) is Tensor else None
    if pull is None:
        return mapped
    identity = node.result._identity
    inputs = [_input(node, path) for path in wanted]

    def step(bars: Bars, kept: Collection[int]) -> None:
        bar = bars.get(identity)
        if bar is None:
            return
        found = pull(bar)
        fitting = None if found is None else [_fitted(each, bar, *pair) for each, *pair in _paired(found, inputs, node)]
        if fitting is None or any(each is None for each in fitting):
            mapped(bars, kept)
            return
        if identity not in kept:
            del bars[identity]
        for tensor, each in zip(inputs, fitting, strict=True):
            _gather(bars, tensor._identity, each)

    return step


def _paired(found: Sequence[Any], inputs: Sequence[Tensor], node: Any) -> list[tuple[Any, Any, int]]:
    rank = node.result._value.ndim if _rule_of(node).elementwise else -1
    return [(each, tensor._value, rank) for each, tensor in zip(found, inputs, strict=True)]


def _rule_of(node: Any) -> Rule:
    ranks = [None if isinstance(each, (tuple, list)) else np.ndim(unwrapped(each)) for each in node.arguments]
    rule = find(node.primitive, ranks)
    assert rule is not None
    return rule


def _pull_of(node: Any, wanted: tuple[Any, ...]) -> Pull | None:
    """The batched pullback: adjoints of the wanted inputs. None if it does not cover these."""
    rule, result = _rule_of(node), node.result._value
    values, keywords = unwrapped(node.arguments), unwrapped(node.keywords)
    if rule.elementwise:
        if any(isinstance(path, tuple) and len(path) > 1 for path in wanted):
            return None
        return pullback(node.primitive, result, values, keywords, wanted)
    along = ALONG.get(node.primitive)
    template = rule.adjoint
    if along is None or template is None or is_complex(result) or any(map(is_complex, values)):
        return None
    names = names_of(rule, len(values), tuple(keywords))
    bound = {**template.defaults, **dict(zip(names, (*values, *keywords.values()), strict=True))}
    paths = [path if isinstance(path, tuple) else (path,) for path in wanted]

    def pull(bar: Any) -> list[Any] | None:
        found = along(bar, result, {names[path[0]] for path in paths}, **bound)
        if found is None:
            return None
        contributions = []
        for place, *inside in paths:
            each = found[names[place]]
            for index in inside:
                each = each[index]
            contributions.append(each)
        return contributions

    return pull


def _input(node: Any, path: Any) -> Tensor:
    found = node.arguments
    for place in path if isinstance(path, tuple) else (path,):
        found = found[place]
    return found  # type: ignore[no-any-return]


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


def _gather(bars: Bars, identity: int, contribution: Any) -> None:
    bars[identity] = bars[identity] + contribution if identity in bars else contribution


def _mapped(node: Any, wanted: tuple[Any, ...]) -> Step:
    """A step that runs the node's own step for one cotangent after the other."""
    outputs, inputs = node.outputs(), tuple(dict.fromkeys(node.input_identities(wanted)))

    def step(bars: Bars, kept: Collection[int]) -> None:
        given = {each: bars[each] if each in kept else bars.pop(each) for each in outputs if each in bars}
        if not given:
            return
        one, rows = node.prepare(wanted, False), []
        for k in range(len(next(iter(given.values())))):
            row = {identity: bar[k] for identity, bar in given.items()}
            one(row, ())
            rows.append([dense(row.get(each)) for each in inputs])
        for identity, column in zip(inputs, zip(*rows, strict=True), strict=True):
            if any(each is not None for each in column):
                zero = next(np.zeros_like(each) for each in column if each is not None)
                _gather(bars, identity, np.stack([zero if each is None else each for each in column]))

    return step
