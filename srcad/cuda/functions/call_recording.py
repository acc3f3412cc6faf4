"""One call of generated code on device values: what it launches, and what it returns.

The code runs once for arguments of given dtypes and shapes, with values that only note down what is done. What it
has noted is planned and launched, and is launched again in later calls with such arguments. Where the code asks for
a number, to decide a branch, what has been noted so far is launched, and the number is copied to the host; such a
call is noted anew each time, unless the number follows from numbers among the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcad.cuda.functions import library_functions, numpy_functions
from srcad.cuda.functions.array_expressions import Expression, reachable
from srcad.cuda.functions.device import Device
from srcad.cuda.functions.device_values import DeviceValue, Recording
from srcad.cuda.functions.kernel_plan import LEAVES
from srcad.cuda.functions.launches import Plan, Slot, plan_for


@dataclass(frozen=True)
class Argument:
    """An argument as the recording knows it: an array or a float by its dtype, anything else by its value."""

    kind: str
    dtype: Any = None
    shape: tuple[int, ...] = ()
    value: Any = None
    is_weak: bool = False


@dataclass
class Recorded:
    """What a call has noted: its launches, its result, and the arguments that it overwrites.

    guards    numbers that decided branches, with the values that they had
    is_fixed      whether it does not depend on what the device computes
    needs_apart   whether arguments must not share memory, since one is written into
    """

    plan: Plan
    result: Any
    written: dict[int, Expression]
    guards: list[tuple[Expression, Any]]
    plans: list[Plan]
    is_fixed: bool = True
    needs_apart: bool = False
    spare: list[dict[Slot, Any]] = field(default_factory=list)  # one for each call at the same time

    def suits(self, args: Sequence[Any]) -> bool:
        """Whether branches go the same way for other arguments of the same kinds."""
        return all(_same(number_on_host(each, args, {}), value) for each, value in self.guards)

    def run(self, device: Device, args: Sequence[Any], memory: dict[Slot, Any]) -> Any:
        """Launch what was noted, and give the result."""
        try:
            spare = self.spare.pop()
        except IndexError:
            spare = {}
        self.plan.run(device, args, memory, spare)
        for k, each in self.written.items():
            device.copy(args[k], memory["kept", each.number])
        result = _taken(self.result, device, args, memory)
        self.spare.append(spare)
        return result


def recorded(
    make: Callable[[Mapping[str, Any]], Callable[..., Any]],
    arguments: Sequence[Argument],
    names: tuple[str, ...],
    title: str,
    device: Device,
    args: Sequence[Any],
) -> tuple[Recorded, dict[Slot, Any]]:
    """Run code on device values. Returns what it has noted, and what is in memory by then.

    `make` gives the function for what its module calls by name. `args` are device arrays and numbers.
    """
    state = _State(names, title, device, args)
    values = [state.argument(k, each) for k, each in enumerate(arguments)]
    function = make(
        {
            "np": library_functions.numpy_for(state.recording),
            "kernels": library_functions.kernels_for(state.recording),
            "math": library_functions.math_for(state.recording),
        }
    )
    result = function(*values)
    return state.finished(result, values, arguments), state.memory


@dataclass
class _State:
    names: tuple[str, ...]
    title: str
    device: Device
    args: Sequence[Any]
    memory: dict[Slot, Any] = field(default_factory=dict)
    guards: list[tuple[Expression, Any]] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    is_fixed: bool = True
    returned: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.recording = Recording(self.evaluate, numpy_functions)

    def argument(self, k: int, each: Argument) -> Any:
        """What stands for an argument."""
        graph = self.recording.graph
        if each.kind == "array":
            found = self.recording.value(graph.made("argument", each.shape, each.dtype, (), k))
            found.is_number = False
            return found
        if each.kind == "number":
            return self.recording.value(graph.made("number", (), each.dtype, (), k, each.is_weak))
        return each.value

    @property
    def known(self) -> list[int]:
        """The numbers of the expressions that are in memory."""
        return [number for kind, number in self.memory if kind == "kept"]

    def evaluate(self, recording: Recording, of: Expression) -> Any:
        """A number, now."""
        roots = [*_on_device(of)]
        if all(each.op in ("number", "constant") for each in reachable([of])):
            found = number_on_host(of, self.args, {})
            self.guards.append((of, found))
            return found
        self.is_fixed = False
        for held in sorted((cell.held for cell in recording.cells), key=lambda each: each.number):
            if not held.shape:
                roots += _on_device(held)
            elif held.op not in LEAVES and held.size and not _is_filled(held):
                roots.append(held)
        self.launch(roots)
        return number_on_host(of, self.args, self.on_host(_on_device(of)))

    def launch(self, roots: Sequence[Expression]) -> Plan:
        """Put values into memory."""
        roots = list({each.number: each for each in roots}.values())
        numbers = {each.number for each in roots}
        plan = plan_for(roots, self.known, self.names, self.title, self.device.threads, numbers)
        plan.run(self.device, self.args, self.memory)
        self.plans.append(plan)
        return plan

    def on_host(self, wanted: Iterator[Expression]) -> dict[int, Any]:
        """Copies of numbers in memory."""
        return {each.number: _number(each, self.device, self.memory) for each in wanted}

    def finished(self, result: Any, values: Sequence[Any], arguments: Sequence[Argument]) -> Recorded:
        """What the call has noted, after its end."""
        outcome = self.outcome(result)
        roots = [root for each in _leaves(outcome) for root in each.roots()]
        written: dict[int, Expression] = {}
        for k, (value, each) in enumerate(zip(values, arguments, strict=True)):
            if each.kind == "array" and value.cell.held.op + str(value.cell.held.data) != f"argument{k}":
                written[k] = self.own_array(value.cell.held)
        roots += written.values()
        roots = list({each.number: each for each in roots}.values())
        arrays = {each.held.number for each in _leaves(outcome) if not each.is_number}
        numbers = {each.number for held in _leaves(outcome) if held.is_number for each in held.roots()} - arrays
        plan = plan_for(roots, self.known, self.names, self.title, self.device.threads, arrays, numbers)
        needs_apart = bool(written) or self.recording.needs_apart
        return Recorded(plan, outcome, written, self.guards, [*self.plans, plan], self.is_fixed, needs_apart)

    def own_array(self, of: Expression) -> Expression:
        """An expression that is in memory of its own, even if it is an argument, or is returned twice."""
        while of.op == "argument" or of.number in self.returned:
            of = self.recording.graph.made("map", of.shape, of.dtype, (of,), "cast")
        self.returned.add(of.number)
        return of

    def outcome(self, result: Any) -> Any:
        """The result, with what stands for arrays and numbers."""
        if isinstance(result, tuple):
            parts = [self.outcome(each) for each in result]
            return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
        if isinstance(result, list):
            return [self.outcome(each) for each in result]
        if isinstance(result, dict):
            return {name: self.outcome(each) for name, each in result.items()}
        if not isinstance(result, DeviceValue):
            return result
        held = result.expression
        return _Outcome(held if result.is_number else self.own_array(held), result.is_number)


@dataclass(frozen=True)
class _Outcome:
    """An array, or a number, that a call returns."""

    held: Expression
    is_number: bool

    def roots(self) -> list[Expression]:
        """What has to be in memory."""
        return [*_on_device(self.held)] if self.is_number else [self.held]


def _is_filled(each: Expression) -> bool:
    return each.op == "view" and each.inputs[0].op == "constant"


def _leaves(outcome: Any) -> Iterator[_Outcome]:
    if isinstance(outcome, _Outcome):
        yield outcome
    elif isinstance(outcome, dict):
        for each in outcome.values():
            yield from _leaves(each)
    elif isinstance(outcome, (tuple, list)):
        for each in outcome:
            yield from _leaves(each)


def _taken(outcome: Any, device: Device, args: Sequence[Any], memory: Mapping[Slot, Any]) -> Any:
    """The result of a call."""
    if isinstance(outcome, _Outcome):
        if not outcome.is_number:
            return memory["kept", outcome.held.number]
        wanted = _on_device(outcome.held)
        known = {each.number: _number(each, device, memory) for each in wanted}
        found = number_on_host(outcome.held, args, known)
        return found.item()
    if isinstance(outcome, tuple):
        parts = [_taken(each, device, args, memory) for each in outcome]
        return type(outcome)(*parts) if hasattr(outcome, "_fields") else tuple(parts)
    if isinstance(outcome, list):
        return [_taken(each, device, args, memory) for each in outcome]
    if isinstance(outcome, dict):
        return {name: _taken(each, device, args, memory) for name, each in outcome.items()}
    return outcome


# Numbers are computed on the host from those that are in memory.


def _is_on_host(each: Expression) -> bool:
    return each.op in ("number", "constant") or (
        each.op == "map" and not each.shape and all(not operand.shape for operand in each.inputs)
    )


def _on_device(of: Expression) -> Iterator[Expression]:
    """The numbers in memory from which the host computes a number."""
    return (each for each in reachable([of], lambda each: not _is_on_host(each)) if not _is_on_host(each))


def number_on_host(of: Expression, args: Sequence[Any], known: Mapping[int, Any]) -> Any:
    """The value of a number, of which `known` are those parts that the device has computed."""
    values: dict[int, Any] = dict(known)
    with np.errstate(all="ignore"):
        for each in reachable([of], lambda each: each.number in known):
            if each.number not in known:
                values[each.number] = _computed(each, args, values)
    return values[of.number]


def _computed(each: Expression, args: Sequence[Any], values: Mapping[int, Any]) -> Any:
    if each.op == "number":
        return each.dtype.type(args[each.data])
    if each.op == "constant":
        return each.dtype.type(each.data)
    operands = [values[operand.number] for operand in each.inputs]
    found = operands[0] if each.data == "cast" else each.data(*operands)
    return each.dtype.type(found)


_WHOLE: dict[str, Any] = {"sum": np.sum, "max": np.max, "min": np.min}


def _number(each: Expression, device: Device, memory: Mapping[Slot, Any]) -> Any:
    """A number in memory, or what chunks of a reduction have given, combined."""
    whole = memory.get(("kept", each.number))
    if whole is not None:
        return device.to_host(whole).reshape(-1)[0]
    return each.dtype.type(_WHOLE[each.data[0]](device.to_host(memory["partial", each.number])))


def _same(one: Any, other: Any) -> bool:
    return bool(one == other or (one != one and other != other))
