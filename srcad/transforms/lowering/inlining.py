"""Inlining: bind the arguments of a call to the parameters of the function that is inlined."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import gast

from srcad.errors import Place
from srcad.refusals.names_and_functions import (
    ARGUMENT_GIVEN_TWICE,
    MISSING_ARGUMENT,
    NO_SUCH_PARAMETER,
    TOO_MANY_ARGUMENTS,
)
from srcad.transforms.ir.build import clone, const, dotted_path
from srcad.transforms.ir.canonical_names import RESERVED, root_name
from srcad.transforms.ir.primitive import look_up


class Signature(Protocol):
    """What must be known of a function to bind arguments to its parameters."""

    @property
    def name(self) -> str:
        """The function's name, for messages."""

    @property
    def parameters(self) -> list[str]:
        """Positional parameters."""

    @property
    def keyword_only(self) -> list[str]:
        """Parameters given by keyword only."""

    @property
    def rest(self) -> str | None:
        """The parameter that takes further positional arguments."""

    @property
    def options(self) -> str | None:
        """The parameter that takes further keyword arguments."""

    @property
    def defaults(self) -> Mapping[str, Any]:
        """The default values of parameters."""


def bind_arguments(
    node: gast.Call, function: Signature, place: Place | None, hold: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """Parameter -> argument or default, arguments first, in Python's order of evaluation.

    `hold` evaluates an argument now: all of them, where one for `**options` comes before one for a parameter.
    """
    parameters = [*function.parameters, *function.keyword_only]
    places = [each.arg in parameters for each in node.keywords]
    if hold is not None and function.options is not None and places != sorted(places, reverse=True):
        node.args = [hold(each) for each in node.args]
        for each in node.keywords:
            each.value = hold(each.value)
    rest, options = node.args[len(function.parameters) :], {}
    if rest and function.rest is None:
        raise TOO_MANY_ARGUMENTS.at(place, function=function.name, count=len(function.parameters), given=len(node.args))
    given: dict[str, Any] = dict(zip(function.parameters, node.args, strict=False))
    if function.rest is not None:
        given[function.rest] = gast.Tuple(elts=rest, ctx=gast.Load())
    for keyword in node.keywords:
        if keyword.arg not in parameters and function.options is not None:
            options[keyword.arg] = keyword.value
            continue
        if keyword.arg not in parameters:
            raise NO_SUCH_PARAMETER.at(place, function=function.name, name=keyword.arg)
        if keyword.arg in given:
            raise ARGUMENT_GIVEN_TWICE.at(place, function=function.name, name=keyword.arg)
        given[keyword.arg] = keyword.value
    for name in parameters:
        if name not in given:
            if name not in function.defaults:
                raise MISSING_ARGUMENT.at(place, function=function.name, name=name)
            default = function.defaults[name]
            given[name] = clone(default) if isinstance(default, gast.AST) else default
    if function.options is not None:
        given[function.options] = gast.Dict(keys=[const(name) for name in options], values=[*options.values()])
    return given


def static_value(node: gast.expr, bindings: Mapping[str, Any]) -> Any:
    """The object that a dotted path refers to, or None for a variable or another expression."""
    path = dotted_path(node)
    if path is None or (root_name(node) not in bindings and root_name(node) not in RESERVED):
        return None
    return look_up(path, bindings)
