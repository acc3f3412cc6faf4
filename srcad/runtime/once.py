"""The reverse sweep of a gradient that is asked for once, while no tape is active: in one loop over what was recorded.

Its results are those of a `Sweep`, which chooses all pullbacks first and then runs them, any number of times.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.active import Recording
from srcad.runtime.arithmetic import NO_KEYWORDS
from srcad.runtime.node import Bars, GeneralNode, Node, gather, nodes_of, tensors_in, unwrapped
from srcad.runtime.pull import direct, direct_of_first, direct_of_second, direct_pullback, is_complex
from srcad.runtime.slices import dense
from srcad.runtime.tensor import Tensor

_double = np.dtype(np.float64)
_LISTS = frozenset((tuple, list))


def swept_once(
    recording: Recording, targets: Sequence[Tensor], sources: Sequence[Tensor], seeds: Sequence[Tensor]
) -> list[Any]:
    """The adjoints of the sources, arrays or `Rows`, where no tape is active: in one loop over the nodes.

    Only what leads from the sources is asked for its pullback.
    """
    kept = {source._identity for source in sources}
    relevant = _leading_from(recording, kept)
    bars: Bars = {}
    for target, seed in zip(targets, seeds, strict=True):
        identity = target._identity
        # A target that is a source has the gradient one, watched or not.
        if identity in relevant or identity in kept:
            bars[identity] = bars[identity] + seed._value if identity in bars else seed._value
    # Infinite slopes are infinite, without a warning: what is warned of happened in the forward computation.
    with np.errstate(all="ignore"):
        _sweep(recording.entries, bars, kept, relevant)
    return [bars.get(source._identity) for source in sources]


def _leading_from(recording: Recording, sources: set[int]) -> set[int]:
    """The identities of what the recording follows and the sources lead to."""
    if recording.roots <= sources:  # all that was watched: so everything
        return recording.known
    relevant = recording.known.intersection(sources)
    for node in nodes_of(recording.entries):
        if node.leads_from(relevant):
            relevant.update(node.outputs())
    return relevant


def _sweep(entries: Sequence[Any], bars: Bars, kept: Collection[int], relevant: Collection[int]) -> None:
    """Take the adjoint of each result out of the gathered ones, and add those of the relevant inputs.

    For most calls, those of two arguments of which one is wanted, this is written out.
    """
    pop, for_first, for_second = bars.pop, direct_of_first.get, direct_of_second.get
    for entry in reversed(entries):
        if type(entry) is not tuple:
            _pull(entry, bars, kept, relevant)
            continue
        primitive, arguments, result = entry
        identity, value = result._identity, result._value
        bar = dense(bars.get(identity)) if identity in kept else pop(identity, None)
        if bar is None:
            continue
        if len(arguments) == 2 and value.dtype is _double:
            a, b = first, second = arguments
            tensor: Any = None
            run: Any = None
            if type(first) is Tensor:
                a = first._value
                if first._identity in relevant:
                    tensor, run = first, for_first(primitive)
            if type(second) is Tensor:
                b = second._value
                if second._identity in relevant:
                    tensor, run = second, for_second(primitive) if tensor is None else None
            if run is not None and tensor._value.dtype is _double:
                (contribution,) = run(bar, value, a, b)
                if getattr(contribution, "dtype", None) is _double and contribution.shape == tensor._value.shape:
                    identity = tensor._identity
                    bars[identity] = bars[identity] + contribution if identity in bars else contribution
                else:
                    gather(bars, tensor, contribution)
                continue
        if value.dtype is not _double or not _pull_few(primitive, arguments, value, bar, bars, relevant):
            _pull_call(primitive, arguments, result, NO_KEYWORDS, bar, bars, kept, relevant)


def _pull_few(
    primitive: Any, arguments: tuple[Any, ...], value: Any, bar: Any, bars: Bars, relevant: Collection[int]
) -> bool:
    """The same for calls whose one argument, or whose two arguments, are wanted float64 tensors; whether it is one."""
    count = len(arguments)
    if count > 2 or not direct[primitive]:
        return False
    for each in arguments:
        if type(each) is not Tensor or each._identity not in relevant or each._value.dtype is not _double:
            return False
    run = direct[primitive].get(0b11 if count == 1 else 0b111)
    if run is None:
        return False
    if count == 1:
        (contribution,) = run(bar, value, arguments[0]._value)
        gather(bars, arguments[0], contribution)
        return True
    first, second = arguments
    of_first, of_second = run(bar, value, first._value, second._value)
    gather(bars, first, of_first)
    gather(bars, second, of_second)
    return True


def _pull(node: Any, bars: Bars, kept: Collection[int], relevant: Collection[int]) -> None:
    """The same for any node."""
    kind = type(node)
    if (kind is Node or kind is GeneralNode) and type(node.result) is Tensor:
        identity = node.result._identity
        bar = dense(bars.get(identity)) if identity in kept else bars.pop(identity, None)
        if bar is not None:
            _pull_call(node.primitive, node.arguments, node.result, node.keywords, bar, bars, kept, relevant)
    elif not bars.keys().isdisjoint(node.outputs()) and (wanted := node.leads_from(relevant)):
        node.prepare(wanted, False)(bars, kept)


def _pull_call(
    primitive: Any,
    arguments: tuple[Any, ...],
    result: Tensor,
    keywords: Mapping[str, Any],
    bar: Any,
    bars: Bars,
    kept: Collection[int],
    relevant: Collection[int],
) -> None:
    """The same for any call with one result, by the function that `direct_pullback` knows or as its node does it."""
    mask, values, inputs, is_real = _wanted(arguments, relevant)
    run = None
    # Where the result and an input are real, so is the slope, whatever else is complex.
    if is_real and result._value.dtype.kind != "c":
        known = None if keywords else direct[primitive].get(mask)
        run = known or direct_pullback(primitive, mask, values, keywords)
    if run is None:
        _pull_otherwise(GeneralNode(primitive, arguments, keywords, result), bar, bars, kept, relevant)
        return
    for argument, contribution in zip(inputs, run(bar, result._value, *values, **keywords)):  # noqa: B905 - strict is slow
        if type(argument) is Tensor:
            gather(bars, argument, contribution)
        elif contribution is not None:
            for tensor, piece in _pieces(argument, contribution):
                if tensor._identity in relevant:
                    gather(bars, tensor, piece)


def _wanted(arguments: tuple[Any, ...], relevant: Collection[int]) -> tuple[int, list[Any], list[Any], bool]:
    """Which arguments are wanted, as `direct_pullback` takes it; all values; those wanted; whether these are real."""
    mask, values, inputs, is_real = 1, [], [], True
    for argument in arguments:
        mask += mask
        if type(argument) is Tensor:
            held = argument._value
            values.append(held)
            if argument._identity in relevant:
                mask += 1
                inputs.append(argument)
                is_real = is_real and (held.dtype is _double or held.dtype.kind != "c")
        elif type(argument) in _LISTS and any(part._identity in relevant for part in tensors_in(argument)):
            mask += 1
            inputs.append(argument)
            values.append(unwrapped(argument))
            is_real = is_real and not is_complex(values[-1])
        else:
            values.append(argument)
    return mask, values, inputs, is_real


def _pull_otherwise(node: GeneralNode, bar: Any, bars: Bars, kept: Collection[int], relevant: Collection[int]) -> None:
    """The same as any sweep does it."""
    if wanted := node.leads_from(relevant):
        if node.result._identity not in kept:
            bars[node.result._identity] = bar
        node.prepare(wanted, False)(bars, kept)


def _pieces(structure: Any, contribution: Any) -> Iterator[tuple[Tensor, Any]]:
    """Each tensor in a list or tuple, with what stands at the same place of a contribution."""
    for part, piece in zip(structure, contribution, strict=True):
        if type(part) is Tensor:
            yield part, piece
        elif type(part) in _LISTS and piece is not None:
            yield from _pieces(part, piece)
