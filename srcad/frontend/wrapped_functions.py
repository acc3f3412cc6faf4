"""Wrappers that decorators make: their `*args` and `**kwargs` are the parameters of the function that is wrapped.

    def timed(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):                   def wrapper(x, k):
            start = time.perf_counter()     becomes         args = (x, k); kwargs = {}
            result = function(*args, **kwargs)              start = time.perf_counter()
            ...                                             ...

Only where the wrapper hands them on as they are: how a caller has passed an argument then makes no difference.
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

import gast

from srcad.transforms.ir.build import walk

Parameter = inspect.Parameter


def is_wrapper(function: FunctionType) -> bool:
    """Whether a function stands for another one whose parameters it takes as `*args` or `**kwargs`."""
    gathers = function.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return bool(gathers) and hasattr(function, "__wrapped__")


def plain_signature(function: FunctionType, eval_str: bool = False) -> inspect.Signature:
    """The signature of a function; of a wrapper, with the parameters of the wrapped function.

    >>> import functools
    >>> def doubled(function):
    ...     @functools.wraps(function)
    ...     def wrapper(*args):
    ...         return 2 * function(*args)
    ...     return wrapper
    >>> @doubled
    ... def square(x, k=2):
    ...     return x**k
    >>> plain_signature(square)
    <Signature (x, k=2)>
    """
    own = inspect.signature(function, follow_wrapped=False, eval_str=eval_str)
    if not is_wrapper(function):
        return own
    gathered = _gathered(function)
    if gathered is None:
        return own
    named = [each for each in own.parameters.values() if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    return own.replace(
        parameters=sorted([*named, *gathered], key=lambda each: (each.kind, each.default is not each.empty))
    )


def _gathered(function: FunctionType) -> list[Parameter] | None:
    """The parameters of the wrapped function that a wrapper gathers; None if they cannot be told."""
    try:
        wrapped = plain_signature(function.__wrapped__)  # type: ignore[attr-defined]
    except (TypeError, ValueError, AttributeError):
        return None
    own = inspect.signature(function, follow_wrapped=False).parameters.values()
    places = [each for each in own if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    has_rest, has_options = (
        any(each.kind is kind for each in own) for kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    )
    by_name = {each.name for each in own if each.kind is each.KEYWORD_ONLY}
    found = []
    for position, each in enumerate(wrapped.parameters.values()):
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            return None
        is_positional = each.kind is not each.KEYWORD_ONLY
        if (is_positional and position < len(places)) or each.name in by_name:
            continue
        if (is_positional if has_rest else has_options) or has_options:
            found.append(each)
        elif each.default is each.empty:
            return None
    return found


def spread(function: FunctionType, tree: gast.FunctionDef) -> gast.FunctionDef | None:
    """The tree of a wrapper with the parameters of the wrapped function; None if it looks into `*args` itself."""
    gathered = _gathered(function)
    rest, options = tree.args.vararg, tree.args.kwarg
    free = {*function.__code__.co_freevars, *function.__code__.co_names}
    if gathered is None or not _hands_on(tree, rest and rest.id, options and options.id):
        return None
    if any(each.name in free for each in gathered):
        return None
    by_place = [each.name for each in gathered if each.kind is not each.KEYWORD_ONLY and rest is not None]
    by_name = [each.name for each in gathered if each.name not in by_place]
    before: list[gast.stmt] = []
    if rest is not None:
        elements = gast.Tuple(elts=[_name(name) for name in by_place], ctx=gast.Load())
        before.append(gast.Assign(targets=[_name(rest.id, gast.Store())], value=elements, type_comment=None))
    if options is not None:
        keys = [gast.Constant(value=name, kind=None) for name in by_name]
        pairs = gast.Dict(keys=keys, values=[_name(name) for name in by_name])
        before.append(gast.Assign(targets=[_name(options.id, gast.Store())], value=pairs, type_comment=None))
    for statement in before:
        for node in walk(statement):
            gast.copy_location(node, tree)
    order = [
        name for name in plain_signature(function).parameters if name not in {each.id for each in tree.args.kwonlyargs}
    ]
    tree.args.posonlyargs, tree.args.vararg, tree.args.kwarg = [], None, None
    only_named = [each.name for each in gathered if each.kind is each.KEYWORD_ONLY]
    tree.args.args = [_name(name, gast.Param()) for name in order if name not in only_named]
    tree.args.kwonlyargs += [_name(name, gast.Param()) for name in only_named]
    tree.args.defaults, tree.args.kw_defaults = [], [None] * len(tree.args.kwonlyargs)
    for node in [*tree.args.args, *tree.args.kwonlyargs]:
        gast.copy_location(node, tree)
    tree.body[:0] = before
    return tree


def _hands_on(tree: gast.FunctionDef, rest: str | None, options: str | None) -> bool:
    """Whether `*args` and `**kwargs` occur only together, as `*args` and `**kwargs` of calls."""
    given = 0
    for node in walk(tree):
        if isinstance(node, gast.Call):
            rests = [each for each in node.args if isinstance(each, gast.Starred) and _is_name(each.value, rest)]
            all_options = [each for each in node.keywords if each.arg is None and _is_name(each.value, options)]
            if rests or all_options:
                given += len(rests) + len(all_options)
                if (rest is not None and not rests) or (options is not None and not all_options):
                    return False
    uses = [node for node in walk(tree) if isinstance(node, gast.Name) and node.id in (rest, options)]
    return len([node for node in uses if isinstance(node.ctx, gast.Load)]) == given and _is_stored_once(uses)


def _is_stored_once(uses: list[Any]) -> bool:
    return not any(isinstance(node.ctx, gast.Store) for node in uses)


def _is_name(node: gast.expr, name: str | None) -> bool:
    return name is not None and isinstance(node, gast.Name) and node.id == name


def _name(name: str, context: Any = None) -> gast.Name:
    return gast.Name(id=name, ctx=context or gast.Load(), annotation=None, type_comment=None)
