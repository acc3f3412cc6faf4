"""`GradientTape`: records what is computed in a `with` block, and differentiates it afterwards.

    with GradientTape() as tape:
        y = np.sin(w) * x            w a Variable: watched by itself; tensors by tape.watch(x)
    tape.gradient(y, w)

Arguments, results, exceptions and their moments are those of `tf.GradientTape` in eager mode.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Any

from srcad.errors import BadArgument, NotDifferentiable, TapeMisuse
from srcad.runtime.active import Recording, active
from srcad.runtime.ends import UnconnectedGradients, as_followed, finished, is_zero, seeds_of
from srcad.runtime.jacobians import batch_jacobian, check_batches, jacobians
from srcad.runtime.nest import flatten, pack_as
from srcad.runtime.operand import Operand
from srcad.runtime.sweep import Sweep
from srcad.runtime.variable import Variable

__all__ = ["GradientTape", "UnconnectedGradients"]

log = logging.getLogger("srcad")

_USED = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
_INSIDE = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than "
    "calling it outside the context (it causes the gradient ops to be recorded on the tape). Only call "
    "GradientTape.gradient inside the context if you actually want to trace the gradient in order to compute "
    "higher order derivatives."
)


class GradientTape:
    """Records operations on watched tensors and variables, for gradients.

    persistent                whether more than one gradient may be asked for; else a tape releases all that it holds
                              with the first
    watch_accessed_variables  whether trainable variables are watched as soon as they are read

    >>> from srcad.runtime.tensor import constant
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

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._recording: Recording | None = None
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._watched_variables: tuple[Variable, ...] = ()
        self._is_recording = False

    def __enter__(self) -> GradientTape:
        self._push()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_recording:
            self._pop()

    def _push(self) -> None:
        if self._is_recording:
            raise BadArgument(
                "Tape is still recording, This can happen if you try to re-enter an already-active tape.",
            )
        if self._recording is None:
            self._recording = Recording(self._watch_accessed_variables)
        active.push(self._recording)
        self._is_recording = True

    def _pop(self) -> None:
        if not self._is_recording:
            raise BadArgument("Tape is not recording.")
        active.remove(self._held())
        self._is_recording = False

    def _held(self) -> Recording:
        if self._recording is None:
            raise TapeMisuse(_USED, hint="pass persistent=True, or record again")
        return self._recording

    @contextlib.contextmanager
    def _recording_anyway(self) -> Iterator[None]:
        """Record what happens in this block, whether or not the tape is entered."""
        if self._is_recording:
            yield
            return
        self._push()
        try:
            yield
        finally:
            self._pop()

    def watch(self, tensor: Any) -> None:
        """Follow a tensor or variable, or all of a nested structure of them.

        Raises ValueError for anything else.
        """
        for each in flatten(tensor):
            if not isinstance(each, Operand):
                raise BadArgument(
                    f"Passed in object {each} of type {type(each).__name__!r}, not srcad.Tensor or srcad.Variable",
                    hint="make it a tensor with srcad.constant",
                )
            recording = self._held()
            is_differentiable = each.dtype.kind in "fc"
            if not is_differentiable:
                log.warning("The dtype of the watched tensor must be floating (e.g. float64), got %r", each.dtype)
            if isinstance(each, Variable):
                recording.watch_variable(each)
            elif is_differentiable:
                recording.known.add(each._identity)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Record nothing in this block. Raises RuntimeError if the tape was never entered, or is used up."""
        if self._recording is None:
            raise TapeMisuse("Trying to stop recording a tape which is not recording.")
        self._pop()
        try:
            yield
        finally:
            self._push()

    def reset(self) -> None:
        """Forget everything recorded and watched, as if the context were left and entered anew."""
        self._pop()
        self._recording = None
        self._push()

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched by this tape, in the order of their construction."""
        if self._recording is not None:
            self._watched_variables = self._recording.watched_variables()
        return self._watched_variables

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the sum of `target`, in the structure of `sources`; None for what it does not depend on.

        output_gradients        a factor for each target, of its shape; ones if None
        unconnected_gradients   ZERO for zeros instead of None

        Raises RuntimeError if the tape is not persistent and was used before.

        >>> w = Variable([1.0, 2.0])
        >>> with GradientTape() as tape:
        ...     loss = (w * w).sum()
        >>> tape.gradient(loss, {"w": w})["w"].tolist()
        [2.0, 4.0]
        """
        recording = self._leave_if_inside()
        if target is None:
            raise NotDifferentiable("`target` should be a nested structure of tensors or variables, but received None")
        targets = [as_followed(each, "target", recording.known) for each in flatten(target)]
        flat = flatten(sources)
        followed = [as_followed(each, "source") for each in flat]
        wants_zeros = is_zero(unconnected_gradients)
        seeds = seeds_of(targets, output_gradients)
        found = Sweep(recording, targets, followed, seeds).run(seeds, with_rows=True)
        gradients = [finished(bar, source, wants_zeros) for bar, source in zip(found, flat, strict=True)]
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

        The last two parameters are accepted for TensorFlow's sake; as there, `experimental_use_pfor=False` asks for a
        persistent tape.

        >>> from srcad.runtime.tensor import constant
        >>> x = constant([1.0, 2.0])
        >>> with GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        self._check_can_repeat("jacobian", experimental_use_pfor)
        recording = self._leave_if_inside()
        column = as_followed(target, "target", recording.known)
        rows = [as_followed(each, "source") for each in flatten(sources)]
        found = jacobians(recording, column, rows, is_zero(unconnected_gradients))
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

        Assumes that `target[i]` depends on no other `source[j]`. Raises ValueError unless both have two axes or more,
        and the first of equal length.
        """
        self._check_can_repeat("batch_jacobian", experimental_use_pfor)
        is_zero(unconnected_gradients)
        column, row = as_followed(target, "target"), as_followed(source, "source")
        check_batches(column, row)
        recording = self._leave_if_inside()
        found = batch_jacobian(recording, column, row)
        self._release()
        return found

    def _check_can_repeat(self, what: str, experimental_use_pfor: bool) -> None:
        self._held()
        if not experimental_use_pfor and not self._persistent:
            raise TapeMisuse(
                f"GradientTape must be created with persistent=True to compute the {what} with "
                "experimental_use_pfor set to False."
            )

    def _leave_if_inside(self) -> Recording:
        recording = self._held()
        if self._is_recording:
            if self._persistent:
                _warn_once(_INSIDE)
            else:
                self._pop()
        return recording

    def _release(self) -> None:
        if not self._persistent and self._recording is not None:
            self._watched_variables = self._recording.watched_variables()
            self._recording = None


_warned: set[str] = set()


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        log.warning(message)
