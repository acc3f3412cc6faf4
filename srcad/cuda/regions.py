"""What a thread does, as nested regions in which every name has one value (structured static single assignment).

A region is a list of nodes. A branch states the names that it defines, with their value on either side (`merges`); a
loop states what it carries from one iteration to the next: name at the start, value before the loop, value after the
body, and the name of the last value. So nothing is ever overwritten but elements of arrays, and what the reverse
sweep reads by name is either still there or a value of an iteration that has passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from numba import types as nb

from srcad.cuda.kernel_source import OwnArray
from srcad.errors import Place

Atom = Any  # gast.expr: a name or a literal


@dataclass(eq=False)
class Node:
    """A statement, with its place in the user's source."""

    place: Place | None


@dataclass(eq=False)
class Assign(Node):
    """`name = value`, an operation on atoms that touches no memory."""

    name: str
    value: Any


@dataclass(eq=False)
class Load(Node):
    """`name = array[index]`."""

    name: str
    array: str
    index: tuple[Atom, ...]


@dataclass(eq=False)
class Store(Node):
    """`array[index] = value`."""

    array: str
    index: tuple[Atom, ...]
    value: Atom


@dataclass(eq=False)
class Add(Node):
    """`array[index] += value` or `-=`; by `cuda.atomic.add` if atomic."""

    array: str
    index: tuple[Atom, ...]
    value: Atom
    is_atomic: bool
    is_negative: bool = False


@dataclass(eq=False)
class Barrier(Node):
    """`cuda.syncthreads()`."""


@dataclass(eq=False)
class Merge:
    """A name that a branch defines: its value on either side."""

    name: str
    then: Atom
    orelse: Atom


@dataclass(eq=False)
class If(Node):
    """A branch."""

    test: Atom
    then: Region
    orelse: Region
    merges: list[Merge]


@dataclass(eq=False)
class Carried:
    """A name that a loop carries: at the start of an iteration, before the loop, after the body, after the loop."""

    name: str
    first: Atom
    next: Atom
    last: str


@dataclass(eq=False)
class Loop(Node):
    """A loop over `range(start, stop, step)`, or `while` its test, which is carried.

    stopped     the name by which a body ends the loop early
    count       the name of the number of iterations that have been run
    """

    body: Region
    carried: list[Carried]
    index: str | None = None
    bounds: tuple[Atom, ...] = ()
    test: str | None = None
    stopped: Atom | None = None
    count: str = ""

    @property
    def is_counted(self) -> bool:
        """Whether its number of iterations is known at the start."""
        return self.index is not None and self.stopped is None


@dataclass(eq=False)
class Region:
    """Nodes that run one after the other."""

    nodes: list[Any] = field(default_factory=list)
    owner: Loop | If | None = None
    parent: Region | None = None

    @property
    def loop(self) -> Loop | None:
        """The innermost loop around it."""
        region: Region | None = self
        while region is not None:
            if isinstance(region.owner, Loop):
                return region.owner
            region = region.parent
        return None


@dataclass
class Thread:
    """A kernel as regions.

    parameters  those of the kernel
    kinds       types of all names
    launch      name -> the place in the grid that it stands for
    own         shared and local arrays by name
    regions     name -> the region that defines it
    nodes       name -> the node that defines it; None for parameters
    """

    name: str
    parameters: tuple[str, ...]
    kinds: dict[str, nb.Type]
    launch: Mapping[str, str]
    own: Mapping[str, OwnArray]
    body: Region
    bindings: dict[str, Any]
    names: Any
    regions: dict[str, Region] = field(default_factory=dict)
    nodes: dict[str, Any] = field(default_factory=dict)

    def is_real(self, name: str) -> bool:
        """Whether a name holds a float."""
        return isinstance(self.kinds.get(name), nb.Float)

    @property
    def arrays(self) -> list[str]:
        """All arrays, those of the kernel's arguments first."""
        given = [name for name in self.parameters if isinstance(self.kinds.get(name), nb.Array)]
        return [*given, *self.own]


def walk(region: Region) -> Iterator[Any]:
    """All nodes, nested ones included, in order."""
    for node in region.nodes:
        yield node
        for inner in inner_regions(node):
            yield from walk(inner)


def inner_regions(node: Any) -> tuple[Region, ...]:
    """The regions of a branch or a loop."""
    if isinstance(node, If):
        return node.then, node.orelse
    return (node.body,) if isinstance(node, Loop) else ()


def is_inside(region: Region | None, outer: Region) -> bool:
    """Whether a region is another, or nested in it."""
    while region is not None:
        if region is outer:
            return True
        region = region.parent
    return False
