"""`ArrayProtocols`: what tensors and variables have in common with arrays."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from srcad.errors import BadArgument
from srcad.runtime.tape.protocols.arithmetic import NO_KEYWORDS, Arithmetic, hook

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

    >>> import srcad
    >>> x = srcad.constant(1.0)
    >>> x.ref() == x.ref(), x.ref() == srcad.constant(1.0).ref(), x.ref().deref() is x
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


class ArrayProtocols(Arithmetic):
    """An array value that takes part in arithmetic, indexing and NumPy's functions.

    >>> import srcad
    >>> x = srcad.constant([1.0, 2.0, 3.0])
    >>> np.exp(x).shape, len(x), float(x[1])
    ((3,), 3, 2.0)
    """

    __slots__ = ()
    __array_priority__ = 1000.0

    def _array(self) -> Any:
        """The current value, an array or a NumPy scalar, which must not be changed."""
        raise NotImplementedError

    def _leave(self, how: str) -> Any:
        """The value, for a conversion to a plain number or array, which derivatives do not pass."""
        raise NotImplementedError

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

    def get_shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.shape

    # Python's protocols

    def ref(self) -> Reference:
        """A hashable key for this object."""
        return Reference(self)

    def item(self, *where: int) -> Any:
        """One element as a Python number."""
        return self._leave("item()").item(*where)

    def tolist(self) -> Any:
        """The value as nested lists of Python numbers."""
        return self._leave("tolist()").tolist()

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
        return float(self._leave("float()"))

    def __int__(self) -> int:
        return int(self._array())

    def __index__(self) -> int:
        return operator.index(self._array())

    def __complex__(self) -> complex:
        return complex(self._leave("complex()"))

    def __format__(self, specification: str) -> str:
        return format(self._array() if not self.shape else str(self), specification)

    # NumPy's protocols

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = np.asarray(self._leave("np.asarray()"))
        if copy or (dtype is not None and np.dtype(dtype) != array.dtype):
            if copy is False:
                raise BadArgument(
                    f"a {array.dtype} tensor is no {np.dtype(dtype)} array without a copy", hint="leave copy=False out"
                )
            converted: np.ndarray[Any, Any] = array.astype(array.dtype if dtype is None else dtype)
            return converted
        return read_only(array)

    def __array_ufunc__(self, ufunc: Any, method: str, *arguments: Any, **keywords: Any) -> Any:
        if method == "__call__":
            return hook.call(ufunc, arguments, keywords or NO_KEYWORDS)
        if method == "at" and isinstance(arguments[0], ArrayProtocols):
            raise BadArgument("`ufunc.at` cannot write to a tensor, which is read-only", hint="use where, or add")
        return hook.call(getattr(ufunc, method), arguments, keywords)

    def __array_function__(
        self, function: Any, types: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> Any:
        if function in _FACTS and len(arguments) == 1 and not keywords:
            return _FACTS[function](arguments[0])
        return hook.call(function, arguments, keywords)
