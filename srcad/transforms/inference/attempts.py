"""Attempts: whether statements raise an exception that a handler catches, found out by running them on copies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from srcad.refusals.constructs import WRITTEN_BEFORE_EXCEPTION
from srcad.runtime.kernels.recording.caught_exceptions import remember
from srcad.runtime.kernels.recording.effect_calls import as_effect, is_effect_function
from srcad.transforms.inference.execution_tracing import own_copy
from srcad.transforms.inference.subroutine_types import Subroutine
from srcad.transforms.inference.type_inference import executable
from srcad.transforms.ir.build import place_of
from srcad.transforms.ir.side_effects import draws_numbers

Handlers = tuple[tuple[type[BaseException], ...], ...]


class Attempt:
    """A function in core form whose exceptions are caught; its value is the number of the handler, or 0.

    An exception for which there is no handler is none of its business: 0.
    """

    def __init__(self, name: str, of: Subroutine, handlers: Handlers) -> None:
        self.__name__ = self.name = name
        self.of, self.handlers = of, handlers

    def __repr__(self) -> str:
        kinds = [[f"{kind.__module__}.{kind.__qualname__}" for kind in kinds] for kinds in self.handlers]
        return f"<attempt {self.name} {kinds} {self.of!r}>"

    def __call__(self, *args: Any) -> int:
        """Run the statements on copies of the arguments."""
        state = np.random.get_state() if self._draws else None
        given = [own_copy(each) for each in args]
        try:
            self._silent(*given)
        except Exception as problem:  # noqa: BLE001 - of any kind: that is what handlers are about
            for number, kinds in enumerate(self.handlers, 1):
                if isinstance(problem, kinds):
                    self._refuse_written(args, given)
                    remember(problem)
                    return number
        finally:
            if state is not None:
                np.random.set_state(state)
        return 0

    def _refuse_written(self, before: tuple[Any, ...], after: list[Any]) -> None:
        """Refuse a call that had written into an array when it raised: it is not run any more."""
        for one, other in zip(before, after, strict=True):
            if isinstance(one, np.ndarray) and not np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"):
                raise WRITTEN_BEFORE_EXCEPTION.at(place_of(self.of.unit.tree.body[0]))

    @cached_property
    def _silent(self) -> Callable[..., Any]:
        silent = {"print": lambda *_, **__: None}
        silent |= {
            name: as_effect(lambda *_: None)
            for name, thing in self.of.unit.bindings.items()
            if is_effect_function(thing)
        }
        return executable(replace(self.of.unit, bindings={**self.of.unit.bindings, **silent}))

    @cached_property
    def _draws(self) -> bool:
        return draws_numbers(self.of.unit)
