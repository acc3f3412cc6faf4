"""Treat a functools.partial as a function with source: positional arguments are captured, keywords are defaults.

    def f(a, x, k): return a * x**k         partial(f, 2.0, k=3)    becomes    def f(x, *, k=3): return a * x**k

The value 2.0 of `a` is looked up like that of any captured name. What `*rest` and `**options` of the function would
gather is put before what a call gives:

    partial(f, k=3)    of    def f(x, **options)    begins with    options = {"k": k_held, **options}
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import gast

from srcad.errors import BadArgument
from srcad.names import Names
from srcad.parsing import syntax_tree
from srcad.transforms.ir.build import walk


def partial_in(function: Any) -> functools.partial[Any] | None:
    """The functools.partial that a callable is, or that an object of srcad wraps; else None."""
    while hasattr(function, "__wrapped_primal__"):
        function = function.__wrapped_primal__
    return function if isinstance(function, functools.partial) else None


def left_open(partial: functools.partial[Any], signature: inspect.Signature) -> inspect.Signature:
    """The signature of a partial, from that of its function. Raises BadArgument if the arguments do not fit.

    >>> def f(a, x, k): ...
    >>> left_open(functools.partial(f, 2.0, k=3), inspect.signature(f))
    <Signature (x, *, k=3)>
    """

    def shape() -> None: ...

    shape.__signature__ = signature  # type: ignore[attr-defined]
    try:
        return inspect.signature(functools.partial(shape, *partial.args, **partial.keywords))
    except (TypeError, ValueError):
        raise BadArgument(
            f"functools.partial holds arguments that {partial.func!r} does not take",
            hint=f"its parameters are {', '.join(signature.parameters) or 'none'}",
        ) from None


def without_held(
    tree: gast.FunctionDef, owners: Mapping[str, Any], partial: functools.partial[Any], is_method: bool
) -> tuple[gast.FunctionDef, dict[str, Any]]:
    """The definition without the parameters bound by position, and the owners of its free names, these included."""
    positional = [*tree.args.posonlyargs, *tree.args.args]
    first, positional = positional[:is_method], positional[is_method:]
    held, rest = positional[: len(partial.args)], positional[len(partial.args) :]
    named = next((place for place, each in enumerate(rest) if each.id in partial.keywords), len(rest))
    tree, owners = copy.copy(tree), dict(owners)
    tree.args, tree.body = copy.copy(tree.args), [*tree.body]
    tree.args.posonlyargs, tree.args.args = [], [*first, *rest[:named]]
    tree.args.kwonlyargs = [*rest[named:], *tree.args.kwonlyargs]
    tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
    nodes = [node for statement in tree.body for node in walk(statement)]
    names = Names({*(node.id for node in nodes if isinstance(node, gast.Name)), *(each.id for each in positional)})
    stored = {node.id for node in nodes if isinstance(node, gast.Name) and not isinstance(node.ctx, gast.Load)}
    before: list[gast.stmt] = []
    for parameter, value in zip(held, partial.args, strict=False):
        name = parameter.id
        if name in stored:  # a variable that starts as the bound value
            name = names.fresh(f"{parameter.id}_held")
            before.append(_assigned(parameter, name))
        owners[name] = {name: value}
    before += _gathered(tree, partial, len(positional), names, owners)
    tree.body[:0] = before
    return tree, owners


def _gathered(
    tree: gast.FunctionDef, partial: functools.partial[Any], count: int, names: Names, owners: dict[str, Any]
) -> Iterator[gast.stmt]:
    """Statements by which `*rest` and `**options` begin with what the partial holds beyond the named parameters."""

    def held(name: str, value: Any) -> str:
        found = names.fresh(f"{name}_held")
        owners[found] = {found: value}
        return found

    rest, options = tree.args.vararg, tree.args.kwarg
    further = partial.args[count:]
    if rest is not None and further:
        parts = [held(f"{rest.id}_{k}", each) for k, each in enumerate(further)]
        yield _statement(f"{rest.id} = ({', '.join(parts)}, *{rest.id})", rest)
    own = {each.id for each in (*tree.args.args, *tree.args.kwonlyargs)}
    named = {key: value for key, value in partial.keywords.items() if key not in own}
    if options is not None and named:
        pairs = [f"{key!r}: {held(key, value)}" for key, value in named.items()]
        yield _statement(f"{options.id} = {{{', '.join(pairs)}, **{options.id}}}", options)


def _statement(text: str, at: gast.Name) -> gast.stmt:
    statement: gast.stmt = syntax_tree(text).body[0]
    for node in walk(statement):
        gast.copy_location(node, at)
    return statement


def _assigned(parameter: gast.Name, name: str) -> gast.Assign:
    target = gast.copy_location(gast.Name(parameter.id, gast.Store(), None, None), parameter)
    value = gast.copy_location(gast.Name(name, gast.Load(), None, None), parameter)
    return gast.copy_location(gast.Assign(targets=[target], value=value, type_comment=None), parameter)


def computed_defaults(
    node: gast.FunctionDef | gast.Lambda, meaning: Callable[[gast.expr], Any]
) -> dict[str, gast.expr]:
    """The defaults that are computed where a function is defined, and those behind them; none if `*` is in the way."""

    def is_computed(value: gast.expr | None) -> bool:
        return value is not None and not isinstance(value, gast.Constant) and meaning(value) is None

    given = _with_defaults(node.args)
    computed = [*map(is_computed, node.args.defaults), True]
    first = computed.index(True)
    if first < len(given) and (node.args.vararg is not None or given[first] in node.args.posonlyargs):
        return {}
    held = {each.id: value for each, value in zip(given[first:], node.args.defaults[first:], strict=True)}
    by_name = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return held | {each.id: value for each, value in by_name if is_computed(value)}


def taken_defaults(node: gast.FunctionDef | gast.Lambda, meaning: Callable[[gast.expr], Any]) -> dict[str, gast.expr]:
    """Take out the defaults of a function that are computed where it is defined, as in `lambda v, k=k: v**k`.

    The function with these as keywords of a `functools.partial` is the same function.
    """
    held, own = computed_defaults(node, meaning), node.args
    own.defaults = [value for each, value in zip(_with_defaults(own), own.defaults, strict=True) if each.id not in held]
    own.kw_defaults = [
        None if each.id in held else value for each, value in zip(own.kwonlyargs, own.kw_defaults, strict=True)
    ]
    return held


def _with_defaults(arguments: gast.arguments) -> list[gast.Name]:
    every = [*arguments.posonlyargs, *arguments.args]
    return every[len(every) - len(arguments.defaults) :]
