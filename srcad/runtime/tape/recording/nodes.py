"""The nodes of a recording: one for each call of a primitive on tensors that a tape follows.

A node keeps the call (primitive, arguments, result), not its derivative. The reverse sweep makes the pullback from the
rule tables, which are those of the compiler. If an outer tape is recording, the pullback runs on tensors instead of
arrays (`live`), so that its operations become nodes of the outer tape. This is all that higher derivatives need.

Calls with one result are recorded as a plain tuple, with a plan in place of the primitive, since a tuple takes a fifth
of the time to make. `nodes_of` turns these into nodes; `srcad.runtime.tape.reverse.one_shot_sweep` reads them directly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.rulebook.registry import definition, is_reversed_only
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.tape.reverse.eager_rules import pushforward
from srcad.runtime.tape.reverse.pullbacks import GATHERS, Path, fitted, pullback
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors
from srcad.runtime.tape.values.arithmetic import NO_KEYWORDS
from srcad.runtime.tape.values.indexed_slices import dense, gathered, rows_of
from srcad.runtime.tape.values.tensor import Tensor

Bars = dict[int, Any]  # identity -> sum of the contributions to the adjoint so far


class Node:
    """A call of a primitive with one result, with all tensors among its positional arguments: the common case."""

    __slots__ = ("arguments", "keywords", "primitive", "result")

    def __init__(
        self, primitive: Any, arguments: tuple[Any, ...], result: Tensor, keywords: Mapping[str, Any] = NO_KEYWORDS
    ) -> None:
        self.primitive = primitive
        self.arguments = arguments
        self.result = result
        self.keywords = keywords

    def leads_from(self, relevant: Collection[int]) -> tuple[Any, ...]:
        """The positions of the inputs that have one of these identities."""
        wanted: tuple[int, ...] = ()
        position = 0
        for argument in self.arguments:
            if type(argument) is Tensor and argument._identity in relevant:
                wanted += (position,)
            position += 1  # noqa: SIM113 - this loop runs for every node, and enumerate costs more
        return wanted

    def outputs(self) -> tuple[int, ...]:
        """The identities of the results."""
        return (self.result._identity,)

    def tensors(self) -> list[Tensor]:
        """All tensors among the arguments."""
        return [argument for argument in self.arguments if type(argument) is Tensor]

    def input_identities(self, wanted: tuple[Any, ...]) -> list[int]:
        """The identities of the inputs at these positions."""
        return [self.arguments[position]._identity for position in wanted]

    def prepare(self, wanted: tuple[Any, ...], live: bool) -> Callable[[Bars, Collection[int]], None]:
        """The reverse step: it takes the adjoint of the result out of `bars` and adds contributions to the inputs."""
        arguments, result = self.arguments, self.result
        if self.primitive in GATHERS and 0 in wanted:
            index = gathered(self.primitive, arguments, self.keywords)
            if index is not None:
                return self._gather_step(index, live)
        inputs = [arguments[position] for position in wanted]
        identity = result._identity
        if live:
            pull = pullback(self.primitive, result, arguments, self.keywords, wanted, live)
        else:
            values = [each._value if type(each) is Tensor else each for each in arguments]
            pull = pullback(self.primitive, result._value, values, self.keywords, wanted)

        def step(bars: Bars, kept: Collection[int]) -> None:
            bar = dense(bars.get(identity)) if identity in kept else bars.pop(identity, None)
            if bar is not None:
                for each, contribution in zip(inputs, pull(bar), strict=True):
                    gather(bars, each, contribution)

        return step

    def _gather_step(self, index: Any, live: bool) -> Callable[[Bars, Collection[int]], None]:
        """The step of a call that takes rows of a table: the adjoint of a source consists of these rows only."""
        table, identity = self.arguments[0], self.result._identity

        def step(bars: Bars, kept: Collection[int]) -> None:
            bar = dense(bars.get(identity)) if identity in kept else bars.pop(identity, None)
            if bar is not None:
                rows = rows_of(bar, index, table, self.primitive)
                gather(bars, table, rows if table._identity in kept else rows.dense())

        return step

    def push(self, dots: Mapping[int, Tensor], live: bool) -> list[tuple[Tensor, Any]]:
        """The result with its tangent, for tangents of the inputs by identity."""
        if is_reversed_only(self.primitive):
            return _pushed_as_defined(self, dots, live)
        tangents = [dots.get(each._identity) if type(each) is Tensor else None for each in self.arguments]
        call = (self.primitive, self.result, self.arguments, self.keywords, tangents)
        return [(self.result, pushforward(*_for(call, live), live=live))]


def nodes_of(entries: Iterable[Any]) -> list[Any]:
    """The entries of a tape as nodes."""
    return [_node(*entry) if type(entry) is tuple else entry for entry in entries]


def _node(plan: Any, arguments: tuple[Any, ...], result: Tensor, keywords: Mapping[str, Any]) -> Any:
    if plan.composed:
        from srcad.runtime.tape.recording.composed_calls import ComposedNode

        return ComposedNode(plan.primitive, arguments, result, keywords, plan.meaning)
    if plan.joins:
        return GeneralNode(plan.primitive, arguments, keywords, result)
    return Node(plan.primitive, arguments, result, keywords)


def _pushed_as_defined(node: Any, dots: Mapping[int, Tensor], live: bool) -> list[tuple[Tensor, Any]]:
    """The results with their tangents, computed from the primitive's definition."""
    from srcad.runtime.tape.recording.composed_calls import pushed

    meaning = definition(node.primitive)
    assert meaning is not None
    return pushed(node, on_tensors(meaning), dots, live)


def gather(bars: Bars, tensor: Tensor, contribution: Any) -> None:
    """Add a contribution to the adjoint of a tensor, in the tensor's shape and dtype."""
    value = tensor._value
    try:
        if contribution.dtype is not value.dtype or contribution.shape != value.shape:
            contribution = fitted(contribution, tensor)
    except AttributeError:  # a plain number
        if contribution is None:
            return
        contribution = fitted(contribution, tensor)
    identity = tensor._identity
    bars[identity] = bars[identity] + contribution if identity in bars else contribution


class ReadNode:
    """A reading of a variable whose value comes from an item assignment that this tape has not recorded.

    To the tape, the value read is that of the variable.
    """

    __slots__ = ("result", "source")

    def __init__(self, source: Tensor, result: Tensor) -> None:
        self.source, self.result = source, result

    def leads_from(self, relevant: Collection[int]) -> tuple[int, ...]:
        """The place of the variable, if its identity is one of these."""
        return (0,) if self.source._identity in relevant else ()

    def outputs(self) -> tuple[int, ...]:
        """The identity of the value that was read."""
        return (self.result._identity,)

    def tensors(self) -> list[Tensor]:
        """The variable."""
        return [self.source]

    def input_identities(self, wanted: tuple[int, ...]) -> list[int]:
        """The identity of the variable."""
        return [self.source._identity]

    def prepare(self, wanted: tuple[int, ...], live: bool) -> Callable[[Bars, Collection[int]], None]:
        """The reverse step: it passes the adjoint on unchanged."""
        identity = self.result._identity

        def step(bars: Bars, kept: Collection[int]) -> None:
            gather(bars, self.source, bars.get(identity) if identity in kept else bars.pop(identity, None))

        return step

    def push(self, dots: Mapping[int, Tensor], live: bool) -> list[tuple[Tensor, Any]]:
        """The tangent is passed on unchanged."""
        return [(self.result, dots[self.source._identity])]


class GeneralNode:
    """A call with keywords, with tensors inside lists, or with several results."""

    __slots__ = ("arguments", "keywords", "primitive", "result")

    def __init__(self, primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any], result: Any) -> None:
        self.primitive = primitive
        self.arguments = arguments
        self.keywords = keywords
        self.result = result

    def leads_from(self, relevant: Collection[int]) -> tuple[Path, ...]:
        """The paths of the inputs that have one of these identities."""
        return tuple(path for path, tensor in paths(self.arguments) if tensor._identity in relevant)

    def outputs(self) -> tuple[int, ...]:
        """The identities of the results."""
        return tuple(tensor._identity for tensor in tensors_in(self.result))

    def tensors(self) -> list[Tensor]:
        """All tensors among the arguments."""
        return list(tensors_in(self.arguments))

    def input_identities(self, wanted: tuple[Path, ...]) -> list[int]:
        """The identities of the inputs at these paths."""
        return [self._input(path)._identity for path in wanted]

    def prepare(self, wanted: tuple[Path, ...], live: bool) -> Callable[[Bars, Collection[int]], None]:
        """The reverse step: it takes the adjoints of the results out of `bars` and adds those of the inputs."""
        call = (self.result, self.arguments, self.keywords)
        if self.primitive in GATHERS and (0,) in wanted:
            index = gathered(self.primitive, self.arguments, self.keywords)
            if index is not None:
                return Node(self.primitive, self.arguments, self.result, self.keywords)._gather_step(index, live)
        result, arguments, keywords = call if live else (unwrapped(part) for part in call)
        pull = pullback(self.primitive, result, arguments, keywords, wanted, live)
        inputs = [self._input(path) for path in wanted]

        def step(bars: Bars, kept: Collection[int]) -> None:
            bar = self._bar(bars, kept)
            if bar is not None:
                for tensor, contribution in zip(inputs, pull(bar), strict=True):
                    gather(bars, tensor, contribution)

        return step

    def push(self, dots: Mapping[int, Tensor], live: bool) -> list[tuple[Tensor, Any]]:
        """The results with their tangents, for tangents of the inputs by identity."""
        if is_reversed_only(self.primitive):
            return _pushed_as_defined(self, dots, live)

        def tangent(part: Any) -> Any:
            if isinstance(part, (list, tuple)):
                return tuple(tangent(each) for each in part)
            return dots.get(part._identity) if type(part) is Tensor else None

        call = (self.primitive, self.result, self.arguments, self.keywords, tangent(self.arguments))
        found = pushforward(*_for(call, live), live=live)
        results = list(tensors_in(self.result))
        if found is None or isinstance(self.result, Tensor):
            return [(results[0], found)]
        return list(zip(results, flatten(found), strict=True))

    def _input(self, path: Path) -> Tensor:
        found: Any = self.arguments
        for place in path:
            found = found[place]
        return found  # type: ignore[no-any-return]

    def _bar(self, bars: Bars, kept: Collection[int]) -> Any:
        """The adjoint of the result. For several results a tuple, with zeros where nothing was contributed."""
        identities = self.outputs()
        found = [dense(bars.get(each)) if each in kept else bars.pop(each, None) for each in identities]
        if isinstance(self.result, Tensor) or all(bar is None for bar in found):
            return found[0] if found else None
        zeros = (np.zeros_like(tensor._value) for tensor in tensors_in(self.result))
        return tuple(zero if bar is None else bar for bar, zero in zip(found, zeros, strict=True))


def paths(arguments: Sequence[Any], above: Path = ()) -> Iterator[tuple[Path, Tensor]]:
    """Every tensor of a call, with its path among the arguments.

    >>> from srcad.runtime.tape.values.tensor import constant
    >>> [path for path, _ in paths((constant(1.0), [2.0, constant(3.0)]))]
    [(0,), (1, 1)]
    """
    for place, argument in enumerate(arguments):
        if type(argument) is Tensor:
            yield (*above, place), argument
        elif isinstance(argument, (list, tuple)):
            yield from paths(argument, (*above, place))


def tensors_in(structure: Any) -> Iterator[Tensor]:
    """All tensors in nested lists, tuples and dictionaries, in the order of `flatten`."""
    return (leaf for leaf in flatten(structure) if type(leaf) is Tensor)


def unwrapped(structure: Any) -> Any:
    """The structure with arrays in place of tensors."""
    if type(structure) is Tensor:
        return structure._value
    return map_leaves(unwrapped, structure) if isinstance(structure, (list, tuple, dict)) else structure


def _for(call: tuple[Any, Any, Any, Any, Any], live: bool) -> tuple[Any, Any, Any, Any, Any]:
    """Primitive, result, arguments, keywords, tangents: unchanged if `live`, else with arrays in place of tensors."""
    if live:
        return call
    primitive, result, arguments, keywords, tangents = call
    return primitive, unwrapped(result), unwrapped(arguments), unwrapped(keywords), unwrapped(tangents)
