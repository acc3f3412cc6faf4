"""Zero guards: skip adjoint statements that could only propagate zeros.

The rest of a reversed block is linear in its incoming adjoints. If these are one or two numbers, and the rest contains
a branch or a loop, a test for zero is cheap and often saves all of the work: the losers of a minimum, branches not
taken. Only adjoints that may be zero are tested: those added to in one arm only, or read from an array that is not
dense (see `dense_adjoints`).

    dist_bar = ...                      dist_bar = ...
    for a in ...:           becomes     if dist_bar != 0.0:
        x_bar[a] += ...                     for a in ...:
                                                x_bar[a] += ...
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping

import gast
from numba import types as nb

from srcad.transforms.adjoint.reverse_plan import Fork, Node, Plan, Replay, Step, Way, inner_plans
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import Block, branch, const, load, names_in, stores_into, walk
from srcad.transforms.ir.cost_model import FEWEST_GUARDED_CHOICES, MOST_GUARDED_ADJOINTS
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.pass_names import ZERO_GUARDS


def tested(
    program: Program, names: Mapping[str, str], way: Way, nodes: list[Node], before: list[Node], dense: Collection[str]
) -> list[str] | None:
    """The adjoints to test before `nodes`, the rest of a block after `before`; None if that is not correct or useful.

    `names` has the adjoint of each primal name; `dense` the adjoints of arrays that are rarely zero.
    """
    if not program.unit.does(ZERO_GUARDS) or not is_worth_a_test(nodes):
        return None
    bars = {bar: name for name, bar in names.items()}
    found = incoming(nodes, bars, *_numbers_and_own(program, bars, way)) or []
    return found if found and set(found) <= doubtful(before, bars, dense) else None


class _Those:
    """The adjoints whose primal name satisfies a condition, which is asked for those that are looked up."""

    def __init__(self, bars: Mapping[str, str], holds: Callable[[str], bool]) -> None:
        self.bars, self.holds = bars, holds

    def __contains__(self, bar: object) -> bool:
        return bar in self.bars and self.holds(self.bars[str(bar)])


def _numbers_and_own(program: Program, bars: Mapping[str, str], way: Way) -> tuple[_Those, _Those]:
    """Of all adjoints, those that are numbers, and those that begin and end in the block at `way`."""
    flow, types = program.flow, program.types
    return _Those(bars, lambda name: not types.is_array(name)), _Those(
        bars, lambda name: flow.home(name)[: len(way)] == way
    )


def stretch(
    program: Program, names: Mapping[str, str], way: Way, nodes: list[Node], before: list[Node], dense: Collection[str]
) -> tuple[int, list[str], list[str]] | None:
    """How many of the nodes only propagate an element's adjoint that has just been read, and which adjoints these are.

    The third result has names that are zero in that case and are read after these nodes.

        t_bar = h_bar[i, j]                     t_bar = h_bar[i, j]
        h_bar[i, j] = 0.0                       h_bar[i, j] = 0.0
        a_bar[i] += select(a >= b, t_bar, 0)    if t_bar != 0.0:
        b_bar[j] += select(a >= b, 0, t_bar)        a_bar[i] += ...
        u_bar = e_bar[j]                            b_bar[j] += ...
                                                u_bar = e_bar[j]

    In a table of minima, where each entry adds to the entry that it came from, most elements are on no path to the
    result.
    """
    if not program.unit.does(ZERO_GUARDS):
        return None
    if not isinstance(before[-1], Step) or not elements_read(before[-1:]):
        return None
    tables = {added_to(each) for each in statements_of(nodes)} - set(dense)
    read = {name for name, array in elements_read(before[-1:]).items() if array in tables}
    if not read:
        return None
    types = program.types
    bars = {bar: name for name, bar in names.items()}
    numbers, own = _numbers_and_own(program, bars, way)
    for count in range(len(nodes), 0, -1):
        found = reaching(nodes[:count], bars, numbers, own)
        if found and set(found) <= read and selections(nodes[:count]) >= FEWEST_GUARDED_CHOICES:
            left = left_behind(nodes, count)
            if all(types.get(bars.get(each, "")) == nb.float64 for each in left):
                return count, found, left
    return None


def elements_read(nodes: list[Node]) -> dict[str, str]:
    """The numbers that are read as elements of arrays, each with the array."""
    return {
        str(assigned(each)): str(each.value.value.id)
        for each in statements_of(nodes)
        if isinstance(each, gast.Assign)
        and isinstance(each.targets[0], gast.Name)
        and isinstance(each.value, gast.Subscript)
        and isinstance(each.value.value, gast.Name)
    }


def selections(nodes: list[Node]) -> int:
    """The number of selections between contributions."""
    return sum(
        isinstance(each, gast.Attribute) and each.attr == "select"
        for statement in statements_of(nodes)
        for each in walk(statement)
    )


def left_behind(nodes: list[Node], count: int) -> list[str]:
    """The names that the first `count` nodes assign and later ones mention."""
    made = dict.fromkeys(str(assigned(each)) for each in statements_of(nodes[:count]) if not stores_into(each))
    later = (node for each in statements_of(nodes[count:]) for node in walk(each))
    mentioned = {node.id for node in later if isinstance(node, gast.Name)}
    return [name for name in made if name in mentioned]


def is_often_skipped(program: Program, names: Mapping[str, str], plan: Plan, dense: Collection[str]) -> bool:
    """Whether a guard is possible in the reversal of a loop's body."""
    nodes = plan.nodes
    return any(tested(program, names, plan.way, nodes[k:], nodes[:k], dense) for k in range(1, len(nodes)))


def doubtful(nodes: list[Node], bars: Collection[str], dense: Collection[str]) -> set[str]:
    """The adjoints that may be zero after these nodes: added to in one arm only, or read from a sparse array."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Fork):
            for arm in node.arms:
                found |= {str(target) for each in statements_of(arm.nodes) if (target := target_of_sum(each)) in bars}
            continue
        for statement in statements_of([node]):
            target = target_of_sum(statement) or assigned(statement)
            sources = [name for name in passed_on(statement) if name in bars]
            if target is None:
                continue
            value = getattr(statement, "value", None)
            is_element = isinstance(value, gast.Subscript) and getattr(value.value, "id", "") not in dense
            if sources and (is_element or all(name in found for name in sources)):
                found.add(target)
            elif not (isinstance(statement, gast.Assign) and not sources):
                found.discard(target)
    return found


def target_of_sum(statement: gast.stmt) -> str | None:
    """The scalar adjoint that a statement adds to."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=name)):
            return str(name)
    return None


def added_to(statement: gast.stmt) -> str | None:
    """The adjoint, of a number or array, that a statement adds to."""
    match statement:
        case gast.AugAssign(target=gast.Subscript(value=gast.Name(id=name))):
            return str(name)
        case gast.Expr(value=gast.Call(func=gast.Attribute(attr="scatter_add" | "unexpand"), args=[first, *_])):
            return first.id if isinstance(first, gast.Name) else None
    return target_of_sum(statement)


def is_worth_a_test(nodes: list[Node]) -> bool:
    """Whether skipping these nodes saves more than a test for zero costs."""
    return any(isinstance(node, (Fork, Replay)) for node in nodes)


def incoming(
    nodes: list[Node], bars: Collection[str], numbers: Container[str], own: Container[str]
) -> list[str] | None:
    """The incoming adjoints of these nodes, if skipping the nodes is correct when they are zero, and worth a test.

    bars       names of all adjoints
    numbers    those that are numbers
    own        those that begin and end in this block: nothing after the nodes reads them
    """
    return reaching(nodes, bars, numbers, own) if is_worth_a_test(nodes) else None


def reaching(
    nodes: list[Node], bars: Collection[str], numbers: Container[str], own: Container[str]
) -> list[str] | None:
    """The same as `incoming`, whether or not a test is worth it."""
    stored: set[str] = set()
    found: dict[str, None] = {}
    for statement in statements_of(nodes):
        if notes_of(statement).effect:
            return None
        for name in passed_on(statement):
            if name in bars and name not in stored:
                found[name] = None
        if len(found) > MOST_GUARDED_ADJOINTS:
            return None
        target = assigned(statement)
        if target is not None:
            if target in bars and target not in own:
                return None
            stored.add(target)
    if not found or not all(name in numbers for name in found):
        return None
    return list(found)


def where_nonzero(names: list[str], block: Block, otherwise: Block) -> gast.If:
    """`if a_bar != 0.0 or b_bar != 0.0: block`, with `otherwise` as the other arm; noted as `skips_zeros`."""
    tests: list[gast.expr] = [
        gast.Compare(left=load(name), ops=[gast.NotEq()], comparators=[const(0.0)]) for name in names
    ]
    test = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.Or(), values=tests)
    return note(branch(test, block, otherwise), skips_zeros=True)


def statements_of(nodes: list[Node]) -> Iterator[gast.stmt]:
    """The statements of nodes and of the plans nested in them."""
    for node in nodes:
        if isinstance(node, Step):
            yield from node.code
        for plan in inner_plans(node):
            yield from statements_of(plan.nodes)


def passed_on(statement: gast.stmt) -> list[str]:
    """The names whose values a statement uses, other than to add to them."""
    match statement:
        case gast.AugAssign(target=gast.Name(), value=value):
            return list(names_in(value))
        case gast.AugAssign(target=gast.Subscript(slice=index), value=value):
            return [*names_in(index), *names_in(value)]
        case gast.Assign(targets=[gast.Name()], value=gast.Subscript(value=gast.Name(), slice=index)):
            return list(names_in(statement.value))
        case gast.Expr(value=gast.Call(func=gast.Attribute(attr="scatter_add"), args=[_, *rest])):
            return [name for argument in rest for name in names_in(argument)]
    return list(names_in(statement))


def assigned(statement: gast.stmt) -> str | None:
    """The adjoint that a statement assigns, or stores into."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)]):
            return str(name)
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name))]):
            return str(name)
    return None
