"""What the functions of a user's rule return, checked; and directions along which a rule is transposed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from srcad.errors import WrongRule


def fitted(value: Any, like: Any, rule: str) -> Any:
    """What a function of a rule returned for `like`, in memory of its own. Raises WrongRule if it does not fit.

    >>> fitted(np.ones(2), np.zeros(2), "the rule of f"), fitted(1, 2.0, "the rule of f")
    (array([1., 1.]), 1.0)
    >>> fitted(np.ones(3), np.zeros(2), "the rule of f")
    Traceback (most recent call last):
    srcad.errors.WrongRule: the rule of f: the shape (3,) was returned, where (2,) is needed
    hint: return a derivative of the shape and the kind of number of what it belongs to
    """
    if np.shape(value) != np.shape(like):
        raise Misfit(rule, np.shape(value), np.shape(like))
    found, wanted = np.asarray(value), np.asarray(like).dtype
    if not _converts(found.dtype.kind, wanted.kind, found.ndim):
        raise _wrong_type(rule, found.dtype, wanted)
    made = found.astype(wanted)
    return made if isinstance(like, np.ndarray) else made[()] if isinstance(like, np.generic) else made.item()


class Misfit(WrongRule):
    """Makes the error for a rule that returns another shape; compiled code can raise it with shapes as arguments."""

    def __new__(cls, rule: str, found: tuple[int, ...], wanted: tuple[int, ...]) -> Any:
        """The error, a WrongRule."""
        shapes = [f"the shape {tuple(map(int, each))}" if each else "a number" for each in (found, wanted)]
        shapes[1] = shapes[1].removeprefix("the shape ")
        return WrongRule(f"{rule}: {shapes[0]} was returned, where {shapes[1]} is needed", None, _HINT)


_HINT = "return a derivative of the shape and the kind of number of what it belongs to"


def _wrong_type(rule: str, found: Any, wanted: Any) -> WrongRule:
    return WrongRule(f"{rule}: {found} was returned, where {wanted} is needed", None, _HINT)


def _converts(found: str, wanted: str, rank: int) -> bool:
    """Whether a derivative of this kind of number is one of the other: whole numbers only where they are numbers."""
    return found in (wanted, "f") or (found in "iu" and not rank)


def _kind(value: Any) -> tuple[types.Type, int]:
    """The type of the elements, and the rank."""
    return (value.dtype, value.ndim) if isinstance(value, types.Array) else (value, 0)


def _letter(kind: types.Type) -> str:
    """The letter of a kind of number, as NumPy has it."""
    for cls, letter in ((types.Float, "f"), (types.Complex, "c"), (types.Integer, "i"), (types.Boolean, "b")):
        if isinstance(kind, cls):
            return letter
    return "O"


@overload(fitted)
def _overload_fitted(value, like, rule):
    (found, rank), (wanted, needed) = _kind(value), _kind(like)
    is_array, is_like_array = isinstance(value, types.Array), isinstance(like, types.Array)
    if not _converts(_letter(found), _letter(wanted), rank):
        problem = f": {value if _letter(found) == 'O' else found} was returned, where {wanted} is needed"

        def other_kind(value, like, rule):
            if value is not None:  # so that the result has a type
                raise WrongRule(rule + problem, None, _HINT)
            return like

        return other_kind
    if rank != needed:
        shapes = register_jitable(lambda value: value.shape) if is_array else register_jitable(lambda value: ())
        likes = register_jitable(lambda like: like.shape) if is_like_array else register_jitable(lambda like: ())

        def other_rank(value, like, rule):
            if value is not None:
                raise Misfit(rule, shapes(value), likes(like))
            return like

        return other_rank
    if not is_like_array:
        taken = register_jitable(lambda value: value[()]) if is_array else register_jitable(lambda value: value)
        return lambda value, like, rule: wanted(taken(value))

    def of_array(value, like, rule):
        if value.shape != like.shape:
            raise Misfit(rule, value.shape, like.shape)
        return value.astype(wanted)

    def of_number(value, like, rule):
        return np.full((), value, wanted)

    return of_array if is_array else of_number


def zero_like(x: Any) -> Any:
    """Zero in the shape and type of a number or an array.

    >>> zero_like(2.0), zero_like(np.ones(2))
    (0.0, array([0., 0.]))
    """
    return np.zeros_like(x) if isinstance(x, np.ndarray) else type(x)(0)


@overload(zero_like)
def _overload_zero_like(x):
    if isinstance(x, types.Array):
        return lambda x: np.zeros_like(x)
    kind = x
    return lambda x: kind(0)


def inner(a: Any, b: Any) -> Any:
    """The sum of the products of the elements of two arrays of one shape, or the product of two numbers.

    >>> float(inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))), inner(2.0, 3.0)
    (11.0, 6.0)
    """
    return np.sum(a * b)[()] if isinstance(a, np.ndarray) else a * b


@overload(inner)
def _overload_inner(a, b):
    if isinstance(a, types.Array):
        return lambda a, b: np.sum(a * b)
    return lambda a, b: a * b


def unit_like(x: Any, k: int) -> Any:
    """The unit vector of element k of an array, in its shape; 1 for a number.

    >>> unit_like(np.zeros(3), 1), unit_like(5.0, 0)
    (array([0., 1., 0.]), 1.0)
    """
    if not isinstance(x, np.ndarray):
        return type(x)(1)
    made = np.zeros(x.shape, x.dtype)
    made.reshape(-1)[k] = 1
    return made


@overload(unit_like)
def _overload_unit_like(x, k):
    (kind, _) = _kind(x)

    def of_array(x, k):
        made = np.zeros(x.size, kind)
        made[k] = 1
        return made.reshape(x.shape)

    return of_array if isinstance(x, types.Array) else lambda x, k: kind(1)


def elements_of(x: Any) -> Any:
    """An array of zeros with as many elements as an array, or one for a number.

    >>> elements_of(np.ones((2, 2))), elements_of(2.0)
    (array([0., 0., 0., 0.]), array([0.]))
    """
    return np.zeros(np.size(x), np.asarray(x).dtype)


@overload(elements_of)
def _overload_elements_of(x):
    (kind, _) = _kind(x)
    if isinstance(x, types.Array):
        return lambda x: np.zeros(x.size, kind)
    return lambda x: np.zeros(1, kind)


def shaped_like(elements: Any, like: Any) -> Any:
    """Elements in the shape of an array; the only one for a number.

    >>> shaped_like(np.arange(4.0), np.zeros((2, 2))), shaped_like(np.array([3.0]), 1.0)
    (array([[0., 1.],
           [2., 3.]]), 3.0)
    """
    return elements.copy().reshape(like.shape) if isinstance(like, np.ndarray) else elements[0].item()


@overload(shaped_like)
def _overload_shaped_like(elements, like):
    if isinstance(like, types.Array):
        return lambda elements, like: elements.copy().reshape(like.shape)
    return lambda elements, like: elements[0]


def unshaped(x: Any) -> Any:
    """The elements of an array one after the other, or those of a number: what `shaped_like` has undone.

    >>> unshaped(np.ones((2, 2))), unshaped(3.0)
    (array([1., 1., 1., 1.]), array([3.]))
    """
    return np.ravel(x).copy()


@overload(unshaped)
def _overload_unshaped(x):
    (kind, _) = _kind(x)

    def of_number(x):
        made = np.empty(1, kind)
        made[0] = x
        return made

    return (lambda x: x.copy().reshape(x.size)) if isinstance(x, types.Array) else of_number
