"""A call of a compiled function under a tape: one node, that holds the trace of the forward function.

    loss = model(weights, x)        model a srcad.function, weights a Variable: one node, whatever model does inside

For higher derivatives the function's own operations are recorded instead, once an outer tape asks for the derivative of
this node's pullback: any order, at the price of one more run in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Protocol

import numpy as np

from srcad.errors import NotDifferentiable, TapeMisuse
from srcad.runtime.active import Recording, active
from srcad.runtime.dispatch import record, without_variables, wrapped
from srcad.runtime.keep import SCALARS, frozen
from srcad.runtime.nest import flatten, map_leaves, pack_as
from srcad.runtime.node import Bars, gather, tensors_in, unwrapped
from srcad.runtime.sweep import Sweep
from srcad.runtime.tensor import Tensor, tensor_of
from srcad.runtime.variable import Variable

_FLAT = frozenset((np.ndarray, *SCALARS))
_IMMUTABLE = frozenset((Tensor, *SCALARS))


class CompiledFunction(Protocol):
    """What the tape needs of a compiled function.

    __wrapped__   the user's function
    primal        the value for these arguments, captured variables' values last
    forward       the value, and the pullback: from the adjoint of the value, in its structure, to a sequence with the
                  adjoint of each argument, in its structure; None for an argument without
    """

    __wrapped__: Callable[..., Any]

    def primal(self, values: Sequence[Any]) -> Any:
        """The value alone."""

    def forward(self, values: Sequence[Any]) -> tuple[Any, Callable[[Any], Sequence[Any]]]:
        """The value and its pullback, which may be called more than once, and writes to nothing that it is given."""


def record_call(function: CompiledFunction, arguments: Sequence[Any], captured: Sequence[Variable] = ()) -> Any:
    """The value of a compiled function on tensors, variables and arrays, nested or not, as tensors.

    `captured` are the variables that the function reads besides its arguments.
    """
    inputs: Any = []
    for argument in (*arguments, *captured):
        kind = type(argument)
        if kind is Variable:
            inputs.append(argument._read())
        elif kind is Tensor or kind in _FLAT:
            inputs.append(argument)
        else:
            inputs, leaves = without_variables((*arguments, *captured)), None
            break
    else:
        leaves = inputs = tuple(inputs)
    return _recorded(function, inputs, flatten(inputs) if leaves is None else leaves, captured)


def _recorded(
    function: CompiledFunction, inputs: tuple[Any, ...], leaves: Sequence[Any], captured: Sequence[Variable]
) -> Any:
    is_flat = leaves is inputs
    identities = [leaf._identity for leaf in leaves if type(leaf) is Tensor]
    tapes = [tape for tape in active.tapes if not tape.known.isdisjoint(identities)]
    if tapes and not all(type(leaf) in _IMMUTABLE for leaf in leaves):
        inputs = frozen(inputs)
        leaves = inputs if is_flat else flatten(inputs)
    if is_flat:
        values: Any = [leaf._value if type(leaf) is Tensor else leaf for leaf in leaves]
    else:
        values = unwrapped(inputs)
    if not tapes:
        return _as_tensors(function.primal(values), inputs)
    value, pullback = function.forward(values)
    node = CallNode(function, inputs, leaves, captured, _as_tensors(value, inputs), pullback)
    record(node, tapes)
    return node.result


class CallNode:
    """One call of a compiled function."""

    __slots__ = ("captured", "function", "inputs", "leaves", "pull", "result", "results")

    def __init__(
        self,
        function: CompiledFunction,
        inputs: tuple[Any, ...],
        leaves: Sequence[Any],
        captured: Sequence[Variable],
        result: Any,
        pullback: Callable[[Any], Sequence[Any]],
    ) -> None:
        self.function = function
        self.inputs = inputs
        self.captured = captured
        self.leaves = leaves
        self.pull = pullback
        self.result = result
        self.results = [result] if type(result) is Tensor else list(tensors_in(result))

    def leads_from(self, relevant: Collection[int]) -> tuple[int, ...]:
        """The places among the leaves of the arguments of tensors that have one of these identities."""
        return tuple(
            place for place, leaf in enumerate(self.leaves) if type(leaf) is Tensor and leaf._identity in relevant
        )

    def outputs(self) -> tuple[int, ...]:
        """The identities of the results that can have a derivative."""
        return tuple([tensor._identity for tensor in self.results if tensor._value.dtype.kind in "fc"])

    def tensors(self) -> list[Tensor]:
        """All tensors among the arguments."""
        return [leaf for leaf in self.leaves if type(leaf) is Tensor]

    def input_identities(self, wanted: tuple[int, ...]) -> list[int]:
        """The identities of the leaves at these places."""
        return [self.leaves[place]._identity for place in wanted]

    def prepare(self, wanted: tuple[int, ...], live: bool) -> Callable[[Bars, Collection[int]], None]:
        """A function that takes the adjoints of the results out of the gathered ones and adds those of the inputs."""
        inputs = [self.leaves[place] for place in wanted]
        pull = self._pull_recorded(inputs) if live else self._pull_compiled(wanted)

        def step(bars: Bars, kept: Collection[int]) -> None:
            identities = [tensor._identity for tensor in self.results]
            found = [bars.get(each) if each in kept else bars.pop(each, None) for each in identities]
            if any(bar is not None for bar in found):
                for tensor, contribution in zip(inputs, pull(found), strict=True):
                    gather(bars, tensor, contribution)

        return step

    def _pull_compiled(self, wanted: tuple[int, ...]) -> Callable[[list[Any]], list[Any]]:
        def pull(bars: list[Any]) -> list[Any]:
            zeros = (np.zeros_like(tensor._value)[()] for tensor in self.results)
            # Copies: contiguous, as the compiled function expects, and nobody else's.
            seeds = iter([zero if bar is None else np.array(bar)[()] for bar, zero in zip(bars, zeros, strict=True)])
            leaves = [next(seeds) if type(leaf) is Tensor else None for leaf in flatten(self.result)]
            adjoints = self.pull(pack_as(self.result, leaves))
            flat: list[Any] = []
            for each, given in zip(self.inputs, adjoints, strict=True):
                flat += [None] * len(flatten(each)) if given is None else flatten(given)
            return [_as_array(flat[place]) for place in wanted]

        return pull

    def _pull_recorded(self, inputs: list[Tensor]) -> Callable[[list[Any]], list[Any]]:
        """The pullback, made of operations that the active tapes record: from a run of the user's function itself."""
        count = len(self.captured)
        arguments = self.inputs[: len(self.inputs) - count]
        for variable, tensor in zip(self.captured, self.inputs[len(arguments) :], strict=True):
            if variable._tensor is not tensor:
                raise TapeMisuse(f"{variable.name} was assigned since it was recorded; its second derivative is gone")
        recording = Recording(watches_accessed=False)
        recording.known.update(tensor._identity for tensor in inputs)
        active.push(recording)
        try:
            result = self.function.__wrapped__(*arguments)
        except TypeError as error:
            raise NotDifferentiable(
                f"the second derivative of {self.function.__wrapped__.__name__} by a tape: {error}",
                hint="compute it with srcad.hvp or srcad.hessian, which differentiate in-place writes too",
            ) from error
        finally:
            active.remove(recording)
        results = list(tensors_in(result))
        sweep = Sweep(recording, results, inputs, live=True)

        def pull(bars: list[Any]) -> list[Any]:
            zeros = (wrapped(np.zeros_like(tensor._value), ()) for tensor in results)
            return sweep.run([zero if bar is None else bar for bar, zero in zip(bars, zeros, strict=True)])

        return pull


def _as_tensors(value: Any, inputs: Any) -> Any:
    """What a compiled function has returned, Python's numbers included, as tensors."""
    if isinstance(value, (float, complex, int)):
        return tensor_of(np.asarray(value)[()])
    if isinstance(value, (list, tuple, dict)):
        return map_leaves(lambda leaf: _as_tensors(leaf, inputs), value)
    return wrapped(value, inputs)


def _as_array(adjoint: Any) -> Any:
    return adjoint if adjoint is None or hasattr(adjoint, "dtype") else np.asarray(adjoint)[()]
