"""`Variable`: a named value that can be assigned, and that tapes watch automatically.

A variable keeps its identity when it is assigned, and returns its value as a tensor with that identity. Its gradient
therefore sums the contributions of all readings, each with the value that was read.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.errors import BadArgument, BadValue, TapeMisuse
from srcad.runtime import kernels
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.node import ReadNode
from srcad.runtime.tape.core.operand import Operand, Readable
from srcad.runtime.tape.core.tensor import Tensor, as_array, next_identity, tensor_of
from srcad.runtime.tape.protocols.arithmetic import call

_HOLDS = "convert it, or make the variable with a dtype that holds it"


class Variable(Readable):
    """A value that changes by assignment, such as a parameter of a model.

    initial_value   anything that becomes an array, or a function without arguments that returns it
    trainable       whether tapes watch it automatically when it is read

    An assignment never changes shape or dtype.

    >>> import srcad
    >>> w = srcad.Variable([1.0, 2.0], name="w")
    >>> w.assign_add([0.5, 0.5])
    <srcad.Variable 'w:0' shape=(2,) dtype=float64, numpy=array([1.5, 2.5])>
    """

    __slots__ = ("__weakref__", "_identity", "_name", "_tensor", "_trainable", "constraint")

    # Marks a variable for compiled functions that capture it.
    __srcad_variable__ = True

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        name: str | None = None,
        dtype: Any = None,
        constraint: Any = None,
        shape: Any = None,
    ) -> None:
        if initial_value is None:
            raise BadArgument("the initial_value of a Variable must be given", hint="give a number or an array")
        value = initial_value() if callable(initial_value) else initial_value
        value = value._array() if isinstance(value, Operand) else value
        array = as_array(value, dtype, copy=True)
        if shape is not None and array.shape != tuple(shape):
            what = f"the initial value's shape {array.shape} is not the given shape {tuple(shape)}"
            raise BadArgument(what, hint="leave the shape out")
        self._identity = next_identity()
        self._trainable = True if trainable is None else bool(trainable)
        self._name = f"{name or 'Variable'}:0"
        self.constraint = constraint
        self._hold(array)

    def _hold(self, array: np.ndarray[Any, Any]) -> None:
        """Take the array as the value, under this variable's identity. Tensors returned before keep their values."""
        tensor = tensor_of(array if array.ndim else array[()])
        tensor._identity = self._identity
        self._tensor = tensor

    def _array(self) -> Any:
        return self._tensor._value

    def _read(self) -> Tensor:
        """The value as a tensor with the variable's identity; active tapes are notified.

        If no tape follows the variable, the tensor gets another identity: a tape that watches the variable later does
        not follow this reading.
        """
        tapes, tensor = active.tapes, self._tensor
        if not tapes:
            return tensor
        is_followed = False
        for tape in tapes:
            tape.note_access(self)
            if tensor._identity in tape.known:
                is_followed = True
        return tensor if is_followed else tensor_of(tensor._value)

    def _original(self) -> Tensor:
        """The tensor that tapes know as this variable: its value before items were assigned."""
        if self._tensor._identity == self._identity:
            return self._tensor
        tensor = tensor_of(self._tensor._value)
        tensor._identity = self._identity
        return tensor

    def _reading(self) -> Any:
        """The node by which a tape treats the current value as the variable's own."""
        return ReadNode(self._original(), self._tensor)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign items. Tapes record it: later readings depend on the assigned value and on the items that were kept.

        Raises ValueError for a value of a dtype that does not fit.

        >>> import srcad
        >>> v = srcad.Variable([1.0, 2.0, 3.0])
        >>> v[1:] = 0.0
        >>> v.numpy()
        array([1., 0., 0.])
        """
        before = self._read()
        given = value._read() if isinstance(value, Readable) else value
        array = as_array(given._array() if isinstance(given, Tensor) else given, None, copy=False)
        if not np.can_cast(array.dtype, self.dtype, "same_kind"):
            raise BadArgument(
                f"a value of dtype {array.dtype} cannot be stored in a {self.dtype} variable", hint=_HOLDS
            )
        after = call(kernels.with_item, before, key, given if isinstance(given, Tensor) else array)
        if any(after._identity in tape.known for tape in active.tapes):
            self._tensor = after
        else:
            self._hold(after._value)

    @property
    def name(self) -> str:
        """The name given, with the `:0` that TensorFlow appends."""
        return self._name

    @property
    def trainable(self) -> bool:
        """Whether tapes watch this variable automatically when it is read."""
        return self._trainable

    def value(self) -> Tensor:
        """The current value as a new tensor, recorded as computed from this variable."""
        return call(operator.pos if self.dtype.kind in "iufc" else np.copy, self)  # type: ignore[no-any-return]

    read_value = value

    def numpy(self) -> Any:
        """The value as a new NumPy array, which may be changed; a NumPy scalar if there are no axes."""
        self._read()
        return super().numpy()

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replace the value; returns the variable, or None with `read_value=False`.

        Calls that a tape has recorded keep the old value. Raises ValueError if the value has another shape, or is a
        tensor of another dtype.

        >>> import srcad
        >>> v = srcad.Variable(1.0)
        >>> v.assign(3).numpy()
        np.float64(3.0)
        """
        self._hold(self._matching(value).copy())
        self._read()
        return self if read_value else None

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Add to the value; returns the variable, or None with `read_value=False`."""
        return self.assign(np.asarray(self._array() + self._matching(delta)), read_value=read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Subtract from the value; returns the variable, or None with `read_value=False`."""
        return self.assign(np.asarray(self._array() - self._matching(delta)), read_value=read_value)

    def scatter_add(self, sparse_delta: Any) -> Variable:
        """Add the rows of an `IndexedSlices` at their indices; returns the variable.

        >>> import srcad
        >>> srcad.Variable([1.0, 2.0]).scatter_add(srcad.IndexedSlices([0.5, 0.5], [1, 1])).numpy()
        array([1., 3.])
        """
        return self._scattered(np.add, sparse_delta)

    def scatter_sub(self, sparse_delta: Any) -> Variable:
        """Subtract the rows of an `IndexedSlices` at their indices; returns the variable."""
        return self._scattered(np.subtract, sparse_delta)

    def scatter_update(self, sparse_delta: Any) -> Variable:
        """Replace the rows at the indices of an `IndexedSlices`; returns the variable."""
        array = np.array(self._array())
        array[sparse_delta.indices._array()] = sparse_delta.values._array()
        return self.assign(array)  # type: ignore[no-any-return]

    def _scattered(self, ufunc: Any, sparse_delta: Any) -> Variable:
        array = np.array(self._array())
        ufunc.at(array, sparse_delta.indices._array(), sparse_delta.values._array())
        return self.assign(array)  # type: ignore[no-any-return]

    def _matching(self, value: Any) -> np.ndarray[Any, Any]:
        if isinstance(value, Operand):
            if value.dtype != self.dtype:
                what = f"Tensor conversion requested dtype {self.dtype} for {value!r}"
                raise BadArgument(what, hint=f"write .astype({str(self.dtype)!r})")
            value = value._read()._array()
        array = as_array(value, None, copy=False)
        if not np.can_cast(array.dtype, self.dtype, "same_kind"):
            raise BadValue(f"a value of dtype {array.dtype} cannot be assigned to a {self.dtype} variable", hint=_HOLDS)
        if array.shape != self.shape:
            raise BadArgument(
                f"Cannot assign value to variable '{self.name}': "
                f"the variable shape {self.shape} and the assigned value shape {array.shape} are incompatible",
                hint="make another variable for values of another shape",
            )
        return array.astype(self.dtype, copy=False)

    def _refuse_in_place(self, other: Any) -> Any:
        raise TapeMisuse(
            "`variable += value` and its like are not supported",
            hint="`variable.assign_add(value)` changes the variable, `out = variable + value` makes a new tensor",
        )

    __iadd__ = __isub__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = __imatmul__ = _refuse_in_place

    def __repr__(self) -> str:
        value = self._array() if self.shape else self._array().item()
        return f"<srcad.Variable {self.name!r} shape={self.shape} dtype={self.dtype}, numpy={value!r}>"

    def __copy__(self) -> Variable:
        return self

    def __reduce__(self) -> Any:
        # What is unpickled, or copied deeply, has an identity of its own.
        return _restored, (np.asarray(self._array()), self._trainable, self._name, self.constraint)


def _restored(value: Any, trainable: bool, name: str, constraint: Any) -> Variable:
    return Variable(value, trainable, name.removesuffix(":0"), constraint=constraint)
