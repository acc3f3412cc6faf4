"""What the reverse sweep has of each value of the primal, why, and how many bytes that takes.

kept        recorded in a trace, or overwritten by a store and put back: with a `Cost`
recomputed  computed once more from what is there
there       still there when the reverse sweep wants it
handed      still there when the forward function ends, and handed to the reverse function

Facts only: `srcad.explained` puts them into words. They are those of the sweeps as they were put together, without
what turned out to be read by nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import gast
from numba import types as nb

from srcad.errors import Place
from srcad.spoken import Speaker
from srcad.transforms.assemble import Assembler
from srcad.transforms.build import names_in, place_of, stores_into, walk
from srcad.transforms.cost_model import FIRST_TRACE_ENTRIES
from srcad.transforms.extent import extent
from srcad.transforms.plan import Fork, Plan, Replay, Step, inner_plans
from srcad.transforms.ready import element_type
from srcad.transforms.recipe import Recipes
from srcad.transforms.record import own_reads
from srcad.transforms.sites import Loop
from srcad.transforms.trace import is_grid


@dataclass(frozen=True)
class Cost:
    """Bytes, as an expression of the user's names: the width of an entry, times `factors`.

    In these `turns` are those of loops whose number of turns is not known.

    what        of which kind an entry is
    loops       the loops for each turn of which there is an entry
    most        whether it is a bound; what is allocated and never written takes no memory
    grows       whether it depends on `turns`
    """

    width: int
    factors: str
    what: str
    loops: tuple[Loop, ...] = ()
    most: bool = False
    grows: bool = False

    @property
    def formula(self) -> str:
        """The bytes, as an expression."""
        return f"{self.width} * {self.factors}" if self.factors else str(self.width)


@dataclass(frozen=True)
class Reason:
    """One value: what becomes of it, which statements' reversal reads it, what that costs."""

    name: str
    place: Place | None
    what: str
    users: tuple[Place | str, ...] = ()
    cost: Cost | None = None
    recipe: gast.expr | None = None


class Accountant:
    """Finds the reasons, from what has put the sweeps together."""

    def __init__(
        self, by: Assembler, alive: frozenset[str], handed: tuple[str, ...], paths: Mapping[str, str] | None = None
    ) -> None:
        """`alive` are the names in the sweeps' code, `handed` those that the trace of a pair holds.

        `paths` say where among structured arguments parameters come from.
        """
        self.by, self.alive, self.handed = by, alive, handed
        self.program, self.sites = by.program, by.sites
        self.speaker, self.recipes = Speaker(by.program, paths), Recipes(by.program, by.spot)
        self.users: dict[str, dict[Place | str, None]] = {}
        self._collect(by.plan)
        for name, recipe in by.decisions.recomputed.items():
            for read in names_in(recipe):
                if self.is_alive(name):
                    self._note(read, f"computing {self.speaker.name(name)} again")

    def reasons(self) -> list[Reason]:
        """In the order of the primal's statements."""
        found = list(self._values())
        order = {name: k for k, name in enumerate(self.program.flow.stores)}
        return sorted(found, key=lambda each: order.get(each.name, -1))

    def is_dear(self, name: str) -> bool:
        """Whether computing a value takes longer than a multiplication."""
        return self.recipes.compute_cost(name) >= 1.0

    def is_hollow(self, name: str) -> bool:
        """Whether all that is recorded of an array is its shape."""
        return name in self.by.traces and self.by.traces[name].is_hollow

    def recipe(self, name: str) -> gast.expr | None:
        """How a value could be computed again."""
        return self.recipes.recipe(name)

    def is_alive(self, name: str) -> bool:
        """Whether the code of the sweeps still speaks of a name, or of its trace."""
        trace = self.by.traces.get(name)
        return (trace.make[0].targets[0].id if trace is not None else name) in self.alive

    def _values(self) -> Iterator[Reason]:
        decisions = self.by.decisions
        for name in self.program.flow.stores:
            users = tuple(self.users.get(name, ()))
            place = self.speaker.place(name)
            if name in decisions.recorded:
                if self.is_alive(name):
                    yield Reason(name, place, "recorded", users, self.cost(name))
            elif name in decisions.recomputed and users and self.is_alive(name):
                yield Reason(name, place, "recomputed", users, recipe=decisions.recomputed[name])
            elif name in self.handed:
                yield Reason(name, place, "handed", users, self.plain_cost(name, self.program.types.get(name)))
            elif isinstance(self.program.types.get(name), nb.BaseTuple):
                continue  # its parts are told
            elif users and self.sites.is_there(name) and not self.program.flow.is_index(name):
                yield Reason(name, place, "there", users)
        for store in decisions.undone:
            name = self.by.old[id(store)]
            if name in self.alive or self.is_alive(name):
                yield self.undone(store, name)

    def undone(self, store: gast.stmt, name: str) -> Reason:
        """A store of which what it overwrites is put back."""
        target = stores_into(store)
        assert target is not None
        kind = element_type(target, dict(self.program.types.of))
        trace = self.by.traces.get(name)
        cost = (
            self.plain_cost(None, kind) if trace is None else self.traced(name, kind, self.program.flow.spot(store).way)
        )
        users = self.users.get(target.value.id, {})
        return Reason(self.speaker.text(target), place_of(store), "put back", tuple(users), cost)

    def cost(self, name: str) -> Cost:
        """What the trace of a name takes."""
        return self.traced(name, self.program.types.get(name), self.sites.site(name))

    def plain_cost(self, name: str | None, kind: nb.Type | None) -> Cost:
        """What one value takes."""
        if not isinstance(kind, nb.Array):
            return Cost(width(kind), "", f"one {kind}")
        size = self.speaker.size(name) if name is not None else None
        return Cost(width(kind.dtype), size or "size", f"an array of {kind.dtype}", most=size is None)

    def traced(self, name: str, kind: nb.Type | None, site: tuple[tuple[int, int], ...]) -> Cost:
        """What a trace takes whose entries are of this type, one for each turn of the loops around a site."""
        loops = self.sites.loops_around(site)
        extents = [extent(self.sites, loop) for loop in loops]
        sizes = [self._factor(each.size) for each in extents if each is not None]
        known, exact = len(sizes) == len(loops), is_grid(self.sites, loops)
        turns = " * ".join(sizes) if known else "turns"
        if isinstance(kind, nb.Array) and self.is_hollow(name):
            return Cost(8 * kind.ndim, turns, "a shape", loops, not exact, not known)
        if isinstance(kind, nb.Array):  # a list of references, of as many as there are turns
            size = self.speaker.size(name) if name in self.program.flow.stores else None
            what = f"an array of {kind.dtype}"
            return Cost(
                width(kind.dtype), f"{turns} * {size or 'size'}", what, loops, not exact or size is None, not known
            )
        if known and self.program.unit.does("grid"):
            return Cost(width(kind), " * ".join(sizes), f"one {kind}", loops, not exact)
        return Cost(width(kind), f"max({FIRST_TRACE_ENTRIES}, 2 * turns)", f"one {kind}", loops, True, True)

    def _factor(self, size: gast.expr) -> str:
        text = self.speaker.text(size)
        return f"({text})" if isinstance(size, gast.BinOp) else text

    def _collect(self, plan: Plan) -> None:
        for node in plan.nodes:
            user: Place | str | None = None
            match node:
                case Step(statement=statement) if statement is not None:
                    user = place_of(statement)
                case Fork(statement=statement):
                    user = place_of(statement)
                case Replay(statement=statement):
                    user = place_of(statement)
            for name in own_reads(node):
                if user is not None:
                    self._note(name, user)
            for inner in inner_plans(node):
                self._collect(inner)

    def _note(self, name: str, user: Place | str) -> None:
        if self.sites.is_primal(name):
            self.users.setdefault(name, {})[user] = None


def width(kind: nb.Type | None) -> int:
    """The bytes of a number in an array."""
    if isinstance(kind, nb.Boolean):
        return 1
    return int(kind.bitwidth) // 8 if isinstance(kind, (nb.Float, nb.Integer, nb.Complex)) else 8


def names_alive(code: list[gast.stmt]) -> frozenset[str]:
    """All names in statements."""
    return frozenset(node.id for each in code for node in walk(each) if isinstance(node, gast.Name))
