"""Rules that users state: checked when they are stated, and their results when they are used.

A rule of srcad's own is trusted; one of the user's is not. Its templates are read at once, and what it contributes is
compared with the shape and the kind of number of what it belongs to (`kernels.fitted`).
"""

from __future__ import annotations

import builtins
import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from types import FunctionType, ModuleType
from typing import Any

import gast

from srcad.errors import BadArgument, BadType, WrongRule
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule import Fit, Kind, Rule
from srcad.runtime.rulebook.rule_template import Template, primitive_name, read_template


class UsersRule(Rule):
    """A rule of the user's own; its templates check what they give."""

    @property
    def stated(self) -> Callable[..., Any]:
        """The function that states it."""
        found = self.partials_source or self.adjoint_source or self.tangent_source
        assert found is not None
        return found

    @cached_property
    def partials(self) -> Template | None:
        """The partial derivatives, with the function's own defaults."""
        template = read_template(self.partials_source)
        return template and _fitting(template, self.primitive, "")

    @cached_property
    def adjoint(self) -> Template | None:
        """The contributions, each compared with its input."""
        template = read_template(self.adjoint_source)
        return template and _fitting(template, self.primitive, origin_of(self.primitive, self.adjoint_source))

    @cached_property
    def tangent(self) -> Template | None:
        """The tangent, compared with the result."""
        template = read_template(self.tangent_source)
        return template and _fitting(template, self.primitive, origin_of(self.primitive, self.tangent_source))


def origin_of(primitive: Any, function: Any) -> str:
    """What messages call a rule."""
    code = function.__code__
    name = primitive_name(primitive).rpartition(".")[2]
    return f"the rule of `{name}`, `{function.__name__}` ({code.co_filename}:{code.co_firstlineno})"


def state(primitives: tuple[Any, ...], kind: Kind, field: str, function: Callable[..., Any], fit: Fit) -> None:
    """File a rule for each function. Raises BadArgument, BadType or WrongRule for what cannot be a rule."""
    if not isinstance(function, FunctionType):
        raise BadType(f"a rule is a function, not {type(function).__name__}", hint="state rules with `def`")
    for primitive in _checked(primitives):
        template = read_template(function)
        assert template is not None
        _check(template, field, origin_of(primitive, function))
        facts: dict[str, Any] = {field: function, "elementwise": field == "partials_source"}
        registry.enter_users(UsersRule(primitive, kind, fit=fit, needs_all_tangents=True, **facts))


def state_without_text(primitives: tuple[Any, ...], kind: Kind, **facts: Any) -> None:
    """File a rule that has no text: that a function is linear, or that its derivative is zero."""
    for primitive in _checked(primitives):
        registry.enter_users(UsersRule(primitive, kind, needs_all_tangents=True, **facts))


def define(primitives: tuple[Any, ...], function: Callable[..., Any]) -> None:
    """File a definition in terms of other functions."""
    for primitive in _checked(primitives):
        registry.enter_users_definition(primitive, function)


def _checked(primitives: tuple[Any, ...]) -> tuple[Any, ...]:
    if not primitives:
        raise BadArgument("a rule is for a function", hint="write the function in brackets after the decorator's name")
    for each in primitives:
        if not callable(each) or isinstance(each, type):
            raise BadType(f"{each!r} is no function", hint="give the function itself")
        name = getattr(each, "__name__", "")
        if getattr(builtins, name, None) is each:
            raise BadArgument(
                f"`{name}` is a builtin, whose calls are resolved by their syntax: it can have no other rule",
                hint="wrap it in a function of your own, and give that one a rule",
            )
        if registry.has_own_rule(each):
            raise BadArgument(
                f"{primitive_name(each)} has a rule of srcad's own",
                hint="wrap it in a function of your own, and give that one a rule",
            )
    return primitives


def _check(template: Template, field: str, origin: str) -> None:
    result, *inputs = template.parameters or ("",)
    if not inputs:
        raise WrongRule(f"{origin}: a rule has the result and the inputs as parameters", hint="write def f(y, x): ...")
    targets = template.contributes_to
    if field == "partials_source":
        value = template.body[-1].value if template.body and isinstance(template.body[-1], gast.Return) else None
        count = len(value.elts) if isinstance(value, gast.Tuple) else 1 if value is not None else 0
        if count != len(inputs):
            raise WrongRule(
                f"{origin} returns {count} partial derivatives, where {len(inputs)} are needed",
                hint="return one for each input, None for one without",
            )
    elif field == "adjoint_source" and (not targets or not {*targets} <= {*inputs}):
        raise WrongRule(f"{origin} assigns to d[...] of {targets or 'nothing'}", hint=f"assign to d[{inputs[0]}]")
    elif field == "tangent_source" and targets != (result,):
        raise WrongRule(f"{origin} assigns to d[...] of {targets or 'nothing'}", hint=f"assign to d[{result}]")
    for name, value in template.bindings.items():
        if not isinstance(value, ModuleType) and not callable(value) and value is not registry.d:
            raise WrongRule(
                f"{origin} reads `{name}`, which is a {type(value).__name__}",
                hint="a rule reads modules and functions: write numbers into it, and pass arrays as arguments",
            )


def _defaults(primitive: Any) -> dict[str, Any]:
    """The defaults of a function that can be written into code."""
    try:
        parameters = inspect.signature(primitive).parameters
    except (TypeError, ValueError):
        return {}
    plain = (bool, int, float, complex, str, type(None))
    return {name: each.default for name, each in parameters.items() if isinstance(each.default, plain)}


def _fitting(template: Template, primitive: Any, origin: str) -> Template:
    """The template with each contribution compared with what it belongs to, and with the function's own defaults."""
    body = []
    for statement in template.body:
        target = statement.targets[0] if isinstance(statement, gast.Assign) else None
        if isinstance(target, gast.Subscript):
            like = gast.Name(id=target.slice.id, ctx=gast.Load(), annotation=None, type_comment=None)
            module = gast.Name(id="kernels", ctx=gast.Load(), annotation=None, type_comment=None)
            value = gast.Call(
                func=gast.Attribute(value=module, attr="fitted", ctx=gast.Load()),
                args=[statement.value, like, gast.Constant(value=origin, kind=None)],
                keywords=[],
            )
            statement = gast.Assign(targets=[target], value=value, type_comment=None)
        body.append(statement)
    own = {name: value for name, value in _defaults(primitive).items() if name in template.parameters[1:]}
    return replace(template, body=tuple(body), defaults={**own, **template.defaults})
