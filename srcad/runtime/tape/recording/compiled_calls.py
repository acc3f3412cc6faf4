"""Record a call of a compiled function on a tape as one node, which holds the trace of the forward function.

    loss = model(weights, x)        model a srcad.function, weights a Variable: one node, whatever model does inside

If an outer tape differentiates this node's pullback P(x, bar), the pullback is recorded as a call of its own. P is
linear in bar, so its derivative is that of the tangent function, which is compiled as well:

    d/dx <w, P(x, bar)> = d/dx <bar, jvp(x; w)>         d/dbar <w, P(x, bar)> = jvp(x; w)

If the compiled function has no second derivative, and for third and higher derivatives, its Python code is run on
tensors, and each operation is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from srcad.errors import MissingRule, NotDifferentiable, SrcadError, TapeMisuse
from srcad.refusals.tapes import SECOND_BY_TAPE
from srcad.runtime.support.array_snapshots import snapshot
from srcad.runtime.support.nested_structures import flatten, pack_as
from srcad.runtime.support.untracked_conversions import check_return
from srcad.runtime.tape.core.active_recordings import Recording, active
from srcad.runtime.tape.core.node import Node, Pairs
from srcad.runtime.tape.core.operand import Readable
from srcad.runtime.tape.core.reverse_sweep import Sweep
from srcad.runtime.tape.core.tensor import Tensor, tensor_of, tensors_in, unwrapped
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.recording.call_results import as_tensors, tensors_of
from srcad.runtime.tape.recording.forward_recording import Accumulation
from srcad.runtime.tape.recording.retention import SCALARS
from srcad.runtime.tape.values.list_stacking import without_variables

_FLAT = frozenset((Tensor, np.ndarray, *SCALARS))  # types of arguments that are not nested
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
        """The value alone. It shares no memory with arrays that the user can write to, except for arguments.

        A function that may write to arguments has a method `written(values)`, which gives their positions.
        """

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
    inputs: Any = tuple([each._read() if isinstance(each, Readable) else each for each in (*arguments, *captured)])
    is_flat = all(type(each) in _FLAT for each in inputs)
    inputs = inputs if is_flat else without_variables(inputs)
    leaves: Sequence[Any] = inputs if is_flat else flatten(inputs)
    tapes = active.who_know([leaf._identity for leaf in leaves if type(leaf) is Tensor])
    if not tapes:
        return as_tensors(function.primal(_guarded(function, inputs)), inputs)
    check_return(tapes, None, (*leaves, *arrays))
    if arrays or not is_flat or np.ndarray in map(type, inputs):
        inputs, arrays = snapshot((inputs, arrays))
        leaves = inputs if is_flat else flatten(inputs)
    plain = tuple([place for place, leaf in enumerate(inputs) if type(leaf) is not Tensor]) if is_flat else ()
    value, pullback = (forward or function.forward)(unwrapped(inputs), arrays, plain)
    # It can share memory only with copies made here, which nobody writes to.
    result, held = tensors_of(value)
    node = CompiledCall(function, inputs, leaves, captured, arrays, held, pullback)
    for tape in tapes:
        tape.append(node)
    return result


def _guarded(function: CompiledFunction, inputs: tuple[Any, ...]) -> Any:
    """The arrays of the arguments, with copies of those of tensors that the function may write to."""
    values = unwrapped(inputs)
    find: Any = getattr(function, "written", None)
    tensors = [] if find is None else [k for k, each in enumerate(inputs) if type(each) is Tensor and each.ndim]
    if not tensors:
        return values
    written = find(values)
    return tuple([each.copy() if k in tensors and k in written else each for k, each in enumerate(values)])


class CompiledCall(Node):
    """A recorded call of a compiled function."""

    __slots__ = ("arrays", "captured", "function", "given", "leaves", "pull", "result", "results")

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
        self.given = inputs
        self.captured = captured
        self.arrays = arrays
        self.leaves = leaves
        self.pull: Any = pullback
        self.result = result
        self.results = [result] if type(result) is Tensor else list(tensors_in(result))

    def inputs(self) -> Sequence[Tensor]:
        """All tensors among the arguments."""
        return [leaf for leaf in self.leaves if type(leaf) is Tensor]

    def outputs(self) -> Sequence[Tensor]:
        """The results that can have a derivative."""
        return [each for each in self.results if each._value.dtype.kind in "fc"]

    def places(self, relevant: Collection[int]) -> tuple[int, ...]:
        """The places, among the leaves of the arguments, of tensors that have one of these identities."""
        pairs = enumerate(self.leaves)
        return tuple([place for place, leaf in pairs if type(leaf) is Tensor and leaf._identity in relevant])

    def pullback(self, bars: Sequence[Any], relevant: Collection[int], live: bool) -> Pairs:
        """The contributions to the adjoints of relevant leaves of the arguments."""
        wanted = self.places(relevant)
        if not wanted:
            return ()
        given = iter(bars)
        found = [next(given) if each._value.dtype.kind in "fc" else None for each in self.results]
        adjoints = pull_again(self, wanted, found) if live else self.adjoints(wanted, found)
        return zip([self.leaves[place] for place in wanted], adjoints, strict=True)

    def pushforward(self, dots: Mapping[int, Tensor], live: bool) -> Pairs:
        """The results with their tangents."""
        directions = [dots.get(leaf._identity) if type(leaf) is Tensor else None for leaf in self.leaves]
        if live:
            return zip(self.results, push_again(self, directions), strict=True)
        if not hasattr(self.pull, "push"):
            return zip(self.results, push_recorded(self, directions), strict=True)
        return zip(self.results, self.tangents(unwrapped(directions)), strict=True)

    def tangents(self, directions: list[Any]) -> list[Any]:
        """The tangents of the results, for directions of the leaves; a tangent or direction may be None."""
        found = flatten(self.pull.push(pack_as(self.given, directions)))
        pairs = zip(flatten(self.result), found, strict=True)
        return [tangent for leaf, tangent in pairs if type(leaf) is Tensor]

    def adjoints(self, wanted: tuple[int, ...], bars: list[Any]) -> list[Any]:
        """The adjoints of the leaves at these places, from those of the results; None if zero or without one."""
        flat = self.by_leaf(self.pull(self.structured(bars)))
        return [_as_array(flat[place]) for place in wanted]

    def by_leaf(self, adjoints: Sequence[Any]) -> list[Any]:
        """Adjoints of the arguments as adjoints of the leaves."""
        if self.leaves is self.given:  # nothing is nested
            return list(adjoints)
        flat: list[Any] = []
        for each, given in zip(self.given, adjoints, strict=True):
            flat += [None] * len(flatten(each)) if given is None else flatten(given)
        return flat

    def jacobian(self, wanted: Sequence[int]) -> list[Any] | None:
        """The Jacobians of the single result by the leaves at these places; None if the function has no Jacobian."""
        if type(self.result) is not Tensor or self.leaves is not self.given or not hasattr(self.pull, "jacobian"):
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


def _as_array(adjoint: Any) -> Any:
    return adjoint if adjoint is None or hasattr(adjoint, "dtype") else np.asarray(adjoint)[()]


def pull_again(node: CompiledCall, wanted: tuple[int, ...], bars: Sequence[Any]) -> list[Any]:
    """The adjoints of the leaves at these places as tensors, recorded as a function of the arguments and `bars`."""
    seeds = [
        tensor_of(np.zeros_like(tensor._value)[()]) if bar is None else bar
        for bar, tensor in zip(bars, node.results, strict=True)
    ]
    call = _Pulling(node, wanted)
    found = iter(record_call(call, (*node.leaves, *seeds)))
    return [next(found) if is_there else None for is_there in call.there]


class _Pulling:
    """The pullback of a node as a compiled function: of the node's leaves and of the adjoints of its results."""

    def __init__(self, node: CompiledCall, wanted: tuple[int, ...]) -> None:
        self.node, self.wanted = node, wanted
        self.count = len(node.leaves)
        self.there: list[bool] = []

    def primal(self, values: Sequence[Any]) -> list[Any]:
        """The adjoints, without those that are None."""
        found = self.node.adjoints(self.wanted, list(values[self.count :]))
        self.there = [each is not None for each in found]
        return [each for each in found if each is not None]

    def forward(
        self, values: Sequence[Any], arrays: Sequence[Any], plain: tuple[int, ...] = ()
    ) -> tuple[list[Any], Any]:
        """The adjoints, and their pullback."""
        return self.primal(values), _PullbackOfPullback(self, list(values[self.count :]))

    def pick(self, adjoints: Sequence[Any]) -> list[Any]:
        """The items for the wanted leaves with an adjoint, from a list with an item for each leaf."""
        return [adjoints[place] for place, is_there in zip(self.wanted, self.there, strict=True) if is_there]

    def __wrapped__(self, *given: Any) -> list[Any]:
        """The adjoints, computed by recorded operations."""
        leaves, bars = given[: self.count], given[self.count :]
        results, recording = rerun(self.node, leaves)
        inputs = [leaves[place] for place in self.wanted]
        found = Sweep(recording, results, inputs, live=True).run(bars)
        zeros = (tensor_of(np.zeros_like(each._value)[()]) for each in inputs)
        pairs = zip(found, zeros, self.there, strict=True)
        return [zero if bar is None else bar for bar, zero, is_there in pairs if is_there]


class _PullbackOfPullback:
    """The derivative of a pullback, for given adjoints of the results."""

    def __init__(self, call: _Pulling, bars: list[Any]) -> None:
        self.call, self.bars = call, bars

    def __call__(self, directions: list[Any]) -> list[Any]:
        """The adjoints of the leaves and of the results' adjoints."""
        node = self.call.node
        problem: SrcadError | None = None
        if hasattr(node.pull, "again"):
            flat: list[Any] = [None] * self.call.count
            places = [place for place, is_there in zip(self.call.wanted, self.call.there, strict=True) if is_there]
            for place, direction in zip(places, directions, strict=True):
                flat[place] = direction
            try:
                by_input, by_bar = node.pull.again(node.structured(self.bars), list(pack_as(node.given, flat)))
            except (NotDifferentiable, MissingRule) as error:
                problem = error
            else:
                leaves = zip(flatten(node.result), flatten(by_bar), strict=True)
                return node.by_leaf(by_input) + [given for leaf, given in leaves if type(leaf) is Tensor]
        try:
            return self._operation_by_operation(directions)
        except (NotDifferentiable, MissingRule) as error:
            raise (problem or error) from error

    def push(self, directions: list[Any]) -> list[Any]:
        """The tangents of the adjoints: Hessians are symmetric, and pullbacks are linear in the adjoint they take."""
        node, count = self.call.node, self.call.count
        if not hasattr(node.pull, "again"):
            return self._tangents_operation_by_operation(directions)
        by_input, _ = node.pull.again(node.structured(self.bars), list(pack_as(node.given, directions[:count])))
        along = node.by_leaf(node.pull(node.structured(list(directions[count:]))))
        return [
            by_bar if by_leaf is None else by_bar + by_leaf
            for by_leaf, by_bar in zip(self.call.pick(node.by_leaf(by_input)), self.call.pick(along), strict=True)
        ]

    def _inputs(self) -> list[Any]:
        return [*self.call.node.leaves, *(tensor_of(np.array(bar)[()]) for bar in self.bars)]

    def _operation_by_operation(self, directions: list[Any]) -> list[Any]:
        inputs = self._inputs()
        tensors = [each for each in inputs if type(each) is Tensor]
        recording = Recording(watches_accessed=False)
        for each in tensors:
            recording.follow(each._identity)
        results = self._run(inputs, recording)
        found = iter(Sweep(recording, results, tensors, live=False).run([tensor_of(each) for each in directions]))
        return [next(found) if type(each) is Tensor else None for each in inputs]

    def _tangents_operation_by_operation(self, directions: list[Any]) -> list[Any]:
        inputs, accumulation = self._inputs(), Accumulation()
        for each, direction in zip(inputs, directions, strict=True):
            if direction is not None:
                accumulation.watch(each, direction)
        found = [accumulation.known.get(each._identity) for each in self._run(inputs, accumulation)]
        return [None if each is None else each._value for each in found]

    def _run(self, inputs: list[Any], recording: Recording) -> list[Tensor]:
        outer, active.tapes = active.tapes, (recording,)
        try:
            return self.call.__wrapped__(*inputs)
        finally:
            active.tapes = outer


def push_again(node: CompiledCall, directions: Sequence[Any]) -> list[Any]:
    """The tangents of the results as tensors, recorded as a function of the arguments and their directions."""
    if not all(hasattr(node.pull, method) for method in ("push", "again")):
        return push_recorded(node, directions)
    call = _Pushing(node, [each is not None for each in directions])
    found = iter(record_call(call, (*node.leaves, *(each for each in directions if each is not None))))
    return [next(found) if is_there else None for is_there in call.there]


class _Pushing:
    """The tangents of a node's results as a compiled function: of the node's leaves and of their directions."""

    def __init__(self, node: CompiledCall, moving: list[bool]) -> None:
        self.node, self.moving = node, moving
        self.count = len(node.leaves)
        self.there: list[bool] = []

    def primal(self, values: Sequence[Any]) -> list[Any]:
        """The tangents, without those that are None."""
        found = self.node.tangents(self._placed(values[self.count :]))
        self.there = [each is not None for each in found]
        return [each for each in found if each is not None]

    def forward(
        self, values: Sequence[Any], arrays: Sequence[Any], plain: tuple[int, ...] = ()
    ) -> tuple[list[Any], Any]:
        """The tangents, and their pullback. The derivative by the directions is the node's own pullback."""
        node, directions = self.node, self._placed(values[self.count :])

        def pullback(bars: list[Any]) -> list[Any]:
            given = iter(bars)
            bar = node.structured([next(given) if is_there else None for is_there in self.there])
            by_input, _ = node.pull.again(bar, list(pack_as(node.given, directions)))
            by_direction = node.by_leaf(node.pull(bar))
            moved = [each for each, moves in zip(by_direction, self.moving, strict=True) if moves]
            return node.by_leaf(by_input) + moved

        return self.primal(values), pullback

    def _placed(self, directions: Sequence[Any]) -> list[Any]:
        given = iter(directions)
        return [next(given) if moves else None for moves in self.moving]

    def __wrapped__(self, *given: Any) -> list[Any]:
        """The tangents, computed by recorded operations."""
        found = push_recorded(self.node, self._placed(given[self.count :]), given[: self.count])
        return [each for each, is_there in zip(found, self.there, strict=True) if is_there]


def push_recorded(node: CompiledCall, directions: Sequence[Any], leaves: Sequence[Any] | None = None) -> list[Any]:
    """The tangents of the results as tensors, from a run of the function on tensors."""
    accumulation = Accumulation()
    given = node.leaves if leaves is None else leaves
    for leaf, direction in zip(given, directions, strict=True):
        if direction is not None:
            accumulation.watch(leaf, direction)
    results, _ = rerun(node, given, accumulation)
    return [accumulation.known.get(each._identity) for each in results]


def rerun(
    node: CompiledCall, leaves: Sequence[Any], recording: Recording | None = None
) -> tuple[list[Tensor], Recording]:
    """Run a node's function as Python on tensors: its results, and a recording of the run."""
    _check_captured(node)
    arguments = pack_as(node.given, leaves)
    arguments = snapshot(arguments[: len(arguments) - len(node.captured)])
    if recording is None:
        recording = Recording(watches_accessed=False)
        for each in leaves:
            if type(each) is Tensor and each.dtype.kind in "fc":
                recording.follow(each._identity)
    active.push(recording)
    active.reruns += 1
    active.accumulations += 1
    name = getattr(node.function.__wrapped__, "__name__", "a function")
    try:
        result = node.function.__wrapped__(*arguments)
    except TypeError as error:
        raise SECOND_BY_TAPE.error(function=name, problem=error) from error
    finally:
        active.reruns -= 1
        active.accumulations -= 1
        active.remove(recording)
    return list(tensors_in(result)), recording


def _check_captured(node: CompiledCall) -> None:
    """Raise TapeMisuse if a captured value has changed since the call was recorded."""
    held = node.given[len(node.given) - len(node.captured) :]
    for variable, tensor in zip(node.captured, held, strict=True):
        if variable._tensor is not tensor:
            raise TapeMisuse(f"{variable.name} was assigned since it was recorded; its second derivative is gone")
    check = getattr(node.pull, "check_captured", None)
    if check is not None:
        check()
