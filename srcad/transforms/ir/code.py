"""Code: a function between two passes, which is what every pass takes and gives.

    def with_scalars(code: Code) -> Code: ...

The same class stands for the user's function in core form and for generated functions, so that any analysis can be
asked about both. A pass owns the code that it is given: it may change the statements in place if it then gives back
another `Code`, made by `with_body` or `with_unit`, and it gives back the very code that it was given only if it has
changed nothing. While a `Code` is in use, its statements do not change; so what has been found out about them is kept:

    @fact
    def store_counts(code: Code) -> Counter[str]: ...

computes its result once for each `Code`, whichever passes ask for it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeVar

from numba import types as nb

from srcad.names import Names
from srcad.parsing import syntax_tree
from srcad.transforms.ir.build import Block, is_loop, mentions, walk_statements
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.ir.unit import Unit

_T = TypeVar("_T")
_NOTHING: Mapping[str, nb.Type] = MappingProxyType({})


@dataclass(frozen=True)
class Settings:
    """What is asked for in one derivation; rows of the table of passes refer to these by name.

    loops           array statements become loops, and loops are made to suit Numba
    assumes         arrays that may broadcast are taken not to
    insist          names that are now one array, now another are rewritten where that may be idle
    is_reversed     checkpointed loops become calls, which only a reverse sweep has use for
    checks_bounds   subscripts are checked where they are not proved to be in range
    is_primal       the function itself is asked for: what it writes into its parameters reaches the caller's arrays
    is_again        the function has been through the passes before: once is enough
    in_place        the function may write into its parameters
    interpreted     what is generated runs as plain Python
    debug           statements are followed by checks that they have made no NaN
    observed        what runs on actual arguments have shown, where types are observed and not inferred
    numbers         tell outlined loops of one derivation apart
    """

    loops: bool = True
    assumes: bool = False
    insist: bool = False
    is_reversed: bool = False
    checks_bounds: bool = True
    is_primal: bool = False
    is_again: bool = False
    in_place: bool = False
    interpreted: bool = False
    debug: bool = False
    observed: Any = None
    numbers: Iterator[int] = field(default_factory=itertools.count)


@dataclass(frozen=True, eq=False)
class Code:
    """A function between two passes.

    unit            its tree, and what the free names in it refer to
    types           types of its names: of all, once they are inferred; of generated functions, as far as known
    signature       types of the parameters, for a function that is to be differentiated
    counts          names of the trip counts of its loops, by id of the loop, once there are any
    outputs         parameters whose memory is for the caller
    primals         how many of the results are the primal's, the first ones; None where there may be more
    apart           names that both sweeps store, for as long as they are told apart
    """

    unit: Unit
    types: Types = field(default_factory=Types)
    signature: tuple[nb.Type, ...] = ()
    counts: Mapping[int, str] = field(default_factory=dict)
    outputs: Collection[str] = ()
    primals: int | None = None
    apart: Collection[str] = ()
    settings: Settings = field(default_factory=Settings)
    _facts: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def body(self) -> Block:
        """The statements."""
        found: Block = self.unit.tree.body
        return found

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return self.unit.parameters

    @property
    def kinds(self) -> Mapping[str, nb.Type]:
        """The types of names, as far as known."""
        return self.types.of

    def does(self, name: str) -> bool:
        """Whether an optional pass, or a choice within one, is to be done."""
        return self.unit.does(name)

    @property
    def is_typed(self) -> bool:
        """Whether types have been inferred."""
        return self.types.result is not None

    @property
    def has_loops(self) -> bool:
        """Whether there is a loop."""
        return any(map(is_loop, walk_statements(self.body)))

    @property
    def has_arrays(self) -> bool:
        """Whether there may be an array: in a name that is no number, or as the trace of a loop."""
        are_numbers = all(isinstance(kind, (nb.Number, nb.Boolean)) for kind in self.kinds.values())
        return not self.kinds or not are_numbers or self.has_loops

    @property
    def knows_primals(self) -> bool:
        """Whether it is known which results are the primal's."""
        return self.primals is not None

    @property
    def without_primal(self) -> bool:
        """Whether no result is the primal's."""
        return self.primals == 0

    def fresh_names(self) -> Names:
        """A maker of names that do not occur in the function."""
        return Names({*mentions(self.body), *self.parameters})

    def with_body(self, body: Block, new: Mapping[str, nb.Type] = _NOTHING) -> Code:
        """This function with other statements, or with statements that have been changed in place.

        `new` has the types of new names.
        """
        tree = copy(self.unit.tree)
        tree.body = body
        types = replace(self.types, of={**self.types.of, **new}) if new else self.types
        return replace(self, unit=replace(self.unit, tree=tree), types=types)

    def with_unit(self, unit: Unit, types: Types | None = None) -> Code:
        """This function with another unit, and other types."""
        if unit is self.unit and (types is None or types is self.types):
            return self
        return replace(self, unit=unit, types=self.types if types is None else types)


def code_of(text: str, types: Mapping[str, nb.Type] | None = None) -> Code:
    """The code of a function that is given as text."""
    tree = syntax_tree(text).body[0]
    return Code(Unit(tree.name, tree, {}, Names()), Types(types or {}))


def fact(analysis: Callable[[Code], _T]) -> Callable[[Code], _T]:
    r"""Let an analysis compute its result once for each code.

    >>> code = code_of("def f(x):\n    y = x\n    y = y\n    return y")
    >>> store_counts(code)["y"], store_counts(code) is store_counts(code)
    (2, True)
    """

    @wraps(analysis)
    def known(code: Code) -> _T:
        facts = code._facts
        if analysis not in facts:
            facts[analysis] = analysis(code)
        found: _T = facts[analysis]
        return found

    return known


@fact
def store_counts(code: Code) -> Counter[str]:
    """How often each name is stored, parameters once more."""
    stored = (name for statement in walk_statements(code.body) for name in all_written(statement))
    return Counter([*code.parameters, *stored])
