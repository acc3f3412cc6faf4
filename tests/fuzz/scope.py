"""Types of values in a random program, and the names that a place in it may use."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple


class Kind(NamedTuple):
    """A type of values: floats "f", complex numbers "c" or integers "i", and a shape."""

    dtype: str
    shape: tuple[int, ...] = ()


NUMBER = Kind("f")
INTEGER = Kind("i")
COMPLEX = Kind("c")


class Helper(NamedTuple):
    """A function that a program may call: its name, parameters and results; it may write to arrays it is given."""

    name: str
    takes: tuple[Kind, ...]
    gives: tuple[Kind, ...]
    writes: bool = True


@dataclass
class Scope:
    """What may be used at a place.

    `names` are texts that can be read and assigned, with their types: variables, and parts of structures like
    `point.x`; `constants` can only be read. `gives` is what a `return` there has to give.
    """

    names: dict[str, Kind]
    gives: tuple[Kind, ...]
    constants: dict[str, Kind] = field(default_factory=dict)
    helpers: tuple[Helper, ...] = ()
    depth: int = 0
    in_loop: bool = False
    in_parallel: bool = False

    def inside(self, loop: bool = False) -> "Scope":
        """The scope of a nested block: what is assigned there first is not known after it."""
        return replace(
            self,
            names=dict(self.names),
            constants=dict(self.constants),
            depth=self.depth + 1,
            in_loop=self.in_loop or loop,
        )
