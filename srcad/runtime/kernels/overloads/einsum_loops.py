"""Numba overloads of `np.einsum` and its adjoint: loops, or a product of matrices, for the subscripts of a call.

    np.einsum("ij,j->i", a, b)          for i: for j: result[i] += a[i, j] * b[j]

The subscripts are known when the call is compiled. Operands are combined two at a time, from the left. Two operands
whose letters allow it are multiplied by BLAS if they are large. An axis of length 1 stands for any length, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numba.np.numpy_support import as_dtype

from srcad.runtime.kernels.arrays.fourier import constant
from srcad.runtime.kernels.linear_algebra.tensor_contractions import einsum_adjoint, terms_of

_LARGE = 4096  # multiplications from which on BLAS is faster than loops


@register_jitable
def extent(one, other):
    """The common length of two axes, one of which may have length 1."""
    if one == 1:
        return other
    if other != 1 and one != other:  # noqa: PLR1714  # Numba compiles it
        raise ValueError("operands could not be broadcast together with the subscripts of np.einsum")
    return one


def as_matrix(a: Any, rows: int, columns: int, dtype: Any) -> Any:
    """An array as a matrix of a dtype.

    >>> as_matrix(np.ones((2, 3, 1)), 2, 3, np.float64).shape
    (2, 3)
    """
    return np.ascontiguousarray(a).astype(dtype).reshape((rows, columns))


@overload(as_matrix)
def _as_matrix(a, rows, columns, dtype):
    if a.layout == "C" and a.dtype == dtype.dtype:
        return lambda a, rows, columns, dtype: a.reshape((rows, columns))
    if a.dtype == dtype.dtype:
        return lambda a, rows, columns, dtype: a.copy().reshape((rows, columns))
    return lambda a, rows, columns, dtype: np.ascontiguousarray(a.astype(dtype)).reshape((rows, columns))


def _ordered(*texts: str) -> str:
    """All letters, each once, in the order in which they come."""
    return "".join(dict.fromkeys("".join(texts)))


def _read(name: str, term: str) -> str:
    """The element of an operand at the current indices; index 0 along an axis of length 1."""
    return f"{name}[{', '.join(f'{x}_ if {name}.shape[{k}] > 1 else 0' for k, x in enumerate(term))}]" if term else name


def _extents(names: Sequence[str], terms: Sequence[str]) -> list[str]:
    """Statements that find the length of each letter."""
    lines = []
    for letter in _ordered(*terms):
        axes = [
            f"{name}.shape[{k}]"
            for name, term in zip(names, terms, strict=True)
            for k, x in enumerate(term)
            if x == letter
        ]
        text = axes[0]
        for each in axes[1:]:
            text = f"extent({text}, {each})"
        lines.append(f"n_{letter} = {text}")
    return lines


def _loops(letters: str, body: str, depth: int) -> list[str]:
    lines = [f"{'    ' * (depth + k)}for {letter}_ in range(n_{letter}):" for k, letter in enumerate(letters)]
    return [*lines, f"{'    ' * (depth + len(letters))}{body}"]


def _combined(target: str, names: Sequence[str], terms: Sequence[str], result: str, dtype: str) -> list[str]:
    """Statements that store `np.einsum` of one or two operands in `target`."""
    inner = "".join(x for x in _ordered(*terms) if x not in result)
    product = " * ".join(_read(name, term) for name, term in zip(names, terms, strict=True))
    lines = _extents(names, terms)
    if not result:
        return [*lines, f"{target} = {dtype}(0)", *_loops(inner, f"{target} += {product}", 0)]
    shape = ", ".join(f"n_{x}" for x in result)
    place = f"{target}[{', '.join(f'{x}_' for x in result)}]"
    lines.append(f"{target} = np.zeros(({shape},), {dtype})")
    loops = _loops(result + inner, f"{place} += {product}", 0)
    product_lines = _product(target, names, terms, result, inner)
    if not product_lines:
        return [*lines, *loops]
    size = " * ".join(f"n_{x}" for x in _ordered(*terms))
    whole = [f"{name}.shape[{k}] == n_{x}" for name, term in zip(names, terms, strict=True) for k, x in enumerate(term)]
    lines.append(f"if {size} >= {_LARGE} and {' and '.join(whole)}:")
    lines += [f"    {each}" for each in product_lines]
    return [*lines, "else:", *(f"    {each}" for each in loops)]


def _product(target: str, names: Sequence[str], terms: Sequence[str], result: str, inner: str) -> list[str]:
    """Statements that make it a product of matrices, if the letters allow it."""
    if len(terms) != 2 or any(len(set(term)) < len(term) for term in terms) or not inner:
        return []
    first, second = terms
    rows = "".join(x for x in first if x not in second)
    columns = "".join(x for x in second if x not in first)
    if set(first) & set(second) != set(inner) or not rows or not columns or set(rows + columns) != set(result):
        return []
    sizes = {key: " * ".join(f"n_{x}" for x in text) for key, text in (("r", rows), ("i", inner), ("c", columns))}
    left = _matrix(names[0], first, rows + inner, sizes["r"], sizes["i"])
    right = _matrix(names[1], second, inner + columns, sizes["i"], sizes["c"])
    shape = ", ".join(f"n_{x}" for x in rows + columns)
    found = f"np.dot({left}, {right}).reshape(({shape},))"
    order = tuple((rows + columns).index(x) for x in result)
    return [
        f"{target}[...] = {found}"
        if order == tuple(range(len(order)))
        else f"{target}[...] = np.transpose({found}, {order})"
    ]


def _matrix(name: str, term: str, order: str, rows: str, columns: str) -> str:
    axes = tuple(term.index(x) for x in order)
    turned = name if axes == tuple(range(len(axes))) else f"np.transpose({name}, {axes})"
    return f"as_matrix({turned}, {rows}, {columns}, dtype)"


def _function(parameters: str, lines: Sequence[str], dtype: Any) -> Any:
    """The function with these statements."""
    text = f"def impl({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    space: dict[str, Any] = {"np": np, "extent": extent, "as_matrix": as_matrix, "dtype": dtype, "__name__": __name__}
    # The text is made of the letters of the subscripts alone.
    exec(compile(text, f"<np.einsum {abs(hash(text))}>", "exec"), space)
    return space["impl"]


def _known(subscripts: Any, operands: Sequence[Any]) -> tuple[list[str], str] | None:
    known, text = constant(subscripts)
    if (
        not known
        or not isinstance(text, str)
        or not all(isinstance(each, (types.Array, types.Number)) for each in operands)
    ):
        return None
    return terms_of(text, [getattr(each, "ndim", 0) for each in operands])


def _dtype(operands: Sequence[Any]) -> Any:
    found = np.result_type(*[as_dtype(getattr(each, "dtype", each)) for each in operands])
    return found.type


def _contraction(subscripts: Any, operands: Sequence[Any], parameters: str, names: Sequence[str]) -> Any:
    """The implementation of `np.einsum`, or None."""
    known = _known(subscripts, operands)
    if known is None or not operands:
        return None
    terms, result = known
    lines: list[str] = []
    name, term = names[0], terms[0]
    for k in range(1, max(2, len(terms))):
        later = "".join(terms[k + 1 :]) + result
        pair, both = ([name, names[k]], [term, terms[k]]) if len(terms) > 1 else ([name], [term])
        kept = result if k + 1 >= len(terms) else "".join(x for x in _ordered(*both) if x in later)
        lines += _combined(f"t{k}", pair, both, kept, "dtype")
        name, term = f"t{k}", kept
    return _function(parameters, [*lines, f"return {name}"], _dtype(operands))


@overload(np.einsum, prefer_literal=True)
def _einsum_of_one(subscripts, a):
    return _contraction(subscripts, (a,), "subscripts, a", ("a",))


@overload(np.einsum, prefer_literal=True)
def _einsum_of_two(subscripts, a, b):
    return _contraction(subscripts, (a, b), "subscripts, a, b", ("a", "b"))


@overload(np.einsum, prefer_literal=True)
def _einsum_of_three(subscripts, a, b, c):
    return _contraction(subscripts, (a, b, c), "subscripts, a, b, c", ("a", "b", "c"))


@overload(np.einsum, prefer_literal=True)
def _einsum_of_four(subscripts, a, b, c, d):
    return _contraction(subscripts, (a, b, c, d), "subscripts, a, b, c, d", ("a", "b", "c", "d"))


@overload(einsum_adjoint, prefer_literal=True)
def _einsum_adjoint(g, subscripts, place, operands):
    known = _known(subscripts, tuple(operands))
    at_known, at = constant(place)
    if known is None or not at_known or not isinstance(at, int):
        return None
    terms, result = known
    names = [f"a{k}" for k in range(len(terms))]
    lines = [f"a{k} = operands[{k}]" for k in range(len(terms))]
    whole = operands[at]
    dtype = _dtype([g, *(each for k, each in enumerate(operands) if k != at)])
    if not isinstance(whole, types.Array):
        return _function("g, subscripts, place, operands", [*lines, *_to_number(terms, result, names, at)], dtype)
    lines += _extents(names, terms)
    lines.append(f"bar = np.zeros(a{at}.shape, dtype)")
    body = f"{_read('bar', terms[at])} += {_other_factors(terms, result, names, at)}"
    fast = _product_adjoint(terms, result, names, at)
    loops = _loops(_ordered(*terms), body, 0)
    if fast:
        whole_lengths = [f"a{k}.shape[{i}] == n_{x}" for k, term in enumerate(terms) for i, x in enumerate(term)]
        size = " * ".join(f"n_{x}" for x in _ordered(*terms))
        lines += [
            f"if {size} >= {_LARGE} and {' and '.join(whole_lengths)}:",
            *(f"    {each}" for each in fast),
            "else:",
        ]
        loops = [f"    {each}" for each in loops]
    return _function("g, subscripts, place, operands", [*lines, *loops, "return bar"], dtype)


def _other_factors(terms: Sequence[str], result: str, names: Sequence[str], at: int) -> str:
    place = f"g[{', '.join(f'{x}_' for x in result)}]" if result else "g"
    others = [_read(name, term) for k, (name, term) in enumerate(zip(names, terms, strict=True)) if k != at]
    return " * ".join([place, *others])


def _to_number(terms: Sequence[str], result: str, names: Sequence[str], at: int) -> list[str]:
    """The adjoint of an operand that is a number."""
    lines = _extents([n for n, t in zip(names, terms, strict=True) if t], [t for t in terms if t])
    body = f"bar += {_other_factors(terms, result, names, at)}"
    return [*lines, "bar = dtype(0)", *_loops(_ordered(*terms), body, 0), "return bar"]


def _product_adjoint(terms: Sequence[str], result: str, names: Sequence[str], at: int) -> list[str]:
    """Statements for the adjoint of one of two operands whose product is one of matrices, if its adjoint is one too."""
    if len(terms) != 2 or not result:
        return []
    own, other = terms[at], terms[1 - at]
    inner = "".join(x for x in _ordered(result, other) if x not in own)
    return _product("bar", ["g", names[1 - at]], [result, other], own, inner)
