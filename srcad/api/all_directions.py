"""Sweeps along all unit directions in one compiled loop, for Jacobians that are computed often or take long.

The loop runs sweeps in vector mode, several directions at once (`srcad.driver.vector_sweeps`), or single ones where a
function has no vector mode (`srcad.driver.jacobian_loops`). To compile it takes about a second, so that it is compiled
when single sweeps have taken about as long: whichever number of sweeps follows, no more than twice the least time is
spent. A loop in vector mode that takes longer than single sweeps is given up.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numba.core import types

from srcad.api.signature_stubs import shape_of
from srcad.driver.compiled_routines import compiled_routine
from srcad.driver.version import Version
from srcad.runtime.jit.dispatchers import TypedDispatcher
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.jit.uncompiled_trace import Kept
from srcad.runtime.kernels.directions import WIDTH

PAYS_AFTER = 0.5  # seconds of single sweeps
_TRIED = 5  # runs in vector mode, after which it is compared with single sweeps


class AllDirections:
    """The loops of one Jacobian or Hessian, and how long its sweeps have taken so far."""

    def __init__(self, is_compiled: bool) -> None:
        self._is_compiled, self.spent = is_compiled, 0.0
        # The least seconds that a single sweep has taken, and each direction in vector mode; how often that has run.
        self.single, self._each, self._runs = np.inf, np.inf, 0
        self._held: tuple[Version, Callable[..., Any] | None] | None = None
        self._in_lanes: tuple[Version, Callable[..., Any] | None] | None = None

    @property
    def pays(self) -> bool:
        """Whether a loop over all directions pays, after all that has been computed."""
        return self._is_compiled and self.spent >= PAYS_AFTER

    def rows(self, version: Version, run: tuple[Any, Any], value: Any, inputs: Sequence[Any]) -> list[Any] | None:
        """The blocks of the Jacobian of one array, by reverse sweeps; None where there is no loop, or it does not pay.

        `run` has the arguments, captured ones included, and the trace.
        """
        arguments, trace = run
        if not self.pays or isinstance(trace, Kept) or not _is_plain(value) or not all(map(_is_plain, inputs)):
            return None
        found = self._vectors(version, 1, (*arguments, trace), value)
        if found is None:
            found = self._call(version, 2, (*arguments, trace, np.zeros(value.shape)))
        if found is None:
            return None
        return [block.reshape(value.shape + each.shape) for block, each in zip(found, inputs, strict=True)]

    def columns(self, version: Version, args: tuple[Any, ...], value: Any, inputs: Sequence[Any]) -> Any:
        """The Jacobian of one array by one argument, by tangent sweeps; None where there is no loop."""
        if not self.pays or len(inputs) != 1 or not _is_plain(inputs[0]) or not _is_plain(value):
            return None
        found = self._vectors(version, 0, (*args, *version.hidden()), inputs[0])
        if found is not None:
            return found[0].reshape(value.shape + inputs[0].shape)
        found = self._call(version, 1, (*args, *version.hidden(), np.zeros(inputs[0].shape)))
        if found is None:
            return None
        return np.ascontiguousarray(np.moveaxis(found, 0, -1)).reshape(value.shape + inputs[0].shape)

    def second(self, version: Version, args: tuple[Any, ...], argument: Any) -> Any:
        """The Hessian by one argument, by Hessian-vector products; None where there is no loop, or it does not pay."""
        if not self.pays or not _is_plain(argument):
            return None
        found = self._vectors(version, 0, (*args, *version.hidden()), argument)
        return None if found is None else found[0].reshape(argument.shape + argument.shape)

    def _vectors(self, version: Version, index: int, args: tuple[Any, ...], direction: Any) -> Any:
        """What sweeps in vector mode give; None where there are none, or what they give is not finite.

        Single sweeps then tell what is infinite: they skip some zeros that meet infinities here.
        """
        if self._in_lanes is None or self._in_lanes[0] is not version:
            self._in_lanes = version, lanes_of(version, index, len(args))
        routine = self._in_lanes[1]
        if routine is None:
            return None
        begun = time.thread_time()
        try:
            found = routine(*args, np.zeros((*direction.shape, WIDTH)))
        except CannotType:
            self._in_lanes = version, None
            return None
        except Exception:  # noqa: BLE001 - single sweeps raise it again where it is the function's own
            return None
        self._runs += 1
        self._each = min(self._each, (time.thread_time() - begun) / direction.size)
        if self._runs == _TRIED and self._each > self.single:
            self._in_lanes = version, None  # products of matrices, for instance, have little in common
        return found if all(np.isfinite(each).all() for each in found) else None

    def _call(self, version: Version, index: int, args: tuple[Any, ...]) -> Any:
        if self._held is None or self._held[0] is not version:
            stub = shape_of("all_directions", tuple(f"a{k}" for k in range(len(args))))
            self._held = version, compiled_routine(version, index, stub, must_compile=True)
        routine = self._held[1]
        if routine is None:
            return None
        try:
            return routine(*args)
        except CannotType:
            self._held = version, None
            return None


def lanes_of(version: Version, index: int, count: int, which: int = 1) -> TypedDispatcher:
    """What runs a generated function in vector mode, for all unit directions, or with `which=0` for several directions.

    It takes `count` arguments and an array for the directions, and raises CannotType where there is no vector mode.
    """

    def specialise(kinds: tuple[Any, ...]) -> Any:
        rows = kinds[-1]
        direction = types.Array(rows.dtype, rows.ndim - 1, "C") if rows.ndim > 1 else rows.dtype
        made = version.in_lanes(index, (*kinds[:-1], direction))
        if len(made) <= which:
            raise CannotType("it has no vector mode")
        return made[which]

    shape = shape_of("all_lanes", tuple(f"a{k}" for k in range(count + 1)))
    return TypedDispatcher(shape, specialise, widen=version.widen)


class SingleSweeps:
    """Directions one after the other, for single sweeps, until it pays to compile a loop.

    Then `found` has the result of `at_once`, which has the loop compiled; if it is None, there are more directions.
    """

    def __init__(self, loops: AllDirections, directions: Iterable[Any], at_once: Callable[[], Any]) -> None:
        self._loops, self._directions, self._at_once = loops, directions, at_once
        self.found: Any = None

    def __iter__(self) -> Iterator[Any]:
        has_tried = self._loops.pays
        for each in self._directions:
            begun = time.thread_time()
            yield each
            taken = time.thread_time() - begun
            self._loops.spent, self._loops.single = self._loops.spent + taken, min(self._loops.single, taken)
            if self._loops.pays and not has_tried:
                self.found, has_tried = self._at_once(), True
                if self.found is not None:
                    return


def _is_plain(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype == np.float64 and value.ndim > 0 and value.size > 0
