"""`Operand`, the common base of `Tensor` and `Variable`: a value with NumPy's and Python's protocols."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from srcad.errors import BadArgument, CompilerBug
from srcad.refusals.tapes import LEAVES_TAPE
from srcad.runtime.tape.active_recordings import active
from srcad.runtime.tape.values.arithmetic import Arithmetic
from srcad.runtime.tape.values.untracked_conversions import refuse_or_warn

_REDUCTIONS: Mapping[tuple[Any, str], Any] = {
    (np.add, "reduce"): np.sum,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "reduce"): np.prod,
    (np.multiply, "accumulate"): np.cumprod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
}


# Functions that need no computation.
_FACTS: Mapping[Any, Any] = {
    np.shape: operator.attrgetter("shape"),
    np.ndim: operator.attrgetter("ndim"),
    np.size: operator.attrgetter("size"),
}


def read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A read-only view.

    >>> read_only(np.zeros(1)).flags.writeable
    False
    """
    view: np.ndarray[Any, Any] = array.view()
    view.flags.writeable = False
    return view


class Reference:
    """A hashable key for one tensor or variable.

    >>> from srcad.runtime.tape.values.tensor import constant
    >>> x = constant(1.0)
    >>> x.ref() == x.ref(), x.ref() == constant(1.0).ref(), x.ref().deref() is x
    (True, False, True)
    """

    __slots__ = ("_referent",)

    def __init__(self, referent: Any) -> None:
        self._referent = referent

    def deref(self) -> Any:
        """The tensor or variable itself."""
        return self._referent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and other._referent is self._referent

    def __hash__(self) -> int:
        return id(self._referent)

    def __repr__(self) -> str:
        return f"<Reference to {self._referent!r}>"


class Operand(Arithmetic):
    """An array value that takes part in arithmetic, indexing and NumPy's functions.

    >>> from srcad.runtime.tape.values.tensor import constant
    >>> x = constant([1.0, 2.0, 3.0])
    >>> np.exp(x).shape, len(x), float(x[1])
    ((3,), 3, 2.0)
    """

    __slots__ = ()
    __array_priority__ = 1000.0

    _identity: int

    def _read(self) -> Any:
        """The tensor that this operand is, or stands for; active tapes are notified."""
        return self

    def _array(self) -> Any:
        """The current value, an array or a NumPy scalar, which must not be changed."""
        raise NotImplementedError

    # Facts of the value

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._array().shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self._array().dtype  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._array().ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._array().size  # type: ignore[no-any-return]

    def numpy(self) -> Any:
        """The value as a new NumPy array, which may be changed; a NumPy scalar if there are no axes.

        >>> from srcad.runtime.tape.values.tensor import constant
        >>> constant([1, 2]).numpy()
        array([1, 2])
        """
        value = self._array()
        self._note("numpy()")
        return value.copy() if isinstance(value, np.ndarray) and value.ndim else value[()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if active.live_sweeps and active.who_know([self._identity]):
            raise CompilerBug(
                "a derivative rule has made an array of a tensor that an outer tape follows, which cuts the gradient",
                hint="in rules and kernels, np.array and np.asarray must not be applied to operands",
            )
        if active.tapes and active.who_know([self._read()._identity]):
            refuse_or_warn(sys._getframe(1))
        array = np.asarray(self._cut("np.asarray()"))
        if copy or (dtype is not None and np.dtype(dtype) != array.dtype):
            if copy is False:
                raise BadArgument(f"a {array.dtype} tensor is no {np.dtype(dtype)} array without a copy")
            converted: np.ndarray[Any, Any] = array.astype(array.dtype if dtype is None else dtype)
            return converted
        return read_only(array)

    def item(self, *where: int) -> Any:
        """One element as a Python number."""
        return self._cut("item()").item(*where)

    def tolist(self) -> Any:
        """The value as nested lists of Python numbers."""
        return self._cut("tolist()").tolist()

    def _note(self, how: str) -> None:
        """Tell the tapes that follow this operand that it is converted to a plain number or array."""
        for tape in active.tapes:
            if self._identity in tape.known:
                tape.conversions[self._identity] = how

    def _cut(self, how: str) -> Any:
        """The value, for a conversion that cuts the gradient; refused in a compiled function's run for a derivative."""
        if active.reruns and active.who_know([self._identity]):
            raise LEAVES_TAPE.error(how=how)
        if active.tapes:
            self._note(how)
        return self._array()

    def ref(self) -> Reference:
        """A hashable key for this object."""
        return Reference(self)

    def get_shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.shape

    # Python's protocols

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("Scalar tensor has no `len()`")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("Cannot iterate over a scalar tensor.")
        return (self[index] for index in range(self.shape[0]))

    def __bool__(self) -> bool:
        return bool(self._array()) if self.size else False  # an empty tensor is false, as in TensorFlow

    def __float__(self) -> float:
        return float(self._cut("float()"))

    def __int__(self) -> int:
        return int(self._array())

    def __index__(self) -> int:
        return operator.index(self._array())

    def __complex__(self) -> complex:
        return complex(self._cut("complex()"))

    def __format__(self, specification: str) -> str:
        return format(self._array() if not self.shape else str(self), specification)

    # NumPy's protocols

    def __array_ufunc__(self, ufunc: Any, method: str, *arguments: Any, **keywords: Any) -> Any:
        if method == "__call__":
            return self._apply(ufunc, arguments, keywords)
        if method == "at" and isinstance(arguments[0], Operand):
            raise BadArgument("`ufunc.at` cannot write to a tensor, which is read-only", hint="use where, or add")
        function = _REDUCTIONS.get((ufunc, method))
        if function is None:
            return self._apply(getattr(ufunc, method), arguments, keywords)
        # NumPy's functions reduce all axes by default, the methods of ufuncs the first axis.
        given = arguments if len(arguments) > 1 or "axis" in keywords else (*arguments, 0)
        return self._apply(function, given, keywords)

    def __array_function__(
        self, function: Any, types: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> Any:
        if function in _FACTS and len(arguments) == 1 and not keywords:
            return _FACTS[function](arguments[0])
        return self._apply(function, arguments, keywords)


class Readable(Operand):
    """An operand that is not a tensor itself, but is replaced by one in an operation."""

    __slots__ = ()

    def _read(self) -> Any:
        """The tensor; active tapes are notified."""
        raise NotImplementedError
