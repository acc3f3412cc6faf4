"""Calls with structured arguments: flatten the arguments, call the function of leaves, rebuild the structures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcad.api.argument_binding import bind
from srcad.api.pytree_specialisation import Shape, found_shape
from srcad.api.vjp_pair import pair_of
from srcad.driver.memoisation import remembered
from srcad.driver.options import Options
from srcad.driver.version import Request
from srcad.errors import UnsupportedSyntax
from srcad.runtime.support.array_snapshots import snapshot
from srcad.runtime.support.structured_arguments import is_structured, level_of


def structured_call(derivative: Any, made: Callable[[Callable[..., Any], Request, bool], Any]) -> Callable[..., Any]:
    """The function that calls a derivative whose function takes or returns structures. `made` makes other derivatives.

    Calls without structures go to `derivative.plain_call`.
    """
    function, request, signature = derivative.function, derivative.request, derivative.__signature__
    own, total = derivative.own, len(signature.parameters)
    shapes = remembered(function, "shapes", dict[Any, Shape])

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != total:
            args = bind(signature, args, kwargs)
        given = args if own == total else args[:own]
        for each in given:
            if is_structured(each) or 0 < level_of(each) <= derivative.constants:
                break
        else:
            if not derivative.returns_structure:
                found = derivative.plain_call(*args)
                # The first plain call may have discovered that the result is a structure.
                return call(*args) if derivative.returns_structure else found
        shape, values = found_shape(shapes, function, given, derivative.constants, request.wrt)
        run = shape.runs.get(derivative)
        if run is not None:
            return through(shape, run, args, values)
        wanted = Request(request.mode, shape.wrt(request.wrt), True, request.options)
        run = made(shape.flat, wanted, derivative.jit)
        try:
            found = through(shape, run, args, values)
        except UnsupportedSyntax:
            if not derivative.takes_constants(given):
                raise
            return call(*args)
        shape.runs[derivative] = run
        return found

    def through(shape: Shape, run: Any, args: tuple[Any, ...], values: list[Any]) -> Any:
        return _through(shape, run, request, (args[:own], args[own:]), values)

    if any(each.kind is each.VAR_POSITIONAL for each in signature.parameters.values()):
        # As many arguments as parameters may be what `*args` gathers, too.
        return lambda *args, **kwargs: call(*bind(signature, args, kwargs))
    return call


def _through(
    shape: Shape, run: Any, request: Request, args: tuple[tuple[Any, ...], tuple[Any, ...]], values: list[Any]
) -> Any:
    """The result for arguments and directions, by the derivative of the function of leaves."""
    given, directions = args
    version = run.current()
    unit = version.unit
    if unit.changes or unit.hidden:
        shape.check_shared(given, version)
    if directions:
        values = [*values, *shape.directions(request.wrt, directions, values)]
    return finished(shape, request, unit.result, run(*values), values)


def finished(shape: Shape, request: Request, form: Any, found: Any, values: list[Any]) -> Any:
    """The result of the flat function's derivative, in the structures of the user's function."""
    if request.mode == "core":
        return shape.result(form, found)
    if request.mode == "tangent":
        return tuple(shape.result(form, each) for each in found)
    if request.mode == "value_and_grad":
        value, gradients = found
        return value, shape.packed(request.wrt, request.tuple_result, gradients, values)
    return shape.packed(request.wrt, request.tuple_result, found, values)


def structured_vjp(
    shape: Shape,
    values: list[Any],
    given: Sequence[Any],
    where: Sequence[int] | None,
    many: bool,
    jit: bool,
    options: Options,
) -> tuple[Any, Callable[[Any], Any]]:
    """The value and its pullback, by the parameters in `where`, or by all of them if it is None."""
    every = range(len(shape.parameters))
    asked = [place for place in every if any(spot is not None for spot in shape.parameters[place].smooth)]
    wrt = asked if where is None else where
    version, routines = pair_of(shape.flat, shape.wrt(wrt), jit, options).current()
    shape.check_shared(given, version)
    arguments = (*snapshot(tuple(values)), *snapshot(version.hidden()))
    value, trace = routines.forward(*arguments)
    pull, form = routines.pullback(arguments, value, trace), version.unit.result

    def pullback(cotangent: Any) -> Any:
        found = shape.packed(wrt, True, pull(shape.cotangent(form, cotangent)), values)
        if where is not None:
            return found if many else found[0]
        by_place = dict(zip(wrt, found, strict=True))
        return tuple(by_place.get(place) for place in every)

    return shape.result(form, snapshot(value)), pullback  # the trace may hold the value itself
