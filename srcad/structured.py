"""Calls with structured arguments: leaves in, the compiled function of leaves, structures out.

What is made for arguments of one form, and leaves of the same kinds, is a `Shape`, kept with the function. A gradient
has the form of its argument, with None for leaves that can have no derivative: integers, texts, functions, None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.errors import BadArgument, MayOverlap, NotDifferentiable
from srcad.flat import Flat
from srcad.gradient import bind, made, name_of, signature_of
from srcad.pullback import matching, pair_of
from srcad.remember import remembered
from srcad.runtime.keep import snapshot
from srcad.runtime.structures import attributes, is_structured
from srcad.transforms.form import Form, Leaf, from_tuples, to_tuples
from srcad.tree import form_of, is_leaf, take_apart, taken_apart
from srcad.version import Request

_NUMBERS = frozenset((float, int, complex, bool))
_SMOOTH = frozenset((float, complex))


class _Known:
    """A leaf that is known while compiling, as a key: texts by what they say, other objects by what they are."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Known):
            return False
        return self.value is other.value or (type(self.value) is str is type(other.value) and self.value == other.value)

    def __hash__(self) -> int:
        return hash(self.value) if isinstance(self.value, str) else id(self.value)


def _kind(leaf: Any) -> Any:
    kind = type(leaf)
    if kind in _NUMBERS:
        return kind
    return (kind, getattr(leaf, "dtype", None)) if is_leaf(leaf) else _Known(leaf)


@dataclass(frozen=True)
class _Parameter:
    """A parameter of the user's function: its specification, None where it is a leaf, and where its leaves are.

    places      of each of its leaves among those of the flat function; None for what is known while compiling
    smooth      likewise; None for what can have no derivative as well
    """

    name: str
    spec: Any
    places: tuple[int | None, ...]
    smooth: tuple[int | None, ...]

    def packed(self, leaves: Sequence[Any]) -> Any:
        """Leaves in the structure of the parameter."""
        return leaves[0] if self.spec is None else self.spec.unflatten(leaves)


class Shape:
    """A function for structured arguments of one form.

    >>> def f(p, x):
    ...     return p["w"] * x + p["b"]
    >>> shape, values = shaped(f, ({"w": 2.0, "b": 1.0}, 3.0), True)  # doctest: +SKIP
    >>> values, list(shape.flat.__signature__.parameters)  # doctest: +SKIP
    ([2.0, 1.0, 3.0], ['p_w', 'p_b', 'x'])
    """

    def __init__(self, function: Callable[..., Any], leaves: list[Any], spec: Any) -> None:
        self.function, self.spec = function, spec
        forms, self.parameters = {}, []
        each, count, place = iter(leaves), 0, 0
        for name, child in zip(signature_of(function).parameters, spec.children(), strict=True):
            forms[name] = form_of(child, each, name)
            own = leaves[count : count + child.num_leaves]
            count += len(own)
            places: list[int | None] = []
            for leaf in own:
                places.append(place if is_leaf(leaf) else None)
                place += is_leaf(leaf)
            smooth = tuple(spot if _is_smooth(leaf) else None for spot, leaf in zip(places, own, strict=True))
            plain = not isinstance(forms[name], Form)
            self.parameters.append(_Parameter(name, None if plain else child, tuple(places), smooth))
        self.picked = None if place == len(leaves) else [k for k, leaf in enumerate(leaves) if is_leaf(leaf)]
        self.flat = Flat(function, forms)
        self._changes: bool | None = None

    @property
    def smooth(self) -> tuple[int, ...]:
        """All leaves that can have a derivative."""
        return tuple(spot for each in self.parameters for spot in each.smooth if spot is not None)

    def wrt(self, where: Sequence[int]) -> tuple[int, ...]:
        """The leaves to differentiate by, for these parameters; of a plain parameter itself, whatever it is."""
        found: list[int] = []
        for place in where:
            parameter = self.parameters[place]
            spots = parameter.places if parameter.spec is None else parameter.smooth
            own = [spot for spot in spots if spot is not None]
            if not own:
                raise NotDifferentiable(
                    f"the argument '{parameter.name}' of {name_of(self.function)} holds nothing that can have a "
                    "derivative",
                    hint="differentiate by an argument that holds floats, or arrays of floats",
                )
            found += own
        return tuple(found)

    def packed(self, where: Sequence[int], many: bool, found: Sequence[Any]) -> Any:
        """Gradients by leaves, in the order of `wrt`, as gradients by parameters."""
        each = iter(found)
        packed = []
        for place in where:
            parameter = self.parameters[place]
            spots = parameter.places if parameter.spec is None else parameter.smooth
            packed.append(parameter.packed([None if spot is None else next(each) for spot in spots]))
        return tuple(packed) if many else packed[0]

    def directions(self, where: Sequence[int], given: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Directions in the form of parameters, as directions of their leaves; None is no movement of a leaf."""
        found = []
        for place, direction in zip(where, given, strict=True):
            parameter = self.parameters[place]
            leaves = [direction] if parameter.spec is None else self._leaves_of(parameter, direction)
            spots = parameter.places if parameter.spec is None else parameter.smooth
            for spot, leaf in zip(spots, leaves, strict=True):
                if spot is not None:
                    like = values[spot]
                    zero = np.zeros(np.shape(like)) if leaf is None else leaf
                    found.append(matching(zero, like, "the tangent"))
        return found

    def _leaves_of(self, parameter: _Parameter, data: Any) -> list[Any]:
        leaves, spec = take_apart(data)
        if spec != parameter.spec:
            raise BadArgument(
                f"a direction of '{parameter.name}' has the form {spec}, the argument has {parameter.spec}",
                hint="give it the structure of the argument, with None for what does not move",
            )
        return leaves

    def result(self, form: Any, value: Any) -> Any:
        """What the function returns, from numbers, arrays and tuples of these."""
        return value if isinstance(form, Leaf) else from_tuples(form, value)

    def cotangent(self, form: Any, given: Any) -> Any:
        """A cotangent in the form of the result as nested tuples."""
        if isinstance(form, Leaf):
            return given
        try:
            return to_tuples(form, given)
        except (LookupError, AttributeError, TypeError) as problem:
            raise BadArgument(
                f"the cotangent has another form than the result of {name_of(self.function)}: {problem}",
                hint="give it the structure of the result",
            ) from None

    def check_shared(self, arguments: Sequence[Any], unit: Any) -> None:
        """Refuse one list or dictionary at two places among the arguments of a function that changes it."""
        if unit.changes and _repeats(arguments, set()):
            raise MayOverlap(
                f"{name_of(self.function)} changes a list, dictionary or object that is at two places of its arguments",
                hint="give it a copy at one of the two",
            )


def shaped(
    function: Callable[..., Any], arguments: Sequence[Any], always: bool = False
) -> tuple[Shape, list[Any]] | None:
    """The shape for these arguments, and their leaves; None where all are plain, unless `always`."""
    if not always and not any(map(is_structured, arguments)):
        return None
    return _found(remembered(function, "shapes", dict[Any, Shape]), function, tuple(arguments))


def _found(
    shapes: dict[Any, Shape], function: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[Shape, list[Any]]:
    leaves, spec = taken_apart(arguments)
    shape = shapes.get((spec, *[leaf.dtype if type(leaf) is np.ndarray else _kind(leaf) for leaf in leaves]))
    if shape is None:
        leaves, spec = take_apart(arguments)  # makes classes known that are met for the first time
        key = (spec, *[leaf.dtype if type(leaf) is np.ndarray else _kind(leaf) for leaf in leaves])
        shape = shapes.get(key)
        if shape is None:
            shape = shapes[key] = Shape(function, leaves, spec)
    return shape, leaves if shape.picked is None else [leaves[place] for place in shape.picked]


def _is_smooth(leaf: Any) -> bool:
    kind = getattr(leaf, "dtype", None)
    return type(leaf) in _SMOOTH or (kind is not None and is_leaf(leaf) and np.dtype(kind).kind in "fc")


def _repeats(value: Any, seen: set[int]) -> bool:
    """Whether a list, dictionary or object is at two places."""
    if not is_structured(value):
        return False
    if not isinstance(value, tuple):
        if id(value) in seen:
            return True
        seen.add(id(value))
    if isinstance(value, (tuple, list)):
        parts: Any = value
    elif isinstance(value, dict):
        parts = value.values()
    else:
        parts = [getattr(value, name) for name in attributes(value)]
    return any(_repeats(each, seen) for each in parts)


def structured_call(derivative: Any) -> Callable[..., Any]:
    """What calls a derivative whose function takes or returns structures; plain calls pass."""
    function, request, signature = derivative.function, derivative.request, derivative.__signature__
    own, total = derivative.own, len(signature.parameters)
    inner: dict[Shape, Any] = {}
    shapes = remembered(function, "shapes", dict[Any, Shape])

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != total:
            args = bind(signature, args, kwargs)
        given = args if own == total else args[:own]
        for each in given:
            if is_structured(each):
                break
        else:
            if not derivative.returns_structure:
                found = derivative.plain_call(*args)
                # The first plain call may have found out that the result is a structure.
                return call(*args) if derivative.returns_structure else found
        shape, values = _found(shapes, function, given)
        run = inner.get(shape)
        if run is None:
            wanted = Request(request.mode, shape.wrt(request.wrt), True)
            run = inner[shape] = made(shape.flat, wanted, derivative.jit)
        unit = run.current().unit
        if unit.changes:
            shape.check_shared(given, unit)
        if total > own:
            values = [*values, *shape.directions(request.wrt, args[own:], values)]
        return _finished(shape, request, unit.result, run(*values))

    return call


def _finished(shape: Shape, request: Request, form: Any, found: Any) -> Any:
    """What a derivative of the flat function gives, in the structures of the user's function."""
    if request.mode == "core":
        return shape.result(form, found)
    if request.mode == "tangent":
        return tuple(shape.result(form, each) for each in found)
    if request.mode == "value_and_grad":
        value, gradients = found
        return value, shape.packed(request.wrt, request.tuple_result, gradients)
    return shape.packed(request.wrt, request.tuple_result, found)


def structured_vjp(
    shape: Shape, values: list[Any], where: Sequence[int] | None, many: bool, jit: bool
) -> tuple[Any, Callable[[Any], Any]]:
    """The value and its pullback, for these parameters or, where None, for all of them."""
    every = range(len(shape.parameters))
    asked = [place for place in every if any(spot is not None for spot in shape.parameters[place].smooth)]
    wrt = asked if where is None else where
    version, routines = pair_of(shape.flat, shape.wrt(wrt), jit).current()
    arguments = (*snapshot(tuple(values)), *snapshot(version.hidden()))
    value, trace = routines.forward(*arguments)
    pull, form = routines.pullback(arguments, value, trace), version.unit.result

    def pullback(cotangent: Any) -> Any:
        found = shape.packed(wrt, True, pull(shape.cotangent(form, cotangent)))
        if where is not None:
            return found if many else found[0]
        by_place = dict(zip(wrt, found, strict=True))
        return tuple(by_place.get(place) for place in every)

    return shape.result(form, value), pullback
