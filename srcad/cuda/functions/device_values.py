"""What generated code sees in place of device arrays: objects that note down what is done to them.

A `DeviceValue` behaves as a NumPy array does, views and writes into views included, and computes nothing. It holds a
`Cell`, memory that may be written into, which knows the expression of what it holds now; a view reads through it.
Results of one element are numbers, as NumPy's are, and are never written into.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from srcad.cuda.functions import refused_operations as refused
from srcad.cuda.functions.array_expressions import Expression, Graph
from srcad.cuda.functions.element_functions import is_known
from srcad.cuda.functions.index_maps import Shape, View, broadcast, permuted, subscript, whole_view

MOST_ELEMENTS = 256  # single elements that one call may read and write


class NumpyFunctions(Protocol):
    """The functions of NumPy that device values have."""

    def called(self, recording: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        """A call of a function."""

    def called_ufunc(self, recording: Recording, ufunc: Any, method_name: str, inputs: Any, kwargs: Any) -> Any:
        """A call of a ufunc."""

    def method(self, of: DeviceValue, name: str) -> Any:
        """A method of arrays."""


class Recording:
    """The expressions of one call, and how numbers among them are had on the host."""

    def __init__(self, evaluate: Callable[[Recording, Expression], Any], library: NumpyFunctions) -> None:
        self.library = library
        self.graph = Graph()
        self.cells: weakref.WeakSet[Cell] = weakref.WeakSet()
        self.elements = 0
        self.needs_apart = False  # whether arguments must not share memory
        self._evaluate = evaluate

    def number_of(self, of: Expression) -> Any:
        """The value of an expression of one element, now."""
        return self._evaluate(self, of)

    def element_met(self) -> None:
        """Count an element that is read or written alone; refuse loops over them."""
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            raise refused.ELEMENT_LOOP.error(count=MOST_ELEMENTS)

    def value(self, of: Expression) -> DeviceValue:
        """A new array, or number, that holds an expression."""
        cell = Cell(of)
        self.cells.add(cell)
        return DeviceValue(self, cell, None, not of.shape)

    def expression(self, value: Any) -> Expression:
        """The expression of an operand: a device value or a number."""
        if isinstance(value, DeviceValue):
            return value.expression
        if isinstance(value, np.ndarray) and value.ndim and value.size == 1:
            return self.graph.broadcast(self.graph.constant(value.reshape(())[()]), value.shape)
        if isinstance(value, np.ndarray) and value.ndim:
            raise refused.HOST_ARRAY_MET.error(shape=value.shape)
        if isinstance(value, (bool, int, float, np.generic, np.ndarray)):
            return self.graph.constant(value[()] if isinstance(value, np.ndarray) else value)
        raise refused.NOT_FOR_ARRAYS.error(function="an operation", reason=f" and a {type(value).__name__}")

    def map(self, function: Any, *operands: Any) -> DeviceValue:
        """A function of elements."""
        found = [self.expression(each) for each in operands]
        made = self.graph.map(function, *found)
        constants = [each.data if each.op == "constant" else None for each in found]
        if not is_known(function, made.dtype, constants):
            raise refused.NOT_FOR_ARRAYS.error(function=name_of(function), reason=f" with results of {made.dtype}")
        return self.value(made)


class Cell:
    """Memory that may be written into: the expression of what it holds now."""

    def __init__(self, held: Expression) -> None:
        self.held = held
        self.uncertain: list[weakref.ref[DeviceValue]] = []  # reshaped parts, which may be copies or not


def name_of(function: Any) -> str:
    """A function as users write it."""
    name = str(getattr(function, "__name__", function))
    return f"np.{name}" if getattr(np, name, None) is function else name


class DeviceValue(np.lib.mixins.NDArrayOperatorsMixin):
    """An array in device memory, or a part of one, or a number computed from them."""

    def __init__(
        self, recording: Recording, cell: Cell, view: View | None, is_number: bool, parent: Any = None
    ) -> None:
        self.recording, self.cell, self.part, self.is_number = recording, cell, view, is_number
        self.parent: DeviceValue | None = parent  # of which this is a reshaped view
        self._shape: Shape | None = None

    @property
    def expression(self) -> Expression:
        """What it holds now."""
        if self.parent is not None:
            held = self.recording.graph.reshape(self.parent.expression, self._base_shape)
        else:
            held = self.cell.held
        return held if self.part is None else self.recording.graph.view(held, self.part)

    @property
    def _base_shape(self) -> Shape:
        return self._shape if self._shape is not None else self.cell.held.shape

    @property
    def shape(self) -> Shape:
        """Its shape."""
        return self.part.shape if self.part is not None else self._base_shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its dtype."""
        return self.cell.held.dtype

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of its elements."""
        return math.prod(self.shape)

    @property
    def T(self) -> DeviceValue:
        """With its axes in the opposite order."""
        return self.seen_as(permuted(self.shape, range(self.ndim)[::-1]))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __hash__(self) -> int:
        return id(self)

    def seen_as(self, view: View) -> DeviceValue:
        """A view of it, which shares its memory."""
        made = DeviceValue(self.recording, self.cell, view if self.part is None else self.part.then(view), False)
        made.parent, made._shape = self.parent, self._shape
        if any(each() is self for each in self.cell.uncertain):
            self.cell.uncertain.append(weakref.ref(made))
        return made

    def reshaped(self, shape: Shape) -> DeviceValue:
        """It in another shape: a view if it is the whole of an array; else writes are refused while it lives."""
        if self.is_number:
            return self.recording.value(self.recording.graph.reshape(self.expression, shape))
        made = DeviceValue(self.recording, self.cell, None, False, self)
        made._shape = shape
        if self.part is not None and not self.part.is_whole(self._base_shape):
            self.cell.uncertain.append(weakref.ref(made))
        return made

    def copy(self) -> DeviceValue:
        """A copy."""
        return self.recording.value(self.expression)

    def __getitem__(self, key: Any) -> DeviceValue:
        view = self._subscript(key)
        made = self.seen_as(view)
        if view.shape or any(each is Ellipsis for each in (key if isinstance(key, tuple) else (key,))):
            return made
        self.recording.element_met()
        return made.copy()  # NumPy gives a number

    def _subscript(self, key: Any) -> View:
        view = subscript(self.shape, key)
        if view is None:
            raise refused.GATHERED.error(what="an array of indices or a mask")
        return view

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, DeviceValue) and key.dtype == np.bool_ and key.shape == self.shape and np.ndim(value) == 0:
            self.write(np.where(key, value, self))
            return
        view = self._subscript(key)
        if not view.shape:
            self.recording.element_met()
        self.seen_as(view).write(value)

    def write(self, value: Any) -> None:
        """Overwrite all elements, of which each must be one of the array's own."""
        held = self.recording.expression(value)
        if not np.can_cast(held.dtype, self.dtype, "unsafe") or held.dtype.kind == "c":
            raise refused.CAST_IN_PLACE.error(found=held.dtype, dtype=self.dtype)
        surplus = len(held.shape) - self.ndim  # leading axes of one element are dropped, as NumPy does
        if surplus > 0 and held.shape[:surplus] == (1,) * surplus:
            held = self.recording.graph.reshape(held, held.shape[surplus:])
        broadcast(held.shape, self.shape)
        self._store(held)

    def _store(self, held: Expression) -> None:
        part = self.part if self.part is not None else whole_view(self._base_shape)
        if not part.reaches_once():
            raise refused.BROADCAST_WRITE.error()
        if any(each() is not None for each in self.cell.uncertain):
            raise refused.HIDDEN_ALIAS.error()
        graph = self.recording.graph
        if self.parent is None:
            self.cell.held = graph.update(self.cell.held, part, held)
        else:
            old = graph.reshape(self.parent.expression, self._base_shape)
            self.parent._store(graph.reshape(graph.update(old, part, held), self.parent.shape))

    def _in_place(self, function: Any, other: Any) -> DeviceValue:
        made = self.recording.map(function, self, other)
        if self.is_number:
            return made
        if not np.can_cast(made.dtype, self.dtype, "same_kind"):
            raise refused.CAST_IN_PLACE.error(found=made.dtype, dtype=self.dtype)
        if made.shape != self.shape:
            broadcast(made.shape, self.shape)
        self.write(made)
        return self

    def __iadd__(self, other: Any) -> DeviceValue:
        return self._in_place(np.add, other)

    def __isub__(self, other: Any) -> DeviceValue:
        return self._in_place(np.subtract, other)

    def __imul__(self, other: Any) -> DeviceValue:
        return self._in_place(np.multiply, other)

    def __itruediv__(self, other: Any) -> DeviceValue:
        return self._in_place(np.true_divide, other)

    def __ipow__(self, other: Any) -> DeviceValue:
        return self._in_place(np.power, other)

    def _number(self, what: str) -> Any:
        if self.size != 1:
            raise refused.WHOLE_ARRAY_READ.error(shape=self.shape, what=what)
        return self.recording.number_of(self.recording.graph.reshape(self.expression, ()))

    def __bool__(self) -> bool:
        return bool(self._number("a condition"))

    def __float__(self) -> float:
        return float(self._number("a number"))

    def __int__(self) -> int:
        return int(self._number("a number"))

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self._number("an index"))

    def item(self) -> Any:
        """The number that it holds, on the host."""
        return self._number("a number")[()].item()

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise refused.WHOLE_ARRAY_READ.error(shape=self.shape, what="an array")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return self.recording.library.called_ufunc(self.recording, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return self.recording.library.called(self.recording, function, args, kwargs)

    def __matmul__(self, other: Any) -> Any:
        return np.matmul(self, other)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.recording.library.method(self, name)
