"""`RuleResult`: the call of a function with a rule of the user's own, as a primitive of core form.

    y = f(x, k)            becomes          t1 = <the value, by the rule's forward function>
                                            y = f_result(t1, x, k, ...)

`f_result` returns its first argument. Its derivative is what the rule says: a template that calls the functions of the
rule, which are lowered separately. Values that only the rule reads (what its forward function has saved) are arguments
as well, through which nothing is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import overload, typeof_impl

from srcad.parsing import syntax_tree
from srcad.runtime.rulebook.rule import Rule
from srcad.runtime.rulebook.rule_template import Template
from srcad.runtime.support.numba_refresh import refresh_if_compiling


@dataclass(eq=False)
class RuleFunction:
    """A function of a rule, lowered separately.

    lowered     the function in core form
    passed      what is passed for each of its parameters: an argument of the result, by its place, the adjoint of a
                result or the tangent of an argument, or zero: ("argument", 3), ("bar", 0), ("dot", 1), ("zero", 1);
                or the result, where it is the only one: ("result", 0)
    targets     for each of its results the argument that it belongs to, by its place
    captured    places of further arguments, which it reads from enclosing functions
    version     makes a version of it for the types of its arguments
    made        makes what generated code calls from the lowered function, where that is not what is called itself
    """

    lowered: Any
    passed: list[tuple[str, int]]
    targets: list[int]
    captured: list[int] = field(default_factory=list)
    made: Callable[[Any], Any] | None = None
    version: Callable[[RuleFunction], Any] | None = None

    @cached_property
    def typed(self) -> Any:
        """The function in core form, for known types of the arguments where `version` makes it; that is done once."""
        return self.lowered if self.version is None else self.version(self)

    @cached_property
    def called(self) -> Any:
        """What generated code calls."""
        return self.typed if self.made is None else self.made(self.typed)

    @property
    def name(self) -> str:
        """The name by which generated code calls it."""
        return str(self.typed.name)


class RuleResult:
    """One result of a call of a function with a rule of the user's own.

    wish        the name of the user's function
    origin      what messages call the rule: its functions, with file and line
    count       the number of its arguments; the first is the value
    inputs      places of the arguments by which it can be differentiated
    others      places of the arguments that are the other results of the same call, by the number of the result
    number      which of the results this is
    first       the first result of the same call
    closed      places of arguments that a function of the rule reads from an enclosing function
    """

    __srcad_result__ = True

    def __init__(self, wish: str, origin: str, number: int, outs: int) -> None:
        self.wish, self.origin, self.number, self.outs = wish, origin, number, outs
        self.__name__ = f"{wish}_result"
        self.count = 1
        self.inputs: tuple[int, ...] = ()
        self.others: dict[int, int] = {}
        self.closed: tuple[int, ...] = ()
        self.backward: RuleFunction | None = None
        self.forward: RuleFunction | None = None
        self.first: RuleResult = self

    def __call__(self, value: Any, *rest: Any) -> Any:
        """The value, in memory of its own."""
        return own(value)

    def __repr__(self) -> str:
        """Text that identifies the rule; part of the key of a generated function."""
        functions = [each.lowered for each in (self.backward, self.forward) if each is not None]
        return f"<result {self.number} of {self.wish} by {self.origin}, {functions}, {self.inputs}, {self.closed}>"

    @property
    def functions(self) -> list[RuleFunction]:
        """The functions of the rule that derivatives call."""
        return [each for each in (self.backward, self.forward) if each is not None]

    def with_versions(self, version: Callable[[RuleFunction], Any]) -> RuleResult:
        """The same result, by a rule whose functions are versions for known types of their arguments."""
        made = RuleResult(self.wish, self.origin, self.number, self.outs)
        made.count, made.inputs, made.others, made.closed = self.count, self.inputs, self.others, self.closed
        made.first = made if self.first is self else self.first
        made.backward, made.forward = (
            None if each is None else replace(each, version=version) for each in (self.backward, self.forward)
        )
        return made

    def capture(self, function: RuleFunction) -> int:
        """The place of a further argument, which a function of the rule reads."""
        self.count += 1
        function.captured.append(self.count - 1)
        self.closed = (*self.closed, self.count - 1)
        return self.count - 1

    @cached_property
    def __srcad_rule__(self) -> Rule:
        """The rule, for the rest of the compiler like any other."""
        return _Stated(
            self,
            "adjoint",
            varies_with=tuple(map(_name, self.inputs)),
            closed=tuple(map(_name, self.closed)),
            needs_all_tangents=True,
        )

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the result and the arguments in the templates."""
        return ("y", *map(_name, range(self.count)))

    @cached_property
    def adjoint(self) -> Template | None:
        """The contributions to the arguments."""
        if self.backward is None:
            return None
        lines = [self._call(self.backward)]
        for position, place in enumerate(self.backward.targets):
            what = f"kernels.fitted(t[{position}], {_name(place)}, {self.origin!r})"
            lines.append(f"d[{_name(place)}] = {what}")
        return self._template(lines, self.backward)

    @cached_property
    def tangent(self) -> Template | None:
        """The tangent of the result."""
        if self.forward is None:
            return None
        value = f"kernels.fitted(t[{self.number}], a0, {self.origin!r})"
        return self._template([self._call(self.forward), f"d[y] = {value}"], self.forward)

    def _call(self, function: RuleFunction) -> str:
        given: list[str] = []
        for what, place in function.passed:
            if what == "argument":
                given.append(_name(place))
            elif what == "dot":
                given.append(f"d[{_name(place)}]")
            elif what == "result":
                given.append("y")
            elif what == "zero":
                given.append(f"kernels.zero_like({_name(place)})")
            elif place == self.number:
                given.append("d[y]")
            else:
                given.append(f"kernels.zero_like({_name(self.others[place])})")
        given += map(_name, function.captured)
        return f"t = {function.name}({', '.join(given)})"

    def _template(self, lines: Sequence[str], function: RuleFunction) -> Template:
        body = tuple(syntax_tree("\n".join(lines)).body)
        return Template(self.parameters, {}, body, {function.name: function.called})


class Unaliased:
    """A function that nothing is known about, called within a user's rule, so that it returns no view of an argument.

    It has no rule itself: it can be called where nothing is differentiated.
    """

    __srcad_new__ = True

    def __init__(self, function: Any) -> None:
        self.function, self.__name__ = function, getattr(function, "__name__", "function")
        self.__module__ = getattr(function, "__module__", None) or ""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result, in memory of its own."""
        found = self.function(*args, **kwargs)
        arrays = [each for each in (*args, *kwargs.values()) if isinstance(each, np.ndarray)]
        return apart(found, arrays)

    def __repr__(self) -> str:
        return f"<unaliased {self.function!r}>"

    @cached_property
    def dispatcher(self) -> Any:
        """The function for compiled code."""
        function = self.function

        @numba.njit
        def called(*args):  # type: ignore[no-untyped-def]
            return own(function(*args))

        return called


def apart(found: Any, arrays: Sequence[Any]) -> Any:
    """A result without memory that it shares with some arrays."""
    if isinstance(found, tuple) and not hasattr(found, "_fields"):
        return tuple(apart(each, arrays) for each in found)
    if isinstance(found, np.ndarray) and any(np.may_share_memory(found, each) for each in arrays):
        return found.copy()
    return found


@typeof_impl.register(Unaliased)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _typeof_unaliased(value: Unaliased, context: Any) -> types.Dispatcher:
    return types.Dispatcher(value.dispatcher)


class _Stated(Rule):
    """A rule whose templates are made, not read."""

    @property
    def _result(self) -> RuleResult:
        found: RuleResult = self.primitive
        return found

    @property
    def adjoint(self) -> Template | None:
        return self._result.adjoint

    @property
    def tangent(self) -> Template | None:
        return self._result.tangent

    @property
    def parameters(self) -> tuple[str, ...]:
        return self._result.parameters


def _name(place: int) -> str:
    return f"a{place}"


@numba.njit
def _result(value, *rest):  # type: ignore[no-untyped-def]
    return own(value)


def own(value: Any) -> Any:
    """The value, in memory of its own."""
    return np.copy(value) if isinstance(value, np.ndarray) else value


@overload(own)  # Numba carries no annotations
def _overload_own(value):  # type: ignore[no-untyped-def]
    if isinstance(value, types.Array):
        return lambda value: value.copy()
    return lambda value: value


refresh_if_compiling()


@typeof_impl.register(RuleResult)  # type: ignore[untyped-decorator]
def _typeof(value: RuleResult, context: Any) -> types.Dispatcher:
    return types.Dispatcher(_result)
