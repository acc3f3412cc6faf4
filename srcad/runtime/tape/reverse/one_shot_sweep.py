"""A reverse sweep in one loop over the recording, for a gradient that is computed once while no tape is active.

Its results are those of `Sweep`, which prepares all pullbacks first, and can then run them any number of times.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.support.errstate import IGNORED, unwarned
from srcad.runtime.tape.active_recordings import Recording
from srcad.runtime.tape.recording.call_plans import Plan
from srcad.runtime.tape.recording.composed_calls import check_shapes, run_again
from srcad.runtime.tape.recording.multiple_results import SeveralNode, pull_several
from srcad.runtime.tape.recording.nodes import Bars, gather, nodes_of
from srcad.runtime.tape.values.indexed_slices import dense, gathered, rows_of
from srcad.runtime.tape.values.list_stacking import operands
from srcad.runtime.tape.values.tensor import Tensor

_double = np.dtype(np.float64)


def swept_once(
    recording: Recording, targets: Sequence[Tensor], sources: Sequence[Tensor], seeds: Sequence[Tensor]
) -> list[Any]:
    """The adjoints of the sources, arrays or `Rows`, computed in one loop over the entries while no tape is active.

    Pullbacks run only for operations that depend on the sources.
    """
    kept = {*map(_identity, sources)}
    # If all watched values are sources, everything recorded depends on them.
    relevant = recording.known if recording.roots <= kept else _leading_from(recording, kept)
    bars: Bars = {}
    for target, seed in zip(targets, seeds):  # noqa: B905 - strict is slow
        identity = target._identity
        # The gradient of a target by itself is one, whether it is watched or not.
        if identity in relevant or identity in kept:
            bars[identity] = bars[identity] + seed._value if identity in bars else seed._value
    # No warnings for infinite derivatives: the forward computation has already warned.
    before = unwarned.set(IGNORED)
    try:
        _sweep(recording.entries, bars, kept, relevant)
    finally:
        unwarned.reset(before)
    return [*map(bars.get, map(_identity, sources))]


_identity = operator.attrgetter("_identity")


def _leading_from(recording: Recording, sources: set[int]) -> set[int]:
    """The identities of recorded values that depend on the sources."""
    relevant = recording.known.intersection(sources)
    for entry in recording.entries:
        if type(entry) is not tuple or entry[0].joins:
            (node,) = nodes_of([entry])
            if node.leads_from(relevant):
                relevant.update(node.outputs())
            continue
        for argument in entry[1]:
            if type(argument) is Tensor and argument._identity in relevant:
                relevant.add(entry[2]._identity)
                break
    return relevant


def _sweep(entries: Sequence[Any], bars: Bars, kept: Collection[int], relevant: Collection[int]) -> None:
    """Reverse loop: move the adjoint of each entry's result on to the relevant inputs, in `bars`."""
    pop = bars.pop
    for entry in reversed(entries):
        if type(entry) is not tuple:
            _pull(entry, bars, kept, relevant)
            continue
        plan, arguments, result, keywords = entry
        identity, value = result._identity, result._value
        bar = dense(bars.get(identity)) if identity in kept else pop(identity, None)
        if bar is None:
            continue
        if form := plan.form:
            # Elementwise, of one tensor and perhaps a number: if both are float64, result and input have one shape.
            tensor = arguments[form == 3]
            identity, a = tensor._identity, tensor._value
            if a.dtype is _double and value.dtype is _double and identity in relevant:
                if form == 1:
                    (contribution,) = (plan.only or plan.pull(0b11, (a,)))(bar, value, a)
                elif form == 2:
                    b = arguments[1]
                    (contribution,) = (plan.first or plan.pull(0b110, (a, b)))(bar, value, a, b)
                else:
                    b = arguments[0]
                    (contribution,) = (plan.second or plan.pull(0b101, (b, a)))(bar, value, b, a)
                if contribution is not None:
                    bars[identity] = bars[identity] + contribution if identity in bars else contribution
                continue
        tensor = contribution = None
        if value.dtype is _double and not plan.apart and len(arguments) <= 2:
            some = _of_two if len(arguments) == 2 else _of_one
            tensor, contribution = some(plan, arguments, value, bar, keywords, bars, relevant)
        if tensor is None:
            _pull_call(plan, arguments, result, keywords, bar, bars, kept, relevant)
        elif getattr(contribution, "dtype", None) is _double and contribution.shape == tensor._value.shape:
            identity = tensor._identity
            bars[identity] = bars[identity] + contribution if identity in bars else contribution
        else:
            gather(bars, tensor, contribution)


def _of_one(
    plan: Plan, arguments: Any, value: Any, bar: Any, keywords: Mapping[str, Any], bars: Bars, relevant: Collection[int]
) -> tuple[Any, Any]:
    """The only argument and the contribution to its adjoint; (None, None) if it is not a relevant float64 tensor."""
    (tensor,) = arguments or (None,)
    if type(tensor) is not Tensor or tensor._identity not in relevant:
        return None, None
    a = tensor._value
    if a.dtype is not _double:
        return None, None
    run = plan.only or plan.pull(0b11, (a,), keywords)
    if run is None:
        return tensor, None
    return tensor, (run(bar, value, a, **keywords) if keywords else run(bar, value, a))[0]


def _of_two(
    plan: Plan,
    arguments: Any,
    value: Any,
    bar: Any,
    keywords: Mapping[str, Any],
    bars: Bars,
    relevant: Collection[int],
) -> tuple[Any, Any]:
    """One of two arguments and the contribution to its adjoint; (None, None) if not only float64 tensors are relevant.

    If both are relevant, the contribution to the first is added to `bars` here.
    """
    a, b = first, second = arguments
    mask = 0b100
    if type(first) is Tensor:
        a = first._value
        if first._identity in relevant:
            if a.dtype is not _double:
                return None, None
            mask = 0b110
    if type(second) is Tensor:
        b = second._value
        if second._identity in relevant:
            if b.dtype is not _double:
                return None, None
            mask += 0b001
    if mask == 0b110:
        run = plan.first or plan.pull(mask, (a, b), keywords)
        return first, None if run is None else run(bar, value, a, b, **keywords)[0]
    if mask == 0b101:
        run = plan.second or plan.pull(mask, (a, b), keywords)
        return second, None if run is None else run(bar, value, a, b, **keywords)[0]
    run = plan.both or plan.pull(mask, (a, b), keywords) if mask == 0b111 else None
    if run is None:
        return None, None
    of_first, contribution = run(bar, value, a, b, **keywords)
    gather(bars, first, of_first)
    return second, contribution


def _pull(node: Any, bars: Bars, kept: Collection[int], relevant: Collection[int]) -> None:
    """The reverse step of an entry that is a node."""
    if type(node) is SeveralNode and pull_several(node, bars, kept, relevant):
        return
    if not bars.keys().isdisjoint(node.outputs()) and (wanted := node.leads_from(relevant)):
        node.prepare(wanted, False)(bars, kept)


def _pull_call(
    plan: Plan,
    arguments: tuple[Any, ...],
    result: Tensor,
    keywords: Mapping[str, Any],
    bar: Any,
    bars: Bars,
    kept: Collection[int],
    relevant: Collection[int],
) -> None:
    """The reverse step of any call with one result, by the pullback of its plan or by its node."""
    if plan.joins and result._value.dtype.kind == "f":
        _pull_join(plan, arguments, result, keywords, bar, bars, relevant)
        return
    if plan.apart and _is_pulled_apart(plan, arguments, result, keywords, bar, bars, kept, relevant):
        return
    mask, values, inputs = 1, [], []
    # If the result and an input are real, so is the derivative, even if other inputs are complex.
    is_real = result._value.dtype.kind != "c"
    for argument in arguments:
        mask += mask
        if type(argument) is Tensor:
            held = argument._value
            values.append(held)
            if argument._identity in relevant:
                mask += 1
                inputs.append(argument)
                is_real = is_real and (held.dtype is _double or held.dtype.kind != "c")
        else:
            values.append(argument)
    if not inputs:
        return
    run = plan.pulls.get(mask) if is_real and not plan.asks else None
    if run is None:
        run = plan.pull(mask, values, keywords) if is_real else plan.pull_complex(mask, values, keywords)
        if run is None:
            return
    for argument, contribution in zip(inputs, run(bar, result._value, *values, **keywords)):  # noqa: B905 - strict is slow
        gather(bars, argument, contribution)


def _is_pulled_apart(
    plan: Plan,
    arguments: tuple[Any, ...],
    result: Tensor,
    keywords: Mapping[str, Any],
    bar: Any,
    bars: Bars,
    kept: Collection[int],
    relevant: Collection[int],
) -> bool:
    """The reverse step of a gather, a join or a composed call; False if the call is none of these after all."""
    if plan.joins:
        (node,) = nodes_of([(plan, arguments, result, keywords)])
        bars[result._identity] = bar
        node.prepare(node.leads_from(relevant), False)(bars, kept)
        return True
    wanted = [each._identity for each in arguments if type(each) is Tensor and each._identity in relevant]
    if plan.composed:
        if wanted:
            again, value = run_again(plan.meaning, arguments, keywords, wanted)
            _pull_again(plan, again, value, result, bar, bars, kept)
        return True
    table = arguments[0]
    index = None
    if type(table) is Tensor and table._identity in wanted:
        index = gathered(plan.primitive, arguments, keywords)
    if index is None:
        return False
    rows = rows_of(bar, index, table, plan.primitive)
    gather(bars, table, rows if table._identity in kept else rows.dense())
    return True


def _pull_again(
    plan: Plan, again: Recording, value: Any, result: Tensor, bar: Any, bars: Bars, kept: Collection[int]
) -> None:
    """The reverse step of a composed call, whose definition has run again: sweep over what that recorded."""
    if type(value) is Tensor and value._identity in again.known:
        check_shapes(plan.primitive, value, result)
        gather(bars, value, bar)
        _sweep(again.entries, bars, kept, again.known)


def _pull_join(
    plan: Plan,
    arguments: tuple[Any, ...],
    result: Tensor,
    keywords: Mapping[str, Any],
    bar: Any,
    bars: Bars,
    relevant: Collection[int],
) -> None:
    """The reverse step of a function of a list of real arrays."""
    mask, values, inputs = 1, [], []
    listed = arguments[plan.list_at]
    for argument in arguments:
        mask += mask
        value = argument
        if argument is listed:
            value = operands(argument, relevant)
            if True in value.wanted:
                mask += 1
                inputs.append(argument)
        elif type(argument) is Tensor:
            value = argument._value
            if argument._identity in relevant:
                mask += 1
                inputs.append(argument)
        values.append(value)
    if not inputs:
        return
    run = plan.pulls.get(mask) or plan.pull(mask, values, keywords)
    found = run(bar, result._value, *values, **keywords)
    for given, contribution in zip(inputs, found):  # noqa: B905 - strict is slow
        if type(given) is Tensor:
            gather(bars, given, contribution)
            continue
        for part, piece, is_wanted in zip(given, contribution, values[plan.list_at].wanted):  # noqa: B905
            if is_wanted:
                gather(bars, part, piece)
