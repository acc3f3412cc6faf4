"""Sweeps along all unit directions in one compiled loop, for Jacobians that are computed often.

The loop belongs to the generated module of the sweep (`srcad.driver.jacobian_loops`). To compile it takes as long as
some ten thousand sweeps that are called one by one, so that it is compiled after as many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.api.signature_stubs import shape_of
from srcad.driver.compiled_routines import compiled_routine
from srcad.driver.version import Version
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.jit.uncompiled_trace import Kept

PAYS_AFTER = 20_000  # sweeps


class AllDirections:
    """The loops of one Jacobian, and how many sweeps it has taken so far."""

    def __init__(self, is_compiled: bool) -> None:
        self._is_compiled, self._count = is_compiled, 0
        self._held: tuple[Version, Callable[..., Any] | None] | None = None

    def pays(self, directions: Sequence[Any]) -> bool:
        """Whether a loop over the elements of these values pays, after all that has been computed; and count them."""
        self._count += sum(np.size(each) for each in directions)
        return self._is_compiled and self._count > PAYS_AFTER

    def rows(self, version: Version, run: tuple[Any, Any], value: Any, inputs: Sequence[Any]) -> list[Any] | None:
        """The blocks of the Jacobian of one array, by reverse sweeps; None where there is no loop, or it does not pay.

        `run` has the arguments, captured ones included, and the trace.
        """
        arguments, trace = run
        if not self.pays([value] if isinstance(value, np.ndarray) else []) or isinstance(trace, Kept):
            return None
        if not _is_plain(value) or not all(map(_is_plain, inputs)):
            return None
        found = self._call(version, 2, (*arguments, trace, np.zeros(value.shape)))
        if found is None:
            return None
        return [block.reshape(value.shape + each.shape) for block, each in zip(found, inputs, strict=True)]

    def columns(self, version: Version, args: tuple[Any, ...], value: Any, inputs: Sequence[Any]) -> Any:
        """The Jacobian of one array by one argument, by tangent sweeps; None where there is no loop."""
        if len(inputs) != 1 or not _is_plain(inputs[0]) or not _is_plain(value):
            return None
        found = self._call(version, 1, (*args, *version.hidden(), np.zeros(inputs[0].shape)))
        if found is None:
            return None
        return np.ascontiguousarray(np.moveaxis(found, 0, -1)).reshape(value.shape + inputs[0].shape)

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


def _is_plain(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype == np.float64 and value.ndim > 0 and value.size > 0
