"""Abstract state of lowering: which variables are structures, their contents, and which variables are constants.

A structure (a tuple, a list, a dictionary, an object with attributes) exists only during lowering. Its parts become
variables of their own (scalar replacement of aggregates), so that core form only has numbers and arrays:

    p = {"w": w, "b": b}
    return x @ p["w"] + p["b"]          becomes         return x @ w + b

A `Cell` is the identity of a structure, so that two names for one list see each other's changes. A `Memory` has the
contents of each cell at the current point of the program.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import gast

from srcad.transforms.ir.array_functions import RETURNS_ONE
from srcad.transforms.ir.build import dotted_path
from srcad.transforms.ir.constant_conditions import UNKNOWN, computed
from srcad.transforms.ir.primitive import constant, is_atom
from srcad.transforms.ir.pytree_form import LEAF
from srcad.transforms.lowering.structures.array_extents import Extent, Known, count_of, extent_of


@dataclass(frozen=True, eq=False)
class Cell:
    """The identity of one structure, its run-time class, and the captured object that it comes from, if any.

    role        the class in Python, if that is one of `collections`: a deque is a list here, a Counter a dictionary
    limit       the most elements of a deque
    missing     what a dictionary with this role calls for the value of a key that it does not have
    """

    type: type
    origin: int | None = None
    role: Any = None
    limit: int | None = None
    missing: Any = None

    @property
    def kind(self) -> Any:
        """Its class in Python."""
        return self.role or self.type

    @property
    def is_sequence(self) -> bool:
        """Whether its keys are positions: a tuple, a named tuple or a list."""
        return issubclass(self.type, (tuple, list))

    @property
    def is_mapping(self) -> bool:
        """Whether it is a dictionary."""
        return issubclass(self.type, dict)

    @property
    def is_set(self) -> bool:
        """Whether it is a set, whose keys are its elements."""
        return issubclass(self.type, (set, frozenset))

    @property
    def is_container(self) -> bool:
        """Whether it is a tuple, list, dictionary or set, not an object with attributes."""
        return self.is_sequence or self.is_mapping or self.is_set

    @property
    def is_mutable(self) -> bool:
        """Whether its parts can be changed."""
        return not issubclass(self.type, (tuple, frozenset))

    def alike(self) -> Cell:
        """Another cell of the same kind."""
        return Cell(self.type, role=self.role, limit=self.limit, missing=self.missing)

    def is_captured_as(self, other: Cell) -> bool:
        """Whether both stand for one captured object."""
        return self.origin is not None and self.origin == other.origin and self.kind is other.kind

    @property
    def called(self) -> str:
        """Its description in messages."""
        if self.is_sequence or self.is_mapping:
            for plain, name in ((list, "a list"), (dict, "a dictionary")):
                if self.type is plain:
                    return name if self.role is None else f"a {self.role.__name__}"
            return "a tuple" if self.type is tuple else f"a `{self.type.__name__}`"
        if self.is_set:
            return "a set"
        if self.type is Text:
            return "a string"
        if self.type is Chosen:
            return "a function that is chosen at run time"
        return f"an object of class `{self.type.__name__}`"


class Text:
    """The class of an f-string whose parts are known only at run time; keys are position, conversion and format."""


class Chosen:
    """The class of a function that is one of several: its number under `WHICH`, and each function under its own."""


WHICH = "which"

# The number of a function, and the functions that it may be, by their numbers.
Alternatives: TypeAlias = "tuple[gast.expr, dict[int, gast.expr]]"


class Structure(gast.expr):  # type: ignore[misc]  # gast carries no annotations
    """An expression that stands for a structure; it never occurs in core form."""

    _fields = ()

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        self.cell = cell


class Callee(gast.expr):  # type: ignore[misc]  # gast carries no annotations
    """An expression that stands for a function; it can be held by a name and be called."""

    _fields = ("path",)

    def __init__(self, path: gast.expr) -> None:
        super().__init__()
        self.path = path


class Captured(gast.expr):  # type: ignore[misc]  # gast carries no annotations
    """An expression that stands for a captured list, dictionary or object."""

    _fields = ("values",)

    def __init__(self, captured: Any, keys: tuple[Any, ...], values: list[gast.expr]) -> None:
        super().__init__()
        self.kind, self.origin, self.keys, self.values = type(captured), id(captured), keys, values


@dataclass(frozen=True)
class Lost:
    """A value that is no longer known, and the reason."""

    reason: str


@dataclass(frozen=True)
class Grown:
    """The contents of a growing list: the first `count` elements of an array, both given by variables."""

    array: str
    count: str
    loop: Any = field(compare=False)


@dataclass(frozen=True, eq=False)
class Packed:
    """The contents of a long list argument: its length and the arrays of its parts, all given by variables."""

    layout: Any
    count: str
    arrays: tuple[str, ...]

    @property
    def is_numbers(self) -> bool:
        """Whether the elements are floats."""
        column = self.layout.columns[0]
        return self.layout.element is LEAF and column.rank == 0 and column.code == "d"


@dataclass(frozen=True, eq=False)
class Fields:
    """The contents of records: a variable with an array for each field; the index of a single record, else None."""

    layout: Any
    arrays: dict[str, str]
    index: tuple[Any, ...] | None


# These may return their argument itself.
_UNCHANGED = frozenset(
    f"np.{name}" for name in ("asarray", "asanyarray", "ascontiguousarray", "atleast_1d", "atleast_2d")
)

# A variable that holds a number or an array.
PLAIN = Lost("")

Contents = dict[Hashable, Any]


@dataclass
class Memory:
    """The abstract state at one point of the program.

    names       variable -> Structure, PLAIN or Lost
    cells       cell -> its parts, by position, key or attribute in their order: atoms and Structures; or Lost
    known       variable -> the constant that it holds
    shapes      variables that hold a tuple of integers whose length only types tell, a shape or a part of one, with
                the class that it has in Python: tuple, or list, which stays a tuple and cannot be changed
    most        upper bounds of variables that are minima of numbers, among them a constant
    extents     the shapes of variables, () for numbers, where shapes are constants: `array_extents`
    frozen      cells that must not be changed, and why
    steady      variables that are assigned once, so their values do not change (shared by all memories of a function)
    loops       the enclosing loops that may be unrolled if that helps (shared likewise)
    tabled      the enclosing loops that are to stay loops, for which constants are read from arrays (shared likewise)
    repeats     the trip counts of the enclosing loops that are being unrolled (shared likewise)
    arguments   cells made by the caller; `touched` has those that are changed (shared likewise)
    opaque      variables that may hold a tuple or a list for which no Structure stands: a shape, what an unknown
                function returns (shared likewise)
    rebound     variables to which nested functions may assign new values (shared likewise)
    closed      variables that nested functions read (shared likewise)
    nest        the enclosing loops that stay loops; `growth` counts the appends to a list per iteration of its loop,
                negative if unknown; `resized` counts all changes of its length (shared likewise)
    forms       the variables for the elements of the tuples in a growing list; `rows` has the class of the tuples
                (shared likewise)
    lists       the growing list that a list has become (shared likewise)
    behind      structures that an iterator, here a sequence, would still read while it is consumed (shared likewise)
    same        for a variable, another one that may hold the same object (shared likewise)
    thinned     sets from which elements have been removed (shared likewise)
    views       what `keys`, `values` and `items` of a dictionary give: the dictionary and the method (shared likewise)
    either      for a structure that two paths have left under one name, those that it may be (shared likewise)
    bindings    the functions and objects that names of the program stand for (shared likewise)
    functions   the functions that may be chosen at run time, each with its number (shared likewise)
    """

    names: dict[str, Any] = field(default_factory=dict)
    cells: dict[Cell, Any] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    shapes: dict[str, type] = field(default_factory=dict)
    most: dict[str, int] = field(default_factory=dict)
    extents: dict[str, Extent] = field(default_factory=dict)
    frozen: dict[Cell, str] = field(default_factory=dict)
    steady: set[str] = field(default_factory=set)
    loops: list[Any] = field(default_factory=list)
    tabled: list[Any] = field(default_factory=list)
    repeats: list[int] = field(default_factory=list)
    arguments: set[Cell] = field(default_factory=set)
    touched: set[Cell] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    opaque: set[str] = field(default_factory=set)
    nest: list[Any] = field(default_factory=list)
    growth: dict[Grown, int] = field(default_factory=dict)
    resized: dict[Grown, int] = field(default_factory=dict)
    forms: dict[Grown, list[str]] = field(default_factory=dict)
    rows: dict[Grown, type] = field(default_factory=dict)
    lists: dict[Cell, Grown] = field(default_factory=dict)
    behind: dict[Cell, list[Cell]] = field(default_factory=dict)
    same: dict[str, str] = field(default_factory=dict)
    thinned: set[Cell] = field(default_factory=set)
    views: dict[Cell, tuple[Structure, str]] = field(default_factory=dict)
    either: dict[Cell, set[Cell]] = field(default_factory=dict)
    bindings: Mapping[str, Any] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)

    def copy(self) -> Memory:
        """An independent copy of the state."""
        cells = {cell: dict(held) if isinstance(held, dict) else held for cell, held in self.cells.items()}
        return replace(
            self,
            names=dict(self.names),
            cells=cells,
            known=dict(self.known),
            shapes=dict(self.shapes),
            most=dict(self.most),
            extents=dict(self.extents),
            frozen=dict(self.frozen),
        )

    def become(self, other: Memory) -> None:
        """Take over the state of another memory."""
        held = other.copy()
        self.names, self.cells, self.known, self.shapes = held.names, held.cells, held.known, held.shapes
        self.extents, self.frozen, self.most = held.extents, held.frozen, held.most

    def new(
        self, kind: type, contents: Mapping[Any, Any], frozen: str | None = None, origin: int | None = None
    ) -> Structure:
        """A new structure.

        >>> memory = Memory()
        >>> pair = memory.new(tuple, {0: gast.Constant(value=1, kind=None), 1: gast.Constant(value=2, kind=None)})
        >>> len(memory.cells[pair.cell]), pair.cell.called
        (2, 'a tuple')
        """
        cell = Cell(kind, origin)
        self.cells[cell] = dict(contents)
        if frozen is not None:
            self.frozen[cell] = frozen
        return Structure(cell)

    def may_be(self, cell: Cell) -> set[Cell]:
        """The structures that a structure may be: itself, or one that a path has left."""
        found, todo = set[Cell](), [cell]
        while todo:
            each = todo.pop()
            if each not in found:
                found.add(each)
                todo += self.either.get(each, ())
        return found

    def is_one_object(self, one: Cell, other: Cell) -> bool | None:
        """Whether two structures are one object in Python; None where only the paths taken, or the caller, tell."""
        if one is other:
            return True
        left, right = self.may_be(one), self.may_be(other)
        pairs = [(a, b) for a in left for b in right]
        may_be_one = any(a is b or self._may_be_handed_twice(a, b) or a.is_captured_as(b) for a, b in pairs)
        return (len(pairs) == 1 and one.is_captured_as(other)) or (None if may_be_one else False)

    def _may_be_handed_twice(self, one: Cell, other: Cell) -> bool:
        """Whether a caller may have handed over one object for both."""
        first, second = self._is_handed_over(one), self._is_handed_over(other)
        is_outside = (first or one.origin is not None) and (second or other.origin is not None)
        return one.kind is other.kind and (first or second) and is_outside

    def _is_handed_over(self, cell: Cell) -> bool:
        """Whether a caller has made a structure; long lists and records may be its own."""
        return cell in self.arguments or not isinstance(self.cells.get(cell), (dict, Grown))

    def alternatives(self, value: Any) -> Alternatives | None:
        """The number of a function, and the functions that it may be by their numbers; None for what is no function.

        >>> memory = Memory()
        >>> number, functions = memory.alternatives(Callee(gast.Name("f", gast.Load(), None, None)))
        >>> number.value, functions[0].path.id
        (0, 'f')
        """
        if isinstance(value, Structure) and value.cell.type is Chosen:
            held = dict(self.cells[value.cell])
            return held.pop(WHICH), held
        if not isinstance(value, (Callee, gast.Constant)) or getattr(value, "value", None) is not None:
            return None
        number = self.functions.setdefault(str(gast.dump(value)), len(self.functions))
        return gast.Constant(value=number, kind=None), {number: value}

    def constant(self, node: Any) -> Any:
        """The constant that an atom is known to hold, else UNKNOWN."""
        if isinstance(node, gast.Name):
            return self.known.get(node.id, UNKNOWN)
        if isinstance(node, gast.Constant):
            return node.value
        value = constant(node)
        return UNKNOWN if value is None else value

    def learn(self, name: str, value: Any) -> None:
        """Record the value of a variable: an operation, which may be a known constant."""
        self.names[name] = PLAIN
        self.unite(name, value)
        self.most.pop(name, None)
        if (bound := self.bound_of(value)) is not None and name not in self.rebound:
            self.most[name] = bound
        found = self.constant(value) if is_atom(value) else computed(value, self.constant)
        if self.extents:
            known = Known(self.extents, self.constant, self.bindings)
            found = count_of(value, known) if found is UNKNOWN else found
            self.measure(name, None if name in self.rebound else extent_of(value, known))
        if found is UNKNOWN or name in self.rebound:
            self.known.pop(name, None)
        else:
            self.known[name] = found
        if self.may_be_container(value):
            self.opaque.add(name)
        kind = None if name in self.rebound else self.shape_kind(value)
        if kind is list:
            self.known.pop(name, None)
        if kind is None:
            self.shapes.pop(name, None)
        else:
            self.shapes[name] = kind

    def bound_of(self, value: Any) -> int | None:
        """The least constant among the arguments of `min`; None for other operations."""
        match value:
            case gast.Call(func=gast.Name(id="min"), args=[_, _, *_] as arguments, keywords=[]):
                known = [each for each in map(self.constant, arguments) if type(each) is int]
                return min(known, default=None)
        return None

    def unite(self, name: str, value: Any) -> None:
        """Record that a variable may hold the same object as another one."""
        if isinstance(value, gast.Call) and dotted_path(value.func) in _UNCHANGED and value.args:
            value = value.args[0]
        if isinstance(value, gast.Name) and (one := self.origin(name)) != (other := self.origin(value.id)):
            self.same[one] = other

    def origin(self, name: str) -> str:
        """One variable for all that may hold the same object."""
        while name in self.same:
            name = self.same[name]
        return name

    def measure(self, name: str, extent: Extent | None) -> None:
        """Record the shape of a variable, or that it is not known."""
        if extent is None:
            self.extents.pop(name, None)
        else:
            self.extents[name] = extent

    def forget(self, name: str) -> None:
        """Forget what is known of the value of a variable."""
        for facts in (self.known, self.shapes, self.extents, self.most):
            facts.pop(name, None)

    def may_be_container(self, value: Any) -> bool:
        """Whether what an operation gives may be a tuple or a list for which no Structure stands."""
        match value:
            case gast.Constant() | gast.Compare() | gast.UnaryOp():
                return False
            case gast.Name(id=name):
                return name in self.opaque or name in self.rebound
            case gast.BinOp(left=left, op=gast.Add() | gast.Mult(), right=right):
                return self.may_be_container(left) or self.may_be_container(right)
            case gast.BinOp():
                return False
            case gast.Attribute(attr="T" | "real" | "imag" | "size" | "ndim" | "itemsize" | "nbytes"):
                return False
            case gast.Subscript(value=gast.Attribute(value=gast.Name(), attr="shape"), slice=index):
                return isinstance(index, gast.Slice)
            case gast.Subscript(value=inner):
                return self.may_be_container(inner)
            case gast.Call(func=function):
                return dotted_path(function) not in RETURNS_ONE
        return True

    def shape_kind(self, value: Any) -> type | None:
        """The class of what an operation gives, if that is a shape or a part of one; else None."""
        match value:
            case gast.Name(id=name):
                return self.shapes.get(name)
            case gast.Attribute(value=gast.Name(), attr="shape"):
                return tuple
            case gast.Subscript(value=inner, slice=gast.Slice()):
                return self.shape_kind(inner)
            case gast.BinOp(left=left, op=gast.Add(), right=right):
                return self.shape_kind(left) or self.shape_kind(right)
            case gast.Call(func=gast.Name(id="tuple"), args=[inner], keywords=[]):
                return self.shape_kind(inner) and tuple
        return None

    def bind(self, name: str, structure: Structure) -> None:
        """Record that a variable holds a structure."""
        self.names[name] = structure
        self.forget(name)


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same atom or the same structure."""
    if isinstance(one, Structure) or isinstance(other, Structure):
        return isinstance(one, Structure) and isinstance(other, Structure) and one.cell is other.cell
    if isinstance(one, Lost) or isinstance(other, Lost):
        return bool(one == other)
    return str(gast.dump(one)) == str(gast.dump(other))  # a function's path is a field of it
