"""Flatten structured arguments (pytrees) with optree: tuples, lists, dictionaries, dataclasses, plain objects.

The children of an object are its attributes. A user's class is registered with optree, in srcad's own namespace, when
its first object is seen. Dictionaries keep the order of their keys, since a function may loop over them.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
from collections.abc import Container, Iterator
from typing import Any

import numpy as np

from srcad.refusals.memory import RECORDS_OVERLAP
from srcad.refusals.types_and_results import ARGUMENT_HOLDS, DICTIONARY_KEYS
from srcad.runtime.support.labelled_kinds import is_labelled, module_of
from srcad.runtime.support.record_fields import Records, is_records, put_together, records_of
from srcad.runtime.support.structured_arguments import (
    Constants,
    Frozen,
    attributes,
    is_object,
    is_structured,
    is_typed_list,
    level_of,
)
from srcad.runtime.tape.core.operand import Operand
from srcad.transforms.ir.cost_model import LONGEST_TAKEN_APART
from srcad.transforms.ir.pytree_form import LEAF, Fixed, Form, Part, RecordForm, assembled
from srcad.transforms.lowering.structures.list_packing import (
    Column,
    Layout,
    Long,
    LongForm,
    column_of,
    share_memory,
    unpacked,
)

NAMESPACE = "srcad"
_GENERATORS = (np.random.Generator, np.random.RandomState)
_NUMBERS = frozenset((float, int, complex, bool, np.ndarray))
_PACKED = _NUMBERS | {np.float64, np.float32}
_known: set[type] = set()
_settings = contextlib.ExitStack()


@functools.cache
def _optree() -> Any:
    """The library optree, imported with the first structured argument: plain arguments do not need it."""
    import optree

    # The order of a dictionary's keys is part of its form: a setting of the namespace, undone when the process ends.
    atexit.register(_settings.close)
    _settings.enter_context(optree.dict_insertion_ordered(True, namespace=NAMESPACE))
    parts = ("func", "args", "keywords")
    optree.register_pytree_node(
        functools.partial,
        lambda value: (tuple(getattr(value, name) for name in parts), None, parts),
        lambda _, held: assembled(functools.partial, parts, list(held)),
        namespace=NAMESPACE,
    )
    optree.register_pytree_node(
        Records,
        lambda value: (value.parts, value.layout, (value.layout,) * len(value.parts)),
        put_together,
        namespace=NAMESPACE,
    )
    optree.register_pytree_node(
        Long,
        lambda value: (value.parts, value.layout, (value.layout,) * len(value.parts)),
        _unpacked,
        namespace=NAMESPACE,
    )
    return optree


@functools.cache
def _labelled_arrays() -> Any:
    """The module about labelled arrays, imported with the first of them."""
    from srcad.api import labelled_arrays

    _optree().register_pytree_node(
        labelled_arrays.Labelled,
        lambda value: (value.parts, value.layout, (value.layout,) * len(value.parts)),
        labelled_arrays.put_together,
        namespace=NAMESPACE,
    )
    return labelled_arrays


def labels_in(spec: Any) -> list[Any]:
    """The labels of labelled arrays in a specification."""
    is_loaded = _labelled_arrays.cache_info().currsize > 0
    return [*_labelled_arrays().labels_in(spec)] if is_loaded else []


def _with_arrays_of_labelled(data: Any) -> Any:
    """The data with labelled arrays as arrays with their labels apart."""
    labelled = _labelled_arrays().labelled

    def replaced(value: Any) -> Any:
        return labelled(value) if is_labelled(type(value)) else value

    return _optree().tree_map(replaced, data, none_is_leaf=True, namespace=NAMESPACE)


def take_apart(data: Any) -> tuple[list[Any], Any]:
    """The leaves of `data`, None included, and optree's specification of the structure, which is hashable."""
    while True:
        leaves, spec = taken_apart(data)
        unknown = {type(leaf) for leaf in leaves}.union(_kinds_of_nodes(spec)) - _NUMBERS - _known
        if unknown:
            from srcad.driver.refused_arguments import refuse_on_device  # late import: few classes are unknown

            refuse_on_device(leaf for leaf in leaves if type(leaf) in unknown)
        objects = [kind for kind in unknown if is_object(kind) or is_typed_list(kind)]
        _known.update(unknown)
        if not objects:
            return leaves, spec
        for kind in objects:
            _register(kind)


def _kinds_of_nodes(spec: Any) -> Iterator[Any]:
    """The classes of structures, of optree's own kinds and of those that users have registered with it everywhere.

    The children of the latter are not always the attributes, which are what functions read.
    """
    if not spec.is_leaf() and spec.type is not None:
        yield spec.type
        for child in spec.children():
            yield from _kinds_of_nodes(child)


def taken_apart(data: Any) -> tuple[list[Any], Any]:
    """`take_apart` that registers no classes: objects of classes not yet registered are leaves."""
    found = flattened(data)
    if any(map(is_labelled, map(type, found[0]))):
        data = _with_arrays_of_labelled(data)
        found = flattened(data)
    if any(map(is_records, found[0])):
        data = _with_fields(data, found[0])
        found = flattened(data)
    return flattened(_with_arrays(data, found[0])) if len(found[0]) > LONGEST_TAKEN_APART else found


def arrays_in(data: Any) -> list[Any]:
    """The arrays and records among the leaves; lists are not packed."""
    found = flattened(data)[0]
    if any(map(is_labelled, map(type, found))):
        found = [np.asarray(each) if is_labelled(type(each)) else each for each in found]
    return [leaf for leaf in found if isinstance(leaf, (np.ndarray, np.void))]


def leaves_of(arguments: tuple[Any, ...]) -> list[Any]:
    """The leaves of arguments, for which no library is loaded where none of them is a structure."""
    return take_apart(arguments)[0] if any(map(is_structured, arguments)) else list(arguments)


def flattened(data: Any) -> tuple[list[Any], Any]:
    """The leaves and the specification, without converting records and long lists to arrays."""
    found: tuple[list[Any], Any] = _optree().tree_flatten(data, none_is_leaf=True, namespace=NAMESPACE)
    return found


def _with_fields(data: Any, leaves: list[Any]) -> Any:
    """The data with records as arrays. Raises MayOverlap if they share memory with another argument."""
    if share_memory(leaves):
        raise RECORDS_OVERLAP.error()

    def replaced(value: Any) -> Any:
        return (records_of(value) or value) if is_records(value) else value

    return _optree().tree_map(replaced, data, none_is_leaf=True, namespace=NAMESPACE)


def _with_arrays(data: Any, leaves: list[Any]) -> Any:
    """The data with long lists packed into arrays. Unchanged if arrays in it overlap: one write would change two."""

    def replaced(value: Any) -> Any:
        return (_packed(value) or value) if _is_long(value) else value

    if not any(type(leaf) in _PACKED for leaf in leaves) or share_memory(leaves):
        return data
    return _optree().tree_map(replaced, data, is_leaf=_is_long, none_is_leaf=True, namespace=NAMESPACE)


def _is_long(value: Any) -> bool:
    return (type(value) is list or is_typed_list(type(value))) and len(value) > LONGEST_TAKEN_APART


def _packed(values: Any) -> Long | None:
    """A list packed into arrays, if its elements have one form, and one kind of leaf at each place; else None."""
    kind, values = type(values), list(values)
    taken = [flattened(each) for each in values] if type(values[0]) not in _PACKED else [([v], None) for v in values]
    specs = {spec for _, spec in taken}
    if len(specs) > 1 or not taken[0][0]:
        return None
    columns: list[Column] = []
    parts: list[Any] = [len(values)]
    for leaves in zip(*(found for found, _ in taken), strict=True):
        made = column_of(leaves)
        if made is None:
            return None
        columns.append(made[0])
        parts += made[1]
    spec = specs.pop()
    element = LEAF if spec is None else form_of(spec, iter(taken[0][0]), "list")
    return Long(Layout(kind, element, tuple(columns)), tuple(parts))


def _unpacked(layout: Layout, parts: Any) -> Any:
    elements = unpacked(layout, parts)
    if layout.kind is list or any(parts[1:][k] is None for k in range(len(parts) - 1)):
        return elements
    return layout.kind(elements)


def _register(kind: type) -> None:
    if is_typed_list(kind):
        _optree().register_pytree_node(
            kind,
            lambda value: (tuple(value), None, tuple(range(len(value)))),
            lambda _, held: list(held) if any(each is None for each in held) else kind(list(held)),
            namespace=NAMESPACE,
        )
        return

    def children(value: Any) -> Any:
        names = attributes(value)
        return tuple(getattr(value, name) for name in names), names, names

    def again(names: Any, parts: Any) -> Any:
        return assembled(kind, names, list(parts))

    with contextlib.suppress(ValueError):  # a user has registered it in this namespace
        _optree().register_pytree_node(kind, children, again, namespace=NAMESPACE)


def is_leaf(value: Any) -> bool:
    """Whether a leaf is a number or an array, not a compile-time constant."""
    kind = type(value)
    if kind in _NUMBERS or isinstance(value, (np.ndarray, np.generic, *_GENERATORS, Operand)):
        return not (isinstance(value, np.generic) and value.dtype.kind in "USO")
    return module_of(kind).partition(".")[0] == "numba" and not callable(value)


def more_constants(function: Any, arguments: tuple[Any, ...], level: Constants) -> Constants | None:
    """The next level at which more of the arguments are compile-time constants, if there is one.

    >>> more_constants(abs, (1.0, 3, "tanh"), Constants.NAMES)
    <Constants.INTEGERS: 2>
    """
    if hasattr(type(function), "__srcad_keeps__"):
        return None  # a function of leaves, whose constants have been taken out
    return min((higher for each in leaves_of(arguments) if (higher := level_of(each)) > level), default=None)


def with_integers(leaves: list[Any], spec: Any, kept: Container[int]) -> list[Any]:
    """The leaves with integers and booleans as compile-time constants, except the leaves at the places in `kept`.

    The length of a long list stays a number, as the elements of arrays do.
    """
    single = _single_leaves(spec)
    return [
        Frozen(leaf) if is_single and type(leaf) in (int, bool) and place not in kept else leaf
        for place, (leaf, is_single) in enumerate(zip(leaves, single, strict=True))
    ]


def _single_leaves(spec: Any) -> Iterator[bool]:
    """For each leaf, whether it is a leaf of the user's structure, not a part of a packed list or of records."""
    if spec.is_leaf():
        yield True
    elif spec.type in (Long, Records):
        yield from [False] * spec.num_leaves
    else:
        for child in spec.children():
            yield from _single_leaves(child)


def form_of(spec: Any, leaves: Iterator[Any], name: str) -> Part:
    """The form that lowering uses for a structure taken apart by optree. Raises NotDifferentiable if it has none."""
    from srcad.transforms.ir.canonical_names import literal  # late import: it loads all kernels

    if spec.is_leaf():
        value = next(leaves)
        return LEAF if is_leaf(value) else Fixed(value.value if isinstance(value, Frozen) else value)
    if spec.type is Long:
        any(next(leaves) is None for _ in spec.children())
        return LongForm.of(spec.entries()[0])
    if spec.type.__name__ == "Labelled" and (labels := labels_in(spec)):
        any(next(leaves) is None for _ in spec.children())
        form: Form = labels[0].form
        return form
    if spec.type is Records:
        any(next(leaves) is None for _ in spec.children())
        return RecordForm.of(spec.entries()[0])
    keys, kind = tuple(spec.entries()), list if is_typed_list(spec.type) else spec.type
    known = issubclass(kind, (tuple, list, dict)) or is_object(kind) or kind is functools.partial
    if not known or kind.__name__ == "deque":
        raise ARGUMENT_HOLDS.error(name=name, type=kind.__name__)
    if issubclass(kind, dict) and any(literal(key) is None for key in keys):
        raise DICTIONARY_KEYS.error(name=name)
    return Form(kind, keys, tuple(form_of(child, leaves, name) for child in spec.children()))
