"""Derivatives of a program with every optional pass, and with one of them left out.

What the compiler does before a pass is done once: of most passes only what follows differentiation is done again.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numba import typeof

from srcad.driver import pipeline
from srcad.driver.passes import FINISH, ROWS, SIMPLIFY
from srcad.runtime.support.assumption_errors import Widens
from srcad.transforms.ir.build import clone
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.ir.generated_functions import Made
from tests.checking import bound
from tests.differences import flat, own_copy

AFTERWARDS = frozenset(row.name for row in (*SIMPLIFY, *FINISH))


class Derivative:
    """The gradient of a number with its value, or both sweeps of any result, as code that Python runs.

    `assumes` is whether arrays that may broadcast are taken not to.
    """

    def __init__(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], wrt: tuple[int, ...], mode: str, assumes: bool
    ) -> None:
        self.mode, self.wrt, self.assumes = mode, wrt, assumes
        self.unit = pipeline.prepare(function)
        self.given = (*bound(function, arguments), *(capture.read() for capture in self.unit.hidden))
        self.kinds = tuple(typeof(each) for each in self.given)

    @cached_property
    def differentiated(self) -> Made:
        """The sweeps before anything is done to them, with every pass before that."""
        unit = replace(self.unit, without=frozenset())
        is_reversed = self.mode in pipeline.REVERSED
        settings = Settings(assumes=self.assumes, is_reversed=is_reversed)
        begin = Code(unit, signature=self.kinds, settings=settings)
        request = pipeline._Request(self.mode, self.wrt, True)
        return pipeline._attempted(pipeline.differentiable_state(begin), begin, request)

    def generated(self, without: str = "") -> pipeline.Generated:
        """What the compiler generates without this pass."""
        left_out = frozenset([without] if without else ())
        if not left_out <= AFTERWARDS:
            how = {"tuple_result": True, "assumes": self.assumes, "without": left_out}
            return pipeline.derive(self.unit, self.mode, self.wrt, self.kinds, **how)
        made = replace(self.differentiated, functions=clone(self.differentiated.functions))
        return pipeline._printed(pipeline._finished(made, True, replace(self.unit, without=left_out), None), None)

    def numbers(self, generated: pipeline.Generated) -> np.ndarray:
        """All numbers that generated code computes."""
        namespace = dict(generated.bindings)
        exec(compile(generated.text, "<generated>", "exec"), namespace)
        first, *rest = (namespace[name] for name in generated.functions)
        found = first(*map(own_copy, self.given))
        if self.mode == "vjp":
            value, trace = found
            ones = tuple(map(_ones, value)) if isinstance(value, tuple) else _ones(value)
            found = value, rest[0](*map(own_copy, self.given), trace, ones)
        return flat(found)


def _ones(value: Any) -> Any:
    """Of a number, a number: an array without dimensions would be one that generated code may write into."""
    return np.ones_like(value)[()]


def derivative(
    function: Callable[..., Any], arguments: tuple[Any, ...], wrt: tuple[int, ...] = (0,), mode: str = "value_and_grad"
) -> tuple[Derivative, str, np.ndarray]:
    """The derivative with every pass, its text, and its numbers."""
    for assumes in (True, False):
        found = Derivative(function, arguments, wrt, mode, assumes)
        generated = found.generated()
        try:
            return found, generated.text, found.numbers(generated)
        except Widens:
            continue
    raise AssertionError("widened twice")


def assert_same_without(name: str, known: tuple[Derivative, str, np.ndarray], label: str = "") -> bool:
    """The numbers are the same without a pass; returns whether the text is another."""
    whole, text, expected = known
    generated = whole.generated(name)
    if generated.text == text:
        return False
    message = f"without {name}, {ROWS[name].does}\n{label or text}"
    np.testing.assert_allclose(whole.numbers(generated), expected, rtol=1e-9, atol=1e-12, err_msg=message)
    return True
