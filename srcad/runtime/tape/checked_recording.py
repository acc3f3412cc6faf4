"""Debug mode on the tape: each recorded operation, and each pullback, is checked for NaN and infinity.

While debug mode is on, the methods through which all nodes pass are replaced by ones that check: `append` of recordings
and `swept` of sweeps. A node is known by the line of the user's that recorded it; what was recorded before the block is
not checked. Nodes keep all values meanwhile, so that the operands can be looked at, and the accelerator is off.
"""

from __future__ import annotations

import contextlib
import linecache
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from srcad.errors import PACKAGE, Place
from srcad.runtime.kernels.recording.finite_checks import check_finite, site_text
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.support import debug_mode
from srcad.runtime.tape.accelerator import switch
from srcad.runtime.tape.core.active_recordings import Recording
from srcad.runtime.tape.core.node import Bars, Node, dense
from srcad.runtime.tape.core.reverse_sweep import Sweep
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.recording import retention
from srcad.runtime.tape.recording.dispatch import accelerator
from srcad.runtime.tape.recording.forward_recording import Accumulation

Pull = Callable[[Node, list[Any], Bars], None]
_Named = Mapping[str, Any]


class _Pulling(threading.local):
    """The lines whose operations are being pulled back in this thread, outermost first."""

    def __init__(self) -> None:
        self.places: list[Place] = []


class CheckedRecording:
    """Replaces and restores the methods that check; knows by which lines nodes were recorded."""

    def __init__(self) -> None:
        self._pulling = _Pulling()
        self._places: WeakKeyDictionary[Recording, dict[int, Place]] = WeakKeyDictionary()
        self._append, self._accumulate, self._swept = Recording.append, Accumulation.append, Sweep.swept
        self._was_accelerated = False
        debug_mode.register(self)
        if debug_mode.state.on:
            self.debug_switched(True)

    def debug_switched(self, on: bool) -> None:
        """Replace the methods, or put the original ones back."""
        retention.keeping.everything = on
        if on:
            self._was_accelerated = accelerator.write is not None
        switch.turn(self._was_accelerated and not on)
        append, accumulate, swept = self._methods() if on else (self._append, self._accumulate, self._swept)
        Recording.append, Accumulation.append, Sweep.swept = append, accumulate, swept  # type: ignore[method-assign]
        if not on:
            self._places.clear()

    def _methods(self) -> tuple[Any, Any, Any]:
        checks = self

        def append(recording: Recording, node: Node) -> None:
            checks.check_result(node, checks.noted(recording, node))
            checks._append(recording, node)

        def accumulate(recording: Accumulation, node: Node) -> None:
            place = checks.noted(recording, node)
            checks.check_result(node, place)
            checks._accumulate(recording, node)
            checks.check_tangents(recording, node, place)

        def swept(sweep: Sweep, seeds: Sequence[Any], pull: Pull) -> list[Any]:
            return checks._swept(sweep, seeds, lambda node, found, bars: checks.pulled(pull, node, found, bars))

        return append, accumulate, swept

    def noted(self, recording: Recording, node: Node) -> Place:
        """The line of the user's that records a node, which is kept for its pullback."""
        place = self._pulling.places[0] if self._pulling.places else _users_line()
        self._places.setdefault(recording, {})[id(node)] = place
        return place

    def check_result(self, node: Node, place: Place) -> None:
        """Raise if an operation has made a NaN or an infinity."""
        _check("primal", node, place, _outputs(node), _inputs(node))

    def check_tangents(self, recording: Accumulation, node: Node, place: Place) -> None:
        """Raise if the tangent of an operation has made a NaN or an infinity."""
        known = recording.known
        dots = {f"{name}_dot": known.get(each._identity) for name, each in _tensors(node.inputs(), "argument")}
        found = {f"{name}_dot": known.get(each._identity) for name, each in _tensors(node.outputs(), "result")}
        _check("tangent", node, place, found, {**dots, **_inputs(node), **_outputs(node)})

    def pulled(self, pull: Pull, node: Node, found: list[Any], bars: Bars) -> None:
        """Pull a node back, and raise if that has made a NaN or an infinity."""
        place = next((known[id(node)] for known in self._places.values() if id(node) in known), None)
        if place is None:
            pull(node, found, bars)
            return
        inputs = dict(_tensors(node.inputs(), "argument"))
        before = {f"{name}_bar before": bars.get(each._identity) for name, each in inputs.items()}
        with self._within(place):
            pull(node, found, bars)
        results = {f"{name}_bar": bar for (name, _), bar in zip(_tensors(node.outputs(), "result"), found, strict=True)}
        after = {f"{name}_bar": bars.get(each._identity) for name, each in inputs.items()}
        _check("reverse", node, place, after, {**results, **before, **_inputs(node), **_outputs(node)})

    @contextlib.contextmanager
    def _within(self, place: Place) -> Iterator[None]:
        """Operations that a pullback records are of the line that is pulled back."""
        self._pulling.places.append(place)
        try:
            yield
        finally:
            self._pulling.places.pop()


def _check(sweep: str, node: Node, place: Place, found: _Named, operands: _Named) -> None:
    values = {name: _plain(value) for name, value in operands.items() if value is not None}
    for name, value in found.items():
        statement = f"recorded operation `{_name(node)}`"
        site = site_text(sweep, statement, name, [*values], [], place)
        check_finite(_plain(value), tuple(values.values()), (), site)


def _plain(value: Any) -> Any:
    """A tensor or a sparse adjoint as an array."""
    value = dense(value)
    return value._value if isinstance(value, Tensor) else value


def _tensors(tensors: Sequence[Tensor], name: str) -> list[tuple[str, Tensor]]:
    """Tensors with names: by themselves where there is one, numbered where there are several."""
    several = len(tensors) > 1
    return [(f"{name}_{k}" if several else name, each) for k, each in enumerate(tensors, start=1)]


def _inputs(node: Node) -> dict[str, Any]:
    """The tensors that an operation has read, and its other arguments."""
    others = [each for each in getattr(node, "arguments", ()) if not isinstance(each, Tensor)]
    plain = {f"other_{k}": each for k, each in enumerate(others, start=1) if _is_number(each)}
    return {**dict(_tensors(node.inputs(), "argument")), **plain}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex)) or hasattr(value, "dtype")


def _outputs(node: Node) -> dict[str, Any]:
    return dict(_tensors(node.outputs(), "result"))


def _name(node: Node) -> str:
    primitive = getattr(node, "primitive", None)
    if primitive is not None:
        return primitive_name(primitive)
    return str(getattr(getattr(node, "function", None), "__name__", type(node).__name__))


def _users_line() -> Place:
    """The line of the innermost frame that is not srcad's."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line, frame.f_globals).rstrip("\n")
    return Place(file, line, len(text) - len(text.lstrip()), len(text), text)


checked_recording = CheckedRecording()
