"""The forward and the reverse function of a vector-Jacobian product, which `srcad.vjp` and recorded calls run.

    value, trace = pair.forward(*arguments)
    adjoints = pair.reverse(*arguments, trace, result_bar)          any number of times

The reverse function reads the trace and does not change it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcad.api.cotangent import matching
from srcad.api.signature_stubs import shape_of
from srcad.driver.compiled_routines import compiled_routine, of_plain_arrays, telling, uncompiled_routine
from srcad.driver.memoisation import remembered
from srcad.driver.options import Options
from srcad.driver.version import Request, Version


class Pair:
    """The two functions of reverse mode, for adjoints of some of the parameters, captured ones included."""

    def __init__(self, version: Version, jit: bool = True) -> None:
        self.version = version
        self.parameters = version.unit.parameters
        if not jit:
            self.forward, self.reverse = uncompiled_routine(version, 0), uncompiled_routine(version, 1)
            return
        name, names = version.unit.name, version.unit.names.copy()
        more = (names.fresh("trace"), names.fresh("result_bar"))
        forward = compiled_routine(version, 0, shape_of(f"{name}_forward", self.parameters))
        reverse = compiled_routine(version, 1, shape_of(f"{name}_reverse", (*self.parameters, *more)))
        if forward.tiers is not None:
            forward.tiers.reverse = reverse
        told = telling(version, forward)
        self.forward, self.reverse = (of_plain_arrays(forward) if told is forward else told), reverse

    def pullback(self, arguments: tuple[Any, ...], value: Any, trace: Any) -> Callable[[Any], tuple[Any, ...]]:
        """The linear function from the adjoint of the value to the adjoints of the arguments."""

        def pullback(cotangent: Any) -> tuple[Any, ...]:
            bar = matching(cotangent, value, "the cotangent")
            found: tuple[Any, ...] = self.reverse(*arguments, trace, bar)
            return found

        return pullback


class Pairs:
    """The pair for a function, made again when a value that the function captures has changed."""

    def __init__(self, function: Callable[..., Any], wrt: tuple[int, ...], jit: bool, options: Options) -> None:
        self._function, self._request, self._jit = function, Request("vjp", wrt, options=options), jit
        self._held: tuple[Version, Pair] | None = None

    def current(self) -> tuple[Version, Pair]:
        """The function's version for the current captured numbers, and its pair."""
        if self._held is None or not self._held[0].is_current():
            version = Version(self._function, self._request)
            self._held = version, Pair(version, self._jit)
        return self._held


def pair_of(function: Callable[..., Any], wrt: tuple[int, ...], jit: bool, options: Options | None = None) -> Pairs:
    """The `Pairs` of a function. Calls with the same arguments return the same object."""
    how = (options or Options()).current()
    return remembered(function, ("pairs", wrt, jit, how), lambda: Pairs(function, wrt, jit, how))
