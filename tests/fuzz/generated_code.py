"""What is generated for Numba's compiler, run by Python: all modes of one program, from one differentiable state."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from numba import typeof

from srcad.driver import pipeline
from srcad.runtime.support.assumption_errors import Widens
from srcad.transforms.ir.build import clone
from srcad.transforms.ir.code import Code, Settings
from tests.checking import bound
from tests.fuzz.leaves import own_copy


class GeneratedCode:
    """The derivatives of a function by its parameters `wrt`; the stages before differentiation run once.

    `without` names passes that these stages leave out, and `run` may leave out others after differentiation.
    """

    def __init__(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], wrt: tuple[int, ...], without: tuple[str, ...]
    ) -> None:
        self.wrt, self.without = wrt, frozenset(without)
        unit = pipeline.prepare(function)
        self.given = (*bound(function, arguments), *(capture.read() for capture in unit.hidden))
        self.unit = replace(unit, without=self.without)
        self.assumes = True  # that arrays fit without broadcasting, until a run says that they do not
        self.states: dict[bool, tuple[Code, Code]] = {}  # before and after the stages before differentiation

    def functions(self, mode: str, without: tuple[str, ...] = ()) -> list[Any]:
        """The functions of a mode."""
        if self.assumes not in self.states:
            settings = Settings(assumes=self.assumes, is_reversed=True)
            begin = Code(self.unit, signature=tuple(typeof(each) for each in self.given), settings=settings)
            self.states[self.assumes] = begin, pipeline.differentiable_state(begin)
        begin, state = self.states[self.assumes]
        made = pipeline._attempted(state, begin, pipeline._Request(mode, self.wrt, True))
        made = replace(made, functions=clone(made.functions))
        unit = replace(self.unit, without=self.without | frozenset(without))
        generated = pipeline._printed(pipeline._finished(made, True, unit, None), None)
        namespace = dict(generated.bindings)
        exec(compile(generated.text, "<generated>", "exec"), namespace)
        return [namespace[name] for name in generated.functions]

    def run(self, mode: str, without: tuple[str, ...] = (), more: tuple[Any, ...] = ()) -> tuple[Any, Any]:
        """The value with the gradients, or with the tangent along `more`."""
        functions = self.functions(mode, without)
        try:
            value, rest = functions[0](*map(own_copy, self.given), *more)
        except Widens:
            self.assumes = False
            functions = self.functions(mode, without)
            value, rest = functions[0](*map(own_copy, self.given), *more)
        return value, functions[1](*map(own_copy, self.given), rest, 1.0) if mode == "vjp" else rest
