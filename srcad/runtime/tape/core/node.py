"""`Node`: one recorded operation, and the adjoints that a reverse sweep adds up.

A node keeps what the operation read and made. How derivatives pass through it is the business of its class: the tape
knows calls of primitives, of compiled functions and of functions with custom gradients.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.protocols.arithmetic import call

Pairs = Iterable[tuple[Tensor, Any]]  # tensors, each with a contribution to its adjoint, or with its tangent
Bars = dict[int, Any]  # identity -> sum of the contributions to the adjoint so far


class Node:
    """One recorded operation.

    If an outer tape is recording, pullbacks run on tensors in place of arrays (`live`), so that their operations become
    nodes of the outer tape. This is all that higher derivatives need.
    """

    __slots__ = ()

    reads_more = False  # whether the pullback may read tensors that are not among the inputs

    def inputs(self) -> Sequence[Tensor]:
        """The tensors that were read."""
        raise NotImplementedError

    def outputs(self) -> Sequence[Tensor]:
        """The tensors that were made and can have a derivative."""
        raise NotImplementedError

    def pullback(self, bars: Sequence[Any], relevant: Collection[int], live: bool) -> Pairs:
        """The contributions to the adjoints of the inputs whose identities are `relevant`.

        `bars` has an adjoint for each output; None stands for zero.
        """
        raise NotImplementedError

    def batched_pullback(self, bars: Sequence[Any], relevant: Collection[int]) -> Pairs | None:
        """`pullback` for many adjoints at once, along a leading axis; None if it runs for one after the other."""
        return None

    def pushforward(self, dots: Mapping[int, Tensor], live: bool) -> Pairs:
        """The outputs with their tangents, for tangents of the inputs by identity."""
        raise NotImplementedError


class ReadNode(Node):
    """A reading of a variable whose value comes from an item assignment that this tape has not recorded.

    To the tape, the value read is that of the variable.
    """

    __slots__ = ("result", "source")

    def __init__(self, source: Tensor, result: Tensor) -> None:
        self.source, self.result = source, result

    def inputs(self) -> Sequence[Tensor]:
        """The variable."""
        return (self.source,)

    def outputs(self) -> Sequence[Tensor]:
        """The value that was read."""
        return (self.result,)

    def pullback(self, bars: Sequence[Any], relevant: Collection[int], live: bool) -> Pairs:
        """The adjoint, unchanged."""
        return ((self.source, bars[0]),)

    def batched_pullback(self, bars: Sequence[Any], relevant: Collection[int]) -> Pairs | None:
        """The adjoints, unchanged."""
        return ((self.source, bars[0]),)

    def pushforward(self, dots: Mapping[int, Tensor], live: bool) -> Pairs:
        """The tangent, unchanged."""
        return ((self.result, dots[self.source._identity]),)


class SparseAdjoint:
    """A contribution to an adjoint that is mostly zero. `dense()` gives the whole array, `+` adds others to it."""

    __slots__ = ()

    def dense(self) -> Any:
        """The whole array."""
        raise NotImplementedError


def dense(bar: Any) -> Any:
    """An adjoint as an array or tensor."""
    return bar.dense() if isinstance(bar, SparseAdjoint) else bar


def accumulate(bars: Bars, tensor: Tensor, contribution: Any) -> None:
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


def fitted(bar: Any, like: Tensor) -> Any:
    """An adjoint in the shape and dtype of `like`; a real input takes the real part of a complex adjoint."""
    value = like._value
    if not hasattr(bar, "dtype"):
        bar = np.asarray(bar)[()]
    if bar.shape != value.shape:
        is_live = isinstance(bar, Tensor)
        bar = call(kernels.unbroadcast, bar, like) if is_live else kernels.unbroadcast(bar, value)
        if bar.shape != value.shape:  # one derivative for all elements of a larger operand
            bar = np.broadcast_to(bar, value.shape)
    if bar.dtype.kind == "c" and value.dtype.kind != "c":
        bar = bar.real if type(bar) is np.ndarray else np.real(bar)
    return bar if bar.dtype == value.dtype else bar.astype(value.dtype)
