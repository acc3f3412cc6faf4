"""Recomputation: how a primal value can be computed again in the reverse sweep, and what that costs."""

from __future__ import annotations

import gast

from srcad.runtime.rulebook import registry
from srcad.transforms.adjoint.reverse_plan import Way
from srcad.transforms.analysis.aliases import is_basic
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.analysis.view_adjoints import shares_memory
from srcad.transforms.inference.subroutine_types import results_of_calls
from srcad.transforms.ir.build import binary, clone, const, load, names_in, stores_into, walk_statements
from srcad.transforms.ir.cost_model import CHEAP_OPERATION, RECORD, RECORD_OF_TYPE, operation_cost
from srcad.transforms.ir.primitive import constant, operands, primitive_of
from srcad.transforms.storage.carried_views import last_view, previous_view
from srcad.transforms.storage.fresh_arrays import Newer
from srcad.transforms.storage.full_overwrites import Renewals
from srcad.transforms.storage.stored_copies import element, held, is_made_in_loop


class Recipes:
    """Expressions that recompute the names of one function."""

    def __init__(self, program: Program, spot: gast.For | None = None, pure: bool = False) -> None:
        """In a `pure` reverse sweep, which runs later, the caller's arrays may no longer hold the stored values."""
        self.program, self.spot = program, spot
        self.renewals, self.newer = Renewals(program), Newer(program)
        self._calls = results_of_calls(program.unit)
        everything = list(walk_statements(program.unit.tree.body))
        self._branches = {program.flow.spot(each).number: each for each in everything if isinstance(each, gast.If)}
        self._stores = [
            (statement, target) for statement in everything if (target := stores_into(statement)) is not None
        ]
        self._held = held(program, self._stores, pure)
        self._is_lasting: dict[str, bool] = {}
        self.wanted: set[str] = set()  # arrays that the reverse sweep reads as a whole

    def recipe(self, name: str) -> gast.expr | None:
        """An expression that recomputes the name's value, as long as the memory that it reads is unchanged; or None."""
        statement = self.program.flow.single(name)
        if statement is None:
            return self.counted(name) or self.chosen(name) or previous_view(self.program, name)
        keeper = self.keeper(name)
        return self.again(name, statement.value) if keeper is None else element(keeper)

    def keeper(self, name: str) -> gast.Assign | None:
        """The store of an expensive number into an array element that holds it from then on; None if there is none."""
        store = self._held.get(name)
        if store is not None and name not in self._is_lasting:
            value = self.program.flow.stores[name][0].value
            is_dear = self.cost_of(name, value) > CHEAP_OPERATION and not isinstance(value, gast.Subscript)
            is_there = not is_made_in_loop(self.program, store) or store.targets[0].value.id in self.wanted
            self._is_lasting[name] = is_dear and is_there and not self.stores_after(store, element(store))
        return store if self._is_lasting.get(name) else None

    def again(self, name: str, value: gast.expr) -> gast.expr | None:
        """The operation that computed the name's value, if it can be repeated."""
        program = self.program
        match value:
            case gast.Name() if program.types.is_array(name):
                return last_view(program, value.id, program.flow.stores[name][0])
            case gast.Name() | gast.Attribute() | gast.Constant():
                return value
            case gast.Subscript(value=gast.Name(id=base)) if base in self._calls:
                return None
            case gast.Subscript(value=gast.Name(), slice=index):
                return value if is_basic(index, program.types) else None
            case gast.UnaryOp(operand=gast.Constant()):
                return value
        if program.types.is_array(name):
            return value if isinstance(value, gast.Call) and self.is_view(name, value) else None
        if any(program.types.is_array(read) for read in names_in(value)):
            return None
        return value if self.is_pure(value) else None

    def is_view(self, name: str, value: gast.Call) -> bool:
        """Whether a call gives a view, or a copy of what nothing writes into: when it is repeated does not matter."""
        aliases = self.program.aliases
        return name in aliases.views and (not aliases.is_written(name) or shares_memory(self.program, name, value))

    def is_pure(self, value: gast.expr) -> bool:
        """Whether an operation gives the same result when repeated."""
        primitive = primitive_of(value, self.program.unit.bindings)
        positional, _ = operands(value)
        if isinstance(value, (gast.BinOp, gast.UnaryOp, gast.Compare)):
            return True
        return primitive is not None and registry.find(primitive, [0] * len(positional)) is not None

    def counted(self, name: str) -> gast.expr | None:
        """An induction variable with a constant step, in closed form: first value + iteration * step."""
        program, flow = self.program, self.program.flow
        loop = program.carrier(name)
        stores = flow.stores.get(name, [])
        if not isinstance(loop, gast.For) or len(stores) != 2 or not _is_integer(program, name):
            return None
        outside = [store for store in stores if loop not in flow.spot(store).loops]
        inside = [store for store in stores if loop in flow.spot(store).loops]
        if len(outside) != 1 or not isinstance(outside[0].value, (gast.Name, gast.Constant)):
            return None
        step = flow.definition(inside[0].value.id) if isinstance(inside[0].value, gast.Name) else None
        start, _, width = loop.iter.args
        match step:
            case gast.BinOp(left=gast.Name(id=left), op=gast.Add(), right=gast.Constant(value=int() as amount)) if (
                left == name and constant(width) == 1
            ):
                index: gast.expr = load(loop.target.id)
                if constant(start) != 0:
                    index = binary(index, gast.Sub, clone(start))
                if amount != 1:
                    index = binary(index, gast.Mult, const(amount))
                first = clone(outside[0].value)
                return index if constant(first) == 0 else binary(first, gast.Add, index)
        return None

    def chosen(self, name: str) -> gast.expr | None:
        """A number that both arms of an `if` assign, from values defined outside of the arms: `a if test else b`."""
        flow = self.program.flow
        stores = flow.stores.get(name, [])
        if len(stores) != 2 or self.program.types.is_array(name) or name in flow.parameters:
            return None
        ways = [flow.spot(store).way for store in stores]
        branch = self._branches.get(ways[0][-1][0]) if ways[0] else None
        if branch is None or [ways[0][:-1], ways[0][-1][0]] != [ways[1][:-1], ways[1][-1][0]]:
            return None
        values = [self._plain(store, ways[0][:-1]) for store in stores]
        if None in values or ways[0][-1][1] == ways[1][-1][1]:
            return None
        return gast.IfExp(test=clone(branch.test), body=values[0], orelse=values[1])

    def _plain(self, store: gast.stmt, way: Way) -> gast.expr | None:
        """The atom or element that a statement stores, if its names are stored outside of the branch, or None."""
        value = store.value if isinstance(store, gast.Assign) else None
        if isinstance(value, gast.Subscript) and not is_basic(value.slice, self.program.types):
            return None
        if not isinstance(value, (gast.Name, gast.Constant, gast.Subscript)):
            return None
        inside = (name for name in names_in(value) if len(self.program.flow.home(name)) > len(way))
        return None if any(True for _ in inside) else value

    def loads(self, name: str) -> list[tuple[gast.stmt, gast.expr]]:
        """The elements of written arrays that the name's recipe reads, each with the statement that first read it."""
        if self.program.types.is_array(name) or self.recipe(name) is None:
            return []
        keeper = self.keeper(name)
        if keeper is not None:
            return [(keeper, element(keeper))]
        return [
            (store, store.value)
            for store in self.program.flow.stores.get(name, [])
            if isinstance(store, gast.Assign)
            and isinstance(store.value, gast.Subscript)
            and self.program.aliases.is_written(store.value.value.id)
        ]

    def is_unchanged(self, name: str, until: int) -> bool:
        """Whether what the name's recipe loads is unchanged until after statement `until` of the same iteration."""
        flow, meeting = self.program.flow, self.program.meeting
        return not any(
            flow.spot(statement).number < flow.spot(store).number <= until
            and meeting.may_meet(statement, what, store, target, at_once=True)
            for statement, what in self.loads(name)
            for store, target in self._stores
        )

    def stores_into(self, name: str) -> list[gast.stmt]:
        """All stores that may be into an array."""
        return [store for store, target in self._stores if self.program.aliases.may_alias(name, target.value.id)]

    def stores_after(self, statement: gast.stmt, what: gast.expr) -> list[gast.stmt]:
        """The stores that may later overwrite what a statement reads, without a full overwrite always coming first."""
        meeting, flow = self.program.meeting, self.program.flow
        stores = self._stores
        is_on_spot = self.spot is not None and self.spot in flow.spot(statement).loops
        if is_on_spot:
            stores = [(store, target) for store, target in stores if self.spot in flow.spot(store).loops]
        least = 1 if is_on_spot else 0
        found = [store for store, target in stores if meeting.may_meet(statement, what, store, target, least=least)]
        found = [store for store in found if not self.renewals.stand_between(statement, what, store)]
        return [store for store in found if not self.newer.is_into_newer(statement, what, store)]

    def compute_cost(self, name: str) -> float:
        """The cost of computing the name again; the unit is about one multiplication."""
        return self.cost_of(name, self.recipe(name))

    def cost_of(self, name: str, value: gast.expr | None) -> float:
        """The cost of an expression that gives the value of a name."""
        program = self.program
        primitive = primitive_of(value, program.unit.bindings) if isinstance(value, gast.Call) else None
        return operation_cost(value, _is_integer(program, name), program.types.is_array(name), primitive)

    def record_cost(self, name: str) -> float:
        """The cost of recording the name, in the same unit."""
        kind = str(self.program.types.get(name))
        return RECORD_OF_TYPE.get(kind, RECORD)


def _is_integer(program: Program, name: str) -> bool:
    return str(program.types.get(name)).startswith(("int", "uint"))
