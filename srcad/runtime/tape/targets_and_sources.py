"""The targets of a gradient with their cotangents, and its sources with the values returned for them."""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from srcad.errors import BadArgument, NotATensor
from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.tape.core.active_recordings import Recording
from srcad.runtime.tape.core.tensor import Tensor, tensor_of
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.values.conversions import convert_to_tensor
from srcad.runtime.tape.values.indexed_slices import Rows


class UnconnectedGradients(enum.Enum):
    """What `GradientTape.gradient` returns for a source that the target does not depend on: None, or zeros.

    >>> UnconnectedGradients("zero")
    <UnconnectedGradients.ZERO: 'zero'>
    """

    NONE = "none"
    ZERO = "zero"


_NONE = UnconnectedGradients.NONE


def as_followed(thing: Any, role: str, known: Collection[int] = ()) -> Tensor:
    """The tensor under whose identity tapes know a target or source.

    For a variable with item assignments this is, as a source, the variable before them; as a target it is the value
    after them if that is `known` to the tape. Raises TypeError for values that are neither tensors nor variables.
    """
    if isinstance(thing, Variable):
        return thing._tensor if thing._tensor._identity in known else thing._original()
    if isinstance(thing, Tensor):
        return thing
    raise NotATensor(
        f"a {role} must be a srcad.Tensor or srcad.Variable, not {thing!r} of type {type(thing).__name__}",
        hint="pass what was computed or watched in the `with` block: not a number or array taken from it",
    )


def all_followed(structure: Any, role: str, known: Collection[int] = ()) -> list[Tensor]:
    """`as_followed` of all targets or sources in a structure."""
    if type(structure) is Tensor:
        return [structure]
    return [each if type(each) is Tensor else as_followed(each, role, known) for each in flatten(structure)]


def is_zero(unconnected_gradients: Any) -> bool:
    """Whether zeros are wanted for unconnected sources. Raises ValueError for an unknown choice."""
    if unconnected_gradients is _NONE:
        return False
    try:
        return UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
    except ValueError:
        raise BadArgument(
            f"Unknown value for unconnected_gradients: {unconnected_gradients!r}", hint="'none' or 'zero'"
        ) from None


def finished(bar: Any, source: Any, wants_zeros: bool, as_recorded: bool = False) -> Any:
    """The value returned to the user for a source whose adjoint is `bar`."""
    if bar is None:
        # For active tapes, zeros are computed from the source, which counts as a reading.
        return np.zeros_like(source) if wants_zeros else None
    if type(bar) is Rows:
        if bar.is_taken or isinstance(source, Variable):
            return bar.slices(as_recorded)
        bar = bar.dense()
    return bar if isinstance(bar, Tensor) else tensor_of(bar)


def all_finished(bars: Sequence[Any], sources: Sequence[Any], seeds: Sequence[Tensor], wants_zeros: bool) -> list[Any]:
    """The values returned to the user for sources with these adjoints.

    Equal gradients are one tensor: for a source given twice, or an output gradient that is passed on unchanged.
    """
    made: dict[int, Any] = {id(seed._value): seed for seed in seeds}
    found = []
    for bar, source in zip(bars, sources):  # noqa: B905 - strict is slow
        key = id(bar)
        if bar is None or key not in made:
            is_array = type(bar) is np.ndarray or type(bar) is np.float64
            made[key] = tensor_of(bar) if is_array else finished(bar, source, wants_zeros, len(seeds) == 1)
        found.append(made[key])
    return found


def seeds_of(targets: Sequence[Tensor], output_gradients: Any) -> list[Tensor]:
    """A cotangent for each target, with its shape and dtype. Raises ValueError if output gradients do not fit."""
    if output_gradients is None:
        return [*map(ones, targets)]
    given = flatten(output_gradients)
    if any(each is None for each in given):
        raise BadArgument("an output gradient is None, which does not become a tensor", hint="give ones, or zeros")
    if len(given) != len(targets):
        raise BadArgument(
            f"{len(given)} output gradients for {len(targets)} targets",
            hint="give one array for each target",
        )
    pairs = zip(given, targets, strict=True)
    return [_fitted(each, target) for each, target in pairs]


def ones(target: Tensor) -> Tensor:
    """The cotangent of ones for a target."""
    value = target._value
    if type(value) is np.float64:
        return tensor_of(_ONE)
    seed = np.empty(value.shape, value.dtype)
    seed.fill(1)
    return tensor_of(seed if value.shape else seed[()])


_ONE = np.float64(1.0)


def _fitted(given: Any, target: Tensor) -> Any:
    """An output gradient as a tensor with its target's shape and dtype. Raises ValueError if it does not fit."""
    seed: Any = convert_to_tensor(given)
    if seed.shape == target.shape and seed.dtype == target.dtype:
        return seed
    try:
        fits = np.broadcast_shapes(seed.shape, target.shape) == target.shape
    except ValueError:
        fits = False
    if not fits:
        raise BadArgument(
            f"an output gradient of shape {seed.shape} for a target of shape {target.shape}", hint="give it that shape"
        )
    if not np.can_cast(seed.dtype, target.dtype, "same_kind"):
        raise BadArgument(
            f"an output gradient of dtype {seed.dtype} for a target of dtype {target.dtype}",
            hint="convert it to the dtype of the target",
        )
    if seed.dtype != target.dtype:
        seed = seed.astype(target.dtype)
    return seed if seed.shape == target.shape else np.broadcast_to(seed, target.shape)


def without_unwatched_inputs(
    recording: Recording, targets: Sequence[Tensor], sources: Sequence[Any], bars: list[Any]
) -> list[Any]:
    """The adjoints, with None for unwatched tensors that are inputs of operations which led to a target.

    This is TensorFlow's behaviour: an unwatched tensor has the gradient one as its own target, unless another target
    reads it. A variable counts as read through its readings.
    """
    known = recording.known
    for source, bar in zip(sources, bars):  # noqa: B905 - strict is slow
        if bar is not None and source._identity not in known and type(source) is Tensor:
            break
    else:
        return bars
    reached = {target._identity for target in targets}
    read: set[int] = set()
    steps = [
        (tuple([each._identity for each in node.outputs()]), [each._identity for each in node.inputs()])
        for node in recording.nodes
    ]
    steps += [((result,), [*inputs]) for result, (_, inputs, _) in recording.cuts.items()]  # as TensorFlow does
    for outputs, inputs in sorted(steps, reverse=True):  # results made last have the greatest identities
        if not reached.isdisjoint(outputs):
            read.update(inputs)
            reached |= read
    unwatched = read - known
    pairs = zip(sources, bars, strict=True)
    return [None if type(each) is Tensor and each._identity in unwatched else bar for each, bar in pairs]
