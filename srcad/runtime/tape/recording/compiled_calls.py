"""Record a call of a compiled function on a tape as one node, which holds the trace of the forward function.

    loss = model(weights, x)        model a srcad.function, weights a Variable: one node, whatever model does inside

If an outer tape differentiates this node's pullback, the pullback is recorded as a call of its own, whose derivative is
compiled as well (`srcad.runtime.tape.reverse.compiled_calls_second_order`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from srcad.runtime.support.nested_structures import flatten, pack_as
from srcad.runtime.tape.active_recordings import Recording, active
from srcad.runtime.tape.recording.dispatch import record
from srcad.runtime.tape.recording.nodes import Bars, gather, tensors_in, unwrapped
from srcad.runtime.tape.recording.retention import SCALARS, snapshot, snapshot_of_one
from srcad.runtime.tape.values.call_results import as_tensors, tensors_of
from srcad.runtime.tape.values.indexed_slices import dense
from srcad.runtime.tape.values.list_stacking import without_variables
from srcad.runtime.tape.values.tensor import Tensor
from srcad.runtime.tape.values.variable import Variable

_SCALARS = frozenset(SCALARS)
_float64 = np.float64


class Pullback(Protocol):
    """The linear function from the adjoint of a call's value, in its structure, to the adjoints of the arguments.

    It may be called more than once, and does not write to its inputs. It returns a sequence with the adjoint of each
    argument, in its structure; None for an argument without. Optional methods: `again(bar, directions)` differentiates
    the pullback, and gives the adjoints of all arguments and of `bar` for adjoints of its results; `push(directions)`
    gives the tangent of the value. A direction may be None.
    """

    def __call__(self, bar: Any) -> Sequence[Any]:
        """The adjoints of the arguments."""


Forward = Callable[[Sequence[Any], Sequence[Any], tuple[int, ...]], tuple[Any, Pullback]]


class CompiledFunction(Protocol):
    """The interface of a compiled function for the tape; values of captured variables are the last of its arguments."""

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The user's function."""

    def primal(self, values: Sequence[Any]) -> Any:
        """The value alone. It shares no memory with arrays that the user can write to, except for arguments."""

    def forward(
        self, values: Sequence[Any], arrays: Sequence[Any], plain: tuple[int, ...] = ()
    ) -> tuple[Any, Pullback]:
        """The value and its pullback; `arrays` replace the captured arrays, values at `plain` need no adjoint."""


def record_call(
    function: CompiledFunction,
    arguments: Sequence[Any],
    captured: Sequence[Variable] = (),
    arrays: tuple[Any, ...] = (),
    forward: Forward | None = None,
) -> Any:
    """Call a compiled function on tensors, variables and arrays, nested or not, and record it; the value as tensors.

    `captured` are the variables that the function reads besides its arguments, `arrays` the captured arrays. `forward`
    replaces the method of that name, if the caller has already determined the function's current version.
    """
    following = active.tapes
    leaves: list[Any] = []
    values, plain, theirs, tapes = [], [], [], []
    for argument in (*arguments, *captured) if captured else arguments:
        kind = type(argument)
        if kind is Variable:
            argument, kind = argument._read(), Tensor
        if kind is Tensor:
            values.append(argument._value)
            for tape in following:
                if argument._identity in tape.known and tape not in tapes:
                    tapes.append(tape)
        elif kind in _SCALARS or kind is np.ndarray:
            plain.append(len(values))
            values.append(argument)
            if kind is np.ndarray:
                theirs.append(len(leaves))
        else:
            inputs = without_variables((*arguments, *captured))
            return _record_nested(function, inputs, captured, arrays, forward)
        leaves.append(argument)
    if not tapes:
        return as_tensors(function.primal(values), leaves)
    if theirs or arrays:
        leaves, values, arrays = _unshared(leaves, values, arrays, theirs)
    inputs = tuple(leaves)
    made = (forward or function.forward)(values, arrays, tuple(plain))
    return _recorded(function, inputs, inputs, captured, arrays, tapes, made)


def _unshared(leaves: list[Any], values: list[Any], arrays: tuple[Any, ...], theirs: list[int]) -> Any:
    """The inputs with arrays that others can write to copied; `theirs` are the places of arrays."""
    if len(theirs) == 1 and not arrays:
        (place,) = theirs
        leaves[place] = values[place] = snapshot_of_one(leaves[place])
        return leaves, values, arrays
    leaves, arrays = snapshot((leaves, arrays))
    return leaves, [leaf._value if type(leaf) is Tensor else leaf for leaf in leaves], arrays


def _following(leaves: Sequence[Any]) -> list[Recording]:
    """The tapes that follow one of these leaves."""
    found = []
    for tape in active.tapes:
        known = tape.known
        for leaf in leaves:
            if type(leaf) is Tensor and leaf._identity in known:
                found.append(tape)
                break
    return found


def _record_nested(
    function: CompiledFunction,
    inputs: tuple[Any, ...],
    captured: Sequence[Variable],
    arrays: tuple[Any, ...],
    forward: Forward | None,
) -> Any:
    """`record_call` for arguments that are structures, or of other types."""
    tapes = _following(flatten(inputs))
    if not tapes:
        return as_tensors(function.primal(unwrapped(inputs)), inputs)
    inputs, arrays = snapshot((inputs, arrays))
    made = (forward or function.forward)(unwrapped(inputs), arrays, ())
    return _recorded(function, inputs, flatten(inputs), captured, arrays, tapes, made)


def _recorded(
    function: CompiledFunction,
    inputs: tuple[Any, ...],
    leaves: Sequence[Any],
    captured: Sequence[Variable],
    arrays: tuple[Any, ...],
    tapes: list[Recording],
    made: tuple[Any, Pullback],
) -> Any:
    value, pullback = made
    # It can share memory only with copies made here, which nobody writes to.
    result, held = tensors_of(value)
    node = CallNode(function, inputs, leaves, captured, arrays, held, pullback)
    if type(value) is float:
        for tape in tapes:
            tape.entries.append(node)
            tape.known.add(result._identity)
    else:
        record(node, tapes)
    return result


class CallNode:
    """A recorded call of a compiled function."""

    __slots__ = ("arrays", "captured", "function", "inputs", "leaves", "pull", "result")

    def __init__(
        self,
        function: CompiledFunction,
        inputs: tuple[Any, ...],
        leaves: Sequence[Any],
        captured: Sequence[Variable],
        arrays: tuple[Any, ...],
        result: Any,
        pullback: Pullback,
    ) -> None:
        self.function = function
        self.inputs = inputs
        self.captured = captured
        self.arrays = arrays
        self.leaves = leaves
        self.pull: Any = pullback
        self.result = result

    @property
    def results(self) -> list[Tensor]:
        """The tensors of the result."""
        return [self.result] if type(self.result) is Tensor else list(tensors_in(self.result))

    def leads_from(self, relevant: Collection[int]) -> tuple[int, ...]:
        """The places, among the leaves of the arguments, of tensors that have one of these identities."""
        return tuple(
            [place for place, leaf in enumerate(self.leaves) if type(leaf) is Tensor and leaf._identity in relevant]
        )

    def outputs(self) -> tuple[int, ...]:
        """The identities of the results that can have a derivative."""
        result = self.result
        found = []
        for tensor in (result,) if type(result) is Tensor else result if type(result) is tuple else tensors_in(result):
            if type(tensor) is not Tensor:  # a tuple in a tuple
                return tuple([each._identity for each in tensors_in(result) if each._value.dtype.kind in "fc"])
            if tensor._value.dtype.kind in "fc":
                found.append(tensor._identity)
        return tuple(found)

    def tensors(self) -> list[Tensor]:
        """All tensors among the arguments."""
        return [leaf for leaf in self.leaves if type(leaf) is Tensor]

    def input_identities(self, wanted: tuple[int, ...]) -> list[int]:
        """The identities of the leaves at these places."""
        return [self.leaves[place]._identity for place in wanted]

    def prepare(self, wanted: tuple[int, ...], live: bool) -> Callable[[Bars, Collection[int]], None]:
        """The reverse step: it takes the adjoints of the results out of `bars` and adds those of the inputs."""
        inputs = [self.leaves[place] for place in wanted]
        identities = [tensor._identity for tensor in self.results]

        def step(bars: Bars, kept: Collection[int]) -> None:
            found = [dense(bars.get(each)) if each in kept else bars.pop(each, None) for each in identities]
            if any(bar is not None for bar in found):
                adjoints = _pulled_again(self, wanted, found) if live else self.adjoints(wanted, found)
                for tensor, contribution in zip(inputs, adjoints, strict=True):
                    gather(bars, tensor, contribution)

        return step

    def push(self, dots: Mapping[int, Tensor], live: bool) -> list[tuple[Tensor, Any]]:
        """The results with their tangents, for tangents of the inputs by identity."""
        from srcad.runtime.tape.reverse.compiled_calls_second_order import push_again, push_recorded

        directions = [dots.get(leaf._identity) if type(leaf) is Tensor else None for leaf in self.leaves]
        if live:
            return list(zip(self.results, push_again(self, directions), strict=True))
        if not hasattr(self.pull, "push"):
            return list(zip(self.results, push_recorded(self, directions), strict=True))
        return list(zip(self.results, self.tangents(unwrapped(directions)), strict=True))

    def tangents(self, directions: list[Any]) -> list[Any]:
        """The tangents of the results, for directions of the leaves; a tangent or direction may be None."""
        found = flatten(self.pull.push(pack_as(self.inputs, directions)))
        pairs = zip(flatten(self.result), found, strict=True)
        return [tangent for leaf, tangent in pairs if type(leaf) is Tensor]

    def adjoints(self, wanted: tuple[int, ...], bars: list[Any]) -> list[Any]:
        """The adjoints of the leaves at these places, from those of the results; None if zero or without one."""
        flat = self.by_leaf(self.pull(self.structured(bars)))
        return [_as_array(flat[place]) for place in wanted]

    def by_leaf(self, adjoints: Sequence[Any]) -> list[Any]:
        """Adjoints of the arguments as adjoints of the leaves."""
        if self.leaves is self.inputs:  # nothing is nested
            return list(adjoints)
        flat: list[Any] = []
        for each, given in zip(self.inputs, adjoints, strict=True):
            flat += [None] * len(flatten(each)) if given is None else flatten(given)
        return flat

    def jacobian(self, wanted: Sequence[int]) -> list[Any] | None:
        """The Jacobians of the single result by the leaves at these places; None if the function has no Jacobian."""
        if type(self.result) is not Tensor or self.leaves is not self.inputs or not hasattr(self.pull, "jacobian"):
            return None
        found: list[Any] | None = self.pull.jacobian(wanted)
        return found

    def structured(self, bars: list[Any]) -> Any:
        """Adjoints of the results in the structure of the value, in new arrays."""
        if type(self.result) is Tensor and type(self.result._value) is _float64:
            return _float64(bars[0])
        # Copies: contiguous, as the compiled function expects, and not shared with anyone.
        seeds = [
            np.zeros_like(tensor._value)[()] if bar is None else np.array(bar)[()]
            for bar, tensor in zip(bars, self.results, strict=True)
        ]
        if type(self.result) is Tensor:
            return seeds[0]
        following = iter(seeds)
        leaves = [next(following) if type(leaf) is Tensor else None for leaf in flatten(self.result)]
        return pack_as(self.result, leaves)


def _pulled_again(node: CallNode, wanted: tuple[int, ...], bars: list[Any]) -> list[Any]:
    from srcad.runtime.tape.reverse.compiled_calls_second_order import pull_again

    return pull_again(node, wanted, bars)


def _as_array(adjoint: Any) -> Any:
    return adjoint if adjoint is None or hasattr(adjoint, "dtype") else np.asarray(adjoint)[()]
