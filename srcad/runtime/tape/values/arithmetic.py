"""Operators and NumPy's array methods for tensors and variables, each as a call of one primitive.

    x * 2.0     is `operator.mul` of (x, 2.0)          x.sum(axis=0)     is `np.sum` of (x,) with axis=0

`srcad.runtime.tape.recording.dispatch`, when imported, sets `Arithmetic._apply`, which computes and records such a
call.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcad.errors import BadIndex

NO_KEYWORDS: Mapping[str, Any] = {}


def _bind_then_apply(primitive: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any] = NO_KEYWORDS) -> Any:
    import srcad.runtime.tape.recording.fast_operators  # noqa: F401 - imports srcad.runtime.tape.recording.dispatch, which replaces this function

    return Arithmetic._apply(primitive, arguments, keywords)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that calls a NumPy function with the operand as its first argument."""

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        return self._apply(function, (self, *arguments), keywords)

    method.__name__ = function.__name__
    method.__doc__ = f"`np.{function.__name__}` of this operand."
    return method


def _as_shape(lengths: tuple[Any, ...]) -> Any:
    """`x.reshape(2, 3)` means `x.reshape((2, 3))`; likewise the axes of `transpose`."""
    return lengths[0] if len(lengths) == 1 else lengths


class Arithmetic:
    """Operators, indexing and array methods of an operand.

    >>> from srcad.runtime.tape.values.tensor import constant
    >>> x = constant([[1.0, 2.0], [3.0, 4.0]])
    >>> (2.0 * x[:, 0] + x.T @ x.sum(axis=0)).tolist()
    [24.0, 38.0]
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # `==` is elementwise; `.ref()` is a key

    # Calls a primitive with arguments and keywords; set by srcad.runtime.tape.recording.dispatch.
    _apply: Callable[..., Any] = staticmethod(_bind_then_apply)

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._apply(operator.getitem, (self, key))
        except IndexError as error:
            if "only integers" in str(error):  # a wrong type: the error is that of TensorFlow
                raise BadIndex(str(error)) from None
            raise

    def __add__(self, other: Any) -> Any:
        return self._apply(operator.add, (self, other))

    def __radd__(self, other: Any) -> Any:
        return self._apply(operator.add, (other, self))

    def __sub__(self, other: Any) -> Any:
        return self._apply(operator.sub, (self, other))

    def __rsub__(self, other: Any) -> Any:
        return self._apply(operator.sub, (other, self))

    def __mul__(self, other: Any) -> Any:
        return self._apply(operator.mul, (self, other))

    def __rmul__(self, other: Any) -> Any:
        return self._apply(operator.mul, (other, self))

    def __truediv__(self, other: Any) -> Any:
        return self._apply(operator.truediv, (self, other))

    def __rtruediv__(self, other: Any) -> Any:
        return self._apply(operator.truediv, (other, self))

    def __floordiv__(self, other: Any) -> Any:
        return self._apply(operator.floordiv, (self, other))

    def __rfloordiv__(self, other: Any) -> Any:
        return self._apply(operator.floordiv, (other, self))

    def __mod__(self, other: Any) -> Any:
        return self._apply(operator.mod, (self, other))

    def __rmod__(self, other: Any) -> Any:
        return self._apply(operator.mod, (other, self))

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __pow__(self, other: Any) -> Any:
        return self._apply(operator.pow, (self, other))

    def __rpow__(self, other: Any) -> Any:
        return self._apply(operator.pow, (other, self))

    def __matmul__(self, other: Any) -> Any:
        return self._apply(operator.matmul, (self, other))

    def __rmatmul__(self, other: Any) -> Any:
        return self._apply(operator.matmul, (other, self))

    def __neg__(self) -> Any:
        return self._apply(operator.neg, (self,))

    def __pos__(self) -> Any:
        return self._apply(operator.pos, (self,))

    def __abs__(self) -> Any:
        return self._apply(operator.abs, (self,))

    def __invert__(self) -> Any:
        return self._apply(operator.invert, (self,))

    def __and__(self, other: Any) -> Any:
        return self._apply(operator.and_, (self, other))

    def __rand__(self, other: Any) -> Any:
        return self._apply(operator.and_, (other, self))

    def __or__(self, other: Any) -> Any:
        return self._apply(operator.or_, (self, other))

    def __ror__(self, other: Any) -> Any:
        return self._apply(operator.or_, (other, self))

    def __xor__(self, other: Any) -> Any:
        return self._apply(operator.xor, (self, other))

    def __rxor__(self, other: Any) -> Any:
        return self._apply(operator.xor, (other, self))

    def __eq__(self, other: Any) -> Any:
        return False if other is None else self._apply(operator.eq, (self, other))

    def __ne__(self, other: Any) -> Any:
        return True if other is None else self._apply(operator.ne, (self, other))

    def __lt__(self, other: Any) -> Any:
        return self._apply(operator.lt, (self, other))

    def __le__(self, other: Any) -> Any:
        return self._apply(operator.le, (self, other))

    def __gt__(self, other: Any) -> Any:
        return self._apply(operator.gt, (self, other))

    def __ge__(self, other: Any) -> Any:
        return self._apply(operator.ge, (self, other))

    # Array methods

    def reshape(self, *shape: Any, **keywords: Any) -> Any:
        """`np.reshape` of this operand; the lengths as a tuple or one by one."""
        return self._apply(np.reshape, (self, _as_shape(shape)), keywords)

    def transpose(self, *axes: Any) -> Any:
        """`np.transpose` of this operand; the axes as a tuple or one by one."""
        return self._apply(np.transpose, (self, _as_shape(axes)) if axes else (self,))

    def flatten(self, *order: Any) -> Any:
        """All elements along one axis."""
        return self._apply(np.ravel, (self, *order))

    def astype(self, dtype: Any) -> Any:
        """The elements converted to another type."""
        return self._apply(np.astype, (self, np.dtype(dtype)))

    @property
    def T(self) -> Any:
        """The axes in reverse order."""
        return self._apply(np.transpose, (self,))

    @property
    def mT(self) -> Any:
        """The last two axes exchanged."""
        return self._apply(np.matrix_transpose, (self,))

    @property
    def real(self) -> Any:
        """The real parts."""
        return self._apply(np.real, (self,))

    @property
    def imag(self) -> Any:
        """The imaginary parts."""
        return self._apply(np.imag, (self,))

    all = _method(np.all)
    any = _method(np.any)
    argmax = _method(np.argmax)
    argmin = _method(np.argmin)
    argsort = _method(np.argsort)
    clip = _method(np.clip)
    conj = _method(np.conj)
    conjugate = _method(np.conj)
    copy = _method(np.copy)
    cumprod = _method(np.cumprod)
    cumsum = _method(np.cumsum)
    diagonal = _method(np.diagonal)
    dot = _method(np.dot)
    max = _method(np.max)
    mean = _method(np.mean)
    min = _method(np.min)
    nonzero = _method(np.nonzero)
    prod = _method(np.prod)
    ravel = _method(np.ravel)
    repeat = _method(np.repeat)
    round = _method(np.round)
    squeeze = _method(np.squeeze)
    std = _method(np.std)
    sum = _method(np.sum)
    swapaxes = _method(np.swapaxes)
    take = _method(np.take)
    trace = _method(np.trace)
    var = _method(np.var)
