"""`Accumulation`: a recording that computes tangents along with the values, in place of storing nodes.

It is one of the active recordings, like that of a tape. Where a tape appends a node, it computes the tangents of the
node's results. Recordings pushed before it record these computations, recordings pushed after it do not.
"""

from __future__ import annotations

import logging
import weakref
from typing import Any

import numpy as np

from srcad.errors import BadArgument
from srcad.runtime.tape.core.active_recordings import Recording, active
from srcad.runtime.tape.core.node import Node
from srcad.runtime.tape.core.tensor import Tensor, tensor_of
from srcad.runtime.tape.values.conversions import convert_to_tensor

log = logging.getLogger("srcad")


class Accumulation(Recording):
    """A recording that stores tangents instead of nodes. A tangent is released together with its tensor."""

    __slots__ = ("references",)

    known: dict[int, Tensor]  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__(watches_accessed=False)
        self.known = {}
        self.references: dict[int, Any] = {}

    def adopt(self, identity: int) -> None:
        """Does nothing: a value that was computed without a derivative has no tangent."""

    def watch(self, primal: Tensor, tangent: Any) -> None:
        """Store the tangent of a tensor."""
        if primal._identity in self.known:
            raise BadArgument(f"{primal!r} was specified as a primal multiple times", hint="add up its tangents")
        if primal.dtype.kind not in "fc":
            log.warning("The dtype of the watched primal must be floating (e.g. float64), got %r", primal.dtype)
            return
        direction = convert_to_tensor(tangent, dtype=primal.dtype)
        if direction.shape != primal.shape:
            raise BadArgument(
                f"a tangent of shape {direction.shape} for a primal of shape {primal.shape}", hint="give it that shape"
            )
        self.known[primal._identity] = direction

    def append(self, node: Node) -> None:
        """Compute the tangents of a node's results."""
        outer, inner = self._outer(), active.tapes
        read = [each._identity for each in node.inputs()]
        moving = {identity: self.known[identity] for identity in read if identity in self.known}
        read += [each._identity for each in moving.values()]
        live = any(node.reads_more or tape.follows(read) for tape in outer)
        active.tapes = outer
        active.live_sweeps += live
        try:
            with np.errstate(all="ignore"):
                found = list(node.pushforward(moving, live))
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
