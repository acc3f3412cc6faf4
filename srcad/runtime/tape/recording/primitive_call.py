"""`PrimitiveCall`: the node of a recorded call of a primitive.

A node keeps the call (plan, arguments, result), not its derivative. The reverse sweep makes the pullback from the rule
tables, which are those of the compiler; `Plan` caches it for real arguments, `pullbacks` for all others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.rulebook.registry import definition, is_reversed_only
from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.tape.core.node import Node, Pairs
from srcad.runtime.tape.core.tensor import Tensor, tensors_in, unwrapped
from srcad.runtime.tape.recording.batched_pullbacks import batched
from srcad.runtime.tape.recording.definitions import pushed
from srcad.runtime.tape.reverse.eager_rules import is_complex, pushforward
from srcad.runtime.tape.reverse.pullbacks import Path, pullback
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors
from srcad.runtime.tape.values.indexed_slices import gathered, rows_of


class PrimitiveCall(Node):
    """A recorded call. All tensors are among its positional arguments, and in the list of a function of a list."""

    __slots__ = ("arguments", "keywords", "plan", "result")

    def __init__(self, plan: Any, arguments: tuple[Any, ...], result: Any, keywords: Mapping[str, Any]) -> None:
        self.plan = plan
        self.arguments = arguments
        self.result = result
        self.keywords = keywords

    @property
    def primitive(self) -> Any:
        """The function that was called."""
        return self.plan.primitive

    def inputs(self) -> Sequence[Tensor]:
        """All tensors among the arguments."""
        if self.plan.joins:
            return list(tensors_in(self.arguments))
        return [each for each in self.arguments if type(each) is Tensor]

    def outputs(self) -> Sequence[Tensor]:
        """The results."""
        return (self.result,) if type(self.result) is Tensor else self.result

    def pullback(self, bars: Sequence[Any], relevant: Collection[int], live: bool) -> Pairs:
        """The contributions to the adjoints of relevant arguments."""
        plan, arguments = self.plan, self.arguments
        if plan.gathers and (rows := self._rows(bars, relevant)) is not None:
            return rows
        if live or plan.joins:
            return self._by_paths(bars, relevant, live)
        if type(self.result) is not Tensor:
            return self._of_several_results(bars, relevant)
        mask, values, inputs = 1, [], []
        # If the result and an input are real, so is the derivative, even if other inputs are complex.
        is_real = self.result._value.dtype.kind != "c"
        for argument in arguments:
            mask += mask
            if type(argument) is Tensor:
                value = argument._value
                values.append(value)
                if argument._identity in relevant:
                    mask += 1
                    inputs.append(argument)
                    is_real = is_real and value.dtype.kind != "c"
            else:
                values.append(argument)
        if not inputs:
            return ()
        if not is_real:
            return self._by_paths(bars, relevant, live)
        run = plan.pull(mask, values, self.keywords)
        return () if run is None else zip(inputs, run(bars[0], self.result._value, *values, **self.keywords))  # noqa: B905

    def _rows(self, bars: Sequence[Any], relevant: Collection[int]) -> Pairs | None:
        """`pullback` for a call that takes rows of its first argument: the adjoint has these rows only."""
        table = self.arguments[0]
        if type(table) is not Tensor or table._identity not in relevant:
            return None
        index = gathered(self.primitive, self.arguments, self.keywords)
        return None if index is None else ((table, rows_of(bars[0], index, table, self.primitive)),)

    def _of_several_results(self, bars: Sequence[Any], relevant: Collection[int]) -> Pairs:
        """`pullback` for a function with several results."""
        values, results = unwrapped(self.arguments), unwrapped(self.result)
        if is_complex(values) or is_complex(tuple(results)):
            return self._by_paths(bars, relevant, live=False)
        mask, inputs = 1, []
        for argument in self.arguments:
            mask += mask
            if type(argument) is Tensor and argument._identity in relevant:
                mask += 1
                inputs.append(argument)
        run = self.plan.pull(mask, values, self.keywords) if inputs else None
        return (
            () if run is None else zip(inputs, run(self._filled(bars), results, *values, **self.keywords), strict=True)
        )

    def _filled(self, bars: Sequence[Any]) -> Any:
        """The adjoint of the result: for several results a tuple, with zeros where there is none."""
        if type(self.result) is Tensor:
            return bars[0]
        pairs = zip(bars, self.outputs(), strict=True)
        return tuple([np.zeros_like(tensor._value)[()] if bar is None else bar for bar, tensor in pairs])

    def _by_paths(self, bars: Sequence[Any], relevant: Collection[int], live: bool) -> Pairs:
        """`pullback` for any call; with `live` on tensors, so that its operations are recorded."""
        wanted = [(path, tensor) for path, tensor in paths(self.arguments) if tensor._identity in relevant]
        if not wanted:
            return ()
        call = self.result, self.arguments, self.keywords
        result, arguments, keywords = call if live else map(unwrapped, call)
        pull = pullback(self.primitive, result, arguments, keywords, tuple([path for path, _ in wanted]), live)
        return zip([tensor for _, tensor in wanted], pull(self._filled(bars)), strict=True)

    def batched_pullback(self, bars: Sequence[Any], relevant: Collection[int]) -> Pairs | None:
        """`pullback` for many adjoints at once, if the rule has a batched version."""
        if type(self.result) is not Tensor:
            return None
        wanted = [(path, tensor) for path, tensor in paths(self.arguments) if tensor._identity in relevant]
        places = tuple([path for path, _ in wanted])
        call = self.primitive, unwrapped(self.result), unwrapped(self.arguments), unwrapped(self.keywords)
        found = batched(*call, places, [tensor._value for _, tensor in wanted], bars[0])
        return None if found is None else zip([tensor for _, tensor in wanted], found, strict=True)

    def pushforward(self, dots: Mapping[int, Tensor], live: bool) -> Pairs:
        """The results with their tangents."""
        if is_reversed_only(self.primitive):
            meaning = definition(self.primitive)
            assert meaning is not None
            return pushed(self, on_tensors(meaning), dots, live)

        def tangent(part: Any) -> Any:
            if isinstance(part, (list, tuple)):
                return tuple([tangent(each) for each in part])
            return dots.get(part._identity) if type(part) is Tensor else None

        call = self.result, self.arguments, self.keywords, tangent(self.arguments)
        result, arguments, keywords, tangents = call if live else map(unwrapped, call)
        found = pushforward(self.primitive, result, arguments, keywords, tangents, live)
        if found is None or type(self.result) is Tensor:
            return [(self.outputs()[0], found)]
        return list(zip(self.outputs(), flatten(found), strict=True))


class GeneralCall(PrimitiveCall):
    """A recorded call with tensors inside lists, or with results in lists."""

    __slots__ = ()

    def inputs(self) -> Sequence[Tensor]:
        """All tensors among the arguments."""
        return list(tensors_in(self.arguments))

    def outputs(self) -> Sequence[Tensor]:
        """The results."""
        return list(tensors_in(self.result))

    def pullback(self, bars: Sequence[Any], relevant: Collection[int], live: bool) -> Pairs:
        """The contributions to the adjoints of relevant arguments."""
        rows = self._rows(bars, relevant) if self.plan.gathers else None
        return self._by_paths(bars, relevant, live) if rows is None else rows


def paths(arguments: Sequence[Any], above: Path = ()) -> Iterator[tuple[Path, Tensor]]:
    """Every tensor of a call, with its path among the arguments.

    >>> import srcad
    >>> [path for path, _ in paths((srcad.constant(1.0), [2.0, srcad.constant(3.0)]))]
    [(0,), (1, 1)]
    """
    for place, argument in enumerate(arguments):
        if type(argument) is Tensor:
            yield (*above, place), argument
        elif isinstance(argument, (list, tuple)):
            yield from paths(argument, (*above, place))
