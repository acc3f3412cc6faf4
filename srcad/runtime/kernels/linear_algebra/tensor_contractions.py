"""Adjoints of tensor contractions, `np.tensordot` and `np.einsum`. The axes are analysed once and cached."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.unbroadcast import unbroadcast
from srcad.runtime.kernels.linear_algebra.products import times, times_transpose, transpose_times

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def tensordot_adjoint_a(g: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    """The adjoint of a in `np.tensordot(a, b, axes)`."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * b, a)
    if a.ndim == b.ndim == 2 and axes == 1:
        return times_transpose(g, b)
    of_a, of_b, free_a, free_b = _tensordot_axes(a.ndim, b.ndim, _hashable(axes))
    other = _as_matrix(b, free_b, of_b)
    found = times(np.reshape(g, (_size(a, free_a), _size(b, free_b))), other)
    return _from_matrix(found, a, (*free_a, *of_a))


def tensordot_adjoint_b(g: Any, a: Any, b: Any, axes: Any = 2) -> Any:
    """The adjoint of b in `np.tensordot(a, b, axes)`."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * a, b)
    if a.ndim == b.ndim == 2 and axes == 1:
        return transpose_times(a, g)
    of_a, of_b, free_a, free_b = _tensordot_axes(a.ndim, b.ndim, _hashable(axes))
    other = _as_matrix(a, of_a, free_a)
    found = times(other, np.reshape(g, (_size(a, free_a), _size(b, free_b))))
    return _from_matrix(found, b, (*of_b, *free_b))


def _size(array: Any, axes: tuple[int, ...]) -> int:
    return math.prod([array.shape[k] for k in axes])


def _as_matrix(array: Any, rows: tuple[int, ...], columns: tuple[int, ...]) -> Any:
    return array.transpose((*rows, *columns)).reshape((_size(array, rows), _size(array, columns)))


def _from_matrix(matrix: Any, like: Any, order: tuple[int, ...]) -> Any:
    """The elements of a matrix in the shape of `like`, whose axes are in this order in the matrix."""
    shape = like.shape
    moved = matrix.reshape(tuple([shape[k] for k in order]))
    return moved.transpose(tuple(sorted(range(len(order)), key=order.__getitem__)))


def _hashable(axes: Any) -> Any:
    return axes if isinstance(axes, int) else tuple([each if isinstance(each, int) else tuple(each) for each in axes])


@functools.lru_cache(256)
def _tensordot_axes(ndim_a: int, ndim_b: int, axes: Any) -> tuple[tuple[int, ...], ...]:
    """The contracted axes of both operands, in pairs, and the free axes of both."""
    if isinstance(axes, int):
        of_a, of_b = tuple(range(ndim_a - axes, ndim_a)), tuple(range(axes))
    else:
        both = [(each,) if isinstance(each, int) else each for each in axes]
        of_a, of_b = tuple(k % ndim_a for k in both[0]), tuple(k % ndim_b for k in both[1])
    free_a = tuple(k for k in range(ndim_a) if k not in of_a)
    return of_a, of_b, free_a, tuple(k for k in range(ndim_b) if k not in of_b)


def einsum_adjoint(g: Any, subscripts: str, place: int, operands: tuple[Any, ...]) -> Any:
    """The adjoint of the operand at a place in `np.einsum(subscripts, *operands)`.

    >>> einsum_adjoint(np.array([1.0, 2.0]), "ij,j->i", 1, (np.ones((2, 3)), np.ones(3)))
    array([3., 3., 3.])
    >>> einsum_adjoint(5.0, "ii", 0, (np.ones((2, 2)),))
    array([[5., 0.],
           [0., 5.]])
    >>> einsum_adjoint(np.array([1.0]), "ij,j->i", 0, (np.ones((1, 3)), np.array([2.0])))
    array([[2., 2., 2.]])
    """
    equation = _reversed_einsum(subscripts, place)
    if equation:
        bar = None
        if len(operands) == 2:
            bar = _as_product(equation, g, operands[1 - place])
        if bar is None:
            bar = np.einsum(equation, g, *operands[:place], *operands[place + 1 :])
        return _in_shape_of(operands[place], bar)
    terms, result = _einsum_terms(_without_ellipsis(subscripts, operands))
    own = terms[place]
    rest = [(term, operand) for k, (term, operand) in enumerate(zip(terms, operands, strict=True)) if k != place]
    known = {letter for term in (result, *(term for term, _ in rest)) for letter in term}
    letters = "".join(dict.fromkeys(own))
    kept = "".join(letter for letter in letters if letter in known)
    bar = np.einsum(",".join([result, *(term for term, _ in rest)]) + "->" + kept, g, *(each for _, each in rest))
    shape = np.shape(operands[place])
    if kept != letters:  # letters that occur in this operand only, and are summed there
        missing = tuple(k for k, letter in enumerate(letters) if letter not in known)
        bar = np.broadcast_to(np.expand_dims(bar, missing), tuple(shape[own.index(letter)] for letter in letters))
    if letters != own:
        bar = _on_diagonals(bar, letters, own, shape)
    return _in_shape_of(operands[place], bar)


def _in_shape_of(operand: Any, bar: Any) -> Any:
    """The adjoint of an operand: summed where the operand has extent 1, repeated where only the others have."""
    shape = np.shape(operand)
    if np.shape(bar) == shape:
        return bar
    bar = unbroadcast(bar, operand)
    return bar if np.shape(bar) == shape else np.broadcast_to(bar, shape)


@functools.lru_cache(1024)
def _reversed_einsum(subscripts: str, place: int) -> str:
    """The subscripts for the adjoint of an operand; empty if it takes more than one product."""
    if "." in subscripts:
        return ""
    terms, result = _einsum_terms(subscripts)
    own, rest = terms[place], [*terms[:place], *terms[place + 1 :]]
    if len(set(own)) < len(own) or not set(own) <= set("".join([result, *rest])):
        return ""
    return ",".join([result, *rest]) + "->" + own


def _as_product(equation: str, a: Any, b: Any) -> Any:
    """`np.einsum` of two operands as a product of matrices or vectors, in a third of the time; None if it is not one.

    >>> _as_product("ik,jk->ij", np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])).tolist()
    [[11.0]]
    """
    steps = _steps_of_product(equation)
    if steps is None or type(b) is not np.ndarray or type(a) not in (np.ndarray, np.float64):
        return None
    turns_a, turns_b, is_swapped, sums = steps
    first, second = a.T if turns_a else a, b.T if turns_b else b
    if not sums:
        return first * second  # multiplication by a number
    if is_swapped:
        first, second = second, first
    return first.dot(second) if first.shape[-1] == second.shape[0] else None


@functools.lru_cache(1024)
def _steps_of_product(equation: str) -> tuple[bool, bool, bool, bool] | None:
    """Whether to transpose the first and the second operand, to exchange them, and to sum; None for other equations."""
    (first, second), result = _einsum_terms(equation)
    if len(set(first)) < len(first) or len(set(second)) < len(second):
        return None
    if not first:
        return (False, second != result, False, False) if sorted(second) == sorted(result) else None
    shared = set(first) & set(second)
    if len(shared) != 1 or shared & set(result) or max(len(first), len(second)) > 2:
        return None
    (summed,) = shared
    rows, columns = first.replace(summed, ""), second.replace(summed, "")
    if result not in (rows + columns, columns + rows):
        return None
    if is_swapped := result != rows + columns:
        return first[0] != summed, second[-1] != summed, is_swapped, True
    return first[-1] != summed, second[0] != summed, is_swapped, True


def _on_diagonals(bar: Any, letters: str, own: str, shape: tuple[int, ...]) -> Any:
    """The adjoint of an operand with repeated letters: zero off its diagonals."""
    spare = (each for each in _LETTERS if each not in own)
    axes = ""
    for letter, size in zip(own, shape, strict=True):
        axis = letter
        if letter in axes:
            axis = next(spare)
            bar = np.einsum(f"{letters},{letter}{axis}->{letters}{axis}", bar, np.eye(size, dtype=bar.dtype))
            letters += axis
        axes += axis
    return np.einsum(f"{letters}->{axes}", bar)


def _without_ellipsis(subscripts: str, operands: tuple[Any, ...]) -> str:
    """The subscripts with letters in place of an ellipsis."""
    if "." not in subscripts:
        return subscripts
    terms, result = terms_of(subscripts, [np.ndim(each) for each in operands]) or _einsum_terms(subscripts)
    return f"{','.join(terms)}->{result}"


def terms_of(subscripts: str, ndims: Sequence[int]) -> tuple[list[str], str] | None:
    """The letters of the operands and of the result, with letters for an ellipsis; None if they do not fit.

    >>> terms_of("ij,jk", [2, 2]), terms_of("...i,i->...", [3, 1])
    ((['ij', 'jk'], 'ik'), (['YZi', 'i'], 'YZ'))
    """
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ndims):
        return None
    counts = [ndim - len(term.replace("...", "")) for term, ndim in zip(terms, ndims, strict=True)]
    if any(count < 0 or (count and "..." not in term) for term, count in zip(terms, counts, strict=True)):
        return None
    spare = [letter for letter in reversed(_LETTERS) if letter not in subscripts]
    most = max(counts, default=0)
    around = "".join(sorted(spare[:most]))
    if "..." in subscripts and len(around) < most:
        return None
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        right = ("..." if most else "") + "".join(sorted(each for each in set(letters) if letters.count(each) == 1))
    found = [term.replace("...", around[most - count :]) for term, count in zip(terms, counts, strict=True)]
    result = right.replace("...", around)
    if not all(each.isalpha() or not each for each in (*found, result)) or len(set(result)) < len(result):
        return None
    return (found, result) if set(result) <= set("".join(found)) else None


def _einsum_terms(subscripts: str) -> tuple[list[str], str]:
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    if not arrow:
        letters = left.replace(",", "")
        right = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    return left.split(","), right
