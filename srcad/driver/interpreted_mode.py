"""Interpreted mode: what is generated where Numba cannot type a function.

The types of one specialisation are observed on the arguments of its first call
(`srcad.transforms.normalise.observed_types`), and what was not reached there raises when a later call comes to it. Then
that call's arguments are observed too, functions are generated again, and the call is repeated: slower, never wrong.
The same functions run under `jit=False`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from srcad.driver.result_precision import of_kind
from srcad.errors import CompilerBug
from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.dispatchers import load
from srcad.runtime.jit.islands import Islands
from srcad.runtime.jit.uncompiled_trace import keeping, restoring_errors
from srcad.runtime.kernels import Unobserved
from srcad.runtime.support.random_states import kept_states
from srcad.transforms.inference.typed_code_arithmetic import computes_otherwise
from srcad.transforms.ir.side_effects import draws_numbers
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.observed_types import Observation

Routine = Callable[..., Any]

# Calls of functions that draw random numbers may come to something new more often than once.
_TRIES = 100


def _nothing() -> None:
    """There is no state to be put back."""


class Interpreted:
    """The generated functions of one specialisation; `functions` are what stands for them."""

    def __init__(
        self, unit: Unit, request: Any, kinds: tuple[Any, ...], options: Mapping[str, Any] | None = None
    ) -> None:
        """With `options`, Numba's, what loops is compiled around the calls that Numba does not know."""
        self.unit, self.request, self.kinds, self.options = unit, request, kinds, options
        self._observation = Observation()
        self._made: tuple[Routine, ...] | None = None
        self._draws = draws_numbers(unit)

    def __call__(self, *args: Any) -> Any:
        """The value of the first function; of a forward function with a `Kept` for a trace."""
        put_back = kept_states(args) if self._draws else _nothing
        for _ in range(_TRIES):
            try:
                if self._made is None:
                    self._made = self._observed_on(args)
                made = self._made
                found = restoring_errors(made[0], self.request.mode)(*args)
            except Unobserved:
                self._made = None
                put_back()
            else:
                return keeping(found, made[1]) if self.request.mode == "vjp" else found
        raise CompilerBug(f"{self.unit.name} never runs as observed")

    def _observed_on(self, args: tuple[Any, ...]) -> tuple[Routine, ...]:
        """The functions for what these arguments show as well; those of a call that fails show nothing."""
        self._observation.add(args)
        try:
            return self._generate()
        except BaseException:
            del self._observation.samples[-1]
            raise

    def _generate(self) -> tuple[Routine, ...]:
        from srcad.driver import pipeline

        request = self.request
        generated = pipeline.derive(
            self.unit,
            request.mode,
            request.wrt,
            self.kinds,
            tuple_result=request.tuple_result,
            observed=self._observation,
            without=request.options.without,
            max_trace_bytes=request.options.max_trace_bytes,
            debug=request.options.debug,
            boundscheck=request.options.boundscheck,
        )
        if self.options is not None:
            made = generated.text, generated.functions, generated.bindings
            return Islands(*made, self.options, of_kind, computes_otherwise, request.mode == "core").routines()
        stored = disk_cache.Stored(generated.text, tuple(generated.functions), tuple(sorted(generated.bindings)))
        # The text says all, but for the objects that it is given.
        module = load(disk_cache.key("observed", generated.text), stored, generated.bindings)
        return tuple(getattr(module, name) for name in generated.functions)
