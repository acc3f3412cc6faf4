"""The base class of `GradientTape`: a context manager that records, can be re-entered, reset and inspected."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from srcad.errors import BadArgument, TapeMisuse
from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.tape.core.active_recordings import Recording, active
from srcad.runtime.tape.core.operand import Operand
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.memory_report import Trace
from srcad.runtime.tape.targets_and_sources import as_followed
from srcad.runtime.tape.why_none import Skeleton

if TYPE_CHECKING:
    from srcad.runtime.tape.recorded_graph import Graph

log = logging.getLogger("srcad")

Entered = TypeVar("Entered", bound="Recorder")

_USED = "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
_INSIDE = (
    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient than "
    "calling it outside the context (it causes the gradient ops to be recorded on the tape). Only call "
    "GradientTape.gradient inside the context if you actually want to trace the gradient in order to compute "
    "higher order derivatives."
)


class Recorder:
    """A context manager that records operations on the values it watches, while it is entered."""

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._recording: Recording | None = None
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._watched_variables: tuple[Variable, ...] = ()
        self._skeleton: Skeleton | None = None
        self._is_recording = False

    def __enter__(self: Entered) -> Entered:
        self._push()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_recording:
            self._pop()

    def _push(self) -> None:
        if self._is_recording:
            raise BadArgument(
                "Tape is still recording, This can happen if you try to re-enter an already-active tape.",
                hint="make a tape of its own for the inner block",
            )
        if self._recording is None:
            self._recording = Recording(self._watch_accessed_variables)
        active.push(self._recording)
        self._is_recording = True

    def _pop(self) -> None:
        if not self._is_recording:
            raise BadArgument("Tape is not recording.", hint="it is stopped already: leave the inner block out")
        recording = self._held()
        if not [1 for each in active.tapes if each is recording]:
            raise TapeMisuse("the tape was entered in another thread", hint="leave it in the thread that entered it")
        active.remove(recording)
        self._is_recording = False

    def _held(self) -> Recording:
        if self._recording is None:
            raise TapeMisuse(_USED, hint="record again in its `with` block; to ask twice, pass persistent=True")
        return self._recording

    def watch(self, tensor: Any) -> None:
        """Watch a tensor or variable, or a nested structure of these.

        Has no effect while no tape records, as in TensorFlow. Raises ValueError for any other value.
        """
        is_in_time = [1 for each in active.tapes if type(each) is Recording]
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
            if not is_in_time:
                continue
            if isinstance(each, Variable):
                recording.watch_variable(each)
            elif is_differentiable:
                recording.follow(each._identity)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Record nothing in this block. Raises RuntimeError if the tape was never entered, or has been used."""
        if self._recording is None:
            raise TapeMisuse(
                "Trying to stop recording a tape which is not recording.", hint="enter its `with` block first"
            )
        self._pop()
        try:
            yield
        finally:
            self._push()

    def reset(self) -> None:
        """Discard everything recorded and watched, as if the context were left and entered again."""
        self._pop()
        self._recording = None
        self._push()

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched by this tape, in the order of their construction."""
        if self._recording is not None:
            self._watched_variables = self._recording.watched_variables()
        return self._watched_variables

    def explain(self, target: Any, source: Any) -> str:
        """Why the gradient of a target by a source is None, or which operations connect the two.

        Works on a used tape as well if the last gradient had a None in it.

        >>> from srcad.runtime.tape.gradient_tape import GradientTape
        >>> w = Variable(2.5)
        >>> with GradientTape() as tape:
        ...     y = w // 1.0 * 2.0
        >>> tape.explain(y, w)
        'None: operator.floordiv cuts the gradient: its derivative is zero everywhere.'
        """
        if self._recording is None and self._skeleton is None:
            self._held()
        skeleton = Skeleton(self._recording) if self._recording is not None else self._skeleton
        assert skeleton is not None
        return skeleton.why(as_followed(target, "target", skeleton.known), as_followed(source, "source"), source)

    @property
    def trace(self) -> Trace:
        """The recorded operations, a sequence with the total memory `.nbytes`; empty once the tape has been used.

        >>> from srcad.runtime.tape.gradient_tape import GradientTape
        >>> w = Variable([1.0] * 1000)
        >>> with GradientTape() as tape:
        ...     y = (w * w).sum()
        >>> tape.trace
              16,000  bytes in 2 operations
              16,000  operator.mul: float64(1000,), float64(1000,), float64(1000,)
                   0  np.sum: float64(1000,)
        """
        return Trace(() if self._recording is None else self._recording.nodes)

    def show(self) -> Graph:
        """The recorded operations as a graph: a picture in a notebook, text elsewhere.

        `.svg()` is the picture, `.dot()` the text for Graphviz, `.save("graph.svg")` writes one of them. What cuts the
        gradient is dashed. Of more than 200 operations the last ones are shown. Raises TapeMisuse if the tape has been
        used, and does not persist.

        >>> from srcad.runtime.tape.gradient_tape import GradientTape
        >>> w = Variable([1.0, 2.0], name="w")
        >>> with GradientTape() as tape:
        ...     y = (w * w // 1.0 + w).sum()
        >>> tape.show()
        0: w:0 (2,)
        1: operator.mul (2,) of 0
        2: operator.floordiv (2,) of 1, cuts the gradient: its derivative is zero everywhere
        3: operator.add (2,) of 2, 0
        4: np.sum () of 3
        """
        from srcad.runtime.tape.recorded_graph import Graph

        return Graph(self._held())

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
