"""Operators and NumPy's array methods for tensors and variables, each as a call of one primitive.

    x * 2.0     is `operator.mul` of (x, 2.0)          x.sum(axis=0)     is `np.sum` of (x,) with axis=0

`hook.call` computes and records such a call. `srcad.runtime.tape.recording.dispatch` fills it in when it is imported.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcad.errors import BadIndex

NO_KEYWORDS: Mapping[str, Any] = {}


class Hook:
    """What computes and records the call of a primitive on operands."""

    __slots__ = ("call",)

    call: Callable[..., Any]  # of a primitive, its arguments and its keywords


hook = Hook()


def call(primitive: Any, *arguments: Any, **keywords: Any) -> Any:
    """A primitive of operands, computed and recorded."""
    return hook.call(primitive, arguments, keywords)


def _unary(primitive: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda self: hook.call(primitive, (self,), NO_KEYWORDS)


def _binary(primitive: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: hook.call(primitive, (self, other), NO_KEYWORDS)


def _reflected(primitive: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: hook.call(primitive, (other, self), NO_KEYWORDS)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that calls a NumPy function with the operand as its first argument."""

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        return hook.call(function, (self, *arguments), keywords)

    method.__name__ = function.__name__
    method.__doc__ = f"`np.{function.__name__}` of this operand."
    return method


def _as_shape(lengths: tuple[Any, ...]) -> Any:
    """`x.reshape(2, 3)` means `x.reshape((2, 3))`; likewise the axes of `transpose`."""
    return lengths[0] if len(lengths) == 1 else lengths


class Arithmetic:
    """Operators, indexing and array methods of an operand.

    >>> import srcad
    >>> x = srcad.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> (2.0 * x[:, 0] + x.T @ x.sum(axis=0)).tolist()
    [24.0, 38.0]
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]  # `==` is elementwise; `.ref()` is a key

    __add__, __radd__ = _binary(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _binary(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _binary(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _binary(operator.truediv), _reflected(operator.truediv)
    __floordiv__, __rfloordiv__ = _binary(operator.floordiv), _reflected(operator.floordiv)
    __mod__, __rmod__ = _binary(operator.mod), _reflected(operator.mod)
    __pow__, __rpow__ = _binary(operator.pow), _reflected(operator.pow)
    __matmul__, __rmatmul__ = _binary(operator.matmul), _reflected(operator.matmul)
    __and__, __rand__ = _binary(operator.and_), _reflected(operator.and_)
    __or__, __ror__ = _binary(operator.or_), _reflected(operator.or_)
    __xor__, __rxor__ = _binary(operator.xor), _reflected(operator.xor)
    __lt__, __le__ = _binary(operator.lt), _binary(operator.le)
    __gt__, __ge__ = _binary(operator.gt), _binary(operator.ge)
    __neg__, __pos__ = _unary(operator.neg), _unary(operator.pos)
    __abs__, __invert__ = _unary(operator.abs), _unary(operator.invert)

    def __getitem__(self, key: Any) -> Any:
        try:
            return hook.call(operator.getitem, (self, key), NO_KEYWORDS)
        except IndexError as error:
            if "only integers" in str(error):  # a wrong type: the error is that of TensorFlow
                raise BadIndex(str(error), hint="index with integers, slices or arrays of them") from None
            raise

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __eq__(self, other: Any) -> Any:
        return False if other is None else call(operator.eq, self, other)

    def __ne__(self, other: Any) -> Any:
        return True if other is None else call(operator.ne, self, other)

    def reshape(self, *shape: Any, **keywords: Any) -> Any:
        """`np.reshape` of this operand; the lengths as a tuple or one by one."""
        return call(np.reshape, self, _as_shape(shape), **keywords)

    def transpose(self, *axes: Any) -> Any:
        """`np.transpose` of this operand; the axes as a tuple or one by one."""
        return call(np.transpose, self, _as_shape(axes)) if axes else call(np.transpose, self)

    def flatten(self, *order: Any) -> Any:
        """All elements along one axis."""
        return call(np.ravel, self, *order)

    def astype(self, dtype: Any) -> Any:
        """The elements converted to another type."""
        return call(np.astype, self, np.dtype(dtype))

    T = property(_method(np.transpose), doc="The axes in reverse order.")
    mT = property(_method(np.matrix_transpose), doc="The last two axes exchanged.")  # noqa: N815 - NumPy's name
    real = property(_method(np.real), doc="The real parts.")
    imag = property(_method(np.imag), doc="The imaginary parts.")

    all, any = _method(np.all), _method(np.any)
    argmax, argmin, argsort = _method(np.argmax), _method(np.argmin), _method(np.argsort)
    clip, round = _method(np.clip), _method(np.round)
    conj = conjugate = _method(np.conj)
    copy, ravel, repeat = _method(np.copy), _method(np.ravel), _method(np.repeat)
    cumprod, cumsum = _method(np.cumprod), _method(np.cumsum)
    diagonal, trace = _method(np.diagonal), _method(np.trace)
    dot = _method(np.dot)
    max, min, mean = _method(np.max), _method(np.min), _method(np.mean)
    nonzero, take = _method(np.nonzero), _method(np.take)
    prod, sum = _method(np.prod), _method(np.sum)
    squeeze, swapaxes = _method(np.squeeze), _method(np.swapaxes)
    std, var = _method(np.std), _method(np.var)
