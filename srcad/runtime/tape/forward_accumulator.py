"""`ForwardAccumulator`: forward mode on the tape, which computes directional derivatives along with the values.

    with ForwardAccumulator(x, tangent) as accumulator:
        y = f(x)
    accumulator.jvp(y)          the change of y when x moves along the tangent

An accumulator is one of the active recordings, like a tape. Where a tape appends a node, it computes the tangents of
the node's results. Contexts entered before it record these computations, contexts entered after it do not.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from srcad.errors import BadArgument
from srcad.runtime.support.nested_structures import flatten, flatten_up_to, map_leaves
from srcad.runtime.tape.active_recordings import Recording, active
from srcad.runtime.tape.recording.nodes import nodes_of
from srcad.runtime.tape.targets_and_sources import UnconnectedGradients, as_followed, is_zero
from srcad.runtime.tape.values.tensor import Tensor, convert_to_tensor, tensor_of

log = logging.getLogger("srcad")


class ForwardAccumulator:
    """Computes Jacobian-vector products of the operations in its context.

    primals     a tensor or variable, or a nested structure of these
    tangents    the same structure: directions with the same shapes and dtypes

    Raises ValueError if a primal occurs twice or a tangent has another shape than its primal.

    >>> from srcad.runtime.tape.values.tensor import constant
    >>> x = constant([1.0, 2.0])
    >>> with ForwardAccumulator(x, constant([1.0, 10.0])) as accumulator:
    ...     y = x * x
    >>> accumulator.jvp(y).tolist()
    [2.0, 40.0]
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        followed = [as_followed(each, "primal") for each in flatten(primals)]
        given = flatten_up_to(primals, tangents)
        self._accumulation = Accumulation()
        self._is_recording = False
        for primal, tangent in zip(followed, given, strict=True):
            self._accumulation.watch(primal, tangent)

    def __enter__(self) -> ForwardAccumulator:
        if self._is_recording:
            raise BadArgument("Accumulator is already recording.")
        active.push(self._accumulation)
        active.accumulations += 1
        self._is_recording = True
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_recording:
            active.remove(self._accumulation)
            active.accumulations -= 1
            self._is_recording = False

    def jvp(self, primals: Any, unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE) -> Any:
        """The Jacobian-vector products of tensors, in the structure of `primals`.

        For a tensor that does not depend on the watched primals it is None, or zeros if `unconnected_gradients` is
        ZERO. Raises ValueError for an unknown `unconnected_gradients`, TypeError for a value that is not a tensor.
        """
        wants_zeros = is_zero(unconnected_gradients)

        def product(leaf: Any) -> Tensor | None:
            tensor = as_followed(leaf, "primal")
            found = self._accumulation.known.get(tensor._identity)
            return tensor_of(np.zeros_like(tensor._value)[()]) if found is None and wants_zeros else found

        return map_leaves(product, primals)


class _Tangents(dict[int, Tensor]):
    """Identity -> tangent. It takes the place of the set of identities that other recordings have."""

    def add(self, identity: int) -> None:
        """Does nothing: the accumulation itself stores the tangents."""

    def update(self, identities: Any) -> None:
        """Does nothing, as `add`."""

    def isdisjoint(self, identities: Iterable[int]) -> bool:
        """Whether none of these identities has a tangent."""
        return self.keys().isdisjoint(identities)


class Accumulation(Recording):
    """A recording that stores tangents instead of nodes. A tangent is released together with its tensor."""

    __slots__ = ("references",)

    known: _Tangents  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__(watches_accessed=False)
        self.known = _Tangents()
        self.entries = self  # type: ignore[assignment]  # `append` is the only method that is used
        self.references: dict[int, Any] = {}

    def watch(self, primal: Tensor, tangent: Any) -> None:
        """Store the tangent of a tensor."""
        if primal._identity in self.known:
            raise BadArgument(f"{primal!r} was specified as a primal multiple times", hint="add up its tangents")
        if primal.dtype.kind not in "fc":
            log.warning("The dtype of the watched primal must be floating (e.g. float64), got %r", primal.dtype)
            return
        direction = convert_to_tensor(tangent, dtype=primal.dtype)
        if direction.shape != primal.shape:
            raise BadArgument(f"a tangent of shape {direction.shape} for a primal of shape {primal.shape}")
        self.known[primal._identity] = direction

    def append(self, entry: Any) -> None:
        """Compute the tangents of a node's results."""
        (node,) = nodes_of([entry])
        outer, inner = self._outer(), active.tapes
        moving = {each._identity: self.known[each._identity] for each in node.tensors() if each._identity in self.known}
        read = [*(each._identity for each in node.tensors()), *(each._identity for each in moving.values())]
        live = any(getattr(node, "reads_more", False) or not tape.known.isdisjoint(read) for tape in outer)
        active.tapes = outer
        active.live_sweeps += live
        try:
            with np.errstate(all="ignore"):
                found = node.push(moving, live)
        finally:
            active.tapes = inner
            active.live_sweeps -= live
        for tensor, tangent in found:
            if tangent is not None and tensor.dtype.kind in "fc":
                self._keep(tensor, fitted_tangent(tangent, tensor))

    def _outer(self) -> tuple[Recording, ...]:
        tapes = active.tapes
        return tapes[: next(place for place, each in enumerate(tapes) if each is self)]

    def _keep(self, tensor: Tensor, tangent: Tensor) -> None:
        identity = tensor._identity
        self.known[identity] = tangent
        known, references = self.known, self.references

        def forget(_: object) -> None:
            known.pop(identity, None)
            references.pop(identity, None)

        references[identity] = weakref.ref(tensor, forget)


def fitted_tangent(tangent: Any, like: Tensor) -> Tensor:
    """A tangent as a tensor with the shape and dtype of `like`."""
    if not isinstance(tangent, Tensor):
        tangent = tensor_of(np.asarray(tangent)[()])
    if tangent.shape != like.shape:
        tangent = np.broadcast_to(tangent, like.shape)
    return tangent if tangent.dtype == like.dtype else tangent.astype(like.dtype)  # type: ignore[no-any-return]
