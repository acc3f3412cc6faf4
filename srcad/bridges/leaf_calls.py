"""Calls of a function of structures as calls of a function of their leaves, which other libraries differentiate.

PyTorch, JAX and PyTensor know flat sequences of arrays. A `LeafCall` has the numbers and arrays among the arguments,
the `srcad.function` of these, and the way back from its result to the user's structure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.api.compiled_function import Function, function_of
from srcad.api.derivative_object import readable
from srcad.api.pytree import flattened, is_leaf
from srcad.api.pytree_specialisation import Shape, shaped
from srcad.errors import BadArgument, BadType
from srcad.frontend.load_source import name_of
from srcad.runtime.support.array_snapshots import snapshot
from srcad.runtime.support.nested_structures import flatten, pack_as
from srcad.runtime.support.structured_arguments import is_structured

_PLAIN = frozenset((np.ndarray, float, int, bool, complex, np.float32, np.float64))
_SECOND = "differentiate inside of srcad instead: bridge srcad.hessian(f), or a function that calls srcad.grad"


class LeafCall:
    """One call: the function of leaves, the leaves that are numbers or arrays, and their places among all leaves."""

    __slots__ = ("places", "run", "shape", "values")

    def __init__(self, run: Function[..., Any], values: Sequence[Any], places: Sequence[int], shape: Shape | None):
        self.run, self.values, self.places, self.shape = run, tuple(values), places, shape

    def value(self, copied: bool = False) -> Any:
        """The value alone: numbers, arrays and tuples of these, which share no memory with the arguments.

        `copied` says that the arguments are copies already: the function may write into them.
        """
        given = self._given()
        return owned(self.run.primal(given if copied else snapshot(given)), self.values)

    def differentiated(self, plain: tuple[int, ...] = ()) -> tuple[Any, Any]:
        """The value and its pullback; values at `plain` need no adjoint. The value shares memory with nothing."""
        if self.run._version().unit.hidden:
            value, pull = self.run.forward(self._given(), snapshot(self.run.captured_arrays()), plain)
        else:
            value, pull = self.run.forward(self.values, (), plain)
        return owned(value, pull.held if hasattr(pull, "held") else self.values), pull

    def _given(self) -> tuple[Any, ...]:
        variables = self.run.captured_variables()
        return (*self.values, *(each._array() for each in variables)) if variables else self.values

    def result(self, like: Any, leaves: Sequence[Any]) -> Any:
        """The user's structure with `leaves` of another library in place of those of the value `like`."""
        found = pack_as(like, leaves)
        return found if self.shape is None else self.shape.result(self.run._version().unit.result, found)

    def unstructured(self, result: Any) -> Any:
        """A result in the user's structure as numbers, arrays and tuples of these."""
        return result if self.shape is None else self.shape.cotangent(self.run._version().unit.result, result)


class LeafCalls:
    """A function as one of leaves, for arguments of any structure.

    >>> calls = LeafCalls(lambda p, x: p["w"] * x, jit=False)
    >>> call = calls.at(({"w": 2.0}, np.ones(2)))
    >>> call.values[0], call.value(), [bar.tolist() for bar in call.differentiated()[1](np.array([1.0, 0.0]))[1:]]
    (2.0, array([2., 2.]), [[2.0, 0.0]])
    """

    def __init__(self, function: Callable[..., Any], jit: bool = True) -> None:
        if not callable(function):
            raise BadType(f"a bridge is given a {type(function).__name__}", hint="give the function itself")
        self.function, self.jit = readable(function, "a bridge"), jit
        self.name = name_of(self.function)
        self.run = function_of(self.function, jit)

    def at(self, args: tuple[Any, ...]) -> LeafCall:
        """The call with these arguments."""
        for each in args:
            if type(each) not in _PLAIN:
                break
        else:
            if not self.run.returns_structure:
                return LeafCall(self.run, args, range(len(args)), None)
        found = shaped(self.function, args, True)
        assert found is not None
        shape, values = found
        leaves = flattened(args)[0]
        places = [place for place, leaf in enumerate(leaves) if is_leaf(leaf)]
        if len(places) != len(values) or any(leaves[k] is not value for k, value in zip(places, values, strict=True)):
            hint = "stack the numbers or arrays of one kind into one array"
            raise BadArgument("a list of more than 64, or a record, does not cross a bridge", hint=hint)
        return LeafCall(function_of(shape.flat, self.jit), values, places, shape)


def leaves_of(args: tuple[Any, ...], is_foreign: Callable[[Any], bool]) -> tuple[Sequence[Any], Any]:
    """The leaves of arguments, and what puts them together; None where no argument is a structure.

    Values for which `is_foreign` is true are leaves.
    """
    for each in args:
        if type(each) not in _PLAIN and not is_foreign(each) and is_structured(each):
            return flattened(args)
    return args, None


def owned(value: Any, held: Any) -> Any:
    """The value, with each array copied that shares memory with an earlier one, or with one of `held`.

    >>> x = np.ones(2)
    >>> first, second = owned((x, x[1:]), (2.0, [x]))
    >>> np.shares_memory(first, x), np.shares_memory(first, second)
    (False, False)
    """
    if type(value) is float:
        return value
    arrays: list[Any] = []
    _gather(held, arrays)
    leaves, is_shared = flatten(value), False
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, np.ndarray):
            for each in arrays:
                if np.may_share_memory(leaf, each):
                    leaves[place] = leaf = leaf.copy()
                    is_shared = True
                    break
            arrays.append(leaf)
    return pack_as(value, leaves) if is_shared else value


def _gather(held: Any, found: list[Any]) -> None:
    """Append the arrays in arguments and traces."""
    if isinstance(held, np.ndarray):
        if held.size:
            found.append(held)
    elif isinstance(held, (list, tuple)):
        for each in held:
            if type(each) is not float:
                _gather(each, found)
    elif isinstance(held, dict):
        for each in held.values():
            _gather(each, found)


def third_derivative(name: str) -> Exception:
    """The error for a third derivative through a bridge."""
    return BadArgument(f"`{name}` is differentiated three times through a bridge that has two", hint=_SECOND)
