"""Arrays with labels, of pandas and xarray, as arguments: their arrays are differentiated, gradients get their labels.

    srcad.grad(lambda s: np.sum(s.to_numpy() ** 2))(pd.Series([1.0, 2.0], index=["a", "b"]))      a Series of 2.0, 4.0

Inside the function an argument is an object of one of the classes below, which have what means the same with labels and
without. Arithmetic with labelled arrays aligns labels and leaves out missing values, so it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from srcad.runtime.rulebook.registry import inlined
from srcad.runtime.rulebook.theorems import NoRule
from srcad.transforms.ir.pytree_form import LEAF, Added, Form

MIXED = NoRule("a table whose columns are not all numbers of one kind, as one array", "choose columns: table['name']")


@inlined
class Table:
    """What all labelled arrays of one dtype have."""

    values: Any

    def to_numpy(self) -> Any:
        """The array."""
        return self.values

    def __array__(self) -> Any:
        return self.values

    def __len__(self) -> Any:
        return self.values.shape[0]

    @property
    def shape(self) -> Any:
        """The shape."""
        return self.values.shape


@inlined
class Series(Table):
    """One column, or any array with labels: `pandas.Series`."""

    def __init__(self, values: Any) -> None:
        self.values = values

    @property
    def size(self) -> Any:
        """The number of elements."""
        return self.values.size

    @property
    def ndim(self) -> Any:
        """The number of axes."""
        return self.values.ndim


@inlined
class DataArray(Series):
    """An array with labels: `xarray.DataArray`."""

    @property
    def data(self) -> Any:
        """The array."""
        return self.values


@inlined
class DataFrame(Table):
    """Columns of one type, side by side: `pandas.DataFrame`. `places` has the number of each column."""

    def __init__(self, values: Any, places: Any) -> None:
        self.values = values
        self.places = places

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, list):
            chosen = [self.values[:, self.places[each]] for each in key]
            return DataFrame(np.stack(chosen, axis=1), {each: place for place, each in enumerate(key)})
        return Series(self.values[:, self.places[key]])


@inlined
class Mixed:
    """Columns of several types: `pandas.DataFrame`. `columns` has those that are numbers."""

    def __init__(self, columns: Any) -> None:
        self.columns_of = columns

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, list):
            chosen = [self.columns_of[each] for each in key]
            return DataFrame(np.stack(chosen, axis=1), {each: place for place, each in enumerate(key)})
        return Series(self.columns_of[key])

    @property
    def values(self) -> Any:
        """The array, which pandas makes of Python's objects if there are texts."""
        return MIXED()

    def to_numpy(self) -> Any:
        """The same."""
        return MIXED()

    def __array__(self) -> Any:
        return MIXED()


class Kind(NamedTuple):
    """A class of labelled arrays: its stand-in, the arrays of an object, how to label others, when labels are equal."""

    stand_in: type
    again: Callable[[Any, Any], Any]
    fits: Callable[[Any, Any], bool]


@dataclass(frozen=True)
class Labels:
    """What is known of a labelled array while compiling; `of` is the object, which has the labels.

    columns     the names of columns; None for one array
    """

    kind: str
    columns: tuple[Any, ...] | None
    is_mixed: bool
    of: Any = field(compare=False)

    @property
    def form(self) -> Form:
        """The form that lowering uses."""
        if self.columns is None:
            return Form(KINDS[self.kind].stand_in, ("values",), (LEAF,))
        if self.is_mixed:
            columns = Form(dict, self.columns, (LEAF,) * len(self.columns))
            return Form(Mixed, ("columns_of",), (columns,))
        places = Form(dict, self.columns, tuple(map(Added, range(len(self.columns)))))
        return Form(DataFrame, ("values", "places"), (LEAF, places))

    def fits(self, other: Labels) -> bool:
        """Whether another array has the same labels in the same order."""
        return self == other and KINDS[self.kind].fits(self.of, other.of)


@dataclass(frozen=True)
class Labelled:
    """A labelled array as arrays."""

    layout: Labels
    parts: tuple[Any, ...]


def labelled(value: Any) -> Labelled:
    """The arrays of a labelled array, all copies."""
    kind = type(value).__name__
    if kind != "DataFrame":
        return Labelled(Labels(kind, None, False, value), (_copy(value),))
    is_unique = value.columns.is_unique
    columns = {name: _copy(value[name]) for name in value.columns} if is_unique else {}
    if len(set(value.dtypes)) == 1:
        return Labelled(Labels(kind, tuple(columns), False, value), (_copy(value.to_numpy()),))
    numbers = {name: each for name, each in columns.items() if each.ndim == 1 and each.dtype.kind in "fciub"}
    return Labelled(Labels(kind, tuple(numbers), True, value), tuple(numbers.values()))


def _copy(value: Any) -> Any:
    return np.array(np.asarray(value), order="C")


def put_together(layout: Labels, parts: Sequence[Any]) -> Any:
    """A labelled array with other contents, without the columns that are None. Arrays of other shapes get no labels."""
    found = [each for each in parts if each is not None]
    if layout.is_mixed:
        assert layout.columns is not None
        names = [name for name, each in zip(layout.columns, parts, strict=True) if each is not None]
        if any(np.shape(each) != (len(layout.of),) for each in found):
            return dict(zip(names, found, strict=True))
        return type(layout.of)(dict(zip(names, found, strict=True)), index=layout.of.index, columns=names)
    if not found:
        return None
    return KINDS[layout.kind].again(found[0], layout.of) if np.shape(found[0]) == layout.of.shape else found[0]


KINDS = {
    "Series": Kind(
        Series,
        lambda values, of: type(of)(values, index=of.index, name=of.name),
        lambda one, other: one.index.equals(other.index),
    ),
    "DataFrame": Kind(
        DataFrame,
        lambda values, of: type(of)(values, index=of.index, columns=of.columns),
        lambda one, other: one.index.equals(other.index) and one.columns.equals(other.columns),
    ),
    "DataArray": Kind(
        DataArray,
        lambda values, of: of.copy(data=values),
        lambda one, other: one.dims == other.dims and one.coords.equals(other.coords),
    ),
}


def labels_in(spec: Any) -> Iterator[Labels]:
    """The labels of labelled arrays in a specification of optree's."""
    if spec.is_leaf():
        return
    if spec.type is Labelled:
        yield spec.entries()[0]
        return
    for child in spec.children():
        yield from labels_in(child)
