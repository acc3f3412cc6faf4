"""Specialise a function to structured arguments of one form and kinds of leaves: a `Shape`, cached per function.

A gradient has the form of its argument, with None for leaves that cannot have a derivative: integers, strings,
functions, None. `wrt` may name a part of an argument, such as "params.w".
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from types import MethodType
from typing import Any, TypeVar

import numpy as np

from srcad.api.cotangent import matching
from srcad.api.flattened_function import Flat
from srcad.api.pytree import (
    arrays_in,
    form_of,
    is_leaf,
    labels_in,
    more_constants,
    take_apart,
    taken_apart,
    with_integers,
)
from srcad.api.wrt import Path, Place
from srcad.driver.memoisation import remembered
from srcad.errors import BadArgument, UnsupportedSyntax
from srcad.frontend.load_source import name_of, signature_of
from srcad.refusals.memory import CAPTURED_OVERLAP, STRUCTURE_TWICE
from srcad.refusals.types_and_results import NOTHING_DIFFERENTIABLE
from srcad.runtime.support.labelled_kinds import is_labelled
from srcad.runtime.support.record_fields import is_records
from srcad.runtime.support.structured_arguments import (
    Constants,
    Frozen,
    attributes,
    extent_of,
    is_function,
    is_structured,
    level_of,
)
from srcad.transforms.ir.pytree_form import Form, Leaf, from_tuples, to_tuples
from srcad.transforms.lowering.structures.list_packing import layout_leaves, share_memory

Result = TypeVar("Result")

_NUMBERS = frozenset((float, int, complex, bool))
_BY_VALUE = frozenset((str, int, bool, float, complex))
_SMOOTH = frozenset((float, complex))
_MOST_CONSTANTS = 64  # the most shapes cached for a function that differ in leaves that are functions or integers


class _Known:
    """A leaf that is a compile-time constant, as a cache key: texts and numbers compare by value, others by identity.

    Each access to a method makes a new object, so a method is compared by its function and the object it is bound to.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Known):
            return False
        one, two = self.value, other.value
        if isinstance(one, MethodType) and isinstance(two, MethodType):
            return one.__func__ is two.__func__ and one.__self__ is two.__self__
        if type(one) is type(two) and type(one) in (float, complex):
            return repr(one) == repr(two)  # which tells -0.0 from 0.0
        return one is two or (type(one) is type(two) and type(one) in _BY_VALUE and one == two)

    def __hash__(self) -> int:
        if isinstance(self.value, MethodType):
            return hash((id(self.value.__func__), id(self.value.__self__)))
        return hash(self.value) if type(self.value) in _BY_VALUE else id(self.value)


def _kind(leaf: Any) -> Any:
    kind = type(leaf)
    if kind in _NUMBERS:
        return kind
    if kind is Frozen:
        return _Known(leaf.value)
    return (kind, getattr(leaf, "dtype", None)) if is_leaf(leaf) else _Known(leaf)


@dataclass(frozen=True)
class _Parameter:
    """A parameter of the user's function, or a part of one: optree's specification (None for a leaf) and its leaves.

    places      for each leaf, its position among the parameters of the flat function; None for compile-time constants
    smooth      the same; None also for leaves that cannot have a derivative
    layout      the same, but only for leaves that say where the elements of long lists are; None for all others
    """

    name: str
    spec: Any
    places: tuple[int | None, ...]
    smooth: tuple[int | None, ...]
    layout: tuple[int | None, ...]

    @property
    def spots(self) -> tuple[int | None, ...]:
        """The leaves to differentiate with respect to; a plain parameter counts whatever its type."""
        return self.places if self.spec is None else self.smooth

    @property
    def holds_long_list(self) -> bool:
        """Whether a list in it has been packed into an array."""
        return any(spot is not None for spot in self.layout)

    def packed(self, leaves: Sequence[Any]) -> Any:
        """Leaves put into the structure of the parameter."""
        return leaves[0] if self.spec is None else self.spec.unflatten(leaves)


class Shape:
    """A function specialised to structured arguments of one form; `flat` is the function of their leaves.

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
            layout = [
                spot if is_kept else None for spot, is_kept in zip(places, layout_leaves(forms[name]), strict=True)
            ]
            self.parameters.append(_Parameter(name, None if plain else child, tuple(places), smooth, tuple(layout)))
        self.picked = None if place == len(leaves) else [k for k, leaf in enumerate(leaves) if is_leaf(leaf)]
        self.flat = Flat(function, forms)
        self.is_labelled = bool(labels_in(spec))
        self.has_constants = any(isinstance(leaf, Frozen) or is_function(type(leaf)) for leaf in leaves)
        self.runs: dict[Any, Any] = {}  # derivative of the user's function -> that of the flat one

    def with_labels(self, spec: Any) -> Shape:
        """The same function for arguments whose labelled arrays have other labels, which gradients are given."""
        made = copy.copy(self)
        pairs = zip(self.parameters, spec.children(), strict=True)
        made.parameters = [each if each.spec is None else replace(each, spec=child) for each, child in pairs]
        return made

    @property
    def smooth(self) -> tuple[int, ...]:
        """The positions of all leaves that can have a derivative."""
        return tuple(spot for each in self.parameters for spot in each.smooth if spot is not None)

    def wrt(self, where: Sequence[Place]) -> tuple[int, ...]:
        """The positions of the leaves to differentiate with respect to, for the parameters and paths in `where`."""
        found: list[int] = []
        for place in where:
            parameter = self.part(place)
            own = [spot for spot in parameter.spots if spot is not None]
            if not own:
                raise NOTHING_DIFFERENTIABLE.error(name=parameter.name, function=name_of(self.function))
            found += own
        if len(set(found)) < len(found):
            raise BadArgument("`wrt` names a part of an argument twice", hint="leave out what another part contains")
        return tuple(found)

    def part(self, place: Place) -> _Parameter:
        """The parameter, or the part of one, that `place` names."""
        if not isinstance(place, Path):
            return self.parameters[place]
        whole = self.parameters[place.parameter]
        spec, before = place.inside(whole.spec, whole.name)
        own = slice(before, before + spec.num_leaves)
        own_spec = None if spec.is_leaf() else spec
        places, smooth, layout = whole.places[own], whole.smooth[own], whole.layout[own]
        return _Parameter(place.text(whole.name), own_spec, places, smooth, layout)

    def packed(self, where: Sequence[Place], many: bool, found: Sequence[Any], values: Sequence[Any]) -> Any:
        """Gradients of parameters from those of leaves, in the order of `wrt`; `values` are those of all leaves."""
        each = iter(found)
        packed = []
        for place in where:
            parameter = self.part(place)
            leaves = [None if spot is None else next(each) for spot in parameter.spots]
            for k, spot in enumerate(parameter.layout):
                leaves[k] = leaves[k] if spot is None else values[spot]
            packed.append(parameter.packed(leaves))
        return tuple(packed) if many else packed[0]

    def directions(self, where: Sequence[Place], given: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        """Directions of parameters as directions of their leaves; None means that a leaf does not move."""
        found = []
        for place, direction in zip(where, given, strict=True):
            parameter = self.part(place)
            leaves = [direction] if parameter.spec is None else self._leaves_of(parameter, direction)
            for spot, leaf in zip(parameter.spots, leaves, strict=True):
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
        labels = labels_in(parameter.spec)
        if not all(one.fits(other) for one, other in zip(labels, labels_in(spec), strict=True)):
            raise BadArgument(
                f"a direction of '{parameter.name}' has other labels than the argument, or in another order",
                hint="give it the labels of the argument: direction.reindex(...)",
            )
        return leaves

    def result(self, form: Any, value: Any) -> Any:
        """The function's result in the user's structure, from numbers, arrays and tuples of these."""
        return value if isinstance(form, Leaf) else from_tuples(form, value)

    def cotangent(self, form: Any, given: Any) -> Any:
        """A cotangent in the structure of the result, as nested tuples. Raises BadArgument if the structure differs."""
        if isinstance(form, Leaf):
            return given
        try:
            return to_tuples(form, given)
        except (LookupError, AttributeError, TypeError) as problem:
            raise BadArgument(
                f"the cotangent has another form than the result of {name_of(self.function)}: {problem}",
                hint="give it the structure of the result",
            ) from None

    def check_shared(self, arguments: Sequence[Any], version: Any) -> None:
        """Raise MayOverlap if a function that changes its arguments is given one list or dictionary at two places.

        The same holds for arrays in a long list and for records, which are copied, if the function may also reach them
        as captured arrays.
        """
        if version.unit.changes and _repeats(arguments, set()):
            raise STRUCTURE_TWICE.error(function=name_of(self.function))
        theirs = arrays_in(arguments) if version.unit.hidden else []
        is_copied = self.is_labelled or any(each.holds_long_list for each in self.parameters)
        if theirs and (is_copied or any(map(is_records, theirs))):
            captured = [each for each in version.hidden() if isinstance(each, np.ndarray)]
            if any(share_memory([one, other]) for one in captured for other in theirs):
                raise CAPTURED_OVERLAP.error(function=name_of(self.function))


def shaped(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    always: bool = False,
    variables: Sequence[Place] | None = None,
) -> tuple[Shape, list[Any]] | None:
    """The shape for these arguments, and their leaves. None if no argument is a structure, unless `always`.

    With `variables`, the places to differentiate by, more of the arguments are constants where `until_supported` found
    that they have to be.
    """
    level = Constants.FUNCTIONS if variables is None else remembered(function, "constants", _Level).value
    if not always and not any(is_structured(each) or 0 < level_of(each) <= level for each in arguments):
        return None
    shapes = remembered(function, "shapes", dict[Any, Shape])
    return found_shape(shapes, function, tuple(arguments), max(level, Constants.NAMES), variables or ())


class _Level:
    """Which arguments of a function are compile-time constants."""

    value = Constants.FUNCTIONS


def until_supported(function: Callable[..., Any], arguments: Sequence[Any], attempt: Callable[[], Result]) -> Result:
    """What `attempt` gives, repeated with more of the arguments as compile-time constants where it is refused."""
    while True:
        try:
            return attempt()
        except UnsupportedSyntax:
            level = remembered(function, "constants", _Level)
            higher = more_constants(function, tuple(arguments), level.value)
            if higher is None:
                raise
            level.value = higher


def found_shape(
    shapes: dict[Any, Shape],
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    constants: Constants = Constants.NAMES,
    variables: Sequence[Place] = (),
) -> tuple[Shape, list[Any]]:
    """The shape for these arguments, from the cache or new, and the leaves.

    `constants` says what is a compile-time constant; integers at the places `variables` never are.
    """
    leaves, key = _leaves_and_key(taken_apart(arguments), constants, variables)
    shape = shapes.get(key)
    if shape is None:
        # This registers classes that are seen for the first time.
        leaves, key = _leaves_and_key(take_apart(arguments), constants, variables)
        shape = shapes.get(key)
        if shape is None:
            _make_room(shapes)
            shape = shapes[key] = Shape(function, leaves, key[0])
            if constants is Constants.EXTENTS:
                shape.flat.extents = tuple(extent_of(leaf) for leaf in leaves if is_leaf(leaf))
    if shape.is_labelled:
        shape = shape.with_labels(key[0])
    return shape, leaves if shape.picked is None else [leaves[place] for place in shape.picked]


def _leaves_and_key(
    taken: tuple[list[Any], Any], constants: Constants, variables: Sequence[Place]
) -> tuple[list[Any], tuple[Any, ...]]:
    leaves, spec = taken
    if constants >= Constants.INTEGERS:
        children = spec.children()
        starts = [0, *accumulate(child.num_leaves for child in children)]
        plain = [place for place in variables if not isinstance(place, Path) and children[place].is_leaf()]
        leaves = with_integers(leaves, spec, {starts[place] for place in plain})
    extents = [extent_of(leaf) for leaf in leaves] if constants is Constants.EXTENTS else ()
    return leaves, (spec, *[leaf.dtype if type(leaf) is np.ndarray else _kind(leaf) for leaf in leaves], *extents)


def _make_room(shapes: dict[Any, Shape]) -> None:
    """Drop the oldest shape with a constant that may differ in each call, such as a lambda that is made in a loop."""
    old = [key for key, shape in shapes.items() if shape.has_constants]
    if len(old) >= _MOST_CONSTANTS:
        del shapes[old[0]]


def _is_smooth(leaf: Any) -> bool:
    kind = getattr(leaf, "dtype", None)
    return type(leaf) in _SMOOTH or (kind is not None and is_leaf(leaf) and np.dtype(kind).kind in "fc")


def _repeats(value: Any, seen: set[int]) -> bool:
    """Whether a list, dictionary or object occurs at two places."""
    if not is_structured(value) or is_function(type(value)) or is_labelled(type(value)):
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
