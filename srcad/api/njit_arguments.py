"""Adapters for derivatives that compiled code calls with functions or tuples as arguments.

    @njit                                       def loss_grad(f, p, x):
    def fit(f, p, x):                   ->          found = routine(p[0], p[1], x)      # f is known by its type
        return loss_grad(f, p, x)                   return (found[0], found[1])

The adapter takes the tuples apart, calls the derivative of the function of their leaves, and builds the gradients from
its result. `srcad.api.structured_calls` does the same for calls from Python, where values are known; here only the
types are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numba
from numba.core import types
from numba.core.dispatcher import Dispatcher

from srcad.api.flattened_function import Flat
from srcad.api.wrt import refuse_paths
from srcad.driver.memoisation import remembered
from srcad.driver.version import Request
from srcad.frontend.load_source import name_of, signature_of
from srcad.refusals.derivatives import RUNTIME_FUNCTION_ARGUMENT
from srcad.refusals.types_and_results import NOTHING_DIFFERENTIABLE
from srcad.transforms.ir.pytree_form import LEAF, Fixed, Form, Part


def is_handed(kind: Any) -> bool:
    """Whether an argument of this Numba type needs an adapter: a function, a tuple or None."""
    return isinstance(kind, (types.BaseTuple, types.Callable, types.FunctionType, types.NoneType))


def adapter(
    derivative: Any, kinds: tuple[Any, ...], made: Callable[[Callable[..., Any], Request, bool], Any]
) -> Dispatcher:
    """The compiled adapter for arguments of these types. `made` makes the derivative that the adapter calls."""
    function, request = derivative.function, derivative.request
    refuse_paths(function, request.wrt)
    names = list(signature_of(function).parameters)
    own = kinds[: len(names)]
    parts = [_part(kind, name, function) for kind, name in zip(own, names, strict=True)]
    forms = dict(zip(names, parts, strict=True))
    flat = remembered(function, ("handed", own), lambda: Flat(function, forms))
    leaves = [list(_leaves(part, kind, name)) for part, kind, name in zip(parts, own, names, strict=True)]
    places = _places(leaves, request.wrt, function)
    inner = made(
        flat, Request(request.mode, tuple(place for each in places for place in each), True, request.options), True
    )
    parameters = list(derivative.__signature__.parameters)
    given = [path for each in leaves for path, _ in each]
    for place, direction in zip(request.wrt, parameters[len(names) :], strict=False):
        given += [direction + path[len(names[place]) :] for path, kind in leaves[place] if _is_smooth(kind)]
    classes: list[Any] = []
    packed = _packed([parts[place] for place in request.wrt], [leaves[place] for place in request.wrt], classes)
    namespace = {"routine": inner.native, **{f"Class_{k}": each for k, each in enumerate(classes)}}
    return _compiled(derivative.__name__, parameters, given, _result(request, packed), namespace)


def _compiled(name: str, parameters: list[str], given: list[str], result: str, namespace: dict[str, Any]) -> Dispatcher:
    text = f"def {name}({', '.join(parameters)}):\n    found = routine({', '.join(given)})\n    return {result}\n"
    exec(text, namespace)
    made: Dispatcher = numba.njit(namespace[name])
    made.assumes = False
    return made


def _part(kind: Any, name: str, function: Any) -> Part:
    """How lowering describes an argument of this type: as a structure, a compile-time constant or a leaf."""
    if isinstance(kind, types.BaseTuple):
        parts = tuple(_part(each, name, function) for each in kind)
        return Form(getattr(kind, "instance_class", tuple), tuple(range(len(parts))), parts)
    if isinstance(kind, types.NoneType):
        return Fixed(None)
    if isinstance(kind, types.Dispatcher):
        return Fixed(function_of(kind.dispatcher))
    if isinstance(kind, types.Function) and callable(kind.typing_key):
        return Fixed(kind.typing_key)
    if isinstance(kind, (types.Callable, types.FunctionType)):
        raise RUNTIME_FUNCTION_ARGUMENT.error(name=name, function=name_of(function))
    return LEAF


def function_of(dispatcher: Any) -> Any:
    """The user's function that a dispatcher runs; for the dispatcher of another derivative, that `Derivative`."""
    derivative = getattr(dispatcher, "derivative", None)
    return (
        dispatcher if derivative is None else derivative.function if derivative.request.mode == "core" else derivative
    )


def _leaves(part: Part, kind: Any, path: str) -> Iterator[tuple[str, Any]]:
    """For each leaf, the expression that reads it in the adapter, and its type."""
    if isinstance(part, Form):
        for key, below, each in zip(part.keys, part.parts, kind, strict=True):
            yield from _leaves(below, each, f"{path}[{key}]")
    elif part is LEAF:
        yield path, kind


def _is_smooth(kind: Any) -> bool:
    return isinstance(getattr(kind, "dtype", kind), (types.Float, types.Complex))


def _places(leaves: Sequence[list[tuple[str, Any]]], wrt: Sequence[int], function: Any) -> list[list[int]]:
    """For each argument in `wrt`, the positions among all leaves of those to differentiate with respect to."""
    found = []
    for place in wrt:
        before = sum(map(len, leaves[:place]))
        found.append([before + k for k, (_, kind) in enumerate(leaves[place]) if _is_smooth(kind)])
        if not found[-1]:
            name = list(signature_of(function).parameters)[place]
            raise NOTHING_DIFFERENTIABLE.error(name=name, function=name_of(function))
    return found


def _packed(parts: list[Part], leaves: Sequence[list[tuple[str, Any]]], classes: list[Any]) -> list[str]:
    """The texts that build each argument's gradient from `found`; classes that they call are added to `classes`."""
    count = iter(range(sum(map(len, leaves))))

    def text(part: Part, kinds: Iterator[Any]) -> str:
        if isinstance(part, Form):
            held = f"({''.join(text(each, kinds) + ', ' for each in part.parts)})"
            if part.type is tuple:
                return held
            classes.append(part.type)
            return f"Class_{len(classes) - 1}{held}"
        return f"{{0}}[{next(count)}]" if part is LEAF and _is_smooth(next(kinds)) else "None"

    return [text(part, (kind for _, kind in own)) for part, own in zip(parts, leaves, strict=True)]


def _result(request: Request, packed: list[str]) -> str:
    """The text of the expression that the adapter returns."""
    every = f"({''.join(each + ', ' for each in packed)})" if request.tuple_result else packed[0] if packed else ""
    if request.mode == "value_and_grad":
        return f"(found[0], {every.format('found[1]')})"
    return every.format("found") if request.mode in ("grad", "hvp") else "found"
