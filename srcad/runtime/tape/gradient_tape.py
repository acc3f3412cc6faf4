"""`GradientTape`: records the operations in a `with` block, and differentiates them afterwards.

    with GradientTape() as tape:
        y = np.sin(w) * x            a Variable w is watched automatically; a tensor x after tape.watch(x)
    tape.gradient(y, w)

Arguments, results and exceptions, and when these are raised, are those of `tf.GradientTape` in eager mode.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import TapeMisuse
from srcad.refusals.tapes import TARGET_NONE
from srcad.runtime.support.nested_structures import flatten, flatten_up_to, pack_as
from srcad.runtime.tape.core.reverse_sweep import Sweep
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.recorder import Recorder
from srcad.runtime.tape.tape_hessian import hessians, products
from srcad.runtime.tape.tape_jacobian import (
    batch_jacobian,
    check_batches,
    filled_with_zeros,
    follow,
    jacobians,
    threads_of,
)
from srcad.runtime.tape.targets_and_sources import (
    UnconnectedGradients,
    all_finished,
    all_followed,
    as_followed,
    is_zero,
    seeds_of,
    without_unwatched_inputs,
)
from srcad.runtime.tape.values.conversions import convert_to_tensor
from srcad.runtime.tape.why_none import Skeleton

__all__ = ["GradientTape", "UnconnectedGradients"]


class GradientTape(Recorder):
    """Records operations on watched tensors and variables, and computes gradients from the recording.

    persistent                whether more than one gradient may be computed; other tapes release everything they hold
                              after the first
    watch_accessed_variables  whether trainable variables are watched automatically when they are read

    >>> from srcad.runtime.tape.values.conversions import constant
    >>> x = constant(3.0)
    >>> with GradientTape() as outer:
    ...     outer.watch(x)
    ...     with GradientTape() as inner:
    ...         inner.watch(x)
    ...         y = x * x * x
    ...     slope = inner.gradient(y, x)
    >>> float(slope), float(outer.gradient(slope, x))
    (27.0, 18.0)
    """

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the sum of `target`, in the structure of `sources`; None for sources it does not depend on.

        target, sources         tensors or variables, or structures of these
        output_gradients        a factor for each target, with the target's shape; ones if None
        unconnected_gradients   ZERO gives zeros instead of None

        Raises RuntimeError if the tape is not persistent and has been used before.

        >>> from srcad.runtime.tape.core.variable import Variable
        >>> w = Variable([1.0, 2.0])
        >>> with GradientTape() as tape:
        ...     loss = (w * w).sum()
        >>> tape.gradient(loss, {"w": w})["w"].tolist()
        [2.0, 4.0]
        """
        recording = self._leave_if_inside()
        if target is None:
            raise TARGET_NONE.error()
        targets = all_followed(target, "target", recording.known)
        flat = flatten(sources)
        followed = all_followed(sources, "source")
        wants_zeros = is_zero(unconnected_gradients)
        seeds = seeds_of(targets, output_gradients)
        found = Sweep(recording, targets, followed, seeds).run(seeds, keeps_sparse=True)
        found = without_unwatched_inputs(recording, targets, flat, found)
        gradients = all_finished(found, flat, seeds, wants_zeros)
        if not self._persistent:
            self._skeleton = Skeleton(recording) if [1 for bar in found if bar is None] else None
            self._release()
        return pack_as(sources, gradients)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivatives of every element of `target` by every element of `sources`: arrays of both shapes joined.

        parallel_iterations     the number of threads that the elements of the target are divided among
        experimental_use_pfor   True processes many elements at once: in one compiled loop if the target is the result
        of a
                                `srcad.function` (in forward mode if that is less work), else as many as memory allows.
                                False processes one after the other, and requires a persistent tape, as in TensorFlow

        >>> from srcad.runtime.tape.values.conversions import constant
        >>> x = constant([1.0, 2.0])
        >>> with GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        self._read_target(target)
        self._check_can_repeat("jacobian", experimental_use_pfor)
        recording = self._leave_if_inside()
        target = convert_to_tensor(target) if isinstance(target, np.ndarray) else target  # an array depends on nothing
        column = as_followed(target, "target", recording.known)
        flat, batched = flatten(sources), experimental_use_pfor
        rows = [as_followed(each, "source") for each in flat]
        threads = threads_of("jacobian", parallel_iterations, batched, self._persistent, column.size)
        wants_zeros = is_zero(unconnected_gradients)
        found = jacobians(recording, column, rows, threads, batched)
        if wants_zeros:
            found = filled_with_zeros(column, flat, found, batched)
        if batched:
            follow(column, found)
        self._release()
        return pack_as(sources, found)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobians of `target[i]` by `source[i]`, stacked; zeros if unconnected, as in TensorFlow.

        Assumes that `target[i]` depends on no other `source[j]`. Raises ValueError unless both have at least two axes,
        and first axes of equal length.
        """
        self._held()
        wants_zeros = is_zero(unconnected_gradients)
        column, row = as_followed(target, "target"), as_followed(source, "source")
        check_batches(column, row)
        self._read_target(target)
        self._check_can_repeat("batch_jacobian", experimental_use_pfor)
        width = column.size // max(1, column.shape[0])
        threads = threads_of("batch_jacobian", parallel_iterations, experimental_use_pfor, self._persistent, width)
        recording = self._leave_if_inside()
        source._read()  # marks it as read, connected or not
        found = batch_jacobian(recording, column, row, wants_zeros, threads, experimental_use_pfor)
        self._release()
        return found

    def hessian(self, target: Any, sources: Any) -> Any:
        """The second derivatives of a target that is one number.

        For one source an array with the source's shape twice, else blocks in the structure of `sources`, nested twice.
        None for sources that the target does not depend on. Raises ValueError if the target is not one number.

        >>> from srcad.runtime.tape.core.variable import Variable
        >>> w = Variable([1.0, 2.0])
        >>> with GradientTape() as tape:
        ...     loss = w[0] * w[1] * w[1]
        >>> tape.hessian(loss, w).tolist()
        [[0.0, 4.0], [4.0, 2.0]]
        """
        recording = self._leave_if_inside()
        column = as_followed(target, "target", recording.known)
        rows = hessians(recording, column, [as_followed(each, "source") for each in flatten(sources)])
        self._release()
        return pack_as(sources, [pack_as(sources, row) for row in rows])

    def hvp(self, target: Any, sources: Any, vectors: Any) -> Any:
        """The product of the Hessian of the sum of `target` with `vectors`, computed without forming the Hessian.

        `vectors` and the result have the structure of `sources`.

        >>> from srcad.runtime.tape.core.variable import Variable
        >>> w = Variable([1.0, 2.0])
        >>> with GradientTape() as tape:
        ...     loss = w[0] * w[1] * w[1]
        >>> tape.hvp(loss, w, [1.0, 0.5]).tolist()
        [2.0, 5.0]
        """
        recording = self._leave_if_inside()
        column = as_followed(target, "target", recording.known)
        followed = [as_followed(each, "source") for each in flatten(sources)]
        given = flatten_up_to(sources, vectors)
        found = [
            each if each is None else convert_to_tensor(each) for each in products(recording, column, followed, given)
        ]
        self._release()
        return pack_as(sources, found)

    def _read_target(self, target: Any) -> None:
        """Tell this tape and all active ones that a variable is read, if the target of a Jacobian is one."""
        recording = self._held()
        if isinstance(target, Variable):
            recording.note_access(target)
            target._read()

    def _check_can_repeat(self, what: str, experimental_use_pfor: bool) -> None:
        if not experimental_use_pfor and not self._persistent:
            raise TapeMisuse(
                f"GradientTape must be created with persistent=True to compute the {what} with "
                "experimental_use_pfor set to False.",
                hint="make the tape with persistent=True, or leave experimental_use_pfor out",
            )
