"""Calls with several results, such as `np.linalg.eigh`: recorded as one node, reversed by their plan's pullback."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from srcad.runtime.tape.active_recordings import active
from srcad.runtime.tape.recording.call_plans import RULED, Plan
from srcad.runtime.tape.recording.composed_calls import run_if_new
from srcad.runtime.tape.recording.nodes import Bars, GeneralNode, gather
from srcad.runtime.tape.recording.retention import frozen
from srcad.runtime.tape.reverse.pullbacks import is_complex
from srcad.runtime.tape.values.indexed_slices import dense
from srcad.runtime.tape.values.tensor import Tensor, next_identity
from srcad.runtime.tape.why_none import note_behind_cut


class SeveralNode(GeneralNode):
    """A recorded call with several results."""

    __slots__ = ("plan",)

    def __init__(self, plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Any) -> None:
        self.plan = plan
        self.primitive = plan.primitive
        self.arguments = arguments
        self.keywords = keywords
        self.result = result

    def outputs(self) -> tuple[int, ...]:
        """The identities of the results."""
        return tuple([part._identity for part in self.result])


def has_several(plan: Plan, result: Any) -> bool:
    """Whether a call has a rule and returned a tuple of arrays, at least one of them real or complex."""
    return (
        plan.kind == RULED
        and isinstance(result, tuple)
        and all(isinstance(each, (np.ndarray, np.generic)) for each in result)
        and any(each.dtype.kind in "fc" for each in result)
    )


def several(
    plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any], values: Any, is_accepted: bool = False
) -> Any:
    """The results as tensors, recorded by the tapes that follow an argument.

    `is_accepted` says that the rule, and the definition if it is stricter, are known to cover such a call.
    """
    if plan.theirs:
        theirs = [each for each in arguments if type(each) is np.ndarray]
        values = [_apart(each, theirs) for each in values]
    parts = []
    for each in values:
        part = _new(Tensor)
        part._value = each if each.shape else each[()]
        part._identity = next_identity()
        parts.append(part)
    results: Any = tuple.__new__(plan.several or tuple, parts)
    node: Any = None
    for tape in active.tapes:
        known = tape.known
        for operand in arguments:
            if type(operand) is Tensor and operand._identity in known:
                if node is None:
                    node = _node(plan, arguments, keywords, results, is_accepted)
                tape.entries.append(node)
                for part in parts:
                    known.add(part._identity)
                break
        else:
            if tape.cuts:
                note_behind_cut(tape, plan.primitive, arguments, parts)
    return results


def _node(
    plan: Plan, arguments: tuple[Any, ...], keywords: Mapping[str, Any], results: Any, is_accepted: bool
) -> SeveralNode:
    if not is_accepted:
        if plan.ranks is not None:
            plan.check_ranks([each._value if type(each) is Tensor else each for each in arguments])
        if plan.refuses is not None:
            run_if_new(plan, plan.refuses, arguments, keywords)
    if plan.stated is not None:
        keywords = {name: keywords[name] for name in plan.stated}
    arguments = arguments[: plan.count]
    if plan.theirs or plan.nested:
        arguments = tuple([each if type(each) is Tensor else frozen(each) for each in arguments])
    return SeveralNode(plan, arguments, keywords, results)


def _apart(value: Any, theirs: list[Any]) -> Any:
    """The value, copied if it shares memory with arrays that their owner may change."""
    is_view = value.base is not None
    for each in theirs:
        if np.may_share_memory(value, each) if is_view else value is each:
            return value.copy()
    return value


def pull_several(node: SeveralNode, bars: Bars, kept: Collection[int], relevant: Collection[int]) -> bool:
    """The reverse step for real results and arguments; False, with nothing done, if one is of another kind."""
    mask, values, inputs = 1, [], []
    for argument in node.arguments:
        mask += mask
        value = argument
        if type(argument) is Tensor:
            value = argument._value
            if value.dtype.kind == "c":
                return False
            if argument._identity in relevant:
                mask += 1
                inputs.append(argument)
        elif type(value) not in _REAL and (type(value) is list or is_complex(value)):
            return False
        values.append(value)
    results: tuple[Any, ...] = ()
    for part in node.result:
        value = part._value
        if value.dtype.kind == "c":
            return False
        results += (value,)
    found, is_used = [], False
    for part, value in zip(node.result, results):  # noqa: B905 - strict is slow
        identity = part._identity
        bar = dense(bars.get(identity)) if identity in kept else bars.pop(identity, None)
        is_used = is_used or bar is not None
        found.append(_zero(value) if bar is None else bar)
    run = node.plan.pull(mask, values, node.keywords) if inputs and is_used else None
    if run is not None:
        for argument, contribution in zip(inputs, run(tuple(found), results, *values, **node.keywords)):  # noqa: B905
            gather(bars, argument, contribution)
    return True


_new = object.__new__
_REAL = frozenset((float, int, bool, str, type(None), np.float64))


def _zero(like: Any) -> Any:
    return np.zeros(like.shape, like.dtype) if type(like) is np.ndarray else type(like)(0)
